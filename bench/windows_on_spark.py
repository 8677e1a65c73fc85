"""What Flink's windows cost on Spark, beside the query that one would write by hand, and beside other engines.

One minute windows of 100 keys with three aggregates, over a Parquet file that is generated here. The costs are seconds
of CPU of whoever computes, user and system, with two threads; the queries take turns.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark.session import spark_session
from keepstate_spark.table import Cumulate, Slide, Table, Tumble
from processes import children_of, cpu_seconds, peak_memory

ROWS = 10_000_000
SIZES = (1_000_000, 10_000_000, 50_000_000)
ROUNDS = 5
THREADS = 2
MILLIS_PER_ROW = 8
"""Ten million rows are not quite a day."""
THROUGHPUT = 0.9

Line = tuple[str, float, str, float | None]
"""What, value, unit, budget."""
Query = Callable[[DataFrame], DataFrame]


def lines() -> Iterator[Line]:
    """The lines of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary,
        spark_session(cores=str(THREADS), settings={"spark.sql.shuffle.partitions": str(THREADS)}) as spark,
    ):
        (jvm,) = children_of(os.getpid(), "java")
        data = {rows: Path(temporary) / str(rows) for rows in SIZES}
        for rows, path in data.items():
            generate(spark, rows, path)
        bench = Bench(spark, jvm)
        yield from against_others(bench, data[ROWS])
        yield from other_windows(bench, data[ROWS])
        yield from growth(bench, data)


class Bench:
    """Runs queries in a JVM and tells what they cost it."""

    def __init__(self, spark: SparkSession, jvm: int) -> None:
        self.spark = spark
        self.jvm = jvm

    def costs(self, path: Path, queries: dict[str, Query], rounds: int = ROUNDS) -> dict[str, float]:
        """Median seconds of CPU of each query over the file, computed to the last row and then forgotten."""
        costs: dict[str, list[float]] = {name: [] for name in queries}
        for number in range(rounds + 1):
            # Whoever comes second finds a warmer cache, so each is first in turn.
            names = sorted(queries, reverse=bool(number % 2))
            for name in names:
                before = cpu_seconds(self.jvm)
                rows = queries[name](self.spark.read.parquet(str(path)))
                rows.write.format("noop").mode("overwrite").save()
                costs[name].append(cpu_seconds(self.jvm) - before)
        return {name: statistics.median(spent[1:]) for name, spent in costs.items()}


def generate(spark: SparkSession, rows: int, path: Path) -> None:
    """Events with keys and amounts, up to four seconds out of order."""
    number = fn.col("id")
    noise = fn.pmod(fn.hash("id"), fn.lit(4000))
    events = spark.range(0, rows, 1, THREADS).select(
        fn.timestamp_millis(fn.lit(1_770_000_000_000) + number * MILLIS_PER_ROW + noise)
        .cast("timestamp_ntz")
        .alias("ts"),
        fn.pmod(fn.hash(number + 1), fn.lit(100)).alias("k"),
        fn.pmod(fn.hash(number + 2), fn.lit(100_000)).cast("bigint").alias("v"),
    )
    events.write.parquet(str(path))


def aggregates() -> list[Any]:
    """The three."""
    return [fn.sum("v").alias("total"), fn.count("*").alias("n"), fn.max("v").alias("largest")]


def ours(frame: DataFrame) -> DataFrame:
    """TUMBLE of one minute, by key."""
    w = Tumble.over("1 minute").on("ts").alias("w")
    return Table(frame).window(w).group_by("w", "k").select("k", w.start, w.end, *aggregates())


def by_hand(frame: DataFrame) -> DataFrame:
    """The same with Spark's own window."""
    grouped = frame.groupBy(fn.window("ts", "1 minute").alias("w"), "k").agg(*aggregates())
    return grouped.select("k", "w.start", "w.end", "total", "n", "largest")


def by_minutes(frame: DataFrame) -> DataFrame:
    """The same by somebody who knows that a window of one minute is a minute."""
    grouped = frame.groupBy(fn.date_trunc("minute", "ts").alias("start"), "k").agg(*aggregates())
    return grouped.withColumn("end", fn.col("start") + fn.expr("interval 1 minute"))


