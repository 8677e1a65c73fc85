"""A plan with the names and the time zone that its pages need."""

from __future__ import annotations

from dataclasses import dataclass, replace

from keepstate.cutover.cutover_plan import Approach, Assumption, CutoverPlan
from keepstate.cutover.times import moment_words, sql_time
from keepstate_lsp.cli.commands.cutover.plan_evidence import PlanEvidence
from keepstate_lsp.cli.commands.cutover.platforms import Platform


@dataclass(frozen=True)
class Trial:
    """One run of the plan: the boundary of the trial, and numbers of rows with some that differ."""

    rows: str
    boundary: int
    former: int
    new: int
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        return not self.missing and not self.unexpected


@dataclass(frozen=True)
class Runner:
    """The engine of the trials. ``instead`` is the sentence that says why it is not a real Flink."""

    name: str
    version: str
    instead: str = ""

    @property
    def is_flink(self) -> bool:
        return not self.instead


@dataclass(frozen=True)
class NotRun:
    """A set of rows without a trial, and the reason."""

    rows: str
    reason: str


@dataclass(frozen=True)
class Proof:
    """The trials of a plan. ``reason`` says why there are none, ``not_run`` which sets of rows have none."""

    runner: Runner
    trials: tuple[Trial, ...] = ()
    reason: str = ""
    not_run: tuple[NotRun, ...] = ()

    @property
    def holds(self) -> bool:
        """Return whether every trial gave the same rows, and at least one wrote some in the new job."""
        return any(trial.new for trial in self.trials) and all(trial.is_exact for trial in self.trials)


@dataclass(frozen=True)
class NamedPlan:
    """``file`` and ``baseline`` are names of the two versions, ``zone`` is the session time zone, ``command`` the
    command line that made the plan, without ``--at``.
    """

    plan: CutoverPlan
    file: str
    baseline: str
    engine: str
    zone: str
    platform: Platform
    command: str
    evidence: PlanEvidence
    proof: Proof | None = None

    @property
    def is_exact(self) -> bool:
        """Return whether the plan is exact, and neither a trial nor a row that was given shows otherwise."""
        return self.plan.exists and self.plan.is_exact and not self.is_refuted and not self.evidence.broken

    @property
    def is_refuted(self) -> bool:
        """Return whether a trial gave other rows. A plan that was not run is not refuted."""
        return self.proof is not None and bool(self.proof.trials) and not self.proof.holds

    @property
    def needs_cutover(self) -> bool:
        return self.plan.approach is not Approach.RESTART

    def with_proof(self, proof: Proof) -> NamedPlan:
        return replace(self, proof=proof)

    def sentence(self, assumption: Assumption) -> str:
        """The sentence of a condition with its times: the start is that of its own table."""
        boundary = "" if self.plan.boundary is None else sql_time(self.plan.boundary)
        positions = [each for each in self.plan.positions if each.table == assumption.table]
        starts = [each.millis for each in positions if each.millis is not None]
        start = moment_words(min(starts)) if starts else "the beginning"
        filled = assumption.sentence.replace("{start}", start).replace("{zone}", self.zone)
        return filled.replace("{boundary}", boundary)

    def time(self, wall: int) -> str:
        """A time as windows show it, with its zone."""
        return f"{sql_time(wall)} ({self.zone if self.plan.is_local else 'event time'})"
