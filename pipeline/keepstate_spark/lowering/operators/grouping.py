"""GROUP BY: aggregations of windows and of everything, with grouping sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, combinations, product
from operator import or_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Call, Expr, GroupingElement, WindowField
from keepstate.plan.lowering.empty_relations import is_empty
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    Operator,
    TableSourceScan,
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.aggregate_columns import BY_ORDER, Aggregates
from keepstate_spark.lowering.deviations import MOMENTS
from keepstate_spark.lowering.edges.deleted_rows import mark_of, marked_calls, remaining, told_apart, with_mark
from keepstate_spark.lowering.edges.extremes import RowIntake, depends_on_order
from keepstate_spark.lowering.frames import NamedFrame, hint
from keepstate_spark.lowering.functions.map_keys import as_key, has_map, of_key
from keepstate_spark.lowering.functions.signed_zeros import put_signs_back, signs, with_signs
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.older_versions import by_sets
from keepstate_spark.lowering.operators.parts_of_groups import refuse_order_of_parts
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import frame_column, function_call
from keepstate_spark.lowering.windows.last_changes import goes_by_changes, last_change
from keepstate_spark.lowering.windows.open_windows import in_group_windows, in_open_windows
from keepstate_spark.lowering.windows.order_in_groups import in_order_of_groups, is_distinct
from keepstate_spark.lowering.windows.partial_aggregates import mergeable, partial_aggregates, sides_of
from keepstate_spark.lowering.windows.slice_order import in_order_of_panes, in_order_of_slices
from keepstate_spark.lowering.windows.slicing import sliced, tumbled
from keepstate_spark.lowering.windows.tied_rows import is_hashed, is_sorted
from keepstate_spark.lowering.windows.uneven_zones import refuse_left_out_hours, refuse_uneven_zone
from keepstate_spark.lowering.windows.window_functions import assigned, fields

_OF_NO_ROWS = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
"""Aggregates whose value for no rows the planner of a stream writes down."""
_MOST_SETS = 4096


def grouped(operator: Aggregate, lowering: Lowering) -> NamedFrame:
    """The groups of an aggregation with their keys and aggregates."""
    _refuse_group_windows(operator, lowering)
    _refuse_types(operator, lowering)
    _refuse_sessions_of_sets(operator)
    refuse_order_of_parts(operator, lowering)
    refuse_uneven_zone(operator, lowering)
    refuse_left_out_hours(operator, lowering)
    if isinstance(operator, GroupWindowAggregate):
        # Below such windows Flink sends each watermark.
        lowering = replace(lowering, aggregation=replace(lowering.aggregation, between_marks=0))
    changes = last_change(operator) if lowering.orders_changes else None
    lowering = replace(lowering, orders_changes=False)
    operator = _filters_first(operator)
    in_order = _sorted_input(operator, lowering)
    goes_by_order = in_order is not lowering
    is_guarded, lowering = _guarded(operator, in_order)
    of_keys = signs(operator.keys)
    written_keys = operator.plain_keys
    operator = replace(operator, keys=(*operator.keys, *of_keys.values()))
    keys = operator.keys
    if isinstance(operator, GroupWindowAggregate):
        keys = (
            *(key for key in keys if key not in fields(operator.depth, operator.window.time)),
            *fields(operator.depth, operator.window.time),
        )
    results: dict[Expr, str] = {call: lowering.name(hint(call)) for call in operator.aggregates}
    # A slice does not show which of its rows came too late for which window.
    has_maps = any(has_map(type_of(key)) for key in keys)
    # Small tables are gone through row by row, in the order in which Flink does.
    goes_by_order |= (
        lowering.looks_first
        and _intake(operator, lowering) is RowIntake.IN_ORDER
        and any(map(depends_on_order, operator.aggregates))
    )
    may_slice = lowering.lateness is None and not is_guarded and not goes_by_order and not has_maps
    slices = sliced(operator, lowering) if may_slice else None
    if slices is None and may_slice:
        windows = tumbled(operator, lambda rows: _under_names(_of_rows(operator, rows, lowering), results), lowering)
        if windows is not None:
            windows = lowering.with_columns(windows, keys)
            names = {key: windows.name_of(key) for key in keys}
            rows = windows.rows.select(*dict.fromkeys((*names.values(), *results.values())))
            return _groups(put_signs_back(rows, _signed(names, of_keys)), names, results)
    sides = None if slices is not None or goes_by_order else _by_sides(operator, lowering)
    frame, aggregates = slices or sides or _by_rows(operator, lowering)
    frame = lowering.with_columns(frame, keys)
    names = {key: frame.name_of(key) for key in keys}
    maps = {name: lowering.scalars(frame).value(key) for key, name in names.items() if has_map(type_of(key))}
    for name, value in maps.items():
        frame = replace(frame, rows=frame.rows.withColumn(name, as_key(value, operator.place, lowering.streams)))
    columns = _under_names(aggregates, results)
    last_changes: tuple[str, ...] = ()
    arrival: list[str] = []
    if not lowering.streams and slices is None and len(frame.arrival) == 1 and is_hashed(operator):
        arrival.append(lowering.name("first"))
        columns.append(function_call("min", frame_column(frame.arrival[0])).alias(arrival[0]))
    if changes is not None and frame.arrival and not lowering.aggregation.in_batches:
        last_changes = (lowering.name("changed"),)
        place = function_call("struct", *map(frame_column, frame.arrival))
        columns.append(function_call(changes, place).alias(last_changes[0]))
    grouping_: dict[Expr, str] = {}
    unique = list(dict.fromkeys(names.values()))
    if operator.elements:
        sets = grouping_set_keys(operator)
        grouping_ = {key: lowering.name("grouping") for key in written_keys}
        window = [
            names[key]
            for key in keys
            if isinstance(operator, GroupWindowAggregate) and key in fields(operator.depth, operator.window.time)
        ]
        by = [list(dict.fromkeys([*(names[key] for key in with_signs(set_)), *window])) for set_ in sets]
        absent = {name: names[key] for key, name in grouping_.items()}
        rows = by_sets(frame.rows, by, unique, absent, columns)
    elif unique and columns:
        rows = frame.rows.groupBy(*unique).agg(*columns)
    elif unique:
        rows = frame.rows.groupBy(*unique).agg(fn.lit(True)).select(*unique)
    else:
        rows = _of_all_rows(operator, frame.rows, columns, lowering)
    rows = put_signs_back(rows, _signed(names, of_keys))
    for name, value in maps.items():
        rows = rows.withColumn(name, of_key(frame_column(name), value.type))
    groups = _groups(rows, names | {Call("GROUPING", (key,)): name for key, name in grouping_.items()}, results)
    if not lowering.streams and lowering.ordered and is_sorted(operator):
        groups = _in_order_of_keys(groups, operator.plain_keys, lowering)
    return replace(groups, last_changes=last_changes, arrival=tuple(arrival) or groups.arrival)


def _in_order_of_keys(groups: NamedFrame, keys: Sequence[Expr], lowering: Lowering) -> NamedFrame:
    """Return ``groups`` with the order of their keys as that of their arrival."""
    turn = lowering.name("turn")
    scalars = lowering.scalars(groups)
    by_keys = Window.orderBy(*(scalars.column(key).asc_nulls_first() for key in keys))
    number = function_call("row_number").over(by_keys).alias(turn)
    return replace(groups, rows=groups.rows.select("*", number), arrival=(turn,))


def _filters_first(operator: Aggregate) -> Aggregate:
    """``operator`` with filters between it and its sessions in front of them: Flink makes one operator of both, and
    rows that are left out hold no sessions together.
    """
    if not isinstance(operator, WindowAggregate) or operator.window.kind is not WindowKind.SESSION:
        return operator
    below, calc, conditions = operator.input, None, list[Expr]()
    while isinstance(below, Calc):
        calc, below = below, below.input
        conditions += calc.conditions
    if calc is None or not isinstance(below, WindowTableFunction) or any(map(_reads_window, conditions)):
        return operator
    rows = replace(calc, input=below.input, conditions=tuple(conditions))
    return replace(operator, input=replace(below, input=rows))


def _reads_window(condition: Expr) -> bool:
    return any(isinstance(node, WindowField) for node in condition.walk())


def _guarded(operator: Aggregate, lowering: Lowering) -> tuple[bool, Lowering]:
    """Return whether a key, or a value that is one of a set, may have a zero with a sign inside; and the context in
    which no row of the input has one.
    """
    distinct = (arg for call in operator.aggregates if call.distinct for arg in call.args)
    nested = [expr for expr in (*operator.keys, *distinct) if _root(expr) in ("ARRAY", "MAP", "ROW")]
    collected = [call.args[0] for call in operator.aggregates if call.function == "COLLECT"]
    if not nested and not collected:
        return False, lowering

    def frame_of(below: Operator, within: Lowering) -> NamedFrame:
        frame = lowering.of(below, within)
        if below is not operator.input:
            return frame
        place = next((expr.place for expr in (*nested, *collected)), None) or operator.place
        frame = lowering.without_minus(frame, nested, "a key or a DISTINCT value", place)
        return lowering.without_minus(frame, collected, "a COLLECT", place, inner=False)

    return True, replace(lowering, of=frame_of)


def _signed(names: Mapping[Expr, str], signs_of_keys: Mapping[Expr, Expr]) -> dict[str, str]:
    """The names of the signs of zeros, by the names of their keys."""
    return {names[key]: names[sign] for key, sign in signs_of_keys.items()}


def _under_names(columns: Sequence[Column], results: Mapping[Expr, str]) -> list[Column]:
    return [of.alias(name) for of, name in zip(columns, results.values(), strict=True)]


def _groups(rows: DataFrame, names: Mapping[Expr, str], results: Mapping[Expr, str]) -> NamedFrame:
    """Groups with the ``names`` of their keys and of their ``results``."""
    # Calls that differ in their levels only are equal.
    all_names = [*names.items(), *results.items()]
    levels: dict[tuple[Expr, int], str] = {
        (expr, expr.level): name for expr, name in all_names if isinstance(expr, AggregateCall)
    }
    return NamedFrame(rows, ColumnNames({**names, **results}, levels=levels))


def _of_all_rows(operator: Aggregate, rows: DataFrame, columns: list[Column], lowering: Lowering) -> DataFrame:
    """The one row of an aggregation without keys. A stream without any row gives none, unless the planner has found out
    that there is none.
    """
    is_computed_before = is_empty(operator.input) and all(call.function in _OF_NO_ROWS for call in operator.aggregates)
    if not lowering.streams or is_computed_before:
        return rows.agg(*columns or [fn.count(fn.lit(1))])
    count = lowering.name("rows")
    return rows.agg(*columns, fn.count(fn.lit(1)).alias(count)).where(frame_column(count) > 0).drop(count)


def _by_sides(operator: Aggregate, lowering: Lowering) -> tuple[NamedFrame, list[Column]] | None:
    """Parts of an aggregation that is not one of windows, by its keys and its FILTERs, and its aggregates over them.

    ``None`` unless aggregates share parts. So the scenarios of a restart cost hardly more than the query: of each key
    there are only two parts, the rows of before and of after.
    """
    windowed = isinstance(operator, (GroupWindowAggregate, WindowAggregate))
    if windowed or operator.elements or not all(map(mergeable, operator.aggregates)):
        return None
    if not sides_of(operator.aggregates):
        return None
    frame = lowering.with_java(lowering.frame(operator.input), operator.aggregates)
    frame = lowering.with_columns(frame, operator.keys)
    keys = {key: frame.name_of(key) for key in operator.keys}
    partial = partial_aggregates(operator.aggregates, Aggregates(lowering.scalars(frame)), lowering.name)
    by = [*dict.fromkeys(keys.values()), *partial.side_names]
    rows = frame.rows.select("*", *partial.sides).groupBy(*by).agg(*partial.parts)
    return NamedFrame(rows, ColumnNames.of(keys)), list(partial.merged)


def _sorted_input(operator: Aggregate, lowering: Lowering) -> Lowering:
    """Return the context in which rows reach aggregates that go by their order as Flink takes them. A batch job sorts
    them by the keys of groups, and by DISTINCT values. Rows without keys stay as they came.
    """
    if not lowering.streams:
        _refuse_beside_distinct(operator)
    goes_by_keys = bool(operator.keys) or any(call.distinct for call in operator.aggregates)
    call = next((each for each in operator.aggregates if each.function in BY_ORDER), None)
    if lowering.streams and (apart := told_apart(operator)) is not None:
        ways = dict.fromkeys(apart.values())
        return replace(lowering, of=lambda below, within: _without_deleted(below, operator, ways, within, lowering))
    if lowering.streams and goes_by_changes(operator):
        return replace(lowering, of=lambda below, within: _in_order_of_changes(below, operator, within, lowering))
    if lowering.streams or call is None or not goes_by_keys:
        return lowering
    sentence = (
        f"{call.function} goes by the order of rows. In batch mode Flink sorts them by the keys of the groups, "
        "and rows of one group are in no certain order."
    )

    def frame_of(below: Operator, within: Lowering) -> NamedFrame:
        frame = lowering.of(below, within)
        if below is not operator.input:
            return frame
        in_order = in_order_of_groups(operator, frame, lowering)
        if in_order is None:
            raise NotLowerable(sentence, call.place)
        return in_order

    return replace(lowering, of=frame_of)


def _without_deleted(
    below: Operator, operator: Aggregate, apart: Collection[tuple[Expr, ...]], within: Lowering, lowering: Lowering
) -> NamedFrame:
    """The rows of ``below``. Of changes that ``operator`` reads those that remain, if it distinguishes them in one way;
    if it does so by several values (``apart``), with a mark for each of these.
    """
    if below is not operator.input:
        return lowering.of(below, within)
    frame = lowering.of(below, replace(within, sends_changes=True))
    if frame.sign is None:
        return frame
    table = next(each.table for each in below.walk() if isinstance(each, TableSourceScan))
    scalars, rows, marks = lowering.scalars(frame), frame.rows, dict[Expr, str]()
    for number, exprs in enumerate(apart):
        values = [(value.column, value.type) for value in map(scalars.value, exprs)]
        if len(apart) == 1:
            return replace(frame, rows=remaining(rows, values, frame.sign, frame.arrival[0], table), sign=None)
        mark = marks[mark_of(number)] = lowering.name("stays")
        rows = with_mark(rows, values, frame.sign, frame.arrival[0], table, mark)
    rows = rows.where(reduce(or_, map(frame_column, marks.values()))).drop(frame.sign)
    return replace(frame.holding(rows, marks), sign=None)


def _in_order_of_changes(below: Operator, operator: Aggregate, within: Lowering, lowering: Lowering) -> NamedFrame:
    """The rows of ``below``; those of groups that ``operator`` reads are in the order of their last changes."""
    if below is not operator.input:
        return lowering.of(below, within)
    frame = lowering.of(below, replace(within, orders_changes=True))
    return frame if frame.arrival else replace(frame, arrival=frame.last_changes)


def _refuse_beside_distinct(operator: Aggregate) -> None:
    """Refuse lists without DISTINCT beside DISTINCT: Flink's batch job takes their MIN, which an ARRAY has not."""
    if not any(map(is_distinct, operator.aggregates)):
        return
    for call in operator.aggregates:
        if call.function in ("ARRAY_AGG", "COLLECT") and not call.distinct:
            raise NotLowerable(f"Flink plans no {call.function} beside DISTINCT in batch mode.", call.place)


