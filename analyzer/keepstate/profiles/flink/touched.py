"""For each kind of change the parts of stored state that it can be about, and its effect where none of them differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, QueryKind
from keepstate.diff.changes import ChangeKind as K
from keepstate.physical.options import shapes_graph
from keepstate.report import Effect
from keepstate.state.stored import Part


@dataclass(frozen=True)
class Touch:
    """``parts`` are those of the operator that a change is found at, and of the operators above it, which get its rows.
    ``also`` are parts that it can be about where no other change is.

    ``otherwise`` is the effect of a change that no difference belongs to: what the layouts show is all there is, or
    they do not show it. ``None`` for a job parameter, where its value decides (``settings``).
    """

    parts: frozenset[Part] = frozenset()
    also: frozenset[Part] = frozenset()
    otherwise: Effect | None = Effect.EXACT


def _about(*parts: Part, also: frozenset[Part] = frozenset(), otherwise: Effect | None = Effect.EXACT) -> Touch:
    return Touch(frozenset(parts), also - frozenset(parts), otherwise)


_ALL = frozenset(Part)
_OPEN = Effect.UNDETERMINED
_NOTHING = Touch()
_BEYOND = Touch(otherwise=_OPEN)
"""About more than layouts."""
_STRUCTURE = Touch(_ALL)
"""Another operator, or another input: all that stands above gets other rows."""
_UNKNOWN = _about(*Part, otherwise=_OPEN)
_WINDOW = _about(Part.WINDOW, Part.INPUT, also=frozenset({Part.KEY, Part.KIND, Part.ROWS, Part.ID}))
_KEYS = _about(Part.KEY, Part.ROWS, also=frozenset({Part.KIND, Part.ACCUMULATORS, Part.ID}))
_SETS = _about(Part.KEY, also=frozenset({Part.KIND, Part.ACCUMULATORS, Part.ID}))
_AGGREGATES = _about(Part.ACCUMULATORS, Part.ROWS, also=frozenset({Part.KIND, Part.ID}))
_ROWS = _about(Part.ROWS, also=frozenset({Part.KIND, Part.ID}))
_SORTED_ROWS = _about(Part.ROWS, Part.ORDER, also=frozenset({Part.KEY, Part.KIND, Part.ID}))
_PARTITION = _about(Part.KEY, Part.ROWS, also=frozenset({Part.WINDOW, Part.KIND, Part.ID}))
_PATTERN = _about(Part.CONDITION, also=frozenset({Part.ROWS, Part.ID}))
_ABOVE = frozenset({Part.ACCUMULATORS, Part.INPUT, Part.ID})
"""What an operator whose results are taken back, or not any more, does to those above it."""
_CHANGELOG = frozenset({Part.ACCUMULATORS, Part.ROWS, Part.KIND, Part.KEY, Part.FILTER, Part.ID})
"""A source that sends other changes has other operators behind it, which keep more or less."""

TOUCHED: dict[K, Touch] = {
    K.WINDOW_KIND_CHANGED: _about(
        Part.WINDOW, Part.KIND, Part.INPUT, Part.ID, also=frozenset({Part.ACCUMULATORS, Part.KEY, Part.ROWS})
    ),
    K.WINDOW_SIZE_CHANGED: _WINDOW,
    K.WINDOW_SLIDE_CHANGED: _WINDOW,
    K.WINDOW_STEP_CHANGED: _WINDOW,
    K.WINDOW_GAP_CHANGED: _WINDOW,
    K.WINDOW_OFFSET_CHANGED: _WINDOW,
    K.WINDOW_TIME_ATTRIBUTE_CHANGED: _about(Part.WINDOW, Part.INPUT, Part.ID, also=frozenset({Part.ROWS, Part.KIND})),
    K.SESSION_PARTITION_CHANGED: _about(
        Part.WINDOW, Part.KEY, also=frozenset({Part.ROWS, Part.KIND, Part.INPUT, Part.ID})
    ),
    K.WINDOW_SYNTAX_CHANGED: _about(Part.WINDOW, Part.KIND, Part.ID, also=_ALL),
    K.WINDOW_GROUPING_CHANGED: _about(Part.WINDOW, Part.KIND, Part.KEY, Part.ID, also=_ALL),
    K.WINDOW_KEYS_MOVED: _KEYS,
    K.WINDOW_PROPERTIES_CHANGED: _about(also=frozenset({Part.ROWS, Part.ID})),
    K.GROUP_KEY_ADDED: _KEYS,
    K.GROUP_KEY_REMOVED: _KEYS,
    K.GROUP_KEY_CHANGED: _KEYS,
    K.GROUP_KEYS_REORDERED: _KEYS,
    K.GROUPING_SETS_ADDED: _SETS,
    K.GROUPING_SETS_REMOVED: _SETS,
    K.GROUPING_SETS_PRESENT: _SETS,
    K.AGGREGATE_ADDED: _AGGREGATES,
    K.AGGREGATE_REMOVED: _AGGREGATES,
    K.AGGREGATE_CHANGED: _AGGREGATES,
    K.AGGREGATES_REORDERED: _AGGREGATES,
    K.FIRST_AGGREGATE_ADDED: _AGGREGATES,
    K.ALL_AGGREGATES_REMOVED: _AGGREGATES,
    K.ALL_AGGREGATES_REPLACED: _AGGREGATES,
    K.ONLY_AGGREGATE_CHANGED: _AGGREGATES,
    K.DISTINCT_AGGREGATE_ADDED: _AGGREGATES,
    K.DISTINCT_AGGREGATE_REMOVED: _AGGREGATES,
    K.DISTINCT_AGGREGATE_CHANGED: _AGGREGATES,
    K.DISTINCT_AGGREGATES_REORDERED: _AGGREGATES,
    K.WINDOW_FIELD_COMPUTATION_CHANGED: _about(Part.KEY, Part.ACCUMULATORS, Part.ROWS, Part.ID),
    K.WINDOW_FIELD_COMPUTATION_PRESENT: _about(Part.KEY, Part.ACCUMULATORS, Part.ROWS, Part.ID),
    K.WINDOW_FIELD_FILTERED: _about(Part.FILTER, Part.ID),
    K.WINDOW_FIELD_AGGREGATED: _AGGREGATES,
    K.TABLE_FUNCTION_ON_WINDOW: _about(Part.INPUT, Part.ID, also=frozenset({Part.ROWS}), otherwise=_OPEN),
    K.PYTHON_AGGREGATE: _AGGREGATES,
    K.EMIT_STRATEGY_CHANGED: _BEYOND,
    K.EMIT_STRATEGY_ACTIVE: _NOTHING,
    K.STATE_TTL_CHANGED: Touch(otherwise=None),
    K.STATE_TTL_SHORTENED: Touch(otherwise=None),
    K.MAX_PARALLELISM_CHANGED: Touch(otherwise=None),
    K.SETTING_CHANGED: _about(Part.ID, also=frozenset({Part.KIND, Part.ACCUMULATORS, Part.ROWS}), otherwise=None),
    K.SURROUNDINGS_CHANGED: _BEYOND,
    K.LOOKUP_JOIN_MAY_KEEP_STATE: _BEYOND,
    K.PARTITION_KEY_ADDED: _PARTITION,
    K.PARTITION_KEY_REMOVED: _PARTITION,
    K.PARTITION_KEY_CHANGED: _PARTITION,
    K.RANK_ORDER_CHANGED: _about(Part.ORDER, Part.ROWS, Part.KIND, also=_ABOVE | {Part.RANGE}),
    K.RANK_RANGE_CHANGED: _about(Part.RANGE, Part.KIND, also=_ABOVE | {Part.ORDER, Part.ROWS}),
    K.RANK_FUNCTION_CHANGED: _about(Part.KIND, also=_ABOVE | {Part.RANGE, Part.ORDER, Part.ROWS}),
    K.RANK_INPUT_CHANGED: _SORTED_ROWS,
    K.RANK_COLUMN_CHANGED: _ROWS,
    K.RANK_INPUT_TYPE_UNKNOWN: _ROWS,
    K.RANK_TIME_UNKNOWN: _about(Part.ROWS, also=frozenset({Part.ORDER, Part.KIND, Part.ID})),
    K.OVER_ORDER_CHANGED: _about(Part.ORDER, Part.ROWS, Part.KIND, also=frozenset({Part.ACCUMULATORS, Part.ID})),
    K.OVER_FRAME_CHANGED: _about(Part.FRAME, Part.ACCUMULATORS, Part.ROWS, also=frozenset({Part.KIND, Part.ID})),
    K.OVER_INPUT_CHANGED: _ROWS,
    K.OVER_COLUMN_CHANGED: _ROWS,
    K.OVER_INPUT_TYPE_UNKNOWN: _ROWS,
    K.JOIN_TYPE_CHANGED: _about(
        Part.KIND, Part.ROWS, Part.INPUT, also=_ABOVE | {Part.KEY, Part.CONDITION, Part.FILTER, Part.ORDER}
    ),
    K.JOIN_CONDITION_CHANGED: _about(
        Part.KEY, Part.CONDITION, Part.ROWS, Part.INPUT, also=_ABOVE | {Part.BOUNDS, Part.KIND, Part.FILTER}
    ),
    K.JOIN_INTERVAL_CHANGED: _about(Part.BOUNDS),
    K.JOIN_TIME_CHANGED: _about(Part.BOUNDS, Part.KIND, Part.ORDER, also=_ABOVE | {Part.ROWS}, otherwise=_OPEN),
    K.JOIN_INPUT_CHANGED: _about(Part.ROWS, Part.INPUT, Part.KEY, also=_ALL),
    K.PATTERN_CHANGED: _PATTERN,
    K.PATTERN_ORDER_CHANGED: _about(Part.ORDER, also=frozenset({Part.ROWS, Part.ID})),
    K.MEASURES_CHANGED: _PATTERN,
    K.AFTER_MATCH_CHANGED: _PATTERN,
    K.DEFINE_CHANGED: _PATTERN,
    K.WITHIN_CHANGED: _PATTERN,
    K.ROWS_PER_MATCH_CHANGED: _PATTERN,
    K.PATTERN_INPUT_CHANGED: _ROWS,
    K.PATTERN_INPUT_TYPE_UNKNOWN: _ROWS,
    K.SORT_KEYS_CHANGED: _about(Part.ORDER, Part.KIND, also=frozenset({Part.ROWS, Part.ID})),
    K.SORT_INPUT_CHANGED: _SORTED_ROWS,
    K.PROCTIME_SORT_INPUT_CHANGED: _ROWS,
    K.LIMIT_CHANGED: _about(Part.RANGE, also=_ABOVE | {Part.KIND, Part.ROWS, Part.ORDER}),
    K.OFFSET_CHANGED: _about(Part.RANGE, also=_ABOVE | {Part.KIND, Part.ROWS, Part.ORDER}),
    K.LIMIT_INPUT_CHANGED: _SORTED_ROWS,
    K.SET_OPERATION_CHANGED: _about(Part.KIND, Part.ACCUMULATORS, Part.KEY, Part.ROWS, Part.INPUT, also=_ALL),
    K.SET_OPERATION_COLUMNS_CHANGED: _about(Part.KEY, Part.ROWS, Part.ACCUMULATORS, also=_ABOVE | {Part.KIND}),
    K.FILTER_ADDED: _about(Part.FILTER, Part.ID, also=frozenset({Part.ROWS, Part.KEY, Part.CONDITION})),
    K.FILTER_REMOVED: _about(Part.FILTER, Part.ID, also=frozenset({Part.ROWS, Part.KEY, Part.CONDITION})),
    K.FILTER_CHANGED: _about(Part.FILTER, also=frozenset({Part.ROWS, Part.KEY, Part.CONDITION, Part.ID})),
    K.INPUT_ADDED: _STRUCTURE,
    K.INPUT_REMOVED: _STRUCTURE,
    K.SOURCE_RENAMED: _about(Part.INPUT, also=_ALL),
    K.SOURCE_DECLARATION_MOVED: _UNKNOWN,
    K.SOURCE_CONNECTOR_CHANGED: Touch(_CHANGELOG, otherwise=_OPEN),
    K.SOURCE_PRIMARY_KEY_CHANGED: Touch(_CHANGELOG),
    K.SOURCE_SHARDING_CHANGED: _BEYOND,
    K.SOURCE_CHANGELOG_CHANGED: Touch(_CHANGELOG),
    K.SOURCE_DATA_CHANGED: _NOTHING,
    # What depends on a declaration that is not there explains nothing that differs without it.
    K.SOURCE_COLUMNS_UNKNOWN: _BEYOND,
    K.UPSERT_SOURCE_ROW_CHANGED: _about(Part.ROWS, Part.KEY, also=frozenset({Part.FILTER, Part.ID})),
    K.SINK_CHANGED: _NOTHING,
    K.SINK_COLUMNS_CHANGED: _about(Part.ROWS, also=frozenset({Part.KIND, Part.KEY})),
    K.UPSERT_KEY_CHANGED: _about(Part.ROWS, Part.KIND, Part.KEY, also=frozenset({Part.ID})),
    K.SINK_PRIMARY_KEY_CHANGED: _about(Part.KEY, Part.KIND, Part.ID, also=frozenset({Part.ROWS}), otherwise=_OPEN),
    K.FUNCTION_IMPLEMENTATION_CHANGED: _BEYOND,
    K.STATE_ADDED: _STRUCTURE,
    K.STATE_REMOVED: _STRUCTURE,
    K.PIPELINE_ADDED: _about(Part.ID),
    K.PIPELINE_REMOVED: _about(Part.ID),
    K.TEMPORARY_TABLE_CHANGED: _BEYOND,
    K.ENGINE_VERSION_CHANGED: _about(also=frozenset({Part.KIND, Part.ROWS, Part.FILTER}), otherwise=_OPEN),
    K.GROUP_WINDOW_ACROSS_ENGINES: _BEYOND,
    K.SESSION_ACROSS_ENGINES: _BEYOND,
    K.KINDS_OF_CHANGE_MIXED: _NOTHING,
    K.OPERATOR_IDS_CHANGED: _about(Part.ID),
    K.STORED_STATE_CHANGED: Touch(_ALL - {Part.ID}),
    K.QUERY_REFUSED: _NOTHING,
    K.NOT_JUDGED: _about(also=_ALL),
    K.CONSTRUCT_NOT_SUPPORTED: _UNKNOWN,
    K.STATEMENT_NOT_READ: _UNKNOWN,
    K.TEMPLATE_CHANGED: _BEYOND,
    K.CONSTANT_ROWS_CHANGED: _about(Part.INPUT, also=_ALL, otherwise=_OPEN),
}


def touch_of(change: Change) -> Touch:
    """What a change can be about. Updates that come by another key matter to a sink whatever it keeps; of parameters
    only those that shape the job graph touch what is stored; and a table that bears another name is the same input.
    """
    found = TOUCHED[change.kind]
    match change.kind:
        case K.UPSERT_KEY_CHANGED if change.query is QueryKind.SINK:
            return replace(found, otherwise=_OPEN)
        case K.SETTING_CHANGED if not shapes_graph(change.parameter):
            return Touch(otherwise=None)
        case K.SOURCE_RENAMED if change.query is QueryKind.SOURCE:
            return _about(Part.ID)
    return found
