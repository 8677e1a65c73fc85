"""State that no page names: rows of an open SESSION window behind no aggregation, and joins with a query in ON."""

from __future__ import annotations

import pytest

import keepstate
from keepstate.report import Verdict

TABLE = """\
CREATE TABLE t (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
SESSION = "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '2' MINUTE))"
ROWS = f"SELECT k, a FROM {SESSION}"
LONGER = ROWS.replace("'2'", "'3'")
JOIN = "FROM t AS x JOIN t AS y ON x.k = y.k AND x.a < (SELECT MAX(b) FROM t)"
PAIRS = "SELECT x.k, y.a " + JOIN

FELT = {
    "gap": (ROWS, LONGER, Verdict.INCOMPATIBLE),
    "session keys": (ROWS, ROWS.replace("BY k", "BY b"), Verdict.INCOMPATIBLE),
    "window": (
        ROWS,
        "SELECT k, a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' MINUTE))",
        Verdict.INCOMPATIBLE,
    ),
    "no window": (ROWS, "SELECT k, a FROM t", Verdict.INCOMPATIBLE),
    "column of a session": (ROWS, f"SELECT k, b FROM {SESSION}", Verdict.UNKNOWN),
    "filter of a session": (ROWS, f"{ROWS} WHERE b > 1", Verdict.UNKNOWN),
    "gap in a union": (
        f"{ROWS} UNION ALL SELECT k, a FROM t",
        f"{LONGER} UNION ALL SELECT k, a FROM t",
        Verdict.INCOMPATIBLE,
    ),
    "gap of one of two sessions": (f"{ROWS} UNION ALL {ROWS}", f"{LONGER} UNION ALL {ROWS}", Verdict.UNKNOWN),
    "filter of a join": (PAIRS, f"{PAIRS} WHERE y.b > 1", Verdict.UNKNOWN),
    "column of a join": (PAIRS, f"SELECT x.k, y.b {JOIN}", Verdict.UNKNOWN),
    "aggregate in ON": (PAIRS, PAIRS.replace("MAX", "MIN"), Verdict.UNKNOWN),
    "comparison in ON": (PAIRS, PAIRS.replace("x.a <", "x.a >"), Verdict.UNKNOWN),
}
SILENT = {
    "alias of a session": (ROWS, f"SELECT k AS key_, a AS value_ FROM {SESSION} AS w"),
    "expression over a session": (ROWS, f"SELECT UPPER(k) AS k, a + 1 AS a FROM {SESSION}"),
    "field of the window": (ROWS, f"SELECT k, a, window_end FROM {SESSION}"),
    "length of a gap": (ROWS, ROWS.replace("'2' MINUTE", "'0 00:02:00' DAY TO SECOND")),
    "rows of a tumbling window": tuple(
        f"SELECT {column} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' MINUTE))" for column in "ab"
    ),
    "alias of a join": (PAIRS, f"SELECT x.k AS key_, y.a AS value_ {JOIN}"),
    "expression over a join": (PAIRS, f"SELECT UPPER(x.k) AS k, y.a + 1 AS a {JOIN}"),
}


def report(former: str, changed: str) -> keepstate.Report:
    return keepstate.check(*(keepstate.JobVersion(f"{TABLE}{query};") for query in (changed, former)), "vvr")


@pytest.mark.parametrize(("former", "changed", "verdict"), FELT.values(), ids=FELT)
def test_the_change_is_felt(former: str, changed: str, verdict: Verdict) -> None:
    assert report(former, changed).verdict is verdict
    assert report(changed, former).verdict is verdict


@pytest.mark.parametrize(("former", "changed"), SILENT.values(), ids=SILENT)
def test_another_spelling_is_silent(former: str, changed: str) -> None:
    assert not report(former, changed).findings
    assert not report(changed, former).findings
