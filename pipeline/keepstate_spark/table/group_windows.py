"""Group windows: one result for each window and key.

``Tumble.over(...)``, ``Slide.over(...).every(...)``, ``Cumulate.over(...).every(...)`` and ``Session.with_gap(...)``,
on an event time, with a name. Tumbling and sliding windows may count rows as well as measure time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.table.event_time import FIELDS, NamedWindow, no_field
from keepstate_spark.table.lengths import AnyLength, Rows, positive, time_only
from keepstate_spark.windows import MICROSECONDS, milliseconds, timestamp
from keepstate_spark.windows.assignment import check_steps, ends_of, session_number, span_of, start_of, starts_of
from keepstate_spark.windows.clock import WallClock, interval, micros_of, whole_milliseconds

if TYPE_CHECKING:
    from typing_extensions import Self

Key = str | Column


@dataclass(frozen=True, kw_only=True)
class GroupWindow(NamedWindow, ABC):
    """A window that GROUP BY can name."""

    @abstractmethod
    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        """Return the rows, once for each window that they lie in, and the hidden columns that identify a window."""

    @property
    @abstractmethod
    def start(self) -> Column:
        """Start of the window, a TIMESTAMP of the wall clock, named ``w_start`` by default."""

    @property
    @abstractmethod
    def end(self) -> Column:
        """End of the window, the first moment outside of it."""

    @property
    def rowtime(self) -> Column:
        """The last millisecond of the window, of the type of the event time: the event time of the result, on which the
        next window may stand. Named ``w_rowtime`` by default.
        """
        return fn.col(self.hidden("rowtime")).alias(self.column_name("rowtime"))

    @property
    def rows_if_complete(self) -> int | None:
        """Number of rows that a complete window has; ``None`` if any number will do."""
        return None

    def with_rowtime(self, rows: DataFrame) -> DataFrame:
        """``rows`` that are assigned to windows, with the hidden column that ``rowtime`` reads."""
        return rows.withColumn(self.hidden("rowtime"), self.clock(rows).moment(self.end - interval(1)))

    def reads(self, field: str, of: Column) -> bool:
        """Return whether a column is computed from a field of the window."""
        return self.hidden(field) in str(of)

    def field(self, name: str) -> Column:
        """A field by its name. Raises ``WindowError`` for a name that is none."""
        if name not in FIELDS:
            raise no_field(self.name, name)
        field: Column = getattr(self, name)
        return field


@dataclass(frozen=True, kw_only=True)
class TimeWindow(GroupWindow):
    """A window with bounds on the wall clock, in the hidden columns ``start`` and ``end``: microseconds."""

    shift: int = 0

    def offset(self, by: AnyLength) -> Self:
        """Shifts all windows; "10 minutes" later or "-10 minutes" earlier, which counts modulo their grid."""
        if isinstance(by, Rows):
            raise WindowError("Windows are shifted by a time.", 'Write it like "10 minutes".')
        return replace(self, shift=milliseconds(by))

    @property
    def start(self) -> Column:
        return timestamp(fn.col(self.hidden("start"))).alias(self.column_name("start"))

    @property
    def end(self) -> Column:
        return timestamp(self._end()).alias(self.column_name("end"))

    def _end(self) -> Column:
        return fn.col(self.hidden("end"))

    def hide(self, bound: Column, clock: WallClock) -> Column:
        """A bound of Spark's own window on ``clock`` as the hidden columns hold it."""
        return fn.unix_micros(bound) if clock.zone is not None else micros_of(bound)


@dataclass(frozen=True, kw_only=True)
class TumblingWindow(TimeWindow):
    """Windows of ``size`` milliseconds, one after the other. The start is a time, as Spark's window gives it."""

    size: int

    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        clock = self.clock(frame)
        rows = frame.withColumn(self.hidden("span"), span_of(clock.local_time, self.size, self.shift))
        # Where a window ends follows from where it starts, so it need not be grouped by.
        rows = rows.withColumn(self.hidden("start"), clock.bound(fn.col(f"{self.hidden('span')}.start")))
        return rows, [self.hidden("start")]

    @property
    def start(self) -> Column:
        return fn.col(self.hidden("start")).alias(self.column_name("start"))

    @property
    def end(self) -> Column:
        return (fn.col(self.hidden("start")) + interval(self.size)).alias(self.column_name("end"))

    def hide(self, bound: Column, clock: WallClock) -> Column:
        return clock.bound(bound)


