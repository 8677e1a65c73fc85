"""The time to the first result of `keepstate run`, beside a bare SparkSession that counts the same rows, and to a
result of a warm session.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, Reference
from measuring import child_cpu
from processes import cpu_seconds

ROWS = 1000
MANY_ROWS = 100_000
ROUNDS = 3
ARCHIVE_SECONDS = 600

QUERY = """
CREATE TABLE orders (id BIGINT, buyer STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'orders.csv', 'format' = 'csv');
SELECT {select} FROM {source};
"""
MINUTES = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, buyer"
METRICS = "window_start, buyer, COUNT(*) AS n"
KEEPSTATE = [sys.executable, "-m", "keepstate_lsp.cli.main"]
BARE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
orders = spark.read.schema("id bigint, buyer string, amount decimal(10, 2), ts timestamp_ntz").csv("orders.csv")
print(orders.count())
"""


def starts() -> Iterator[Figure]:
    """The figures: seconds of the clock, of the best of some rounds that take turns."""
    with tempfile.TemporaryDirectory(prefix="ks-") as temporary:
        folder = Path(temporary)
        write_rows(folder / "orders.csv", ROWS)
        (folder / "bare.py").write_text(BARE)
        (folder / "count.sql").write_text(QUERY.format(select="COUNT(*)", source="orders"))
        (folder / "windows.sql").write_text(QUERY.format(select=f"{METRICS}, SUM(amount) AS total", source=MINUTES))
        commands = {
            "bare": [sys.executable, "bare.py"],
            "count": [*KEEPSTATE, "run", "count.sql"],
            "windows": [*KEEPSTATE, "run", "windows.sql"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                took[name].append(seconds(command, folder, {"KEEPSTATE_WARM": "0"}))
        best = {name: min(times) for name, times in took.items()}
        bare = Reference("a bare SparkSession that counts them", best["bare"])
        yield Figure(f"`keepstate run`, {ROWS:,} rows: COUNT(*)", best["count"], "s", beside=bare, most=1.3)
        yield Figure("    a window aggregation of them", best["windows"], "s", beside=bare, most=1.3)
        yield from warm_runs(folder)
        yield from first_runs(folder)


def warm_runs(folder: Path) -> Iterator[Figure]:
    """Commands over more rows that a warm session answers: the first one starts it."""
    write_rows(folder / "orders.csv", MANY_ROWS)
    for name, metrics in (("job", f"{METRICS}, SUM(amount) AS total"), ("former", METRICS)):
        query = QUERY.format(select=metrics, source=MINUTES).replace("SELECT", "INSERT INTO results SELECT")
        (folder / f"{name}.sql").write_text(query)
    (folder / "run").mkdir(mode=0o700)
    (folder / "cache").mkdir()
    warm = {"KEEPSTATE_WARM": "1", "XDG_RUNTIME_DIR": str(folder / "run"), "XDG_CACHE_HOME": str(folder / "cache")}
    run = [*KEEPSTATE, "run", "job.sql"]
    replay = [*KEEPSTATE, "replay", "job.sql", "--against", "file:former.sql", "--quiet", "--no-witness"]
    replay += ["--restart-at", "2026-03-01 12:00:30"]
    try:
        first = seconds(run, folder, warm)
        second = min(seconds(run, folder, warm) for _ in range(ROUNDS))
        replayed = min(seconds(replay, folder, warm) for _ in range(ROUNDS + 1))
        status = [*KEEPSTATE, "spark", "status", "--format", "json"]
        answer = subprocess.run(status, env={**os.environ, **warm}, capture_output=True, text=True, check=True).stdout
        (session,) = json.loads(answer)["sessions"]
        before = cpu_seconds(session["jvm"])
        seconds(run, folder, warm)
        spent = cpu_seconds(session["jvm"]) - before
        before = cpu_seconds(session["jvm"])
        seconds(replay, folder, warm)
        spent_on_replay = cpu_seconds(session["jvm"]) - before
    finally:
        seconds([*KEEPSTATE, "spark", "stop"], folder, warm)
    yield Figure(f"`keepstate run` that starts a warm session, {MANY_ROWS:,} rows", first, "s", 5)
    yield Figure("    a second one", second, "s", 2)
    yield Figure("    its CPU in the JVM", spent, "s")
    yield Figure("`keepstate replay` in the warm session", replayed, "s", 2)
    yield Figure("    its CPU in the JVM", spent_on_replay, "s", 1.5)


def first_runs(folder: Path) -> Iterator[Figure]:
    """A first run of all rows, from an archive of Java's classes and without: CPU of the JVM and of Python."""
    run = [*KEEPSTATE, "run", "job.sql"]
    cold = {"KEEPSTATE_WARM": "0", "XDG_CACHE_HOME": str(folder / "no-archive")}
    from_archive = {**cold, "XDG_CACHE_HOME": str(folder / "archive")}
    (folder / "sessions").mkdir(mode=0o700)
    # A session that ends by itself writes the archive.
    session = {"KEEPSTATE_WARM": "1", "KEEPSTATE_WARM_IDLE": "1", "XDG_RUNTIME_DIR": str(folder / "sessions")}
    seconds(run, folder, {**from_archive, **session})
    end = time.monotonic() + ARCHIVE_SECONDS
    while not (archives := list((folder / "archive").rglob("*.jsa"))):
        assert time.monotonic() < end, "no archive was written"
        # The JVM of the session writes it for a minute, and no process is left that would say when.
        time.sleep(1)
    costs: dict[str, list[float]] = {"with": [], "without": []}
    for _ in range(ROUNDS):
        costs["with"].append(child_cpu(run, folder, from_archive))
        costs["without"].append(child_cpu(run, folder, cold))
    without = Reference("without the archive", min(costs["without"]))
    what = f"first `keepstate run`, {MANY_ROWS:,} rows: CPU from an archive of classes"
    yield Figure(what, min(costs["with"]), "s", beside=without, most=0.8)
    yield Figure("    the archive", archives[0].stat().st_size / 1e6, "MB")


def write_rows(path: Path, number: int) -> None:
    """Orders of a day, in the order of their times."""
    times = (row * 86_400 // number for row in range(number))
    days = (f"2026-03-01 {time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}" for time in times)
    path.write_text("".join(f"{row},b{row % 10},{row}.50,{ts}\n" for row, ts in enumerate(days)))


def seconds(command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Seconds of the clock that a command takes."""
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - began
