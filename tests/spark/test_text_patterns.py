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


IN_BOTH_CASES: dict[str, list[str]] = json.loads((FLINK / "letters.json").read_text("utf-8"))
"""Texts with LOWER(UPPER(s)) and UPPER(LOWER(s)) of Flink."""


def test_letters_do_not_come_back_from_the_other_case(session: SparkSession, tmp_path: Path) -> None:
    texts = "".join(json.dumps({"id": number, "s": text}) + "\n" for number, text in enumerate(IN_BOTH_CASES))
    (tmp_path / "patterns.json").write_text(texts, "utf-8")
    query = "SELECT LOWER(u), UPPER(LOWER(s)) FROM (SELECT s, UPPER(s) AS u FROM t);"
    script = prepared(f"{TABLE}{query}", "t.sql", tmp_path)
    rows = lowered_query(script, script.queries[0], session).values()
    assert [list(row) for row in rows] == list(IN_BOTH_CASES.values())
