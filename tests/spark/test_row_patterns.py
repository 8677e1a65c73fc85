"""MATCH_RECOGNIZE on Spark, with the rows that Flink 2.3.0 gave.

``flink/matches.jsonl`` has a query a line over rows in disorder, with ties, NULLs and late rows: with Flink's columns,
types and rows (streaming mode with a watermark behind every row, or batch mode), or with the error at which Flink
stops.
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
from night import by_night
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = """SET 'table.local-time-zone' = 'UTC';
CREATE TABLE ticks (id INT, k STRING, v INT, p DECIMAL(10, 2), x DOUBLE, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = 'ticks.json', 'format' = 'json');
CREATE VIEW mr AS SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
  MEASURES A.id AS a, B.id AS b, B.v - A.v AS d, MATCH_ROWTIME() AS rt
  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) DEFINE B AS B.v > A.v);
CREATE VIEW mw AS SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
  MEASURES A.id AS a, COUNT(*) AS n, MATCH_ROWTIME() AS rt
  AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+? C) WITHIN INTERVAL '20' SECOND
  DEFINE B AS B.v <> A.v, C AS C.v < A.v);
"""
ANSWERS = [json.loads(line) for line in (FLINK / "matches.jsonl").read_text("utf-8").splitlines()]
TRIED = ANSWERS[:: by_night(1, 6)]
"""All each night, every sixth for each change: a query of Spark takes half a second to plan."""


def running(sql: str, spark: SparkSession, mode: str = "streaming") -> LoweredQuery:
    script = prepared(f"{TABLES}{sql};", "match.sql", FLINK, parameters={"execution.runtime-mode": mode})
    return lowered_query(script, script.queries[0], spark)


def pattern(words: str) -> str:
    """A query over a pattern of which ``words`` are MEASURES and all that follows."""
    return f"SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES {words})"


@pytest.mark.parametrize("answer", TRIED, ids=[answer["sql"] for answer in TRIED])
def test_matches_are_those_of_flink(answer: dict[str, Any], spark: SparkSession) -> None:
    if "error" in answer:
        with pytest.raises(PipelineError):
            list(running(answer["sql"], spark, answer.get("mode", "streaming")).values())
        return
    query = running(answer["sql"], spark, answer.get("mode", "streaming"))
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("A.id AS a PATTERN (A (B C)+ D) DEFINE A AS TRUE", "no groups"),
        ("A.id AS a PATTERN (A?? B) DEFINE A AS TRUE", "optional and reluctant"),
        ("A.id AS a PATTERN (A B A) DEFINE A AS TRUE", "once only"),
        ("A.id AS a PATTERN (A*?) DEFINE A AS TRUE", "no row would match"),
        ("A.id AS a PATTERN (A B+) DEFINE A AS TRUE", "no greedy quantifier at the last variable"),
        ("MATCH_PROCTIME() AS a PATTERN (A) DEFINE A AS TRUE", "the clock of the job"),
        ("PREV(A.id) AS a PATTERN (A) DEFINE A AS TRUE", "Flink has no PREV"),
        ("JSON_ARRAYAGG(A.x) AS a PATTERN (A) DEFINE A AS TRUE", "over rows of a pattern cannot be run"),
        ("LISTAGG(A.s, A.k) AS a PATTERN (A) DEFINE A AS TRUE", "a constant separator"),
        ("A.id AS a PATTERN (A B) DEFINE B AS UPPER(A.s || B.s) = 'UPUP'", "several rows of a pattern"),
        ("A.id AS a PATTERN (A B) WITHIN INTERVAL '1' MONTH DEFINE A AS TRUE", "WITHIN takes a constant length"),
    ],
)
def test_is_refused_before_anything_runs(words: str, reason: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(pattern(words), spark)


def test_a_rowtime_that_loses_its_zone_is_refused(spark: SparkSession) -> None:
    tables = TABLES.replace("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
    query = f"{tables}{pattern('A.id AS a, CAST(MATCH_ROWTIME() AS STRING) AS rt PATTERN (A) DEFINE A AS TRUE')};"
    script = prepared(query, "match.sql", FLINK)
    with pytest.raises(PipelineError, match="without its zone"):
        lowered_query(script, script.queries[0], spark)


def test_late_rows_of_a_pattern_are_counted(spark: SparkSession) -> None:
    query = running(pattern("A.id AS a AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE A AS TRUE"), spark)
    list(query.values())
    [late] = query.late_rows()
    assert late.operator == "MATCH_RECOGNIZE"
    assert late.left_out
    assert late.count == sum(1 for _ in late_rows())


def late_rows() -> list[int]:
    """The ids of the rows behind the watermark, which is five seconds behind the latest row before."""
    rows = [json.loads(line) for line in (FLINK / "ticks.json").read_text("utf-8").splitlines()]
    latest, late = "", []
    for row in rows:
        if latest and _seconds(row["ts"]) <= _seconds(latest) - 5:
            late.append(row["id"])
        latest = max(latest, row["ts"])
    return late


def _seconds(time: str) -> float:
    hour, minute, second = time.split(" ")[1].split(":")
    return int(hour) * 3600 + int(minute) * 60 + float(second)


def test_matches_that_wait_for_time_have_no_rowtime(spark: SparkSession) -> None:
    words = (
        "A.id AS a, {} AFTER MATCH SKIP PAST LAST ROW PATTERN (A B*? C) WITHIN INTERVAL '12' SECOND "
        "DEFINE A AS A.v > 3, C AS C.v = A.v"
    )
    assert list(running(pattern(words.format("C.id AS c")), spark).values())
    with pytest.raises(PipelineError, match="MATCH_ROWTIME of a match that waited"):
        list(running(pattern(words.format("MATCH_ROWTIME() AS c")), spark).values())


def test_matches_of_several_partitions_have_no_order(spark: SparkSession) -> None:
    query = "SELECT * FROM mr MATCH_RECOGNIZE (ORDER BY rt MEASURES X.a AS xa PATTERN (X Y) DEFINE Y AS Y.a > X.a)"
    with pytest.raises(PipelineError, match="needs all keys of the pattern below"):
        running(query, spark)
