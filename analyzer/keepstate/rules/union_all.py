"""Rules for UNION ALL in front of state (spec section 13, UA)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import FROM_RESTART
from keepstate.rules.rule import Rule, Words

_INPUT = "the state behind it was made of other inputs, and is not reused"


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.UNION_ALL, spec, title, Words(*words))


RULES = (
    _rule(
        K.INPUT_ADDED,
        ("UA-02",),
        "An input more in front of state",
        "{subject} added in front of state",
        _INPUT,
        FROM_RESTART,
        "Read the new input in a second job that writes to the same sink.",
    ),
    _rule(
        K.INPUT_REMOVED,
        ("UA-02",),
        "An input less in front of state",
        "{subject} removed in front of state",
        _INPUT,
        FROM_RESTART,
        "Leave the input in the query and let it run dry.",
    ),
)
