"""A first or last time to live, by operator and engine.

OVER by a row time drops old rows by timers, with a time to live and without: Flink 1.20.5 restored its state exactly.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

DDL = """CREATE TABLE t (k STRING, d INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
"""
SETTING = "SET 'table.exec.state.ttl' = '1 d';\n"
OVER = "SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY {}) AS s FROM t;"
GROUPS = "SELECT k, SUM(d) AS s FROM t GROUP BY k;"
UNKNOWN, COMPATIBLE, INCOMPATIBLE = Verdict.UNKNOWN, Verdict.COMPATIBLE, Verdict.INCOMPATIBLE


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("query", "engine", "version", "verdict"),
    [
        (OVER.format("ts"), "flink", "1.20", COMPATIBLE),
        (OVER.format("ts"), "flink", "2.3", COMPATIBLE),
        (OVER.format("ts"), "vvr", None, UNKNOWN),
        (OVER.format("pt"), "flink", "1.20", INCOMPATIBLE),
        (OVER.format("pt"), "vvr", None, UNKNOWN),
        (GROUPS, "flink", "1.20", INCOMPATIBLE),
        (GROUPS, "flink", "2.3", COMPATIBLE),
        (GROUPS, "vvr", None, UNKNOWN),
    ],
)
def test_verdict_on_a_first_and_a_last_time_to_live(
    query: str, engine: str, version: str | None, verdict: Verdict, first: bool
) -> None:
    without, with_ = (JobVersion(text + query, engine_version=version) for text in (DDL, SETTING + DDL))
    baseline, current = (without, with_) if first else (with_, without)
    assert check(current, baseline, engine).verdict is verdict
