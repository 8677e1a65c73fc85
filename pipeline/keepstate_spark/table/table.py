"""A DataFrame with Flink's windows: ``Table(frame).window(...).group_by(...).select(...)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.table.group_windows import GroupWindow, Key, SessionOfGap
from keepstate_spark.table.row_windows import RowWindow
from keepstate_spark.table.streams import assign_to_stream, reads_bounds, with_bounds
from keepstate_spark.windows.clock import column

_ROWS = "__rows"


@dataclass(frozen=True)
class Table:
    """A DataFrame, of files or of a stream, that windows can be put on."""

    frame: DataFrame

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
        names = [window.name for window in windows]
        if not all(names) or len(set(names)) < len(names):
            raise WindowError("Each window needs a name of its own.", 'Give it one with .alias("w").')
        rows = [window for window in windows if isinstance(window, RowWindow)]
        if rows and len(rows) == len(windows):
            return RowWindowedTable(self.frame, tuple(rows))
        if len(windows) == 1 and isinstance(windows[0], GroupWindow):
            return WindowedTable(self.frame, windows[0])
        raise WindowError("A table has one group window, or row windows only.", "Put the next one on the result.")


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
        others = tuple(key for key in keys if not (isinstance(key, str) and key == name))
        if len(others) != len(keys) - 1:
            raise WindowError(f'GROUP BY must name the window "{name}" once.', f'Write .group_by("{name}", ...).')
        return GroupedTable(self.frame, self.group_window, others)


@dataclass(frozen=True)
class GroupedTable:
    """A table grouped by a window and keys."""

    frame: DataFrame
    group_window: GroupWindow
    keys: tuple[Key, ...]

    def select(self, *columns: str | Column) -> DataFrame:
        """Return one row for each window and key: keys, aggregates, ``w.start``, ``w.end``, and expressions of them.

        >>> w = Tumble.over("1 hour").on("rowtime").alias("w")
        >>> Table(orders).window(w).group_by("w", "buyer").select("buyer", (fn.max("amount") * 2).alias("twice")).show()
        +-----+-----+
        |buyer|twice|
        +-----+-----+
        |  ann|   14|
        |  bob|    2|
        +-----+-----+
        """
        window, wanted = self.group_window, [self._column(of) for of in columns]
        if self.frame.isStreaming:
            rows, hidden = assign_to_stream(window, self.frame)
        else:
            rows, hidden = window.assign(self.frame, self.keys)
        groups = {f"__group_{number}": key for number, key in enumerate((*hidden, *self.keys))}
        grouped = rows.groupBy(*(column(key).alias(name) for name, key in groups.items()))
        if self.frame.isStreaming and isinstance(window, SessionOfGap):
            return self._sessions(window, grouped, wanted).drop(*groups)
        full = window.rows_if_complete
        if full is None:
            return grouped.agg(*wanted).drop(*groups)
        counted = grouped.agg(*wanted, fn.count(fn.lit(1)).alias(_ROWS))
        return counted.where(fn.col(_ROWS) == full).drop(_ROWS, *groups)

    def _sessions(self, window: SessionOfGap, grouped: GroupedData, wanted: list[Column]) -> DataFrame:
        """The bounds of a session are known when all its rows are together, so they are computed after the rest."""
        late = [reads_bounds(window, of) for of in wanted]
        aggregates = [of.alias(f"__column_{place}") for place, of in enumerate(wanted) if not late[place]]
        names = grouped.agg(*(of for place, of in enumerate(wanted) if not late[place])).columns
        result = with_bounds(window, grouped.agg(*aggregates), "__group_0")
        named = iter(names[len(names) - len(aggregates) :])
        return result.select(
            *(of if late[place] else fn.col(f"__column_{place}").alias(next(named)) for place, of in enumerate(wanted))
        )

    def _column(self, of: str | Column) -> Column:
        if isinstance(of, str):
            name, _, field = of.partition(".")
            if name == self.group_window.name:
                return self.group_window.field(field)
        return column(of)


@dataclass(frozen=True)
class RowWindowedTable:
    """A table with row windows, for aggregates over them."""

    frame: DataFrame
    row_windows: tuple[RowWindow, ...]

    def select(self, *columns: str | Column) -> DataFrame:
        """Return one row for each row: its columns, aggregates (``w.over(...)``), and expressions of them.

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
        if self.frame.isStreaming:
            raise WindowError(
                "Spark computes no row windows on a stream.", "Use a group window, or read the rows with spark.read."
            )
        rows = self.frame
        for window in self.row_windows:
            rows = window.assign(rows)
        # ``*`` stands for the columns of the table, without the hidden ones.
        every = [fn.col(f"`{name.replace('`', '``')}`") for name in self.frame.columns]
        wanted = (every if isinstance(of, str) and of == "*" else [column(of)] for of in columns)
        return rows.select(*(of for some in wanted for of in some))
