"""LIKE, SIMILAR TO and tests of characters over line breaks, signs of patterns, and digits and letters of all scripts.
The rows are those of Flink 2.3.0, in ``flink/patterns.jsonl``.
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
TABLE = """CREATE TABLE t (id INT, s STRING)
WITH ('connector' = 'filesystem', 'path' = 'patterns.json', 'format' = 'json');"""
ANSWERS = [json.loads(line) for line in (FLINK / "patterns.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"][:60] for answer in ANSWERS])
@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_each_text_is_told_as_by_flink(answer: dict[str, Any], mode: str, session: SparkSession) -> None:
    script = prepared(f"{TABLE}{answer['sql']};", "t.sql", FLINK, parameters={"execution.runtime-mode": mode})
    rows = list(lowered_query(script, script.queries[0], session).values())
    texts = {json.loads(line)["id"]: line for line in (FLINK / "patterns.json").read_text("utf-8").splitlines()}
    different = {texts[row[0]]: row for row in rows if row not in answer["rows"]}
    assert (different, len(rows)) == ({}, len(answer["rows"]))
