"""CURRENT_WATERMARK over rows of files, with the rows of Flink 2.3.0 in ``flink/watermarks.jsonl``.

Flink gave each answer in six runs: three with a watermark behind every row, three with one every 200 ms.
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
TABLES = "SET 'table.local-time-zone' = 'Europe/Berlin';\n" + (FLINK / "late_joins.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "watermarks.jsonl").read_text("utf-8").splitlines()]
INTERVAL = "pipeline.auto-watermark-interval"


def lowered(sql: str, spark: SparkSession, **settings: str) -> LoweredQuery:
    parameters = {name.replace("_", "-"): value for name, value in settings.items()}
    script = prepared(f"{TABLES}\n{sql};", "query.sql", FLINK, parameters=parameters)
    return lowered_query(script, script.queries[0], spark)


@pytest.mark.parametrize("interval", ["0 ms", "200 ms"])
@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_watermarks_are_those_of_flink(answer: dict[str, Any], interval: str, spark: SparkSession) -> None:
    query = lowered(answer["sql"], spark, **{INTERVAL: interval})
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, COUNT(*) OVER (ORDER BY ts) AS n, CURRENT_WATERMARK(ts) AS w FROM bought",
        "SELECT id, CURRENT_WATERMARK(ts) AS w FROM (SELECT id, ts FROM bought UNION ALL SELECT id, ts FROM sent)",
        "SELECT b.id, CURRENT_WATERMARK(b.ts) AS w FROM bought b JOIN sent s ON b.id = s.bought "
        "AND s.ts BETWEEN b.ts - INTERVAL '20' SECOND AND b.ts + INTERVAL '1' MINUTE",
    ],
)
def test_a_watermark_behind_an_operator_that_keeps_rows_is_refused(sql: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match="depends on when they send a row out"):
        lowered(sql, spark)


def test_a_watermark_that_comes_by_the_clock_is_refused(spark: SparkSession) -> None:
    """Flink sends it once in an interval if the time of a row is no further ahead."""
    sql = "SELECT id, CURRENT_WATERMARK(ts) AS w FROM bought"
    with pytest.raises(PipelineError, match=r"CURRENT_WATERMARK of bought depends on the clock of the job.* 20000 ms"):
        lowered(sql, spark, **{INTERVAL: "20 s"})


def test_a_watermark_of_a_topic_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    table = "CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
    (tmp_path / "t.json").write_text('{"id": 1, "ts": "2026-03-01 10:00:00"}\n', "utf-8")
    script = prepared(f"{table}SELECT CURRENT_WATERMARK(ts) FROM t;", "query.sql", tmp_path, {"t": str(tmp_path)})
    with pytest.raises(PipelineError, match="depends on the clock of its source"):
        lowered_query(script, script.queries[0], spark)