@dataclass(frozen=True, kw_only=True)
class SlidingWindow(TimeWindow):
    """Windows of ``size`` milliseconds, one every ``slide``."""

    size: int
    slide: int

    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        rows = self.with_time(frame)
        starts = starts_of(fn.col(self.hidden("time")), self.slide, self.size, self.shift)
        return rows.withColumn(self.hidden("start"), fn.explode(starts)), [self.hidden("start")]

    def _end(self) -> Column:
        return fn.col(self.hidden("start")) + self.size * MICROSECONDS


@dataclass(frozen=True, kw_only=True)
class CumulatingWindow(TimeWindow):
    """Windows that begin every ``size`` milliseconds and end after each ``step`` until the next one begins."""

    size: int
    step: int

    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        rows = self.with_time(frame)
        time = fn.col(self.hidden("time"))
        rows = rows.withColumn(self.hidden("start"), start_of(time, self.size, self.shift))
        ends = ends_of(time, self.step, self.size, self.shift)
        return rows.withColumn(self.hidden("end"), fn.explode(ends)), [self.hidden("start"), self.hidden("end")]


@dataclass(frozen=True, kw_only=True)
class SessionOfGap(TimeWindow):
    """Windows that end when a key had no row for ``gap`` milliseconds."""

    gap: int

    def offset(self, by: AnyLength) -> Self:
        raise WindowError("A session begins with its first row; there is no grid that an offset could shift.")

    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        rows = self.with_time(frame)
        # As a column, so that Spark sees that rows are sorted by it already.
        rows = rows.withColumn(self.hidden("first"), whole_milliseconds(fn.col(self.hidden("time"))))
        time = fn.col(self.hidden("first"))
        rows = rows.withColumn(self.hidden("number"), session_number(time, self.gap, keys))
        session = Window.partitionBy(*keys, self.hidden("number"))
        rows = rows.withColumn(self.hidden("start"), fn.min(time).over(session))
        rows = rows.withColumn(self.hidden("end"), fn.max(time).over(session) + self.gap * MICROSECONDS)
        return rows, [self.hidden("start"), self.hidden("end")]


@dataclass(frozen=True, kw_only=True)
class CountWindow(GroupWindow):
    """Windows of ``count`` rows of a key, one every ``every`` rows. An incomplete window has no result."""

    count: int
    every: int

    def assign(self, frame: DataFrame, keys: Sequence[Key]) -> tuple[DataFrame, list[str]]:
        rows, order = self.with_order(frame)
        number = fn.row_number().over(Window.partitionBy(*keys).orderBy(*order)) - 1
        rows = rows.withColumn(self.hidden("row"), number)
        row = fn.col(self.hidden("row"))
        if self.every == self.count:
            numbers = fn.floor(row / self.count)
        else:
            # The windows that begin with row 0, M, 2M ... and reach as far as this one.
            first = fn.greatest(fn.lit(0), fn.ceil((row - (self.count - 1)) / self.every)).cast("bigint")
            last = fn.floor(row / self.every).cast("bigint")
            numbers = fn.explode(fn.when(first <= last, fn.sequence(first, last, fn.lit(1).cast("bigint"))))
        return rows.withColumn(self.hidden("number"), numbers), [self.hidden("number")]

    @property
    def rows_if_complete(self) -> int | None:
        return self.count

    @property
    def start(self) -> Column:
        raise _no_bounds(self.name)

    @property
    def end(self) -> Column:
        raise _no_bounds(self.name)

    @property
    def rowtime(self) -> Column:
        raise _no_bounds(self.name)


def _no_bounds(name: str) -> WindowError:
    return WindowError(
        f'The window "{name}" counts rows, so it has neither start nor end.',
        "Select MIN and MAX of the time instead.",
    )


