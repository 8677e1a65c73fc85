"""The CPU of a verdict beside the CPU with which a real Flink plans the same two scripts, in a warm JVM."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator

import job_folders
import keepstate
from figures import Figure, Reference
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.plans.plan_comparison import Decision
from keepstate_flink.plans.planner import planning
from keepstate_flink.running_jobs import ScriptedJob
from processes import children_of, cpu_seconds

PAIRS = 24
_WARM = 8
"""So many pairs are left out: a JVM compiles what it runs often."""
_SINKS = (
    ("revenue", "window_start TIMESTAMP(3), category STRING, gmv DECIMAL(38, 2), orders BIGINT"),
    ("totals", "category STRING, gmv DECIMAL(38, 2), largest DECIMAL(12, 2)"),
)


def planned_pairs() -> Iterator[Figure]:
    """Pairs of versions of a job, each with the same sources, sinks and query."""
    pairs = [_pair(number) for number in range(PAIRS)]
    ours, theirs = [], []
    with planning(install(NEWEST, lambda _: None)) as planner:
        (jvm,) = children_of(os.getpid(), "java")
        for baseline, current in pairs:
            began = time.process_time()
            keepstate.check(keepstate.JobVersion(current), keepstate.JobVersion(baseline), "flink")
            ours.append(time.process_time() - began)
            began = time.process_time()
            before = cpu_seconds(jvm)
            answers = list(planner.answers(ScriptedJob(baseline), ScriptedJob(current)))
            theirs.append(time.process_time() - began + cpu_seconds(jvm) - before)
            assert [answer.comparison.decision is Decision.NOT_DECIDED for answer in answers] == [False], answers
    # The clock of another process counts in hundredths of a second: their sum is exact enough, and ours alike.
    value, planned = (1000 * statistics.mean(spent[_WARM:]) for spent in (ours, theirs))
    beside = Reference("Flink's planner", planned)
    yield Figure("CPU of a pair of 20 lines", value, "ms", beside=beside, most=1 / 30)


def _pair(number: int) -> tuple[str, str]:
    """Two versions of a job whose sink has the columns of both."""
    # The kinds of queries and of edits of a workspace that take columns away instead of adding them.
    kind = number % 2
    job = job_folders.job(4 * number + 2 * kind)
    name, columns = _SINKS[kind]
    sink = f"CREATE TABLE {name}_{4 * number + 2 * kind} ({columns}) WITH ('connector' = 'blackhole');\n"
    baseline = sink + job
    return baseline, baseline.replace("WHERE amount > 0", "WHERE amount >= 10").replace("MAX(amount)", "MIN(amount)")
