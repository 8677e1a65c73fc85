"""``--prove``: the plan run on a real Flink, at several boundaries and on several sets of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.cutover.plans import NEW, Approach, CutoverPlan, Share
from keepstate.cutover.table_names import last_name
from keepstate.cutover.times import Order
from keepstate_flink.cluster import cluster
from keepstate_flink.errors import NotRunnable
from keepstate_flink.given_rows import given_records, rows_of_files
from keepstate_flink.handovers.trials import Beside, Boundary, Handovers, SinkKey, TimedTable, disordered
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.jobs import JobFailed, Jobs, ScriptedJob
from keepstate_flink.made_rows import made_rows
from keepstate_lsp.cli.commands.cutover.computing import require_spark, state_rows
from keepstate_lsp.cli.commands.cutover.made import Proof, Trial
from keepstate_lsp.cli.commands.verify.measuring import declared_types
from keepstate_lsp.cli.errors import tell

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate_flink.restarts import RowsOf

TIME_LIMIT = 600
_PLACES = (0.45, 0.75)
"""The boundaries of the trials, as parts of the time that the rows take."""

PlanAt = Callable[[int], CutoverPlan]
"""The plan for a boundary."""


@dataclass(frozen=True)
class Case:
    """A plan to be run: ``plan_at`` makes the same plan for other boundaries, which the rows have."""

    plan: CutoverPlan
    plan_at: PlanAt
    current: JobVersion
    baseline: JobVersion
    zone: tzinfo


def prove(case: Case, data: Sequence[tuple[str, str]], flink: str | None) -> Proof:
    """Run a plan on a Flink of its own.

    Raises:
        FlinkError: there is none, or it ended before the work was done.
    """
    version = install(flink or NEWEST, tell)
    with cluster(version, seconds=TIME_LIMIT) as running:
        return proof_of(case, data, version, Jobs(running))


def proof_of(case: Case, data: Sequence[tuple[str, str]], flink: str, jobs: Jobs, most: int | None = None) -> Proof:
    """Run a plan on a cluster of the version ``flink``, with ``most`` sets of generated rows (``None``: all)."""
    if case.plan.approach is Approach.REPLAY:
        return Proof(flink, reason="The new job reads all rows: there is nothing to hold its results against.")
    alike = sorted(
        name for name, count in Counter(last_name(each.table) for each in case.plan.sources).items() if count > 1
    )
    if alike:
        return Proof(flink, reason=f"Several tables have the last name {alike[0]}, by which rows are handed out.")
    if case.plan.states:
        require_spark()
    prover = _Prover(jobs, case)
    trials: list[Trial] = []
    reason = "The rows have no boundary in their midst."
    for number, (words, rows) in enumerate(islice(_row_sets(case, data), most)):
        # Of generated rows there are several sets, of given ones a single one.
        places = _PLACES if data else (_PLACES[number % len(_PLACES)],)
        try:
            at_boundary = case.plan.approach is Approach.BOUNDARY
            trials += prover.trials(words, rows, places) if at_boundary else prover.computed(words, rows)
        except NotRunnable as error:
            reason = error.sentence
    return Proof(flink, tuple(trials), "" if trials else reason)


def _row_sets(case: Case, data: Sequence[tuple[str, str]]) -> Iterator[tuple[str, RowsOf]]:
    baseline, current = case.baseline, case.current
    made = made_rows(baseline.text, current.text, (declared_types(baseline), declared_types(current)))
    if data:
        records = given_records({last_name(table): Path(path) for table, path in data})
        yield "given rows", rows_of_files(records, made[0])
        return
    # Of two sources, the row that comes too late depends on which of them is ahead: no two runs are alike.
    alone = len(case.plan.sources) == 1
    for number, rows in enumerate(made, 1):
        yield f"generated rows {number}", disordered(rows) if alone else rows


def _beside(plan: CutoverPlan, handovers: Handovers, wall: int) -> Beside:
    """The new sinks beside those in which the new job goes on, with the states that Spark computes for them."""
    moved = [each for each in plan.pipelines if each.approach is not Approach.RESTART]
    sinks = {share: frozenset(last_name(each.sink) for each in moved if each.share is share) for share in Share}
    states = {
        state.state.lower(): state_rows(plan.script(state.script), state.table, handovers, wall)
        for state in plan.states
    }
    return Beside(sinks[Share.ALL], sinks[Share.SINCE], wall, states)


class _Prover:
    """Runs the trials of one plan."""

    def __init__(self, jobs: Jobs, case: Case) -> None:
        self._jobs = jobs
        self._case = case
        self._plan_at = case.plan_at
        self._tables = {
            last_name(source.table): TimedTable(source.column, source.delay)
            for source in case.plan.sources
            if source.column is not None and source.delay is not None
        }

        self._keys = {last_name(sink.table): SinkKey(sink.key, sink.width) for sink in case.plan.keyed_sinks}

    def trials(self, words: str, rows: RowsOf, places: Sequence[float]) -> Iterator[Trial]:
        handovers = Handovers(self._jobs, rows, self._tables, self._case.zone, self._keys)
        former, current = self._each_job(self._case.baseline), self._each_job(self._case.current)
        tried: list[Boundary] = []
        watermarks = handovers.watermarks([*former, *current])
        for place in places:
            boundary = self._boundary(watermarks[: int(len(watermarks) * place) + 1])
            if boundary is None or boundary in tried:
                continue
            tried.append(boundary)
            plan = self._plan_at(boundary.wall)
            starts = {last_name(position.table): position.millis for position in plan.positions}
            new = self._each_job(replace(self._case.current, text=plan.script(NEW)))
            beside = _beside(plan, handovers, boundary.wall)
            names = {name for job in new for name in self._names(job)}
            found = handovers.tried(
                former, new, [job for job in current if names & set(self._names(job))], boundary, starts, beside
            )
            counts = found.former.total(), found.new.total()
            yield Trial(words, boundary.wall, *counts, found.missing, found.unexpected)

    def computed(self, words: str, rows: RowsOf) -> Iterator[Trial]:
        """The trial of a computed state: Spark computes it, and a real Flink goes on from it."""
        handovers = Handovers(self._jobs, rows, self._tables, self._case.zone, self._keys)
        current = self._each_job(self._case.current)
        watermarks = handovers.watermarks(current)
        if not watermarks:
            return
        wall = watermarks[len(watermarks) // 2]
        plan = self._plan_at(wall)
        new = self._each_job(replace(self._case.current, text=plan.script(NEW)))
        beside = _beside(plan, handovers, wall)
        starts = {last_name(position.table): position.millis for position in plan.positions}
        found = handovers.gone_on(new, current, starts, beside)
        yield Trial(
            words, wall, sum(map(len, beside.states.values())), found.new.total(), found.missing, found.unexpected
        )

    def _boundary(self, watermarks: Sequence[int]) -> Boundary | None:
        """A boundary at the last of some watermarks: the end of windows of both versions, where one is near enough."""
        if not watermarks:
            return None
        last = watermarks[-1]
        plan = self._plan_at(last)
        # A row comes out at its time, a window at its last millisecond.
        by_rows = any(each.order is Order.ROW_TIME for each in plan.pipelines)
        anywhere = Boundary(last, last if by_rows else last + 1)
        if plan.at_any_time or not plan.ends:
            return anywhere
        common = plan.ends[0]
        for ends in plan.ends[1:]:
            found = common.common(ends)
            if found is None:
                return anywhere
            common = found
        wall = common.at_or_before(last + 1)
        reached = next((watermark for watermark in watermarks if watermark >= wall - 1), last)
        if any(ends.at_or_before(reached + 1) > wall for ends in plan.ends):
            return anywhere
        return Boundary(reached, wall)

    def _each_job(self, version: JobVersion) -> list[ScriptedJob]:
        import keepstate

        one_job = version.jobs is keepstate.job_unit("flink", "script")
        parameters = tuple(sorted(version.parameters.items()))
        script = ScriptedJob(version.text, parameters, one_job, functions=tuple(sorted(version.functions.items())))
        try:
            return [replace(script, number=number) for number in range(len(self._jobs.queries(script)))]
        except JobFailed as failure:
            raise NotRunnable(f"Flink does not take it: {failure.chain[-1]}") from failure

    def _names(self, job: ScriptedJob) -> tuple[str, ...]:
        try:
            return self._jobs.queries(job)[job.number]
        except JobFailed as failure:
            # Left out of a comparison, it would make what is compared look whole.
            raise NotRunnable(f"Flink does not take it: {failure.chain[-1]}") from failure
