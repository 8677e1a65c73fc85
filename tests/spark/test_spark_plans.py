"""Spark's plans of typical queries: the number of shuffles and sorts, the columns read, and the filters on files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.operators.plan_frames import lowered
from keepstate_spark.sources.scanning import Scanner

TABLES = """
CREATE TABLE t (k STRING, n INT, d DECIMAL(10, 2), unread STRING, ts TIMESTAMP(6), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'parquet');
CREATE TABLE u (k STRING, m INT, ts TIMESTAMP(6), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = 'u', 'format' = 'parquet');
"""
BOUNDS = "window_start, window_end"


def windowed(window: str, of: str = "k, COUNT(*) AS c, SUM(n) AS s", by: str = f"{BOUNDS}, k") -> str:
    return f"SELECT {BOUNDS}, {of} FROM TABLE({window}) GROUP BY {by}"


TUMBLE = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"
HOP = "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' HOUR)"
NUMBERED = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY s DESC) AS r FROM ({windowed(TUMBLE)})"

PLANS = {
    # The query, the shuffles of it, the sorts of it, the columns of t that are read.
    "a filter": ("SELECT k FROM t WHERE n > 3", 0, 0, "k n"),
    "groups": ("SELECT k, SUM(n) AS s FROM t GROUP BY k", 1, 0, "k n"),
    "tumbling windows": (windowed(TUMBLE), 1, 0, "k n ts"),
    "slices, then windows": (windowed(HOP), 2, 0, "k n ts"),
    "rows for each window": (windowed(HOP, "COUNT(DISTINCT n) AS c", BOUNDS), 2, 0, "n ts"),
    "slices, then sessions": (
        windowed("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' MINUTE)"),
        2,
        2,
        "k n ts",
    ),
    "sessions of rows": (
        windowed("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' MINUTE)", "COUNT(DISTINCT n) AS c"),
        1,
        2,
        "k n ts",
    ),
    "grouping sets": (windowed(TUMBLE, "k, SUM(n) AS s", f"{BOUNDS}, CUBE (k)"), 1, 0, "k n ts"),
    "windows of windows": (
        f"SELECT {BOUNDS}, SUM(s) AS s FROM TABLE(TUMBLE((SELECT window_time AS rt, SUM(n) AS s FROM TABLE({TUMBLE}) "
        f"GROUP BY {BOUNDS}, window_time, k), DESCRIPTOR(rt), INTERVAL '1' HOUR)) GROUP BY {BOUNDS}",
        2,
        0,
        "k n ts",
    ),
    "window Top-N": (f"SELECT * FROM ({NUMBERED}) WHERE r <= 3", 2, 2, "k n ts"),
    "running totals": ("SELECT k, SUM(n) OVER (PARTITION BY k ORDER BY ts) AS s FROM t", 1, 1, "k n ts"),
    "the last row of each key": (
        "SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1",
        1,
        2,
        "k n ts",
    ),
    "distinct values": ("SELECT DISTINCT k FROM t", 1, 0, "k"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    folder = tmp_path_factory.mktemp("plans")
    time = "timestamp_ntz '2026-03-01 00:00:00' + make_dt_interval(0, 0, 0, id) as ts"
    rows = spark.range(100).selectExpr("string(id % 7) as k", "int(id) as n", "decimal(id) as d", "'x' as unread", time)
    rows.selectExpr("k", "n", "cast(d as decimal(10, 2)) as d", "unread", "ts").write.parquet(str(folder / "t"))
    rows.selectExpr("k", "n as m", "ts").write.parquet(str(folder / "u"))
    return folder


def planned(sql: str, folder: Path, spark: SparkSession) -> str:
    query = prepared(f"{TABLES}{sql};", "query.sql", folder).queries[0]
    scanner = Scanner(spark, query.catalog, query.locations)
    rows = lowered(query.plan, spark, query.zone, scanner.scan, query.times, query.is_streaming).rows
    return str(rows._jdf.queryExecution().executedPlan().toString())


@pytest.mark.parametrize("name", PLANS)
def test_shuffles_sorts_and_columns(name: str, folder: Path, spark: SparkSession) -> None:
    sql, shuffles, sorts, columns = PLANS[name]
    plan = planned(sql, folder, spark)
    assert plan.count("Exchange ") == shuffles, plan
    assert len(re.findall(r"\bSort \[", plan)) == sorts, plan
    (read,) = re.findall(r"ReadSchema: struct<(.*)>", plan)
    # Where rows of one time stand in the file tells them apart, and costs no column of it.
    named = set(re.findall(r"(\w+):", read)) - {"_tmp_metadata_row_index"}
    assert sorted(named) == sorted(columns.split())


@pytest.mark.parametrize("call", ["JSON_VALUE(k, '$.a')", "JSON_QUERY(k, '$.a')", "JSON_EXISTS(k, '$.a')", "k IS JSON"])
def test_a_text_of_json_is_read_in_few_steps(call: str, folder: Path, spark: SparkSession) -> None:
    """A column is a tree: if each step used the one before twice, a text would be searched a thousand times."""
    plan = planned(f"SELECT {call} AS a FROM t", folder, spark)
    assert plan.count("regexp") <= 24, plan


def test_a_join_shuffles_either_side_once(folder: Path, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        plan = planned("SELECT t.k, n, m FROM t JOIN u ON t.k = u.k AND t.ts = u.ts WHERE n > 3", folder, spark)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    assert plan.count("Exchange ") == 2, plan


@pytest.mark.parametrize(
    ("condition", "pushed"),
    [
        ("n > 3", "GreaterThan(n,3)"),
        ("k = 'a'", "EqualTo(k,a)"),
        ("ts >= TIMESTAMP '2026-03-01 00:01:00'", "GreaterThanOrEqual(ts,2026-03-01T00:01)"),
    ],
)
@pytest.mark.parametrize("query", ["SELECT k FROM t WHERE {}", f"{windowed(HOP)}", windowed(TUMBLE)])
def test_filters_reach_the_files(query: str, condition: str, pushed: str, folder: Path, spark: SparkSession) -> None:
    sql = query.format(condition).replace(" GROUP BY", f" WHERE {condition} GROUP BY")
    plan = planned(sql, folder, spark)
    (filters,) = re.findall(r"PushedFilters: \[(.*?)\], ReadSchema", plan)
    assert pushed in filters, plan
