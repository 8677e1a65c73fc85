"""Keys and stored rows behind filters that equate columns with constants are those that Flink 2.3 plans.

Each expectation is what EXPLAIN printed: the keys of the operator and its ``select=[...]``, with ``$12`` and the like
written as the column of which they are the constant.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.physical.stored_job import StoredJob
from keepstate.plan.job import Job
from keepstate.report import Verdict
from keepstate.state.stored_operators import StatePart
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE t (a INT, b BIGINT, c STRING, d INT, h INT NOT NULL, k STRING, z CHAR(3) NOT NULL, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE u (c STRING, x INT, y BIGINT) WITH ('connector' = 'kafka');
CREATE TABLE pair (a INT NOT NULL, c STRING) WITH ('connector' = 'kafka');
CREATE TABLE triple (a INT NOT NULL, c STRING, h INT) WITH ('connector' = 'kafka');
CREATE TABLE computed (a INT NOT NULL, c STRING, d AS UPPER(c)) WITH ('connector' = 'kafka');
CREATE TABLE timed (a INT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE meta (a INT NOT NULL, c STRING, o BIGINT METADATA VIRTUAL) WITH ('connector' = 'kafka');
CREATE TABLE narrow (a INT, v VARCHAR(3) NOT NULL, p DECIMAL(10, 2) NOT NULL, f FLOAT NOT NULL, s SMALLINT NOT NULL,
  e DATE NOT NULL) WITH ('connector' = 'kafka');
"""
TOP = (
    "SELECT a, b, c, h FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c, h ORDER BY a) AS rn FROM t WHERE {}) "
    "WHERE rn <= 3"
)
LAST_COLUMN = (
    "SELECT a, b, c FROM (SELECT a, b, c, ROW_NUMBER() OVER (PARTITION BY c ORDER BY a) AS rn FROM t WHERE {}) "
    "WHERE rn <= 3"
)
GROUPS = "SELECT c, h, COUNT(*) AS n FROM t WHERE {} GROUP BY c, h"
HAVING = "SELECT c, h, COUNT(*) AS n FROM t GROUP BY c, h HAVING {}"
RUNNING = "SELECT a, c, h, SUM(b) OVER (PARTITION BY c, h ORDER BY ts) AS s FROM t WHERE {}"
UNLISTED = "SELECT a, SUM(d) OVER (PARTITION BY {} ORDER BY ts) AS s FROM t WHERE {} = {}"
ABOVE = "SELECT t.a, t.c, t.d, u.y FROM t JOIN u ON t.c = u.c AND t.b = u.y WHERE {}"
BELOW = "SELECT q.a, q.c, q.h, u.y FROM (SELECT * FROM t WHERE {}) q JOIN u ON q.c = u.c AND q.h = u.x"
OUTER = "SELECT q.a, q.c, q.h, u.x FROM (SELECT * FROM t WHERE {}) q LEFT JOIN u ON q.c = u.c AND q.h = u.x"

PAIR = "SELECT {0}, COUNT(*) AS number FROM {1} WHERE a = 3 GROUP BY {0}"
JOINED_PAIRS = "SELECT {0}, COUNT(*) FROM pair p JOIN pair q ON p.c = q.c WHERE p.a = 3 GROUP BY {0}"
NARROW = "SELECT {1}, a, COUNT(*) AS n FROM narrow WHERE {0} GROUP BY {1}, a"
OF_GROUPS = (
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY c ORDER BY n DESC) AS rn FROM "
    "(SELECT c, a, COUNT(*) AS n FROM t {} GROUP BY c, a {}) {}) WHERE rn <= 3"
)
"""A ranking over groups, with a filter in front of them, in HAVING, or on their result."""


def _stored(query: str) -> tuple[str, str]:
    """The key and the stored rows of the query's uppermost operator with state."""
    stored = StoredJob.of(Job.of(parse_script(TABLES + query), {})).pipelines[-1]
    operator = stored.operators[min(stored.operators)]
    rows = (field.words for state in operator.states if state.part is StatePart.ROWS for field in state.fields)
    return " ".join(field.words for field in operator.key), " ".join(rows)


