"""What each kind of change does in open-source Flink, as people are told: the cases that the layout decides between.

The verdict on a change never comes from here but from the layouts themselves (``differences``); a test holds both
together. ``measured`` names pairs of docs/conformance.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind as Q
from keepstate.profiles.profile import Case
from keepstate.report import Effect

_STOPS, _WRONG, _LOST = Effect.DOES_NOT_START, Effect.WRONG_RESULTS, Effect.STATE_LOST
_OPEN, _EXACT = Effect.UNDETERMINED, Effect.EXACT

_SAME_TYPE = "the fields of the state keep their types"
_OTHER_TYPES = "the row of the state gets other types"
_KEY = (
    Case(_STOPS, "the keys get other types", "group_key_order_difftype"),
    Case(_WRONG, "types and order of types stay", "group_key_order"),
)
_ROW = (Case(_STOPS, _OTHER_TYPES, "add_column"), Case(_WRONG, _SAME_TYPE))
_MORE_OR_LESS = (
    Case(_STOPS, "the row of accumulators gets other fields", "add_count_end"),
    Case(_EXACT, "the state has held its fields already (a count beside a sum)", "over_range/add_agg"),
)
_ANOTHER = (
    Case(_STOPS, "its accumulator has other types", "change_agg_arg_diff_type"),
    Case(_WRONG, "its accumulator has the same types", "change_agg_arg_same_type"),
)
_ORDER_OF_AGGREGATES = (
    Case(_STOPS, "their accumulators have different types", "reorder_diff_type"),
    Case(_WRONG, "their accumulators have one type: the values are swapped", "reorder_same_type"),
)
_FILTER = (
    Case(_WRONG, "a projection stands in front of the state already", "add_where"),
    Case(_STOPS, "none does: operator ids change", "nocalc_group/add_where"),
)
_IDS = (Case(_STOPS, "operator ids follow the shape of the job graph, as by default", "add_second_query"),)
_WINDOW = (Case(_WRONG, "", "window_size_15"),)

CASES: Mapping[K, tuple[Case, ...]] = {
    K.WINDOW_KIND_CHANGED: (
        Case(_STOPS, "the windows are stored in another way (to HOP, to or from SESSION)", "to_session"),
        Case(_LOST, "TUMBLE as a group window becomes HOP", "tumble_legacy/to_hop"),
        Case(_WRONG, "they are stored alike (TUMBLE and CUMULATE)", "to_cumulate"),
    ),
    K.WINDOW_SIZE_CHANGED: _WINDOW,
    K.WINDOW_SLIDE_CHANGED: (Case(_WRONG, "", "slide_or_step_2"),),
    K.WINDOW_STEP_CHANGED: (Case(_WRONG, "", "slide_or_step_2"),),
    K.WINDOW_GAP_CHANGED: (Case(_WRONG, "", "gap_90"),),
    K.WINDOW_OFFSET_CHANGED: (Case(_WRONG, "", "add_offset"),),
    K.WINDOW_TIME_ATTRIBUTE_CHANGED: (
        Case(_STOPS, "event time becomes processing time, or a projection comes"),
        Case(_WRONG, "it is another column of the same kind"),
    ),
    K.SESSION_PARTITION_CHANGED: _KEY,
    K.WINDOW_SYNTAX_CHANGED: (
        Case(_STOPS, "the window is no session: the table-valued function aggregates in two steps", "to_legacy"),
        Case(_EXACT, "it is a session: both are stored alike", "session_to_legacy"),
    ),
    K.WINDOW_GROUPING_CHANGED: _IDS,
    K.WINDOW_KEYS_MOVED: (
        Case(_EXACT, "nothing stands between window and aggregation", "group_order_windows_first"),
        Case(_STOPS, "a projection comes or goes by it"),
    ),
    K.WINDOW_PROPERTIES_CHANGED: (Case(_EXACT, "", "add_window_end"),),
    K.GROUP_KEY_ADDED: (Case(_STOPS, "", "add_group_key"),),
    K.GROUP_KEY_REMOVED: (Case(_STOPS, "", "remove_group_key"),),
    K.GROUP_KEY_CHANGED: _KEY,
    K.GROUP_KEYS_REORDERED: _KEY,
    K.GROUPING_SETS_ADDED: (Case(_OPEN),),
    K.GROUPING_SETS_REMOVED: (Case(_OPEN),),
    K.GROUPING_SETS_PRESENT: (Case(_OPEN),),
    K.AGGREGATE_ADDED: _MORE_OR_LESS,
    K.AGGREGATE_REMOVED: _MORE_OR_LESS,
    K.AGGREGATE_CHANGED: _ANOTHER,
    K.AGGREGATES_REORDERED: _ORDER_OF_AGGREGATES,
    K.FIRST_AGGREGATE_ADDED: (Case(_STOPS, "", "no_agg_to_count"),),
    K.ALL_AGGREGATES_REMOVED: (Case(_STOPS, "", "delete_all_aggs"),),
    K.ALL_AGGREGATES_REPLACED: _ANOTHER,
    K.ONLY_AGGREGATE_CHANGED: _ANOTHER,
    K.DISTINCT_AGGREGATE_ADDED: (Case(_STOPS, "", "add_count_distinct"),),
    K.DISTINCT_AGGREGATE_REMOVED: (Case(_STOPS, "", "delete_count_distinct"),),
    K.DISTINCT_AGGREGATE_CHANGED: (
        Case(_STOPS, "its values have another type", "distinct_other_type"),
        Case(_WRONG, "its values have the same type", "change_distinct_arg"),
    ),
    K.DISTINCT_AGGREGATES_REORDERED: (
        Case(_STOPS, "their values have different types"),
        Case(_WRONG, "their values have one type", "distinct_reorder"),
    ),
    K.WINDOW_FIELD_COMPUTATION_CHANGED: _IDS,
    K.WINDOW_FIELD_COMPUTATION_PRESENT: (Case(_EXACT),),
    K.WINDOW_FIELD_FILTERED: (Case(_STOPS, "the filter comes or goes", "where_window"), Case(_EXACT, "it stays")),
    K.WINDOW_FIELD_AGGREGATED: (Case(_STOPS, "it comes or goes"), Case(_EXACT, "it stays")),
    K.TABLE_FUNCTION_ON_WINDOW: (Case(_OPEN),),
    K.PYTHON_AGGREGATE: (Case(_OPEN, "the aggregates change"), Case(_EXACT, "they stay as they are")),
    K.EMIT_STRATEGY_CHANGED: (Case(_OPEN),),
    K.EMIT_STRATEGY_ACTIVE: (Case(_EXACT),),
    K.PARTITION_KEY_ADDED: (Case(_STOPS, "", "partition_add_key"),),
    K.PARTITION_KEY_REMOVED: (Case(_STOPS, "", "partition_remove_key"),),
    K.PARTITION_KEY_CHANGED: _KEY,
    K.RANK_ORDER_CHANGED: (
        Case(_STOPS, "the sort keys get other types", "order_other_type"),
        Case(_WRONG, "their types stay", "order_desc_to_asc"),
        Case(_LOST, "a deduplication keeps the other row, from Flink 2.0 on", "dedup_rowtime/desc_to_asc"),
    ),
    K.RANK_RANGE_CHANGED: (
        Case(_LOST, "one of both ranges is the first row alone, which is stored in another way", "topn/n_2_to_1"),
        Case(_WRONG, "more rows are wanted than are stored", "topn2/n_3_7"),
        Case(_EXACT, "all rows are stored, or a window needs fewer of them", "n_2_to_1"),
    ),
    K.RANK_FUNCTION_CHANGED: (Case(_STOPS, "", "rank_fn_rank"),),
    K.RANK_INPUT_CHANGED: _ROW,
    K.RANK_COLUMN_CHANGED: _ROW,
    K.RANK_INPUT_TYPE_UNKNOWN: (Case(_OPEN),),
    K.RANK_TIME_UNKNOWN: (Case(_OPEN),),
    K.OVER_ORDER_CHANGED: (Case(_OPEN, "the clock changes"), Case(_WRONG, "it is another column of the same type")),
    K.OVER_FRAME_CHANGED: (
        Case(_STOPS, "a bound comes or goes: bounded frames keep more to take rows back", "to_unbounded"),
        Case(_WRONG, "the frame gets longer, or counts rows", "frame_15"),
        Case(_EXACT, "a length of time gets shorter", "range_15_to_10"),
    ),
    K.OVER_INPUT_CHANGED: _ROW,
    K.OVER_COLUMN_CHANGED: _ROW,
    K.OVER_INPUT_TYPE_UNKNOWN: (Case(_OPEN),),
    K.JOIN_TYPE_CHANGED: (
        Case(_STOPS, "the join is a regular one: outer sides count partners", "regular_join/to_left"),
        Case(_WRONG, "an interval join becomes an outer one", "interval_join/to_left"),
        Case(_EXACT, "the join is one of windows", "window_join/to_left"),
    ),
    K.JOIN_CONDITION_CHANGED: (
        Case(_STOPS, "the keys or the rows get other types", "add_nonequi_condition"),
        Case(_WRONG, "types stay and keys, or the partners of an outer side, are others", "join/key_same_type"),
        Case(_EXACT, "an inner join asks more of columns that are stored"),
    ),
    K.JOIN_INTERVAL_CHANGED: (
        Case(_WRONG, "the interval gets wider", "ijoin/widen"),
        Case(_EXACT, "it gets narrower", "interval_join/bound_2"),
    ),
    K.JOIN_TIME_CHANGED: (Case(_OPEN),),
    K.JOIN_INPUT_CHANGED: _ROW,
    K.SORT_KEYS_CHANGED: (Case(_OPEN),),
    K.LIMIT_CHANGED: (Case(_WRONG, "", "shape/limit"),),
    K.OFFSET_CHANGED: (Case(_WRONG),),
    K.FILTER_ADDED: _FILTER,
    K.FILTER_REMOVED: _FILTER,
    K.FILTER_CHANGED: (Case(_WRONG, "", "change_where"),),
    K.INPUT_ADDED: (Case(_STOPS, "", "union/added"),),
    K.INPUT_REMOVED: (Case(_STOPS, "", "union/removed"),),
    K.SINK_CHANGED: (Case(_EXACT),),
    K.SINK_COLUMNS_CHANGED: (Case(_EXACT),),
    K.STATE_ADDED: (
        Case(_STOPS, "operators above it get other ids"),
        Case(_WRONG, "nothing stateful stands above it and its input takes rows back", "nest_added"),
        Case(Effect.STARTS_EMPTY, "nothing stateful stands above it and its input only adds rows"),
    ),
    K.STATE_REMOVED: (Case(_STOPS, "", "unnest"),),
    K.PIPELINE_ADDED: (*_IDS, Case(Effect.STARTS_EMPTY, "ids come from the plan (table.exec.uid.generation = ALWAYS)")),
    K.PIPELINE_REMOVED: (Case(_STOPS, "", "remove_query"),),
    K.STATE_TTL_CHANGED: (
        Case(_STOPS, "it comes or goes, before Flink 2.2"),
        Case(_EXACT, "it comes or goes from Flink 2.2 on, or gets longer", "ttl_on"),
    ),
    K.STATE_TTL_SHORTENED: (Case(Effect.STATE_DROPPED),),
    K.MAX_PARALLELISM_CHANGED: (Case(_STOPS),),
    K.SETTING_CHANGED: (Case(_STOPS, "it changes operator ids", "minibatch_on"), Case(_OPEN, "nobody knows")),
    K.SOURCE_RENAMED: (Case(_EXACT, "only the name changed"), Case(_OPEN, "its options changed as well")),
    K.SOURCE_DATA_CHANGED: (Case(_EXACT),),
    K.OPERATOR_IDS_CHANGED: (Case(_STOPS, "", "columns_all_used"),),
    K.QUERY_REFUSED: (Case(_STOPS, "", "size_600_second_default_precision"),),
    K.STORED_STATE_CHANGED: (Case(_STOPS, "types differ", "not_null"), Case(_WRONG, "only the meaning does")),
}
"""By kind of change; for whatever is not here nothing is known."""

_OWN: Mapping[tuple[Q, K], tuple[Case, ...]] = {
    (query, kind): (_KEY[0], Case(_LOST, "types and order of types stay: no row finds its state", measured))
    for query in (Q.GROUP_AGGREGATE, Q.TOP_N, Q.DEDUPLICATION)
    for kind, measured in (
        (K.GROUP_KEY_CHANGED, "replace_group_key_same_type"),
        (K.GROUP_KEYS_REORDERED, "group_key_order"),
        (K.PARTITION_KEY_CHANGED, "partition_same_row"),
    )
}


def cases_of(query: Q, kind: K) -> tuple[Case, ...]:
    """The cases of a kind of change in queries of a kind; one that leaves it open where nothing is known."""
    return _OWN.get((query, kind)) or CASES.get(kind) or (Case(_OPEN),)
