"""Rows of a temporal sort: columns that its select list has twice, and the place of the projection.

Each pair was planned by Flink 2.3: what is apart stores other types or other columns.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Verdict

COLUMNS = "k STRING, a INT, b BIGINT, n INT NOT NULL, ts TIMESTAMP(3), {}WATERMARK FOR ts AS ts"
TABLES = {
    "plain": f"CREATE TABLE t ({COLUMNS.format('')}) WITH ('connector' = 'kafka');",
    "with a computed column": f"CREATE TABLE t ({COLUMNS.format('pt AS PROCTIME(), ')}) WITH ('connector' = 'kafka');",
}
WINDOW = (
    "SELECT {} FROM (SELECT window_time AS wt, k, SUM(b) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
    "INTERVAL '5' MINUTE)) GROUP BY window_start, window_end, window_time, k) ORDER BY wt"
)
BRANCHES = "SELECT {} FROM (SELECT a, b, ts FROM t UNION ALL SELECT a, b, ts FROM t) ORDER BY ts"
APART = [
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts", "a, b, ts, a AS c"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts, a AS c", "a, b, ts, b AS c"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts, a AS c", "a, a AS c, b, ts"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts, a AS c", "a, b, ts, n AS c"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts, a + 1 AS c", "a, b, ts, a + 1 AS c, a + 1 AS d"),
    ("SELECT {} FROM t ORDER BY ts, a", "a, b, ts", "a, b, ts, a AS c"),
    ("SELECT {} FROM t WHERE a > 3 ORDER BY ts", "a, b", "a, b, a AS c"),
    (WINDOW, "wt, k, s", "wt, k, s, s AS c"),
    (WINDOW, "wt, k, s, s AS c", "wt, k, s, k AS c"),
    (BRANCHES, "a, b", "a, b, a AS c"),
]
ALIKE = [
    # The projection stands behind the sort.
    ("SELECT {} FROM t ORDER BY ts", "a, b", "a, b, a AS c"),
    ("SELECT {} FROM t ORDER BY ts, a", "a, b", "a, b, a AS c"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, a + 1 AS c", "a, b, a + 1 AS c, a + 1 AS d"),
    (WINDOW, "k, s", "k, s, s AS c"),
    ("SELECT {} FROM t ORDER BY a LIMIT 3", "a, b, k", "a, b, k, k AS c"),
    ("SELECT {} FROM t ORDER BY ts", "a, b, ts, a AS c", "a, b, ts, a + 0 AS c"),
    ("SELECT a, b FROM t ORDER BY ts{}", ", a", ", -(-a)"),
    ("SELECT a, ts FROM t ORDER BY ts{}", ", a", ", a, a"),
]


def _verdicts(table: str, query: str, before: str, after: str) -> set[Verdict]:
    one, other = (TABLES[table] + query.replace("{}", part) + ";" for part in (before, after))
    pairs = ((one, other), (other, one))
    return {check(JobVersion(b), JobVersion(a), engine).verdict for engine in ENGINES for a, b in pairs}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("query", "before", "after"), APART)
def test_a_sort_stores_the_select_list(table: str, query: str, before: str, after: str) -> None:
    assert Verdict.COMPATIBLE not in _verdicts(table, query, before, after)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("query", "before", "after"), ALIKE)
def test_what_is_projected_behind_a_sort_is_not_stored(table: str, query: str, before: str, after: str) -> None:
    assert _verdicts(table, query, before, after) == {Verdict.COMPATIBLE}
