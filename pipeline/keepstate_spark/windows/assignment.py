"""Which windows a row lies in: TUMBLE, HOP, CUMULATE and SESSION, as columns of a frame.

Windows are half-open. Starts and ends are TIMESTAMPs of the wall clock; ``window_time``, a millisecond before the end,
has the type of the event time. A row without a time lies in no window, so it is not in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.windows.clock import UTC, instant, is_local, timestamp, wall_clock

MICROSECONDS = 1000
"""In a millisecond."""

_TIME = "__keepstate_time"
_START = "__keepstate_start"
_END = "__keepstate_end"
_SESSION = "__keepstate_session"
_OWN = (_TIME, _START, _END, _SESSION)


@dataclass(frozen=True)
class WindowColumns:
    """What the columns of a window are to be called."""

    start: str = "window_start"
    end: str = "window_end"
    time: str = "window_time"


WINDOW_COLUMNS = WindowColumns()


def tumble(
    frame: DataFrame,
    time: str | Column,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """TUMBLE: each row in the one window of ``size`` milliseconds that covers it."""
    check_length("The size of a tumbling window", size)
    rows = _with_time(frame, time, zone)
    rows = rows.withColumn(_START, start_of(fn.col(_TIME), size, offset))
    rows = rows.withColumn(_END, fn.col(_START) + size * MICROSECONDS)
    return _named(frame, rows, time, zone, names)


def hop(
    frame: DataFrame,
    time: str | Column,
    slide: int,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """HOP: each row once for each window of ``size`` milliseconds, one every ``slide``, that covers it: maybe none."""
    check_length("The slide of a hopping window", slide)
    check_length("The size of a hopping window", size)
    rows = _with_time(frame, time, zone)
    rows = rows.withColumn(_START, fn.explode(starts_of(fn.col(_TIME), slide, size, offset)))
    rows = rows.withColumn(_END, fn.col(_START) + size * MICROSECONDS)
    return _named(frame, rows, time, zone, names)


def cumulate(
    frame: DataFrame,
    time: str | Column,
    step: int,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """CUMULATE: each row once for each window from the start of its ``size`` to a ``step`` that ends after the row."""
    check_steps(step, size)
    rows = _with_time(frame, time, zone)
    rows = rows.withColumn(_START, start_of(fn.col(_TIME), size, offset))
    first_end = start_of(fn.col(_TIME), step, offset) + step * MICROSECONDS
    ends = fn.sequence(first_end, fn.col(_START) + size * MICROSECONDS, fn.lit(step * MICROSECONDS))
    return _named(frame, rows.withColumn(_END, fn.explode(ends)), time, zone, names)


def session(
    frame: DataFrame,
    time: str | Column,
    gap: int,
    partition_by: Sequence[str | Column] = (),
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """SESSION: rows of equal ``partition_by`` share a window as long as no more than ``gap`` milliseconds part them.

    Two rows that are exactly ``gap`` apart share it, as in Flink, where windows that touch are merged. Times count in
    whole milliseconds.
    """
    check_length("The gap of a session window", gap)
    rows = _with_time(frame, time, zone)
    rows = rows.withColumn(_TIME, whole_milliseconds(fn.col(_TIME)))
    rows = rows.withColumn(_SESSION, session_number(fn.col(_TIME), gap, partition_by))
    whole = Window.partitionBy(*partition_by, fn.col(_SESSION))
    rows = rows.withColumn(_START, fn.min(_TIME).over(whole))
    rows = rows.withColumn(_END, fn.max(_TIME).over(whole) + gap * MICROSECONDS)
    return _named(frame, rows, time, zone, names)


def start_of(micros: Column, size: int, offset: int = 0) -> Column:
    """Microseconds at which the window of ``size`` ms begins that covers ``micros``; rounded down before 1970 too."""
    return micros - fn.pmod(micros - fn.lit(offset % size * MICROSECONDS), fn.lit(size * MICROSECONDS))


def starts_of(micros: Column, slide: int, size: int, offset: int = 0) -> Column:
    """The starts of all windows that cover ``micros``, ascending; NULL if none does."""
    slide_micros, size_micros = slide * MICROSECONDS, size * MICROSECONDS
    last = start_of(micros, slide, offset)
    if size % slide == 0:
        return fn.sequence(last - (size_micros - slide_micros), last, fn.lit(slide_micros))
    # How much of a window that begins at `last` is left at the row; nothing, if the slide is longer than the size.
    left = fn.lit(size_micros - 1) - (micros - last)
    earlier = (left - fn.pmod(left, fn.lit(slide_micros))).cast("bigint")
    return fn.when(left >= 0, fn.sequence(last - earlier, last, fn.lit(slide_micros)))


def session_number(micros: Column, gap: int, partition_by: Sequence[str | Column]) -> Column:
    """A number that rows of one key have in common if they are of one session; it grows with time."""
    in_order = Window.partitionBy(*partition_by).orderBy(micros)
    pause = micros - fn.lag(micros).over(in_order)
    begins = fn.when(pause > gap * MICROSECONDS, 1).otherwise(0)
    return fn.sum(begins).over(in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow))


def whole_milliseconds(micros: Column) -> Column:
    """Rounded down, before 1970 too."""
    return micros - fn.pmod(micros, fn.lit(MICROSECONDS))


def check_length(what: str, length: int) -> None:
    """Raise ``WindowError`` unless ``length``, in milliseconds, is more than nothing."""
    if length <= 0:
        raise WindowError(f"{what} is {length} ms; it must be longer than nothing.")


def check_steps(step: int, size: int) -> None:
    """Raise ``WindowError`` unless windows that grow by ``step`` milliseconds reach ``size``."""
    check_length("The step of a cumulating window", step)
    check_length("The size of a cumulating window", size)
    if size % step:
        raise WindowError(
            f"The size of a cumulating window must be a multiple of its step: {size} ms is none of {step} ms.",
            "Choose a step that divides the size.",
        )


def column(of: str | Column) -> Column:
    """A column by its name, or the column itself."""
    return fn.col(of) if isinstance(of, str) else of


def _with_time(frame: DataFrame, time: str | Column, zone: str) -> DataFrame:
    """The rows that have a time, with it in microseconds."""
    micros = wall_clock(frame, column(time), zone)
    return frame.withColumn(_TIME, micros).where(fn.col(_TIME).isNotNull())


def _named(frame: DataFrame, rows: DataFrame, time: str | Column, zone: str, names: WindowColumns) -> DataFrame:
    last = fn.col(_END) - MICROSECONDS
    moment = instant(last, zone) if is_local(frame, column(time)) else timestamp(last)
    rows = rows.select(
        "*",
        timestamp(fn.col(_START)).alias(names.start),
        timestamp(fn.col(_END)).alias(names.end),
        moment.alias(names.time),
    )
    return rows.drop(*_OWN)
