"""Facts about the rows of a table, collected in one pass: their times, late ones, NULLs, and quiet partitions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PastRow:
    """One row. ``number`` counts from 1; ``time`` is its event time and ``stamped`` the timestamp of its record, as
    moments in milliseconds; ``nulls`` are columns without a value, of those that are asked for.
    """

    number: int
    time: int | None
    stamped: int | None = None
    partition: str | None = None
    nulls: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RowOccurrences:
    """The number of rows with a property, and the one that has it most: ``by`` so many milliseconds."""

    count: int = 0
    row: int = 0
    by: int = 0

    def with_row(self, row: int, by: int = 0) -> RowOccurrences:
        """The same with one more row.

        >>> RowOccurrences().with_row(3, 10).with_row(4, 5)
        RowOccurrences(count=2, row=3, by=10)
        """
        return (
            RowOccurrences(self.count + 1, row, by)
            if not self.count or by > self.by
            else RowOccurrences(self.count + 1, self.row, self.by)
        )


@dataclass(frozen=True)
class TableFacts:
    """Facts about the rows of ``table``. Times are moments in milliseconds."""

    table: str
    rows: int
    is_timed: bool
    """The rows have a column with the event time: the script does not compute it."""
    nearest: int | None = None
    """The smallest distance between an event time and the timestamp of its record; ``None`` without such timestamps."""
    times: array[int] = field(default_factory=lambda: array("q"))
    """The event times in order."""
    untimed: RowOccurrences = RowOccurrences()
    """Rows without an event time."""
    behind: RowOccurrences = RowOccurrences()
    """Rows behind an earlier one of their partition, by how much."""
    late: RowOccurrences = RowOccurrences()
    """Rows that are more than the delay of the watermark behind an earlier one of their partition."""
    ahead: RowOccurrences = RowOccurrences()
    """Rows with a record that is stamped before their event time, by how much."""
    quiet: RowOccurrences = RowOccurrences()
    """Rows behind a pause of their partition, by how long it was; none where the rows do not show partitions. The first
    row of a partition lies behind the pause since the first row of all.
    """
    ended: RowOccurrences = RowOccurrences()
    """The last rows of partitions, by how long others went on."""
    partitions: int = 0
    nulls: Mapping[str, RowOccurrences] = field(default_factory=dict)

    @property
    def first(self) -> int | None:
        return self.times[0] if self.times else None

    @property
    def last(self) -> int | None:
        return self.times[-1] if self.times else None

    @property
    def per_second(self) -> float | None:
        """The rows that came in a second, on average over the time that the rows take; ``None`` without such a time."""
        if len(self.times) < 2 or self.times[-1] == self.times[0]:
            return None
        return self.rows * 1000 / (self.times[-1] - self.times[0])


def facts_of(table: str, rows: Iterable[PastRow], delay: int | None, is_timed: bool) -> TableFacts:
    """The facts about the rows of a table, whose watermark stays ``delay`` milliseconds behind.

    >>> found = facts_of("t", [PastRow(1, 10_000), PastRow(2, 3_000), PastRow(3, None)], 5_000, True)
    >>> found.rows, found.first, found.late, found.untimed.row
    (3, 3000, RowOccurrences(count=1, row=2, by=7000), 3)
    """
    count = 0
    nearest: int | None = None
    times = array("q")
    untimed, behind, late, ahead, quiet = (
        RowOccurrences(),
        RowOccurrences(),
        RowOccurrences(),
        RowOccurrences(),
        RowOccurrences(),
    )
    nulls: dict[str, RowOccurrences] = {}
    latest: dict[str | None, int] = {}
    edges = _Edges()
    for row in rows:
        count += 1
        for column in row.nulls:
            nulls[column] = nulls.get(column, RowOccurrences()).with_row(row.number)
        if row.time is None:
            untimed = untimed.with_row(row.number) if is_timed else untimed
            continue
        times.append(row.time)
        if row.stamped is not None:
            distance = abs(row.stamped - row.time)
            nearest = distance if nearest is None else min(nearest, distance)
        if row.stamped is not None and row.stamped < row.time:
            ahead = ahead.with_row(row.number, row.time - row.stamped)
        before = latest.get(row.partition)
        if before is not None and row.time < before:
            behind = behind.with_row(row.number, before - row.time)
            if delay is not None and before - row.time > delay:
                late = late.with_row(row.number, before - row.time)
        elif before is not None and row.partition is not None:
            quiet = quiet.with_row(row.number, row.time - before)
        latest[row.partition] = row.time if before is None else max(before, row.time)
        edges.add(row.partition, row.time, row.number)
    ordered = array("q", sorted(times))
    partitions = len(latest) if None not in latest else 0
    ended = RowOccurrences()
    if partitions:
        quiet, ended = edges.pauses(quiet)
    return TableFacts(
        table, count, is_timed, nearest, ordered, untimed, behind, late, ahead, quiet, ended, partitions, nulls
    )


class _Edges:
    """The first and the last row of each partition, by event time."""

    def __init__(self) -> None:
        self._first: dict[str | None, tuple[int, int]] = {}
        self._last: dict[str | None, tuple[int, int]] = {}

    def add(self, partition: str | None, time: int, number: int) -> None:
        row = (time, number)
        self._first[partition] = min(row, self._first.get(partition, row))
        self._last[partition] = max(row, self._last.get(partition, row))

    def pauses(self, quiet: RowOccurrences) -> tuple[RowOccurrences, RowOccurrences]:
        """``quiet`` with the pauses before the first rows, and the last rows with those behind them."""
        begin, _ = min(self._first.values())
        end, _ = max(self._last.values())
        for time, number in self._first.values():
            quiet = quiet.with_row(number, time - begin)
        ended = RowOccurrences()
        for time, number in self._last.values():
            ended = ended.with_row(number, end - time)
        return quiet, ended
