"""Rules for Top-N over windows (spec section 4).

The ranking stores its input rows. So all that changes these rows costs the state, also what the aggregation below
could migrate by itself.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules import window_tvf
from keepstate.rules.phrases import RANKING
from keepstate.rules.rule import Rule, Words

_HEALING = (
    "Without its state the ranking knows only rows from the restart on: windows open at that time are ranked "
    "incompletely, those that begin later are right."
)
_ROWS = "the ranking stores its input rows, and the stored ones do not fit the new ones, so its state is lost"
_WIDER = "Leave this ranking as it is and rank the wider row in a second job."

_BELOW = {rule.kind: rule for rule in window_tvf.RULES}


def _words(change: str, consequence: str = _ROWS, advice: str = _WIDER) -> Words:
    return Words(change, consequence, _HEALING, advice)


def _inherited(kind: K, spec: str, title: str) -> Rule:
    """A change of the aggregation below, as the ranking sees it."""
    below = _BELOW[kind].words
    return Rule(kind, QueryKind.WINDOW_TOP_N, (spec,), title, _words(below.change))


def _undecidable(kind: K) -> Rule:
    return Rule(kind, QueryKind.WINDOW_TOP_N, ("WTN-13",), _BELOW[kind].title, _BELOW[kind].words)


def _rule(kind: K, spec: str, title: str, words: Words) -> Rule:
    return Rule(kind, QueryKind.WINDOW_TOP_N, (spec,), title, words)


RULES = (
    _inherited(K.WINDOW_KIND_CHANGED, "WTN-04", "Another kind of window"),
    _inherited(K.WINDOW_SIZE_CHANGED, "WTN-04", "Another window size"),
    _inherited(K.WINDOW_SLIDE_CHANGED, "WTN-04", "Another slide"),
    _inherited(K.WINDOW_STEP_CHANGED, "WTN-04", "Another step"),
    _inherited(K.WINDOW_GAP_CHANGED, "WTN-04", "Another session gap"),
    _inherited(K.WINDOW_OFFSET_CHANGED, "WTN-04", "Another offset"),
    _inherited(K.SESSION_PARTITION_CHANGED, "WTN-04", "Other partition keys of a session"),
    _inherited(K.WINDOW_TIME_ATTRIBUTE_CHANGED, "WTN-04", "Another time attribute"),
    _inherited(K.WINDOW_GROUPING_CHANGED, "WTN-04", "Both window fields in the inner GROUP BY on one side only"),
    _undecidable(K.WINDOW_SYNTAX_CHANGED),
    _inherited(K.GROUP_KEY_ADDED, "WTN-05", "A key more in the inner GROUP BY"),
    _inherited(K.GROUP_KEY_REMOVED, "WTN-05", "A key less in the inner GROUP BY"),
    _inherited(K.GROUP_KEY_CHANGED, "WTN-05", "Another key in the inner GROUP BY"),
    _rule(
        K.GROUP_KEYS_REORDERED,
        "WTN-11",
        "Keys of the inner GROUP BY in another order",
        _words("group keys ({was}) -> ({now})", advice="Restore the order in the inner GROUP BY."),
    ),
    _rule(
        K.WINDOW_KEYS_MOVED,
        "WTN-10",
        "Window fields moved in the inner GROUP BY",
        _words(
            "window fields moved in GROUP BY: ({was}) -> ({now})",
            "the ranking stores its input rows in this order, and the stored ones do not fit the new ones, "
            "so its state is lost",
            "Restore the order in the inner GROUP BY; without the ranking it would be free.",
        ),
    ),
    _inherited(K.AGGREGATE_ADDED, "WTN-06", "An aggregate more below the ranking"),
    _inherited(K.AGGREGATE_REMOVED, "WTN-06", "An aggregate less below the ranking"),
    _inherited(K.AGGREGATE_CHANGED, "WTN-06", "An aggregate below the ranking computed differently"),
    _rule(
        K.AGGREGATES_REORDERED,
        "WTN-06",
        "Aggregates below the ranking in another order",
        _words(
            "aggregates ({was}) -> ({now})",
            advice="Restore their order in the inner query; the order of the output columns is free.",
        ),
    ),
    _inherited(K.FIRST_AGGREGATE_ADDED, "WTN-06", "The first aggregate below the ranking"),
    _inherited(K.ALL_AGGREGATES_REMOVED, "WTN-06", "No aggregate left below the ranking"),
    _inherited(K.ALL_AGGREGATES_REPLACED, "WTN-06", "All aggregates below the ranking replaced"),
    _inherited(K.ONLY_AGGREGATE_CHANGED, "WTN-06", "The only aggregate below the ranking changed"),
    _inherited(K.DISTINCT_AGGREGATE_ADDED, "WTN-06", "A distinct aggregate more below the ranking"),
    _inherited(K.DISTINCT_AGGREGATE_REMOVED, "WTN-06", "A distinct aggregate less below the ranking"),
    _inherited(K.DISTINCT_AGGREGATE_CHANGED, "WTN-06", "A distinct aggregate below the ranking changed"),
    _inherited(K.DISTINCT_AGGREGATES_REORDERED, "WTN-06", "Distinct aggregates below the ranking in another order"),
    _rule(
        K.RANK_INPUT_CHANGED,
        "WTN-06",
        "Other columns in the ranked rows",
        _words("{subject}"),
    ),
    _rule(
        K.PARTITION_KEY_ADDED,
        "WTN-07",
        "A partition key more",
        _words("{subject} added", "the ranking is kept per partition, and no stored one fits, so its state is lost"),
    ),
    _rule(
        K.PARTITION_KEY_REMOVED,
        "WTN-07",
        "A partition key less",
        _words("{subject} removed", "the ranking is kept per partition, and no stored one fits, so its state is lost"),
    ),
    _rule(
        K.PARTITION_KEY_CHANGED,
        "WTN-07",
        "Another partition key",
        _words(
            "partition key {was} -> {now}",
            "the ranking is kept per partition, and no stored one fits, so its state is lost",
        ),
    ),
    _rule(
        K.RANK_ORDER_CHANGED,
        "WTN-08",
        "Another order of the ranking",
        _words(
            "{subject}",
            "the stored rows are the best by the former order, and dropped ones cannot come back, so its state is lost",
            "Run the other ranking as a second job beside this one.",
        ),
    ),
    _rule(
        K.RANK_RANGE_CHANGED,
        "WTN-09",
        "Another N",
        _words(
            "{was} -> {now}",
            "the ranking stores just the rows of its range, so its state is lost",
            "Keep a larger N in the query and filter behind it.",
        ),
    ),
    Rule(
        K.RANK_FUNCTION_CHANGED,
        QueryKind.WINDOW_TOP_N,
        (),
        "Another ranking function",
        replace(RANKING[K.RANK_FUNCTION_CHANGED], healing=_HEALING),
    ),
    _undecidable(K.WINDOW_FIELD_COMPUTATION_PRESENT),
    _inherited(K.WINDOW_FIELD_COMPUTATION_CHANGED, "WTN-13", "Computing on a window field below, on one side only"),
    _undecidable(K.WINDOW_FIELD_FILTERED),
    _undecidable(K.TABLE_FUNCTION_ON_WINDOW),
    _undecidable(K.PYTHON_AGGREGATE),
    _undecidable(K.WINDOW_FIELD_AGGREGATED),
    _inherited(K.GROUPING_SETS_ADDED, "WTN-13", "GROUPING SETS, CUBE or ROLLUP added below the ranking"),
    _inherited(K.GROUPING_SETS_REMOVED, "WTN-13", "GROUPING SETS, CUBE or ROLLUP removed below the ranking"),
    _undecidable(K.GROUPING_SETS_PRESENT),
)
