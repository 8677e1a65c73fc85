"""Rules for aggregates over OVER windows (spec section 7).

The set of aggregates is judged as that of an aggregation; beyond it the operator passes its input rows on, and stores
them until they may go.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import AGGREGATES, NOT_TOLD, ONLY_AFTER, PYTHON_AGGREGATE, WINDOW
from keepstate.rules.rule import Rule, Words

_HEALING = (
    "Without its state the job aggregates from the restart on: a bounded frame is right again once all of its rows "
    "came after the restart, an unbounded one stays incomplete."
)
_NEW_HEALING = "{subject} is right again once all rows of its frame came after the restart; without a bound it is not."
_PARTITION = "state is kept by partition, and no stored partition fits the new ones, so all of it is lost"
_SECOND_QUERY = "Leave this query as it is, and run the new one as a second job beside it."
_ROW = (
    "the operator stores its input rows as they pass, and the stored ones do not fit the new ones, so its state is lost"
)
_WORDS = {kind: replace(words, healing=_HEALING) for kind, words in {**WINDOW, **AGGREGATES}.items()}
_WORDS |= {
    K.AGGREGATE_ADDED: replace(AGGREGATES[K.AGGREGATE_ADDED], healing=_NEW_HEALING),
    K.AGGREGATE_REMOVED: AGGREGATES[K.AGGREGATE_REMOVED],
    K.AGGREGATE_CHANGED: replace(AGGREGATES[K.AGGREGATE_CHANGED], healing=_NEW_HEALING),
    K.PARTITION_KEY_ADDED: Words("{subject} added", _PARTITION, _HEALING, _SECOND_QUERY),
    K.PARTITION_KEY_REMOVED: Words("{subject} removed", _PARTITION, _HEALING, _SECOND_QUERY),
    K.PARTITION_KEY_CHANGED: Words("partition key {was} -> {now}", _PARTITION, _HEALING, _SECOND_QUERY),
    K.OVER_ORDER_CHANGED: Words(
        "order of the OVER window {was} -> {now}",
        "rows are stored by the time that they are sorted by, and the stored times are others, so all state is lost",
        _HEALING,
        _SECOND_QUERY,
    ),
    K.OVER_FRAME_CHANGED: Words(
        "frame {was} -> {now}",
        "the stored rows and accumulators are those of the former frame, so all state is lost",
        _HEALING,
        _SECOND_QUERY,
    ),
    K.OVER_INPUT_CHANGED: Words(
        "{subject} in the rows that OVER passes on",
        _ROW,
        _HEALING,
        "Leave the rows as they are and join the column in behind them, or run the other query as a second job.",
    ),
    K.OVER_COLUMN_CHANGED: Words(
        "{subject} in the rows that OVER passes on",
        "the type stays, so the stored rows are read, with the former values in this column; {kept} {go} on",
        "Rows that wait for the watermark at the restart come out with the former values, all later ones are right.",
        "If no row may be wrong, let the input run dry before the restart.",
    ),
    K.OVER_INPUT_TYPE_UNKNOWN: Words(
        "{subject} in the rows that OVER passes on",
        "the stored rows fit only if the type stays, which the script does not tell, so " + NOT_TOLD,
        ONLY_AFTER,
        "Declare the table with its columns, or cast both columns to one type.",
    ),
}


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.OVER_AGGREGATE, spec, title, words or _WORDS[kind])


RULES = (
    _rule(K.AGGREGATE_ADDED, ("OA-01", "OA-03"), "An aggregate more"),
    _rule(K.AGGREGATE_REMOVED, ("OA-02", "OA-03"), "An aggregate less"),
    _rule(K.AGGREGATE_CHANGED, ("OA-04",), "An aggregate computed differently"),
    _rule(K.DISTINCT_AGGREGATE_ADDED, ("OA-11",), "A distinct aggregate more"),
    _rule(K.DISTINCT_AGGREGATE_REMOVED, ("OA-11",), "A distinct aggregate less"),
    _rule(K.DISTINCT_AGGREGATE_CHANGED, ("OA-11",), "A distinct aggregate changed"),
    _rule(K.DISTINCT_AGGREGATES_REORDERED, ("OA-11",), "Distinct aggregates in another order"),
    _rule(K.ALL_AGGREGATES_REPLACED, ("OA-12",), "All aggregates replaced"),
    _rule(K.ONLY_AGGREGATE_CHANGED, ("OA-12",), "The only aggregate changed"),
    _rule(K.ALL_AGGREGATES_REMOVED, ("OA-12",), "No aggregate left"),
    _rule(K.PARTITION_KEY_ADDED, ("OA-08",), "A partition key more"),
    _rule(K.PARTITION_KEY_REMOVED, ("OA-08",), "A partition key less"),
    _rule(K.PARTITION_KEY_CHANGED, ("OA-08",), "Another partition key, or the same one computed differently"),
    _rule(K.OVER_ORDER_CHANGED, ("OA-09",), "Another ORDER BY in the window"),
    _rule(K.OVER_FRAME_CHANGED, ("OA-10",), "Another frame"),
    _rule(K.OVER_INPUT_CHANGED, ("OA-07", "SRC-09"), "Other columns in the rows that pass through"),
    _rule(K.OVER_COLUMN_CHANGED, ("OA-07",), "Another column of the same type in the rows that pass through"),
    _rule(K.OVER_INPUT_TYPE_UNKNOWN, ("OA-07",), "A column of unknown type in the rows that pass through"),
    _rule(K.PYTHON_AGGREGATE, ("GA-13",), "An aggregate that may run in Python", PYTHON_AGGREGATE),
    _rule(K.WINDOW_KIND_CHANGED, ("WTVF-10",), "Another kind of window below OVER"),
    _rule(K.WINDOW_SIZE_CHANGED, ("WTVF-11",), "Another window size below OVER"),
    _rule(K.WINDOW_SLIDE_CHANGED, ("WTVF-29",), "Another slide below OVER"),
    _rule(K.WINDOW_STEP_CHANGED, ("WTVF-29",), "Another step below OVER"),
    _rule(K.WINDOW_GAP_CHANGED, ("WTVF-29",), "Another session gap below OVER"),
    _rule(K.WINDOW_OFFSET_CHANGED, ("WTVF-29",), "Another offset below OVER"),
    _rule(K.SESSION_PARTITION_CHANGED, ("WTVF-29",), "Other partition keys of a session below OVER"),
    _rule(K.WINDOW_TIME_ATTRIBUTE_CHANGED, ("WTVF-12",), "Another time attribute below OVER"),
)
