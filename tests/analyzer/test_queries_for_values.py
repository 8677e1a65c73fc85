"""Queries for one value: their aggregates are state, wherever the query stands and whatever it reads."""

from __future__ import annotations

import pytest

import keepstate
from keepstate.report import Verdict

DECLARATIONS = """\
CREATE TABLE t (k STRING, g STRING, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE u (k STRING, g STRING, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');
CREATE VIEW sums AS SELECT k, SUM(b) AS b, MAX(a) AS a FROM t GROUP BY k;
"""
PLACES = {
    "where": "SELECT k FROM t WHERE a > ({})",
    "where or": "SELECT k FROM t WHERE a > ({}) OR a = 1",
    "having": "SELECT k, COUNT(*) AS n FROM t GROUP BY k HAVING COUNT(*) > ({})",
    "having or": "SELECT k, COUNT(*) AS n FROM t GROUP BY k HAVING MAX(a) > ({}) OR COUNT(*) > 1",
    "select list": "SELECT k, ({}) AS x FROM t",
    "computed": "SELECT k, a + COALESCE(({}), 0) AS x FROM t",
    "case": "SELECT k, CASE WHEN a > ({}) THEN 1 ELSE 0 END AS x FROM t",
    "behind another": "SELECT k, (SELECT COUNT(*) FROM u AS o WHERE o.k = t.k) AS c, ({}) AS x FROM t",
    "in front of another": "SELECT k, ({}) AS x, (SELECT COUNT(*) FROM t AS o WHERE o.k = t.k) AS c FROM t",
    "select list beside where": "SELECT k, ({}) AS x FROM t WHERE a > (SELECT COUNT(*) FROM t)",
    "where beside select list": "SELECT k, (SELECT COUNT(*) FROM t) AS x FROM t WHERE a > ({})",
    "having beside an aggregate": "SELECT k, SUM(a + (SELECT COUNT(*) FROM t)) AS x FROM t GROUP BY k "
    "HAVING SUM(a) > ({})",
    "sum with another": "SELECT k FROM t WHERE a > (SELECT COUNT(*) FROM u) + ({})",
    "of a view": "SELECT k FROM sums AS t WHERE b > ({})",
    "of a join": "SELECT t.k FROM t JOIN u ON t.k = u.k WHERE t.a + u.a > ({})",
    "below a group": "SELECT x, COUNT(*) AS n FROM (SELECT ({}) AS x FROM t) GROUP BY x",
}
QUERIES = {
    "same table": "SELECT {}(b) FROM t",
    "other table": "SELECT {}(b) FROM u",
    "correlated": "SELECT {}(b) FROM t AS i WHERE i.k = t.k",
    "same view": "SELECT {}(b) FROM sums",
    "of groups": "SELECT {}(b) FROM (SELECT g, SUM(b) AS b FROM t GROUP BY g)",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_another_aggregate_is_a_change(place: str, query: str, engine: str) -> None:
    former, *others = (
        keepstate.JobVersion(f"{DECLARATIONS}{place.format(query.format(call))};") for call in ("MAX", "MIN", "AVG")
    )
    for changed in others:
        assert keepstate.check(changed, former, engine).verdict is Verdict.INCOMPATIBLE
        assert keepstate.check(former, changed, engine).verdict is Verdict.INCOMPATIBLE


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_another_spelling_is_none(place: str, query: str, engine: str) -> None:
    former = keepstate.JobVersion(f"{DECLARATIONS}{place.format(query.format('MAX'))};")
    named = query.format("max").replace("(b) FROM", "(b) AS largest FROM")
    assert not keepstate.check(keepstate.JobVersion(f"{DECLARATIONS}{place.format(named)};"), former, engine).findings


WINDOWS = {
    "TUMBLE": "(ts, INTERVAL '10' MINUTE)",
    "HOP": "(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)",
    "SESSION": "(ts, INTERVAL '10' MINUTE)",
}
TIMED = """\
CREATE TABLE t (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
UNREAD = {
    "window alone": ("SELECT dt FROM (SELECT {0} AS x, SUM(b) AS y, {1}_END{2} AS dt FROM t GROUP BY {1}{2})", True),
    "window counted": ("SELECT COUNT(*) AS n FROM (SELECT {0} AS x, SUM(b) AS y FROM t GROUP BY {1}{2})", True),
    "all rows": ("SELECT COUNT(*) AS n FROM (SELECT {0} AS x, SUM(b) AS y FROM t)", True),
    "second call": ("SELECT dt FROM (SELECT SUM(b) AS y, {0} AS x, {1}_END{2} AS dt FROM t GROUP BY {1}{2})", False),
    "another is read": ("SELECT y FROM (SELECT {0} AS x, SUM(b) AS y FROM t GROUP BY {1}{2})", False),
    "with a key": ("SELECT k FROM (SELECT k, {0} AS x, SUM(b) AS y FROM t GROUP BY k, {1}{2})", False),
    "key of all rows": ("SELECT k FROM (SELECT k, {0} AS x, SUM(b) AS y FROM t GROUP BY k)", False),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("query", "is_kept"), UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_the_first_aggregate_stays_where_no_key_is_a_column(
    query: str, is_kept: bool, window: str, engine: str
) -> None:
    """The plans of Flink 2.3.0 and 1.20.5 have it."""
    former, changed = (
        keepstate.JobVersion(f"{TIMED}{query.format(call, window, WINDOWS[window])};") for call in ("MAX(a)", "MIN(a)")
    )
    assert bool(keepstate.check(changed, former, engine).findings) is is_kept
