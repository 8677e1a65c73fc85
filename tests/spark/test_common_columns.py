"""Columns that USING makes of two, stars of rows, elements in their order, and texts with times: rows of Flink 2.3."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
ANSWERS = [json.loads(line) for line in (FLINK / "common_columns.jsonl").read_text("utf-8").splitlines()]


TABLES = """CREATE TABLE o (
  oid INT, ship ROW<addr ROW<street STRING, zip STRING, geo ROW<lat DOUBLE, lon DOUBLE>>, via STRING>
) WITH ('connector' = 'filesystem', 'path' = 'ships.json', 'format' = 'json');
CREATE TABLE baskets (id INT, w ARRAY<STRING>) WITH (
  'connector' = 'filesystem', 'path' = 'baskets.json', 'format' = 'json'
);
"""


def as_words(row: list[Any]) -> str:
    return json.dumps([float(value) if isinstance(value, Decimal) else value for value in row], ensure_ascii=False)


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    settings = {"execution.runtime-mode": answer["mode"]}
    script = prepared(f"{TABLES}{answer['sql']};", "common.sql", FLINK, parameters=settings)
    query = lowered_query(script, script.queries[0], session)
    assert sorted(map(as_words, query.values())) == sorted(map(as_words, answer["rows"]))
    assert list(query.names) == answer["columns"]
