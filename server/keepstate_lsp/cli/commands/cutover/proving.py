"""``--prove``: the plan run on a real Flink, at several boundaries and on several sets of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from keepstate.cutover.cutover_plan import NEW, CutoverPlan, Share
from keepstate.cutover.table_names import last_name
from keepstate_flink.cluster import cluster
from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.handovers.handover_trials import ExtraSinks, Handovers, SinkKey
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.jvm import require_flink
from keepstate_flink.running_jobs import JobFailed, Jobs, ScriptedJob
from keepstate_lsp.cli.commands.cutover.computing import require_spark, state_rows
from keepstate_lsp.cli.commands.cutover.named_plan import Proof, Runner, Trial
from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase, obstacle, proved
from keepstate_lsp.cli.errors import tell
from keepstate_spark.cutovers.results import Computer, computer
from keepstate_spark.errors import PipelineError

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate_flink.restarts import RowsOf

TIME_LIMIT = 600


def found_flink(version: str | None) -> str:
    """The full version of the Flink that runs plans here, after a download if need be; ``version`` may name a version.

    Raises:
        FlinkMissing: there is none.
    """
    require_flink()
    return install(version or NEWEST, tell)


def prove(case: ProofCase, data: Sequence[tuple[str, str]], version: str, listen: Callable[[], None]) -> Proof:
    """Run a plan on a Flink of its own, of a version that is installed. States are computed by a Spark of its own;
    ``listen`` puts the handler for Ctrl-C in its place again, which PySpark takes.

    Raises:
        FlinkError: it ended before the work was done, or a state is to be computed and there is no Spark.
    """
    with ExitStack() as opened:
        running = opened.enter_context(cluster(version, seconds=TIME_LIMIT))
        spark = opened.enter_context(_spark()) if case.plan.states else None
        listen()
        return proof_of(case, data, version, Jobs(running), spark=spark)


@contextmanager
def _spark() -> Iterator[Computer]:
    require_spark()
    try:
        with computer() as spark:
            yield spark
    except PipelineError as error:
        raise FlinkError(error.sentence, error.hint) from error


def proof_of(
    case: ProofCase,
    data: Sequence[tuple[str, str]],
    flink: str,
    jobs: Jobs,
    most: int | None = None,
    spark: Computer | None = None,
) -> Proof:
    """Run a plan on a cluster of the version ``flink``, with ``most`` sets of generated rows (``None``: all). A plan
    with states needs a ``spark`` to compute them.
    """
    runner = Runner("Flink", flink)
    if reason := obstacle(case):
        return Proof(runner, reason=reason)
    return proved(case, data, _Prover(jobs, case, spark), runner, most)


class _Prover:
    """Runs the trials of one plan."""

    def __init__(self, jobs: Jobs, case: ProofCase, spark: Computer | None) -> None:
        self._jobs = jobs
        self._spark = spark
        self._case = case
        self._keys = {last_name(sink.table): SinkKey(sink.key, sink.width) for sink in case.plan.keyed_sinks}

    def at_boundary(self, words: str, rows: RowsOf, places: Sequence[float]) -> Iterator[Trial]:
        handovers = self._handovers(rows)
        former, current = self._each_job(self._case.baseline), self._each_job(self._case.current)
        watermarks = handovers.watermarks([*former, *current])
        for boundary in self._case.boundaries(watermarks, places):
            plan = self._case.plan_at(boundary.wall)
            starts = {last_name(position.table): position.millis for position in plan.positions}
            new = self._each_job(replace(self._case.current, text=plan.script(NEW)))
            beside = self._beside(plan, handovers, boundary.wall)
            names = {name for job in new for name in self._names(job)}
            outcome = handovers.hand_over(
                former, new, [job for job in current if names & set(self._names(job))], boundary, starts, beside
            )
            counts = outcome.former.total(), outcome.new.total()
            yield Trial(words, boundary.wall, *counts, outcome.missing, outcome.unexpected)

    def computed(self, words: str, rows: RowsOf) -> Iterator[Trial]:
        """The trial of a computed state: Spark computes it, and a real Flink goes on from it."""
        handovers = self._handovers(rows)
        current = self._each_job(self._case.current)
        watermarks = handovers.watermarks(current)
        if not watermarks:
            return
        wall = watermarks[len(watermarks) // 2]
        plan = self._case.plan_at(wall)
        new = self._each_job(replace(self._case.current, text=plan.script(NEW)))
        beside = self._beside(plan, handovers, wall)
        starts = {last_name(position.table): position.millis for position in plan.positions}
        outcome = handovers.gone_on(new, current, starts, beside)
        yield Trial(
            words, wall, sum(map(len, beside.states.values())), outcome.new.total(), outcome.missing, outcome.unexpected
        )

    def _handovers(self, rows: RowsOf) -> Handovers:
        return Handovers(self._jobs, rows, self._case.timed_tables, self._case.zone, self._keys)

    def _beside(self, plan: CutoverPlan, handovers: Handovers, wall: int) -> ExtraSinks:
        """The new sinks beside those in which the new job goes on, with the states that Spark computes for them."""
        states: dict[str, list[dict[str, Any]]] = {}
        for state in plan.states:
            assert self._spark is not None
            script = plan.script(state.script)
            states[state.state.lower()] = state_rows(self._spark, script, state.table, handovers, wall)
        return ExtraSinks(self._case.sinks(Share.ALL), self._case.sinks(Share.SINCE), wall, states)

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
