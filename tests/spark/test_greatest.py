"""GREATEST and LEAST: where Flink 2.3.0 reads a NULL that it casts, and where it compares nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query

FLINK = Path(__file__).parent / "flink"
KINDS = (FLINK / "kinds.sql").read_text("utf-8")
STOPS = [
    "GREATEST(big, dc)", "GREATEST(big, d)", "GREATEST(d, big)", "GREATEST(f, big)", "GREATEST(dc, b)",
    "GREATEST(dc, d)", "GREATEST(dc, f)", "GREATEST(dc, i)", "GREATEST(i2, dc)", "GREATEST(dc, 1)", "GREATEST(1, dc)",
    "GREATEST(dc, dc, i)", "LEAST(dc, big)", "GREATEST(dc, i, b)",
    "GREATEST(CAST(i AS DECIMAL(10,0)), CAST(i2 AS DECIMAL(20,0)))",
    "LEAST(CAST(dc AS DECIMAL(10,2)), CAST(dc AS DECIMAL(12,2)))",
]  # fmt: skip
"""A column with a NULL is cast from a DECIMAL, and no argument in front of it is NULL in that row."""


def running(expression: str, spark: SparkSession, where: str = "") -> LoweredQuery:
    script = prepared(f"{KINDS}SELECT id, {expression} AS g FROM kinds{where};", "kinds.sql", FLINK)
    return lowered_query(script, script.queries[0], spark)


@pytest.mark.parametrize("expression", STOPS)
def test_a_null_that_is_cast_from_a_decimal_stops_the_query(expression: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match="is a DECIMAL of another type than the result, and NULL"):
        list(running(expression, spark).values())


@pytest.mark.parametrize(
    ("expression", "where", "rows"),
    [
        ("GREATEST(dc, i)", " WHERE dc IS NOT NULL AND i IS NOT NULL", 11),
        ("GREATEST(dc, big)", " WHERE dc IS NOT NULL AND big IS NOT NULL", 10),
        ("CASE WHEN dc IS NOT NULL AND i IS NOT NULL THEN GREATEST(dc, i) END", "", 12),
        ("GREATEST(i, dc)", "", 12),
        ("GREATEST(dc, si)", "", 12),
        ("GREATEST(dc, CAST(NULL AS DECIMAL(10,2)))", "", 12),
        ("GREATEST(COALESCE(dc, 0), COALESCE(big, 0))", "", 12),
        ("GREATEST(dc)", "", 12),
    ],
)
def test_flink_answers_without_such_a_null(expression: str, where: str, rows: int, spark: SparkSession) -> None:
    assert len(list(running(expression, spark, where).values())) == rows


@pytest.mark.parametrize("expression", ["GREATEST(arr, arr2)", "LEAST(byt, byt)"])
def test_types_that_flink_does_not_compare_are_refused(expression: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"Flink has no (GREATEST|LEAST) of"):
        running(expression, spark)
