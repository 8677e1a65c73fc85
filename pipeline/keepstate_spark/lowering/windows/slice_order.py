"""The order in which Flink takes the rows of a window that it puts together from slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import gcd

from pyspark.sql import Column, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Expr, WindowField, WindowPart
from keepstate.plan.operators import Calc, GroupWindowAggregate, WindowAggregate, WindowKind, WindowTableFunction
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import closing
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import BIGINT, choice, frame_column, function_call, large, true
from keepstate_spark.lowering.windows.window_functions import clock_of, length
from keepstate_spark.session import UTC_NAMES
from keepstate_spark.windows.clock import MICROSECONDS, interval


def in_order_of_slices(frame: NamedFrame, operator: WindowAggregate, lowering: Lowering) -> NamedFrame:
    """``frame``, the rows of ``operator`` once for each of their windows, whose ``arrival`` is the order in which Flink
    adds them to the aggregates of a window. Measured with Flink 2.3.

    A window of HOP takes its newest slice first; rows of one slice stay in the order in which they came. A window of
    CUMULATE takes its oldest slice first. A row that comes when its slice is closed goes behind all that are closed;
    of several ones that come between two ends of slices, those of one slice and key come together.
    """
    below = _in_slices(operator) if lowering.streams else None
    if below is None or not frame.arrival:
        return frame
    window = below.window
    is_hop = window.kind is WindowKind.HOP
    step = length(window.slide if is_hop else window.step, window)
    clock = clock_of(frame, window, lowering)
    start = lowering.scalars(frame).column(WindowField(WindowPart.START, below.depth))
    since = replace(clock, local_time=start, zone=None).micros
    own = fn.floor((clock.micros - since) / (step * MICROSECONDS)).cast(BIGINT)
    if is_hop or frame.watermark is None:
        return _ordered(frame, {"turn": -own if is_hop else own}, lowering)
    closed = _closed_slices(frame_column(frame.watermark), start, since, step, below, lowering)
    place = function_call("greatest", own, closed - large(1))
    if not lowering.aggregation.two_phases:
        return _ordered(frame, {"turn": place}, lowering)
    if operator.elements:
        raise NotLowerable(
            "Rows come behind the watermark. In which order CUMULATE beside GROUPING SETS takes them is not known.",
            operator.grouping_place or operator.place,
        )
    keys = lowering.keys(frame, operator.keys)
    is_late = function_call("coalesce", own < closed, ~true())
    together = Window.partitionBy(*keys, start, place, own, is_late)
    first = fn.min(function_call("struct", *map(frame_column, frame.arrival))).over(together)
    return _ordered(frame, {"turn": place, "late": is_late, "first": first}, lowering)


def in_order_of_panes(frame: NamedFrame, operator: GroupWindowAggregate, lowering: Lowering) -> NamedFrame:
    """The same for HOP in GROUP BY, whose windows are made of panes as long as size and slide can both be divided: the
    oldest pane comes first, and rows of one pane stay in the order in which they came. Measured with Flink 2.3.
    """
    window = operator.window
    if window.kind is not WindowKind.HOP or not lowering.streams or not frame.arrival:
        return frame
    pane = gcd(length(window.size, window), length(window.slide, window))
    turn = fn.floor(clock_of(frame, window, lowering).micros / (pane * MICROSECONDS)).cast(BIGINT)
    return _ordered(frame, {"turn": turn}, lowering)


def _ordered(frame: NamedFrame, columns: Mapping[str, Column], lowering: Lowering) -> NamedFrame:
    """``frame`` with ``columns``, under new names, in front of what orders its rows."""
    names = {lowering.name(hint): column for hint, column in columns.items()}
    return replace(frame, rows=frame.rows.withColumns(names), arrival=(*names, *frame.arrival))


def _closed_slices(
    mark: Column, start: Column, since: Column, step: int, below: WindowTableFunction, lowering: Lowering
) -> Column:
    """The number of slices of a window of CUMULATE that are closed at the watermark ``mark``, NULL without one."""
    time = type_of(below.window.time)
    if time is None or time.root != "TIMESTAMP_LTZ" or lowering.zone in UTC_NAMES:
        return fn.floor((mark + 1 - since / MICROSECONDS) / step).cast(BIGINT)
    count = length(below.window.size, below.window) // step
    ends = fn.transform(fn.sequence(large(1), large(count)), lambda each: start + interval(step) * each - interval(1))
    closed = fn.filter(ends, lambda end: closing(end, True, lowering.zone) <= mark)
    return choice(mark.isNotNull(), function_call("size", closed).cast(BIGINT))


def _in_slices(operator: WindowAggregate) -> WindowTableFunction | None:
    """The HOP or CUMULATE whose slices ``operator`` makes; ``None`` if Flink gives rows their windows first: where a
    filter reads a window, or an expression computes on it.
    """
    below, computed = operator.input, [*operator.keys, *_arguments(operator)]
    conditions = list[Expr]()
    while isinstance(below, Calc):
        conditions += below.conditions
        below = below.input
    if not isinstance(below, WindowTableFunction) or below.window.kind not in (WindowKind.HOP, WindowKind.CUMULATE):
        return None
    depth = below.depth
    computed = [expr for expr in computed if not isinstance(expr, WindowField)]
    if any(_reads_window(expr, depth) for expr in (*conditions, *computed)):
        return None
    return below


def goes_by_slices(operator: WindowAggregate) -> bool:
    """Return whether Flink puts the windows of ``operator`` together from slices that they share."""
    return _in_slices(operator) is not None


def _arguments(operator: WindowAggregate) -> list[Expr]:
    parts = [(*call.args, *([call.filter] if call.filter is not None else [])) for call in operator.aggregates]
    return [part for each in parts for part in each]


def _reads_window(expr: Expr, depth: int) -> bool:
    return any(isinstance(node, WindowField) and node.depth == depth for node in expr.walk())