def _refuse_estimates(operator: Aggregate) -> None:
    """Refuse estimates of numbers of values, which a stream cannot make."""
    for call in operator.aggregates:
        if call.function == "APPROX_COUNT_DISTINCT":
            raise NotLowerable("APPROX_COUNT_DISTINCT is not supported on streams.", call.place)


def _by_rows(operator: Aggregate, lowering: Lowering) -> tuple[NamedFrame, list[Column]]:
    """Rows, once for each window of the aggregation, and its aggregates over them."""
    frame = lowering.frame(operator.input)
    if isinstance(operator, GroupWindowAggregate):
        frame = assigned(frame, operator, lowering, operator.plain_keys)
        frame = in_group_windows(frame, operator, lowering)
        if any(call.function in BY_ORDER for call in operator.aggregates):
            frame = in_order_of_panes(frame, operator, lowering)
    elif isinstance(operator, WindowAggregate):
        if any(call.function in BY_ORDER for call in operator.aggregates):
            frame = in_order_of_slices(frame, operator, lowering)
        frame = in_open_windows(frame, operator.input, lowering)
    frame = lowering.with_java(frame, operator.aggregates)
    return frame, _of_rows(operator, frame, lowering)


def _of_rows(operator: Aggregate, frame: NamedFrame, lowering: Lowering) -> list[Column]:
    """The aggregates of ``operator`` over rows."""
    if lowering.streams:
        _refuse_estimates(operator)
    beside_moments = any(call.function in MOMENTS for call in operator.aggregates)
    scalars, intake = lowering.scalars(frame), _intake(operator, lowering)
    aggregates = Aggregates(scalars, frame.arrival, beside_moments=beside_moments, intake=intake)
    return [aggregates.column(call) for call in marked_calls(operator, frame.names)]


