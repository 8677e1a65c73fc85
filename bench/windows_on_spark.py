"""The cost of Flink's windows on Spark, beside handwritten queries, and beside other engines.

Windows of 100 keys with three aggregates, over generated Parquet files: by the Table API, and in SQL as `keepstate run`
computes it. The costs are seconds of CPU of the engine with two threads and of this process, which plans queries and
looks for late rows; user and system. The runs take turns, and the cheapest round of each counts: other work on the
machine only ever adds to the cost.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from figures import Figure, Reference
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from keepstate_spark.session import spark_session
from keepstate_spark.sources.column_times import may_be_behind_in_files
from keepstate_spark.table import Slide, Table, Tumble
from processes import children_of, cpu_seconds, peak_memory

ROWS = 10_000_000
SIZES = (1_000_000, 10_000_000, 50_000_000)
STREAM_SIZES = (1_000_000, 10_000_000)
FEWER = 3_000_000
"""For the windows that are dear by hand."""
ROUNDS = 4
THREADS = 2
MILLIS_PER_ROW = 8
"""Ten million rows are not quite a day."""
DELAY = 5_000
"""Milliseconds that the watermark is behind."""
MOST = 1 / 0.9
"""In terms of plain Spark: nine tenths of its throughput."""

MOST_AS_A_STREAM = 1.3
"""In terms of plain Spark, which knows of no late row."""

LATE_WINDOWS = ("TUMBLE", "HOP", "Top-3")
"""Windows that are measured over rows of which some are late."""

AGGREGATION = (
    "SELECT window_start, window_end, k, SUM(v) AS total, COUNT(*) AS n, MAX(v) AS largest "
    "FROM TABLE({}) GROUP BY window_start, window_end, k"
)
MINUTES = "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"

Query = Callable[[SparkSession, Path], DataFrame]
OfRows = Callable[[DataFrame], DataFrame]


def over_files(of_rows: OfRows) -> Query:
    """A query of DataFrames over Parquet files, whose columns Spark looks up."""
    return lambda spark, path: of_rows(spark.read.parquet(str(path)))


def windows() -> Iterator[Figure]:
    """The figures."""
    with (
        tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary,
        spark_session(cores=str(THREADS), settings={"spark.sql.shuffle.partitions": str(THREADS)}) as spark,
    ):
        (jvm,) = children_of(os.getpid(), "java")
        data = {rows: Path(temporary) / str(rows) for rows in sorted((*SIZES, FEWER))}
        for rows, path in data.items():
            generate(spark, rows, path)
        bench = Bench(spark, jvm)
        yield from against_others(bench, data[ROWS])
        yield from other_windows(bench, data[FEWER])
        for rows in STREAM_SIZES:
            yield from as_a_stream(bench, data[rows], rows)
        yield from with_late_rows(bench, Path(temporary) / "late")
        yield from growth(bench, {rows: data[rows] for rows in SIZES})


class Bench:
    """Runs queries in a JVM and tells what they cost it."""

    def __init__(self, spark: SparkSession, jvm: int) -> None:
        self.spark = spark
        self.jvm = jvm

    def costs(self, path: Path, queries: dict[str, Query], rounds: int = ROUNDS) -> dict[str, float]:
        """Least seconds of CPU of each query over the file, computed to the last row and then forgotten."""
        costs: dict[str, list[float]] = {name: [] for name in queries}
        for number in range(rounds + 1):
            # The second run finds a warmer cache, so each is first in turn.
            names = sorted(queries, reverse=bool(number % 2))
            for name in names:
                before = cpu_seconds(self.jvm) + time.process_time()
                rows = queries[name](self.spark, path)
                rows.write.format("noop").mode("overwrite").save()
                costs[name].append(cpu_seconds(self.jvm) + time.process_time() - before)
        return {name: min(spent[1:]) for name, spent in costs.items()}


def generate(spark: SparkSession, rows: int, path: Path, late: bool = False) -> None:
    """Events with keys and amounts, up to four seconds out of order. With ``late`` one of a thousand is two minutes
    behind.
    """
    number = fn.col("id")
    noise = fn.pmod(fn.hash("id"), fn.lit(4000))
    lag = fn.when(fn.lit(late) & (fn.pmod(fn.hash(number + 7), fn.lit(1000)) == 0), 120_000).otherwise(0)
    events = spark.range(0, rows, 1, THREADS).select(
        fn.timestamp_millis(fn.lit(1_770_000_000_000) + number * MILLIS_PER_ROW + noise - lag)
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
    """The same query, written with the knowledge that a window of one minute is a minute."""
    grouped = frame.groupBy(fn.date_trunc("minute", "ts").alias("start"), "k").agg(*aggregates())
    return grouped.withColumn("end", fn.col("start") + fn.expr("interval 1 minute"))


def in_sql(windows: str, path: Path) -> Query:
    """A window aggregation as `keepstate run` computes it where no row comes too late."""
    return query_of(AGGREGATION.format(windows), path, look=False)


def query_of(sql: str, path: Path, look: bool) -> Query:
    """A query as `keepstate run` computes it; with ``look`` it looks first whether a row comes too late."""
    script = prepared(
        f"""CREATE TABLE events (ts TIMESTAMP(6), k INT, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
        WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');
        {sql}""",
        "bench.sql",
        path.parent,
    )
    return lambda spark, _: lowered_query(script, script.queries[0], spark, may_ask=look).rows


def against_others(bench: Bench, path: Path) -> Iterator[Figure]:
    """Ours, by hand, and engines that are not Spark."""
    queries = {
        "ours": over_files(ours),
        "in SQL": in_sql(MINUTES, path),
        "by hand": over_files(by_hand),
        "by minutes": over_files(by_minutes),
    }
    costs = bench.costs(path, queries)
    by_window = Reference("CPU of fn.window by hand", costs["by hand"])
    yield Figure(f"TUMBLE 1 minute, {ROWS:,} rows: CPU of SQL", costs["in SQL"], "s", beside=by_window, most=MOST)
    yield Figure("    CPU of the Table API", costs["ours"], "s", beside=by_window, most=MOST)
    yield Figure("    the same", costs["ours"], "s", beside=Reference("date_trunc by hand", costs["by minutes"]))
    pattern = str(path / "*.parquet")
    for engine, name, run in (("duckdb", "DuckDB", in_duckdb), ("polars", "Polars", in_polars)):
        if find_spec(engine) is None:
            print(f"    {engine} is not installed: `make bench` would bring it")
            continue
        run(pattern)
        other = Reference(f"CPU of {name} on the same file", min(own_cpu(run, pattern) for _ in range(ROUNDS)))
        yield Figure("    the same", costs["ours"], "s", beside=other)


def hand_hop(frame: DataFrame) -> DataFrame:
    return frame.groupBy(fn.window("ts", "1 hour", "5 minutes"), "k").agg(*aggregates())


def hand_cumulate(frame: DataFrame) -> DataFrame:
    day, hour = fn.expr("interval 1 day"), fn.expr("interval 1 hour")
    start = fn.date_trunc("day", "ts")
    ends = fn.sequence(fn.date_trunc("hour", "ts") + hour, start + day, hour)
    windows = frame.select("k", "v", start.alias("start"), fn.explode(ends).alias("end"))
    return windows.groupBy("start", "end", "k").agg(*aggregates())


def hand_session(frame: DataFrame) -> DataFrame:
    return frame.groupBy(fn.session_window("ts", "10 minutes"), "k").agg(*aggregates())


def hand_over(frame: DataFrame) -> DataFrame:
    last = Window.partitionBy("k").orderBy("ts").rowsBetween(-10, Window.currentRow)
    return frame.select("ts", "k", "v", fn.sum("v").over(last).alias("total"))


def hand_top(frame: DataFrame) -> DataFrame:
    best = Window.partitionBy(fn.window("ts", "1 minute"), "k").orderBy(fn.desc("v"))
    return frame.withColumn("r", fn.row_number().over(best)).where("r <= 3")


STREAMS: tuple[tuple[str, str, OfRows], ...] = (
    ("TUMBLE 1 minute", AGGREGATION.format(MINUTES), by_hand),
    (
        "HOP 5 minutes, 1 hour",
        AGGREGATION.format("HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)"),
        hand_hop,
    ),
    (
        "CUMULATE 1 hour, 1 day",
        AGGREGATION.format("CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY)"),
        hand_cumulate,
    ),
    (
        "SESSION 10 minutes",
        AGGREGATION.format("SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"),
        hand_session,
    ),
    (
        "OVER 10 rows",
        "SELECT ts, k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS total "
        "FROM events",
        hand_over,
    ),
    (
        "Top-3 of each minute",
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) AS r "
        f"FROM TABLE({MINUTES})) WHERE r <= 3",
        hand_top,
    ),
)


def other_windows(bench: Bench, path: Path) -> Iterator[Figure]:
    """Windows that overlap, and those that have no grid."""
    hop = Slide.over("1 hour").every("5 minutes").on("ts").alias("w")

    def table_hop(frame: DataFrame) -> DataFrame:
        return Table(frame).window(hop).group_by("w", "k").select("k", hop.start, hop.end, *aggregates())

    compared = (
        ("HOP 5 minutes, 1 hour", "HOP({}, INTERVAL '5' MINUTE, INTERVAL '1' HOUR)", hand_hop, table_hop),
        ("CUMULATE 1 hour, 1 day", "CUMULATE({}, INTERVAL '1' HOUR, INTERVAL '1' DAY)", hand_cumulate, None),
        ("SESSION 10 minutes", "SESSION({}, INTERVAL '10' MINUTE)", hand_session, None),
    )
    for what, windows, by_hand, by_table in compared:
        table = "TABLE events PARTITION BY k" if by_hand is hand_session else "TABLE events"
        queries = {"in SQL": in_sql(windows.format(f"{table}, DESCRIPTOR(ts)"), path), "by hand": over_files(by_hand)}
        if by_table is not None:
            queries["Table API"] = over_files(by_table)
        costs = bench.costs(path, queries, rounds=2)
        hand = Reference("CPU of plain Spark by hand", costs["by hand"])
        yield Figure(f"{what}, {FEWER:,} rows: CPU of SQL", costs["in SQL"], "s", beside=hand, most=MOST)
        if by_table is not None:
            yield Figure("    CPU of the Table API", costs["Table API"], "s", beside=hand, most=MOST)


def as_a_stream(bench: Bench, path: Path, rows: int) -> Iterator[Figure]:
    """Queries as `keepstate run` computes them by default, with the look for late rows, beside plain Spark."""
    for what, sql, by_hand in STREAMS:
        costs = bench.costs(
            path, {"in SQL": query_of(sql, path, look=True), "by hand": over_files(by_hand)}, rounds=ROUNDS
        )
        hand = Reference("CPU of plain Spark by hand", costs["by hand"])
        yield Figure(
            f"{what}, {rows:,} rows: CPU of SQL with the look for late rows",
            costs["in SQL"],
            "s",
            beside=hand,
            most=MOST_AS_A_STREAM,
        )
    files = [str(file) for file in sorted(path.glob("*.parquet"))]
    look = min(own_cpu(lambda _: may_be_behind_in_files(files, "ts", False, DELAY), "") for _ in range(ROUNDS))
    yield Figure("    the look alone, CPU of this process", look, "s")


def with_late_rows(bench: Bench, path: Path) -> Iterator[Figure]:
    """The same of windows where rows do come too late, beside plain Spark, which leaves none of them out."""
    generate(bench.spark, FEWER, path, late=True)
    for what, sql, by_hand in STREAMS:
        if what.startswith(LATE_WINDOWS):
            costs = bench.costs(path, {"in SQL": query_of(sql, path, look=True), "by hand": over_files(by_hand)}, 2)
            hand = Reference("CPU of plain Spark by hand", costs["by hand"])
            yield Figure(f"{what}, {FEWER:,} rows, some late: CPU of SQL", costs["in SQL"], "s", beside=hand)


def growth(bench: Bench, data: dict[int, Path]) -> Iterator[Figure]:
    """Cost and memory by the number of rows."""
    per_million = {}
    for rows, path in data.items():
        began = time.perf_counter()
        cost = bench.costs(path, {"ours": over_files(ours)}, rounds=2)["ours"]
        took = (time.perf_counter() - began) / 3
        per_million[rows] = cost / rows * 1_000_000
        smallest = Reference(f"at {min(data):,} rows", per_million[min(data)])
        most = 1.2 if rows == max(data) else None
        yield Figure(
            f"TUMBLE 1 minute, {rows:,} rows: CPU per million", per_million[rows], "s", beside=smallest, most=most
        )
        yield Figure("    million rows per second of the clock", rows / took / 1_000_000)
    yield Figure(f"    most memory of the JVM, {max(data):,} rows", peak_memory(bench.jvm), "MB", 2000)


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


def own_cpu(run: Callable[[str], object], pattern: str) -> float:
    """Seconds of CPU of this process, all threads."""
    before = time.process_time()
    run(pattern)
    return time.process_time() - before
