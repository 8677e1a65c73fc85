"""Rules for joins of windows (spec section 10, WJ)."""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.join_phrases import JOINS
from keepstate.rules.phrases import WINDOW
from keepstate.rules.rule import Rule

_LOST = "rows are kept by the window that they belong to, and the stored windows are others, so all of them are lost"
_HEALING = (
    "Without its state the join knows only rows from the restart on: windows open at that time are joined "
    "incompletely, those that begin later are right."
)
_WORDS = {kind: replace(words, consequence=_LOST) for kind, words in WINDOW.items()} | JOINS


def _rule(kind: K, title: str, *spec: str) -> Rule:
    return Rule(kind, QueryKind.WINDOW_JOIN, ("WJ-01", *spec), title, replace(_WORDS[kind], healing=_HEALING))


RULES = (
    _rule(K.JOIN_TYPE_CHANGED, "Another type of join"),
    _rule(K.JOIN_CONDITION_CHANGED, "Another join condition"),
    _rule(K.JOIN_INPUT_CHANGED, "Other columns in the rows that are joined", "SRC-09"),
    _rule(K.WINDOW_KIND_CHANGED, "Another kind of window"),
    _rule(K.WINDOW_SIZE_CHANGED, "Another window size"),
    _rule(K.WINDOW_SLIDE_CHANGED, "Another slide"),
    _rule(K.WINDOW_STEP_CHANGED, "Another step"),
    _rule(K.WINDOW_GAP_CHANGED, "Another session gap"),
    _rule(K.WINDOW_OFFSET_CHANGED, "Another offset"),
    _rule(K.WINDOW_TIME_ATTRIBUTE_CHANGED, "Another time attribute"),
    _rule(K.SESSION_PARTITION_CHANGED, "Other partition keys of a session"),
)
