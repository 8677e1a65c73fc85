"""Edits of parameters: those of the check (CFG-01), and those that shape state."""

from __future__ import annotations

from dataclasses import replace

from aggregation_edits import IGNORE_FILTER, add_filter
from edits import COMPATIBLE, INCOMPATIBLE, UNKNOWN, Edit
from generated_jobs import Job
from keepstate.report import Verdict
from prepared_aggregations import no_session
from spelling import Chance

AGGREGATIONS = ("window-tvf", "group-window", "group-aggregate")


def _no_session(job: Job, chance: Chance) -> Job:
    return job.with_query(no_session(job.query, chance))


def ignore_filters_only(job: Job, chance: Chance) -> tuple[Job, Job]:
    return job, job.set(IGNORE_FILTER, "true")


def filter_and_ignore(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The configuration of the new version counts: it is the one that is checked."""
    return job, job.with_query(add_filter(job.query, chance)[1]).set(IGNORE_FILTER, "true")


def filter_and_no_longer_ignore(job: Job, chance: Chance) -> tuple[Job, Job]:
    after = job.with_query(add_filter(job.query, chance)[1])
    return job.set(IGNORE_FILTER, "true"), after.set(IGNORE_FILTER, "false")


def _changed(key: str, was: str, now: str) -> object:
    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        before = job.set(key, was, touched=True) if was else job
        return before, replace(job, settings=(*job.settings,)).set(key, now, touched=True)

    return change


def _parameter(spec: str, name: str, kind: str, verdict: Verdict, key: str, was: str, now: str) -> Edit:
    return Edit(name, spec, kind, verdict, _changed(key, was, now), part="settings")


TTL, GROUPS = "table.exec.state.ttl", "pipeline.max-parallelism"
EDITS = (
    *(
        edit
        for kind in AGGREGATIONS
        for edit in (
            Edit("ignore-filters-only", "CFG-01", kind, COMPATIBLE, ignore_filters_only, part="settings"),
            Edit("filter-and-ignore", "CFG-01", kind, COMPATIBLE, filter_and_ignore, _no_session, "settings"),
            Edit("filter-and-no-longer-ignore", "CFG-01", kind, INCOMPATIBLE, filter_and_no_longer_ignore,
                 _no_session, "settings"),
        )
    ),
    *(
        edit
        for kind in ("group-aggregate", "regular-join", "top-n", "dedup-rowtime", "over")
        for edit in (
            _parameter("NONE-03", "longer-ttl", kind, UNKNOWN, TTL, "1 h", "36 h"),
            _parameter("NONE-03", "first-ttl", kind, UNKNOWN, TTL, "", "36 h"),
            _parameter("NONE-04", "shorter-ttl", kind, COMPATIBLE, TTL, "36 h", "90 min"),
            _parameter("NONE-05", "fewer-key-groups", kind, INCOMPATIBLE, GROUPS, "256", "96"),
        )
    ),
    _parameter("NONE-06", "mini-batch", "group-aggregate", UNKNOWN, "table.exec.mini-batch.enabled", "false", "true"),
)  # fmt: skip
"""Of times to live, key groups and ways of execution the specification has no row. That a savepoint has a number of key
groups, and that a shorter time to live drops what is older, are facts of Flink."""
