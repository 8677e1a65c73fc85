"""A DataFrame with Flink's windows: ``Table(frame).window(...).group_by(...).select(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.table.event_time import FIELDS
from keepstate_spark.table.group_windows import GroupWindow, Key, SessionOfGap
from keepstate_spark.table.row_windows import RowWindow
from keepstate_spark.table.streams import assign_to_stream
from keepstate_spark.windows.clock import as_column
from keepstate_spark.windows.frame_columns import columns_of

_ROWS = "__rows"


@dataclass(frozen=True)
class Table:
    """A DataFrame, of files or of a stream, that windows can be put on."""

    frame: DataFrame

    def __post_init__(self) -> None:
        if not isinstance(self.frame, DataFrame):
            raise WindowError(f"{self.frame!r} is no DataFrame.", "A table is made of one: Table(orders).")

    def group_by(self, *keys: Key) -> KeyedTable:
        """By keys, each of which has windows of its own; the window comes next.

        >>> w = Tumble.over("10 minutes").on("rowtime").alias("w")
        >>> Table(orders).group_by("buyer").window(w).select("buyer", w.start, fn.sum("amount")).show()
        +-----+-------------------+-----------+
        |buyer|            w_start|sum(amount)|
        +-----+-------------------+-----------+
        |  ann|2026-03-01 10:00:00|         12|
        |  bob|2026-03-01 10:10:00|          1|
        +-----+-------------------+-----------+
        """
        return KeyedTable(self.frame, keys)

    @overload
    def window(self, *windows: GroupWindow) -> WindowedTable: ...

    @overload
    def window(self, *windows: RowWindow) -> RowWindowedTable: ...

    def window(self, *windows: GroupWindow | RowWindow) -> WindowedTable | RowWindowedTable:
        """Put one group window, or any number of row windows, on the table. Raises ``WindowError`` for a mixture.

        >>> w = Tumble.over("10 minutes").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w", "buyer").select("buyer", w.start, fn.sum("amount")).show()
        +-----+-------------------+-----------+
        |buyer|            w_start|sum(amount)|
        +-----+-------------------+-----------+
        |  ann|2026-03-01 10:00:00|         12|
        |  bob|2026-03-01 10:10:00|          1|
        +-----+-------------------+-----------+
        """
        if len(windows) == 1 and isinstance(windows[0], GroupWindow):
            return WindowedTable(self.frame, windows[0])
        return RowWindowedTable(self.frame, _row_windows(windows))


def _require_columns(columns: Sequence[str | Column]) -> None:
    if not columns:
        raise WindowError("A select needs columns.", 'Name some: .select("buyer", w.start).')


def _row_windows(windows: Sequence[GroupWindow | RowWindow]) -> tuple[RowWindow, ...]:
    """Row windows with names of their own. Raises ``WindowError`` for others."""
    for other in windows:
        if not isinstance(other, (GroupWindow, RowWindow)):
            raise WindowError(
                f"{other!r} is no window.", 'Make one: Tumble.over("10 minutes").on("rowtime").alias("w").'
            )
    names = [window.name for window in windows]
    if not all(names) or len(set(names)) < len(names):
        raise WindowError("Each window needs a name of its own.", 'Give it one with .alias("w").')
    rows = tuple(window for window in windows if isinstance(window, RowWindow))
    if not rows or len(rows) < len(windows):
        raise WindowError("A table has one group window, or row windows only.", "Put the next one on the result.")
    return rows


@dataclass(frozen=True)
class KeyedTable:
    """A table that is grouped by keys, to be put into windows."""

    frame: DataFrame
    keys: tuple[Key, ...]

    @overload
    def window(self, *windows: GroupWindow) -> GroupedTable: ...

    @overload
    def window(self, *windows: RowWindow) -> RowWindowedTable: ...

    def window(self, *windows: GroupWindow | RowWindow) -> GroupedTable | RowWindowedTable:
        """Put one group window, or any number of row windows, on the rows of each key. A window that no column of the
        result names needs no name.

        >>> w = SlideRows.preceding(UNBOUNDED_ROWS).on("rowtime").alias("w")
        >>> so_far = w.over(fn.sum("amount")).alias("so_far")
        >>> Table(orders).group_by("buyer").window(w).select("buyer", "amount", so_far).show()
        +-----+------+------+
        |buyer|amount|so_far|
        +-----+------+------+
        |  ann|     5|     5|
        |  ann|     7|    12|
        |  bob|     1|     1|
        +-----+------+------+
        """
        if len(windows) == 1 and isinstance(windows[0], GroupWindow):
            return GroupedTable(self.frame, windows[0], self.keys)
        return RowWindowedTable(self.frame, _row_windows(windows), self.keys)


@dataclass(frozen=True)
class WindowedTable:
    """A table with a group window, to be grouped by it."""

    frame: DataFrame
    group_window: GroupWindow

    def group_by(self, *keys: Key) -> GroupedTable:
        """By the window, which must be among them, and by keys.

        >>> w = Tumble.over("1 hour").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w").select(w.end, fn.count("*").alias("n")).show()
        +-------------------+---+
        |              w_end|  n|
        +-------------------+---+
        |2026-03-01 11:00:00|  3|
        +-------------------+---+
        """
        name = self.group_window.name
        if not name:
            raise WindowError("A window that GROUP BY names needs a name.", 'Give it one with .alias("w").')
        rest = tuple(key for key in keys if not (isinstance(key, str) and key == name))
        if len(rest) != len(keys) - 1:
            raise WindowError(f'GROUP BY must name the window "{name}" once.', f'Write .group_by("{name}", ...).')
        return GroupedTable(self.frame, self.group_window, rest)

    def select(self, *columns: str | Column) -> DataFrame:
        """Return one row for each window, over the rows of all keys.

        >>> Table(orders).window(Tumble.over("1 hour").on("rowtime")).select(fn.count("*").alias("n")).show()
        +---+
        |  n|
        +---+
        |  3|
        +---+
        """
        return GroupedTable(self.frame, self.group_window, ()).select(*columns)


@dataclass(frozen=True)
class GroupedTable:
    """A table grouped by a window and keys."""

    frame: DataFrame
    group_window: GroupWindow
    keys: tuple[Key, ...]

    def select(self, *columns: str | Column) -> DataFrame:
        """Return one row for each window and key: keys, aggregates, ``w.start``, ``w.end``, ``w.rowtime``, and
        expressions of them.

        >>> w = Tumble.over("1 hour").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w", "buyer").select("buyer", (fn.max("amount") * 2).alias("twice")).show()
        +-----+-----+
        |buyer|twice|
        +-----+-----+
        |  ann|   14|
        |  bob|    2|
        +-----+-----+
        """
        _require_columns(columns)
        with columns_of(self.frame):
            return self._windowed([self._column(of) for of in columns])

    def _windowed(self, results: list[Column]) -> DataFrame:
        window = self.group_window
        if self.frame.isStreaming:
            return self._of_stream(results)
        rows, hidden = window.assign(self.frame, self.keys)
        if any(window.reads("rowtime", of) for of in results):
            rows = window.with_rowtime(rows)
            hidden.append(window.hidden("rowtime"))
        grouped, groups = self._grouped(rows, hidden)
        full = window.rows_if_complete
        if full is None:
            return grouped.agg(*results).drop(*groups)
        counted = grouped.agg(*results, fn.count(fn.lit(1)).alias(_ROWS))
        return counted.where(fn.col(_ROWS) == full).drop(_ROWS, *groups)

    def _grouped(self, rows: DataFrame, hidden: Sequence[str]) -> tuple[GroupedData, list[str]]:
        """``rows`` grouped by ``hidden`` columns and the keys, and the names of these in the result."""
        groups = {f"__group_{number}": key for number, key in enumerate((*hidden, *self.keys))}
        return rows.groupBy(*(as_column(key).alias(name) for name, key in groups.items())), list(groups)

    def _of_stream(self, results: list[Column]) -> DataFrame:
        """The result on a stream. Some fields of its windows are computed after the rest: the bounds of a session are
        known when all its rows are together, and Spark groups by one column with a watermark only.
        """
        window = self.group_window
        rows, stream = assign_to_stream(window, self.frame)
        hidden, behind = [window.hidden("window")], list(FIELDS)
        if isinstance(window, SessionOfGap):
            if not self.keys:
                # Spark takes no session without a key, and its optimizer drops a constant. This one it cannot see.
                hidden.append(window.hidden("all"))
                rows = rows.withColumn(hidden[1], fn.pmod(fn.unix_micros(stream.clock.local_time), fn.lit(1)))
        else:
            rows = stream.with_bounds(rows, window.hidden("window"))
            hidden, behind = [window.hidden(part) for part in ("window", "start", "end")], ["rowtime"]
        grouped, groups = self._grouped(rows, hidden)
        late = [any(window.reads(field, of) for field in behind) for of in results]
        if not any(late):
            return grouped.agg(*results).drop(*groups)
        aggregates = [of.alias(f"__column_{place}") for place, of in enumerate(results) if not late[place]]
        early = [of for place, of in enumerate(results) if not late[place]]
        names = grouped.agg(*early).columns if early else []
        # Spark groups nothing without an aggregate.
        result = stream.with_fields(grouped.agg(*(aggregates or [fn.count(fn.lit(1)).alias(_ROWS)])), groups[0])
        names_left = iter(names[len(names) - len(aggregates) :])
        return result.select(
            *(
                of if late[place] else fn.col(f"__column_{place}").alias(next(names_left))
                for place, of in enumerate(results)
            )
        )

    def _column(self, of: str | Column) -> Column:
        if isinstance(of, str):
            name, _, field = of.partition(".")
            if name == self.group_window.name:
                return self.group_window.field(field)
            return self._key_of_name(of)
        return as_column(of)

    def _key_of_name(self, name: str) -> Column:
        """The key that ``alias`` names so, which is no column of the table; else the column."""
        computed = [] if name in self.frame.columns else [key for key in self.keys if isinstance(key, Column)]
        # A column says its name in a result only.
        return next((key for key in computed if self.frame.select(key).columns == [name]), fn.col(name))


@dataclass(frozen=True)
class RowWindowedTable:
    """A table with row windows, for aggregates over them."""

    frame: DataFrame
    row_windows: tuple[RowWindow, ...]
    keys: tuple[Key, ...] = ()

    def group_by(self, *keys: Key) -> RowWindowedTable:
        """By keys: only rows of equal keys are in a window together.

        >>> w = SlideRows.preceding("1 row").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("buyer").select("buyer", w.over(fn.sum("amount")).alias("of_two")).show()
        +-----+------+
        |buyer|of_two|
        +-----+------+
        |  ann|     5|
        |  ann|    12|
        |  bob|     1|
        +-----+------+
        """
        return replace(self, keys=keys)

    def select(self, *columns: str | Column) -> DataFrame:
        """Return one row for each row: its columns, aggregates (``w.over(...)``), ``w.start``, ``w.end``,
        ``w.rowtime``, and expressions of them.

        >>> w = SlideRows.preceding(UNBOUNDED_ROWS).on("rowtime").partition_by("buyer").alias("w")
        >>> Table(orders).window(w).select("buyer", "amount", w.over(fn.sum("amount")).alias("so_far")).show()
        +-----+------+------+
        |buyer|amount|so_far|
        +-----+------+------+
        |  ann|     5|     5|
        |  ann|     7|    12|
        |  bob|     1|     1|
        +-----+------+------+
        """
        _require_columns(columns)
        if self.frame.isStreaming:
            raise WindowError(
                "Spark computes no row windows on a stream.", "Use a group window, or read the rows with spark.read."
            )
        # ``*`` stands for the columns of the table, without the hidden ones.
        every = [fn.col(f"`{name.replace('`', '``')}`") for name in self.frame.columns]
        results = (every if isinstance(of, str) and of == "*" else [self._column(of)] for of in columns)
        rows = self.frame
        with columns_of(self.frame):
            for window in self.row_windows:
                rows = window.assign(rows, self.keys)
            return rows.select(*(of for some in results for of in some))

    def _column(self, of: str | Column) -> Column:
        if isinstance(of, str):
            name, dot, field = of.partition(".")
            for window in self.row_windows:
                if dot and window.name == name:
                    return window.field(field)
        return as_column(of)
