"""A filter on a key that lets fewer keys pass: the keys that remain go on, and nothing asks for the others.

The first ten were restored by Flink 2.3 with the rows of a run over all data.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """
CREATE TABLE t (k INT, u STRING, a INT, d DATE) WITH ('connector' = 'kafka');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'kafka');
"""
GROUPS = "SELECT k, u, SUM(a) FROM t WHERE {} GROUP BY k, u"
JOIN = "SELECT t.k, t.a, r.w FROM t JOIN r ON t.k = r.k WHERE {}"
TOP = "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS n FROM t WHERE {}) WHERE n <= 3"
OVER = "SELECT k, u, SUM(a) OVER (PARTITION BY k ORDER BY PROCTIME()) FROM t WHERE {}"


def verdict(query: str, was: str, now: str) -> Verdict:
    before, after = (JobVersion(f"{TABLES}INSERT INTO s {query.format(each)};") for each in (was, now))
    return check(after, before, "flink").verdict


@pytest.mark.parametrize(
    ("query", "was", "now"),
    [
        (GROUPS, "k IN (5, 6, 7)", "k IN (5, 6)"),
        (GROUPS, "k > 4", "k > 5"),
        (GROUPS, "k > 4", "k BETWEEN 5 AND 9"),
        (GROUPS, "k IN (5, 6)", "k = 5"),
        (GROUPS, "u IN ('a', 'x')", "u = 'a'"),
        (GROUPS, "k > 4 AND u > 'x'", "k > 5 AND u > 'y'"),
        (GROUPS, "k <> 4", "k <> 4 AND k <> 5"),
        (JOIN, "t.k > 4", "t.k > 5"),
        (JOIN, "t.k IN (1, 2, 3)", "t.k IN (1, 2)"),
        (TOP, "k > 4", "k > 5"),
        (GROUPS, "k > 4 AND a > 3", "k > 5 AND a > 3"),
    ],
)
def test_fewer_keys_cost_nothing_and_more_keys_do(query: str, was: str, now: str) -> None:
    assert verdict(query, was, now) is Verdict.COMPATIBLE
    assert verdict(query, now, was) is Verdict.INCOMPATIBLE


@pytest.mark.parametrize(
    ("query", "was", "now"),
    [
        # Other columns than keys, other keys, overlapping ranges, and operators that act by themselves.
        (GROUPS, "a > 3", "a > 4"),
        (GROUPS, "k > 4", "u > 'y'"),
        (GROUPS, "k > 4", "k < 9"),
        (GROUPS, "k IN (5, 6)", "k IN (6, 7)"),
        (GROUPS, "k > 4 AND a > 3", "k > 5 AND a > 4"),
        (TOP, "a > 4", "a > 5"),
        (OVER, "k > 4", "k > 5"),
    ],
)
def test_other_filters_are_reported(query: str, was: str, now: str) -> None:
    assert verdict(query, was, now) is Verdict.INCOMPATIBLE
