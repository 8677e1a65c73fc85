"""Measured restarts of a changed script, job by job: started, refused, exact, lost or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from keepstate_flink.errors import NotRunnable
from keepstate_flink.functions.part import NO_PART, StandIn, StandInPart
from keepstate_flink.job_pairing import paired
from keepstate_flink.rehearsals import Rehearsal, refusal, rehearse
from keepstate_flink.restarts import NO_DIFFERENCES, Differences, Restarts, RowsOf
from keepstate_flink.running_jobs import JobFailed, Jobs, ScriptedJob, with_equal_stand_ins
from keepstate_flink.witness import RestartWitness, witness

_NO_ROWS = "Without rows its results are not compared."
_NO_PAIR = "No job of the current version is one of the baseline."


class RestartOutcome(Enum):
    """A measured end of a restart. Exact, lost and wrong take rows."""

    STARTS = "starts"
    DOES_NOT_START = "does-not-start"
    EXACT = "exact"
    STATE_LOST = "state-lost"
    WRONG_RESULTS = "wrong-results"
    NOT_MEASURED = "not-measured"


_OF_ROWS = (RestartOutcome.EXACT, RestartOutcome.STATE_LOST, RestartOutcome.WRONG_RESULTS)


@dataclass(frozen=True)
class Measurement:
    """The restart of one job. ``note`` is a sentence that says why nothing was measured, or what the rows cannot tell;
    ``error`` has the lines of Flink's exception; ``witness`` are the smallest rows that show a difference;
    ``stand_ins`` are those for functions of the user that took part.
    """

    name: str
    outcome: RestartOutcome
    note: str = ""
    error: tuple[str, ...] = ()
    rehearsal: Rehearsal | None = None
    differences: Differences = NO_DIFFERENCES
    witness: RestartWitness | None = None
    stand_ins: StandInPart = NO_PART

    @property
    def stand_in_note(self) -> str:
        """Sentences on the stand-ins that took part; empty without one."""
        return self.stand_ins.sentences(self.outcome in _OF_ROWS)

    @property
    def full_note(self) -> str:
        """The note, and the sentences on stand-ins."""
        return " ".join(filter(None, (self.note, self.stand_in_note)))


class Verifier:
    """Measures restarts on one cluster, with each of ``rows``, where there are some, until one shows a difference.
    ``seeks_witness`` looks for the smallest rows that show it, which takes up to a minute; ``announce`` is called with
    each step.
    """

    def __init__(
        self,
        jobs: Jobs,
        rows: Sequence[RowsOf] = (),
        seeks_witness: bool = False,
        announce: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._jobs = jobs
        self._seeks_witness = seeks_witness
        self._announce = announce
        self._restarts = [Restarts(jobs, rows_of) for rows_of in rows]
        self.left_out: list[str] = []
        """Sentences on jobs that one version has alone."""

    def measure(self, baseline: ScriptedJob, current: ScriptedJob) -> Iterator[Measurement]:
        """Measure the jobs of two scripts, those of the same queries together; their ``number`` is ignored."""
        self._announce("Flink plans both versions")
        baseline, current = with_equal_stand_ins(baseline, current)
        try:
            pairs = list(self._pairs(baseline, current))
        except NotRunnable as error:
            yield Measurement("", RestartOutcome.NOT_MEASURED, error.sentence)
            return
        self.left_out = []
        for name, was, now in pairs:
            if was is None:
                self.left_out.append(f"{name} is new: there is nothing to restore.")
            elif now is None:
                self.left_out.append(f"{name} ends: its state is restored by no job.")
            else:
                self._announce(name)
                yield self._measured(name, was, now)
        if not any(was is not None and now is not None for _, was, now in pairs):
            yield Measurement("", RestartOutcome.NOT_MEASURED, _NO_PAIR)

    def _measured(self, name: str, baseline: ScriptedJob, current: ScriptedJob) -> Measurement:
        try:
            part = StandInPart.of(self._stand_ins(baseline, "baseline"), self._stand_ins(current, "current version"))
            rehearsal = rehearse(self._jobs, baseline, current)
            started = Measurement(name, RestartOutcome.STARTS, rehearsal=rehearsal, stand_ins=part)
            if not rehearsal.starts:
                return replace(started, outcome=RestartOutcome.DOES_NOT_START, error=rehearsal.error)
            if not self._restarts:
                return replace(started, note=_NO_ROWS) if _has_state(rehearsal) else started
            return self._of_rows(started, baseline, current)
        except NotRunnable as error:
            return Measurement(name, RestartOutcome.NOT_MEASURED, error.sentence)

    def _of_rows(self, started: Measurement, baseline: ScriptedJob, current: ScriptedJob) -> Measurement:
        measurement = started
        for restarts in self._restarts:
            with_rows = self._with_rows(started, restarts, baseline, current)
            # A discriminating answer says more than none, and a difference more than exact.
            measurement = (
                with_rows if measurement is started or with_rows.outcome is not RestartOutcome.STARTS else measurement
            )
            if with_rows.outcome not in (RestartOutcome.STARTS, RestartOutcome.EXACT):
                break
        # Of a function whose class changed no values are known, so that its stand-in shows no results as the same.
        is_hidden = measurement.outcome is RestartOutcome.EXACT and measurement.stand_ins.replaced
        return replace(measurement, outcome=RestartOutcome.STARTS) if is_hidden else measurement

    def _stand_ins(self, job: ScriptedJob, words: str) -> tuple[StandIn, ...]:
        try:
            return self._jobs.stand_ins(job)
        except JobFailed as failure:
            raise refusal(failure, words) from failure

    def _with_rows(
        self, started: Measurement, restarts: Restarts, baseline: ScriptedJob, current: ScriptedJob
    ) -> Measurement:
        restart = restarts.restart(baseline, current)
        if restart.letter == "F":
            note = "It starts, and fails at the first rows."
            return replace(started, outcome=RestartOutcome.DOES_NOT_START, note=note, error=restart.error)
        if restart.letter == "S":
            return replace(started, note="Its rows are not the same from run to run, so they are not compared.")
        if restart.letter == "E" and not restart.discriminating and _has_state(started.rehearsal):
            return replace(started, note="These rows give the same results with and without state.")
        outcome = {"E": RestartOutcome.EXACT, "L": RestartOutcome.STATE_LOST, "D": RestartOutcome.WRONG_RESULTS}[
            restart.letter
        ]
        example = None
        if self._seeks_witness and outcome is not RestartOutcome.EXACT:
            self._announce(f"{started.name}: the smallest rows that show it")
            rows = {**restarts.rows(baseline), **restarts.rows(current)}
            example = witness(self._jobs, baseline, current, rows, restart.differences)
        return replace(started, outcome=outcome, differences=restart.differences, witness=example)

    def _pairs(
        self, baseline: ScriptedJob, current: ScriptedJob
    ) -> Iterator[tuple[str, ScriptedJob | None, ScriptedJob | None]]:
        scripts = []
        for words, script in (("baseline", baseline), ("current version", current)):
            try:
                scripts.append(self._jobs.queries(script))
            except JobFailed as failure:
                raise NotRunnable(f"Flink does not take the {words}: {failure.chain[-1]}") from failure
        was, now = scripts
        for pair in paired(was, now, baseline.one_job and current.one_job):
            before, after = (
                None if number is None else replace(script, number=number)
                for script, number in ((baseline, pair.baseline), (current, pair.current))
            )
            yield pair.name, before, after


def _has_state(rehearsal: Rehearsal | None) -> bool:
    return rehearsal is not None and any(not operator.is_source for operator in rehearsal.operators)