@pytest.mark.parametrize(
    ("query", "key", "row"),
    [
        # Only above an aggregation a filter that goes in front of it makes the group key a constant.
        (OF_GROUPS.format("", "", ""), "c", "c a c a COUNT(*)"),
        (OF_GROUPS.format("WHERE c = 'x'", "", ""), "c", "c a c a COUNT(*)"),
        (OF_GROUPS.format("", "HAVING c = 'x'", ""), "c", "a COUNT(*) c"),
        (OF_GROUPS.format("", "", "WHERE c = 'x'"), "c", "a COUNT(*) c"),
        (OF_GROUPS.format("", "", "WHERE c <> 'x'"), "c", "c a c a COUNT(*)"),
        # A constant cast to the type of a column that admits NULL stays: behind the others.
        (TOP.format("a > 3"), "c h", "a b c h"),
        (TOP.format("c = 'x'"), "c h", "a b h c"),
        (TOP.format("NOT (c <> 'x')"), "c h", "a b h c"),
        (TOP.format("(c = 'x') IS TRUE"), "c h", "a b h c"),
        (TOP.format("c = 'x' AND d = 1 OR c = 'x' AND d = 2"), "c h", "a b h c"),
        # A text that no sign compares is another constant in the select list than in the window.
        (TOP.format("c IN ('x')"), "c h", "a b h c c"),
        (TOP.format("c BETWEEN 'x' AND 'x'"), "c h", "a b h c c"),
        (TOP.format("c IS NOT DISTINCT FROM 'x'"), "c h", "a b h c c"),
        (TOP.format("(c, d) = ('x', 1)"), "c h", "a b h c c"),
        (TOP.format("c >= 'x' AND c <= 'x'"), "c h", "a b h c c"),
        (TOP.format("c IN ('x', 'y') AND c IN ('y', 'z')"), "c h", "a b h c c"),
        # A literal is neither key nor column.
        (TOP.format("c IS NULL"), "h", "a b h"),
        (TOP.format("h = 3"), "c", "a b c"),
        (TOP.format("h IN (3)"), "c", "a b c"),
        (TOP.format("h BETWEEN 3 AND 3"), "c", "a b c"),
        (TOP.format("h = CAST(3 AS BIGINT)"), "c", "a b c"),
        (TOP.format("h = CAST(3 AS DECIMAL(10, 2))"), "c", "a b c"),
        (TOP.format("h = 1 + 2"), "c", "a b c"),
        (TOP.format("h = CEIL(2.2)"), "c", "a b c"),
        (TOP.format("h IN (3.0)"), "c", "a b c"),
        (TOP.format("c = CONCAT('a', 'b')"), "c h", "a b h c"),
        (TOP.format("h = 3 AND c IS NULL"), "", "a b"),
        # No constants.
        (TOP.format("c IN ('x', 'y')"), "c h", "a b c h"),
        (TOP.format("c IS NOT NULL AND h <> 3"), "c h", "a b c h"),
        (TOP.format("c = k"), "c h", "a b c h"),
        (TOP.format("LOWER(c) = 'x' AND d + 1 = 5"), "c h", "a b c h"),
        # The last column stays last, once or twice.
        (LAST_COLUMN.format("c = 'x'"), "c", "a b c"),
        (LAST_COLUMN.format("c IN ('x')"), "c", "a b c c"),
        (LAST_COLUMN.format("c IS NULL"), "", "a b"),
        # Group keys lose literals only, wherever the filter is written, but for the last one of them.
        (GROUPS.format("c = 'x'"), "c h", ""),
        (GROUPS.format("c IN ('x') AND h <> 3"), "c h", ""),
        (GROUPS.format("h = 3"), "c", ""),
        (HAVING.format("h = 3"), "c", ""),
        (HAVING.format("c IS NULL"), "h", ""),
        (GROUPS.format("c IS NULL AND h = 3"), "c", ""),
        ("SELECT h, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY h", "h", ""),
        ("SELECT h + 1 AS e, c, COUNT(*) AS n FROM t WHERE h = 3 GROUP BY h + 1, c", "c", ""),
        ("SELECT DISTINCT c, h FROM t WHERE h = 3", "c", ""),
        # Where keys and operands are all columns in their order, no projection stands below, and constants stay keys.
        (PAIR.format("a, c", "pair"), "a c", ""),
        (PAIR.format("c, a", "pair"), "c", ""),
        (PAIR.format("a, c", "(SELECT * FROM pair)"), "c", ""),
        (PAIR.format("a, c", "pair AS p (a, c)"), "a c", ""),
        (PAIR.format("a, c", "computed"), "c", ""),
        (PAIR.format("a, c, d", "computed"), "c UPPER(c)", ""),
        (PAIR.format("a, ts", "timed"), "a ts", ""),
        (PAIR.format("a, c, o", "meta"), "c o", ""),
        (PAIR.format("a, c", "(SELECT DISTINCT a, c FROM pair)"), "c", ""),
        (PAIR.format("a, n", "(SELECT a, COUNT(*) AS n FROM pair GROUP BY a)"), "a COUNT(*)", ""),
        (PAIR.format("a, c, n", "(SELECT a, c, COUNT(*) AS n FROM pair GROUP BY a, c)"), "a c COUNT(*)", ""),
        (f"{PAIR.format('a, c', 'pair')} HAVING COUNT(*) > 2", "a c", ""),
        ("SELECT a, MAX(c) AS m, COUNT(c) AS n FROM pair WHERE a = 3 GROUP BY a", "a", ""),
        ("SELECT a, c, MAX(h) AS m FROM triple WHERE a = 3 GROUP BY a, c", "a c", ""),
        ("SELECT a, c, MAX(h) FILTER (WHERE h > 1) AS m FROM triple WHERE a = 3 GROUP BY a, c", "c", ""),
        ("SELECT a, c, MAX(h + 1) AS m FROM triple WHERE a = 3 GROUP BY a, c", "c", ""),
        ("SELECT a, h, MAX(c) AS m FROM triple WHERE a = 3 GROUP BY a, h", "h", ""),
        (JOINED_PAIRS.format("p.a, p.c, q.a, q.c"), "a c a c", ""),
        (JOINED_PAIRS.format("p.a, p.c"), "c", ""),
        ("SELECT z, c, COUNT(*) AS n FROM t WHERE z = 'abc' GROUP BY z, c", "c", ""),
        ("SELECT z, c, COUNT(*) AS n FROM t WHERE z = 'a' GROUP BY z, c", "z c", ""),
        # What the type of the column does not hold, or is compared as another type, is no constant of the column.
        (GROUPS.format("h = 3.0"), "c h", ""),
        (GROUPS.format("h = 3.00 AND c = 'x'"), "c h", ""),
        (GROUPS.format("h = 3000000000"), "c h", ""),
        (GROUPS.format("h = CAST(3.0 AS DECIMAL(3, 1))"), "c h", ""),
        (GROUPS.format("h = CAST(3 AS DOUBLE)"), "c h", ""),
        (GROUPS.format("h = -3.0"), "c h", ""),
        (GROUPS.format("h = 1.5 * 2"), "c h", ""),
        (GROUPS.format("h = 2.0 + 1"), "c h", ""),
        (GROUPS.format("h = 3.0 AND h > 2"), "c h", ""),
        (GROUPS.format("h = SQRT(9)"), "c h", ""),
        (GROUPS.format("h = CAST(3.4 AS DECIMAL(3, 0))"), "c h", ""),
        (NARROW.format("p = SQRT(9)", "p"), "p a", ""),
        # IN and BETWEEN give a number the type of the column.
        (GROUPS.format("h IN (3.0)"), "c", ""),
        (GROUPS.format("h IN (3.0, 3)"), "c", ""),
        (GROUPS.format("h IN (-3.0)"), "c", ""),
        (GROUPS.format("NOT h NOT IN (3.0)"), "c", ""),
        (GROUPS.format("h BETWEEN 3.0 AND 3.0"), "c", ""),
        (GROUPS.format("h >= 3.0 AND h <= 3"), "c", ""),
        # Functions of constants are constants once they are computed.
        (GROUPS.format("h = CEIL(2.2)"), "c", ""),
        (GROUPS.format("h = ROUND(3.4)"), "c", ""),
        (GROUPS.format("h = CAST(3.4 AS INT)"), "c", ""),
        (GROUPS.format("h = CHAR_LENGTH('abc')"), "c", ""),
        (GROUPS.format("h = EXTRACT(DAY FROM DATE '2024-01-03')"), "c", ""),
        (GROUPS.format("h = CARDINALITY(ARRAY[1, 2])"), "c", ""),
        (NARROW.format("v = CONCAT('a', 'b')", "v"), "a", ""),
        (NARROW.format("v = CAST(12 AS STRING)", "v"), "a", ""),
        (NARROW.format("v = DATE_FORMAT('2024-01-31', 'yy')", "v"), "a", ""),
        (NARROW.format("p = ROUND(1.234, 2)", "p"), "a", ""),
        (NARROW.format("p = 1.5 * 2", "p"), "a", ""),
        (NARROW.format("f = SQRT(4)", "f"), "a", ""),
        (NARROW.format("f = CAST(1 AS DOUBLE)", "f"), "a", ""),
        (NARROW.format("s = CHAR_LENGTH('abc')", "s"), "a", ""),
        (NARROW.format("e = CAST(TIMESTAMP '2024-01-31 00:00:00' AS DATE)", "e"), "a", ""),
        # These are computed while the job runs.
        (GROUPS.format("h = RAND_INTEGER(5)"), "c h", ""),
        (GROUPS.format("h = UNIX_TIMESTAMP('2024-01-31 00:00:00')"), "c h", ""),
        (NARROW.format("v = DATE_FORMAT(CURRENT_TIMESTAMP, 'yy')", "v"), "v a", ""),
        (NARROW.format("e = CURRENT_DATE", "e"), "e a", ""),
        (NARROW.format("v = 'abc'", "v"), "a", ""),
        (NARROW.format("v = 'abcd'", "v"), "v a", ""),
        (NARROW.format("p = 5.5", "p"), "a", ""),
        (NARROW.format("p = CAST(5 AS DECIMAL(10, 2))", "p"), "a", ""),
        (NARROW.format("p = 3000000000", "p"), "p a", ""),
        (NARROW.format("p = 5e0", "p"), "p a", ""),
        (NARROW.format("f = 5e0", "f"), "a", ""),
        (NARROW.format("f = 5.5", "f"), "a", ""),
        (NARROW.format("s = 32767", "s"), "a", ""),
        (NARROW.format("s = 32768", "s"), "s a", ""),
        (NARROW.format("e = '2024-01-31'", "e"), "a", ""),
        (NARROW.format("e = DATE '2024-01-31'", "e"), "a", ""),
        ("SELECT c, h, COUNT(*) AS n FROM (SELECT c, h, d FROM t WHERE h = 3 GROUP BY c, h, d) GROUP BY c, h", "c", ""),
        # The window of an aggregate reads its own columns only, where its select list does not name them.
        (RUNNING.format("c = 'x'"), "c h", "a b h ts c"),
        (RUNNING.format("c IN ('x')"), "c h", "a b h ts c c"),
        (RUNNING.format("h = 3"), "c", "a b c ts"),
        (RUNNING.format("c IS NULL"), "h", "a b h ts"),
        (UNLISTED.format("c", "c", "'x'"), "c", "a c d ts"),
        (UNLISTED.format("h", "h", "3"), "h", "a d h ts"),
        # Joins: above one any constant takes the place of its column, below it a literal does.
        (ABOVE.format("t.h > 3"), "c b", "a b c d c y"),
        (ABOVE.format("t.c = 'x'"), "b", "a b d y"),
        (ABOVE.format("u.c IN ('x')"), "b", "a b d y"),
        (ABOVE.format("t.b = 4"), "c", "a c d c"),
        (ABOVE.format("t.b = CHAR_LENGTH('abcd')"), "c", "a c d c"),
        (BELOW.format("h = CEIL(2.2)"), "c", "a c c y"),
        (OUTER.format("h IN (3.0)"), "c", "a c c x"),
        (BELOW.format("c = 'x'"), "c h", "a c h c x y"),
        (BELOW.format("h = 3"), "c", "a c c y"),
        (OUTER.format("h = 3"), "c", "a c c x"),
        (OUTER.format("c = 'x'"), "c h", "a c h c x"),
    ],
)
def test_constants_take_the_place_of_columns(query: str, key: str, row: str) -> None:
    assert _stored(query) == (key, row)


