"""Common parts of the windows of the Table API: their event time and their name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.windows.clock import UTC, WallClock, as_column, wall_clock, whole_milliseconds

if TYPE_CHECKING:
    from typing_extensions import Self


FIELDS = ("start", "end", "rowtime")
"""The fields of a window."""


def no_field(window: str, name: str) -> WindowError:
    """The error of a field that no window has."""
    fields = ", ".join(f'"{window}.{field}"' for field in FIELDS)
    sentence = f'A window has no "{name}".' if name else f'"{window}" is a window, and no column.'
    return WindowError(sentence, f"There are {fields}.")


@dataclass(frozen=True, kw_only=True)
class NamedWindow:
    """A window with an event time and a name; each method gives another one."""

    time: str | Column | None = None
    ties: tuple[str | Column, ...] = ()
    zone: str = UTC
    name: str = ""

    def on(self, time: str | Column, *ties: str | Column) -> Self:
        """The event time. Rows of the same time come in the order of ``ties``, else as they come in the frame."""
        return replace(self, time=time, ties=ties)

    def in_zone(self, zone: str) -> Self:
        """The time zone whose wall clock windows on a TIMESTAMP_LTZ follow: Flink's ``table.local-time-zone``."""
        return replace(self, zone=zone)

    def alias(self, name: str) -> Self:
        """The name by which GROUP BY and SELECT mean this window."""
        text: object = name
        if not (isinstance(text, str) and text.isidentifier()):
            raise WindowError(f"{name!r} is no name for a window.", 'Give it a plain one, like alias("w").')
        return replace(self, name=name)

    def column_name(self, field: str) -> str:
        """The name of the column of a field of the window: ``w_start``."""
        return f"{self.name}_{field}" if self.name else field

    def hidden(self, part: str) -> str:
        """The name of a column of our own, while windows are computed."""
        return f"__{self.name}_{part}"

    def require_time(self) -> str | Column:
        """The event time. Raises ``WindowError`` without one."""
        if self.time is None:
            raise WindowError(
                f'The window "{self.name}" measures time, and none is named; files have no processing time.',
                'Name the column of the event time: .on("rowtime").',
            )
        return self.time

    def clock(self, frame: DataFrame) -> WallClock:
        """The clock that the event time is read from."""
        return wall_clock(frame, self.require_time(), self.zone)

    def with_time(self, frame: DataFrame) -> DataFrame:
        """The rows that have an event time, with it as wall-clock microseconds in the hidden column ``time``."""
        time = self.clock(frame).micros
        rows = frame.withColumn(self.hidden("time"), time)
        return rows.where(fn.col(self.hidden("time")).isNotNull())

    def with_order(self, frame: DataFrame) -> tuple[DataFrame, list[Column]]:
        """Return the rows, and the columns of their order: time, then ties, then arrival. Without a time the order is
        arrival alone.
        """
        arrival = self.hidden("arrival")
        frame = frame.withColumn(arrival, fn.monotonically_increasing_id())
        if self.time is None:
            return frame, [fn.col(arrival)]
        frame = self.with_time(frame)
        return frame, [whole_milliseconds(fn.col(self.hidden("time"))), *map(as_column, self.ties), fn.col(arrival)]
