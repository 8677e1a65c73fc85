"""A client of Spark Connect, in a process of its own: PySpark is a client or not for a whole process.

    python connected_queries.py sc://127.0.0.1:PORT

prints the answers of ``flink/queries.jsonl``, and those to a few questions of the Python API, as JSON.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

import keepstate_spark
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from keepstate_spark.table import Table, Tumble

FLINK = Path(__file__).parent / "flink"
TABLES = "SET 'table.local-time-zone' = 'Europe/Berlin';\n" + (FLINK / "tables.sql").read_text("utf-8")
ORDERS = "VALUES ('2026-03-01 10:01', 'ann', 5), ('2026-03-01 10:08', 'ann', 7), ('2026-03-01 10:12', 'bob', 1)"
JOB = (
    "CREATE TABLE orders (rowtime TIMESTAMP(3), buyer STRING, amount INT, WATERMARK FOR rowtime AS rowtime);"
    "SELECT buyer, SUM(amount) AS total FROM orders GROUP BY buyer;"
)


def main(url: str) -> None:
    spark = SparkSession.builder.remote(url).getOrCreate()
    queries = []
    for line in (FLINK / "queries.jsonl").read_text("utf-8").splitlines():
        script = prepared(f"{TABLES}\n{json.loads(line)['sql']};", "query.sql", FLINK)
        queries.append(list(lowered_query(script, script.queries[0], spark).values()))
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    orders = spark.sql(f"SELECT CAST(col1 AS timestamp_ntz) AS rowtime, col2 AS buyer, col3 AS amount FROM {ORDERS}")
    before = settings(spark)
    sums = keepstate_spark.run(JOB, spark, {"orders": orders})["SELECT #1"].orderBy("buyer").collect()
    baseline = JOB.replace("SUM(amount)", "COUNT(amount)")
    replayed = keepstate_spark.replay_job(JOB, baseline, spark, {"orders": orders}, restart_at="2026-03-01 10:05:00")
    differences = replayed["SELECT #1"].where("restarted_change <> 'same'").select("key", "expected", "restarted")
    w = Tumble.over("1 hour").on("rowtime").alias("w")
    hours = Table(orders).window(w).select(w.start.cast("string"), w.end.cast("string"), fn.sum("amount")).collect()
    found = {
        "queries": queries,
        "kept": settings(spark) == before,
        "sums": [list(row) for row in sums],
        "differences": [[str(value) for value in row] for row in differences.collect()],
        "hours": [list(row) for row in hours],
    }
    json.dump(found, sys.stdout, default=plain)


def settings(spark: SparkSession) -> dict[str, str]:
    return {row.key: row.value for row in spark.sql("SET").collect()}


def plain(value: Any) -> Any:
    assert isinstance(value, Decimal), value
    return float(value)


if __name__ == "__main__":
    main(sys.argv[1])
