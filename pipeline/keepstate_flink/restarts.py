"""One restart from a savepoint, as it really is: two scripts, rows for their tables, and what Flink does.

The baseline runs on the first part of the rows, is stopped with a savepoint, and the current script goes on from it
with the others. What comes out is held against the current script that went on from a savepoint of its own ("as if it
had always run"), and against one that began with the second part and no state at all.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from example_rows import Rows, TableColumn, rows_of
from flink_jvm import Flink
from keepstate import JobVersion
from script_jobs import RESULT, job_of, line_of

PATIENCE = 60
"""Seconds that a job may take for the few rows it gets."""
_KEPT = 60
"""Number of runs that are remembered; examples that share one follow each other."""


class NotRunnable(Exception):
    """The message says why a pair could not be tried, in a sentence without a full stop."""


@dataclass(frozen=True)
class Restart:
    """``letter`` is E (as if the current script had always run), D (other rows), L (as if there had been no state),
    F (did not start) or S (started; its rows are not the same from run to run). ``discriminating`` is false where the
    rows are the same for E and L. ``error`` is the exception of F in one line.
    """

    letter: str
    discriminating: bool = True
    error: str = ""

    def __str__(self) -> str:
        return self.letter if self.discriminating else f"{self.letter}?"


@dataclass(frozen=True)
class _Run:
    """The result of one job: its output rows, or its savepoint, or its error."""

    rows: tuple[str, ...] = ()
    savepoint: str = ""
    error: str = ""
    planned: bool = True
    sources: int = 0


class Restarts:
    """Tries pairs on one cluster; what several pairs have in common is run once."""

    def __init__(self, flink: Flink) -> None:
        self._flink = flink
        self._numbers = itertools.count(1)
        self._kept: dict[tuple[str, str, tuple[tuple[str, str], ...], tuple[str, ...]], _Run] = {}

    def restart(self, baseline: JobVersion, current: JobVersion, literals: Sequence[str]) -> Restart:
        """Restarts ``baseline`` as ``current``; ``literals`` are texts that the rows of both shall contain.

        Raises:
            NotRunnable: one of them does not even run alone.
        """
        words = tuple(literals)
        before = self._once("first part", baseline, words)
        if before.error:
            raise NotRunnable(f"Flink does not {'run' if before.planned else 'take'} the baseline: {before.error}")
        own = self._once("first part", current, words)
        if own.error:
            raise NotRunnable(f"Flink does not {'run' if own.planned else 'take'} the current script: {own.error}")
        always = self._once("goes on", current, words, own.savepoint)
        if always.error:
            raise NotRunnable(f"the current script does not go on from its own savepoint: {always.error}")
        changed = self._run("goes on", current, words, before.savepoint)
        if changed.error:
            return Restart("F", error=changed.error)
        wanted, found = _result(always), _result(changed)
        empty = _result(self._once("second part", current, words))
        if found == wanted:
            return Restart("E", wanted != empty)
        # A job with a clock, or with two sources, may give other rows each time.
        if _result(self._run("goes on", current, words, own.savepoint)) != wanted:
            return Restart("S", False)
        return Restart("L" if found == empty else "D", wanted != empty)

    def _once(self, part: str, version: JobVersion, literals: tuple[str, ...], savepoint: str = "") -> _Run:
        key = (part, version.text, tuple(sorted(version.parameters.items())), literals)
        if key not in self._kept:
            if len(self._kept) > _KEPT:
                self._kept.clear()
            self._kept[key] = self._run(part, version, literals, savepoint)
        return self._kept[key]

    def _run(self, part: str, version: JobVersion, literals: tuple[str, ...], savepoint: str = "") -> _Run:
        run = f"run{next(self._numbers)}"
        given = {**version.parameters, **({"execution.state-recovery.path": savepoint} if savepoint else {})}
        try:
            environment = self._flink.table_environment(given, run)
            job, sinks = job_of(self._flink.java, environment, version.text)
            rows = {name: rows_of(columns, literals) for name, columns in _tables(environment).items()}
            self._flink.number_nodes_anew()
            client = job.execute().getJobClient().get()
        except Py4JJavaError as error:
            return _Run(error=line_of(error), planned=False)
        sources = [str(name) for name in self._flink.tables.read(run)]
        try:
            if part == "first part":
                return _Run(savepoint=self._savepoint(client, run, sources, rows))
            for name in sources:
                lines = rows[name].lines if part == "goes on" else rows[name].lines[rows[name].cut :]
                self._flink.tables.offer(f"{run}/{name}", list(lines), len(lines), True)
            client.getJobExecutionResult().get(PATIENCE, self._flink.seconds)
            out = [f"{sink} {row}" for sink in sinks for row in self._flink.tables.rows(f"{run}/{sink}")]
            return _Run(tuple(out), sources=len(sources))
        except Py4JJavaError as error:
            return _Run(error=line_of(error))
        finally:
            self._end(client)
            for name in (*sources, *sinks):
                self._flink.tables.forget(f"{run}/{name}")

    def _savepoint(self, client: Any, run: str, sources: Sequence[str], rows: Mapping[str, Rows]) -> str:
        """Lets the sources read their first part, and stops the job."""
        for name in sources:
            self._flink.tables.offer(f"{run}/{name}", list(rows[name].lines), rows[name].cut, False)
        for name in sources:
            for _ in range(PATIENCE * 10):
                if self._flink.tables.emitted(f"{run}/{name}", rows[name].cut, 100):
                    break
                if client.getJobStatus().get().isGloballyTerminalState():
                    client.getJobExecutionResult().get(PATIENCE, self._flink.seconds)
        canonical = self._flink.java.org.apache.flink.core.execution.SavepointFormatType.CANONICAL
        for attempt in range(PATIENCE):
            savepoint = client.stopWithSavepoint(False, self._flink.savepoints.as_uri(), canonical)
            try:
                return str(savepoint.get(PATIENCE, self._flink.seconds))
            except Py4JJavaError as error:
                # A source may be done with its rows while an operator behind it is still being deployed.
                if "is not being executed at the moment" not in line_of(error) or attempt == PATIENCE - 1:
                    raise
        raise AssertionError("every attempt returns or raises")

    def _end(self, client: Any) -> None:
        if not client.getJobStatus().get().isGloballyTerminalState():
            client.cancel().get()


def _tables(environment: Any) -> dict[str, list[TableColumn]]:
    """The columns that each table's source reads."""
    views = {str(name) for name in environment.listViews()}
    found: dict[str, list[TableColumn]] = {}
    for name in map(str, environment.listTables()):
        if name in views or name.startswith(RESULT):
            continue
        schema = getattr(environment, "from")(f"`{name}`").getResolvedSchema()
        found[name] = [
            TableColumn(str(column.getName()), str(column.getDataType().getLogicalType().asSerializableString()))
            for column in schema.getColumns()
            if column.isPhysical() or column.getClass().getSimpleName() == "MetadataColumn"
        ]
    return found


def _result(run: _Run) -> Counter[str]:
    """The rows of a run in any order. With several sources the order of rows is not fixed, so only the final rows
    count, without retracted ones.
    """
    if run.sources < 2:
        return Counter(run.rows)
    left: Counter[str] = Counter()
    for line in run.rows:
        sink, _, row = line.partition(" ")
        left[f"{sink} {row[2:]}"] += -1 if row.startswith("-") else 1
    return Counter({row: count for row, count in left.items() if count})
