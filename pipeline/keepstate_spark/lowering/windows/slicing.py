"""Aggregations of windows by slices: rows are aggregated by slice, and windows are made of slices.

Without slices a row is aggregated once for each window that it lies in, and the rows of sessions are sorted. A slice of
sessions is as long as their gap: two rows in it are always of one session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Expr, Literal, WindowField
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    Operator,
    Window,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.references import ColumnOfUnion
from keepstate_spark import windows
from keepstate_spark.lowering.aggregate_columns import Aggregates
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.signed_zeros import with_signs
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import frame_column
from keepstate_spark.lowering.windows.partial_aggregates import mergeable, partial_aggregates, sides_of
from keepstate_spark.lowering.windows.window_functions import (
    aligned,
    clock_of,
    fields,
    length,
    parting,
    with_fields,
)
from keepstate_spark.windows.assignment import sessions_of_spans, with_bounds
from keepstate_spark.windows.clock import WallClock
from keepstate_spark.windows.slices import hop_slice, with_slice

_FEWEST = 2
"""Windows for each row from which on slices pay, even if hardly any two rows share a slice."""


@dataclass(frozen=True)
class _Assignment:
    """A window, its input, and the filters in front of and behind it."""

    window: Window
    depth: int
    input: Operator
    before: tuple[Expr, ...] = ()
    after: tuple[Expr, ...] = ()


def sliced(operator: Aggregate, lowering: Lowering) -> tuple[NamedFrame, list[Column]] | None:
    """Slices, once for each of their windows, with the keys of ``operator``; and over them its aggregates.

    ``None`` if its aggregates are not to be put together from slices, or if that would not pay.
    """
    assignment = _assignment(operator)
    if assignment is None or not all(map(mergeable, operator.aggregates)):
        return None
    slice_ = _slice(assignment.window)
    # A slice that is a window pays where aggregates share their parts.
    if slice_ is None and sides_of(operator.aggregates):
        slice_ = _tumble(assignment.window)
    rows = _rows(operator, assignment, lowering) if slice_ is not None else None
    if slice_ is None or rows is None:
        return None
    window = assignment.window
    partial = partial_aggregates(operator.aggregates, Aggregates(lowering.scalars(rows.frame)), lowering.name)
    columns = list(partial.parts)
    start, first, last = (lowering.name(name) for name in ("slice", "first", "last"))
    if window.kind is WindowKind.SESSION:
        columns += [fn.min(rows.clock.local_time).alias(first), fn.max(rows.clock.local_time).alias(last)]
    by = [*rows.by, *partial.side_names]
    frame = _by_slices(rows, rows.frame.rows.select("*", *partial.sides), by, slice_, start, columns)
    slices = NamedFrame(frame, ColumnNames.of(rows.keys))

    def assign(names: windows.WindowColumns) -> DataFrame:
        if window.kind is not WindowKind.SESSION:
            return aligned(frame, replace(rows.clock, local_time=frame_column(start)), window, names)
        bounds = [replace(rows.clock, local_time=frame_column(bound)) for bound in (first, last)]
        parts = parting(slices, rows.parted_by, lowering)
        return sessions_of_spans(frame, bounds[0], bounds[1], length(window.gap, window), parts, names=names)

    slices = with_fields(slices, window, assignment.depth, lowering, assign)
    return lowering.filtered(slices, assignment.after), list(partial.merged)


def tumbled(
    operator: Aggregate,
    aggregates: Callable[[NamedFrame], Sequence[Column]],
    lowering: Lowering,
) -> NamedFrame | None:
    """The groups of tumbling windows with their fields and ``aggregates`` of the rows of a frame.

    Rows are grouped by the start of their window alone, which costs less than by all of its fields. ``None`` unless
    each group lies in one window.
    """
    assignment = _assignment(operator)
    slice_ = _tumble(assignment.window) if assignment is not None else None
    if assignment is None or slice_ is None or operator.elements:
        return None
    bounds = fields(assignment.depth, assignment.window.time)
    if not isinstance(operator, GroupWindowAggregate) and not any(key in bounds for key in operator.keys):
        return None
    rows = _rows(operator, assignment, lowering)
    if rows is None:
        return None
    start = lowering.name("slice")
    frame = _by_slices(rows, rows.frame.rows, rows.by, slice_, start, aggregates(rows.frame))
    clock = replace(rows.clock, local_time=frame_column(start))
    groups = with_fields(
        NamedFrame(frame, ColumnNames.of(rows.keys)),
        assignment.window,
        assignment.depth,
        lowering,
        lambda names: with_bounds(frame, clock, slice_[0], names=names),
    )
    return lowering.filtered(groups, assignment.after)


@dataclass(frozen=True)
class _Rows:
    """The input of a window, with columns for the ``keys`` that its rows are grouped by beside their slices."""

    frame: NamedFrame
    clock: WallClock
    keys: Mapping[Expr, str]
    parted_by: tuple[Expr, ...]
    """The keys of sessions."""

    @property
    def by(self) -> list[str]:
        return list(dict.fromkeys(self.keys.values()))


def _rows(operator: Aggregate, assignment: _Assignment, lowering: Lowering) -> _Rows | None:
    """The rows of ``operator``; ``None`` if its aggregates, or its keys of rows, read the window."""
    window, depth = assignment.window, assignment.depth
    row_keys = [key for key in operator.keys if _reads_rows(key, depth)]
    if any(_reads_window(expr, depth) for expr in (*row_keys, *operator.aggregates)):
        return None
    own_keys = operator.plain_keys if isinstance(operator, GroupWindowAggregate) else ()
    parted_by = with_signs((*window.partition, *own_keys))
    frame = lowering.filtered(lowering.frame(assignment.input), assignment.before)
    clock = clock_of(frame, window, lowering)
    frame = lowering.with_columns(lowering.with_java(frame, operator.aggregates), (*row_keys, *parted_by))
    return _Rows(frame, clock, {key: frame.name_of(key) for key in (*row_keys, *parted_by)}, parted_by)


def _by_slices(
    rows: _Rows, frame: DataFrame, by: Sequence[str], slice_: tuple[int, int], start: str, columns: Sequence[Column]
) -> DataFrame:
    """The groups of ``frame`` by slices, which begin at ``start``, and ``by`` other columns."""
    frame = with_slice(frame, rows.clock, *slice_, start)
    return frame.groupBy(*by, start).agg(*columns) if columns else frame.select(*by, start).distinct()


def _assignment(operator: Aggregate) -> _Assignment | None:
    """The window right below an aggregation, or of it."""
    if isinstance(operator, GroupWindowAggregate):
        return _Assignment(operator.window, operator.depth, operator.input)
    below, conditions = operator.input, list[Expr]()
    while isinstance(below, Calc):
        conditions += below.conditions
        below = below.input
    if not isinstance(below, WindowTableFunction):
        return None
    behind = [condition for condition in conditions if _reads_window(condition, below.depth)]
    if any(_reads_rows(condition, below.depth) for condition in behind):
        return None
    front = tuple(condition for condition in conditions if condition not in behind)
    if front and below.window.kind is WindowKind.SESSION:
        # Rows that are left out later hold sessions together all the same.
        return None
    return _Assignment(below.window, below.depth, below.input, front, tuple(behind))


def _slice(window: Window) -> tuple[int, int] | None:
    """Length and offset of the slices of a window, if they pay."""
    offset = length(window.offset, window) if window.offset is not None else 0
    match window.kind:
        case WindowKind.HOP:
            slide, size = length(window.slide, window), length(window.size, window)
            return (hop_slice(slide, size), offset) if 0 < slide * _FEWEST <= size else None
        case WindowKind.CUMULATE:
            step, size = length(window.step, window), length(window.size, window)
            # On average a row lies in half of the windows, and half a window more.
            return (step, offset) if step > 0 and step * (2 * _FEWEST - 1) <= size else None
        case WindowKind.SESSION:
            gap = length(window.gap, window)
            return (gap, 0) if gap > 0 else None
    return None


def _tumble(window: Window) -> tuple[int, int] | None:
    """Length and offset of a tumbling window."""
    if window.kind is not WindowKind.TUMBLE:
        return None
    size = length(window.size, window)
    return (size, length(window.offset, window) if window.offset is not None else 0) if size > 0 else None


def _reads_window(expr: Expr, depth: int) -> bool:
    return any(isinstance(node, WindowField) and node.depth == depth for node in expr.walk())


def _reads_rows(expr: Expr, depth: int) -> bool:
    """Return whether an expression reads anything but the fields of a window. The constants of a UNION are a column."""
    if isinstance(expr, ColumnOfUnion):
        return True
    if isinstance(expr, AggregateCall) or not expr.children():
        return not (isinstance(expr, Literal) or _reads_window(expr, depth))
    return any(_reads_rows(child, depth) for child in expr.children())
