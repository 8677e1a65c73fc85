"""A cutover at a boundary on a real Flink: the former job until its stop, the new one behind the boundary.

The rows that the new job writes are held against those of the current version as it stands: what it writes in all,
without what it had written when its watermark was at the boundary. That needs no guard, so a wrong guard, a wrong
boundary or a start that comes too late shows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone, tzinfo
from types import MappingProxyType
from typing import Any

from keepstate.cutover.table_names import last_name
from keepstate_flink.errors import NotRunnable
from keepstate_flink.generated_rows import TableColumn
from keepstate_flink.handovers.timed_rows import TimedRows, TimedTable, TrialBoundary
from keepstate_flink.restarts import RowsOf
from keepstate_flink.running_jobs import JobFailed, Jobs, RunningJob, ScriptedJob

_BETWEEN = ", "


@dataclass(frozen=True)
class SinkKey:
    """The primary key of a sink: the positions of its columns among ``width``."""

    positions: tuple[int, ...]
    width: int


@dataclass(frozen=True)
class HandoverResults:
    """Rows of the sinks, each as "path row". ``former`` came from the former job until its stop, ``new`` from the new
    job; ``wanted`` is what the new job has to write.
    """

    former: Counter[str]
    new: Counter[str]
    wanted: Counter[str]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(sorted((self.wanted - self.new).elements()))

    @property
    def unexpected(self) -> tuple[str, ...]:
        return tuple(sorted((self.new - self.wanted).elements()))

    @property
    def is_exact(self) -> bool:
        return self.new == self.wanted


@dataclass(frozen=True)
class ExtraSinks:
    """Sinks of their own, by their last names, that the new job fills beside those in which it goes on: with ``every``
    result, or with those of rows ``since`` a time, ``wall`` as the clock shows it. ``states`` are rows for tables of
    computed states, by their last names.
    """

    every: frozenset[str] = frozenset()
    since: frozenset[str] = frozenset()
    wall: int = 0
    states: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


class Handovers:
    """Tries cutovers on one cluster with the rows of ``rows_of``. ``tables`` has the event time of each source by its
    last name, ``zone`` is the time zone of times without one, ``keys`` has the sinks with a primary key.
    """

    def __init__(
        self,
        jobs: Jobs,
        rows_of: RowsOf,
        tables: Mapping[str, TimedTable],
        zone: tzinfo,
        keys: Mapping[str, SinkKey],
    ) -> None:
        self._jobs = jobs
        self._rows = TimedRows(rows_of, tables, zone)
        self._zone = zone
        self._keys = keys

    def watermarks(self, scripts: Sequence[ScriptedJob]) -> list[int]:
        """The watermarks that the sources of all scripts have together, in the order of the first table's rows.

        Raises:
            NotRunnable: a script does not run, or the event time of a table is not among its rows.
        """
        tables: dict[str, None] = {}
        for script in scripts:
            try:
                with self._jobs.started(script) as running:
                    for table in running.sources:
                        self._rows.keep(table, running.columns(table))
                        tables.setdefault(table)
            except JobFailed as failure:
                raise NotRunnable(f"Flink does not take it: {failure.chain[-1]}") from failure
        return self._rows.watermarks(list(tables))

    def hand_over(
        self,
        former: Sequence[ScriptedJob],
        new: Sequence[ScriptedJob],
        current: Sequence[ScriptedJob],
        boundary: TrialBoundary,
        starts: Mapping[str, int | None],
        beside: ExtraSinks = ExtraSinks(),
    ) -> HandoverResults:
        """Hand over from ``former`` to ``new``; ``current`` are the same queries as ``new``, without guard. ``starts``
        has the moment from which each table is read, by its last name.

        Raises:
            NotRunnable: a job does not run.
        """
        stopped = self._stopped(current, boundary)
        sinks = beside.every | beside.since
        handed = Counter({row: count for row, count in stopped.items() if _sink_of(row) not in sinks})
        return HandoverResults(
            self._stopped(former, boundary),
            self._ended(new, starts, beside.states),
            _without(self._wanted(current, beside), handed),
        )

    def gone_on(
        self,
        new: Sequence[ScriptedJob],
        current: Sequence[ScriptedJob],
        starts: Mapping[str, int | None],
        beside: ExtraSinks,
    ) -> HandoverResults:
        """Start ``new`` with the rows of computed states, and hold the rows that are left at the end against those of
        ``current``, which reads everything.

        Raises:
            NotRunnable: a job does not run.
        """
        return HandoverResults(Counter(), self._ended(new, starts, beside.states), self._wanted(current, beside))

    def _wanted(self, current: Sequence[ScriptedJob], beside: ExtraSinks) -> Counter[str]:
        """The rows that ``current`` writes, in the sinks of ``since`` without those of former rows."""
        rows = self._ended(current, {})
        if not beside.since:
            return rows
        former = self._ended(current, {}, before=beside.wall)
        return _without(rows, Counter({row: count for row, count in former.items() if _sink_of(row) in beside.since}))

    def rows_before(self, table: str, wall: int) -> list[dict[str, Any]]:
        """The rows of a table, by its last name, with an event time before ``wall``."""
        return [json.loads(line[2:]) for line in self._rows.before(self._rows.path_of(table), wall)]

    # ---- runs

    def _stopped(self, jobs: Sequence[ScriptedJob], boundary: TrialBoundary) -> Counter[str]:
        """The rows that jobs wrote when they were stopped at the watermark of a boundary."""

        def run(running: RunningJob, tables: Sequence[str]) -> None:
            counts = {table: self._rows.count_until(table, boundary.watermark) for table in tables}
            for table, count in counts.items():
                running.offer(table, list(self._rows.lines(table)), count, False)
            for table, count in counts.items():
                running.await_emitted(table, count)
            running.savepoint()

        return self._collect_rows(jobs, run)

    def _ended(
        self,
        jobs: Sequence[ScriptedJob],
        starts: Mapping[str, int | None],
        rows_of_tables: Mapping[str, Sequence[Mapping[str, Any]]] = MappingProxyType({}),
        before: int | None = None,
    ) -> Counter[str]:
        """The rows that jobs wrote at the end of their sources, read from the moments of ``starts`` on; of rows with a
        time, only those ``before`` one.
        """

        def run(running: RunningJob, tables: Sequence[str]) -> None:
            for table in tables:
                lines = self._rows.since(table, starts) if before is None else self._rows.before(table, before)
                running.offer(table, lines, len(lines), True)
            running.await_end()

        return self._collect_rows(jobs, run, rows_of_tables)

    def _collect_rows(
        self,
        jobs: Sequence[ScriptedJob],
        run: Callable[[RunningJob, Sequence[str]], None],
        rows_of_tables: Mapping[str, Sequence[Mapping[str, Any]]] = MappingProxyType({}),
    ) -> Counter[str]:
        total: Counter[str] = Counter()
        for job in jobs:
            try:
                with self._jobs.started(job) as running:
                    for table in (*running.sources, *running.looked_up):
                        if (rows := rows_of_tables.get(last_name(table))) is not None:
                            self._rows.put(table, self._lines(rows, running.columns(table)))
                        self._rows.keep(table, running.columns(table))
                    for table in running.looked_up:
                        looked_up = list(self._rows.lines(table))
                        running.offer(table, looked_up, len(looked_up), True)
                    run(running, running.sources)
                    for sink in running.sinks:
                        name = last_name(sink)
                        key = self._keys.get(name)
                        got = running.rows(sink)
                        final_rows = _final(got) if key is None else _final_by_key(got, key)
                        total.update({f"{name} {row}": count for row, count in final_rows.items()})
            except JobFailed as failure:
                raise NotRunnable(f"Flink does not run it: {failure.chain[-1]}") from failure
        return total

    # ---- rows

    def _lines(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[TableColumn]) -> tuple[str, ...]:
        """Rows that Spark printed, as Flink reads them: Spark prints moments as the clock shows them."""
        moments = {column.name for column in columns if "LTZ" in column.type or "LOCAL TIME ZONE" in column.type}
        records = (
            {name: self._in_utc(value) if name in moments else value for name, value in row.items()} for row in rows
        )
        return tuple(f"+I{json.dumps(record)}" for record in records)

    def _in_utc(self, value: str | None) -> str | None:
        if value is None:
            return None
        moment = datetime.fromisoformat(value).replace(tzinfo=self._zone).astimezone(timezone.utc)
        return f"{moment.replace(tzinfo=None).isoformat(' ')}Z"


def _final(rows: Sequence[str]) -> Counter[str]:
    """The rows that are left, without those that were taken back."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row[2:]] += -1 if row.startswith("-") else 1
    return Counter({row: count for row, count in counts.items() if count})


def _final_by_key(rows: Sequence[str], key: SinkKey) -> Counter[str]:
    """The last row of each key.

    Raises:
        NotRunnable: a text holds what stands between columns, so that the key is not found.
    """
    last_rows: dict[tuple[str, ...], str] = {}
    for row in rows:
        columns = row[3:-1].split(_BETWEEN)
        if len(columns) != key.width:
            raise NotRunnable("A text in the rows holds a comma and a space, so their keys are not found")
        values = tuple(columns[position] for position in key.positions)
        if row.startswith("-D"):
            last_rows.pop(values, None)
        elif not row.startswith("-"):
            last_rows[values] = row[2:]
    return Counter(last_rows.values())


def _without(rows: Counter[str], other_rows: Counter[str]) -> Counter[str]:
    """Rows without others, of which all are among them; a negative count shows one that is not."""
    counts = Counter(rows)
    counts.subtract(other_rows)
    return Counter({row: count for row, count in counts.items() if count})


def _sink_of(row: str) -> str:
    """The sink of a row, with which its text begins."""
    return row.partition(" ")[0]