def _intake(operator: Aggregate, lowering: Lowering) -> RowIntake:
    """The way in which Flink's aggregation takes its rows."""
    if isinstance(operator, GroupWindowAggregate):
        # Windows of HOP are made of panes.
        return RowIntake.IN_PARTS if operator.window.kind is WindowKind.HOP else RowIntake.IN_ORDER
    if not lowering.streams:
        return RowIntake.IN_ORDER
    if isinstance(operator, WindowAggregate):
        return RowIntake.IN_ORDER if operator.window.kind is WindowKind.SESSION else RowIntake.IN_PARTS
    if updates(operator.input, lowering.updating):
        return RowIntake.WITH_RETRACTION
    return RowIntake.IN_PARTS if lowering.aggregation.in_batches else RowIntake.IN_ORDER


def _refuse_group_windows(operator: Aggregate, lowering: Lowering) -> None:
    """Refuse windows in GROUP BY over instants in batch mode, and beside GROUPING SETS."""
    if lowering.streams or not isinstance(operator, GroupWindowAggregate):
        return
    if operator.elements:
        message = "Flink has no group window beside GROUPING SETS, CUBE or ROLLUP."
        raise NotLowerable(message, operator.grouping_place or operator.place)
    type_ = type_of(operator.window.time)
    if type_ is not None and type_.root == "TIMESTAMP_LTZ":
        raise NotLowerable(
            "In batch mode Flink has windows over a TIMESTAMP_LTZ as table functions only.", operator.window.place
        )


