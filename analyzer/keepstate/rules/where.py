"""Rules for filters in front of state (spec section 13, WH)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import FROM_RESTART
from keepstate.rules.rule import Rule, Words

_FILTERED = "the rows behind it are others than those in the state, which is not reused"
_ADVICE = (
    "If figures up to now may stand as they are, set 'table.optimizer.state-compatibility.ignore-filter' = 'true'."
)


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.WHERE, spec, title, Words(*words))


RULES = (
    _rule(
        K.FILTER_ADDED,
        ("WH-01",),
        "A filter more in front of state",
        "{subject} added in front of state",
        _FILTERED,
        FROM_RESTART,
        _ADVICE,
    ),
    _rule(
        K.FILTER_REMOVED,
        ("WH-01",),
        "A filter less in front of state",
        "{subject} removed in front of state",
        _FILTERED,
        FROM_RESTART,
        _ADVICE,
    ),
    _rule(
        K.FILTER_CHANGED,
        ("WH-01",),
        "Another filter in front of state",
        "filter {was} -> {now} in front of state",
        _FILTERED,
        FROM_RESTART,
        _ADVICE,
    ),
)
