"""Late rows of windows: found in the files and sent to Spark one by one, they are those that Spark finds itself."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.lateness import LateRows
from keepstate_spark.running import lowered_query
from keepstate_spark.sources import scanning
from keepstate_spark.sources.column_times import BehindRow, behind_in_files

FILES = int(os.environ.get("LATE_FILES", "1"))
"""Generated sets of files; a longer search is LATE_FILES=20 pytest tests/spark/test_rows_behind.py."""
BEGIN = 1_772_323_200_000
"""2026-03-01 00:00, in milliseconds."""
GROUPS = "SELECT window_start, window_end, k, {} FROM TABLE({}) {} GROUP BY window_start, window_end, k"
SUMS = "SUM(v) AS s, COUNT(*) AS c, MAX(id) AS m"
TUMBLE = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '20' SECOND)"
QUERIES = {
    "TUMBLE": GROUPS.format(SUMS, TUMBLE, ""),
    "HOP": GROUPS.format(SUMS, "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)", ""),
    "CUMULATE": GROUPS.format(SUMS, "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)", ""),
    "a filter": GROUPS.format(SUMS, TUMBLE, "WHERE v > 3"),
    "a window in GROUP BY": f"SELECT k, {SUMS} FROM t GROUP BY k, TUMBLE(ts, INTERVAL '20' SECOND)",
    "the order of rows": GROUPS.format("FIRST_VALUE(id) AS f, LAST_VALUE(id) AS l", TUMBLE, ""),
    "Top-2": "SELECT k, id, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k "
    f"ORDER BY v DESC) AS r FROM TABLE({TUMBLE})) WHERE r <= 2",
    "the first row": "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS r FROM t) "
    "WHERE r = 1",
    "windows of windows": "SELECT window_start, SUM(s) AS s FROM TABLE(TUMBLE((SELECT window_time AS rt, SUM(v) AS s "
    f"FROM TABLE({TUMBLE}) GROUP BY window_start, window_end, window_time), DESCRIPTOR(rt), INTERVAL '60' SECOND)) "
    "GROUP BY window_start, window_end",
}
OTHERS = {
    "SESSION": "SELECT k, COUNT(*) AS c FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), "
    "INTERVAL '3' SECOND)) GROUP BY window_start, window_end, k",
    "OVER": "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS s FROM t",
}
TYPES = {
    "TIMESTAMP(6)": ("us", None),
    "TIMESTAMP(3)": ("ms", None),
    "TIMESTAMP(0)": ("us", None),
    "TIMESTAMP_LTZ(3)": ("ms", "UTC"),
}


def written(folder: Path, seed: int, unit: str, zone: str | None, begin: int = BEGIN) -> None:
    """Files of rows out of order, few rows in a group; some have no time."""
    chance, number = random.Random(seed), 0
    for file in range(chance.randint(1, 4)):
        times: list[int | None] = []
        rows = chance.choice([0, 1, 40, 90]) if file else 90
        for _ in range(rows):
            late = chance.choice([0, 0, 0, 0, 0, 15_000, 60_000])
            time = begin + number * 400 + chance.randint(-3000, 3000) - late
            times.append(None if chance.random() < 0.05 else time * (1 if unit == "ms" else 1000))
            number += 1
        columns = {
            "ts": pa.array(times, pa.int64()).cast(pa.timestamp(unit, zone)),
            "k": pa.array([chance.choice("ab") for _ in times], pa.string()),
            "v": pa.array([chance.randint(0, 9) for _ in times], pa.int32()),
            "id": pa.array(range(number - rows, number), pa.int32()),
        }
        parquet.write_table(pa.table(columns), folder / f"part-{file}.parquet", row_group_size=7)


Answer = tuple[Counter[tuple[Any, ...]], list[LateRows]]


def answer(
    sql: str, type_: str, folder: Path, spark: SparkSession, drops_late: bool = True, zone: str = "UTC", delay: int = 5
) -> Answer:
    script = prepared(
        f"SET 'table.local-time-zone' = '{zone}'; CREATE TABLE t (ts {type_}, k STRING, v INT, id INT, WATERMARK FOR "
        f"ts AS ts - INTERVAL '{delay}' SECOND) WITH ('connector' = 'filesystem', 'path' = '{folder}', "
        f"'format' = 'parquet'); {sql};",
        "job.sql",
        folder,
    )
    query = lowered_query(script, script.queries[0], spark, drops_late=drops_late)
    rows = Counter(tuple(row) for row in query.rows.collect())
    return rows, query.late_rows()


class Finder:
    """The rows that are found in the files, of each call."""

    def __init__(self) -> None:
        self.answers: list[list[BehindRow] | None] = []

    def __call__(self, *arguments: Any) -> list[BehindRow] | None:
        self.answers.append(behind_in_files(*arguments))
        return self.answers[-1]


def both(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **options: Any) -> tuple[Answer, Answer, Finder]:
    """The answer with the rows that are found in the files, and that of Spark alone."""
    finder = Finder()
    monkeypatch.setattr(scanning, "behind_in_files", finder)
    ours = answer(*arguments, **options)
    monkeypatch.setattr(scanning, "behind_in_files", lambda *_: None)
    return ours, answer(*arguments, **options), finder


@pytest.mark.parametrize("seed", range(FILES))
@pytest.mark.parametrize("name", QUERIES)
def test_the_same_rows_are_late(
    name: str, seed: int, session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = [*QUERIES].index(name) + seed
    type_ = [*TYPES][number % len(TYPES)]
    written(tmp_path, number, *TYPES[type_])
    drops = number % 3 != 2
    ours, of_spark, finder = both(monkeypatch, QUERIES[name], type_, tmp_path, session, drops_late=drops)
    assert ours == of_spark
    assert finder.answers[0]
    assert ours[1], "no row is late"


@pytest.mark.parametrize("name", ["TUMBLE", "Top-2"])
def test_rows_are_few(name: str, session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, 1, "us", None)
    monkeypatch.setattr(scanning, "_MOST_BEHIND", 3)
    ours, of_spark, finder = both(monkeypatch, QUERIES[name], "TIMESTAMP(6)", tmp_path, session)
    assert ours == of_spark
    assert finder.answers == [None]


@pytest.mark.parametrize("name", OTHERS)
def test_what_depends_on_other_rows_is_left_to_spark(
    name: str, session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, 1, "us", None)
    ours, of_spark, finder = both(monkeypatch, OTHERS[name], "TIMESTAMP(6)", tmp_path, session)
    assert ours == of_spark
    assert not finder.answers


def test_zones_are_left_to_spark(session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, 1, "ms", "UTC")
    given: Sequence[Any] = (QUERIES["TUMBLE"], "TIMESTAMP_LTZ(3)", tmp_path, session)
    ours, of_spark, finder = both(monkeypatch, *given, zone="Europe/Berlin")
    assert ours == of_spark
    assert not finder.answers


def test_times_before_1970_are_left_to_spark(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, 3, "us", None, begin=-5000)
    ours, of_spark, finder = both(monkeypatch, QUERIES["TUMBLE"], "TIMESTAMP(6)", tmp_path, session)
    assert ours == of_spark
    assert finder.answers == [None]


def test_a_delay_of_nothing(session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, 1, "us", None)
    ours, of_spark, finder = both(monkeypatch, QUERIES["TUMBLE"], "TIMESTAMP(6)", tmp_path, session, delay=0)
    assert ours == of_spark
    assert finder.answers[0]


@pytest.mark.parametrize("seed", range(60))
def test_rows_behind_are_those_of_a_loop(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    unit, zone = chance.choice([("ms", None), ("us", "UTC"), ("us", None)])
    written(tmp_path, seed, unit, zone, begin=chance.choice([BEGIN, 200_000]))
    step, delay = chance.choice([1, 10, 1000]), chance.choice([0, 500, 5000])
    paths = sorted(map(str, tmp_path.glob("*.parquet")))
    expected, reached = [], -(2**60)
    for file, path in enumerate(paths):
        for line, value in enumerate(parquet.read_table(path)["ts"].to_pylist()):
            if value is None:
                continue
            time = round((value.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds() * 1000) // step * step
            if reached > 0 and time <= reached:
                expected.append(BehindRow(file, line, reached))
            reached = max(reached, time - delay)
    assert behind_in_files(paths, "ts", zone is not None, delay, step, len(expected)) == expected
    if expected:
        assert behind_in_files(paths, "ts", zone is not None, delay, step, len(expected) - 1) is None
