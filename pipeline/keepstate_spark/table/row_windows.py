"""Row windows: one result for each row, computed over the rows of its window.

``TumbleRows`` and ``SessionRows`` aggregate from the first row of the window up to this one; ``SlideRows`` is the frame
of an OVER clause. Several may be used in one SELECT. Rows without an event time are in no window and not in the result.
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
from keepstate_spark.table.lengths import AnyLength, Bound, Duration, Rows, length, positive, time_only
from keepstate_spark.windows import MICROSECONDS, milliseconds, timestamp
from keepstate_spark.windows.assignment import session_number, start_of
from keepstate_spark.windows.clock import as_column, require_column, whole_milliseconds

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, kw_only=True)
class RowWindow(NamedWindow, ABC):
    """A window that aggregates are computed over, for each row."""

    keys: tuple[str | Column, ...] = ()

    def partition_by(self, *keys: str | Column) -> Self:
        """Only rows of equal keys are in a window together. Raises ``WindowError`` for a key that is no column."""
        for key in keys:
            require_column(key)
        return replace(self, keys=keys)

    def assign(self, frame: DataFrame, keys: Sequence[str | Column] = ()) -> DataFrame:
        """The rows, with the hidden columns that ``over`` and the fields read: the number of a row of its key, its
        window and its event time. ``keys`` are those of the table, for a window without its own.

        Raises ``WindowError`` for a window with its own, if the table has some too.
        """
        if keys and self.keys:
            raise WindowError(
                f'The window "{self.name}" has keys of its own, and the table is grouped by others.',
                "Leave out partition_by or group_by.",
            )
        rows, order = self.with_order(frame)
        if not self.keys:
            rows = rows.withColumn(self.hidden("keys"), fn.struct(*map(as_column, keys)) if keys else fn.lit(0))
        if self.time is not None:
            rows = rows.withColumn(self.hidden("rowtime"), as_column(self.time))
        number = fn.row_number().over(Window.partitionBy(*self.parts).orderBy(*order)) - 1
        rows = rows.withColumn(self.hidden("row"), number)
        return rows.withColumn(self.hidden("window"), self._window(fn.col(self.hidden("row"))))

    @property
    def parts(self) -> tuple[str | Column, ...]:
        """The columns that rows of one window have in common."""
        return self.keys or (self.hidden("keys"),)

    def over(self, aggregate: Column) -> Column:
        """The aggregate over the window of each row, from its first row up to this one."""
        _require_aggregate(aggregate)
        rows = Window.partitionBy(*self.parts, self.hidden("window")).orderBy(self.hidden("row"))
        return aggregate.over(rows.rowsBetween(Window.unboundedPreceding, Window.currentRow))

    @property
    def start(self) -> Column:
        """The time of the first row in the window of a row, a TIMESTAMP of the wall clock; of a tumbling window of a
        time its start. Named ``w_start`` by default.
        """
        return timestamp(self.over(fn.min(self._time()))).alias(self.column_name("start"))

    @property
    def end(self) -> Column:
        """The time of the last row in the window of a row; of a tumbling window of a time its end."""
        return timestamp(self.over(fn.max(self._time()))).alias(self.column_name("end"))

    @property
    def rowtime(self) -> Column:
        """The event time of a row, in its own type."""
        self.require_time()
        return fn.col(self.hidden("rowtime")).alias(self.column_name("rowtime"))

    def field(self, name: str) -> Column:
        """A field by its name. Raises ``WindowError`` for a name that is none."""
        if name not in FIELDS:
            raise no_field(self.name, name)
        field: Column = getattr(self, name)
        return field

    def _time(self) -> Column:
        self.require_time()
        return fn.col(self.hidden("time"))

    @abstractmethod
    def _window(self, row: Column) -> Column:
        """Return a column with one value for all rows of one key and window."""

    def _milliseconds(self) -> Column:
        """Return the event time in microseconds, rounded down to a millisecond."""
        return whole_milliseconds(self._time())


@dataclass(frozen=True, kw_only=True)
class TumblingRows(RowWindow):
    """Over the rows since the current tumbling window began."""

    size: Duration | Rows
    shift: int = 0

    def offset(self, by: AnyLength) -> Self:
        """Shifts the grid of windows that measure time."""
        if isinstance(self.size, Rows) or isinstance(by, Rows):
            raise WindowError("Windows of rows begin with the first row of a key; there is no grid to shift.")
        return replace(self, shift=milliseconds(by))

    def _window(self, row: Column) -> Column:
        if isinstance(self.size, Rows):
            return fn.floor(row / self.size.count)
        return start_of(self._milliseconds(), self.size.milliseconds, self.shift)

    @property
    def start(self) -> Column:
        if isinstance(self.size, Rows):
            return super().start
        return timestamp(fn.col(self.hidden("window"))).alias(self.column_name("start"))

    @property
    def end(self) -> Column:
        if isinstance(self.size, Rows):
            return super().end
        end = fn.col(self.hidden("window")) + self.size.milliseconds * MICROSECONDS
        return timestamp(end).alias(self.column_name("end"))


@dataclass(frozen=True, kw_only=True)
class RowsOfSession(RowWindow):
    """Over the rows since the current session of the key began."""

    gap: int

    def _window(self, row: Column) -> Column:
        return session_number(self._milliseconds(), self.gap, self.parts)


@dataclass(frozen=True, kw_only=True)
class SlidingRows(RowWindow):
    """Over the rows around each row, as many or as far away as ``before`` and ``after`` say; ``None`` is all."""

    before: int | None
    after: int = 0
    is_range: bool

    def following(self, bound: AnyLength | Bound) -> Self:
        """Set the end of the window behind the row. Without this, the window ends with the row or with all rows of its
        time.
        """
        if bound in (Bound.UNBOUNDED_RANGE, Bound.UNBOUNDED_ROWS):
            raise WindowError("A sliding window that never ends has no result.", "Say how far it follows.")
        after, is_range = _bound(bound)
        if is_range != self.is_range:
            raise WindowError(
                "A sliding window precedes by rows and follows by time, or the other way round.",
                "Give both as times or both as rows.",
            )
        return replace(self, after=after or 0)

    def over(self, aggregate: Column) -> Column:
        _require_aggregate(aggregate)
        first = Window.unboundedPreceding if self.before is None else -self.before
        if self.is_range:
            # Rows of one time are peers: each is in the windows of all of them.
            peers = Window.partitionBy(*self.parts).orderBy(self.hidden("window"))
            return aggregate.over(peers.rangeBetween(first, self.after))
        rows = Window.partitionBy(*self.parts).orderBy(self.hidden("row"))
        return aggregate.over(rows.rowsBetween(first, self.after))

    def _window(self, row: Column) -> Column:
        return self._milliseconds() if self.is_range else row


def _require_aggregate(value: object) -> None:
    if not isinstance(value, Column):
        raise WindowError(f"{value!r} is no aggregate.", 'Write one: w.over(fn.sum("amount")).')


def _bound(bound: AnyLength | Bound) -> tuple[int | None, bool]:
    """Rows or microseconds, or ``None`` for all; and whether it is a range."""
    if isinstance(bound, Bound):
        unbounded = bound in (Bound.UNBOUNDED_RANGE, Bound.UNBOUNDED_ROWS)
        return None if unbounded else 0, bound in (Bound.UNBOUNDED_RANGE, Bound.CURRENT_RANGE)
    parsed = length(bound)
    if isinstance(parsed, Rows):
        distance = parsed.count
    else:
        distance = parsed.milliseconds * MICROSECONDS
    if distance < 0:
        raise WindowError(f"A sliding window reaches {bound}; it must not be less than nothing.")
    return distance, isinstance(parsed, Duration)


class TumbleRows:
    """Tumbling row windows."""

    @staticmethod
    def over(size: AnyLength) -> TumblingRows:
        """Over a time ("10 minutes", on the grid of Tumble) or a number of rows ("3 rows", from the first of a key).

        >>> w = TumbleRows.over("10 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).select("buyer", w.over(fn.count("*")).alias("n")).show()
        +-----+---+
        |buyer|  n|
        +-----+---+
        |  ann|  1|
        |  ann|  2|
        |  bob|  1|
        +-----+---+
        """
        return TumblingRows(size=positive("The size of a tumbling window", size))


class SlideRows:
    """Sliding row windows."""

    @staticmethod
    def preceding(bound: AnyLength | Bound) -> SlidingRows:
        """Set the start of the window before the row: a time, a number of rows, ``UNBOUNDED_RANGE`` or
        ``UNBOUNDED_ROWS``.

        >>> w = SlideRows.preceding("1 row").on("rowtime").alias("w")
        >>> Table(orders).window(w).select("buyer", w.over(fn.sum("amount")).alias("of_two")).show()
        +-----+------+
        |buyer|of_two|
        +-----+------+
        |  ann|     5|
        |  ann|    12|
        |  bob|     8|
        +-----+------+
        """
        before, is_range = _bound(bound)
        return SlidingRows(before=before, is_range=is_range)


class SessionRows:
    """Session row windows."""

    @staticmethod
    def with_gap(gap: AnyLength) -> RowsOfSession:
        """Sessions that go on as long as no more than this time lies between two rows of a key.

        >>> w = SessionRows.with_gap("5 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).select("buyer", w.over(fn.count("*")).alias("n")).show()
        +-----+---+
        |buyer|  n|
        +-----+---+
        |  ann|  1|
        |  ann|  1|
        |  bob|  2|
        +-----+---+
        """
        return RowsOfSession(gap=time_only("The gap of a session window", gap))