@pytest.mark.parametrize(
    ("query", "former", "added", "verdict"),
    [
        # As restored by Flink 2.3: StateMigrationException, or the rows of a run over all data.
        (GROUPS, "b >= 0", "b >= 0 AND h = 3", Verdict.INCOMPATIBLE),
        (GROUPS, "b >= 0", "b >= 0 AND c IS NULL", Verdict.INCOMPATIBLE),
        (GROUPS, "b >= 0", "b >= 0 AND c = 'x'", Verdict.COMPATIBLE),
        (HAVING, "c <> 'q'", "c <> 'q' AND h IN (3)", Verdict.INCOMPATIBLE),
        (LAST_COLUMN, "c = 'x'", "c IN ('x')", Verdict.INCOMPATIBLE),
        (LAST_COLUMN, "b >= 0", "b >= 0 AND c IS NOT DISTINCT FROM 'x'", Verdict.INCOMPATIBLE),
        (ABOVE, "t.b >= 0", "t.b >= 0 AND t.c = 'x'", Verdict.INCOMPATIBLE),
        (BELOW, "b >= 0", "b >= 0 AND h = 3", Verdict.INCOMPATIBLE),
        # The other input of the join is not filtered: rows of other keys go on to meet.
        (BELOW, "b >= 0", "b >= 0 AND c = 'x'", Verdict.INCOMPATIBLE),
    ],
)
def test_a_filter_that_moves_a_key_is_reported(query: str, former: str, added: str, verdict: Verdict) -> None:
    before, after = (JobVersion(TABLES + query.format(condition)) for condition in (former, added))
    assert check(after, before, "flink").verdict is verdict
