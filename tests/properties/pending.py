"""Properties that do not hold yet, by the name of the kind or of the edit. Empty means: all of them hold."""

from __future__ import annotations

_UNITED = ("united-windows", "united-legacy", "united-groups", "united-window-top-n", "united-top-n", "united-dedup",
           "united-over", "united-join")  # fmt: skip
_BY_CAUSE: dict[str, tuple[str, ...]] = {
    "which branch of a union came or went is not seen where several read one table": (
        *(f"UA-02-{kind}-{change}-branch" for kind in _UNITED for change in ("add", "remove", "repeat")),
    ),
    "an unread column of a union is dropped below a ranking": (
        *(f"flink-united-{kind}-union-unread-column-{change}" for kind in ("top-n", "dedup")
          for change in ("added", "removed")),
    ),
    "a ranking without its number goes on with the rows of one with it": ("flink-top-n-rank-number-dropped",),
}  # fmt: skip
"""Seeded edits whose labels the product does not tell, with what it takes to be so instead."""
PENDING_SPELLINGS: frozenset[str] = frozenset()
PENDING_EDITS: frozenset[str] = frozenset(name for names in _BY_CAUSE.values() for name in names)
PENDING_COMBINATIONS: frozenset[str] = frozenset()
