"""Rules for interval joins (spec section 11, JI)."""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.join_phrases import FILTERS, JOINS
from keepstate.rules.rule import Rule

_HEALING = (
    "Without its state the join knows only rows that come after the restart: matches with earlier ones are missing, "
    "until the interval has passed once."
)


def _rule(kind: K, spec: tuple[str, ...], title: str) -> Rule:
    words = {**JOINS, **FILTERS}[kind]
    return Rule(kind, QueryKind.INTERVAL_JOIN, spec, title, replace(words, healing=_HEALING))


RULES = (
    _rule(K.JOIN_TYPE_CHANGED, ("JI-01",), "Another type of join"),
    _rule(K.JOIN_CONDITION_CHANGED, ("JI-02",), "Another join condition"),
    _rule(K.JOIN_INTERVAL_CHANGED, ("JI-03",), "Another interval"),
    _rule(K.JOIN_TIME_CHANGED, ("JI-02",), "Another time attribute"),
    _rule(K.JOIN_INPUT_CHANGED, ("JI-04", "SRC-09"), "Other columns in the rows that are joined"),
    _rule(K.FILTER_ADDED, ("WH-01", "JI-06"), "A condition on one input more"),
    _rule(K.FILTER_REMOVED, ("WH-01", "JI-06"), "A condition on one input less"),
    _rule(K.FILTER_CHANGED, ("WH-01", "JI-06"), "Another condition on one input"),
)
