"""Reasons why versions of Flink did different things with one restart, by the key of the candidate.

Tests hold the list: every row of docs/conformance.md that differs has a reason, and no reason stands here in vain.
"""

from __future__ import annotations

_WITH_REASONS: dict[str, str] = {
    "state with a time to live had another form than state without one; from 2.2 on both forms are read": (
        "config/ttl_on config/ttl_off"
    ),
}
CAUSES = {key: cause for cause, keys in _WITH_REASONS.items() for key in keys.split()}
"""Causes by the key of the candidate."""