def _refuse_sessions_of_sets(operator: Aggregate) -> None:
    """Refuse grouping sets without a key of the sessions below: Flink makes these of the rows of all sets."""
    if not (isinstance(operator, WindowAggregate) and operator.elements):
        return
    if any({*operator.window.partition}.difference(set_) for set_ in grouping_set_keys(operator)):
        message = "GROUP BY leaves out a key of SESSION in a set, where Flink makes one session of all its values."
        raise NotLowerable(message, operator.grouping_place or operator.place)


def _refuse_types(operator: Aggregate, lowering: Lowering) -> None:
    """Refuse types for which Flink has no code of an aggregate or of a key, and stops."""
    if not lowering.streams and (key := next((each for each in operator.keys if _root(each) == "MAP"), None)):
        raise NotLowerable("In batch mode Flink groups by no MAP.", key.place or operator.place)
    for call in operator.aggregates:
        roots = [_root(arg) for arg in call.args]
        if call.distinct and "MAP" in roots and not lowering.streams:
            raise NotLowerable("In batch mode Flink has no DISTINCT values of a MAP.", call.place)
        of_maps = any(has_map(type_of(arg)) for arg in call.args)
        if of_maps and (call.distinct or call.function in ("COLLECT", "ARRAY_AGG")):
            raise NotLowerable(f"{call.function} of a value with a MAP inside cannot be run.", call.place)
        if call.distinct and _BYTES.intersection(roots) and lowering.streams:
            raise NotLowerable("On streams Flink has no DISTINCT values of BYTES.", call.place)
        if call.function in ("MIN", "MAX") and _BYTES.intersection(roots):
            raise NotLowerable(f"Flink has no {call.function} of BYTES.", call.place)
        if call.function == "COUNT" and call.distinct and len(roots) > 1:
            raise NotLowerable("Flink counts the DISTINCT values of one column only.", call.place)


