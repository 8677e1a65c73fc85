"""Windows of a row: TUMBLE, HOP, CUMULATE and SESSION, as columns of a frame.

Windows are half-open. Starts and ends are TIMESTAMPs of the wall clock; ``window_time``, a millisecond before the end,
has the type of the event time. A row without a time lies in no window, so it is not in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.windows.clock import (
    MICROSECONDS,
    UTC,
    WallClock,
    interval,
    wall_clock,
    whole_milliseconds,
)
from keepstate_spark.windows.durations import check_size
from keepstate_spark.windows.frame_columns import columns_of

_START = "__keepstate_start"
_END = "__keepstate_end"
_SESSION = "__keepstate_session"
_SPAN = "__keepstate_span"
_PAUSE = "__keepstate_pause"
_FIRST = "__keepstate_first"
_LAST = "__keepstate_last"


@dataclass(frozen=True)
class WindowColumns:
    """Names of the columns of a window."""

    start: str = "window_start"
    end: str = "window_end"
    time: str = "window_time"

    def __post_init__(self) -> None:
        # Spark takes names in any case, and a second column of one name takes the place of the first.
        if len({name.lower() for name in (self.start, self.end, self.time)}) < 3:
            raise WindowError(f"{self.start}, {self.end} and {self.time} are no three names.", "Give each its own.")


WINDOW_COLUMNS = WindowColumns()


def tumble(
    frame: DataFrame,
    time: str | Column | WallClock,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """TUMBLE: each row in the one window of ``size`` milliseconds that covers it.

    >>> tumble(orders, "rowtime", 600_000).select("buyer", "window_start", "window_end").show()
    +-----+-------------------+-------------------+
    |buyer|       window_start|         window_end|
    +-----+-------------------+-------------------+
    |  ann|2026-03-01 10:00:00|2026-03-01 10:10:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:10:00|
    |  bob|2026-03-01 10:10:00|2026-03-01 10:20:00|
    +-----+-------------------+-------------------+
    """
    check_length("The size of a tumbling window", size)
    check_offset(offset)
    clock = wall_clock(frame, time, zone)
    rows = frame.withColumn(_SPAN, span_of(clock.local_time, size, offset))
    bounds = clock.bound(fn.col(f"{_SPAN}.start")), clock.bound(fn.col(f"{_SPAN}.end"))
    return _with_window_columns(rows, *bounds, clock, names).drop(_SPAN)


def with_bounds(frame: DataFrame, start: WallClock, size: int, *, names: WindowColumns = WINDOW_COLUMNS) -> DataFrame:
    """``frame``, each row with the window of ``size`` milliseconds that begins at ``start``."""
    begin = start.bound(start.local_time)
    return _with_window_columns(frame, begin, begin + interval(size), start, names)


def hop(
    frame: DataFrame,
    time: str | Column | WallClock,
    slide: int,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """HOP: each row once for each window of ``size`` milliseconds, one every ``slide``, that covers it: maybe none.

    >>> hop(orders, "rowtime", 600_000, 1_200_000).select("buyer", "window_start", "window_end").show()
    +-----+-------------------+-------------------+
    |buyer|       window_start|         window_end|
    +-----+-------------------+-------------------+
    |  ann|2026-03-01 09:50:00|2026-03-01 10:10:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:20:00|
    |  ann|2026-03-01 09:50:00|2026-03-01 10:10:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:20:00|
    |  bob|2026-03-01 10:00:00|2026-03-01 10:20:00|
    |  bob|2026-03-01 10:10:00|2026-03-01 10:30:00|
    +-----+-------------------+-------------------+
    """
    check_length("The slide of a hopping window", slide)
    check_length("The size of a hopping window", size)
    check_offset(offset)
    clock = wall_clock(frame, time, zone)
    # NULL has no elements, so rows without a time go here as well.
    rows = frame.withColumn(_START, fn.explode(starts_of(clock.micros, slide, size, offset)))
    bounds = clock.to_timestamp(fn.col(_START)), clock.to_timestamp(fn.col(_START) + size * MICROSECONDS)
    return _with_window_columns(rows, *bounds, clock, names).drop(_START)


def cumulate(
    frame: DataFrame,
    time: str | Column | WallClock,
    step: int,
    size: int,
    offset: int = 0,
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """CUMULATE: each row once for each window from the start of its ``size`` to a ``step`` that ends after the row.

    >>> cumulate(orders, "rowtime", 600_000, 1_200_000).select("buyer", "window_start", "window_end").show()
    +-----+-------------------+-------------------+
    |buyer|       window_start|         window_end|
    +-----+-------------------+-------------------+
    |  ann|2026-03-01 10:00:00|2026-03-01 10:10:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:20:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:10:00|
    |  ann|2026-03-01 10:00:00|2026-03-01 10:20:00|
    |  bob|2026-03-01 10:00:00|2026-03-01 10:20:00|
    +-----+-------------------+-------------------+
    """
    check_steps(step, size)
    check_offset(offset)
    clock = wall_clock(frame, time, zone)
    rows = frame.withColumn(_END, fn.explode(ends_of(clock.micros, step, size, offset)))
    bounds = clock.to_timestamp(start_of(clock.micros, size, offset)), clock.to_timestamp(fn.col(_END))
    return _with_window_columns(rows, *bounds, clock, names).drop(_END)


def session(
    frame: DataFrame,
    time: str | Column | WallClock,
    gap: int,
    partition_by: str | Sequence[str | Column] = (),
    *,
    zone: str = UTC,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """SESSION: rows of equal ``partition_by`` share a window as long as no more than ``gap`` milliseconds part them.

    Two rows that are exactly ``gap`` apart share it, as in Flink, where windows that touch are merged. Times count in
    whole milliseconds.

    >>> session(orders, "rowtime", 300_000).select("buyer", "window_start", "window_end").show()
    +-----+-------------------+-------------------+
    |buyer|       window_start|         window_end|
    +-----+-------------------+-------------------+
    |  ann|2026-03-01 10:01:00|2026-03-01 10:06:00|
    |  ann|2026-03-01 10:08:00|2026-03-01 10:17:00|
    |  bob|2026-03-01 10:08:00|2026-03-01 10:17:00|
    +-----+-------------------+-------------------+
    """
    check_length("The gap of a session window", gap)
    partition_by = [partition_by] if isinstance(partition_by, str) else partition_by
    clock = wall_clock(frame, time, zone)
    if frame.isStreaming:
        raise WindowError(
            "The rows are a stream, and a session lasts until its last row.",
            "keepstate_spark.table has Session.with_gap for streams.",
        )
    # As a column: rows that are sorted by an expression Spark would sort by it again.
    rows = frame.where(clock.local_time.isNotNull()).withColumn(_FIRST, whole_milliseconds(clock.micros))
    first = fn.col(_FIRST)
    with columns_of(frame):
        rows = rows.withColumn(_SESSION, session_number(first, gap, partition_by))
    return _sessions(rows, first, first, gap, partition_by, clock, names).drop(_FIRST)


def sessions_of_spans(
    frame: DataFrame,
    first: WallClock,
    last: WallClock,
    gap: int,
    partition_by: Sequence[str | Column] = (),
    *,
    names: WindowColumns = WINDOW_COLUMNS,
) -> DataFrame:
    """SESSION over rows that stand for several each, from ``first`` to ``last`` without a pause longer than ``gap``."""
    check_length("The gap of a session window", gap)
    rows = frame.withColumns({_FIRST: whole_milliseconds(first.micros), _LAST: whole_milliseconds(last.micros)})
    begin, end = fn.col(_FIRST), fn.col(_LAST)
    in_order = Window.partitionBy(*partition_by).orderBy(begin)
    # The span before may lie within a longer one, of another group: what counts is how far any of them reached.
    end_before = fn.max(end).over(in_order.rowsBetween(Window.unboundedPreceding, -1))
    rows = rows.withColumn(_PAUSE, begin - end_before)
    rows = rows.withColumn(_SESSION, _counted_pauses(fn.col(_PAUSE), gap, in_order))
    return _sessions(rows, begin, end, gap, partition_by, first, names).drop(_PAUSE, _FIRST, _LAST)


def span_of(local_time: Column, size: int, offset: int = 0, slide: int | None = None) -> Column:
    """Spark's own window, a structure of ``start`` and ``end`` of the type of ``local_time``; rows without a time go.

    It reads times as the numbers that they are. But one select takes one of them only, it refuses a slide beyond the
    size, and where windows overlap it makes more copies of a row than it needs.
    """
    lengths = [f"{length} milliseconds" for length in (size, slide or size, offset % (slide or size))]
    return fn.window(local_time, *lengths)


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
    remainder = fn.lit(size_micros - 1) - (micros - last)
    earlier = (remainder - fn.pmod(remainder, fn.lit(slide_micros))).cast("bigint")
    return fn.when(remainder >= 0, fn.sequence(last - earlier, last, fn.lit(slide_micros)))


def ends_of(micros: Column, step: int, size: int, offset: int = 0) -> Column:
    """The ends of all cumulating windows that cover ``micros``, ascending."""
    step_micros = fn.lit(step * MICROSECONDS)
    last = start_of(micros, size, offset) + size * MICROSECONDS
    return fn.sequence(start_of(micros, step, offset) + step_micros, last, step_micros)


def session_number(micros: Column, gap: int, partition_by: Sequence[str | Column]) -> Column:
    """A number that rows of one key have in common if they are of one session; it grows with time."""
    in_order = Window.partitionBy(*partition_by).orderBy(micros)
    return _counted_pauses(micros - fn.lag(micros).over(in_order), gap, in_order)


def _counted_pauses(pause: Column, gap: int, in_order: WindowSpec) -> Column:
    """Return the number of ``pause``s up to a row that were longer than ``gap`` milliseconds."""
    begins = fn.when(pause > gap * MICROSECONDS, 1).otherwise(0)
    return fn.sum(begins).over(in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow))


def _sessions(
    rows: DataFrame,
    first: Column,
    last: Column,
    gap: int,
    partition_by: Sequence[str | Column],
    clock: WallClock,
    names: WindowColumns,
) -> DataFrame:
    """The bounds of the sessions that are numbered in ``rows``."""
    whole = Window.partitionBy(*partition_by, fn.col(_SESSION))
    bounds = (
        clock.to_timestamp(fn.min(first).over(whole)),
        clock.to_timestamp(fn.max(last).over(whole) + gap * MICROSECONDS),
    )
    return _with_window_columns(rows, *bounds, clock, names).drop(_SESSION)


def check_length(subject: str, length: object) -> None:
    """Raise ``WindowError`` unless ``length`` is a whole number of milliseconds, and more than nothing."""
    if not isinstance(length, int):
        sentence = f"{subject} is {length!r}, and lengths are whole milliseconds."
        raise WindowError(sentence, 'Write milliseconds("1 minute").')
    if length <= 0:
        raise WindowError(f"{subject} is {length} ms; it must be longer than nothing.")
    check_size(length)


def check_offset(offset: object) -> None:
    """Raise ``WindowError`` unless ``offset`` is a whole number of milliseconds."""
    if not isinstance(offset, int):
        sentence = f"The offset of a window is {offset!r}, and lengths are whole milliseconds."
        raise WindowError(sentence, 'Write milliseconds("1 minute").')


def check_steps(step: int, size: int) -> None:
    """Raise ``WindowError`` unless windows that grow by ``step`` milliseconds reach ``size``."""
    check_length("The step of a cumulating window", step)
    check_length("The size of a cumulating window", size)
    if size % step:
        raise WindowError(
            f"The size of a cumulating window must be a multiple of its step: {size} ms is none of {step} ms.",
            "Choose a step that divides the size.",
        )


def _with_window_columns(
    rows: DataFrame, start: Column, end: Column, clock: WallClock, names: WindowColumns
) -> DataFrame:
    doubles = [name for name in (names.start, names.end, names.time) if name in rows.columns]
    if doubles:
        raise WindowError(
            f"The rows have a column {doubles[0]} already.",
            "Rename it, or give the columns of the window other names: names=WindowColumns(...).",
        )
    return rows.select(
        "*",
        start.alias(names.start),
        end.alias(names.end),
        clock.moment(end - interval(1)).alias(names.time),
    )
