"""Realtime Compute for Apache Flink (Ververica Runtime).

Its state migration rewrites the accumulators of an aggregation when aggregates come and go, as long as one of them
stays; it never rewrites keys, windows, or the rows that a ranking stores. Facts: spec sections 2 to 6 and 13 to 17.
"""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.profiles.profile import EngineProfile
from keepstate.report import Effect

_WINDOW = {
    K.WINDOW_KIND_CHANGED: Effect.STATE_LOST,
    K.WINDOW_SIZE_CHANGED: Effect.STATE_LOST,
    K.WINDOW_SLIDE_CHANGED: Effect.STATE_LOST,
    K.WINDOW_STEP_CHANGED: Effect.STATE_LOST,
    K.WINDOW_GAP_CHANGED: Effect.STATE_LOST,
    K.WINDOW_OFFSET_CHANGED: Effect.STATE_LOST,
    K.WINDOW_TIME_ATTRIBUTE_CHANGED: Effect.STATE_LOST,
    K.SESSION_PARTITION_CHANGED: Effect.STATE_LOST,
}

_KEYS = {
    K.GROUP_KEY_ADDED: Effect.STATE_LOST,
    K.GROUP_KEY_REMOVED: Effect.STATE_LOST,
    K.GROUP_KEY_CHANGED: Effect.STATE_LOST,
    K.GROUP_KEYS_REORDERED: Effect.STATE_LOST,
}

_AGGREGATES = {
    K.AGGREGATE_ADDED: Effect.STARTS_EMPTY,
    K.AGGREGATE_REMOVED: Effect.STATE_DROPPED,
    K.AGGREGATE_CHANGED: Effect.STARTS_EMPTY,
    K.AGGREGATES_REORDERED: Effect.EXACT,
    K.FIRST_AGGREGATE_ADDED: Effect.STATE_LOST,
    K.ALL_AGGREGATES_REMOVED: Effect.STATE_LOST,
    K.ALL_AGGREGATES_REPLACED: Effect.STATE_LOST,
    K.ONLY_AGGREGATE_CHANGED: Effect.STATE_LOST,
    K.DISTINCT_AGGREGATE_ADDED: Effect.STATE_LOST,
    K.DISTINCT_AGGREGATE_REMOVED: Effect.STATE_LOST,
    K.DISTINCT_AGGREGATE_CHANGED: Effect.STATE_LOST,
    K.DISTINCT_AGGREGATES_REORDERED: Effect.STATE_LOST,
}

_FEATURES = {
    K.WINDOW_FIELD_COMPUTATION_CHANGED: Effect.STATE_LOST,
    K.WINDOW_FIELD_COMPUTATION_PRESENT: Effect.UNDETERMINED,
    K.WINDOW_FIELD_FILTERED: Effect.UNDETERMINED,
    K.WINDOW_FIELD_AGGREGATED: Effect.UNDETERMINED,
    K.TABLE_FUNCTION_ON_WINDOW: Effect.UNDETERMINED,
    K.PYTHON_AGGREGATE: Effect.UNDETERMINED,
    K.GROUPING_SETS_ADDED: Effect.STATE_LOST,
    K.GROUPING_SETS_REMOVED: Effect.STATE_LOST,
    K.GROUPING_SETS_PRESENT: Effect.UNDETERMINED,
}

_WINDOW_TVF = {
    **_WINDOW,
    **_KEYS,
    **_AGGREGATES,
    **_FEATURES,
    K.WINDOW_SYNTAX_CHANGED: Effect.UNDETERMINED,
    K.WINDOW_GROUPING_CHANGED: Effect.STATE_LOST,
    K.WINDOW_KEYS_MOVED: Effect.EXACT,
}

