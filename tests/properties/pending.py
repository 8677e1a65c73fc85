"""Properties that do not hold yet, by the name of the kind or of the edit. Empty means: all of them hold."""

from __future__ import annotations

_BY_CAUSE: dict[str, tuple[str, ...]] = {
    "an exchange between the branches of a union is reported as another column": (
        "DD-03-united-dedup-exchange-hits-between-branches",
    ),
}  # fmt: skip
"""Seeded edits whose labels the product does not tell, with what it takes to be so instead."""
PENDING_SPELLINGS: frozenset[str] = frozenset()
PENDING_EDITS: frozenset[str] = frozenset(name for names in _BY_CAUSE.values() for name in names)
PENDING_COMBINATIONS: frozenset[str] = frozenset()
