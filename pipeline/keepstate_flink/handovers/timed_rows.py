"""Rows of the sources of a trial with their event times: those before a watermark, a moment or a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from keepstate.cutover.table_names import last_name
from keepstate_flink.errors import NotRunnable
from keepstate_flink.generated_rows import GeneratedRows, TableColumn
from keepstate_flink.restarts import RowsOf

_EPOCH = datetime(1970, 1, 1)
_LATE_EVERY, _LATE_BY = 19, 11
_SWAPPED_EVERY = 7


@dataclass(frozen=True)
class TimedTable:
    """The event time of a source: its column, and the delay of its watermark in milliseconds."""

    column: str
    delay: int


@dataclass(frozen=True)
class TrialBoundary:
    """A boundary to be tried: the former job stops when its watermark is at ``watermark``; ``wall`` is the time that
    the plan is made for. Both are milliseconds of the wall clock.
    """

    watermark: int
    wall: int


class TimedRows:
    """The lines of tables by their names, out of ``rows_of``. ``tables`` has the event time of each source by its last
    name, ``zone`` is the time zone of times without one.
    """

    def __init__(self, rows_of: RowsOf, tables: Mapping[str, TimedTable], zone: tzinfo) -> None:
        self._rows_of = rows_of
        self._tables = tables
        self._zone = zone
        self._lines: dict[str, tuple[str, ...]] = {}

    def keep(self, table: str, columns: Sequence[TableColumn]) -> None:
        """Take the rows of a table, unless they are here already."""
        if table not in self._lines:
            self._lines[table] = self._rows_of(table, columns).lines

    def put(self, table: str, lines: tuple[str, ...]) -> None:
        """Give a table other rows."""
        self._lines[table] = lines

    def lines(self, table: str) -> tuple[str, ...]:
        """All lines of a table, each a kind ("+I") and a JSON object."""
        return self._lines[table]

    def since(self, table: str, starts: Mapping[str, int | None]) -> list[str]:
        """The lines of a table from the moment of ``starts`` on, by its last name (``None``: all lines)."""
        start = starts.get(last_name(table))
        return list(self._lines[table][0 if start is None else self._first_since(table, start) :])

    def before(self, table: str, wall: int) -> list[str]:
        """The lines of a table with an event time before ``wall``; all of them where it has no event times."""
        if last_name(table) not in self._tables:
            return list(self._lines[table])
        times = zip(self._lines[table], self._times(table), strict=True)
        return [line for line, time in times if time is not None and time < wall]

    def path_of(self, name: str) -> str:
        """The table of a last name, as the rows have it."""
        return next(path for path in self._lines if last_name(path) == name)

    def watermarks(self, tables: Sequence[str]) -> list[int]:
        """The watermarks that sources have together.

        Raises:
            NotRunnable: the event time of a table is not among its rows.
        """
        histories = [self._watermarks_of(table) for table in tables]
        ends = [history[-1] for history in histories if history]
        times = sorted({time for history in histories for time in history})
        return [time for time in times if time <= min(ends, default=0)]

    def count_until(self, table: str, watermark: int) -> int:
        """The number of rows that bring the watermark of a table to ``watermark``."""
        history = self._watermarks_of(table)
        return next((number for number, time in enumerate(history, 1) if time >= watermark), len(self._lines[table]))

    def _times(self, table: str) -> Iterator[int | None]:
        timed = self._tables.get(last_name(table))
        for line in self._lines[table]:
            yield None if timed is None else _wall(json.loads(line[2:]).get(timed.column), self._zone)

    def _watermarks_of(self, table: str) -> list[int]:
        timed = self._tables.get(last_name(table))
        if timed is None:
            raise NotRunnable(f"The event time of {last_name(table)} is computed, so its watermark is not foreseen")
        highest: list[int] = []
        for time in self._times(table):
            before = highest[-1:] or [time - timed.delay] if time is not None else highest[-1:]
            highest += [max(*before, time - timed.delay)] if time is not None and before else before
        return highest

    def _first_since(self, table: str, moment: int) -> int:
        """The number of rows in front of the first one that the source got at a moment or later."""
        for number, wall in enumerate(self._times(table)):
            if wall is not None and _moment(wall, self._zone) >= moment:
                return number
        return len(self._lines[table])


def disordered(rows_of: RowsOf) -> RowsOf:
    """The same rows, some of them one place later, and some so much later that they may come too late.

    >>> rows = disordered(lambda table, columns: GeneratedRows(tuple(map(str, range(8))), 4))
    >>> rows("t", []).lines
    ('1', '0', '2', '3', '4', '5', '6', '7')
    """

    def rows(table: str, columns: Sequence[TableColumn]) -> GeneratedRows:
        timed = rows_of(table, columns)
        lines = list(timed.lines)
        for place in range(0, len(lines) - 1, _SWAPPED_EVERY):
            lines[place], lines[place + 1] = lines[place + 1], lines[place]
        for place in range(_LATE_EVERY, len(lines) - _LATE_BY, _LATE_EVERY):
            lines.insert(place + _LATE_BY, lines.pop(place))
        return replace(timed, lines=tuple(lines))

    return rows


def _wall(value: Any, zone: tzinfo) -> int | None:
    """The wall clock of a time as rows have it, in milliseconds."""
    if value is None:
        return None
    time = datetime.fromisoformat(str(value).replace("Z", "+00:00").replace("T", " "))
    if time.tzinfo is not None:
        time = time.astimezone(zone).replace(tzinfo=None)
    return (time - _EPOCH) // timedelta(milliseconds=1)


def _moment(wall: int, zone: tzinfo) -> int:
    time = (_EPOCH + timedelta(milliseconds=wall)).replace(tzinfo=zone)
    return round(time.timestamp() * 1000)
