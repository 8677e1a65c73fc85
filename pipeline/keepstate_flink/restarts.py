"""The restart of a changed job with rows: what came out, held against what should have.

The baseline runs on the first part of the rows, is stopped with a savepoint, and the current script goes on from it
with the others. What comes out is held against the current script that went on from a savepoint of its own ("as if it
had always run"), and against one that began with the second part and no state at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from keepstate_flink.errors import NotRunnable
from keepstate_flink.generated_rows import GeneratedRows, TableColumn
from keepstate_flink.running_jobs import JobFailed, Jobs, RunningJob, ScriptedJob

_KEPT = 60
"""Number of runs that are remembered; pairs that share one follow each other."""

RowsOf = Callable[[str, Sequence[TableColumn]], GeneratedRows]
"""The rows of a table, by its path and columns."""


@dataclass(frozen=True)
class Differences:
    """``missing`` are rows that should have come out, ``unexpected`` those that should not, each as "path row"."""

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()


NO_DIFFERENCES = Differences()


@dataclass(frozen=True)
class Restart:
    """``letter`` is E (as if the current script had always run), D (other rows), L (as if there had been no state),
    F (did not start) or S (started; its rows are not the same from run to run). ``discriminating`` is false where the
    rows are the same for E and L. ``error`` has the lines of the exception of F.
    """

    letter: str
    discriminating: bool = True
    error: tuple[str, ...] = ()
    differences: Differences = NO_DIFFERENCES

    def __str__(self) -> str:
        return self.letter if self.discriminating else f"{self.letter}?"


@dataclass(frozen=True)
class _Run:
    """The result of one job: its output rows, or its savepoint, or its error."""

    rows: tuple[str, ...] = ()
    savepoint: str = ""
    error: tuple[str, ...] = ()
    planned: bool = True
    interleaves: bool = False
    """Several inputs meet in it, in an order that is not fixed."""


class Restarts:
    """Tries pairs on one cluster; what several pairs have in common is run once. ``rows_of`` gives the same rows for
    the same table each time.
    """

    def __init__(self, jobs: Jobs, rows_of: RowsOf) -> None:
        self._jobs = jobs
        self._rows_of = rows_of
        self._kept: dict[tuple[str, ScriptedJob], _Run] = {}
        self._with_inputs: dict[ScriptedJob, bool] = {}

    def restart(self, baseline: ScriptedJob, current: ScriptedJob) -> Restart:
        """Restart ``baseline`` as ``current``.

        Raises:
            NotRunnable: one of them does not even run alone.
        """
        own, always, changed_run = self._compared(baseline, current)
        if changed_run.error:
            return Restart("F", error=changed_run.error)
        expected, actual = _result(always), _result(changed_run)
        empty = _result(self._once("second part", current))
        if actual == expected:
            return Restart("E", expected != empty)
        # A job with a clock, or with two sources, may give other rows each time.
        if _result(self._run("goes on", current, own.savepoint)) != expected:
            return Restart("S", False)
        letter = "L" if actual == empty else "D"
        return Restart(letter, expected != empty, differences=_differences(expected, actual))

    def differences(self, baseline: ScriptedJob, current: ScriptedJob) -> Differences | None:
        """The differences in the rows after a restart; ``None`` if there are none, or it does not start.

        Raises:
            NotRunnable: one of the jobs does not even run alone.
        """
        _, always, changed_run = self._compared(baseline, current)
        expected, actual = _result(always), _result(changed_run)
        return None if changed_run.error or expected == actual else _differences(expected, actual)

    def rows(self, job: ScriptedJob) -> dict[str, GeneratedRows]:
        """The rows of the tables that a job reads."""
        with self._jobs.started(job) as running:
            return self._rows(running, [*running.sources, *running.looked_up])

    def _compared(self, baseline: ScriptedJob, current: ScriptedJob) -> tuple[_Run, _Run, _Run]:
        """The current script with its own savepoint, from that one, and from that of the baseline."""
        before = self._once("first part", baseline)
        if before.error:
            raise NotRunnable(_refused(before, "baseline"))
        own = self._once("first part", current)
        if own.error:
            raise NotRunnable(_refused(own, "current script"))
        always = self._once("goes on", current, own.savepoint)
        if always.error:
            raise NotRunnable(f"the current script does not go on from its own savepoint: {always.error[-1]}")
        return own, always, self._run("goes on", current, before.savepoint)

    def _rows(self, running: RunningJob, tables: Sequence[str]) -> dict[str, GeneratedRows]:
        return {table: self._rows_of(table, running.columns(table)) for table in tables}

    def _interleaves(self, job: ScriptedJob) -> bool:
        if job not in self._with_inputs:
            self._with_inputs[job] = any(operator.inputs > 1 for operator in self._jobs.operators(job))
        return self._with_inputs[job]

    def _once(self, part: str, job: ScriptedJob, savepoint: str = "") -> _Run:
        key = (part, job)
        if key not in self._kept:
            if len(self._kept) > _KEPT:
                self._kept.clear()
            self._kept[key] = self._run(part, job, savepoint)
        return self._kept[key]

    def _run(self, part: str, job: ScriptedJob, savepoint: str = "") -> _Run:
        try:
            with self._jobs.started(job, savepoint) as running:
                rows = self._rows(running, running.sources)
                for table, table_rows in self._rows(running, running.looked_up).items():
                    running.offer(table, list(table_rows.lines), len(table_rows.lines), True)
                if part == "first part":
                    return _Run(savepoint=_savepoint(running, rows))
                for table, table_rows in rows.items():
                    lines = table_rows.lines if part == "goes on" else table_rows.lines[table_rows.cut :]
                    running.offer(table, list(lines), len(lines), True)
                running.await_end()
                out = [f"{sink} {row}" for sink in running.sinks for row in running.rows(sink)]
                return _Run(tuple(out), interleaves=self._interleaves(job))
        except JobFailed as failure:
            return _Run(error=failure.chain, planned=failure.planned)


def _savepoint(running: RunningJob, rows: dict[str, GeneratedRows]) -> str:
    """Let the sources read their first part, and stop the job."""
    for table, table_rows in rows.items():
        running.offer(table, list(table_rows.lines), table_rows.cut, False)
    for table, table_rows in rows.items():
        running.await_emitted(table, table_rows.cut)
    return running.savepoint()


def _differences(expected: Counter[str], actual: Counter[str]) -> Differences:
    return Differences(*(tuple(sorted(side.elements())) for side in (expected - actual, actual - expected)))


def _refused(run: _Run, words: str) -> str:
    return f"Flink does not {'run' if run.planned else 'take'} the {words}: {run.error[-1]}"


def _result(run: _Run) -> Counter[str]:
    """The rows of a run in any order. Where several inputs meet, even of one source, the order of rows is not fixed, so
    only the final rows count, without retracted ones.
    """
    if not run.interleaves:
        return Counter(run.rows)
    counts: Counter[str] = Counter()
    for line in run.rows:
        sink, _, row = line.partition(" ")
        counts[f"{sink} {row[2:]}"] += -1 if row.startswith("-") else 1
    return Counter({row: count for row, count in counts.items() if count})
