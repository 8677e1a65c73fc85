"""The kinds of jobs that are generated, and what is asked of pairs of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import rankings
import rows
import shared_views
import totals
import undeclared_tables
import united
from aggregations import group_aggregation, legacy_aggregation, window_aggregation
from generated_jobs import Insert, Job, Query, Sink
from joins import interval_join, lookup_join, regular_join, temporal_join, window_join
from keepstate import JobVersion
from keepstate.report import Report
from layered_queries import enriched, layered
from set_operations import partners, set_operation
from shared_analyses import analyse
from spelling import Chance, Script
from stacked import stacked
from windows_below import windowed_groups

QUERIES: dict[str, Callable[[Chance], Query]] = {
    "window-tvf": window_aggregation,
    "group-window": legacy_aggregation,
    "group-aggregate": group_aggregation,
    "window-top-n": rankings.window_top_n,
    "top-n": rankings.top_n,
    "dedup-proctime-asc": partial(rankings.deduplication, rankings.KEEP_FIRST),
    "dedup-proctime-desc": partial(rankings.deduplication, rankings.KEEP_LAST),
    "dedup-rowtime": partial(rankings.deduplication, rankings.KEEP_BY_ROWTIME),
    "window-dedup": rankings.window_deduplication,
    "over": rows.over_aggregate,
    "regular-join": regular_join,
    "interval-join": interval_join,
    "temporal-join": temporal_join,
    "lookup-join": lookup_join,
    "window-join": window_join,
    "pattern": rows.pattern,
    "sort-rowtime": partial(rows.temporal_sort, "rowtime"),
    "sort-proctime": partial(rows.temporal_sort, "proctime"),
    "limit": rows.limit,
    "projection": rows.projection,
    "stacked": stacked,
    "top-n-of-groups": rankings.top_n_of_groups,
    "set-operation": set_operation,
    "partners": partners,
    "windowed-groups": windowed_groups,
    "layered": layered,
    "enriched": enriched,
    "windowed-over": rows.windowed_over,
    "sort-limit": rows.sorted_limit,
    **united.KINDS,
    **totals.KINDS,
    **undeclared_tables.KINDS,
}


KINDS: tuple[str, ...] = (*QUERIES, *shared_views.JOBS)
"""All kinds: jobs of one query, and jobs of several that belong together."""


SUNK: tuple[str, ...] = tuple(kind for kind in QUERIES if kind not in undeclared_tables.KINDS)
"""Kinds whose results have types that a sink can declare."""


def job_of(kind: str, chance: Chance) -> Job:
    """A job of one query, with a declared sink or as a SELECT of its own; or one of several queries."""
    if kind in shared_views.JOBS:
        return shared_views.JOBS[kind](chance)
    query = QUERIES[kind](chance)
    named = kind in SUNK and chance.pick(True, False)
    return Job((Insert(query, Sink("results") if named else Sink()),))


def checked(
    baseline: Script, current: Script, before: Job | None = None, after: Job | None = None, engine: str = "vvr"
) -> Report:
    old = JobVersion(baseline.text, dict(before.parameters) if before else {}, before.engine if before else None)
    new = JobVersion(current.text, dict(after.parameters) if after else {}, after.engine if after else None)
    return analyse(new, old, engine).report()


def story(report: Report, baseline: Script, current: Script) -> str:
    """The facts of a failure for a person."""
    findings = "\n".join(
        f"  {one.rule} [{one.query_kind}] {one.verdict.value}: {one.change} -- at {one.current.text!r}"
        f"{' (removed) ' + repr(one.baseline.text) if one.removed and one.baseline else ''}"
        for one in report.findings
    )
    return (
        f"\n======== baseline\n{baseline.text}\n======== current\n{current.text}\n"
        f"======== said: {report.verdict.value}\n{findings}\n{[problem.message for problem in report.problems]}"
    )
