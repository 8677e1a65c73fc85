"""Casts that Flink makes anyway are silent; casts that make another type or value are not."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """
CREATE TABLE t (k STRING, s SMALLINT, i INT, j INT, b BIGINT, d DOUBLE)
  WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE u (k STRING, i INT, b BIGINT) WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');
"""
JOIN = "SELECT t.k, u.b FROM t JOIN u ON {};"
SUM = "SELECT k, SUM({}) AS total FROM t GROUP BY k;"
FILTERED = "SELECT k, COUNT(*) AS n FROM t WHERE {} GROUP BY k;"
UNITED = "SELECT k, SUM(v) AS total FROM (SELECT k, {} AS v FROM t UNION ALL SELECT k, {} FROM u) GROUP BY k;"
GROUPED = "SELECT v, COUNT(*) AS n FROM (SELECT {} AS v FROM t UNION ALL SELECT {} FROM u) GROUP BY v;"

ALIKE = {
    "join key": (JOIN, ("t.i = u.b",), ("CAST(t.i AS BIGINT) = u.b",)),
    "join key, other side": (JOIN, ("u.b = t.s",), ("u.b = CAST(t.s AS BIGINT)",)),
    "product": (SUM, ("b * i",), ("b * CAST(i AS BIGINT)",)),
    "sum of a smaller one": (SUM, ("i + s",), ("i + CAST(s AS INT)",)),
    "filter by columns": (FILTERED, ("i > b",), ("CAST(i AS BIGINT) > b",)),
    "filter by a number": (FILTERED, ("i > 3",), ("CAST(i AS BIGINT) > 3",)),
    "filter by two": (FILTERED, ("i BETWEEN 1 AND 3",), ("CAST(i AS BIGINT) BETWEEN 1 AND 3",)),
    "union": (UNITED, ("b", "i"), ("b", "CAST(i AS BIGINT)")),
    "union, first input": (UNITED, ("i", "b"), ("CAST(i AS BIGINT)", "b")),
    "key of a union": (GROUPED, ("b", "i"), ("b", "CAST(i AS BIGINT)")),
}
OTHERS = {
    "join key of another type": (JOIN, ("t.i = u.i",), ("CAST(t.i AS BIGINT) = CAST(u.i AS BIGINT)",)),
    "join key, wider than both": (JOIN, ("t.s = u.i",), ("CAST(t.s AS BIGINT) = u.i",)),
    "wider sum": (SUM, ("i + 1",), ("CAST(i AS BIGINT) + 1",)),
    "wider operand": (SUM, ("i",), ("CAST(i AS BIGINT)",)),
    "narrower": (FILTERED, ("b = i",), ("CAST(b AS INT) = i",)),
    "another kind of number": (FILTERED, ("i = d",), ("i = CAST(d AS INT)",)),
    "wider union": (UNITED, ("i", "i"), ("i", "CAST(i AS BIGINT)")),
    "wider key of a union": (GROUPED, ("i", "i"), ("CAST(i AS BIGINT)", "CAST(i AS BIGINT)")),
}


def _verdict(query: str, was: tuple[str, ...], now: tuple[str, ...], engine: str) -> Verdict:
    baseline, current = (JobVersion(TABLES + query.format(*parts)) for parts in (was, now))
    return check(current, baseline, engine).verdict


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("pair", ALIKE)
def test_a_cast_that_is_made_anyway_is_silent(pair: str, engine: str) -> None:
    query, was, now = ALIKE[pair]
    for one, other in ((was, now), (now, was)):
        assert _verdict(query, one, other, engine) is Verdict.COMPATIBLE


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("pair", OTHERS)
def test_a_cast_to_another_type_is_a_change(pair: str, engine: str) -> None:
    query, was, now = OTHERS[pair]
    for one, other in ((was, now), (now, was)):
        assert _verdict(query, one, other, engine) is not Verdict.COMPATIBLE