_BYTES = frozenset({"BINARY", "VARBINARY"})


def _root(expr: Expr) -> str | None:
    type_ = type_of(expr)
    return type_.root if type_ is not None else None


def grouping_set_keys(operator: Aggregate) -> list[tuple[Expr, ...]]:
    """The keys of each grouping set, as GROUPING SETS, CUBE and ROLLUP beside each other make them."""
    if not operator.elements:
        return [operator.keys]
    parts = [_sets(element) for element in operator.elements]
    count = 1
    for part in parts:
        count *= len(part)
    if count > _MOST_SETS:
        raise NotLowerable(
            f"GROUP BY makes {count} grouping sets, and no more than {_MOST_SETS} are run.", operator.grouping_place
        )
    return [tuple(dict.fromkeys(chain.from_iterable(choice))) for choice in product(*parts)]


def _sets(element: Expr) -> list[tuple[Expr, ...]]:
    if not isinstance(element, GroupingElement):
        return [(element,)]
    parts = [_sets(part) for part in element.parts]
    match element.word:
        case "GROUPING SETS":
            return [set_ for part in parts for set_ in part]
        case "CUBE":
            units = [part[0] for part in parts]
            choices = (combinations(units, size) for size in range(len(units), -1, -1))
            return [tuple(chain.from_iterable(choice)) for choice in chain.from_iterable(choices)]
        case "ROLLUP":
            units = [part[0] for part in parts]
            return [tuple(chain.from_iterable(units[:size])) for size in range(len(units), -1, -1)]
    return [tuple(chain.from_iterable(part[0] for part in parts))]
