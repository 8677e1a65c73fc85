"""Plans of cutovers for tests: two versions of a job, and the time at which the plan is made."""

from __future__ import annotations

from datetime import datetime, timezone

import keepstate
from cutover_changes import TABLES
from keepstate import JobVersion
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import CutoverPlan
from keepstate.cutover.times import millis

NOW = millis(datetime(2026, 3, 2, 8, 44))
MINUTE = 60_000
ENGINES = ("vvr", "flink")


def planned(baseline: str, current: str, engine: str = "flink", **request: object) -> CutoverPlan:
    """The plan for a change, made at 08:44."""
    unit = keepstate.job_unit(engine, None)
    now, was = (JobVersion(text, jobs=unit) for text in (current, baseline))
    analysis = keepstate.analyse(now, was, engine)
    return analysis.cutover(CutoverOptions(NOW, **{"zone": timezone.utc, **request}))  # type: ignore[arg-type]


def windows(was: str, now: str, sink: str = "results") -> tuple[str, str]:
    return tuple(f"{TABLES}INSERT INTO {sink} {query};" for query in (was, now))  # type: ignore[return-value]


def job(query: str, sink: str = "results", head: str = "") -> str:
    """A job of the tables of ``TABLES``."""
    return f"{head}{TABLES}INSERT INTO {sink}\n{query};\n"
