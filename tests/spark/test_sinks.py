"""Rows of an INSERT have the names and types of the sink, as Flink 2.3.0 gave them to a print connector."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query

ZONE = "SET 'table.local-time-zone' = 'Europe/Berlin';"

CASTS = {
    "BIGINT": ("CAST(1 AS INT)", 1),
    "DECIMAL(5, 2)": ("CAST(12345.678 AS DECIMAL(10, 3))", None),
    "DECIMAL(5, 1)": ("12.78", Decimal("12.8")),
    "DOUBLE": ("CAST(3 AS INT)", 3.0),
    "FLOAT": ("CAST(2 AS INT)", 2.0),
    "VARCHAR(3)": ("'abcdef'", "abc"),
    "CHAR(5)": ("'ab'", "ab   "),
    "STRING": ("CAST('x' AS CHAR(3))", "x  "),
    "TIMESTAMP(3)": ("TIMESTAMP '2020-01-01 00:00:00.123456'", "2020-01-01 00:00:00.123"),
    "TIMESTAMP(0)": ("TIMESTAMP '2020-01-01 00:00:00.987654'", "2020-01-01 00:00:00"),
    "TIMESTAMP_LTZ(3)": ("TIMESTAMP '2020-01-01 00:00:00'", "2020-01-01 00:00:00"),
    "ARRAY<BIGINT>": ("ARRAY[1, 2]", [1, 2]),
    "MAP<STRING, BIGINT>": ("MAP['a', 1]", {"a": 1}),
    "DATE": ("NULL", None),
}


def _running(sql: str, spark: SparkSession) -> LoweredQuery:
    script = prepared(f"{ZONE} {sql}", "job.sql", Path(), {})
    return lowered_query(script, script.queries[0], spark)


def _rows(sql: str, spark: SparkSession) -> Sequence[Sequence[Any]]:
    return list(_running(sql, spark).values())


@pytest.mark.parametrize("type_", CASTS)
def test_values_become_those_of_the_sink(type_: str, spark: SparkSession) -> None:
    expression, value = CASTS[type_]
    sink = f"CREATE TABLE s (there {type_}) WITH ('connector' = 'print');"
    query = _running(f"{sink} INSERT INTO s SELECT {expression} AS here;", spark)
    assert (list(query.values()), query.names, query.shown_types()) == ([[value]], ("there",), [type_])


TABLE = (
    "CREATE TABLE s (a BIGINT NOT NULL, b STRING, c INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'print');"
)


@pytest.mark.parametrize(
    ("insert", "names", "types", "row"),
    [
        ("INSERT INTO s SELECT 1, 'x', 2", ("a", "b", "c"), ["BIGINT NOT NULL", "STRING", "INT"], [1, "x", 2]),
        ("INSERT INTO s (c, a) SELECT 1, 2", ("a", "b", "c"), ["BIGINT NOT NULL", "STRING", "INT"], [2, None, 1]),
        ("INSERT INTO s (a, b) VALUES (1, 'x')", ("a", "b", "c"), ["BIGINT NOT NULL", "STRING", "INT"], [1, "x", None]),
        ("INSERT INTO other SELECT 1 AS x", ("x",), ["INT NOT NULL"], [1]),
    ],
)
def test_columns_are_those_of_the_sink(
    insert: str, names: tuple[str, ...], types: list[str], row: list[Any], spark: SparkSession
) -> None:
    query = _running(f"{TABLE} {insert};", spark)
    assert (query.names, query.shown_types(), list(query.values())) == (names, types, [row])


def test_columns_of_a_table_like_another_are_taken_over(spark: SparkSession) -> None:
    heir = "CREATE TABLE h (d AS a + 1, m STRING METADATA VIRTUAL) LIKE s;"
    query = _running(f"{TABLE} {heir} INSERT INTO h SELECT 1, 'x', 2;", spark)
    assert query.names == ("a", "b", "c")


def test_columns_of_partitions_have_their_value(spark: SparkSession) -> None:
    sink = "CREATE TABLE p (a BIGINT, d STRING) PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = 'x');"
    query = _running(f"{sink} INSERT INTO p PARTITION (d = 'x') SELECT 1;", spark)
    assert (query.names, query.shown_types()) == (("a", "d"), ["BIGINT", "STRING"])
    assert list(query.values()) == [[1, "x"]]


NULLS = "INSERT INTO s (a, b) SELECT x, y FROM (VALUES (1, 'p'), (CAST(NULL AS INT), 'q'), (5, 'r')) AS t (x, y);"


def test_a_null_that_the_sink_does_not_take_ends_the_query(spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"Column 'a' is NOT NULL, and a NULL is written into it\."):
        _rows(f"{TABLE} {NULLS}", spark)


def test_a_null_that_the_sink_does_not_take_is_dropped_if_the_job_says_so(spark: SparkSession) -> None:
    drop = "SET 'table.exec.sink.not-null-enforcer' = 'DROP';"
    assert _rows(f"{drop} {TABLE} {NULLS}", spark) == [[1, "p", None], [5, "r", None]]


def test_a_query_beside_one_that_cannot_be_lowered_is_run(spark: SparkSession) -> None:
    script = prepared(f"{TABLE} INSERT INTO s (a) SELECT 1; SELECT MY_FUNCTION(1);", "job.sql", Path(), {})
    assert list(lowered_query(script, script.queries[0], spark).values()) == [[1, None, None]]
    with pytest.raises(PipelineError, match="MY_FUNCTION"):
        lowered_query(script, script.queries[1], spark)
