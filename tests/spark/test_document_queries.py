"""Queries over documents, numbers, clients and sensors, with the rows of Flink 2.3.0 in ``flink/documents.jsonl``, in
both modes: joins with VALUES and UNNEST, JSON of rows, patterns of DATE_FORMAT.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
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


@pytest.mark.parametrize("mode", ["streaming", "batch"])
@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT CAST(dur AS STRING) FROM ev WHERE dur BETWEEN 0 AND 0", "leaves a single number"),
        ("SELECT CAST(dur AS STRING) FROM ev WHERE dur >= 0 AND dur <= 0", "leaves a single number"),
        ("SELECT CONCAT('x', CAST(hum AS STRING)) FROM sens WHERE hum BETWEEN 1 AND 1", "leaves a single number"),
        ("SELECT eid FROM ev WHERE dur BETWEEN 0.0 AND 0.0", "-0.0 is in a range"),
        ("SELECT RAND(7) FROM docs", "RAND with a seed"),
        ("SELECT RAND_INTEGER(7, 10) FROM docs", "RAND_INTEGER with a seed"),
        ("SELECT DATE_FORMAT(ts, 'yyyy B') FROM odd", "'B' in the pattern of DATE_FORMAT"),
        ("SELECT DATE_FORMAT(ts, 'MMMMM') FROM odd", "'MMMMM' in the pattern of DATE_FORMAT"),
        ("SELECT TO_DATE(s, 'YYYY-ww-e') FROM odd", "'YYYY' in the pattern of TO_DATE"),
        ('SELECT JSON_VALUE(j, \'$["a","b"]\') FROM docs', "needs a constant path"),
        ("SELECT JSON_VALUE(j, '$[\"a?\"]') FROM docs", "needs a constant path"),
        ("SELECT id, x FROM docs LEFT JOIN UNNEST(arr) AS u (x) ON x > id", "the elements of an UNNEST alone"),
        ("SELECT id, x FROM docs LEFT JOIN UNNEST(arr) AS u (x) ON FALSE", "the elements of an UNNEST alone"),
        (
            "SELECT id, n FROM docs LEFT JOIN UNNEST(ss) WITH ORDINALITY AS u (x, n) ON n > 1",
            "the elements of an UNNEST alone",
        ),
    ],
)
def test_what_spark_would_answer_in_another_way_is_refused(
    mode: str, sql: str, reason: str, session: SparkSession
) -> None:
    with pytest.raises(PipelineError, match=re.escape(reason)):
        running(sql, mode, session)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ("ORDER BY d RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW", "RANGE over a DOUBLE cannot be run"),
        ("ORDER BY CAST(d AS FLOAT) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "RANGE over a FLOAT cannot be run"),
        ("ORDER BY de RANGE BETWEEN 5 PRECEDING AND 1 PRECEDING", "without its own row"),
        ("ORDER BY de RANGE BETWEEN 1 FOLLOWING AND 5 FOLLOWING", "without its own row"),
    ],
)
def test_frames_that_flink_compares_in_another_way_are_refused(frame: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(f"SELECT id, COUNT(*) OVER ({frame}) FROM odd", "batch", session)


def test_a_number_with_too_many_digits_stops_a_frame(session: SparkSession) -> None:
    number = "CAST(CAST(123456789012345 AS DECIMAL(30, 10)) AS DECIMAL(30, 10))"
    frame = f"ORDER BY {number} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW"
    query = running(f"SELECT id, COUNT(*) OVER ({frame}) FROM odd", "batch", session)
    with pytest.raises(PipelineError, match="more than 18 digits"):
        list(query.values())


def test_random_numbers_without_a_seed_run(session: SparkSession) -> None:
    sql = "SELECT RAND() BETWEEN 0 AND 1, RAND_INTEGER(5) BETWEEN 0 AND 4 FROM docs"
    query = running(sql, "streaming", session)
    assert list(query.values()) == [[True, True]] * 9
    assert query.shown_types() == ["BOOLEAN NOT NULL", "BOOLEAN NOT NULL"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DATE_FORMAT(ts, CASE WHEN -d IN (1, 2) THEN 'yyyy' ELSE s END) FROM odd",
        "SELECT CAST(hum AS STRING) || sid FROM sens WHERE hum BETWEEN 1 AND 1 AND -hum < 0",
        "SELECT JSON_VALUE(j, CONCAT('$', '.a') NULL ON EMPTY) FROM docs",
        "SELECT id FROM docs WHERE CAST(id AS STRING) SIMILAR TO CAST(id IN (1, 2) AS STRING)",
    ],
)
def test_a_refusal_has_no_word_of_a_plan(sql: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError) as refusal:
        running(sql, "streaming", session)
    sentence = str(refusal.value)
    assert not re.search(r"COLUMN\b|NEGATE|BRACKET|CLAUSE|TUPLE|SUBQUERY|VALUES, 0", sentence), sentence