_GROUP_WINDOW = {
    **_WINDOW,
    **_KEYS,
    **_AGGREGATES,
    K.PYTHON_AGGREGATE: Effect.UNDETERMINED,
    K.GROUPING_SETS_ADDED: Effect.STATE_LOST,
    K.GROUPING_SETS_REMOVED: Effect.STATE_LOST,
    K.WINDOW_KEYS_MOVED: Effect.EXACT,
    K.WINDOW_PROPERTIES_CHANGED: Effect.EXACT,
    K.EMIT_STRATEGY_CHANGED: Effect.STATE_LOST,
    K.EMIT_STRATEGY_ACTIVE: Effect.STATE_LOST,
}

# A ranking stores the rows of its input: whatever changes these rows, even by an aggregate that the aggregation below
# could migrate, leaves nothing that fits.
_RANKING = {
    K.PARTITION_KEY_ADDED: Effect.STATE_LOST,
    K.PARTITION_KEY_REMOVED: Effect.STATE_LOST,
    K.PARTITION_KEY_CHANGED: Effect.STATE_LOST,
    K.RANK_ORDER_CHANGED: Effect.STATE_LOST,
    K.RANK_RANGE_CHANGED: Effect.STATE_LOST,
    K.RANK_FUNCTION_CHANGED: Effect.STATE_LOST,
    K.RANK_INPUT_CHANGED: Effect.STATE_LOST,
}

_WINDOW_TOP_N = {
    **dict.fromkeys((*_WINDOW, *_KEYS, *_AGGREGATES), Effect.STATE_LOST),
    **_FEATURES,
    K.WINDOW_SYNTAX_CHANGED: Effect.UNDETERMINED,
    K.WINDOW_GROUPING_CHANGED: Effect.STATE_LOST,
    K.WINDOW_KEYS_MOVED: Effect.STATE_LOST,
    **_RANKING,
}

_TOP_N = {**_RANKING, K.UPSERT_KEY_CHANGED: Effect.STATE_LOST, K.RANK_TIME_UNKNOWN: Effect.UNDETERMINED}

_DEDUPLICATION = {
    **_RANKING,
    K.RANK_COLUMN_CHANGED: Effect.EXACT,
    K.RANK_INPUT_TYPE_UNKNOWN: Effect.UNDETERMINED,
}

_WINDOW_DEDUPLICATION = {**_WINDOW, **_RANKING}

_GROUP_AGGREGATE = {
    **_WINDOW,
    **_KEYS,
    **_AGGREGATES,
    K.WINDOW_KEYS_MOVED: Effect.EXACT,
    K.PYTHON_AGGREGATE: Effect.UNDETERMINED,
    K.GROUPING_SETS_ADDED: Effect.STATE_LOST,
    K.GROUPING_SETS_REMOVED: Effect.STATE_LOST,
    K.GROUPING_SETS_PRESENT: Effect.UNDETERMINED,
}

# Nothing of it is documented but that another Flink version leaves things open; a time to live that gets shorter drops
# state on purpose, and open-source Flink refuses another maximum parallelism.
_CONFIGURATION = {
    K.STATE_TTL_CHANGED: Effect.UNDETERMINED,
    K.STATE_TTL_SHORTENED: Effect.STATE_DROPPED,
    K.MAX_PARALLELISM_CHANGED: Effect.DOES_NOT_START,
    K.SETTING_CHANGED: Effect.UNDETERMINED,
    K.SURROUNDINGS_CHANGED: Effect.UNDETERMINED,
    K.LOOKUP_JOIN_MAY_KEEP_STATE: Effect.UNDETERMINED,
    K.ENGINE_VERSION_CHANGED: Effect.UNDETERMINED,
    K.GROUP_WINDOW_ACROSS_ENGINES: Effect.UNDETERMINED,
    K.SESSION_ACROSS_ENGINES: Effect.UNDETERMINED,
}

