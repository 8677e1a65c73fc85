"""Queries with FLOAT beside DOUBLE, lengths of time, MAPs and constants, with the rows of Flink 2.3.0 in
``flink/mixtures.jsonl``, in both modes.

Which of a FLOAT and a DOUBLE is equal depends on the one that is written first. Which is less does not.
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
TABLES = (FLINK / "mixtures.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "mixtures.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "mixtures.sql", FLINK, parameters=settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["mode"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize(
    ("mode", "sql", "reason"),
    [
        ("streaming", "SELECT f IN (SELECT db FROM fd) FROM fd", "whichever is written first"),
        ("batch", "SELECT * FROM (VALUES (0.1e0), (CAST(0.1 AS FLOAT))) AS t(a)", "Which DOUBLE Flink makes"),
        ("batch", "SELECT 1.5e0 UNION ALL SELECT CAST(0.1 AS FLOAT)", "Which DOUBLE Flink makes"),
        ("streaming", "SELECT * FROM (VALUES (1, 1.5e0), (2, 3)) AS t(a, b)", "cannot compile VALUES"),
        ("batch", "SELECT a FROM (VALUES (1, 1.5e0), (2, -3)) AS t(a, b)", "cannot compile VALUES"),
        ("streaming", "SELECT INTERVAL '1' DAY * 2.5", "whole numbers only"),
        ("streaming", "SELECT COLLECT(m) FROM mm", "COLLECT of a value with a MAP"),
        ("streaming", "SELECT ARRAY_AGG(m) FROM mm", "ARRAY_AGG of a value with a MAP"),
        ("streaming", "SELECT ROW(m, 1), COUNT(*) FROM mm GROUP BY ROW(m, 1)", "has a MAP inside"),
        ("batch", "SELECT COUNT(*) OVER (PARTITION BY m ORDER BY id) FROM mm", "no keys that are a MAP"),
        ("batch", "SELECT m FROM mm INTERSECT SELECT mi FROM mm", "no keys that are a MAP"),
        ("batch", "SELECT a.id FROM mm AS a JOIN mm AS b ON a.m = b.m", "no keys that are a MAP"),
        ("batch", "SELECT id FROM mm ORDER BY m", "no order of a MAP"),
        ("streaming", "SELECT k, COUNT(*) AS n FROM ev GROUP BY k LIMIT 2", "LIMIT without ORDER BY"),
        (
            "batch",
            "SELECT LAG(v, 2, -1) OVER (PARTITION BY k ORDER BY id), COUNT(*) OVER (ORDER BY id) FROM ev",
            "another constant as the offset",
        ),
        (
            "batch",
            "SELECT LAG(v, 2, -1) OVER (ORDER BY id), NTILE(2) OVER (PARTITION BY k ORDER BY id) FROM ev",
            "another constant as the offset",
        ),
        (
            "batch",
            "SELECT COUNT(*) OVER (ORDER BY id), LEAD(k, 3, 'none') OVER (ORDER BY k, id) FROM ev",
            "another constant as the offset",
        ),
    ],
)
def test_is_refused_before_anything_runs(mode: str, sql: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, mode, session)


def test_a_length_of_time_in_a_dataframe_is_a_text(session: SparkSession) -> None:
    query = running("SELECT INTERVAL '-14' MONTH AS a, INTERVAL '1 02:03:04.567' DAY TO SECOND AS b", "batch", session)
    assert [tuple(row) for row in query.frame().collect()] == [("-1-02", "+1 02:03:04.567")]
