"""Members of JSON, with the rows of Flink 2.3.0: all values of an object, in the order of the text, and JSON(text)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
TABLE = (
    "CREATE TABLE texts (id INT, doc STRING) "
    "WITH ('connector' = 'filesystem', 'path' = 'json_members.json', 'format' = 'json');"
)
ANSWERS = [json.loads(line) for line in (FLINK / "json_members.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    script = prepared(f"{TABLE}{answer['sql']};", "texts.sql", FLINK)
    rows = lowered_query(script, script.queries[0], session).values()
    assert sorted(map(list, rows), key=json.dumps) == answer["rows"]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("JSON_QUERY(doc, '$..a')", "takes values in the order of the text"),
        ("JSON_OBJECT('p' VALUE JSON(doc))", "not json is no JSON. Flink stops here"),
    ],
)
def test_others_stop_the_query(item: str, reason: str, session: SparkSession) -> None:
    script = prepared(f"{TABLE}SELECT {item} FROM texts;", "texts.sql", FLINK)
    with pytest.raises(PipelineError, match=reason):
        list(lowered_query(script, script.queries[0], session).values())
