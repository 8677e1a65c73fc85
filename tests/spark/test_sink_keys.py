"""The rows that a sink with a primary key keeps of window Top-N, as Flink 2.3.0 left them in an upserting sink."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

TICKETS = (
    ("a", 5, "00:01"),
    ("b", 7, "00:20"),
    ("a", 9, "03:00"),
    ("c", 4, "07:00"),
    ("b", 1, "11:00"),
    ("a", 2, "12:00"),
    ("a", 3, "13:00"),
    ("c", 8, "31:00"),
)
SOURCE = (
    "CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    "WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');"
)
SINK = "CREATE TABLE s ({}, PRIMARY KEY ({}) NOT ENFORCED) WITH ('connector' = '{}');"
COLUMNS = "we TIMESTAMP(3), k STRING, v INT, r BIGINT"
WINDOWS = {
    "tumble": "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE)",
    "hop": "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)",
    "cumulate": "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)",
}
QUERIES = {"rank": ("r", "", "r <= 2"), "part": ("k, r", ", k", "r <= 2"), "one": ("k", ", k", "r = 1")}
"""The primary key of the sink, more partition keys, and the numbers that stay."""
ROWS = {
    ("cumulate", "one"): [
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("cumulate", "part"): [
        ["00:20", "a", 2, 2],
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("cumulate", "rank"): [
        ["00:20", "a", 2, 2],
        ["00:40", "c", 8, 1],
    ],
    ("hop", "one"): [
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("hop", "part"): [
        ["00:20", "a", 2, 2],
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("hop", "rank"): [
        ["00:20", "a", 2, 2],
        ["00:40", "c", 8, 1],
    ],
    ("tumble", "one"): [
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("tumble", "part"): [
        ["00:20", "a", 2, 2],
        ["00:20", "a", 3, 1],
        ["00:20", "b", 1, 1],
        ["00:40", "c", 8, 1],
    ],
    ("tumble", "rank"): [
        ["00:20", "a", 2, 2],
        ["00:40", "c", 8, 1],
    ],
}
"""The end of the window in the hour, key, value and number."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = (f'{{"k": "{k}", "v": {v}, "ts": "2026-01-01 00:{ts}"}}\n' for k, v, ts in TICKETS)
    (tmp_path / "t.json").write_text("".join(lines), "utf-8")
    return tmp_path


def ranked(window: str, partition: str, rows: str, columns: str = "window_end, k, v, r") -> str:
    number = f"ROW_NUMBER() OVER (PARTITION BY window_start, window_end{partition} ORDER BY v DESC) AS r"
    return f"INSERT INTO s SELECT {columns} FROM (SELECT *, {number} FROM TABLE({WINDOWS[window]})) WHERE {rows};"


def kept_rows(sql: str, folder: Path, spark: SparkSession) -> Sequence[Sequence[Any]]:
    script = prepared(SOURCE + sql, "job.sql", folder, {})
    return list(lowered_query(script, script.queries[0], spark).values())


@pytest.mark.parametrize(("window", "query"), ROWS)
def test_the_row_of_the_last_window_stays(window: str, query: str, folder: Path, spark: SparkSession) -> None:
    key, partition, rows = QUERIES[query]
    sink = SINK.format(COLUMNS, key, "jdbc")
    found = kept_rows(sink + ranked(window, partition, rows), folder, spark)
    assert sorted([str(end)[14:19], *rest] for end, *rest in found) == [
        [f"{end[3:]}:00", *rest] for end, *rest in ROWS[window, query]
    ]


def test_a_print_connector_shows_the_rows_of_all_windows(folder: Path, spark: SparkSession) -> None:
    sink = SINK.format(COLUMNS, "k, r", "print")
    assert len(kept_rows(sink + ranked("tumble", ", k", "r <= 2"), folder, spark)) == len(TICKETS)


ENDLESS = SINK.format("k STRING, v INT, r BIGINT", "k, r", "jdbc")


@pytest.mark.parametrize(
    "insert",
    [
        ENDLESS + ranked("tumble", ", k", "r <= 2", "k, v, r"),
        ENDLESS + "INSERT INTO s SELECT k, v, 1 FROM t;",
    ],
    ids=["no time of the window", "rows of a source"],
)
def test_other_rows_with_one_key_end_the_query(insert: str, folder: Path, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"Several rows have one PRIMARY KEY \(k, r\)\. Which one the sink keeps"):
        kept_rows(insert, folder, spark)


def test_rows_with_keys_of_their_own_are_kept(folder: Path, spark: SparkSession) -> None:
    sink = SINK.format("v INT, k STRING", "v", "jdbc")
    assert len(kept_rows(f"{sink} INSERT INTO s SELECT v, k FROM t;", folder, spark)) == len(TICKETS)
