"""Effect of a restart from a savepoint on each query of a job, in terms that can be computed on rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from keepstate.comparison import Comparison
from keepstate.diff.operator_pairing import match_operators
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.job import Pipeline, Plan, written_plan
from keepstate.plan.operators import Aggregate, Calc, Operator, OverAggregate, Union
from keepstate.plan.optimizer.union_order import in_written_order, written_positions
from keepstate.report import Effect, Finding, PipelineVerdict, Report, Verdict
from keepstate.rules.judgement import PipelineJudgement
from keepstate.text import Span

Leveled = tuple[AggregateCall, int]
"""An aggregate with its level, which distinguishes it from an equal one of a query below."""


class StateUse(Enum):
    """Part of the savepoint that a query takes over."""

    REUSED = "reused"
    """The whole state, or all but the aggregates that start empty."""
    LOST = "lost"
    """Nothing."""
    MISREAD = "misread"
    """All of it, with another meaning than it was written with."""
    OPEN = "open"
    """Undecidable."""
    NEW = "new"
    """There is nothing: no query of the baseline is its counterpart."""


@dataclass(frozen=True)
class QueryRestart:
    """Effect of a restart on one query of the current version."""

    pipeline: Pipeline
    span: Span
    """Its statement in the current text."""
    baseline: Pipeline | None
    """Its counterpart."""
    baseline_span: Span | None
    use: StateUse
    verdict: Verdict
    effect: Effect
    findings: tuple[Finding, ...] = ()
    """Findings about this query."""
    fresh: frozenset[Leveled] = frozenset()
    """Aggregates without a value in the savepoint, although the savepoint has the state that they belong to. If the
    outcome is undecidable, the aggregates that would start empty.
    """
    former_conditions: tuple[Expr, ...] | None = None
    """The filters below all state that rows went through before the restart; ``None`` if they are the same now."""
    with_job: bool = False
    """Its own state fits: it is lost because another query of the job cannot start from the savepoint."""


@dataclass(frozen=True)
class JobRestart:
    """Effect of a restart on a job. ``queries`` are those of the current version, in text order."""

    report: Report
    queries: tuple[QueryRestart, ...]


def restart_of(comparison: Comparison) -> JobRestart:
    """Return the effect that a restart of the current version from a savepoint of the baseline has on each query.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> [query.use.value for query in restart_of(analyse(now, was).comparison).queries]
    ['lost']
    """
    report = comparison.report()
    verdicts = {(verdict.name, verdict.span): verdict for verdict in report.pipelines}
    queries = []
    for pipeline in comparison.judgement.pipelines:
        now = pipeline.pair.current
        if now is None:
            continue
        was, span = pipeline.pair.baseline, comparison.current.statement_of(now).span
        verdict = verdicts[now.name, span]
        use = _use(verdict, pipeline, report)
        queries.append(
            QueryRestart(
                now,
                span,
                was,
                comparison.baseline.statement_of(was).span if was is not None else None,
                use,
                verdict.verdict,
                verdict.effect,
                tuple(report.findings[index] for index in verdict.findings),
                frozenset(_fresh(pipeline)),
                _former_conditions(pipeline),
                use is StateUse.LOST and verdict.verdict.rank < Verdict.INCOMPATIBLE.rank,
            )
        )
    return JobRestart(report, tuple(sorted(queries, key=lambda query: query.span)))


def _use(verdict: PipelineVerdict, pipeline: PipelineJudgement, report: Report) -> StateUse:
    """A savepoint is one for the whole job: where one of its queries cannot start from it, none does."""
    if pipeline.pair.baseline is None:
        return StateUse.NEW
    if verdict.effect is Effect.WRONG_RESULTS and report.effect is not Effect.DOES_NOT_START:
        return StateUse.MISREAD
    if verdict.verdict is Verdict.INCOMPATIBLE or _job_starts_without(report):
        return StateUse.LOST
    return StateUse.OPEN if Verdict.UNKNOWN in (verdict.verdict, report.verdict) else StateUse.REUSED


def _job_starts_without(report: Report) -> bool:
    """Return whether the job cannot start from the savepoint. VVR decides that for jobs; Flink drops the state of
    single operators.
    """
    if report.verdict is not Verdict.INCOMPATIBLE:
        return False
    return report.engine != "flink" or report.effect is Effect.DOES_NOT_START


def _fresh(pipeline: PipelineJudgement) -> Iterator[Leveled]:
    """The aggregates that are stored now, and were not by the operator that is the counterpart."""
    was, now = pipeline.pair.baseline, pipeline.pair.current
    if was is None or now is None or was.plan == now.plan:
        return
    as_written = _as_written(now.plan)
    for match in match_operators(was.plan.root, now.plan.root):
        stored_calls = set(_aggregates(match.baseline))
        for call, written_call in zip(_aggregates(match.current), as_written.get(match.current, ()), strict=True):
            if call not in stored_calls:
                yield written_call, written_call.level


def _as_written(plan: Plan) -> dict[Operator | None, tuple[AggregateCall, ...]]:
    """The aggregates of each operator over columns of unions as the text gives them (``written_plan``)."""
    root, _ = in_written_order(plan.root, plan.output)
    calls: dict[Operator | None, tuple[AggregateCall, ...]] = {}
    waiting = [(plan.root, root)]
    while waiting:
        operator, written_operator = waiting.pop()
        calls[operator] = _aggregates(written_operator)
        below = operator.inputs
        if isinstance(operator, Union):
            below = tuple(operator.branches[position] for position in written_positions(operator))
        waiting += zip(below, written_operator.inputs, strict=True)
    return calls


def _aggregates(operator: Operator | None) -> tuple[AggregateCall, ...]:
    return operator.aggregates if isinstance(operator, (Aggregate, OverAggregate)) else ()


def _former_conditions(pipeline: PipelineJudgement) -> tuple[Expr, ...] | None:
    was, now = pipeline.pair.baseline, pipeline.pair.current
    if was is None or now is None or was.plan == now.plan:
        return None
    before, after = (conditions_below(_plan_as_written(side)) for side in (was, now))
    if before is None or after is None or frozenset(before) == frozenset(after):
        return None
    return before


def _plan_as_written(pipeline: Pipeline) -> Plan:
    return written_plan(pipeline.statement, Catalog.of(pipeline.definitions))


def conditions_below(plan: Plan) -> tuple[Expr, ...] | None:
    """The filters that rows pass in front of the lowest operator with state; ``None`` for a plan of several sources.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("SELECT b, COUNT(*) FROM t WHERE a > 1 GROUP BY b"), {})
    >>> [str(condition) for condition in conditions_below(job.pipelines[0].plan)]
    ['a > 1']
    """
    conditions: list[Expr] = []
    operator = plan.root
    while operator.inputs:
        if len(operator.inputs) > 1:
            return None
        if operator.stateful:
            conditions.clear()
        elif isinstance(operator, Calc):
            conditions += operator.conditions
        (operator,) = operator.inputs
    return tuple(conditions)
