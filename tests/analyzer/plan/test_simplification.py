"""Values and queries that Flink plans alike are one, and those that it plans apart are not.

Each line of the tables was planned by Flink 2.3. What is the same has the second spelling in the plan of the first;
what is apart has not.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion
from planned_pairs import DDL, KEY, OVER, VALUE, check_report, check_silence, lines
from shared_analyses import check

SAME_VALUE = """
TRY_CAST(d AS INT)                            | d
d + CAST(0 AS BIGINT)                         | CAST(d AS BIGINT)
d * CAST(1 AS BIGINT)                         | CAST(d AS BIGINT)
d + POSITION('c' IN 'abc')                    | d + 3
d + IF(1 = 1, 3, 4)                           | d + 3
(h IS NOT DISTINCT FROM a)                    | (h = a) IS TRUE
d + 0                                         | d
0 + d                                         | d
d - 0                                         | d
d / 1                                         | d
1 * d                                         | d
e * 1                                         | e
si + 0                                        | CAST(si AS INT)
f + 0                                         | CAST(f AS DECIMAL(13, 2))
d + 1 + 0                                     | d + 1
CAST(CAST(d AS BIGINT) AS INT)                | d
CAST(CAST(d AS STRING) AS INT)                | d
CAST(CAST(si AS BIGINT) AS INT)               | CAST(si AS INT)
CAST(CAST(v10 AS STRING) AS VARCHAR(10))      | v10
CASE WHEN TRUE THEN d ELSE 0 END              | d
CASE WHEN 1 = 2 THEN 0 ELSE d END             | d
CASE WHEN h IS NOT NULL THEN d ELSE 0 END     | d
CASE WHEN h IS NULL THEN 0 ELSE h END         | h
CASE WHEN a > 1 THEN d ELSE d END             | d
CASE WHEN a > 1 THEN d WHEN TRUE THEN 5 ELSE 0 END   | CASE WHEN a > 1 THEN d ELSE 5 END
CASE WHEN a > 1 THEN d WHEN FALSE THEN 5 ELSE 0 END  | CASE WHEN a > 1 THEN d ELSE 0 END
CASE WHEN a > 1 THEN d WHEN b > 0 THEN 0 ELSE 0 END  | CASE WHEN a > 1 THEN d ELSE 0 END
CASE WHEN d > 1 THEN d ELSE CAST(NULL AS INT) END    | CASE WHEN d > 1 THEN d END
CASE d WHEN 3 THEN CAST(NULL AS INT) ELSE d END      | NULLIF(d, 3)
COALESCE(h, 0)                                | h
COALESCE(h, a)                                | h
COALESCE(a, h, 0)                             | COALESCE(a, h)
COALESCE(h, b)                                | CAST(h AS BIGINT)
CASE WHEN TRUE THEN d ELSE b END              | CAST(d AS BIGINT)
MOD(d, 7)                                     | d % 7
MOD(f, 3)                                     | f % 3
d + ABS(-6)                                   | d + 6
CAST('2020-01-01' AS DATE)                    | DATE '2020-01-01'
DATE '2020-01-01' + INTERVAL '1' DAY          | DATE '2020-01-02'
"""
APART_VALUE = """
TRY_CAST(h AS INT)                            | h
TRY_CAST(d AS BIGINT)                         | d
TRY_CAST(c AS INT)                            | CAST(c AS INT)
d + CAST(0 AS BIGINT)                         | d
d + POSITION('b' IN 'abc')                    | d + 3
0 - d                                         | d
d * 0                                         | d - d
d * 0                                         | 0
d + 1 - 1                                     | d
si + 0                                        | si
d + 0.0                                       | d
CAST(CAST(b AS INT) AS BIGINT)                | b
CAST(CAST(d AS DOUBLE) AS INT)                | d
CAST(CAST(d AS DECIMAL(20, 0)) AS INT)        | d
CAST(CAST(d AS VARCHAR(5)) AS INT)            | d
CAST(CAST(c AS VARCHAR(5)) AS STRING)         | c
CASE WHEN TRUE THEN d ELSE b END              | d
CASE WHEN TRUE THEN dn ELSE d END             | dn
CASE WHEN a > 1 THEN 0 WHEN b > 0 THEN 1 ELSE 0 END  | CASE WHEN b > 0 THEN 1 ELSE 0 END
COALESCE(d, 0)                                | d
COALESCE(d)                                   | d
TO_DATE('2020-01-01')                         | DATE '2020-01-01'
IFNULL(h, 0)                                  | h
GREATEST(d, d)                                | d
c || ''                                       | c
"""
SAME_OVER = """
CASE WHEN a > 3 AND 3 < 19 THEN d END         | CASE WHEN a > 3 THEN d END
CASE WHEN a > 3 OR 'c' = 'e' THEN d END       | CASE WHEN a > 3 THEN d END
CASE WHEN a > 3 AND h IS NOT NULL THEN d END  | CASE WHEN a > 3 THEN d END
CASE WHEN a * 1 > 10 THEN d END               | CASE WHEN a > 10 THEN d END
CASE WHEN a > CAST('6' AS INT) THEN d END     | CASE WHEN a > 6 THEN d END
CASE WHEN a > 1 THEN d + 0 ELSE 0 END         | CASE WHEN a > 1 THEN d ELSE 0 END
(d + 0) * 2                                   | d * 2
d + CHAR_LENGTH('abc')                        | d + 3
CAST(CAST(d AS BIGINT) AS INT) + 1            | d + 1
COALESCE(d + 0, 0)                            | COALESCE(d, 0)
"""
APART_OVER = """
d + 0                                         | d
CASE WHEN TRUE THEN d ELSE 0 END              | d
CASE WHEN h IS NOT NULL THEN d ELSE 0 END     | d
CAST(CAST(d AS BIGINT) AS INT)                | d
CASE WHEN c LIKE 'abc' THEN d END             | CASE WHEN c = 'abc' THEN d END
"""
SAME_QUERY = """
SELECT DISTINCT k, window_start, window_end, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
| SELECT k, window_start, window_end, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
SELECT DISTINCT k, TUMBLE_END(ts, {h}) AS w, COUNT(*) AS n FROM t GROUP BY k, TUMBLE(ts, {h});
| SELECT k, TUMBLE_END(ts, {h}) AS w, COUNT(*) AS n FROM t GROUP BY k, TUMBLE(ts, {h});
SELECT DISTINCT k, n FROM (SELECT k, h, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY k, h);
| SELECT k, n FROM (SELECT k, h, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY k, h);
SELECT c, SUM(a) AS s FROM t WHERE a = 3 AND d = 3 GROUP BY c;
| SELECT c, SUM(d) AS s FROM t WHERE a = 3 AND d = 3 GROUP BY c;
SELECT c, SUM(a + b) AS s FROM t WHERE a = 3 AND d = 3 GROUP BY c;
| SELECT c, SUM(d + b) AS s FROM t WHERE a = 3 AND d = 3 GROUP BY c;
SELECT c, SUM(h) AS s FROM t WHERE h = 3 GROUP BY c;
| SELECT c, SUM(3) AS s FROM t WHERE h = 3 GROUP BY c;
SELECT k, SUM(CASE WHEN a = 3 THEN d ELSE 0 END) AS s FROM t WHERE a = 3 GROUP BY k;
| SELECT k, SUM(d) AS s FROM t WHERE a = 3 GROUP BY k;
SELECT k, SUM(d) FILTER (WHERE a > 2) AS s FROM t WHERE a = 3 GROUP BY k;
| SELECT k, SUM(d) FILTER (WHERE a <> 5) AS s FROM t WHERE a = 3 GROUP BY k;
SELECT k, SUM(d) FILTER (WHERE a > 2) AS s FROM t WHERE a > 3 GROUP BY k;
| SELECT k, SUM(d) FILTER (WHERE a IS NOT NULL) AS s FROM t WHERE a > 3 GROUP BY k;
SELECT k, SUM(d) FILTER (WHERE a < 9 OR h < 19) AS s FROM t WHERE a IS NULL GROUP BY k;
| SELECT k, SUM(d) FILTER (WHERE h < 19) AS s FROM t WHERE a IS NULL GROUP BY k;
SELECT k, h, SUM(d) FILTER (WHERE h > 2) AS s FROM t GROUP BY k, h HAVING h > 3;
| SELECT k, h, SUM(d) FILTER (WHERE TRUE) AS s FROM t GROUP BY k, h HAVING h > 3;
SELECT DISTINCT COUNT(*) AS n FROM t;
| SELECT COUNT(*) AS n FROM t;
SELECT k, COUNT(a) FILTER (WHERE h = h) AS n FROM ({t} UNION ALL {u}) GROUP BY k;
| SELECT k, COUNT(a) FILTER (WHERE h IS NOT NULL) AS n FROM ({t} UNION ALL {u}) GROUP BY k;
SELECT k, h FROM (SELECT k, MAX(h) AS h FROM t GROUP BY k) WHERE h IS NOT NULL;
| SELECT k, MAX(h) AS h FROM t GROUP BY k;
SELECT DISTINCT c, y FROM (SELECT DISTINCT c, d AS y FROM t);
| SELECT DISTINCT c, d AS y FROM t;
SELECT DISTINCT c, n FROM (SELECT c, COUNT(*) AS n FROM t GROUP BY c);
| SELECT c, COUNT(*) AS n FROM t GROUP BY c;
SELECT c, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((c));
| SELECT c, COUNT(*) AS n FROM t GROUP BY c;
SELECT c, SUM(d) AS n FROM (SELECT c, d FROM t WHERE FALSE UNION ALL SELECT c, d FROM t) GROUP BY c;
| SELECT c, SUM(d) AS n FROM t GROUP BY c;
SELECT c, COUNT(*) AS n FROM (SELECT a + 1 AS z, c FROM t) WHERE z > 3 AND z > 7 GROUP BY c;
| SELECT c, COUNT(*) AS n FROM t WHERE a + 1 > 7 GROUP BY c;
SELECT c, COUNT(*) AS n FROM (SELECT * FROM t WHERE a > 3) WHERE a IS NOT NULL GROUP BY c;
| SELECT c, COUNT(*) AS n FROM t WHERE a > 3 GROUP BY c;
SELECT k, SUM(COALESCE(h, 0)) OVER (PARTITION BY k ORDER BY ts) AS s FROM t;
| SELECT k, SUM(h) OVER (PARTITION BY k ORDER BY ts) AS s FROM t;
SELECT k, SUM(CASE WHEN g THEN d ELSE d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t;
| SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY ts) AS s FROM t;
SELECT k, c, d FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY COALESCE(h, 0) ORDER BY d) AS rn FROM t) WHERE rn <= 3;
| SELECT k, c, d FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY h ORDER BY d) AS rn FROM t) WHERE rn <= 3;
SELECT a, k FROM t WHERE h NOT IN (SELECT h FROM u);
| SELECT a, k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.h = t.h);
SELECT t.k, u.a FROM t LEFT JOIN u ON t.k = u.k AND u.h IS NOT NULL;
| SELECT t.k, u.a FROM t LEFT JOIN u ON t.k = u.k;
SELECT t.k, u.h FROM t JOIN u ON t.k = u.k WHERE u.h IS NOT NULL;
| SELECT t.k, u.h FROM t JOIN u ON t.k = u.k;
SELECT COUNT(*) AS n FROM t GROUP BY 'a', 5;
| SELECT COUNT(*) AS n FROM t GROUP BY 'a', 6;
SELECT COUNT(*) AS n FROM t GROUP BY 5;
| SELECT COUNT(*) AS n FROM t GROUP BY 2 + 3;
SELECT k, COUNT(*) AS n FROM t GROUP BY 'a', k;
| SELECT k, COUNT(*) AS n FROM t GROUP BY k, 'b';
SELECT k, 5 AS y, SUM(d) OVER (PARTITION BY 5 ORDER BY ts) AS s FROM t;
| SELECT k, 5 AS y, SUM(d) OVER (PARTITION BY 6 ORDER BY ts) AS s FROM t;
SELECT k, SUM(CASE WHEN c <> 'b' OR h > 1 THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
| SELECT k, SUM(CASE WHEN c <> 'b' THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
SELECT k, SUM(CASE WHEN c = 'b' OR h > 1 THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
| SELECT k, SUM(CASE WHEN h > 1 THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
"""
APART_QUERY = """
SELECT k, SUM(CASE WHEN c <> 'b' THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
| SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'x';
SELECT k, SUM(CASE WHEN c <> 'b' OR h > 1 THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'b';
| SELECT k, SUM(CASE WHEN c <> 'b' THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE c = 'b';
SELECT c, SUM(a) AS s FROM t WHERE a = 3 GROUP BY c;
| SELECT c, SUM(3) AS s FROM t WHERE a = 3 GROUP BY c;
SELECT c, SUM(h) AS s FROM t WHERE h = 3 AND d = 3 GROUP BY c;
| SELECT c, SUM(d) AS s FROM t WHERE h = 3 AND d = 3 GROUP BY c;
SELECT c, SUM(a) AS s FROM t WHERE a = 3 AND b = 3 GROUP BY c;
| SELECT c, SUM(b) AS s FROM t WHERE a = 3 AND b = 3 GROUP BY c;
SELECT c, SUM(a) AS s FROM t WHERE a = 3 AND d = 4 GROUP BY c;
| SELECT c, SUM(d) AS s FROM t WHERE a = 3 AND d = 4 GROUP BY c;
SELECT k, COUNT(a) AS n FROM t WHERE a = 3 GROUP BY k;
| SELECT k, COUNT(*) AS n FROM t WHERE a = 3 GROUP BY k;
SELECT k, SUM(CASE WHEN h > 2 THEN d ELSE 0 END) AS s FROM t WHERE h > 3 GROUP BY k;
| SELECT k, SUM(d) AS s FROM t WHERE h > 3 GROUP BY k;
SELECT k, SUM(d) FILTER (WHERE a IS NOT NULL) AS s FROM t WHERE a > 3 GROUP BY k;
| SELECT k, SUM(d) FILTER (WHERE TRUE) AS s FROM t WHERE a > 3 GROUP BY k;
SELECT DISTINCT k, window_start, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
| SELECT k, window_start, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
SELECT DISTINCT window_start, window_end, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
| SELECT window_start, window_end, COUNT(*) AS n FROM TABLE({w}) GROUP BY k, window_start, window_end;
SELECT DISTINCT k, COUNT(*) AS n FROM t GROUP BY k, TUMBLE(ts, {h});
| SELECT k, COUNT(*) AS n FROM t GROUP BY k, TUMBLE(ts, {h});
SELECT DISTINCT h, n FROM (SELECT k, h, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY k, h);
| SELECT h, n FROM (SELECT k, h, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY k, h);
SELECT DISTINCT k, n FROM (SELECT k, a, COUNT(*) AS n FROM t WHERE a = 3 GROUP BY k, a);
| SELECT k, n FROM (SELECT k, a, COUNT(*) AS n FROM t WHERE a = 3 GROUP BY k, a);
SELECT t.k, u.h FROM t LEFT JOIN u ON t.k = u.k WHERE u.h IS NOT NULL;
| SELECT t.k, u.h FROM t LEFT JOIN u ON t.k = u.k;
SELECT t.k, t.h, u.a FROM t RIGHT JOIN u ON t.k = u.k WHERE t.h IS NOT NULL;
| SELECT t.k, t.h, u.a FROM t RIGHT JOIN u ON t.k = u.k;
SELECT z, COUNT(*) AS n FROM (SELECT u.h AS z FROM t LEFT JOIN u ON t.k = u.k) WHERE z IS NOT NULL GROUP BY z;
| SELECT z, COUNT(*) AS n FROM (SELECT u.h AS z FROM t LEFT JOIN u ON t.k = u.k) GROUP BY z;
SELECT h, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((h), (k)) HAVING h IS NOT NULL;
| SELECT h, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((h), (k));
SELECT DISTINCT c FROM (SELECT DISTINCT c, d AS y FROM t);
| SELECT DISTINCT c, d AS y FROM t;
SELECT c, SUM(d) AS n FROM (SELECT c, b AS d FROM t WHERE FALSE UNION ALL SELECT c, d FROM t) GROUP BY c;
| SELECT c, SUM(d) AS n FROM t GROUP BY c;
SELECT c, COUNT(*) AS n FROM t WHERE a > 3 AND a < 2 GROUP BY c;
| SELECT c, COUNT(*) AS n FROM t WHERE a > 3 GROUP BY c;
SELECT a, k FROM t WHERE a NOT IN (SELECT a FROM u);
| SELECT a, k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a);
SELECT k, SUM(CASE WHEN TRUE THEN d END) OVER (PARTITION BY k ORDER BY ts) AS s, d FROM t;
| SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY ts) AS s, d FROM t;
SELECT k, SUM(d + 0) OVER (PARTITION BY k ORDER BY ts) AS s, d FROM t;
| SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY ts) AS s, d FROM t;
SELECT k, c, d FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c ORDER BY 1 * d DESC) AS rn FROM t) WHERE rn <= 3;
| SELECT k, c, d FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c ORDER BY d DESC) AS rn FROM t) WHERE rn <= 3;
SELECT COUNT(*) AS n FROM t GROUP BY 'a';
| SELECT COUNT(*) AS n FROM t GROUP BY 'b';
SELECT COUNT(*) AS n FROM t GROUP BY 'a';
| SELECT COUNT(*) AS n FROM t;
SELECT COUNT(*) AS n FROM t GROUP BY 'a', 5;
| SELECT COUNT(*) AS n FROM t GROUP BY 5, 'a';
SELECT y, MAX(d) AS m FROM (SELECT 5 AS y, d FROM t UNION ALL SELECT 5, a FROM t) GROUP BY y;
| SELECT y, MAX(d) AS m FROM (SELECT 6 AS y, d FROM t UNION ALL SELECT 6, a FROM t) GROUP BY y;
"""
SAME = [
    *lines(SAME_VALUE, VALUE),
    *lines(SAME_VALUE, KEY),
    *lines(SAME_OVER, OVER),
    *lines(SAME_QUERY, "{}"),
]
APART = [*lines(APART_VALUE, VALUE), *lines(APART_OVER, OVER), *lines(APART_QUERY, "{}")]


@pytest.mark.parametrize(("written", "planned"), SAME)
def test_what_flink_plans_alike_is_silent(written: str, planned: str) -> None:
    check_silence(written, planned)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_flink_plans_apart_is_reported(one: str, other: str) -> None:
    check_report(one, other)


RANKED = "SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c ORDER BY d) AS rn FROM ({})) WHERE rn <= 2;"
SUMMED = "SELECT k, SUM(d) OVER (PARTITION BY k ORDER BY ts) AS s FROM ({});"
NESTED = "SELECT a, COUNT(*) AS n FROM (SELECT {}"
STORED_APART = [
    # IF admits NULL where its condition does.
    ("IF(a > 3, 'big', 'small')", "CASE WHEN a > 3 THEN 'big' ELSE 'small' END", KEY),
    ("IF(g, h, 0)", "CASE WHEN g THEN h ELSE 0 END", KEY),
    # NULLIF admits NULL, even of two constants that differ.
    ("NULLIF(5, 6)", "5", KEY),
    ("h + NULLIF(5, 6)", "h + 5", KEY),
    # The keys of a join have the order of its equations.
    ("(t.a, t.k) = (u.a, u.k)", "(t.k, t.a) = (u.k, u.a)", "SELECT d, u.h FROM t JOIN u ON {};"),
    ("(t.a, t.k) = (u.a, u.k)", "t.k = u.k AND t.a = u.a", "SELECT d, u.h FROM t JOIN u ON {};"),
    ("(a, k) IN (SELECT a, k FROM u)", "(k, a) IN (SELECT k, a FROM u)", "SELECT d FROM t WHERE {};"),
    # The only branch that is left of a union keeps its columns in that order.
    ("SELECT d, c, a FROM t UNION ALL SELECT d, c, a FROM t WHERE FALSE", "SELECT d, c, a FROM t", RANKED),
    ("SELECT d, k, ts FROM t UNION ALL SELECT d, k, ts FROM t WHERE FALSE", "SELECT d, k, ts FROM t", SUMMED),
    # A constant is a column of a sorted row.
    ("ts, d", "ts, d, 'x'", "SELECT k, d FROM t ORDER BY {};"),
    ("ts, d", "ts, d, 1 + 1", "SELECT k, d FROM t ORDER BY {};"),
]
STORED_ALIKE = [
    ("SELECT a, c, d FROM t UNION ALL SELECT a, c, d FROM t WHERE FALSE", "SELECT d, c, a FROM t", RANKED),
    ("SELECT k, d, ts FROM t UNION ALL SELECT k, d, ts FROM t WHERE FALSE", "SELECT d, k, ts FROM t", SUMMED),
    ("a FROM t WHERE a = 3) WHERE a > 5 GROUP BY a;", "a FROM t WHERE a = 3 AND a > 5) GROUP BY a;", NESTED),
    ("a FROM t WHERE a = 3) WHERE a IS NULL GROUP BY a;", "a FROM t WHERE a < 2 AND a > 5) GROUP BY a;", NESTED),
    ("IF(h > 3, 'big', 'small')", "CASE WHEN h > 3 THEN 'big' ELSE 'small' END", KEY),
    ("IF(g, a, 0)", "CASE WHEN g THEN a ELSE 0 END", KEY),
    ("NULLIF(5, 6)", "NULLIF(5, 7)", "SELECT COUNT(*) FILTER (WHERE d = {}) AS n FROM t;"),
    ("(t.a, t.k) = (u.a, u.k)", "t.a = u.a AND t.k = u.k", "SELECT d, u.h FROM t JOIN u ON {};"),
    ("(t.k, t.a) = (u.k, u.a)", "t.k = u.k AND t.a = u.a", "SELECT d, u.h FROM t JOIN u ON {};"),
    ("ts, d", "ts, 2", "SELECT k, d FROM t ORDER BY {};"),
    (
        "d DESC, 'x'",
        "d DESC",
        "SELECT k, d FROM (SELECT k, d, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS rn FROM t) WHERE rn <= 3;",
    ),
]


@pytest.mark.parametrize(("one", "other", "query"), STORED_APART)
def test_equal_values_that_flink_stores_in_other_rows_are_reported(one: str, other: str, query: str) -> None:
    assert not _silent(one, other, query)


@pytest.mark.parametrize(("one", "other", "query"), STORED_ALIKE)
def test_equal_values_that_flink_stores_alike_are_silent(one: str, other: str, query: str) -> None:
    assert _silent(one, other, query)


def _silent(one: str, other: str, query: str) -> bool:
    before, after = (DDL + query.replace("{}", part) for part in (one, other))
    return not check(JobVersion(after), JobVersion(before), "flink").findings
