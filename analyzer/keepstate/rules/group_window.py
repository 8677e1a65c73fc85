"""Rules for aggregations by TUMBLE, HOP and SESSION in GROUP BY (spec section 3)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import AGGREGATES, ALL_LOST, FROM_NEXT_WINDOW, KEYS, PYTHON_AGGREGATE, SECOND_QUERY, WINDOW
from keepstate.rules.rule import Rule, Words

_WORDS = {**WINDOW, **KEYS, **AGGREGATES}


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.GROUP_WINDOW, spec, title, words or _WORDS[kind])


RULES = (
    _rule(K.WINDOW_KIND_CHANGED, ("GWA-10",), "Another kind of window"),
    _rule(K.WINDOW_SIZE_CHANGED, ("GWA-11",), "Another window size"),
    _rule(K.WINDOW_SLIDE_CHANGED, ("GWA-24",), "Another slide"),
    _rule(K.WINDOW_GAP_CHANGED, ("GWA-24",), "Another session gap"),
    _rule(K.WINDOW_OFFSET_CHANGED, ("GWA-11",), "Another offset"),
    _rule(K.WINDOW_TIME_ATTRIBUTE_CHANGED, ("GWA-12",), "Another time attribute"),
    _rule(K.GROUP_KEY_ADDED, ("GWA-13",), "A group key more"),
    _rule(K.GROUP_KEY_REMOVED, ("GWA-13",), "A group key less"),
    _rule(K.GROUP_KEY_CHANGED, ("GWA-13",), "Another group key, or the same one computed differently"),
    _rule(K.GROUP_KEYS_REORDERED, ("GWA-17",), "Group keys in another order"),
    _rule(K.AGGREGATE_ADDED, ("GWA-01", "GWA-03"), "An aggregate more"),
    _rule(K.AGGREGATE_REMOVED, ("GWA-02", "GWA-03"), "An aggregate less"),
    _rule(K.AGGREGATE_CHANGED, ("GWA-04", "GWA-06"), "An aggregate computed differently"),
    _rule(K.FIRST_AGGREGATE_ADDED, ("GWA-18",), "The first aggregate"),
    _rule(K.ALL_AGGREGATES_REMOVED, ("GWA-15",), "No aggregate left"),
    _rule(K.ALL_AGGREGATES_REPLACED, ("GWA-20",), "All aggregates replaced"),
    _rule(K.ONLY_AGGREGATE_CHANGED, ("GWA-19",), "The only aggregate changed"),
    _rule(K.DISTINCT_AGGREGATE_ADDED, ("GWA-14",), "A distinct aggregate more"),
    _rule(K.DISTINCT_AGGREGATE_REMOVED, ("GWA-14",), "A distinct aggregate less"),
    _rule(K.DISTINCT_AGGREGATE_CHANGED, ("GWA-14",), "A distinct aggregate changed"),
    _rule(K.DISTINCT_AGGREGATES_REORDERED, ("GWA-14", "GA-09"), "Distinct aggregates in another order"),
    _rule(K.PYTHON_AGGREGATE, ("GWA-22",), "An aggregate that may run in Python", PYTHON_AGGREGATE),
    _rule(
        K.GROUPING_SETS_ADDED,
        (),
        "GROUPING SETS, CUBE or ROLLUP added",
        Words("{subject} added", ALL_LOST, FROM_NEXT_WINDOW, "Write one query per grouping."),
    ),
    _rule(
        K.GROUPING_SETS_REMOVED,
        (),
        "GROUPING SETS, CUBE or ROLLUP removed",
        Words("{subject} removed", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    ),
    _rule(
        K.EMIT_STRATEGY_CHANGED,
        ("GWA-16", "GWA-21"),
        "Early or late firing switched or changed",
        Words(
            "{subject} {was} -> {now}",
            "a group window with early or late firing keeps other state, so all of it is lost",
            FROM_NEXT_WINDOW,
            "Decide on the emit settings before the first deployment.",
        ),
    ),
    _rule(
        K.EMIT_STRATEGY_ACTIVE,
        ("GWA-21",),
        "A change of a query with early or late firing",
        Words(
            "{subject} is {now} and the query changed",
            "with early or late firing no modification of a group window keeps its state, however small",
            FROM_NEXT_WINDOW,
            "Split the job: keep this query as it is and put the change in another one.",
        ),
    ),
)