# An OVER aggregate passes its input rows on, and stores them until their time has come.
_OVER_AGGREGATE = {
    **_WINDOW,
    **_AGGREGATES,
    K.PYTHON_AGGREGATE: Effect.UNDETERMINED,
    K.PARTITION_KEY_ADDED: Effect.STATE_LOST,
    K.PARTITION_KEY_REMOVED: Effect.STATE_LOST,
    K.PARTITION_KEY_CHANGED: Effect.STATE_LOST,
    K.OVER_ORDER_CHANGED: Effect.STATE_LOST,
    K.OVER_FRAME_CHANGED: Effect.STATE_LOST,
    K.OVER_INPUT_CHANGED: Effect.STATE_LOST,
    K.OVER_COLUMN_CHANGED: Effect.STARTS_EMPTY,
    K.OVER_INPUT_TYPE_UNKNOWN: Effect.UNDETERMINED,
}

# A sort by processing time passes rows on as they come, so only its keys matter; any other one keeps rows.
_SORT = {
    K.SORT_KEYS_CHANGED: Effect.STATE_LOST,
    K.SORT_INPUT_CHANGED: Effect.STATE_LOST,
    K.PROCTIME_SORT_INPUT_CHANGED: Effect.UNDETERMINED,
}

_LIMIT = {
    K.LIMIT_CHANGED: Effect.STATE_LOST,
    K.OFFSET_CHANGED: Effect.STATE_LOST,
    K.SORT_KEYS_CHANGED: Effect.STATE_LOST,
    K.LIMIT_INPUT_CHANGED: Effect.STATE_LOST,
}

# A join keeps the rows of either input by the columns that its condition equates. Only filters that the planner puts in
# front of it are another matter; a lookup join keeps nothing.
_JOIN = {
    K.JOIN_TYPE_CHANGED: Effect.STATE_LOST,
    K.JOIN_CONDITION_CHANGED: Effect.STATE_LOST,
    K.JOIN_INPUT_CHANGED: Effect.STATE_LOST,
}
_TIMED_JOIN = {**_JOIN, K.JOIN_TIME_CHANGED: Effect.STATE_LOST}

_SET_OPERATION = {
    K.SET_OPERATION_CHANGED: Effect.STATE_LOST,
    K.SET_OPERATION_COLUMNS_CHANGED: Effect.STATE_LOST,
}

_WHERE = {
    K.FILTER_ADDED: Effect.STATE_LOST,
    K.FILTER_REMOVED: Effect.STATE_LOST,
    K.FILTER_CHANGED: Effect.STATE_LOST,
}

_UNION_ALL = {
    K.INPUT_ADDED: Effect.STATE_LOST,
    K.INPUT_REMOVED: Effect.STATE_LOST,
}

_SOURCE = {
    K.SOURCE_RENAMED: Effect.STATE_LOST,
    K.SOURCE_DECLARATION_MOVED: Effect.UNDETERMINED,
    K.SOURCE_CONNECTOR_CHANGED: Effect.STATE_LOST,
    K.SOURCE_PRIMARY_KEY_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_SHARDING_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_CHANGELOG_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_DATA_CHANGED: Effect.EXACT,
    K.SOURCE_COLUMNS_UNKNOWN: Effect.UNDETERMINED,
    K.UPSERT_SOURCE_ROW_CHANGED: Effect.UNDETERMINED,
}

_SINK = {
    K.SINK_CHANGED: Effect.EXACT,
    K.SINK_PRIMARY_KEY_CHANGED: Effect.UNDETERMINED,
    K.SINK_COLUMNS_CHANGED: Effect.EXACT,
    K.UPSERT_KEY_CHANGED: Effect.UNDETERMINED,
    K.PIPELINE_ADDED: Effect.STATE_LOST,
    K.PIPELINE_REMOVED: Effect.STATE_DROPPED,
}

