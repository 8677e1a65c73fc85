"""Group windows on streams, as far as Spark closes them by a watermark: tumbling, sliding and session windows of a
time.

Spark writes a window (append mode) once the watermark has passed its end. It moves the watermark between micro-batches
and drops late rows by the watermark of the batch before, so a row may count that Flink drops; and a stream that ends
leaves the last windows open. Sessions are distinguished to the microsecond.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.session import UTC_NAMES, require_utc
from keepstate_spark.table.group_windows import GroupWindow, SessionOfGap, Sliding, TimeWindow, Tumbling
from keepstate_spark.windows.assignment import span_of
from keepstate_spark.windows.clock import column, is_local, time_field

_WATERMARK = "spark.watermarkDelayMs"
"""Key of the schema's metadata that marks a column with a watermark."""


def assign_to_stream(window: GroupWindow, frame: DataFrame) -> tuple[DataFrame, list[str]]:
    """The rows of a stream with Spark's own windows, and the hidden columns to group by.

    The bounds are among them, but for sessions, which Spark would not merge then. Raises ``WindowError`` for windows
    that Spark cannot close.
    """
    time = _with_watermark(window, frame)
    if not isinstance(window, TimeWindow):
        raise _never_closed(window)
    spans = _spans(window, time)
    rows = frame.withColumn(window.hidden("window"), spans)
    if isinstance(window, SessionOfGap):
        return rows, [window.hidden("window")]
    rows = with_bounds(window, rows, window.hidden("window"))
    return rows, [window.hidden(what) for what in ("window", "start", "end")]


def with_bounds(window: TimeWindow, rows: DataFrame, spans: str) -> DataFrame:
    """Return ``rows`` with the columns that ``window.start`` and ``window.end`` read, from Spark's window in column
    ``spans``.
    """
    for bound in ("start", "end"):
        rows = rows.withColumn(window.hidden(bound), window.hide(fn.col(f"{spans}.{bound}")))
    return rows


def reads_bounds(window: GroupWindow, of: Column) -> bool:
    """Return whether a column is computed from ``window.start`` or ``window.end``."""
    return any(window.hidden(bound) in str(of) for bound in ("start", "end"))


def _spans(window: TimeWindow, time: Column) -> Column:
    if isinstance(window, Tumbling):
        return span_of(time, window.size, window.shift)
    if isinstance(window, SessionOfGap):
        return fn.session_window(time, f"{window.gap} milliseconds")
    if isinstance(window, Sliding):
        if window.slide > window.size:
            raise WindowError(
                f'The window "{window.name}" slides further than it is long, which Spark refuses on a stream.',
                "Filter the rows in between, or read them with spark.read.",
            )
        return span_of(time, window.size, window.shift, window.slide)
    raise _never_closed(window)


def _never_closed(window: GroupWindow) -> WindowError:
    return WindowError(
        f'Spark never closes the window "{window.name}" on a stream: it has no cumulating windows and counts no rows.',
        "Use Tumble, Slide or Session of a time, or read the rows with spark.read.",
    )


def _with_watermark(window: GroupWindow, frame: DataFrame) -> Column:
    """The event time of a stream, if Spark can close windows by it."""
    require_utc(frame.sparkSession)
    if window.zone not in UTC_NAMES:
        raise WindowError(f"On a stream Spark aligns windows to UTC, not to {window.zone}.", "Leave out in_zone.")
    time = column(window.require_time())
    field = time_field(frame, time)
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
    return time
