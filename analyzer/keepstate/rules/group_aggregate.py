"""Rules for unbounded aggregations (spec section 6).

An aggregation over a window table-valued function that does not group by both window fields is one of these as well
(spec WTVF-21, C-17).
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import AGGREGATES, ALL_LOST, KEYS, NOT_TOLD, ONLY_AFTER, PYTHON_AGGREGATE, WINDOW
from keepstate.rules.rule import Rule, Words

_FROM_RESTART = (
    "Without its state the job counts every group from the restart, and stays too low for as long as the group lives."
)
_LOST = {K.AGGREGATE_ADDED, K.AGGREGATE_CHANGED, K.AGGREGATE_REMOVED}
_WORDS = {
    kind: words if kind in _LOST else replace(words, healing=_FROM_RESTART)
    for kind, words in {**WINDOW, **KEYS, **AGGREGATES}.items()
}


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.GROUP_AGGREGATE, spec, title, words or _WORDS[kind])


RULES = (
    _rule(K.GROUP_KEY_ADDED, ("GA-07",), "A group key more"),
    _rule(K.GROUP_KEY_REMOVED, ("GA-07",), "A group key less"),
    _rule(K.GROUP_KEY_CHANGED, ("GA-07", "GA-08"), "Another group key, or the same one computed differently"),
    _rule(K.GROUP_KEYS_REORDERED, ("GA-12",), "Group keys in another order"),
    _rule(
        K.AGGREGATE_ADDED,
        ("GA-01", "GA-03"),
        "An aggregate more",
        replace(
            AGGREGATES[K.AGGREGATE_ADDED], healing="{subject} stays incomplete for every group that exists already."
        ),
    ),
    _rule(K.AGGREGATE_REMOVED, ("GA-02", "GA-03"), "An aggregate less"),
    _rule(
        K.AGGREGATE_CHANGED,
        ("GA-04", "GA-06", "SRC-03"),
        "An aggregate computed differently",
        replace(AGGREGATES[K.AGGREGATE_CHANGED], healing="{now} stays incomplete for every group that exists already."),
    ),
    _rule(K.FIRST_AGGREGATE_ADDED, ("GA-11",), "The first aggregate"),
    _rule(K.ALL_AGGREGATES_REMOVED, ("GA-11",), "No aggregate left"),
    _rule(K.ALL_AGGREGATES_REPLACED, ("GA-11",), "All aggregates replaced"),
    _rule(K.ONLY_AGGREGATE_CHANGED, ("GA-11",), "The only aggregate changed"),
    _rule(K.DISTINCT_AGGREGATE_ADDED, ("GA-10",), "A distinct aggregate more"),
    _rule(K.DISTINCT_AGGREGATE_REMOVED, ("GA-10",), "A distinct aggregate less"),
    _rule(K.DISTINCT_AGGREGATE_CHANGED, ("GA-10",), "A distinct aggregate changed"),
    _rule(K.DISTINCT_AGGREGATES_REORDERED, ("GA-09",), "Distinct aggregates in another order"),
    _rule(K.PYTHON_AGGREGATE, ("GA-13",), "An aggregate that may run in Python", PYTHON_AGGREGATE),
    _rule(
        K.GROUPING_SETS_ADDED,
        (),
        "GROUPING SETS, CUBE or ROLLUP added",
        Words("{subject} added", ALL_LOST, _FROM_RESTART, "Write one query per grouping."),
    ),
    _rule(
        K.GROUPING_SETS_REMOVED,
        (),
        "GROUPING SETS, CUBE or ROLLUP removed",
        Words("{subject} removed", ALL_LOST, _FROM_RESTART, "Run the plain grouping as a second job."),
    ),
    _rule(
        K.GROUPING_SETS_PRESENT,
        (),
        "GROUPING SETS, CUBE or ROLLUP on both sides",
        Words(
            "the query changed, and has {subject}",
            NOT_TOLD,
            ONLY_AFTER,
            "Write one query per grouping, in a change of its own.",
        ),
    ),
    _rule(K.WINDOW_KIND_CHANGED, ("WTVF-10",), "Another kind of window below the aggregation"),
    _rule(K.WINDOW_SIZE_CHANGED, ("WTVF-11",), "Another window size below the aggregation"),
    _rule(K.WINDOW_SLIDE_CHANGED, ("WTVF-29",), "Another slide below the aggregation"),
    _rule(K.WINDOW_STEP_CHANGED, ("WTVF-29",), "Another step below the aggregation"),
    _rule(K.WINDOW_GAP_CHANGED, ("WTVF-29",), "Another session gap below the aggregation"),
    _rule(K.WINDOW_OFFSET_CHANGED, ("WTVF-29",), "Another offset below the aggregation"),
    _rule(K.SESSION_PARTITION_CHANGED, ("WTVF-29",), "Other partition keys of a session below the aggregation"),
    _rule(K.WINDOW_TIME_ATTRIBUTE_CHANGED, ("WTVF-12",), "Another time attribute below the aggregation"),
)
