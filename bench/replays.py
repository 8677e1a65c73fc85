"""The cost of a replay beside the current query alone, over generated Parquet files.

The costs are seconds of CPU of the JVM, with two threads, and of this process, which plans queries and reads times: of
the query to its last row, and of the whole replay. The runs take turns, and the cheapest round of each counts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from time import process_time

from pyspark.sql import SparkSession

from figures import Figure, Reference
from keepstate import JobVersion, analyse
from keepstate_spark.jobs import RunnableScript, prepared
from keepstate_spark.replay.replaying import ReplayTask, replay, sweep_job
from keepstate_spark.running import lowered_query
from keepstate_spark.session import spark_session
from processes import children_of, cpu_seconds, peak_memory
from windows_on_spark import MILLIS_PER_ROW, THREADS, generate

SIZES = (1_000_000, 3_000_000, 10_000_000, 50_000_000)
SWEPT = 10_000_000
ROUNDS = 3
MOST = 1.3
MOST_WITHOUT_WINDOWS = 2
"""Unbounded aggregations and rankings: a row costs hardly anything in the former, and is ranked in each world in the
latter.
"""
KEPT_ROWS = 100_000
BEGIN = datetime(2026, 2, 2, 2, 40)
"""Begin of the generated rows."""
MINUTE = "FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, k"
HOURS = (
    "FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)) "
    "GROUP BY window_start, window_end, k"
)
RANKING = "Top-3 of 100 keys"
QUERIES = {
    "TUMBLE 1 minute": f"SELECT window_start, window_end, k, {{}} {MINUTE}",
    "HOP 5 minutes, 1 hour": f"SELECT window_start, window_end, k, {{}} {HOURS}",
    "GROUP BY without windows": "SELECT k, {} FROM events GROUP BY k",
    RANKING: "SELECT * FROM (SELECT k, {}, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM events) "
    "WHERE r <= 3",
}
FORMER, NOW = "SUM(v) AS total, COUNT(*) AS n", "SUM(v) AS total, COUNT(*) AS n, MAX(v) AS largest"
FORMER_ROWS, ROWS_NOW = "v", "v, ts"
"""Columns of the rows that are ranked."""


def replays() -> Iterator[Figure]:
    """Replays of restarts, all of what one does but the tests of claims and the witness"""
    with (
        tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary,
        spark_session(cores=str(THREADS), settings={"spark.sql.shuffle.partitions": str(THREADS)}) as spark,
    ):
        (jvm,) = children_of(os.getpid(), "java")
        for rows in SIZES:
            path = Path(temporary) / str(rows)
            generate(spark, rows, path)
            for what, query in QUERIES.items():
                yield from beside_the_query(spark, jvm, path, rows, what, query)
        yield Figure("most memory of the JVM", peak_memory(jvm), "MB", 2000)
        yield from in_a_kept_session(spark, jvm, Path(temporary) / "kept")


def in_a_kept_session(spark: SparkSession, jvm: int, path: Path) -> Iterator[Figure]:
    """A replay of rows that a person waits for, in a session that has run one before."""
    generate(spark, KEPT_ROWS, path)
    former, now = (_text(QUERIES["TUMBLE 1 minute"].format(metrics), path) for metrics in (FORMER, NOW))
    script = prepared(now, "bench.sql", path.parent)
    time = BEGIN + timedelta(milliseconds=KEPT_ROWS * MILLIS_PER_ROW // 2)
    restart = analyse(JobVersion(now), JobVersion(former)).restart()

    def replayed(witness: bool) -> None:
        moment = str(time.replace(microsecond=0))
        (found,) = replay(ReplayTask(script, None, restart, moment, witness=witness), spark, lambda _: None)
        assert found.figures is not None and found.figures.results, found.skipped

    costs = _costs(jvm, {"figures": lambda: replayed(False), "witness": lambda: replayed(True)})
    what = f"a replay of {KEPT_ROWS:,} rows in a kept session: CPU of its figures"
    yield Figure(what, costs["figures"], "s", 1.5)
    yield Figure("    with the witness", costs["witness"], "s", 3)


def beside_the_query(spark: SparkSession, jvm: int, path: Path, rows: int, what: str, query: str) -> Iterator[Figure]:
    """One query alone, and a replay of it in the middle of its rows."""
    columns = (FORMER_ROWS, ROWS_NOW) if what == RANKING else (FORMER, NOW)
    former, now = (_text(query.format(column), path) for column in columns)
    script = prepared(now, "bench.sql", path.parent)
    time = BEGIN + timedelta(milliseconds=rows * MILLIS_PER_ROW // 2)
    restart = analyse(JobVersion(now), JobVersion(former)).restart()
    request = ReplayTask(script, None, restart, str(time.replace(microsecond=0)), witness=False)

    def alone() -> None:
        _whole(script, spark)

    def replayed() -> None:
        (found,) = replay(request, spark, lambda _: None)
        assert found.figures is not None and found.figures.results, found.skipped

    def swept() -> None:
        (found,) = sweep_job(request, timedelta(hours=1), spark, lambda _: None)
        assert found.points, found.skipped

    costs = _costs(jvm, {"alone": alone, "replayed": replayed})
    query_alone = Reference("CPU of the query alone", costs["alone"])
    most = MOST if "TABLE(" in query else MOST_WITHOUT_WINDOWS
    yield Figure(f"{what}, {rows:,} rows: CPU of a replay", costs["replayed"], "s", beside=query_alone, most=most)
    if rows == SWEPT and "TUMBLE" in what:
        cost = _costs(jvm, {"swept": swept}, rounds=1)["swept"]
        yield Figure("    sweep of all hours", cost, "s", beside=query_alone)


def _text(query: str, path: Path) -> str:
    return (
        "CREATE TABLE events (ts TIMESTAMP(6), k INT, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');\nINSERT INTO s {query};"
    )


def _whole(script: RunnableScript, spark: SparkSession) -> None:
    # As `run` computes it. Unless it may ask, a query of a small table looks for late rows itself, which may cost ten
    # times as much.
    rows = lowered_query(script, script.queries[0], spark).rows
    rows.write.format("noop").mode("overwrite").save()


def _costs(jvm: int, work: dict[str, Callable[[], None]], rounds: int = ROUNDS) -> dict[str, float]:
    """Least seconds of CPU of each piece of work, the first round left out."""
    costs: dict[str, list[float]] = {name: [] for name in work}
    for number in range(rounds + 1):
        for name in sorted(work, reverse=bool(number % 2)):
            before = cpu_seconds(jvm) + process_time()
            work[name]()
            costs[name].append(cpu_seconds(jvm) + process_time() - before)
    return {name: min(spent[1:]) for name, spent in costs.items()}
