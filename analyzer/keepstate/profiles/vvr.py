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
_WINDOW_TOP_N = {
    **dict.fromkeys((*_WINDOW, *_KEYS, *_AGGREGATES), Effect.STATE_LOST),
    **_FEATURES,
    K.WINDOW_SYNTAX_CHANGED: Effect.UNDETERMINED,
    K.WINDOW_GROUPING_CHANGED: Effect.STATE_LOST,
    K.WINDOW_KEYS_MOVED: Effect.STATE_LOST,
    K.PARTITION_KEY_ADDED: Effect.STATE_LOST,
    K.PARTITION_KEY_REMOVED: Effect.STATE_LOST,
    K.PARTITION_KEY_CHANGED: Effect.STATE_LOST,
    K.RANK_ORDER_CHANGED: Effect.STATE_LOST,
    K.RANK_RANGE_CHANGED: Effect.STATE_LOST,
    K.RANK_INPUT_CHANGED: Effect.STATE_LOST,
}

_JOB = {
    K.FILTER_ADDED: Effect.STATE_LOST,
    K.FILTER_REMOVED: Effect.STATE_LOST,
    K.FILTER_CHANGED: Effect.STATE_LOST,
    K.INPUT_ADDED: Effect.STATE_LOST,
    K.INPUT_REMOVED: Effect.STATE_LOST,
    K.STATE_ADDED: Effect.STATE_LOST,
    K.STATE_REMOVED: Effect.UNDETERMINED,
    K.PIPELINE_ADDED: Effect.STATE_LOST,
    K.PIPELINE_REMOVED: Effect.STATE_DROPPED,
    K.TEMPORARY_TABLE_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_RENAMED: Effect.STATE_LOST,
    K.SOURCE_CONNECTOR_CHANGED: Effect.STATE_LOST,
    K.SOURCE_PRIMARY_KEY_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_SHARDING_CHANGED: Effect.UNDETERMINED,
    K.SOURCE_CHANGELOG_CHANGED: Effect.UNDETERMINED,
    K.SINK_CHANGED: Effect.EXACT,
    K.SINK_PRIMARY_KEY_CHANGED: Effect.UNDETERMINED,
    K.FUNCTION_IMPLEMENTATION_CHANGED: Effect.UNDETERMINED,
    K.SETTING_CHANGED: Effect.UNDETERMINED,
    K.LOOKUP_JOIN_MAY_KEEP_STATE: Effect.UNDETERMINED,
    K.ENGINE_VERSION_CHANGED: Effect.UNDETERMINED,
    K.KINDS_OF_CHANGE_MIXED: Effect.UNDETERMINED,
    K.NOT_JUDGED: Effect.UNDETERMINED,
    K.CONSTRUCT_NOT_SUPPORTED: Effect.UNDETERMINED,
    K.STATEMENT_NOT_READ: Effect.UNDETERMINED,
}

VVR = EngineProfile(
    name="vvr",
    title="Realtime Compute for Apache Flink (Ververica Runtime)",
    effects={
        QueryKind.WINDOW_TVF: _WINDOW_TVF,
        QueryKind.GROUP_WINDOW: _GROUP_WINDOW,
        QueryKind.WINDOW_TOP_N: _WINDOW_TOP_N,
        QueryKind.JOB: _JOB,
    },
    undecidable=frozenset(
        {
            K.WINDOW_FIELD_COMPUTATION_PRESENT,
            K.WINDOW_FIELD_FILTERED,
            K.WINDOW_FIELD_AGGREGATED,
            K.TABLE_FUNCTION_ON_WINDOW,
            K.PYTHON_AGGREGATE,
            K.GROUPING_SETS_PRESENT,
        }
    ),
    ignore_filter="table.optimizer.state-compatibility.ignore-filter",
    ignore_sink="table.optimizer.state-compatibility.ignore-sink",
)
