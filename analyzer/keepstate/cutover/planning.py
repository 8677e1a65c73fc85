"""The plan of a cutover, made of the comparison of two versions."""

from __future__ import annotations

from dataclasses import replace

from keepstate.comparison import Comparison
from keepstate.cutover.boundary_plan import boundary_plan
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import Approach, CutoverPlan, NotPlannable, PipelinePlan
from keepstate.cutover.material import Material
from keepstate.cutover.shadow_plans import shadow_plan
from keepstate.plan.job import Plan
from keepstate.plan.metadata.changelog import updates, updating_tables
from keepstate.plan.operators import Calc
from keepstate.quick_fixes.repairs import file_fixes, fixes
from keepstate.report import Fix, Verdict
from keepstate.restart_effects import QueryRestart

_MODE = "execution.runtime-mode"
_QUIET = (
    "The state is kept, but a result is written again only when a row changes it: until then the sink has that of the "
    "former version, or none"
)
_KEEPING = frozenset({"keep-both", "restore-order", "separate-job", "first-step"})
"""Kinds of fixes that keep the state and most of the change; those that put the baseline back are no plan."""


def plan_cutover(comparison: Comparison, request: CutoverOptions) -> CutoverPlan:
    """The cheapest exact plan that brings the current version into production, or the least inexact one.

    Raises:
        NotPlannable: one of the versions is no job as a whole.

    >>> from datetime import timezone
    >>> from keepstate import JobVersion, analyse
    >>> query = "INSERT INTO s SELECT window_end, {} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
    >>> query += "GROUP BY window_start, window_end"
    >>> table = "CREATE TABLE t (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
    >>> table += "CREATE TABLE s (hour_end TIMESTAMP(3), v INT) WITH ('connector' = 'kafka');"
    >>> was, now = (JobVersion(table + query.format(metric)) for metric in ("SUM(v)", "MAX(v)"))
    >>> from keepstate.cutover.times import sql_time
    >>> plan = plan_cutover(analyse(now, was).comparison, CutoverOptions(now=5_000_000, zone=timezone.utc))
    >>> plan.approach.value, sql_time(plan.boundary), plan.pipelines[0].condition
    ('boundary', '1970-01-01 02:00:00', "hour_end > TIMESTAMP '1970-01-01 02:00:00'")
    """
    plan = outlined_cutover(comparison, request)
    return replace(plan, keeping=_keeping(comparison)) if plan.approach is not Approach.RESTART else plan


def outlined_cutover(comparison: Comparison, request: CutoverOptions) -> CutoverPlan:
    """The plan without the edits that keep the state instead: each of them is an analysis of its own.

    >>> from datetime import timezone
    >>> from keepstate import JobVersion, analyse
    >>> was, now = (JobVersion(f"INSERT INTO s SELECT b, {sums}(a) FROM t GROUP BY b") for sums in ("SUM", "MAX"))
    >>> plan = outlined_cutover(analyse(now, was).comparison, CutoverOptions(now=0, zone=timezone.utc))
    >>> plan.approach.value, plan.is_exact
    ('replay', False)

    Raises:
        NotPlannable: one of the versions is no job as a whole.
    """
    _require_jobs(comparison)
    material = Material(comparison, request)
    restarted = tuple(_restarted(material, each) for each in material.unmoved_queries)
    moves = material.moved_queries
    if not moves:
        return CutoverPlan(restarted, Approach.RESTART)
    plan = boundary_plan(material)
    if plan is None or (plan.fills_new_sinks and not _is_exact_at_some_time(plan, material)):
        other = shadow_plan(material)
        plan = other if plan is None or other.is_exact else plan
    return replace(plan, pipelines=(*plan.pipelines, *restarted))


def _restarted(material: Material, restart: QueryRestart) -> PipelinePlan:
    """The plan of a query that keeps its state."""
    restart_plan = material.planned(restart, Approach.RESTART)
    if restart.baseline is None or not _shows_others(restart.pipeline.plan, restart.baseline.plan):
        return restart_plan
    catalog = material.job.catalog
    plan = restart.pipeline.plan
    if not updates(plan.root, updating_tables(catalog, [scan.table for scan in plan.scans])):
        # Each result comes out once: those behind the restart are all of the current version.
        return restart_plan
    return replace(restart_plan, flaws=(*restart_plan.flaws, _QUIET))


def _shows_others(plan: Plan, former: Plan) -> bool:
    """Return whether other results come out of the same state: other columns, or other filters."""
    conditions = [
        {condition for operator in each.operators if isinstance(operator, Calc) for condition in operator.conditions}
        for each in (plan, former)
    ]
    return plan.output != former.output or conditions[0] != conditions[1]


def _is_exact_at_some_time(plan: CutoverPlan, material: Material) -> bool:
    """Return whether a plan at a boundary is exact, or would be at another time than the one that is asked for."""
    if plan.is_exact or material.request.at is None:
        return plan.is_exact
    other = boundary_plan(Material(material.comparison, replace(material.request, at=None)))
    return other is not None and other.is_exact


def _require_jobs(comparison: Comparison) -> None:
    """Raise ``NotPlannable`` for a version that has no query, is refused or cannot be read, or runs in batch mode."""
    for words, job in (
        ("The current version", comparison.current_job),
        ("The former version", comparison.baseline_job),
    ):
        messages = [*(each.message for each in job.refusals), *(each.message for each in job.unread())]
        if messages:
            raise NotPlannable(f"{words} is no job that Flink starts: {messages[0]}")
        if not job.job.pipelines:
            raise NotPlannable(f"{words} has no query, so nothing is handed over.")
        modes = {each.settings[_MODE].value.lower() for each in job.job.pipelines if _MODE in each.settings}
        if "batch" in modes:
            raise NotPlannable(f"{words} runs in batch mode, which keeps no state.")


def _keeping(comparison: Comparison) -> tuple[Fix, ...]:
    """The fixes of the current text that keep the state, at least in part, and its intention."""
    report = comparison.report()
    restoring = {
        fix.title: fix
        for index in report.with_fixes
        for fix in fixes(comparison, report, index)
        if fix.kind in _KEEPING and fix.verdict_after.rank <= Verdict.PARTIAL.rank
    }
    more = (fix for fix in file_fixes(comparison, report, None) if fix.kind in _KEEPING)
    restoring |= {fix.title: fix for fix in more if fix.verdict_after.rank <= Verdict.PARTIAL.rank}
    return tuple(restoring.values())
