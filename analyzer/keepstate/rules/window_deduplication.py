"""Rules for deduplication within windows (spec section 10, WD): a Top-N over windows with N = 1."""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import RANKING, WINDOW
from keepstate.rules.rule import Rule

_HEALING = (
    "Without its state the job knows only rows from the restart on: windows open at that time may send another row or "
    "none, those that begin later are right."
)
_WINDOW_LOST = "the kept rows are filed by window, and the stored windows are none any more, so they are lost"
_SECOND_QUERY = "Keep this query as it is and run the new one as a second job beside it."


def _rule(kind: K, title: str, *spec: str) -> Rule:
    words = replace(RANKING[kind], healing=_HEALING)
    return Rule(kind, QueryKind.WINDOW_DEDUPLICATION, spec, title, words)


def _window(kind: K, title: str) -> Rule:
    words = replace(WINDOW[kind], consequence=_WINDOW_LOST, healing=_HEALING, advice=_SECOND_QUERY)
    return Rule(kind, QueryKind.WINDOW_DEDUPLICATION, ("WD-01",), title, words)


RULES = (
    _window(K.WINDOW_KIND_CHANGED, "Another kind of window"),
    _window(K.WINDOW_SIZE_CHANGED, "Another window size"),
    _window(K.WINDOW_SLIDE_CHANGED, "Another slide"),
    _window(K.WINDOW_STEP_CHANGED, "Another step"),
    _window(K.WINDOW_GAP_CHANGED, "Another session gap"),
    _window(K.WINDOW_OFFSET_CHANGED, "Another offset"),
    _window(K.SESSION_PARTITION_CHANGED, "Other partition keys of a session"),
    _window(K.WINDOW_TIME_ATTRIBUTE_CHANGED, "Another time attribute"),
    _rule(K.PARTITION_KEY_ADDED, "A key more", "WD-01"),
    _rule(K.PARTITION_KEY_REMOVED, "A key less", "WD-01"),
    _rule(K.PARTITION_KEY_CHANGED, "Another key, or the same one computed differently", "WD-01"),
    _rule(K.RANK_ORDER_CHANGED, "Another order, another direction", "WD-01"),
    _rule(K.RANK_RANGE_CHANGED, "Another rank condition", "WD-01"),
    _rule(K.RANK_INPUT_CHANGED, "Other columns in the kept rows", "WD-01"),
    _rule(K.RANK_FUNCTION_CHANGED, "Another ranking function"),
)