# Started matches belong to the automaton of their pattern, and hold rows of the input as a whole.
_PATTERN = {
    K.PARTITION_KEY_ADDED: Effect.STATE_LOST,
    K.PARTITION_KEY_REMOVED: Effect.STATE_LOST,
    K.PARTITION_KEY_CHANGED: Effect.STATE_LOST,
    K.PATTERN_CHANGED: Effect.STATE_LOST,
    K.PATTERN_ORDER_CHANGED: Effect.STATE_LOST,
    K.MEASURES_CHANGED: Effect.STATE_LOST,
    K.AFTER_MATCH_CHANGED: Effect.STATE_LOST,
    K.DEFINE_CHANGED: Effect.STATE_LOST,
    K.WITHIN_CHANGED: Effect.STATE_LOST,
    K.ROWS_PER_MATCH_CHANGED: Effect.STATE_LOST,
    K.PATTERN_INPUT_CHANGED: Effect.STATE_LOST,
    K.PATTERN_INPUT_TYPE_UNKNOWN: Effect.UNDETERMINED,
}

_JOB = {
    K.STATE_ADDED: Effect.STATE_LOST,
    K.STATE_REMOVED: Effect.UNDETERMINED,
    K.TEMPORARY_TABLE_CHANGED: Effect.UNDETERMINED,
    K.FUNCTION_IMPLEMENTATION_CHANGED: Effect.UNDETERMINED,
    K.KINDS_OF_CHANGE_MIXED: Effect.UNDETERMINED,
    K.NOT_JUDGED: Effect.UNDETERMINED,
    K.CONSTRUCT_NOT_SUPPORTED: Effect.UNDETERMINED,
    K.STATEMENT_NOT_READ: Effect.UNDETERMINED,
    K.TEMPLATE_CHANGED: Effect.UNDETERMINED,
    K.CONSTANT_ROWS_CHANGED: Effect.UNDETERMINED,
}

VVR = EngineProfile(
    name="vvr",
    title="Realtime Compute for Apache Flink (Ververica Runtime)",
    effects={
        QueryKind.WINDOW_TVF: _WINDOW_TVF,
        QueryKind.GROUP_WINDOW: _GROUP_WINDOW,
        QueryKind.WINDOW_TOP_N: _WINDOW_TOP_N,
        QueryKind.TOP_N: _TOP_N,
        QueryKind.DEDUPLICATION: _DEDUPLICATION,
        QueryKind.WINDOW_DEDUPLICATION: _WINDOW_DEDUPLICATION,
        QueryKind.GROUP_AGGREGATE: _GROUP_AGGREGATE,
        QueryKind.OVER_AGGREGATE: _OVER_AGGREGATE,
        QueryKind.PATTERN: _PATTERN,
        QueryKind.REGULAR_JOIN: _JOIN,
        QueryKind.INTERVAL_JOIN: {**_TIMED_JOIN, K.JOIN_INTERVAL_CHANGED: Effect.STATE_LOST},
        QueryKind.TEMPORAL_JOIN: _TIMED_JOIN,
        QueryKind.WINDOW_JOIN: {**_WINDOW, **_JOIN},
        QueryKind.SORT: _SORT,
        QueryKind.LIMIT: _LIMIT,
        QueryKind.SET_OPERATION: _SET_OPERATION,
        QueryKind.WHERE: _WHERE,
        QueryKind.UNION_ALL: _UNION_ALL,
        QueryKind.SOURCE: _SOURCE,
        QueryKind.SINK: _SINK,
        QueryKind.CONFIGURATION: _CONFIGURATION,
        QueryKind.JOB: _JOB,
    },
    sticky=frozenset({K.TABLE_FUNCTION_ON_WINDOW, K.PYTHON_AGGREGATE}),
    open=frozenset(
        {
            K.WINDOW_FIELD_COMPUTATION_PRESENT,
            K.WINDOW_FIELD_FILTERED,
            K.WINDOW_FIELD_AGGREGATED,
            K.GROUPING_SETS_PRESENT,
        }
    ),
    ignore_filter="table.optimizer.state-compatibility.ignore-filter",
    ignore_sink="table.optimizer.state-compatibility.ignore-sink",
)
