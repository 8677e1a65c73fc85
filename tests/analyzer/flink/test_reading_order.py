"""The order of the aggregates of an OVER window below another SELECT, and bounds of ranks with decimal places: as the
planners of Flink 1.20.5 and 2.3.0 have them. The pairs were restarted on 2.3.0.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.plan.operators import OverAggregate, Rank
from keepstate.report import Verdict
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (k INT, a DOUBLE, b DOUBLE, c DOUBLE, v INT, pt AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE d (k INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 'd', 'format' = 'json');
CREATE VIEW v AS SELECT k, a, ts, SUM(a) OVER w AS s, MAX(b) OVER w AS m, COUNT(c) OVER w AS n FROM t
WINDOW w AS (PARTITION BY k ORDER BY ts);
"""
INLINE = (
    "(SELECT k, a, ts, SUM(a) OVER w AS s, MAX(b) OVER w AS m, COUNT(c) OVER w AS n FROM t "
    "WINDOW w AS (PARTITION BY k ORDER BY ts))"
)
ORDERS = {
    # The order of the upper SELECT holds.
    "SELECT n, k, m, s FROM v": "nms",
    f"SELECT n, k, m, s FROM {INLINE}": "nms",
    f"WITH o AS {INLINE} SELECT n, m, s FROM o": "nms",
    "SELECT o.n, o.m, o.s FROM v AS o": "nms",
    "SELECT n, m, s FROM (SELECT * FROM v)": "nms",
    "SELECT k, m / s + n FROM v": "msn",
    "SELECT k, CASE WHEN n > 2 THEN s ELSE m END FROM v": "nsm",
    "SELECT COALESCE(n, 0), IFNULL(m, s) FROM v": "nms",
    "SELECT m BETWEEN n AND s FROM v": "mns",
    "SELECT n > s, m < n FROM v": "nsm",
    "SELECT 5 < n AND m = 1 OR s > 2 FROM v": "nms",
    "SELECT CONCAT(CAST(m AS STRING), CAST(n AS STRING)), s FROM v": "mns",
    "SELECT n, s, n, m FROM v": "nsm",
    "SELECT n, s FROM v": "ns",
    "SELECT 1 + n, 2 > m FROM v": "nm",
    "SELECT s, n FROM (SELECT n, m, s FROM v)": "sn",
    "SELECT k, MAX(n), MAX(m), MAX(s) FROM v GROUP BY k": "nms",
    "SELECT k, MAX(n + m), MAX(s) FROM v GROUP BY k": "nms",
    "SELECT k, SUM(s / n) FROM v GROUP BY k, m": "msn",
    "SELECT k, COUNT(*) FROM v GROUP BY k HAVING MAX(n) > MAX(s)": "ns",
    "SELECT n, COUNT(*), MAX(s) FROM v GROUP BY n": "ns",
    "SELECT DISTINCT n, m, s FROM v": "nms",
    "SELECT n, m, s FROM v LIMIT 5": "nms",
    "SELECT n, m, s FROM v ORDER BY ts": "nms",
    # Something stands in between.
    "SELECT k, s, m, n FROM v": "smn",
    "SELECT n, m, s FROM v WHERE s > 1": "smn",
    "SELECT n, m, s FROM v WHERE k > 1": "smn",
    "SELECT n, m, s FROM v WHERE a > 1": "smn",
    "SELECT s, n FROM (SELECT n, m, s FROM v WHERE k > 1)": "sn",
    "SELECT o.n, o.m, d.n, o.s FROM v AS o JOIN d ON o.k = d.k": "smn",
    "SELECT n, m, s FROM v WHERE k IN (SELECT k FROM d)": "smn",
    "SELECT n, m, s FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '1' HOUR))": "smn",
    "SELECT n, m, s, x FROM v CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x)": "smn",
    "SELECT n, m, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n) AS r FROM v) WHERE r <= 3": "smn",
}
"""The aggregates that are computed, by their letters."""
FUNCTIONS = {"SUM": "s", "MAX": "m", "COUNT": "n"}
RANKS = {
    "r <= 3": (1, 3),
    "r <= 3.0": (1, 30),
    "3.0 >= r": (1, 30),
    "r < 3.5": (1, 34),
    "r < 4.0": (1, 39),
    "r <= 3.00": (1, 300),
    "r <= 0.5": (1, 5),
    "r BETWEEN 1.0 AND 3.0": (10, 30),
    "r >= 2.0 AND r <= 3": (20, 30),
    "r > 0.5 AND r <= 3": (6, 30),
    "r <= CAST(3 AS BIGINT)": (1, 3),
    "r <= 1 + 2": (1, 3),
    "r = 1.0": None,
    "r = 2.0": None,
}
"""Ranges of ranks by their conditions; ``None`` where all rows are numbered by an OVER window."""


@pytest.mark.parametrize("query", ORDERS)
def test_aggregates_are_in_the_order_of_the_upper_select(query: str) -> None:
    (plan,) = (pipeline.plan for pipeline in Job.of(parse_script(f"{TABLES}{query};"), {}).pipelines)
    (window,) = (each for each in plan.operators if isinstance(each, OverAggregate))
    computed = [each.function for each in window.aggregates if each not in window.unread]
    assert "".join(FUNCTIONS[function] for function in computed) == ORDERS[query]


@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        ("SELECT s, n FROM v", "SELECT n, s FROM v", Verdict.INCOMPATIBLE),
        ("SELECT s / m FROM v", "SELECT 1 / (m / s) FROM v", Verdict.INCOMPATIBLE),
        ("SELECT k, s, n FROM v", "SELECT s, k, n FROM v", Verdict.COMPATIBLE),
        ("SELECT s, n FROM v WHERE s > 1", "SELECT n, s FROM v WHERE s > 1", Verdict.COMPATIBLE),
        ("SELECT s + n FROM v", "SELECT s - n FROM v", Verdict.COMPATIBLE),
    ],
)
def test_another_order_is_read_as_other_aggregates(was: str, now: str, verdict: Verdict) -> None:
    current, baseline = (JobVersion(f"{TABLES}{query};") for query in (now, was))
    assert check(current, baseline, "flink").verdict is verdict


@pytest.mark.parametrize("condition", RANKS)
def test_a_bound_loses_its_point(condition: str) -> None:
    ranked = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r FROM t)"
    text = f"{TABLES}SELECT k, v, r FROM {ranked} WHERE {condition};"
    (plan,) = (pipeline.plan for pipeline in Job.of(parse_script(text), {}).pipelines)
    ranges = [(each.range.start, each.range.end) for each in plan.operators if isinstance(each, Rank)]
    assert ranges == ([RANKS[condition]] if RANKS[condition] else [])
