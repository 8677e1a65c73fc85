"""Measured restarts of a changed script, job by job: started, refused, exact, lost or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from keepstate_flink.errors import NotRunnable
from keepstate_flink.jobs import JobFailed, Jobs, ScriptedJob
from keepstate_flink.rehearsals import Rehearsal, rehearse
from keepstate_flink.restarts import NO_DIFFERENCES, Differences, Restarts, RowsOf
from keepstate_flink.witness import Witness, witness

_NO_ROWS = "Without rows its results are not compared."
_NEW = "The baseline has no such job, so there is nothing to restore."


class Outcome(Enum):
    """A measured end of a restart. Exact, lost and wrong take rows."""

    STARTS = "starts"
    DOES_NOT_START = "does-not-start"
    EXACT = "exact"
    STATE_LOST = "state-lost"
    WRONG_RESULTS = "wrong-results"
    NOT_MEASURED = "not-measured"


@dataclass(frozen=True)
class Measurement:
    """The restart of one job. ``note`` is a sentence that says why nothing was measured, or what the rows cannot tell;
    ``error`` has the lines of Flink's exception; ``witness`` are the smallest rows that show a difference.
    """

    name: str
    outcome: Outcome
    note: str = ""
    error: tuple[str, ...] = ()
    rehearsal: Rehearsal | None = None
    differences: Differences = NO_DIFFERENCES
    witness: Witness | None = None


class Verifier:
    """Measures restarts on one cluster, with the rows of ``rows_of`` where there are some. ``seeks_witness`` looks for
    the smallest of them that show a difference, which takes up to a minute.
    """

    def __init__(self, jobs: Jobs, rows_of: RowsOf | None = None, seeks_witness: bool = False) -> None:
        self._jobs = jobs
        self._seeks_witness = seeks_witness
        self._restarts = None if rows_of is None else Restarts(jobs, rows_of)

    def measure(self, baseline: ScriptedJob, current: ScriptedJob) -> Iterator[Measurement]:
        """Measure the jobs of two scripts, those of the same queries together; their ``number`` is ignored."""
        try:
            pairs = list(self._pairs(baseline, current))
        except NotRunnable as error:
            yield Measurement("", Outcome.NOT_MEASURED, error.sentence)
            return
        for name, was, now in pairs:
            if was is None:
                yield Measurement(name, Outcome.NOT_MEASURED, _NEW)
            elif now is None:
                yield Measurement(name, Outcome.NOT_MEASURED, "The current version has no such job.")
            else:
                yield self._measured(name, was, now)

    def _measured(self, name: str, baseline: ScriptedJob, current: ScriptedJob) -> Measurement:
        try:
            rehearsal = rehearse(self._jobs, baseline, current)
            if not rehearsal.starts:
                return Measurement(name, Outcome.DOES_NOT_START, error=rehearsal.error, rehearsal=rehearsal)
            started = Measurement(name, Outcome.STARTS, rehearsal=rehearsal)
            if self._restarts is None:
                return replace(started, note=_NO_ROWS) if _has_state(rehearsal) else started
            return self._with_rows(started, self._restarts, baseline, current)
        except NotRunnable as error:
            return Measurement(name, Outcome.NOT_MEASURED, error.sentence)

    def _with_rows(
        self, started: Measurement, restarts: Restarts, baseline: ScriptedJob, current: ScriptedJob
    ) -> Measurement:
        restart = restarts.restart(baseline, current)
        if restart.letter == "F":
            note = "It starts, and fails at the first rows."
            return replace(started, outcome=Outcome.DOES_NOT_START, note=note, error=restart.error)
        if restart.letter == "S":
            return replace(started, note="Its rows are not the same from run to run, so they are not compared.")
        if restart.letter == "E" and not restart.discriminating and _has_state(started.rehearsal):
            return replace(started, note="These rows give the same results with and without state.")
        outcome = {"E": Outcome.EXACT, "L": Outcome.STATE_LOST, "D": Outcome.WRONG_RESULTS}[restart.letter]
        found = None
        if self._seeks_witness and outcome is not Outcome.EXACT:
            rows = {**restarts.rows(baseline), **restarts.rows(current)}
            found = witness(self._jobs, baseline, current, rows, restart.differences)
        return replace(started, outcome=outcome, differences=restart.differences, witness=found)

    def _pairs(
        self, baseline: ScriptedJob, current: ScriptedJob
    ) -> Iterator[tuple[str, ScriptedJob | None, ScriptedJob | None]]:
        names = []
        for words, script in (("baseline", baseline), ("current version", current)):
            try:
                names.append(_numbered(self._jobs.names(script)))
            except JobFailed as failure:
                raise NotRunnable(f"Flink does not take the {words}: {failure.chain[-1]}") from failure
        was, now = names
        if baseline.one_job and current.one_job:
            yield next(iter(now))[0], replace(baseline, number=0), replace(current, number=0)
            return
        for key, number in now.items():
            former = None if key not in was else replace(baseline, number=was[key])
            yield key[0], former, replace(current, number=number)
        for key, number in was.items():
            if key not in now:
                yield key[0], replace(baseline, number=number), None


def _numbered(names: tuple[str, ...]) -> dict[tuple[str, int], int]:
    """The number of each job by its name and the count of those of that name before it."""
    seen: Counter[str] = Counter()
    found = {}
    for number, name in enumerate(names):
        found[name, seen[name]] = number
        seen[name] += 1
    return found


def _has_state(rehearsal: Rehearsal | None) -> bool:
    return rehearsal is not None and any(not operator.is_source for operator in rehearsal.operators)
