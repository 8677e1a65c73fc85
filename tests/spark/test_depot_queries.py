"""Fields of ROW columns that are named as columns, and windows of late rows behind joins, with the rows of Flink 2.3.0.

``flink/depots.jsonl`` has a query a line over the tables of ``flink/depots.sql``, with Flink's columns, types and rows,
or the ``error`` at which Flink stops.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.runnable import runnable
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "depots.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "depots.jsonl").read_text("utf-8").splitlines()]
PARTS = "SELECT {} FROM (SELECT k, name FROM named {} ALL SELECT k, name FROM named) AS v"


def running(sql: str, session: SparkSession) -> LoweredQuery:
    script = runnable(f"{TABLES}\n{sql};", "depots.sql", FLINK, [None], {}, {})
    if script.refused:
        raise PipelineError(str(script.refused[0]))
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink_or_refused(answer: dict[str, Any], session: SparkSession) -> None:
    if "rows" not in answer:
        with pytest.raises(PipelineError):
            list(running(answer["sql"], session).values())
        return
    query = running(answer["sql"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize("operation", ["INTERSECT", "EXCEPT"])
@pytest.mark.parametrize("columns", ["name", "COUNT(*)", "DISTINCT k", "k || 'x'"])
def test_set_operations_of_which_parts_are_read_are_refused(
    operation: str, columns: str, session: SparkSession
) -> None:
    with pytest.raises(PipelineError, match="by the columns that are read above it alone"):
        running(PARTS.format(columns, operation), session)


@pytest.mark.parametrize("operation", ["INTERSECT", "EXCEPT"])
def test_those_that_are_read_whole_run(operation: str, session: SparkSession) -> None:
    assert running(PARTS.format("name, UPPER(k)", operation), session).names == ("name", "EXPR$1")
