"""Queries over receipts of a shop, with the rows of Flink 2.3.0 in ``flink/receipts.jsonl``, in both modes.

The rows of an INSERT are those that Flink's print connector wrote, changes applied.
"""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = "".join((FLINK / name).read_text("utf-8") for name in ("mixtures.sql", "receipts.sql"))
ANSWERS = [json.loads(line) for line in (FLINK / "receipts.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "receipts.sql", FLINK, parameters=settings)
    return lowered_query(script, script.queries[-1], session)


def _time(value: Any) -> Any:
    """A time of day as Flink prints it: Java leaves the seconds of a full minute out."""
    return f"{value}:00" if isinstance(value, str) and re.fullmatch(r"\d\d:\d\d", value) else value


def _as_singles(rows: list[list[Any]], singles: list[bool]) -> list[list[Any]]:
    """``rows`` with their FLOATs as numbers of 32 bits: a newer Java writes one with fewer digits."""

    def single(value: Any) -> Any:
        return struct.unpack("f", struct.pack("f", value))[0] if isinstance(value, float) else value

    return [
        [single(value) if is_single else value for value, is_single in zip(row, singles, strict=True)] for row in rows
    ]


def printed(row: list[Any]) -> str:
    return "[" + ", ".join("null" if value is None else str(value) for value in row) + "]"


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["mode"], session)
    rows = list(query.values())
    if "printed" in answer:
        assert sorted(map(printed, rows)) == answer["printed"]
        return
    singles = [type_.startswith("FLOAT") for type_ in answer["types"]]
    expected = [[_time(value) for value in row] for row in answer["rows"]]
    assert comparable(_as_singles(rows, singles)) == comparable(_as_singles(expected, singles))
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


def test_a_constant_of_partition_that_is_no_value_of_its_column_ends_the_query(session: SparkSession) -> None:
    sink = "CREATE TABLE p (a BIGINT, d INT) PARTITIONED BY (d) WITH ('connector' = 'print');"
    with pytest.raises(PipelineError, match="cannot be cast to INT"):
        list(running(f"{sink} INSERT INTO p PARTITION (d = 'x') SELECT oid FROM ord", "batch", session).values())


def test_two_unnests_of_one_collection_are_two(session: SparkSession) -> None:
    one = "SELECT oid, a FROM ord CROSS JOIN UNNEST(tags) AS t (a)"
    two = "SELECT oid, a, b FROM ord CROSS JOIN UNNEST(tags) AS t (a) CROSS JOIN UNNEST(tags) AS u (b)"
    tags, pairs = (list(running(sql, "batch", session).values()) for sql in (one, two))
    expected = [[oid, tag, other] for oid, tag in tags for number, other in tags if number == oid]
    assert len(expected) > len(tags)
    assert comparable(pairs) == comparable(expected)


def test_the_columns_of_a_frame_have_the_names_of_flink(session: SparkSession) -> None:
    row = "CAST(ROW(oid, cust) AS ROW<Id INT, wHo STRING>)"
    frame = running(f"SELECT cust AS k, note AS k, qty AS k, {row} AS r FROM ord", "batch", session).frame()
    assert frame.columns == ["k", "k0", "k1", "r"]
    assert frame.schema["r"].dataType.fieldNames() == ["Id", "wHo"]
