"""The prediction beside a measurement: what the profile ``flink`` says of the same job, and whether the two agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keepstate.report import Effect, Report
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_lsp.cli.commands.verify.measurement_text import DECISIONS, PREDICTED, WORDS

if TYPE_CHECKING:
    from keepstate import JobVersion

ENGINE = "flink"
"""A real Flink is open-source Flink, whatever engine runs the job."""
_STARTS = frozenset(Effect) - {Effect.DOES_NOT_START, Effect.UNDETERMINED}
_FRESH = {Effect.STARTS_EMPTY, Effect.STATE_DROPPED}
_AGREEING = {
    RestartOutcome.STARTS: _STARTS,
    RestartOutcome.DOES_NOT_START: {Effect.DOES_NOT_START},
    RestartOutcome.EXACT: {Effect.EXACT, *_FRESH},
    RestartOutcome.STATE_LOST: {Effect.STATE_LOST, *_FRESH},
    RestartOutcome.WRONG_RESULTS: {Effect.WRONG_RESULTS, *_FRESH},
}
_HIDDEN_BY_ROWS = {RestartOutcome.EXACT: {Effect.WRONG_RESULTS}, RestartOutcome.STATE_LOST: {Effect.WRONG_RESULTS}}
"""Effects that some rows do not show."""


@dataclass(frozen=True)
class CheckedPrediction:
    """A measurement and the effect that was predicted. ``agrees`` is ``None`` where the two cannot be held together:
    nothing was measured or predicted, or the rows do not show the effect.
    """

    measurement: Measurement
    predicted: Effect
    planned: PlanComparison | None = None
    """The answer of Flink's planner, if one was asked for."""

    @property
    def agrees(self) -> bool | None:
        outcome = self.measurement.outcome
        if outcome is RestartOutcome.NOT_MEASURED or self.predicted is Effect.UNDETERMINED:
            return None
        if self.is_hidden:
            return None
        return self.predicted in _AGREEING[outcome]

    @property
    def plan_agrees(self) -> bool | None:
        """Return whether the plans say what was measured; ``None`` where one of them says nothing."""
        outcome = self.measurement.outcome
        if self.planned is None or outcome is RestartOutcome.NOT_MEASURED:
            return None
        return {
            Decision.EQUAL: outcome in (RestartOutcome.STARTS, RestartOutcome.EXACT),
            Decision.STARTS: outcome is not RestartOutcome.DOES_NOT_START,
            Decision.DOES_NOT_START: outcome is RestartOutcome.DOES_NOT_START,
            Decision.NOT_DECIDED: None,
        }[self.planned.decision]

    @property
    def is_hidden(self) -> bool:
        """Return whether other rows may show the effect that was predicted."""
        return self.predicted in _HIDDEN_BY_ROWS.get(self.measurement.outcome, ())


def disagreements(jobs: Sequence[CheckedPrediction]) -> Iterator[str]:
    """A sentence for each job whose measurement is not what was predicted or planned."""
    for job in jobs:
        measured = f"{job.measurement.name or 'The job'}: measured {WORDS[job.measurement.outcome]}"
        if job.agrees is False:
            yield f"{measured}, predicted {PREDICTED[job.predicted]}."
        if job.planned is not None and job.plan_agrees is False:
            yield f"{measured}, and by its plans it {DECISIONS[job.planned.decision]}."


def judged(measurement: Measurement, report: Report, one_job: bool = False) -> CheckedPrediction:
    """A measurement with the prediction of its job; with ``one_job`` it is that of the whole script."""
    return CheckedPrediction(measurement, predicted_effect(measurement.name, report, one_job))


def predicted_effect(name: str, report: Report, one_job: bool = False) -> Effect:
    """The worst effect on one of the queries of a job; with ``one_job`` a query that is gone counts as well."""
    if one_job:
        return report.effect
    queries = set(name.split(", "))
    effects = [pipeline.effect for pipeline in report.pipelines if pipeline.name in queries]
    if len(effects) != len(queries):
        # An effect on the whole job, such as that of a setting, is one on each query of it.
        return report.effect
    attached = {index for pipeline in report.pipelines for index in pipeline.findings}
    # What becomes of a query is unknown as well where nothing says which queries a change is about: that of a function.
    effects += [
        finding.effect
        for index, finding in enumerate(report.findings)
        if index not in attached and finding.pipeline is None and finding.effect is Effect.UNDETERMINED
    ]
    return max(effects, key=lambda effect: effect.precedence)


def prediction(current: JobVersion, baseline: JobVersion, flink: str) -> Report:
    """The report of the profile ``flink`` on both versions, as the Flink version that restarts them runs them."""
    import keepstate

    sides = [replace(side, engine_version=flink) for side in (current, baseline)]
    return keepstate.check(sides[0], sides[1], ENGINE)
