"""Queries at the edges of types, with the rows of Flink 2.3.0 in ``flink/edges.jsonl``, in both modes: NaN, decimals
with more than 38 digits, ranges that wrap around, blanks at the ends of constants, pads of nothing.

Where the answer of Flink depends on the order of its sort, or of parts of rows, the query stops with its reason.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "edges.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "edges.jsonl").read_text("utf-8").splitlines()]
STOPPED = [json.loads(line) for line in (FLINK / "edges_stopped.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "edges.sql", FLINK, parameters=settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["mode"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize("stopped", STOPPED, ids=[f"{each['mode']} {each['sql']}" for each in STOPPED])
def test_a_query_whose_answer_is_not_known_stops(stopped: dict[str, str], session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=stopped["reason"]):
        list(running(stopped["sql"], stopped["mode"], session).values())


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT MAX(i) AS a, MIN(m) AS b FROM n", 1),
        ("SELECT id FROM n WHERE i > 1 AND m <= 3 AND i <> id", 1),
        ("SELECT id FROM n ORDER BY i, m, id", 16),
    ],
)
def test_plans_of_other_numbers_do_not_look_for_nan(sql: str, rows: int, session: SparkSession) -> None:
    query = running(sql, "batch", session)
    assert "isnan" not in query.frame()._jdf.queryExecution().toString().lower()
    assert len(list(query.values())) == rows


@pytest.mark.parametrize(
    ("sql", "digits"),
    [
        ("SELECT CAST('0.0000000001' AS DECIMAL(38, 10)) AS a", "0.0000000001"),
        ("SELECT CAST('-0.00000001' AS DECIMAL(10, 8)) AS a", "-0.00000001"),
        ("SELECT CAST('0' AS DECIMAL(38, 10)) AS a", "0.0000000000"),
        ("SELECT CAST('1234567890123456789012345678.0123456789' AS DECIMAL(38, 10)) AS a", None),
    ],
)
def test_a_decimal_has_the_digits_of_its_type(sql: str, digits: str | None, session: SparkSession) -> None:
    ((value,),) = running(sql, "batch", session).values()
    assert format(value, "f") == (digits or "1234567890123456789012345678.0123456789")
