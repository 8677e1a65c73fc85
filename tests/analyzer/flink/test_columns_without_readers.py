"""Columns that stay though nothing reads them: restarts of Flink 2.3.0 from a savepoint of the former query.

Of a row of one column COUNT(*) reads nothing, and of a longer one neither. But the planner drops the columns of the
longer row only. An input of a join keeps its first column, if nothing reads any.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check

TABLES = """\
CREATE TABLE t (id INT, a INT, b INT, d BIGINT, k STRING, g STRING) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE u (id INT, a INT, k STRING, s STRING) WITH ('connector' = 'kafka', 'format' = 'json');
"""
RANKED = "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS n FROM {}) WHERE n <= 3"
T_RANKED, U_RANKED = RANKED.format("{}", "t"), RANKED.format("{}", "u")
JOINED = "SELECT {} FROM t JOIN u ON t.k = u.k"

# what is counted before, and after; neither Flink nor Keepstate tells them apart, or both do
COUNTED = [
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT MIN(a) AS m FROM t GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT MAX(b) AS m FROM t GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT MAX(d) AS m FROM t GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT COUNT(*) AS m FROM t GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT MAX(a) AS m, MIN(b) AS n FROM t GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM t GROUP BY k", "SELECT k FROM t GROUP BY k", False),
    ("SELECT MAX(a) + 1 AS m FROM t GROUP BY k", "SELECT MAX(a) + MIN(b) AS m FROM t GROUP BY k", False),
    ("SELECT m FROM (SELECT k, MAX(a) AS m FROM t GROUP BY k)", "SELECT MIN(a) AS m FROM t GROUP BY k", False),
    ("SELECT MAX(a) FROM t", "SELECT MIN(a) FROM t", False),
    ("SELECT DISTINCT a FROM t", "SELECT DISTINCT b FROM t", False),
    (
        "SELECT MAX(a) FROM t GROUP BY k UNION ALL SELECT MIN(b) FROM t GROUP BY g",
        "SELECT MAX(a) FROM t GROUP BY k UNION ALL SELECT MAX(b) FROM t GROUP BY g",
        False,
    ),
    ("SELECT k, MAX(a) AS m FROM t GROUP BY k", "SELECT k, MIN(d) AS m FROM t GROUP BY k", True),
    ("SELECT k, MAX(a) AS m FROM t GROUP BY k", "SELECT MIN(d) AS m, SUM(b) AS n FROM t GROUP BY k", True),
    ("SELECT MAX(a) + 1 AS m FROM t GROUP BY k", "SELECT MAX(a) + 2 AS m FROM t GROUP BY k", True),
    (T_RANKED.format("a, b"), T_RANKED.format("d, b"), True),
    (JOINED.format("t.a, u.a"), JOINED.format("t.d, u.s"), True),
]
# the same, where only the stored rows of the profile flink differ
COUNTED_ROWS = [
    (JOINED.format("t.a"), JOINED.format("t.d"), False),
    (JOINED.format("t.a"), JOINED.format("u.s"), False),
    (JOINED.format("t.a"), JOINED.format("t.k"), False),
    (JOINED.format("t.a"), JOINED.format("t.a, t.d"), False),
    (T_RANKED.format("a"), T_RANKED.format("d"), False),
]
# the right input of a cross join before, and after
CROSSED = [
    ("SELECT s, a FROM u", "SELECT a, s FROM u", False),
    ("SELECT s, a FROM u", "SELECT * FROM u", False),
    ("SELECT 1 AS c, a FROM u", "SELECT 'x' AS c, a FROM u", False),
    ("SELECT 1 AS c, a FROM u", "SELECT a FROM u", False),
    ("SELECT UPPER(s) AS c, a FROM u", "SELECT CHAR_LENGTH(s) AS c, a FROM u", False),
    ("SELECT MAX(a) AS m FROM u GROUP BY k", "SELECT MIN(a) AS m FROM u GROUP BY k", False),
    ("SELECT MAX(a) AS m FROM u GROUP BY k", "SELECT k, MAX(a) AS m FROM u GROUP BY k", False),
    (
        "SELECT s, a FROM u UNION ALL SELECT k, id FROM u",
        "SELECT a, s FROM u UNION ALL SELECT id, k FROM u",
        False,
    ),
    (U_RANKED.format("a, s"), U_RANKED.format("s, a"), False),
    ("SELECT s, a FROM u", "SELECT s, id FROM u", True),
    ("SELECT s, a FROM u", "SELECT k, a FROM u", True),
    ("SELECT s, a FROM u", "SELECT s FROM u", True),
    ("SELECT 1 AS c, a FROM u", "SELECT 2 AS c, a FROM u", True),
    ("SELECT UPPER(s) AS c, a FROM u", "SELECT LOWER(s) AS c, a FROM u", True),
    ("SELECT id, a FROM u WHERE id = 3", "SELECT id, s FROM u WHERE id = 3", True),
    ("SELECT k, MAX(a) AS m FROM u GROUP BY k", "SELECT k, MIN(a) AS m FROM u GROUP BY k", True),
    ("SELECT s, a FROM u UNION ALL SELECT k, id FROM u", "SELECT s, a FROM u UNION ALL SELECT k, a FROM u", True),
]


def fits(former: str, changed: str, engine: str) -> bool:
    report = check(JobVersion(f"{TABLES}{changed};"), JobVersion(f"{TABLES}{former};"), engine)
    return not report.findings


@pytest.mark.parametrize(("former", "changed", "same"), [*COUNTED, *COUNTED_ROWS])
@pytest.mark.parametrize("count", ["COUNT(*)", "COUNT(1)", "'x', COUNT(*) * 2"])
def test_a_count_keeps_the_column_of_a_row_of_one(former: str, changed: str, same: bool, count: str) -> None:
    for one, other in ((former, changed), (changed, former)):
        assert fits(f"SELECT {count} FROM ({one})", f"SELECT {count} FROM ({other})", "flink") is same


@pytest.mark.parametrize("counted", ["COUNT(*), MAX(1)", "COUNT(*) FILTER (WHERE TRUE)", "COUNT(DISTINCT 1)"])
def test_other_aggregates_keep_none(counted: str) -> None:
    former, changed = (f"SELECT {counted} FROM (SELECT {call} AS m FROM t GROUP BY k)" for call in ("MAX(a)", "MIN(d)"))
    assert fits(former, changed, "flink")


@pytest.mark.parametrize(("former", "changed", "same"), CROSSED)
@pytest.mark.parametrize("join", ["CROSS JOIN ({}) AS v", "LEFT JOIN ({}) AS v ON TRUE", "JOIN ({}) AS v ON t.b > 1"])
def test_an_input_of_a_join_keeps_its_first_column(former: str, changed: str, same: bool, join: str) -> None:
    for one, other in ((former, changed), (changed, former)):
        texts = (f"SELECT t.id FROM t {join.format(text)}" for text in (one, other))
        assert fits(*texts, "flink") is same


def test_so_does_the_left_input() -> None:
    former, same, other = (
        f"SELECT u.id FROM ({rows}) AS t CROSS JOIN u"
        for rows in ("SELECT * FROM t", "SELECT a FROM t", "SELECT d FROM t")
    )
    assert fits(former, same, "flink") and not fits(former, other, "flink")
