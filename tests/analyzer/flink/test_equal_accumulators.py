"""Two ways to write one aggregate: Flink's plans differ, and what it stores does not (restores on 2.3.0)."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Effect, Report, Verdict

TABLES = """\
CREATE TABLE t (id BIGINT, a INT, b BIGINT, c STRING, s STRING NOT NULL, f CHAR(3), d DOUBLE,
  ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE cdc (id BIGINT, a INT, b BIGINT, c STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'mysql-cdc', 'table-name' = 'cdc');
"""
GROUPS = "SELECT a, {} FROM t GROUP BY a"
OF_CHANGES = "SELECT a, {} FROM cdc GROUP BY a"
WINDOWS = (
    "SELECT a, {} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY a, window_start, window_end"
)
ALWAYS = [
    (query, call, f"{call} FILTER (WHERE {condition})")
    for query in (GROUPS, OF_CHANGES)
    for call in ("COUNT(*)", "COUNT(b)", "SUM(b)", "MAX(b)", "AVG(b)", "COUNT(DISTINCT b)")
    for condition in ("TRUE", "1 = 1")
    if (query, call) != (OF_CHANGES, "COUNT(*)")
]
SAME = [
    *ALWAYS,
    (WINDOWS, "SUM(b)", "SUM(b) FILTER (WHERE TRUE)"),
    (GROUPS, "SUM(b), COUNT(*) FILTER (WHERE b > 1)", "SUM(b) FILTER (WHERE TRUE), COUNT(*) FILTER (WHERE b > 1)"),
    (GROUPS, "SUM(b)", "SUM(b) FILTER (WHERE b IS NOT NULL)"),
    (GROUPS, "MAX(c)", "MAX(c) FILTER (WHERE c IS NOT NULL)"),
    (GROUPS, "LISTAGG(c)", "LISTAGG(c, ',')"),
    (GROUPS, "LISTAGG(s)", "LISTAGG(s, ',')"),
    (WINDOWS, "LISTAGG(c)", "LISTAGG(c, ',')"),
    (GROUPS, "MAX(c || 'x')", "MAX(CONCAT(c, 'x'))"),
    (GROUPS, "MAX(c || '-' || s)", "MAX(CONCAT(c, '-', s))"),
    ("SELECT {0}, COUNT(*) FROM t GROUP BY {0}", "c || s", "CONCAT(c, s)"),
    ("SELECT a, COUNT(*) FROM t WHERE {} = 'xy' GROUP BY a", "c || s", "CONCAT(c, s)"),
]
DIFFERENT = [
    (GROUPS, "SUM(b)", "SUM(b) FILTER (WHERE FALSE)"),
    (GROUPS, "SUM(b)", "SUM(b) FILTER (WHERE a IS NOT NULL)"),
    (GROUPS, "SUM(b)", "SUM(b) FILTER (WHERE b IS NULL)"),
    (GROUPS, "COUNT(*)", "COUNT(*) FILTER (WHERE b IS NOT NULL)"),
    (GROUPS, "ARRAY_AGG(b)", "ARRAY_AGG(b) FILTER (WHERE b IS NOT NULL)"),
    (GROUPS, "LISTAGG(c)", "LISTAGG(c, ';')"),
    (GROUPS, "LISTAGG(c)", "LISTAGG(c, ', ')"),
    (GROUPS, "LISTAGG(c, ',')", "LISTAGG(s)"),
    (GROUPS, "LISTAGG(DISTINCT c)", "LISTAGG(DISTINCT c, ',')"),
    # Only a count without a filter counts the rows of a group as well.
    (OF_CHANGES, "COUNT(*)", "COUNT(*) FILTER (WHERE TRUE)"),
    (OF_CHANGES, "LISTAGG(c)", "LISTAGG(c, ',')"),
    (GROUPS, "MAX(c || s)", "MAX(CONCAT(s, c))"),
    (GROUPS, "MAX(c || s)", "MAX(CONCAT_WS('', c, s))"),
    ("SELECT {0}, COUNT(*) FROM t GROUP BY {0}", "f || f", "CONCAT(f, f)"),
]


def report(query: str, was: str, now: str) -> Report:
    return check(JobVersion(f"{TABLES}{query.format(now)};"), JobVersion(f"{TABLES}{query.format(was)};"), "flink")


@pytest.mark.parametrize(("query", "was", "now"), [*SAME, *((query, now, was) for query, was, now in SAME)])
def test_one_accumulator_in_other_words_is_restored(query: str, was: str, now: str) -> None:
    found = report(query, was, now)
    assert (found.verdict, found.pipelines[0].effect) == (Verdict.COMPATIBLE, Effect.EXACT)


@pytest.mark.parametrize(("query", "was", "now"), [*DIFFERENT, *((query, now, was) for query, was, now in DIFFERENT)])
def test_another_accumulator_is_never_green(query: str, was: str, now: str) -> None:
    assert report(query, was, now).verdict is Verdict.INCOMPATIBLE
