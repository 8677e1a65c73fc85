"""What each stateful operator of a plan stores: the names, forms and row types of its states.

Names and forms are those of savepoints of Flink 2.3 and 1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace

from keepstate.physical.accumulators import accumulator_row, is_reduced, physical_calls, reduced
from keepstate.physical.fields import Fields, StoredField, column_field, row_of
from keepstate.physical.options import PhysicalOptions
from keepstate.physical.stored import Part, StoredOperator, StoredState
from keepstate.plan.changelog import updates
from keepstate.plan.expressions import AggregateCall, Call, Expr, WindowField, is_proctime
from keepstate.plan.inference import type_of
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    GroupAggregate,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    RankStrategy,
    TemporalJoin,
    Window,
    WindowAggregate,
    WindowDeduplicate,
    WindowJoin,
    WindowKind,
    WindowRank,
    WindowTableFunction,
)
from keepstate.plan.sides import Side, Sides

SLICE_END = "end of the slice"
TIME_WINDOW = "time window"


@dataclass(frozen=True)
class Surroundings:
    """What a layout depends on beyond its operator. ``keys`` are the group keys in the order of the physical plan."""

    options: PhysicalOptions
    updating_tables: frozenset[str]
    keys: tuple[Expr, ...] | None = None
    session_row: tuple[Expr, ...] = ()
    numbered: bool = False
    """Whether anything reads the number that a ranking gives."""


def stored_parts(operator: Operator, around: Surroundings) -> StoredOperator | None:
    """The layout of an operator without number and id; ``None`` for one whose layout is not known."""
    if isinstance(operator, TemporalJoin):
        return None
    for kind, layout in _LAYOUTS:
        if isinstance(operator, kind):
            return layout(operator, around)
    return None


def _operator(operator: Operator, key: Fields, states: tuple[StoredState, ...], **more: object) -> StoredOperator:
    return replace(StoredOperator(operator.title), key=key, states=states, **more)  # type: ignore[arg-type]


# ---- aggregations


def _aggregate(operator: Aggregate, around: Surroundings) -> StoredOperator:
    calls = physical_calls(operator.aggregates)
    if is_reduced(calls):
        calls = reduced(calls)
    retracting = updates(operator.input, around.updating_tables)
    window = _window_of(operator)
    hops = isinstance(operator, WindowAggregate) and operator.window.kind is WindowKind.HOP
    row = accumulator_row(calls, retracting, retracting or hops)
    default = operator.keys if window is None else operator.plain_keys
    key = row_of(around.keys if around.keys is not None else default)
    unknown = "GROUPING SETS are planned in a way that is not modelled" if operator.grouping else ""
    name = "accState" if window is None else "window-aggs"
    state = StoredState(name, Part.ACCUMULATORS, row)
    if window is None:
        groups = ((Part.KEY, operator.grouping),)
        return _operator(operator, key, (state,), meanings=groups, unknown=unknown, updating_input=retracting)
    states: tuple[StoredState, ...] = (state,)
    namespace = SLICE_END
    if isinstance(operator, GroupWindowAggregate) or window.kind is WindowKind.SESSION:
        namespace = TIME_WINDOW
    if window.kind is WindowKind.SESSION:
        states = (*states, StoredState("session-window-mapping", Part.WINDOW, (), "map of windows"))
    return _operator(
        operator,
        key,
        states,
        namespace=namespace,
        meanings=((Part.WINDOW, _assignment(window)), (Part.KEY, operator.grouping)),
        unknown=unknown,
    )


def _sessions(operator: WindowTableFunction, around: Surroundings) -> StoredOperator:
    rows = StoredState("rows", Part.ROWS, row_of(around.session_row))
    merged = StoredState("session-window-mapping", Part.WINDOW, (), "map of windows")
    meanings = ((Part.WINDOW, _assignment(operator.window)),)
    key = row_of(operator.window.partition)
    return _operator(operator, key, (rows, merged), namespace=TIME_WINDOW, meanings=meanings)


def _window_of(operator: Aggregate) -> Window | None:
    return operator.window if isinstance(operator, (WindowAggregate, GroupWindowAggregate)) else None


def _assignment(window: Window) -> tuple[object, ...]:
    """How a window cuts time, whatever the syntax; its own partition keys are keys of the aggregation."""
    return (window.kind, window.time, window.size, window.slide, window.step, window.gap, window.offset)


def _over(operator: OverAggregate, around: Surroundings) -> StoredOperator:
    bounded = operator.frame.start.offset is not None
    calls = dict.fromkeys(call for each in physical_calls(operator.aggregates) for call in _over_parts(each))
    accumulators = StoredState("accState", Part.ACCUMULATORS, accumulator_row(tuple(calls), False, False))
    if bounded:
        # What leaves the frame is taken back; sums need no count of their own, as the planner adds one.
        fields = accumulator_row(tuple(calls), True, True)
        sums = {field.meaning for field in fields}
        kept = [field for field in fields if not _is_count_for_sum(field.meaning, sums)]
        accumulators = replace(accumulators, fields=tuple(kept))
    by_processing_time = any(is_proctime(node) for element in operator.order for node in element.children())
    row = (*row_of(operator.row), *_constants(operator))
    rows = StoredState("inputState", Part.ROWS, row, "map of lists by time")
    states: tuple[StoredState, ...] = (accumulators, rows)
    if by_processing_time:
        frame = f"processing time {operator.frame.unit if bounded else ''}"
        states = (accumulators, replace(rows, form=f"{rows.form}, {frame}")) if bounded else (accumulators,)
    extra = "processedCountState" if operator.frame.unit == "ROWS" else "cleanupTsState"
    if bounded and not by_processing_time:
        states = (*states, StoredState(extra, Part.FRAME, (), "long"))
    unknown = "several aggregates need calls that are not modelled" if any(c.over == 0 for c in calls) else ""
    order = tuple(operator.order)
    return _operator(
        operator,
        row_of(operator.partition),
        states,
        meanings=((Part.FRAME, operator.frame), (Part.ORDER, order)),
        unknown=unknown,
    )


def _constants(operator: OverAggregate) -> Iterator[StoredField]:
    """The arguments of COUNT(1) and its likes: over a window they become columns, though they mean COUNT(*)."""
    found = set()
    for call in operator.calls:
        words = call.call.place.words if call.call.place is not None else ()
        if words[:2] == ("COUNT", "(") and len(words) > 2 and words[2].isdecimal():
            found.add(words[2])
    yield from (StoredField(("constant", number), "INT NOT NULL") for number in sorted(found))


def _over_parts(call: AggregateCall) -> tuple[AggregateCall, ...]:
    """Calcite writes a sum over a window as the sum where there is anything to sum, and a mean as a quotient."""
    if call.function in ("SUM", "AVG") and not call.distinct:
        return replace(call, function="COUNT"), replace(call, function="SUM")
    return (call,)


def _is_count_for_sum(meaning: object, meanings: Container[object]) -> bool:
    return isinstance(meaning, tuple) and meaning[0] == "COUNT of" and ("SUM", *meaning[1:]) in meanings


# ---- rankings


def _rank(operator: Rank, around: Surroundings) -> StoredOperator:
    key, row = row_of(operator.partition), row_of(operator.row)
    order = row_of(element.expr for element in operator.order)
    how = tuple((element.descending, element.nulls_first) for element in operator.order)
    meanings: tuple[tuple[Part, object], ...] = (
        (Part.KIND, (operator.function, around.numbered and not _has_time(operator))),
        (Part.ORDER, (tuple(element.expr for element in operator.order), how)),
        (Part.RANGE, operator.range),
    )
    top_1 = operator.range is not None and (operator.range.start, operator.range.end) == (1, 1)
    if operator.strategy is RankStrategy.RETRACT:
        states: tuple[StoredState, ...] = (
            StoredState("data-state", Part.ROWS, row, "map of lists by sort key"),
            StoredState("sorted-map", Part.ORDER, order, f"sorted map {how}"),
        )
    elif operator.strategy is RankStrategy.UPDATE_FAST:
        fields = (*row_of(operator.upsert_key), *row)
        states = (StoredState("data-state-with-update", Part.ROWS, fields, "map by upsert key"),)
    elif top_1:
        states = (StoredState("Top1-Rank-State", Part.ROWS, row),)
    else:
        states = (
            StoredState("data-state-with-append", Part.ROWS, row, "map of lists by sort key"),
            StoredState("data-state-with-append", Part.ORDER, order, "sort key"),
        )
    return _operator(operator, key, states, meanings=meanings)


def _has_time(operator: Rank) -> bool:
    """Whether rows are told apart by a time. Of those that are not, a ranking that gives numbers keeps more."""
    types = (type_of(element.expr) for element in operator.order)
    return any(type_ is not None and type_.root.startswith("TIMESTAMP") for type_ in types)


def _deduplicate(operator: Deduplicate, around: Surroundings) -> StoredOperator:
    key, row = row_of(operator.partition), row_of(operator.row)
    direction = (Part.ORDER, operator.keeps_first)
    if operator.keeps_keys_only:
        states: tuple[StoredState, ...] = (StoredState("deduplicate-state", Part.KIND, (), "boolean"),)
    elif operator.keeps_first and not operator.proctime and around.options.flink >= (2, 0):
        states = (
            StoredState("waiting-to-emit-on-timer", Part.ROWS, row),
            StoredState("already-emitted-state-boolean", Part.KIND, (), "boolean"),
        )
    else:
        states = (StoredState("deduplicate-state", Part.ROWS, row),)
    return _operator(operator, key, states, meanings=(direction,))


def _window_rank(operator: WindowRank, around: Surroundings) -> StoredOperator:
    plain = tuple(expr for expr in operator.partition if expr not in _window_fields(operator))
    key, row = row_of(plain), row_of(operator.row)
    how = tuple((element.descending, element.nulls_first) for element in operator.order)
    order = tuple(element.expr for element in operator.order)
    window = (Part.WINDOW, _window_below(operator))
    if isinstance(operator, WindowDeduplicate):
        states: tuple[StoredState, ...] = (StoredState("window_deduplicate", Part.ROWS, row),)
        return _operator(operator, key, states, namespace=SLICE_END, meanings=(window, (Part.ORDER, (order, how))))
    states = (
        StoredState("window_rank", Part.ROWS, row, "map of lists by sort key"),
        StoredState("window_rank", Part.ORDER, row_of(order), "sort key"),
    )
    meanings = (
        window,
        (Part.KIND, (operator.function, False)),
        (Part.ORDER, (order, how)),
        (Part.RANGE, operator.range),
    )
    return _operator(operator, key, states, namespace=SLICE_END, meanings=meanings)


def _window_fields(operator: Rank) -> tuple[Expr, ...]:
    return tuple(expr for expr in operator.partition if isinstance(expr, WindowField))


def _window_below(operator: Operator) -> tuple[object, ...] | None:
    """The window that the rows of an operator belong to, if no aggregation in between says it already."""
    return next((found for below in operator.inputs if (found := _window_in(below)) is not None), None)


def _window_in(operator: Operator) -> tuple[object, ...] | None:
    windows = (getattr(node, "window", None) for node in operator.walk())
    return next((_assignment(window) for window in windows if isinstance(window, Window)), None)


def _limit(operator: Limit, around: Surroundings) -> StoredOperator:
    """A limit keeps rows as they come, with columns that nothing reads: which ones is not known."""
    row = (StoredField(("row", operator.row), None),)
    states = (
        StoredState("data-state-with-append", Part.ROWS, row, "map of lists by sort key"),
        StoredState("data-state-with-append", Part.ORDER, row_of(each.expr for each in operator.order), "sort key"),
    )
    how = tuple((element.descending, element.nulls_first) for element in operator.order)
    return _operator(
        operator, (), states, meanings=((Part.RANGE, (operator.fetch, operator.offset)), (Part.ORDER, how))
    )


# ---- joins


def _join(operator: Join, around: Surroundings) -> StoredOperator:
    sides = Sides.of(operator)
    left_key, right_key = _equated(operator, sides)
    key = tuple(column_field(expr) for expr in left_key)
    left, right = row_of(operator.left_row), row_of(operator.right_row)
    kind = operator.kind
    unknown = ""
    if isinstance(operator, WindowJoin):
        states = (
            StoredState("left-records", Part.ROWS, left, "list"),
            StoredState("right-records", Part.ROWS, right, "list"),
        )
    elif isinstance(operator, IntervalJoin):
        states = (
            StoredState("IntervalJoinLeftCache", Part.ROWS, left, "map of lists by time"),
            StoredState("IntervalJoinRightCache", Part.ROWS, right, "map of lists by time"),
        )
    else:
        if any(_may_have_key(child, around.updating_tables) for child in operator.inputs):
            unknown = "an input may have a unique key, by which Flink would store its rows"
        states = (
            StoredState("left-records", Part.ROWS, left, _counted(kind in ("left", "full", "semi", "anti"))),
            StoredState("right-records", Part.ROWS, right, _counted(kind in ("right", "full"))),
        )
    meanings: list[tuple[Part, object]] = [
        (Part.KEY, (left_key, right_key)),
        (Part.KIND, kind),
        (Part.CONDITION, frozenset(map(repr, operator.conditions)) - frozenset(map(repr, _equations(operator, sides)))),
    ]
    if isinstance(operator, IntervalJoin):
        meanings += [(Part.BOUNDS, (operator.lower.value, operator.upper.value))]
    if isinstance(operator, WindowJoin):
        meanings += [(Part.WINDOW, tuple(_window_in(child) for child in operator.inputs))]
    return _operator(
        operator,
        key,
        states,
        namespace=SLICE_END if isinstance(operator, WindowJoin) else "",
        meanings=tuple(meanings),
        unknown=unknown,
    )


def _counted(with_partners: bool) -> str:
    return "map of counts and partners" if with_partners else "map of counts"


def _equated(operator: Join, sides: Sides) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """What a join equates, left and right, in the order in which it is written: the plan knows none, the key does."""
    equations = list(_equations(operator, sides))
    places = [equation.place for equation in equations]
    if len({id(place.statement) if place is not None else None for place in places}) == 1 and None not in places:
        equations.sort(key=lambda equation: equation.place.span.start if equation.place is not None else 0)
    pairs = [_by_side(equation, sides) for equation in equations]
    return tuple(left for left, _ in pairs), tuple(right for _, right in pairs)


def _equations(operator: Join, sides: Sides) -> Iterator[Call]:
    for condition in operator.conditions:
        if isinstance(condition, Call) and condition.name == "=":
            read = [sides.read(operand) for operand in condition.args]
            if all(len(side) == 1 for side in read) and read[0] != read[1]:
                yield condition


def _by_side(equation: Call, sides: Sides) -> tuple[Expr, Expr]:
    first, second = equation.args
    return (first, second) if sides.read(first) == {Side.LEFT} else (second, first)


def _may_have_key(operator: Operator, updating_tables: frozenset[str]) -> bool:
    return any(isinstance(node, (GroupAggregate, Rank, WindowAggregate)) for node in operator.walk()) or updates(
        operator, updating_tables
    )


_LAYOUTS: tuple[tuple[type[Operator], Callable[..., StoredOperator]], ...] = (
    (Aggregate, _aggregate),
    (WindowTableFunction, _sessions),
    (OverAggregate, _over),
    (WindowRank, _window_rank),
    (Deduplicate, _deduplicate),
    (Rank, _rank),
    (Limit, _limit),
    (Join, _join),
)
