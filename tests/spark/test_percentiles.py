"""PERCENTILE with the rows of Flink 2.3.0 to their last digit: in groups and OVER windows, with frequencies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
TABLE = (
    "CREATE TABLE numbers (id INT, grp STRING, num DOUBLE, often INT, pt AS PROCTIME()) "
    "WITH ('connector' = 'filesystem', 'path' = 'percentiles.json', 'format' = 'json');"
)
ANSWERS = [json.loads(line) for line in (FLINK / "percentiles.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_values_have_the_digits_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    script = prepared(f"{TABLE}{answer['sql']};", "numbers.sql", FLINK)
    rows = lowered_query(script, script.queries[0], session).values()
    assert sorted(map(list, rows), key=json.dumps) == answer["rows"]
