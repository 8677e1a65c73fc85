"""Zones in which Flink's streams lose or repeat rows of windows over a TIMESTAMP_LTZ.

Such windows lie on the grid of local time. Flink looks for the next window to send out on the grid of UTC, unless the
zone puts its clock forward. Where the offset of the zone is no multiple of the grid, windows end before their rows are
added, and these are lost. In a zone that puts its clock forward by anything but an hour, Flink sends windows out twice,
unless it is half an hour, and they begin at whole hours or are of TUMBLE and no shorter than it. Windows of HOP take
slices of others, or come out twice, around the hour that a zone leaves out.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import pairwise

from pyspark.sql import functions as fn

from keepstate.plan.operators import (
    Aggregate,
    GroupWindowAggregate,
    Window,
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import frame_column, function_call, large
from keepstate_spark.lowering.windows.window_functions import length
from keepstate_spark.session import UTC_NAMES, time_zone
from keepstate_spark.windows.slices import hop_slice

_HOUR = timedelta(hours=1)
_LASTING = 2090
"""A year in which only the lasting rules of a zone hold."""


def refuse_uneven_zone(operator: Aggregate, lowering: Lowering) -> None:
    """Refuse an aggregation on streams whose windows lose or repeat rows in the zone of the job."""
    window = _window(operator)
    if window is None or not lowering.streams or lowering.zone in UTC_NAMES or window.kind is WindowKind.SESSION:
        return
    type_ = type_of(window.time)
    if type_ is None or type_.root != "TIMESTAMP_LTZ":
        return
    offsets, grid = _offsets(lowering.zone), timedelta(milliseconds=_grid(window))
    shift = max(offsets) - min(offsets)
    # Beside a shift by half an hour, windows that begin at whole hours are right, and those of TUMBLE that are as long.
    is_long = window.kind is WindowKind.TUMBLE and (isinstance(operator, GroupWindowAggregate) or grid >= shift)
    if shift > _HOUR or (shift % _HOUR and grid % _HOUR and not is_long):
        raise NotLowerable(
            f"{lowering.zone} shifts its clock by {shift}. Flink sends windows around that shift out twice.",
            window.place,
        )
    if isinstance(operator, WindowAggregate) and not shift and grid and offsets[0] % grid:
        raise NotLowerable(
            f"Flink loses rows here: the offset of {lowering.zone} from UTC is no multiple of {grid}, in which these "
            "windows begin and end.",
            window.place,
        )


def refuse_left_out_hours(operator: Aggregate, lowering: Lowering) -> None:
    """Refuse an aggregation on streams over windows of HOP if Spark finds a row near an hour that the zone of the job
    leaves out.
    """
    window = _window(operator)
    if window is None or window.kind is not WindowKind.HOP or not lowering.streams or not lowering.ends_at_ties:
        return
    type_ = type_of(window.time)
    if type_ is None or type_.root != "TIMESTAMP_LTZ":
        return
    # Windows by whole hours are right if all rows are in time.
    by_hours = not timedelta(milliseconds=_grid(window)) % _HOUR
    if by_hours and lowering.lateness is None:
        return
    changes, size = forward_changes(lowering.zone), length(window.size, window)
    if not changes:
        return
    assignment = (below for below in operator.input.walk() if isinstance(below, WindowTableFunction))
    rows = operator.input if isinstance(operator, GroupWindowAggregate) else next(assignment).input
    frame = lowering.frame(rows)
    mark = frame.watermark
    if by_hours and mark is None:
        return
    at = function_call("unix_millis", lowering.scalars(frame).value(window.time).column)
    moments = function_call("array", *map(large, changes))
    near = fn.exists(moments, lambda change: (at >= change - large(size)) & (at < change + large(size)))
    if by_hours and mark is not None:
        near = near & (at <= frame_column(mark))
    if not frame.rows.where(near).isEmpty():
        raise NotLowerable(
            f"A row lies near an hour that {lowering.zone} leaves out. Flink counts rows into other windows of HOP "
            "there, and sends some out twice.",
            window.place,
        )


@cache
def forward_changes(zone: str) -> tuple[int, ...]:
    """Return the moments at which a zone puts its clock forward, in milliseconds since 1970, up to the year 2100.

    >>> forward_changes("Europe/Berlin")[-1], forward_changes("Asia/Kolkata")
    (4078429200000, ())
    """
    if zone in UTC_NAMES:
        return ()
    clock, changes = time_zone(zone), []
    day, minute = timedelta(days=1), timedelta(minutes=1)
    start = datetime(1970, 1, 1, tzinfo=timezone.utc)
    offsets = [(start + day * number).astimezone(clock).utcoffset() or timedelta(0) for number in range(130 * 365 + 33)]
    for number, (before, after) in enumerate(pairwise(offsets)):
        if after > before:
            low, high = 0, 24 * 60
            while high - low > 1:
                middle = (low + high) // 2
                at = (start + day * number + minute * middle).astimezone(clock).utcoffset()
                low, high = (low, middle) if at == after else (middle, high)
            changes.append(int((start + day * number + minute * high).timestamp()) * 1000)
    return tuple(changes)


def _window(operator: Aggregate) -> Window | None:
    if isinstance(operator, GroupWindowAggregate):
        return operator.window
    if not isinstance(operator, WindowAggregate):
        return None
    below = (each for each in operator.input.walk() if isinstance(each, WindowTableFunction))
    return next((each.window for each in below), None)


def _offsets(zone: str) -> list[timedelta]:
    """The offsets from UTC in the months of a year."""
    months = (datetime(_LASTING, month, 1, tzinfo=time_zone(zone)) for month in range(1, 13))
    return [month.utcoffset() or timedelta(0) for month in months]


def _grid(window: Window) -> int:
    """Milliseconds between the times at which windows may begin and end."""
    match window.kind:
        case WindowKind.TUMBLE:
            return length(window.size, window)
        case WindowKind.HOP:
            return hop_slice(length(window.slide, window), length(window.size, window))
    return length(window.step, window)
