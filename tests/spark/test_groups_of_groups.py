"""Groups of groups, GROUPING of several columns, and signs of long decimals: rows as Flink 2.3.0 gave them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

ROWS = "(VALUES ('a', 1), ('b', 2), ('a', 3), ('c', 4), ('b', 5), ('a', 6), ('d', 7)) AS t (k, v)"
COUNTS = f"(SELECT k, COUNT(*) AS n FROM {ROWS} GROUP BY k)"
QUERIES: dict[str, tuple[str, list[list[object]]]] = {
    "count_of_counts": (
        f"SELECT n + 1 AS m, COUNT(*) AS c FROM {COUNTS} GROUP BY n + 1",
        [[2, 2], [3, 1], [4, 1]],
    ),
    "both": (
        f"SELECT n + 1 AS m, COUNT(*) + 1 AS c FROM {COUNTS} GROUP BY n + 1",
        [[2, 3], [3, 2], [4, 2]],
    ),
    "more": (
        f"SELECT (n + 1) * 2 AS m, COUNT(*) AS c, SUM(n) AS s FROM {COUNTS} GROUP BY n + 1",
        [[4, 2, 2], [6, 1, 2], [8, 1, 3]],
    ),
    "having": (
        "SELECT CASE WHEN n > 1 THEN 'many' ELSE 'one' END AS seg, COUNT(*) AS c FROM "
        f"{COUNTS} GROUP BY CASE WHEN n > 1 THEN 'many' ELSE 'one' END HAVING COUNT(*) > 1",
        [["many", 2], ["one", 2]],
    ),
    "three": (
        "SELECT m * c AS q, COUNT(*) AS d FROM (SELECT n / 2 AS m, COUNT(*) AS c FROM "
        f"{COUNTS} GROUP BY n / 2) GROUP BY m * c",
        [[0, 1], [2, 1]],
    ),
    "joined": (
        f"SELECT a.m, a.c, b.k FROM (SELECT n + 1 AS m, COUNT(*) AS c FROM {COUNTS} GROUP BY n "
        f"+ 1) AS a JOIN {COUNTS} AS b ON a.m = b.n + 1",
        [[2, 2, "c"], [2, 2, "d"], [3, 1, "b"], [4, 1, "a"]],
    ),
    "rollup": (
        f"SELECT n > 1 AS m, COUNT(*) AS c, GROUPING(n > 1) AS g FROM {COUNTS} GROUP BY ROLLUP (n > 1)",
        [[False, 2, 0], [None, 4, 1], [True, 2, 0]],
    ),
    "ranked": (
        "SELECT seg, c FROM (SELECT seg, COUNT(*) AS c, ROW_NUMBER() OVER (ORDER BY COUNT(*) "
        f"DESC, seg) AS rn FROM (SELECT k, MOD(COUNT(*), 3) AS seg FROM {ROWS} GROUP BY k) "
        "GROUP BY seg) WHERE rn <= 1",
        [[1, 2]],
    ),
    "sums": (
        f"SELECT s > 5 AS m, SUM(s) AS t FROM (SELECT k, SUM(v) AS s FROM {ROWS} GROUP BY k) GROUP BY s > 5",
        [[False, 4], [True, 24]],
    ),
    "g_cube": (
        "SELECT k, v > 2 AS h, GROUPING(k, v > 2) AS g, GROUPING(v > 2, k) AS r, COUNT(*) AS "
        f"n FROM {ROWS} GROUP BY CUBE (k, v > 2)",
        [
            ["a", False, 0, 0, 1],
            ["a", None, 1, 2, 3],
            ["a", True, 0, 0, 2],
            ["b", False, 0, 0, 1],
            ["b", None, 1, 2, 2],
            ["b", True, 0, 0, 1],
            ["c", None, 1, 2, 1],
            ["c", True, 0, 0, 1],
            ["d", None, 1, 2, 1],
            ["d", True, 0, 0, 1],
            [None, False, 2, 1, 2],
            [None, None, 3, 3, 7],
            [None, True, 2, 1, 5],
        ],
    ),
    "g_having": (
        f"SELECT k, COUNT(*) AS n FROM {ROWS} GROUP BY ROLLUP (k, v) HAVING GROUPING(k, v) = 1",
        [["a", 3], ["b", 2], ["c", 1], ["d", 1]],
    ),
    "g_sets": (
        f"SELECT k, GROUPING(k, k) AS g, COUNT(*) AS n FROM {ROWS} GROUP BY GROUPING SETS ((k), ())",
        [["a", 0, 3], ["b", 0, 2], ["c", 0, 1], ["d", 0, 1], [None, 3, 7]],
    ),
}


def rows_of(query: str, spark: SparkSession) -> list[list[object]]:
    script = prepared(query, "job.sql", Path(), {})
    return sorted(lowered_query(script, script.queries[0], spark).values(), key=str)


@pytest.mark.parametrize("name", QUERIES)
def test_rows_are_those_of_flink(name: str, spark: SparkSession) -> None:
    query, rows = QUERIES[name]
    assert rows_of(query, spark) == rows


@pytest.mark.parametrize("call", ["GROUPING(k)", "GROUPING(k, v)"])
def test_grouping_needs_sets(call: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"GROUPING of .* is known beside GROUPING SETS, CUBE or ROLLUP only"):
        rows_of(f"SELECT {call} AS g, COUNT(*) AS n FROM {ROWS} GROUP BY k, v", spark)


DECIMALS = {
    "38, 10": {
        "1234567890123456789012345678.1234567891": [
            "-1234567890123456789012345678.1234567891",
            "1234567890123456789012345678.1234567891",
        ],
        "-1234567890123456789012345678.1234567891": [
            "1234567890123456789012345678.1234567891",
            "1234567890123456789012345678.1234567891",
        ],
        "9999999999999999999999999999.9999999999": [
            "-9999999999999999999999999999.9999999999",
            "9999999999999999999999999999.9999999999",
        ],
        "-9999999999999999999999999999.9999999999": [
            "9999999999999999999999999999.9999999999",
            "9999999999999999999999999999.9999999999",
        ],
        "0": ["0.0000000000", "0.0000000000"],
        "-0.5": ["0.5000000000", "0.5000000000"],
    },
    "38, 0": {
        "12345678901234567890123456789012345678": [
            "-12345678901234567890123456789012345678",
            "12345678901234567890123456789012345678",
        ],
        "-99999999999999999999999999999999999999": [
            "99999999999999999999999999999999999999",
            "99999999999999999999999999999999999999",
        ],
        "-5": ["5", "5"],
    },
    "35, 5": {
        "123456789012345678901234567890.12345": [
            "-123456789012345678901234567890.12345",
            "123456789012345678901234567890.12345",
        ],
        "-999999999999999999999999999999.99999": [
            "999999999999999999999999999999.99999",
            "999999999999999999999999999999.99999",
        ],
        "-5": ["5.00000", "5.00000"],
    },
    "34, 4": {
        "123456789012345678901234567890.1234": [
            "-123456789012345678901234567890.1234",
            "123456789012345678901234567890.1234",
        ],
        "-999999999999999999999999999999.9999": [
            "999999999999999999999999999999.9999",
            "999999999999999999999999999999.9999",
        ],
    },
}
"""Texts, and the texts of their negation and their absolute value in a DECIMAL of so many digits."""


@pytest.mark.parametrize("digits", DECIMALS)
def test_a_sign_keeps_all_digits(digits: str, spark: SparkSession) -> None:
    values = ", ".join(f"('{text}')" for text in DECIMALS[digits])
    numbers = f"(SELECT x, CAST(x AS DECIMAL({digits})) AS d FROM (VALUES {values}) AS t (x))"
    found = rows_of(f"SELECT x, CAST(-d AS STRING) AS n, CAST(ABS(d) AS STRING) AS a FROM {numbers}", spark)
    assert {str(text).strip(): both for text, *both in found} == DECIMALS[digits]
