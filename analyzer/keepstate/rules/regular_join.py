"""Rules for regular joins (spec section 11, JR)."""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.join_phrases import FILTERS, JOINS
from keepstate.rules.rule import Rule

_HEALING = (
    "Without its state the join knows only rows that come after the restart: matches with earlier ones are missing "
    "until these are sent again."
)


def _rule(kind: K, spec: tuple[str, ...], title: str) -> Rule:
    words = {**JOINS, **FILTERS}[kind]
    return Rule(kind, QueryKind.REGULAR_JOIN, spec, title, replace(words, healing=_HEALING))


RULES = (
    _rule(K.JOIN_TYPE_CHANGED, ("JR-01",), "Another type of join"),
    _rule(K.JOIN_CONDITION_CHANGED, ("JR-02",), "Another join condition"),
    _rule(K.JOIN_INPUT_CHANGED, ("JR-03", "SRC-09"), "Other columns in the rows that are joined"),
    _rule(K.FILTER_ADDED, ("JR-05", "JR-04"), "A condition on one input more"),
    _rule(K.FILTER_REMOVED, ("JR-05", "JR-04"), "A condition on one input less"),
    _rule(K.FILTER_CHANGED, ("JR-05", "JR-04"), "Another condition on one input"),
)
