"""Rows in front of an operator, without those that came too late for it."""

from __future__ import annotations

from pyspark.sql import Column

from keepstate.plan.expressions import WindowField, WindowPart
from keepstate.plan.operators import GroupWindowAggregate, Operator, Window, WindowTableFunction
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import closing, time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import frame_column, function_call, true, whole
from keepstate_spark.session import UTC_NAMES
from keepstate_spark.windows.clock import interval


def without_late(
    frame: NamedFrame, time: SparkValue, operator: Operator, lowering: Lowering, words: str, takes_mark: bool = False
) -> NamedFrame:
    """``frame`` without rows that came behind the watermark, for operators that take no such row; with ``takes_mark``
    they take rows of the very time of the watermark.
    """
    if frame.watermark is None or lowering.lateness is None:
        return frame
    number, mark = time_number(time), frame_column(frame.watermark)
    late = number < mark if takes_mark else number <= mark
    return lowering.lateness.in_time(frame, late, time, operator, words)


def maybe_late(frame: NamedFrame, time: SparkValue, operator: Operator, lowering: Lowering, words: str) -> NamedFrame:
    """``frame`` with the rows counted that came behind the watermark, for operators that may take them or not."""
    if frame.watermark is None or lowering.lateness is None:
        return frame
    return lowering.lateness.counted(frame, time, operator, words)


def in_open_windows(frame: NamedFrame, operator: Operator, lowering: Lowering) -> NamedFrame:
    """``frame``, the rows of ``operator``, without those that came when the window that they lie in was closed."""
    if frame.watermark is None or lowering.lateness is None:
        return frame
    assignment = next(below for below in operator.walk() if isinstance(below, WindowTableFunction))
    end = _end(frame, assignment.depth, lowering)
    return _in_windows(frame, assignment.window, end - interval(1), operator, lowering)


def when_closed(frame: NamedFrame, operator: Operator, lowering: Lowering) -> Column:
    """Return whether a row of ``frame``, the rows of ``operator``, came when its window was closed; never NULL."""
    assignment = next(below for below in operator.walk() if isinstance(below, WindowTableFunction))
    end = _end(frame, assignment.depth, lowering)
    closed = _is_late(frame, assignment.window, end - interval(1), lowering)
    return function_call("coalesce", closed, ~true())


def in_group_windows(frame: NamedFrame, operator: GroupWindowAggregate, lowering: Lowering) -> NamedFrame:
    """The same for windows in GROUP BY, which may wait behind their end, and close at 1970 at the earliest."""
    if frame.watermark is None or lowering.lateness is None:
        return frame
    end = _end(frame, operator.depth, lowering)
    last = time_columns.shifted(end, "MILLISECOND", whole(lowering.lateness.allowed - 1))
    epoch = time_columns.of_milliseconds(whole(0))
    return _in_windows(frame, operator.window, function_call("greatest", last, epoch), operator, lowering)


def _end(frame: NamedFrame, depth: int, lowering: Lowering) -> Column:
    return lowering.scalars(frame).column(WindowField(WindowPart.END, depth))


def _in_windows(frame: NamedFrame, window: Window, last: Column, operator: Operator, lowering: Lowering) -> NamedFrame:
    assert lowering.lateness is not None
    late = _is_late(frame, window, last, lowering)
    if frame.at_most:
        # Each input of a union has a time of its own.
        return lowering.lateness.certain(frame, late, operator, window.kind.value)
    time = lowering.scalars(frame).value(window.time)
    return lowering.lateness.in_time(frame, late, time, operator, window.kind.value)


def _is_late(frame: NamedFrame, window: Window, last: Column, lowering: Lowering) -> Column:
    type_ = type_of(window.time) if frame.at_most else lowering.scalars(frame).value(window.time).type
    local = type_ is not None and type_.root == "TIMESTAMP_LTZ" and lowering.zone not in UTC_NAMES
    mark = frame_column(frame.watermark or "")
    # Few rows have a watermark where these were found in the files, and to shift a time costs more than all the rest.
    return mark.isNotNull() & (closing(last, local, lowering.zone) <= mark)
