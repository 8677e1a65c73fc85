"""Parts of a query that never have a row: Flink takes them out of the plan, and with them all state behind them.

Plans of 2.3.0 and 1.20.5: ``Values(tuples=[[]])`` stands where such a part was.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Report, Verdict

TABLES = """\
CREATE TABLE t (k STRING, k2 STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE r (k STRING, w INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector' = 'kafka');
CREATE TABLE s (k STRING, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE s2 (k STRING, n BIGINT) WITH ('connector' = 'print');
"""
GROUPS = "SELECT k, COUNT(*) FROM t {} GROUP BY k"
WINDOWS = (
    "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) {} "
    "GROUP BY k, window_start, window_end"
)
JOIN = "SELECT t.k, r.w FROM t {} (SELECT * FROM r {}) AS r ON t.k = r.k"
INTERVAL = "SELECT t.k, r.w FROM t JOIN r ON t.k = r.k AND t.ts BETWEEN r.rts AND r.rts + INTERVAL '5' MINUTE"
UNION = "SELECT k, COUNT(*) FROM (SELECT k FROM t UNION ALL {}) GROUP BY k"

VANISHED = {
    "WHERE FALSE": (GROUPS.format(""), GROUPS.format("WHERE FALSE")),
    "constants that differ": (GROUPS.format(""), GROUPS.format("WHERE 1 = 0")),
    "a contradiction": (GROUPS.format(""), GROUPS.format("WHERE a > 3 AND a < 2")),
    "NULL as a condition": (GROUPS.format(""), GROUPS.format("WHERE CAST(NULL AS BOOLEAN)")),
    "HAVING": (GROUPS.format(""), GROUPS.format("") + " HAVING 1 = 2"),
    "LIMIT 0 below": (GROUPS.format(""), "SELECT k, COUNT(*) FROM (SELECT * FROM t LIMIT 0) GROUP BY k"),
    "LIMIT 0": ("SELECT k, a FROM t LIMIT 5", "SELECT k, a FROM t LIMIT 0"),
    "LIMIT 0 of a sort": ("SELECT k, a FROM t ORDER BY a LIMIT 5", "SELECT k, a FROM t ORDER BY a LIMIT 0"),
    "FETCH 0": ("SELECT k, a FROM t LIMIT 5", "SELECT k, a FROM t FETCH FIRST 0 ROWS ONLY"),
    "a window": (WINDOWS.format(""), WINDOWS.format("WHERE FALSE")),
    "an input of a join": (JOIN.format("JOIN", ""), JOIN.format("JOIN", "WHERE FALSE")),
    "a condition of a join": (JOIN.format("JOIN", ""), JOIN.format("JOIN", "") + " AND FALSE"),
    "the optional input": (JOIN.format("LEFT JOIN", ""), JOIN.format("LEFT JOIN", "WHERE FALSE")),
    "no match of an outer join": (JOIN.format("LEFT JOIN", ""), JOIN.format("LEFT JOIN", "") + " AND FALSE"),
    "an interval join": (INTERVAL, INTERVAL + " AND FALSE"),
    "INTERSECT": (
        "SELECT k FROM t INTERSECT SELECT k FROM r",
        "SELECT k FROM t INTERSECT SELECT k FROM r WHERE FALSE",
    ),
    "IN": (
        "SELECT k FROM t WHERE k IN (SELECT k FROM r)",
        "SELECT k FROM t WHERE k IN (SELECT k FROM r WHERE FALSE)",
    ),
    "without keys": ("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t WHERE FALSE"),
    "DISTINCT": ("SELECT DISTINCT k FROM t", "SELECT DISTINCT k FROM t WHERE FALSE"),
    "each branch of a union": (
        GROUPS.format(""),
        "SELECT k, COUNT(*) FROM (SELECT k FROM t WHERE FALSE UNION ALL SELECT k FROM r LIMIT 0) GROUP BY k",
    ),
    "a branch that decides the type of a column": (
        "SELECT k, SUM(a) FROM t GROUP BY k",
        "SELECT k, SUM(a) FROM "
        "(SELECT k, CAST(1 AS BIGINT) AS a FROM t WHERE FALSE UNION ALL SELECT k, a FROM t) GROUP BY k",
    ),
}
SAME = {
    "another way to have no row": (GROUPS.format("WHERE FALSE"), GROUPS.format("WHERE a > 3 AND a < 2")),
    "NOT IN of no row": ("SELECT k FROM t", "SELECT k FROM t WHERE k NOT IN (SELECT k FROM r WHERE FALSE)"),
    "NOT EXISTS of no row": (
        "SELECT k FROM t",
        "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = t.k AND FALSE)",
    ),
    "a branch of groups of no row": (
        GROUPS.format(""),
        UNION.format("SELECT k FROM (SELECT k, COUNT(*) AS n FROM t WHERE FALSE GROUP BY k)"),
    ),
    "a branch of LIMIT 0": (GROUPS.format(""), UNION.format("SELECT k FROM (SELECT * FROM t LIMIT 0)")),
    "a branch of a join with no row": (
        GROUPS.format(""),
        UNION.format("SELECT t.k FROM t JOIN (SELECT k FROM r WHERE FALSE) AS r ON t.k = r.k"),
    ),
    "HAVING that Flink does not see through": (GROUPS.format(""), GROUPS.format("") + " HAVING COUNT(*) < 0"),
    "a condition that always holds": (GROUPS.format(""), GROUPS.format("WHERE 1 = 1")),
    "a processing time is never NULL": (GROUPS.format(""), GROUPS.format("WHERE PROCTIME() IS NOT NULL")),
    "OFFSET 0": ("SELECT k, a FROM t LIMIT 5", "SELECT k, a FROM t LIMIT 5 OFFSET 0"),
}


def report(was: str, now: str, engine: str = "flink") -> Report:
    return check(JobVersion(f"{TABLES}{now};"), JobVersion(f"{TABLES}{was};"), engine)


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), VANISHED.values(), ids=VANISHED)
def test_state_behind_no_rows_is_never_green(was: str, now: str, engine: str) -> None:
    assert report(was, now, engine).verdict in (Verdict.UNKNOWN, Verdict.INCOMPATIBLE)


@pytest.mark.parametrize(("was", "now"), SAME.values(), ids=SAME)
def test_the_same_plan_is_silent(was: str, now: str) -> None:
    found = report(was, now)
    assert (found.verdict, found.findings) == (Verdict.COMPATIBLE, ())


@pytest.mark.parametrize(
    "query",
    [
        GROUPS.format("WHERE FALSE"),
        JOIN.format("LEFT JOIN", "WHERE FALSE"),
        "SELECT COUNT(*) FROM t WHERE FALSE",
        "SELECT k FROM t EXCEPT SELECT k FROM r WHERE FALSE",
        "SELECT k FROM t ORDER BY a LIMIT 0",
    ],
)
def test_a_query_of_no_rows_is_like_itself(query: str) -> None:
    found = report(query, query.replace("SELECT", "SELECT /* as before */"))
    assert (found.unchanged, found.findings) == (True, ())


def test_the_other_query_of_a_job_is_no_longer_found() -> None:
    """Restored on 2.3.0: operator ids follow the sources, and one of them is gone."""
    insert = "INSERT INTO {} SELECT {}, COUNT(*) FROM t {} GROUP BY {}"
    both = (
        f"BEGIN STATEMENT SET; {insert.format('s', 'k', condition, 'k')}; {insert.format('s2', 'k2', '', 'k2')}; END"
        for condition in ("", "WHERE FALSE")
    )
    assert report(*both).verdict in (Verdict.UNKNOWN, Verdict.INCOMPATIBLE)
