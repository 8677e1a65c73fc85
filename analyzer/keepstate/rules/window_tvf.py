"""Rules for aggregations over window table-valued functions (spec section 2)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import (
    AGGREGATES,
    ALL_LOST,
    FROM_NEXT_WINDOW,
    KEYS,
    NOT_TOLD,
    ONLY_AFTER,
    PYTHON_AGGREGATE,
    SECOND_QUERY,
    WINDOW,
)
from keepstate.rules.rule import Rule, Words

_WORDS = {**WINDOW, **KEYS, **AGGREGATES}


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.WINDOW_TVF, spec, title, words or _WORDS[kind])


RULES = (
    _rule(K.WINDOW_KIND_CHANGED, ("WTVF-10",), "Another kind of window"),
    _rule(K.WINDOW_SIZE_CHANGED, ("WTVF-11",), "Another window size"),
    _rule(K.WINDOW_SLIDE_CHANGED, ("WTVF-29",), "Another slide"),
    _rule(K.WINDOW_STEP_CHANGED, ("WTVF-29",), "Another step"),
    _rule(K.WINDOW_GAP_CHANGED, ("WTVF-29",), "Another session gap"),
    _rule(K.WINDOW_OFFSET_CHANGED, ("WTVF-29",), "Another offset"),
    _rule(K.SESSION_PARTITION_CHANGED, ("WTVF-29",), "Other partition keys of a session"),
    _rule(K.WINDOW_TIME_ATTRIBUTE_CHANGED, ("WTVF-12",), "Another time attribute"),
    _rule(
        K.WINDOW_SYNTAX_CHANGED,
        ("WTVF-30",),
        "The same window in the other syntax",
        Words(
            "{was} became {now} for the same window",
            "VVR 8.x makes one operator of both and VVR 11.x makes two, so " + NOT_TOLD,
            ONLY_AFTER,
            "Do not move a query from one syntax to the other in a restart that has to keep its state.",
        ),
    ),
    _rule(
        K.WINDOW_GROUPING_CHANGED,
        ("WTVF-21",),
        "GROUP BY holds both window fields on one side only",
        Words(
            "{was} -> {now}, with both window fields on one side only",
            "a window aggregation and an unbounded one keep different state, so all of it is lost",
            FROM_NEXT_WINDOW,
            "Group by window_start and window_end, both.",
        ),
    ),
    _rule(K.GROUP_KEY_ADDED, ("WTVF-13",), "A group key more"),
    _rule(K.GROUP_KEY_REMOVED, ("WTVF-13",), "A group key less"),
    _rule(K.GROUP_KEY_CHANGED, ("WTVF-13",), "Another group key, or the same one computed differently"),
    _rule(K.GROUP_KEYS_REORDERED, ("WTVF-14",), "Group keys in another order"),
    _rule(K.AGGREGATE_ADDED, ("WTVF-01", "WTVF-03"), "An aggregate more"),
    _rule(K.AGGREGATE_REMOVED, ("WTVF-02", "WTVF-03"), "An aggregate less"),
    _rule(K.AGGREGATE_CHANGED, ("WTVF-04", "WTVF-06"), "An aggregate computed differently"),
    _rule(K.FIRST_AGGREGATE_ADDED, ("WTVF-17",), "The first aggregate"),
    _rule(K.ALL_AGGREGATES_REMOVED, ("WTVF-16",), "No aggregate left"),
    _rule(K.ALL_AGGREGATES_REPLACED, ("WTVF-19",), "All aggregates replaced"),
    _rule(K.ONLY_AGGREGATE_CHANGED, ("WTVF-18",), "The only aggregate changed"),
    _rule(K.DISTINCT_AGGREGATE_ADDED, ("WTVF-15",), "A distinct aggregate more"),
    _rule(K.DISTINCT_AGGREGATE_REMOVED, ("WTVF-15",), "A distinct aggregate less"),
    _rule(K.DISTINCT_AGGREGATE_CHANGED, ("WTVF-15",), "A distinct aggregate changed"),
    _rule(K.DISTINCT_AGGREGATES_REORDERED, ("WTVF-15", "GA-09"), "Distinct aggregates in another order"),
    _rule(
        K.WINDOW_FIELD_COMPUTATION_CHANGED,
        ("WTVF-20",),
        "Computing on a window field below the aggregation, on one side only",
        Words(
            "computation {subject} on a window field {presence} below the aggregation",
            ALL_LOST,
            FROM_NEXT_WINDOW,
            "Compute on window fields above the aggregation.",
        ),
    ),
    _rule(
        K.WINDOW_FIELD_COMPUTATION_PRESENT,
        ("WTVF-23",),
        "Computing on a window field below the aggregation, on both sides",
        Words(
            "{subject} computes on a window field below the aggregation while something else changed",
            NOT_TOLD,
            ONLY_AFTER,
            "Move the computation above the aggregation, in a change of its own.",
        ),
    ),
    _rule(
        K.WINDOW_FIELD_FILTERED,
        ("WTVF-24",),
        "A filter on a window field",
        Words(
            "filter {subject} on a window field ({presence})",
            NOT_TOLD,
            ONLY_AFTER,
            "Filter in the consumer, or in a second job that reads the results.",
        ),
    ),
    _rule(
        K.TABLE_FUNCTION_ON_WINDOW,
        ("WTVF-25",),
        "A table function in front of a window aggregation",
        Words(
            "table function {subject} in front of a window aggregation ({presence})",
            NOT_TOLD,
            ONLY_AFTER,
            "Call the table function above the aggregation.",
        ),
    ),
    _rule(K.PYTHON_AGGREGATE, ("WTVF-26",), "An aggregate that may run in Python", PYTHON_AGGREGATE),
    _rule(
        K.WINDOW_FIELD_AGGREGATED,
        ("WTVF-27",),
        "An aggregate over a window field",
        Words(
            "{subject} aggregates a window field ({presence})",
            NOT_TOLD,
            ONLY_AFTER,
            "Select the window field instead of aggregating it: it is the same for all rows of a group.",
        ),
    ),
    _rule(
        K.GROUPING_SETS_ADDED,
        ("WTVF-22",),
        "GROUPING SETS, CUBE or ROLLUP added",
        Words("{subject} added", ALL_LOST, FROM_NEXT_WINDOW, "Write one query per grouping."),
    ),
    _rule(
        K.GROUPING_SETS_REMOVED,
        ("WTVF-22",),
        "GROUPING SETS, CUBE or ROLLUP removed",
        Words("{subject} removed", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    ),
    _rule(
        K.GROUPING_SETS_PRESENT,
        ("WTVF-28",),
        "GROUPING SETS, CUBE or ROLLUP on both sides",
        Words(
            "{subject} in a query that changed",
            NOT_TOLD,
            ONLY_AFTER,
            "Write one query per grouping, in a change of its own.",
        ),
    ),
)
