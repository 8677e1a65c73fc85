"""Rules for joins with the version of a table at the time of a row (spec section 11, JT)."""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.join_phrases import JOINS
from keepstate.rules.rule import Rule

_HEALING = (
    "Without its state the join knows only versions that come after the restart: rows find no partner until the key "
    "has got a version again, and rows that waited for the watermark are gone."
)


def _rule(kind: K, spec: tuple[str, ...], title: str) -> Rule:
    return Rule(kind, QueryKind.TEMPORAL_JOIN, spec, title, replace(JOINS[kind], healing=_HEALING))


RULES = (
    _rule(K.JOIN_TYPE_CHANGED, ("JT-01",), "Another type of join"),
    _rule(K.JOIN_CONDITION_CHANGED, ("JT-02",), "Another join condition"),
    _rule(K.JOIN_TIME_CHANGED, ("JT-02",), "The version of another time"),
    _rule(K.JOIN_INPUT_CHANGED, ("JT-03", "SRC-09"), "Other columns in the rows that are joined"),
)
