"""Aggregates and rankings that show the order of rows, with the rows of Flink 2.3.0 in ``flink/orders.jsonl``.

Windows are put together from slices, groups may take rows in mini-batches or be split by DISTINCT values, and groups
of equal sort keys come in the order of their last changes. All are streams with a watermark behind every row.
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
from test_late_rows import TABLE

FLINK = Path(__file__).parent / "flink"
TABLES = f"""{TABLE.partition(";")[2]}
CREATE TABLE dials (
  id BIGINT, dev STRING, cnt SMALLINT, lt TIMESTAMP_LTZ(3), WATERMARK FOR lt AS lt - INTERVAL '3' SECOND
)
WITH ('connector' = 'filesystem', 'path' = 'gauges.json', 'format' = 'json');
{(FLINK / "ties.sql").read_text("utf-8")}"""
ANSWERS = [json.loads(line) for line in (FLINK / "orders.jsonl").read_text("utf-8").splitlines()]
BATCHES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "20",
}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
BOUNDS = "window_start, window_end"
HOP = "TABLE(HOP(TABLE disorder, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND))"
CUMULATE = "TABLE(CUMULATE(TABLE readings, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '1' MINUTE))"
TUMBLE = "TABLE(TUMBLE(TABLE disorder, DESCRIPTOR(ts), INTERVAL '20' SECOND))"
LISTED = "LISTAGG(CAST(id AS STRING))"
SEVENTHS = "SUM(CAST(v AS FLOAT) / CAST(7 AS FLOAT))"


def running(sql: str, spark: SparkSession, settings: dict[str, str], zone: str = "Europe/Berlin") -> LoweredQuery:
    parameters = {"table.local-time-zone": zone, **settings}
    script = prepared(f"{TABLES}\n{sql};", "orders.sql", FLINK, parameters=parameters)
    return lowered_query(script, script.queries[0], spark)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['sql']} {answer.get('settings', '')}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], spark: SparkSession) -> None:
    query = running(answer["sql"], spark, answer.get("settings", {}), answer.get("zone", "Europe/Berlin"))
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert list(query.shown_types()) == answer["types"]


REFUSED = [
    (f"SELECT {BOUNDS}, LISTAGG(DISTINCT k) AS l FROM {HOP} GROUP BY {BOUNDS}", {}, "order of their hashes"),
    (f"SELECT {BOUNDS}, LISTAGG(DISTINCT k) AS l FROM {CUMULATE} GROUP BY {BOUNDS}", {}, "order of their hashes"),
    (f"SELECT {BOUNDS}, LISTAGG(k, '+') FILTER (WHERE v > 3) AS l FROM {HOP} GROUP BY {BOUNDS}", {}, "a comma"),
    (f"SELECT {BOUNDS}, LISTAGG(k, '+') FILTER (WHERE v > 3) AS l FROM {CUMULATE} GROUP BY {BOUNDS}", {}, "a comma"),
    (
        f"SELECT {BOUNDS}, k, v, {LISTED} AS l FROM {CUMULATE} GROUP BY {BOUNDS}, GROUPING SETS ((k), (v))",
        {},
        "beside GROUPING SETS",
    ),
    ("SELECT k, LISTAGG(DISTINCT CAST(v AS STRING)) AS l FROM disorder GROUP BY k", BATCHES, "order of their hashes"),
    ("SELECT k, ARRAY_AGG(DISTINCT v) AS l FROM disorder GROUP BY k", BATCHES, "order of their hashes"),
    ("SELECT ARRAY_AGG(DISTINCT v) FILTER (WHERE v > 5) AS l FROM disorder", BATCHES, "order of their hashes"),
    ("SELECT k, LISTAGG(k, '+') FILTER (WHERE v > 80) AS l FROM disorder GROUP BY k", BATCHES, "a comma"),
    (f"SELECT k, {SEVENTHS} AS s FROM disorder GROUP BY k", BATCHES, "FLOAT goes by the order"),
    ("SELECT id FROM readings ORDER BY ts", BATCHES, "by the clock of the job"),
    ("SELECT id, CURRENT_WATERMARK(ts) AS w FROM readings", BATCHES, "by the clock of the job"),
    (f"SELECT k, {LISTED} AS l, COUNT(DISTINCT v) AS d FROM disorder GROUP BY k", BATCHES | SPLIT, "splits the groups"),
    ("SELECT k, FIRST_VALUE(id) AS f, COUNT(DISTINCT v) AS d FROM disorder GROUP BY k", BATCHES | SPLIT, "splits the"),
    (f"SELECT {BOUNDS}, {LISTED} AS l, COUNT(DISTINCT v) AS d FROM {HOP} GROUP BY {BOUNDS}", SPLIT, "splits the"),
    (
        f"SELECT {BOUNDS}, LAST_VALUE(id) AS l, SUM(DISTINCT v) AS d FROM {TUMBLE} GROUP BY {BOUNDS}",
        SPLIT,
        "splits the",
    ),
    (f"SELECT {BOUNDS}, {SEVENTHS} AS s, COUNT(DISTINCT v) AS d FROM {TUMBLE} GROUP BY {BOUNDS}", SPLIT, "splits the"),
    (
        "SELECT car, v, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT car, v, MIN(v) AS n "
        "FROM laps GROUP BY car, v)) WHERE rn <= 1",
        {},
        "Rows of groups have equal sort keys",
    ),
    ("SELECT car, MIN(v) AS n FROM laps GROUP BY car ORDER BY n LIMIT 2", {}, "Rows of groups have equal sort keys"),
    (
        "SELECT v, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT v, COUNT(*) AS n "
        "FROM disorder GROUP BY v)) WHERE rn <= 3",
        BATCHES,
        "Rows of groups have equal sort keys",
    ),
]


@pytest.mark.parametrize(("sql", "settings", "reason"), REFUSED, ids=[f"{each[0]} {each[1]}" for each in REFUSED])
def test_an_order_that_is_not_known_is_refused_before_anything_runs(
    sql: str, settings: dict[str, str], reason: str, spark: SparkSession
) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, spark, settings)


def test_other_settings_change_nothing(spark: SparkSession) -> None:
    """Mini-batches of one phase, or beside a function without parts, keep the order of rows."""
    sql = "SELECT k, LISTAGG(DISTINCT CAST(v AS STRING)) AS l{} FROM disorder GROUP BY k"
    one_phase = {**BATCHES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"}
    plain = {row[0]: row[1] for row in running(sql.format(""), spark, {}).values()}
    assert {row[0]: row[1] for row in running(sql.format(""), spark, one_phase).values()} == plain
    beside = running(sql.format(", FIRST_VALUE(id) AS f"), spark, BATCHES)
    assert {row[0]: row[1] for row in beside.values()} == plain