def against_others(bench: Bench, path: Path) -> Iterator[Line]:
    """Ours, by hand, and engines that are not Spark."""
    costs = bench.costs(path, {"ours": ours, "by hand": by_hand, "by minutes": by_minutes})
    yield (
        f"TUMBLE 1 minute, {ROWS:,} rows: cost / fn.window by hand",
        costs["ours"] / costs["by hand"],
        "x",
        1 / THROUGHPUT,
    )
    yield "    cost / date_trunc by hand", costs["ours"] / costs["by minutes"], "x", None
    yield "    CPU of ours", costs["ours"], "s", None
    yield "    CPU of fn.window", costs["by hand"], "s", None
    yield "    CPU of date_trunc", costs["by minutes"], "s", None
    pattern = str(path / "*.parquet")
    for engine, run in (("duckdb", in_duckdb), ("polars", in_polars)):
        if find_spec(engine) is None:
            print(f"    {engine} is not installed; pip install 'keepstate[bench]' brings it")
            continue
        run(pattern)
        spent = [own_cpu(run, pattern) for _ in range(ROUNDS)]
        yield f"    CPU of {engine} on the same file", statistics.median(spent), "s", None


def other_windows(bench: Bench, path: Path) -> Iterator[Line]:
    """Windows that overlap."""
    slide = Slide.over("1 hour").every("5 minutes").on("ts").alias("w")
    grown = Cumulate.over("1 day").every("1 hour").on("ts").alias("w")

    def slid(frame: DataFrame) -> DataFrame:
        return Table(frame).window(slide).group_by("w", "k").select("k", slide.start, *aggregates())

    def slid_by_hand(frame: DataFrame) -> DataFrame:
        return frame.groupBy(fn.window("ts", "1 hour", "5 minutes"), "k").agg(*aggregates())

    def cumulated(frame: DataFrame) -> DataFrame:
        return Table(frame).window(grown).group_by("w", "k").select("k", grown.end, *aggregates())

    costs = bench.costs(path, {"slid": slid, "by hand": slid_by_hand, "cumulated": cumulated}, rounds=2)
    yield "HOP 5 minutes, 1 hour: cost / fn.window by hand", costs["slid"] / costs["by hand"], "x", 1 / THROUGHPUT
    yield "    CPU of ours", costs["slid"], "s", None
    yield "CUMULATE 1 hour, 1 day: CPU", costs["cumulated"], "s", None


def growth(bench: Bench, data: dict[int, Path]) -> Iterator[Line]:
    """How cost and memory follow the number of rows."""
    per_million = {}
    for rows, path in data.items():
        began = time.perf_counter()
        cost = bench.costs(path, {"ours": ours}, rounds=2)["ours"]
        took = (time.perf_counter() - began) / 3
        per_million[rows] = cost / rows * 1_000_000
        yield f"TUMBLE 1 minute, {rows:,} rows: CPU per million", per_million[rows], "s", None
        yield "    rows per second of the clock", rows / took / 1_000_000, "M", None
    smallest, largest = min(data), max(data)
    ratio = per_million[largest] / per_million[smallest]
    yield f"    a row of {largest:,} / a row of {smallest:,}", ratio, "x", 1.2
    yield f"    most memory of the JVM, {largest:,} rows", peak_memory(bench.jvm), "MB", 2000


def in_duckdb(pattern: str) -> None:
    """The same in DuckDB."""
    connection = import_module("duckdb").connect()
    connection.execute(f"SET threads = {THREADS}")
    connection.execute("SET enable_progress_bar = false")
    connection.execute(
        "CREATE TEMP TABLE result AS SELECT date_trunc('minute', ts) AS w, k, sum(v), count(*), max(v) "
        "FROM read_parquet(?) GROUP BY w, k",
        [pattern],
    )
    connection.close()


def in_polars(pattern: str) -> None:
    """The same in Polars."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))
    pl = import_module("polars")
    v = pl.col("v")
    grouped = pl.scan_parquet(pattern).group_by(pl.col("ts").dt.truncate("1m"), "k")
    grouped.agg(v.sum().alias("total"), pl.len().alias("n"), v.max().alias("largest")).collect()


def own_cpu(run: Callable[[str], None], pattern: str) -> float:
    """Seconds of CPU of this process, all threads."""
    before = time.process_time()
    run(pattern)
    return time.process_time() - before
