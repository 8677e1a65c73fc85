"""Queries over documents, numbers, clients and sensors, with the rows of Flink 2.3.0 in ``flink/documents.jsonl``, in
both modes: joins with VALUES and UNNEST.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "documents.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "documents.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "documents.sql", FLINK, parameters=settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["mode"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]
