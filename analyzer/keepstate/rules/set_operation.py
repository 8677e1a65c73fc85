"""Rules for INTERSECT and EXCEPT (no row of the specification names them; section 6 speaks of UNION's aggregation)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.rule import Rule, Words

_HEALING = "Without its state the job matches only rows that come after the restart."


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.SET_OPERATION, spec, title, Words(*words))


RULES = (
    _rule(
        K.SET_OPERATION_CHANGED,
        (),
        "Another set operation, or its inputs swapped",
        "{subject}",
        "the state holds how often each row came from the left and from the right, in the form that the former "
        "operation needs, so it is lost",
        _HEALING,
        "Run the other operation as a second job beside this one.",
    ),
    _rule(
        K.SET_OPERATION_COLUMNS_CHANGED,
        (),
        "Other columns in the rows that are matched",
        "column {subject} in the rows of {window}",
        "whole rows are the keys of the state, and no stored one fits the new ones, so all of it is lost",
        _HEALING,
        "Match the other rows in a second job beside this one.",
    ),
)
