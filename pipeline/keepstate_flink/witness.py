"""The smallest rows that show what goes wrong at a restart: found by leaving out all that can be left out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keepstate_flink.errors import NotRunnable
from keepstate_flink.generated_rows import GeneratedRows, TableColumn
from keepstate_flink.restarts import Differences, Restarts
from keepstate_flink.running_jobs import Jobs, ScriptedJob

SECONDS = 40.0
"""Time that is given to the search; what is smallest by then is taken."""


@dataclass(frozen=True)
class TableRows:
    """Rows of a table, by its path: ``before`` were read before the savepoint, ``after`` behind it."""

    table: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class RestartWitness:
    """A few rows, and the differences in what comes out of them."""

    rows: tuple[TableRows, ...]
    differences: Differences


def witness(
    jobs: Jobs, baseline: ScriptedJob, current: ScriptedJob, rows: Mapping[str, GeneratedRows], differences: Differences
) -> RestartWitness:
    """The smallest of ``rows``, which show ``differences``, that show any."""
    search = _Search(jobs, baseline, current, rows, differences)
    search.shrink()
    return RestartWitness(search.tables, search.differences)


class _Search:
    def __init__(
        self,
        jobs: Jobs,
        baseline: ScriptedJob,
        current: ScriptedJob,
        rows: Mapping[str, GeneratedRows],
        differences: Differences,
    ) -> None:
        self._jobs = jobs
        self._sides = (baseline, current)
        self._parts = {
            part: lines
            for table, table_rows in rows.items()
            for part, lines in (
                ((table, 0), table_rows.lines[: table_rows.cut]),
                ((table, 1), table_rows.lines[table_rows.cut :]),
            )
        }
        self.differences = differences
        self._ends = time.monotonic() + SECONDS

    @property
    def tables(self) -> tuple[TableRows, ...]:
        tables = dict.fromkeys(table for table, _ in self._parts)
        return tuple(TableRows(table, self._parts[table, 0], self._parts[table, 1]) for table in tables)

    def shrink(self) -> None:
        """Leave out ever smaller pieces of each part, the later part of each table first."""
        size = max(map(len, self._parts.values()), default=0)
        while size and time.monotonic() < self._ends:
            size = size // 2 if size > 1 else 0
            piece = max(size, 1)
            for part in sorted(self._parts, key=lambda part: (-part[1], part[0])):
                self._leave_out(part, piece)

    def _leave_out(self, part: tuple[str, int], piece: int) -> None:
        start = len(self._parts[part])
        while start > 0 and time.monotonic() < self._ends:
            start = max(start - piece, 0)
            lines = self._parts[part]
            fewer = lines[:start] + lines[start + piece :]
            if len(fewer) < len(lines):
                self._try({**self._parts, part: fewer})

    def _try(self, parts: dict[tuple[str, int], tuple[str, ...]]) -> None:
        def rows_of(table: str, _: Sequence[TableColumn]) -> GeneratedRows:
            before, after = parts[table, 0], parts[table, 1]
            return GeneratedRows((*before, *after), len(before))

        try:
            differences = Restarts(self._jobs, rows_of).differences(*self._sides)
        except NotRunnable:
            # Fewer rows may be no rows at all for a job that insists on some.
            return
        if differences is not None:
            self._parts, self.differences = parts, differences
