"""The time to the first result of `keepstate run`, beside a bare SparkSession that counts the same rows."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, Reference

ROWS = 1000
ROUNDS = 3

QUERY = """
CREATE TABLE orders (id BIGINT, buyer STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'orders.csv', 'format' = 'csv');
SELECT {select} FROM {source};
"""
MINUTES = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, buyer"
BARE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
orders = spark.read.schema("id bigint, buyer string, amount decimal(10, 2), ts timestamp_ntz").csv("orders.csv")
print(orders.count())
"""


def starts() -> Iterator[Figure]:
    """The figures: seconds of the clock, of the best of some rounds that take turns."""
    with tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary:
        folder = Path(temporary)
        days = (f"2026-03-01 {number // 60 % 24:02}:{number % 60:02}:00" for number in range(ROWS))
        rows = (f"{number},b{number % 10},{number}.50,{ts}\n" for number, ts in enumerate(days))
        (folder / "orders.csv").write_text("".join(rows))
        (folder / "bare.py").write_text(BARE)
        (folder / "count.sql").write_text(QUERY.format(select="COUNT(*)", source="orders"))
        (folder / "windows.sql").write_text(
            QUERY.format(select="window_start, buyer, COUNT(*) AS n, SUM(amount) AS total", source=MINUTES)
        )
        run = [sys.executable, "-m", "keepstate_lsp.cli.main", "run"]
        commands = {
            "bare": [sys.executable, "bare.py"],
            "count": [*run, "count.sql"],
            "windows": [*run, "windows.sql"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                began = time.perf_counter()
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                took[name].append(time.perf_counter() - began)
                assert done.returncode == 0, done.stderr
        best = {name: min(times) for name, times in took.items()}
    bare = Reference("a bare SparkSession that counts them", best["bare"])
    yield Figure(f"`keepstate run`, {ROWS:,} rows: COUNT(*)", best["count"], "s", beside=bare, most=1.3)
    yield Figure("    a window aggregation of them", best["windows"], "s", beside=bare, most=1.3)
