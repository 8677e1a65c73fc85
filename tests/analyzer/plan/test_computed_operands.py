"""Operands and keys of windows that are computed as written, though they are equal to a column.

Each pair of each table was planned by Flink 2.3 in each of the windows.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Verdict
from shared_analyses import check

DDL = """CREATE TABLE t (
  k STRING, a INT, b BIGINT, n INT NOT NULL, s STRING NOT NULL, d DECIMAL(10, 2), f BOOLEAN, v VARCHAR(10),
  pt AS PROCTIME()
) WITH ('connector' = 'kafka');
"""
_ALL = "k, a, b, n, s, d, f, v"
_RANKED = f"SELECT {_ALL} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {{}} ORDER BY {{}}) AS rn FROM t) WHERE rn "
BESIDE = {
    "key of a ranking": _RANKED.format("{}", "b") + "<= 3;",
    "order of a ranking": _RANKED.format("k", "{}") + "<= 3;",
    "key of a deduplication": _RANKED.format("{}", "pt DESC") + "= 1;",
}
"""The rows have the column as well: computed again it is stored twice."""
ALONE = {
    "argument": "SELECT k, LAST_VALUE({}) OVER (PARTITION BY k ORDER BY pt) FROM t;",
    "offset": "SELECT k, LAG({}, 1) OVER (PARTITION BY k ORDER BY pt) FROM t;",
    "key of first rows": _RANKED.format("{}", "pt") + "= 1;",
}
"""Nothing stores the column besides: computed again it is stored in its place, or as a key."""
WINDOWS = {**BESIDE, **ALONE}
COMPUTED = """
-(-a)                                    | a
-(-(-(-a)))                              | a
-(-(+a))                                 | a
-(-(a + 0))                              | a
a + 0                                    | a
1 * a                                    | a
COALESCE(n + 0, 1)                       | n
CAST(CAST(a AS BIGINT) AS INT)           | a
CAST(a + 0 AS INT)                       | a
CASE WHEN TRUE THEN a ELSE 1 END         | a
CASE WHEN f THEN a + 0 ELSE a END        | a
CASE WHEN f THEN a + 0 ELSE a + 0 END    | a
-(-d)                                    | d
f = TRUE                                 | f
f <> FALSE                               | f
NOT (NOT f)                              | f
NOT (f = FALSE)                          | f
f AND TRUE                               | f
f OR FALSE                               | f
"""
PLAIN = """
(a)                                      | a
+a                                       | a
CAST(a AS INT)                           | a
CAST(CAST(a AS INT) AS INT)              | a
CAST(d AS DECIMAL(10, 2))                | d
CAST(v AS VARCHAR(10))                   | v
CAST(s AS VARCHAR(2147483647))           | s
COALESCE(n, 1)                           | n
COALESCE(s, k)                           | s
CASE WHEN f THEN a ELSE a END            | a
CASE WHEN TRUE THEN k ELSE k END         | k
CASE WHEN f THEN s ELSE COALESCE(s, k) END | s
f AND f                                  | f
(a + 0) + 1                              | a + 1
-(-a) + 1                                | a + 1
-(-(a + 1))                              | a + 1
ABS(a + 0)                               | ABS(a)
a * 1                                    | a + 0
-(-a)                                    | a + 0
(a + 0) + 0                              | a + 0
CAST(a + 0 AS INT)                       | a + 0
COALESCE(n + 0, 1)                       | n + 0
"""


def _pairs(table: str) -> list[tuple[str, str]]:
    cut = (line.partition(" | ") for line in table.strip().splitlines())
    return [(one.strip(), other.strip()) for one, _, other in cut]


def _verdict(window: str, before: str, after: str, engine: str) -> Verdict:
    one, other = (JobVersion(DDL + WINDOWS[window].replace("{}", operand)) for operand in (before, after))
    return check(other, one, engine).verdict


@pytest.mark.parametrize("window", BESIDE)
@pytest.mark.parametrize(("written", "column"), _pairs(COMPUTED))
def test_a_computed_operand_is_a_column_of_its_own(window: str, written: str, column: str) -> None:
    for engine in ENGINES:
        for before, after in ((written, column), (column, written)):
            assert _verdict(window, before, after, engine) is Verdict.INCOMPATIBLE, engine


@pytest.mark.parametrize("window", ALONE)
@pytest.mark.parametrize(("written", "column"), _pairs(COMPUTED))
def test_a_computed_operand_that_stands_alone_is_the_column(window: str, written: str, column: str) -> None:
    for engine in ENGINES:
        for before, after in ((written, column), (column, written)):
            assert _verdict(window, before, after, engine) is Verdict.COMPATIBLE, engine


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("written", "column"), _pairs(PLAIN))
def test_an_operand_that_the_translation_takes_away_is_none(window: str, written: str, column: str) -> None:
    for engine in ENGINES:
        for before, after in ((written, column), (column, written)):
            assert _verdict(window, before, after, engine) is Verdict.COMPATIBLE, engine


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_shows_the_operand_as_written(engine: str) -> None:
    one, other = (DDL + WINDOWS["order of a ranking"].replace("{}", operand) for operand in ("a", "a  +  0"))
    (finding,) = check(JobVersion(other), JobVersion(one), engine).findings
    assert "a ASC -> a + 0 ASC" in finding.message
