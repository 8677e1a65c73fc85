"""An operator with state that comes or goes between a WHERE and the state behind it changes no filter."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """
CREATE TABLE t (page STRING, usr STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE u (usr STRING, seg STRING) WITH ('connector' = 'kafka');
"""
PLAIN = "SELECT page, COUNT(*) AS n FROM t WHERE dur > 2 GROUP BY page;"
FIRST_ROWS = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY usr ORDER BY ts) AS rn FROM t WHERE dur > 2) WHERE rn = 1"
BETWEEN = {
    "join": "SELECT t.page, COUNT(*) AS n FROM t JOIN u ON t.usr = u.usr WHERE t.dur > 2 GROUP BY t.page;",
    "first rows": f"SELECT page, COUNT(*) AS n FROM {FIRST_ROWS} GROUP BY page;",
    "EXISTS": "SELECT page, COUNT(*) AS n FROM t WHERE dur > 2 AND usr IN (SELECT usr FROM u) GROUP BY page;",
    "groups": "SELECT page, COUNT(*) AS n FROM (SELECT DISTINCT page, usr FROM t WHERE dur > 2) GROUP BY page;",
}


def rules(was: str, now: str, engine: str) -> tuple[Verdict, set[str]]:
    report = check(JobVersion(TABLES + now), JobVersion(TABLES + was), engine)
    return report.verdict, {finding.rule for finding in report.findings}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("query", BETWEEN.values(), ids=BETWEEN)
def test_the_filter_in_front_of_it_is_no_change(query: str, engine: str) -> None:
    for was, now in ((PLAIN, query), (query, PLAIN)):
        assert not rules(was, now, engine)[1] & {"filter-added", "filter-removed", "filter-changed"}


def test_what_is_lost_with_it_stays_unknown_under_vvr() -> None:
    assert rules(BETWEEN["join"], PLAIN, "vvr") == (Verdict.UNKNOWN, {"state-removed"})


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("query", BETWEEN.values(), ids=BETWEEN)
def test_another_filter_is_a_change_of_its_own(query: str, engine: str) -> None:
    other = PLAIN.replace("> 2", "> 3")
    assert rules(other, query, engine)[0] is Verdict.INCOMPATIBLE
    verdict, found = rules(query, other, engine)
    assert verdict is Verdict.INCOMPATIBLE
    assert found & {"filter-added", "filter-changed"}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_a_filter_that_comes_below_it_is_a_change(engine: str) -> None:
    below = "SELECT page, COUNT(*) AS n FROM (SELECT page, usr FROM t WHERE dur > 2 GROUP BY page, usr) GROUP BY page;"
    assert rules(below.replace(" WHERE dur > 2", ""), below, engine)[0] is Verdict.INCOMPATIBLE
