"""Queries that HAVING asks, which Flink joins with the groups by rules of their own.

Restarted with Flink 2.3.0 from savepoints over two sets of rows: a query that reads the group around it is an inner
join of distinct rows, its negation an outer one, and neither is restored from the semi join of a WHERE.
"""

from __future__ import annotations

from itertools import permutations

import pytest

import keepstate
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE t (k STRING, a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE r (k STRING, w INT) WITH ('connector' = 'kafka', 'topic' = 'r', 'format' = 'json');
"""
HAVING = "SELECT k, COUNT(*) AS n FROM t AS o GROUP BY k HAVING {}"
WHERE = "SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS o WHERE {}"
BOUND, FREE = "EXISTS (SELECT 1 FROM r WHERE r.k = o.k)", "EXISTS (SELECT 1 FROM r)"
RESTORED_TOGETHER = (
    ("inner join of distinct rows", (HAVING.format(BOUND), HAVING.format(BOUND.replace("1", "2")))),
    (
        "outer join of distinct rows",
        (HAVING.format(f"NOT {BOUND}"), HAVING.format(f"k > 'a' OR {BOUND}"), WHERE.format(f"k > 'a' OR {BOUND}")),
    ),
    (
        "semi join",
        (
            WHERE.format(BOUND),
            WHERE.format(f"NOT {BOUND}"),
            WHERE.format("k IN (SELECT k FROM r)"),
            HAVING.format("k IN (SELECT k FROM r)"),
        ),
    ),
    ("truth of each row", (HAVING.format(FREE), HAVING.format(FREE.replace("1", "w")))),
    ("no column", (WHERE.format(FREE), WHERE.format(FREE.replace("1", "w")))),
)
QUERIES = [(state, query) for state, queries in RESTORED_TOGETHER for query in queries]
ANOTHER_ROW = (
    ("SELECT k, COUNT(*) AS n", "SELECT COUNT(*) AS n, k"),
    ("SELECT k, COUNT(*) AS n", "SELECT k, COUNT(*) + 1 AS n"),
)


def report(former: str, changed: str) -> keepstate.Report:
    return keepstate.check(keepstate.JobVersion(TABLES + changed), keepstate.JobVersion(TABLES + former), "flink")


@pytest.mark.parametrize(("former", "changed"), list(permutations(QUERIES, 2)))
def test_state_fits_where_flink_restores_it(former: tuple[str, str], changed: tuple[str, str]) -> None:
    found = report(former[1], changed[1])
    assert (found.verdict is Verdict.COMPATIBLE) is (former[0] == changed[0])


@pytest.mark.parametrize(("former", "changed"), ANOTHER_ROW)
def test_a_projection_drops_the_truth_of_a_free_query(former: str, changed: str) -> None:
    query = HAVING.format(FREE)
    assert report(query, query.replace(former, changed)).verdict is Verdict.UNKNOWN
    bound = HAVING.format(BOUND)
    assert report(bound, bound.replace(former, changed)).findings == ()


@pytest.mark.parametrize("former", ["b, k", "b"])
def test_a_query_that_is_compared_with_another_column_is_unknown(former: str) -> None:
    """The column ``k`` is the first one in FROM, and the groups have ``b`` there."""
    query = f"SELECT COUNT(*) FROM t AS o GROUP BY {former} HAVING {BOUND}"
    (finding, _) = report(query, query.replace("r.k = o.k", "r.k = o.k AND w > 1")).findings
    assert finding.rule == "construct-not-supported"
    assert finding.message.startswith("query in HAVING that reads another column: unknown if the state fits")
    assert report(query, query).findings == ()
