"""State of each stateful operator of a plan: the names, forms and row types of its states.

Names and forms are those of savepoints of Flink 2.3 and 1.20.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepstate.physical.layouts.accumulators import accumulator_row
from keepstate.physical.layouts.fields import nullable, row_of, without_copy
from keepstate.physical.layouts.grouping_sets import NumberedSets, grouping_sets
from keepstate.physical.layouts.join_layouts import join_layout, set_operation_layout
from keepstate.physical.layouts.layout_context import LayoutContext, assignment, window_in
from keepstate.physical.layouts.over_calls import constants, is_written_in_two_ways, over_parts, without_counts_of_sums
from keepstate.physical.layouts.planned_calls import PlannedCalls, merged
from keepstate.plan.expressions import AggregateCall, Expr, Literal, WindowField, is_proctime
from keepstate.plan.metadata.changelog import FIRST_ROWS_WAIT
from keepstate.plan.metadata.monotonicity import taking_nothing_back
from keepstate.plan.metadata.rank_strategies import ranked_how
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    RankRange,
    RankStrategy,
    SetOperation,
    TemporalSort,
    Window,
    WindowAggregate,
    WindowDeduplicate,
    WindowKind,
    WindowRank,
    WindowTableFunction,
)
from keepstate.state.stored_operators import Fields, RankKind, StatePart, StoredField, StoredOperator, StoredState

SLICE_END = "end of the slice"
TIME_WINDOW = "time window"


def stored_parts(operator: Operator, context: LayoutContext) -> StoredOperator | None:
    """The layout of an operator without number and id; ``None`` for one whose layout is not known."""
    for kind, layout in _LAYOUTS:
        if isinstance(operator, kind):
            return layout(operator, context)
    return None


def _operator(operator: Operator, key: Fields, states: tuple[StoredState, ...], **more: object) -> StoredOperator:
    bare = StoredOperator(operator.title, clause=operator.asked_by)
    return replace(bare, key=key, states=states, **more)  # type: ignore[arg-type]


# ---- aggregations


def _aggregate(operator: Aggregate, context: LayoutContext) -> StoredOperator:
    calls, read_calls = (
        PlannedCalls.of(operator, context.options.flink, group).calls for group in (None, _read_calls(operator))
    )
    held = frozenset(calls).difference(read_calls)
    retracting = context.updates(operator.input)
    window = None if _keeps_sessions(operator) else _window_of(operator)
    hops = isinstance(operator, WindowAggregate) and operator.window.kind is WindowKind.HOP
    growing = taking_nothing_back(calls, operator, context.sources) if retracting and window is None else ()
    row = accumulator_row(calls, retracting, retracting or hops, held, growing)
    default = operator.keys if window is None else operator.plain_keys
    keys = context.keys if context.keys is not None else default
    key, groups, unknown = _grouped(operator, keys)
    name = "accState" if window is None else "window-aggs"
    state = StoredState(name, StatePart.ACCUMULATORS, row)
    if window is None:
        layout = StoredOperator("GroupAggregate", key=key, states=(state,), meanings=groups, unknown_reason=unknown)
        return replace(layout, updating_input=retracting)
    states: tuple[StoredState, ...] = (state,)
    namespace = SLICE_END
    if isinstance(operator, GroupWindowAggregate) or window.kind is WindowKind.SESSION:
        namespace = TIME_WINDOW
    if window.kind is WindowKind.SESSION:
        states = (*states, StoredState("session-window-mapping", StatePart.WINDOW, (), "map of windows"))
    return _operator(
        operator,
        key,
        states,
        namespace=namespace,
        meanings=((StatePart.WINDOW, assignment(window)), *groups),
        unknown_reason=unknown,
    )


def _read_calls(operator: Aggregate | OverAggregate) -> tuple[AggregateCall, ...]:
    """The calls whose results anything reads."""
    return tuple(call for call in operator.aggregates if call not in operator.unread_columns)


def _grouped(operator: Aggregate, keys: tuple[Expr, ...]) -> tuple[Fields, tuple[tuple[StatePart, object], ...], str]:
    """The key of an aggregation, with the number of the grouping set behind it, and which sets there are."""
    sets = grouping_sets(operator)
    if sets is None or (sets and isinstance(operator, GroupWindowAggregate)):
        return row_of(keys), ((StatePart.KEY, operator.grouping),), "Flink does not plan these grouping sets"
    unknown = "a key is written in two ways, of which Flink may make one or two" if operator.doubled else ""
    if not sets:
        return row_of(keys), (), unknown
    fields = [
        field if all(key in each for each in sets) else nullable(field)
        for key, field in zip(keys, row_of(keys), strict=True)
    ]
    number = StoredField("number of the grouping set", "BIGINT NOT NULL")
    return (*fields, number), ((StatePart.KEY, NumberedSets.of(sets, keys)),), unknown


def _keeps_sessions(operator: Aggregate) -> bool:
    """Return whether sessions with other keys than those of the groups are made, and kept, before the rows are
    grouped.
    """
    window = operator.window if isinstance(operator, WindowAggregate) else None
    if window is None or window.kind is not WindowKind.SESSION:
        return False
    return set(window.partition) != set(operator.plain_keys)


def _sessions(operator: WindowTableFunction, context: LayoutContext) -> StoredOperator:
    form = "map of rows by their number"
    rows = StoredState("session-window-tvf-acc", StatePart.ROWS, row_of(context.row or ()), form)
    merged = StoredState("session-window-mapping", StatePart.WINDOW, (), "map of windows")
    meanings = ((StatePart.WINDOW, assignment(operator.window)),)
    key = row_of(operator.window.partition)
    return _operator(
        operator,
        key,
        (rows, merged),
        namespace=TIME_WINDOW,
        meanings=meanings,
        summary="the rows of every open session",
        until=f"no row came for {operator.window.gap}, and the watermark has passed that",
    )


def _window_of(operator: Aggregate) -> Window | None:
    return operator.window if isinstance(operator, (WindowAggregate, GroupWindowAggregate)) else None


def _over(operator: OverAggregate, context: LayoutContext) -> StoredOperator:
    bounded = operator.frame.start.offset is not None
    calls, read_calls = (
        tuple(dict.fromkeys(call for each in merged(group) for call in over_parts(each)))
        for group in (operator.aggregates, _read_calls(operator))
    )
    held = frozenset(calls).difference(read_calls)
    accumulators = StoredState("accState", StatePart.ACCUMULATORS, accumulator_row(calls, False, False, held))
    if bounded:
        # What leaves the frame is taken back; sums need no count of their own, as the planner adds one.
        accumulators = replace(accumulators, fields=without_counts_of_sums(accumulator_row(calls, True, True, held)))
    by_processing_time = any(is_proctime(node) for element in operator.order for node in element.children())
    row = (*row_of(context.row or operator.row, operator.unread_columns), *constants(operator))
    rows = StoredState("inputState", StatePart.ROWS, row, "map of lists by time")
    states: tuple[StoredState, ...] = (accumulators, rows)
    if by_processing_time:
        frame = f"processing time {operator.frame.unit if bounded else ''}"
        states = (accumulators, replace(rows, form=f"{rows.form}, {frame}")) if bounded else (accumulators,)
    extra = "processedCountState" if operator.frame.unit == "ROWS" else "cleanupTsState"
    if bounded and not by_processing_time:
        states = (*states, StoredState(extra, StatePart.FRAME, (), "long"))
    unknown = "several aggregates need calls that are not modelled" if any(c.over == 0 for c in calls) else ""
    if is_written_in_two_ways(operator):
        unknown = "a call is written in two ways, of which Flink may make one or two"
    order = tuple(operator.order)
    return _operator(
        operator,
        row_of(operator.partition),
        states,
        meanings=((StatePart.FRAME, operator.frame), (StatePart.ORDER, order)),
        unknown_reason=unknown,
    )


# ---- rankings


def _rank(operator: Rank, context: LayoutContext) -> StoredOperator:
    key, row = row_of(operator.partition), row_of(context.row or operator.row)
    order = row_of(element.expr for element in operator.order)
    how = tuple((element.descending, element.nulls_first) for element in operator.order)
    meanings: tuple[tuple[StatePart, object], ...] = (
        (StatePart.KIND, _rank_kind(operator, context.numbered)),
        (StatePart.ORDER, (tuple(without_copy(element.expr) for element in operator.order), how)),
        (StatePart.RANGE, operator.range),
    )
    top_1 = operator.range is not None and (operator.range.start, operator.range.end) == (1, 1)
    if operator.strategy is RankStrategy.RETRACT:
        states: tuple[StoredState, ...] = (
            StoredState("data-state", StatePart.ROWS, row, "map of lists by sort key"),
            StoredState("sorted-map", StatePart.ORDER, order, f"sorted map {how}"),
        )
    elif top_1:
        # Updates of the first row replace it: the same function as over rows that only come.
        states = (StoredState("Top1-Rank-State", StatePart.ROWS, row),)
    elif operator.strategy is RankStrategy.UPDATE_FAST:
        fields = (*row_of(operator.upsert_key), *row)
        states = (StoredState("data-state-with-update", StatePart.ROWS, fields, "map by upsert key"),)
    else:
        states = (
            StoredState("data-state-with-append", StatePart.ROWS, row, "map of lists by sort key"),
            StoredState("data-state-with-append", StatePart.ORDER, order, "sort key"),
        )
    return _operator(operator, key, states, meanings=meanings)


def _rank_kind(operator: Rank, is_numbered: bool) -> RankKind:
    """Return how a ranking goes through its rows: by number with an offset, or where the number is read and is no
    constant.
    """
    start, end = (operator.range.start, operator.range.end) if operator.range is not None else (1, None)
    gives_number = is_numbered and start != end
    skips = start > 1 and not gives_number and operator.strategy is RankStrategy.RETRACT
    return RankKind(operator.function, start > 1 or gives_number, operator.range if skips else None)


def _deduplicate(operator: Deduplicate, context: LayoutContext) -> StoredOperator:
    key, row = row_of(operator.partition), row_of(context.row or operator.row)
    direction = (StatePart.ORDER, operator.keeps_first)
    if operator.keeps_keys_only:
        states: tuple[StoredState, ...] = (StoredState("deduplicate-state", StatePart.KIND, (), "boolean"),)
    elif operator.keeps_first and not operator.proctime and context.options.flink >= FIRST_ROWS_WAIT:
        states = (
            StoredState("waiting-to-emit-on-timer", StatePart.ROWS, row),
            StoredState("already-emitted-state-boolean", StatePart.KIND, (), "boolean"),
        )
    else:
        states = (StoredState("deduplicate-state", StatePart.ROWS, row),)
    return _operator(operator, key, states, meanings=(direction,))


def _window_rank(operator: WindowRank, context: LayoutContext) -> StoredOperator:
    plain = tuple(expr for expr in operator.partition if expr not in _window_fields(operator))
    key, row = row_of(plain), row_of(context.row or operator.row)
    how = tuple((element.descending, element.nulls_first) for element in operator.order)
    order = tuple(element.expr for element in operator.order)
    window = (StatePart.WINDOW, _window_below(operator))
    if isinstance(operator, WindowDeduplicate):
        states: tuple[StoredState, ...] = (StoredState("window_deduplicate", StatePart.ROWS, row),)
        # A time attribute is never NULL, and Flink plans no place for NULLs.
        direction = tuple(element.descending for element in operator.order)
        return _operator(
            operator, key, states, namespace=SLICE_END, meanings=(window, (StatePart.ORDER, (order, direction)))
        )
    states = (
        StoredState("window_rank", StatePart.ROWS, row, "map of lists by sort key"),
        StoredState("window_rank", StatePart.ORDER, row_of(order), "sort key"),
    )
    meanings = (
        window,
        (StatePart.KIND, RankKind(operator.function)),
        (StatePart.ORDER, (order, how)),
        (StatePart.RANGE, operator.range),
    )
    return _operator(operator, key, states, namespace=SLICE_END, meanings=meanings)


def _window_fields(operator: Rank) -> tuple[Expr, ...]:
    return tuple(expr for expr in operator.partition if isinstance(expr, WindowField))


def _window_below(operator: Operator) -> tuple[object, ...] | None:
    """Return the window that the rows of an operator belong to, unless an aggregation in between has it already."""
    return next((window for below in operator.inputs if (window := window_in(below)) is not None), None)


# ---- patterns


def _match(operator: Match, context: LayoutContext) -> StoredOperator:
    """Rows wait for their time, and those of partial matches are kept whole. Measures are taken from these."""
    row = row_of(operator.row)
    states = (
        StoredState("eventQueuesStateName", StatePart.ROWS, row, "map of lists by time"),
        StoredState("sharedBuffer-events", StatePart.ROWS, row, "map of events"),
        StoredState("nfaStateName", StatePart.CONDITION, (), "partial matches"),
    )
    pattern = (operator.pattern, operator.after, operator.within, operator.subsets, operator.define, operator.rows)
    meanings = ((StatePart.CONDITION, pattern), (StatePart.ORDER, operator.order))
    unknown = "the script does not declare all columns of the rows that a pattern keeps" if operator.undeclared else ""
    return _operator(operator, row_of(operator.partition), states, meanings=meanings, unknown_reason=unknown)


# ---- sorts and limits


def _limit(operator: Limit, context: LayoutContext) -> StoredOperator:
    """A limit is a ranking of all rows (``StreamExecSortLimit``)."""
    counts = [_count(expr) for expr in (operator.fetch, operator.offset)]
    first = counts[1] or 0
    range_ = RankRange(first + 1, first + counts[0] if counts[0] is not None else None)
    row = context.row if context.row is not None else operator.row
    rank = Rank(operator.input, "ROW_NUMBER", (), operator.order, range_, row)
    strategy = ranked_how(rank, context.updating_tables)
    layout = _rank(replace(rank, **strategy), context)
    return replace(layout, title=operator.title)


def _count(expr: Expr | None) -> int | None:
    return int(expr.value) if isinstance(expr, Literal) and expr.value.isdecimal() else None


def _sort(operator: TemporalSort, context: LayoutContext) -> StoredOperator:
    """Return the state of a sort. Rows wait for their time in no order: the other sort keys are not part of the
    state.
    """
    row = row_of(context.row if context.row is not None else operator.row)
    states = (
        StoredState("dataState", StatePart.ROWS, row, "map of lists by time"),
        StoredState("lastTriggeringTsState", StatePart.KIND, (), "long"),
    )
    unknown = "what Flink stores for a sort by processing time is not modelled" if operator.proctime else ""
    meanings = ((StatePart.ORDER, operator.order[0].expr if operator.order else None),)
    return _operator(operator, (), states, meanings=meanings, unknown_reason=unknown)


_LAYOUTS: tuple[tuple[type[Operator], Callable[..., StoredOperator]], ...] = (
    (Aggregate, _aggregate),
    (WindowTableFunction, _sessions),
    (OverAggregate, _over),
    (WindowRank, _window_rank),
    (Deduplicate, _deduplicate),
    (Rank, _rank),
    (Limit, _limit),
    (TemporalSort, _sort),
    (Match, _match),
    (Join, join_layout),
    (SetOperation, set_operation_layout),
)
