"""Group windows on streams, as far as Spark closes them by a watermark: tumbling, sliding and session windows of a
time.

Spark writes a window (append mode) once the watermark has passed its end. It moves the watermark between micro-batches
and drops late rows by the watermark of the batch before, so a row may count that Flink drops; and a stream that ends
leaves the last windows open. Sessions are distinguished to the microsecond.

Spark compares the bounds of windows with the watermark, which is an instant. So windows on the wall clock of a zone are
put on its times, moved by as much as keeps each of them from lying before its instant: then no window is closed before
all of its rows are there, and at most as much later as the zone moves its clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.session import UTC_NAMES, time_zone
from keepstate_spark.table.group_windows import GroupWindow, SessionOfGap, SlidingWindow, TimeWindow, TumblingWindow
from keepstate_spark.windows.assignment import span_of
from keepstate_spark.windows.clock import WallClock, as_column, interval, is_local, time_field

_WATERMARK = "spark.watermarkDelayMs"
"""Key of the schema's metadata that marks a column with a watermark."""
_ZONE = "keepstate.zone"
"""Key of the metadata of a window's ``rowtime`` with the zone on whose clock the window stands."""
_YEARS = (1800, 2200)


@dataclass(frozen=True)
class StreamWindow:
    """A window on a stream, on ``clock``. ``metadata`` are those of its event time, and Spark's windows are ``behind``
    by so many milliseconds.
    """

    window: TimeWindow
    clock: WallClock
    metadata: Mapping[str, Any]
    behind: int

    def with_bounds(self, rows: DataFrame, spans: str) -> DataFrame:
        """Return ``rows`` with the columns that ``start`` and ``end`` read, from Spark's window in column ``spans``."""
        for bound in ("start", "end"):
            column = self.window.hide(self._bound(spans, bound), self.clock)
            rows = rows.withColumn(self.window.hidden(bound), column)
        return rows

    def with_fields(self, rows: DataFrame, spans: str) -> DataFrame:
        """Return ``rows`` with the columns that all fields of the window read."""
        last = self.clock.moment(self.clock.bound(self._bound(spans, "end")) - interval(1))
        # The mark of a watermark goes with it, so that the next window has one too.
        zone = "UTC" if self.window.zone in UTC_NAMES else self.window.zone
        marked = last.alias(self.window.hidden("rowtime"), metadata={**self.metadata, _ZONE: zone})
        return self.with_bounds(rows, spans).select("*", marked)

    def _bound(self, spans: str, bound: str) -> Column:
        return fn.col(f"{spans}.{bound}") - interval(self.behind)


def assign_to_stream(window: GroupWindow, frame: DataFrame) -> tuple[DataFrame, StreamWindow]:
    """The rows of a stream with Spark's own windows in the hidden column ``window``.

    Raises ``WindowError`` for windows that Spark cannot close.
    """
    if not isinstance(window, TimeWindow):
        raise _never_closed(window)
    if window.time is None:
        frame, window = _on_processing_time(window, frame)
    metadata = _watermark(window, frame)
    clock = window.clock(frame)
    behind = 0 if window.zone in UTC_NAMES else _behind(window.zone)
    rows = frame
    time = as_column(window.require_time())
    if window.zone not in UTC_NAMES:
        local_time = (clock.local_time + interval(behind)).alias(window.hidden("local"), metadata=metadata)
        rows, time = frame.select("*", local_time), fn.col(window.hidden("local"))
    spans = _spans(window, time, behind)
    return rows.withColumn(window.hidden("window"), spans), StreamWindow(window, clock, metadata, behind)


def _spans(window: TimeWindow, time: Column, behind: int) -> Column:
    if isinstance(window, TumblingWindow):
        return span_of(time, window.size, window.shift + behind)
    if isinstance(window, SessionOfGap):
        return fn.session_window(time, f"{window.gap} milliseconds")
    if isinstance(window, SlidingWindow):
        if window.slide > window.size:
            raise WindowError(
                f'The window "{window.name}" slides further than it is long, which Spark refuses on a stream.',
                "Filter the rows in between, or read them with spark.read.",
            )
        return span_of(time, window.size, window.shift + behind, window.slide)
    raise _never_closed(window)


@cache
def _behind(zone: str) -> int:
    """The milliseconds to add to each wall-clock time of ``zone`` so that none lies before its instant in UTC."""
    of = time_zone(zone)
    first, last = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in _YEARS)
    weeks = range((last - first).days // 7)
    offsets = [(first + timedelta(weeks=week)).astimezone(of).utcoffset() for week in weeks]
    least = min(offset for offset in offsets if offset is not None)
    return -(least // timedelta(milliseconds=1))


def _never_closed(window: GroupWindow) -> WindowError:
    return WindowError(
        f'Spark never closes the window "{window.name}" on a stream: it has no cumulating windows and counts no rows.',
        "Use Tumble, Slide or Session of a time, or read the rows with spark.read.",
    )


def _on_processing_time(window: TimeWindow, frame: DataFrame) -> tuple[DataFrame, TimeWindow]:
    """The rows with the time at which Spark processes them, and the window on it.

    Raises ``WindowError`` for a stream with a watermark, which the window would wait for as well.
    """
    timed = [field.name for field in frame.schema.fields if _WATERMARK in field.metadata]
    if timed:
        raise WindowError(
            f'The window "{window.name}" is of processing time, and the watermark of {timed[0]} would hold it up.',
            f'Name the event time, .on("{timed[0]}"), or leave out withWatermark.',
        )
    name = window.hidden("processed")
    rows = frame.withColumn(name, fn.current_timestamp()).withWatermark(name, "0 seconds")
    return rows, window.on(name)


def _watermark(window: TimeWindow, frame: DataFrame) -> dict[str, Any]:
    """The metadata of the event time of a stream, if Spark can close windows by it."""
    field = time_field(frame, as_column(window.require_time()))
    if not is_local(field):
        raise WindowError(
            f"{field.name} is a TIMESTAMP without time zone, on which Spark has no watermarks.",
            f'Cast it: fn.col("{field.name}").cast("timestamp_ltz").',
        )
    if _WATERMARK not in field.metadata:
        raise WindowError(
            f"{field.name} has no watermark, and without one Spark never closes a window.",
            f'Set it: frame.withWatermark("{field.name}", "5 seconds").',
        )
    zone = field.metadata.get(_ZONE, "UTC")
    if zone != "UTC" and window.zone != zone:
        raise WindowError(
            f"{field.name} comes from windows in {zone}, and Spark may close those of another zone before them.",
            f'Keep the zone: .in_zone("{zone}").',
        )
    return {_WATERMARK: field.metadata[_WATERMARK]}