class Tumble:
    """Tumbling windows."""

    @staticmethod
    def over(size: AnyLength) -> TumblingWindow | CountWindow:
        """Windows of a time ("10 minutes") or of a number of rows ("3 rows").

        >>> w = Tumble.over("2 rows").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w", "buyer").select("buyer", fn.sum("amount").alias("total")).show()
        +-----+-----+
        |buyer|total|
        +-----+-----+
        |  ann|   12|
        +-----+-----+
        """
        parsed = positive("The size of a tumbling window", size)
        if isinstance(parsed, Rows):
            return CountWindow(count=parsed.count, every=parsed.count)
        return TumblingWindow(size=parsed.milliseconds)


@dataclass(frozen=True)
class _Size:
    size: AnyLength


class Slide(_Size):
    """Sliding windows: Flink's HOP."""

    @staticmethod
    def over(size: AnyLength) -> Slide:
        """Set the length, or the number of rows, of each window.

        >>> Slide.over("10 minutes").every("5 minutes").size
        600000
        """
        return Slide(size)

    def every(self, slide: AnyLength) -> SlidingWindow | CountWindow:
        """Set the distance to the next window, by the same measure. If it exceeds the size, some rows are in no
        window.

        >>> w = Slide.over("10 minutes").every("5 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w").select(w.start, fn.count("*").alias("n")).orderBy("w_start").show()
        +-------------------+---+
        |            w_start|  n|
        +-------------------+---+
        |2026-03-01 09:55:00|  1|
        |2026-03-01 10:00:00|  2|
        |2026-03-01 10:05:00|  2|
        |2026-03-01 10:10:00|  1|
        +-------------------+---+
        """
        size = positive("The size of a sliding window", self.size)
        distance = positive("The slide of a sliding window", slide)
        if isinstance(size, Rows) and isinstance(distance, Rows):
            return CountWindow(count=size.count, every=distance.count)
        if isinstance(size, Rows) or isinstance(distance, Rows):
            raise WindowError(
                f"A window over {self.size} cannot slide by {slide}.", "Give both as times or both as rows."
            )
        return SlidingWindow(size=size.milliseconds, slide=distance.milliseconds)


class Cumulate(_Size):
    """Cumulating windows."""

    @staticmethod
    def over(size: AnyLength) -> Cumulate:
        """Set the length of the longest window. The next one begins at its end.

        >>> Cumulate.over("1 hour").every("10 minutes").step
        600000
        """
        return Cumulate(size)

    def every(self, step: AnyLength) -> CumulatingWindow:
        """By how much the next window with the same start is longer. The size is a multiple of it.

        >>> w = Cumulate.over("20 minutes").every("10 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w").select(w.start, w.end, fn.count("*")).orderBy("w_end").show()
        +-------------------+-------------------+--------+
        |            w_start|              w_end|count(1)|
        +-------------------+-------------------+--------+
        |2026-03-01 10:00:00|2026-03-01 10:10:00|       2|
        |2026-03-01 10:00:00|2026-03-01 10:20:00|       3|
        +-------------------+-------------------+--------+
        """
        size = time_only("The size of a cumulating window", self.size)
        longer = time_only("The step of a cumulating window", step)
        check_steps(longer, size)
        return CumulatingWindow(size=size, step=longer)


class Session:
    """Session windows."""

    @staticmethod
    def with_gap(gap: AnyLength) -> SessionOfGap:
        """Windows that go on as long as no more than this time lies between two rows of a key.

        >>> w = Session.with_gap("5 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w").select(w.start, w.end, fn.count("*")).orderBy("w_start").show()
        +-------------------+-------------------+--------+
        |            w_start|              w_end|count(1)|
        +-------------------+-------------------+--------+
        |2026-03-01 10:01:00|2026-03-01 10:06:00|       1|
        |2026-03-01 10:08:00|2026-03-01 10:17:00|       2|
        +-------------------+-------------------+--------+
        """
        return SessionOfGap(gap=time_only("The gap of a session window", gap))
