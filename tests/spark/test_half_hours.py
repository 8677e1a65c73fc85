"""Windows beside both shifts of Lord Howe, whose clock goes by half an hour, with the rows of Flink 2.3.0: those of
TUMBLE, and of HOP by hours over others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
TABLE = """
CREATE TABLE rows_of_two_shifts (id BIGINT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = 'half_hours.json', 'format' = 'json');
"""
ANSWERS = [json.loads(line) for line in (FLINK / "half_hours.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    zone = {"table.local-time-zone": "Australia/Lord_Howe"}
    script = prepared(f"{TABLE}{answer['sql']};", "shifts.sql", FLINK, parameters=zone)
    rows = lowered_query(script, script.queries[0], session).values()
    shown = [[value if isinstance(value, int) else str(value) for value in row] for row in rows]
    assert sorted(shown, key=json.dumps) == [
        [value if isinstance(value, int) else value.removesuffix(".000") for value in row] for row in answer["rows"]
    ]
