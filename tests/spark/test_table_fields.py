"""FLIP-11 beyond windows: keys before and after them, and their fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.table import SessionRows, Slide, SlideRows, Table, Tumble, TumbleRows
from spark_rows import frame_of, rows_of

ROWS = [(1, "a", "00:01"), (2, "b", "00:02"), (3, "a", "00:04"), (4, "a", "00:09"), (5, "b", "00:11")]


@pytest.fixture
def few(spark: SparkSession, tmp_path: Path) -> DataFrame:
    lines = [(id_, k, f"2020-01-01 10:{time}") for id_, k, time in ROWS]
    return frame_of(spark, tmp_path, "id int, k string, ts timestamp_ntz", lines)


def texts(frame: DataFrame) -> list[str]:
    """Rows in words: of times the minute and the second, with milliseconds where there are some."""
    return [" ".join(str(value).removeprefix("2020-01-01 10:") for value in row) for row in rows_of(frame)]


def total() -> Column:
    return fn.sum("id").alias("s")


TEN = Tumble.over("10 seconds").on("ts").alias("w")
GROUPED: list[tuple[Callable[[DataFrame], DataFrame], str]] = [
    (lambda few: Table(few).group_by("k").window(TEN).select("k", total()), "a 8 | b 2 | b 5"),
    (lambda few: Table(few).window(TEN).group_by("k", "w").select("k", total()), "a 8 | b 2 | b 5"),
    (lambda few: Table(few).group_by("k").window(TEN).select("w.start", total()), "00:00 2 | 00:00 8 | 00:10 5"),
    (lambda few: Table(few).group_by().window(TEN).select(total()), "10 | 5"),
    (lambda few: Table(few).window(Tumble.over("10 seconds").on("ts")).select(total()), "10 | 5"),
    (lambda few: Table(few).group_by("k").window(Tumble.over("2 rows")).select("k", total()), "a 4 | b 7"),
    (lambda few: Table(few).window(TEN).select("w.end", "w.rowtime"), "00:10 00:09.999000 | 00:20 00:19.999000"),
]


@pytest.mark.parametrize(("asked", "expected"), GROUPED)
def test_keys_come_before_the_window_or_after_it(
    few: DataFrame, asked: Callable[[DataFrame], DataFrame], expected: str
) -> None:
    assert " | ".join(sorted(texts(asked(few)))) == expected


ALONE = "4 00:09 00:09 4 | 5 00:11 00:11 5"
ROW_WINDOWS: list[tuple[Any, str]] = [
    # Of a time the bounds of the window, of rows the times of its first and its last row.
    (
        TumbleRows.over("5 seconds"),
        "1 00:00 00:05 1 | 2 00:00 00:05 2 | 3 00:00 00:05 4 | 4 00:05 00:10 4 | 5 00:10 00:15 5",
    ),
    (
        TumbleRows.over("2 rows"),
        "1 00:01 00:01 1 | 2 00:02 00:02 2 | 3 00:01 00:04 4 | 4 00:09 00:09 4 | 5 00:02 00:11 7",
    ),
    (SlideRows.preceding("3 seconds"), f"1 00:01 00:01 1 | 2 00:02 00:02 2 | 3 00:01 00:04 4 | {ALONE}"),
    (
        SlideRows.preceding("1 row").following("1 row"),
        "1 00:01 00:04 4 | 2 00:02 00:11 7 | 3 00:01 00:09 8 | 4 00:04 00:09 7 | 5 00:02 00:11 7",
    ),
    (SessionRows.with_gap("4 seconds"), f"1 00:01 00:01 1 | 2 00:02 00:02 2 | 3 00:01 00:04 4 | {ALONE}"),
]


@pytest.mark.parametrize(("window", "expected"), ROW_WINDOWS)
def test_fields_of_row_windows(few: DataFrame, window: Any, expected: str) -> None:
    w = window.on("ts").alias("w")
    sums = w.over(fn.sum("id")).alias("total")
    by_key = Table(few).group_by("k").window(w).select("id", "w.start", w.end, sums)
    assert " | ".join(texts(by_key)) == expected
    behind = Table(few).window(w).group_by("k").select("id", "w.start", w.end, sums)
    own = window.on("ts").partition_by("k").alias("w")
    alone = Table(few).window(own).select("id", "w.start", own.end, own.over(fn.sum("id")).alias("total"))
    assert rows_of(behind) == rows_of(alone) == rows_of(by_key)
    assert behind.columns == ["id", "w_start", "w_end", "total"]


def test_the_rowtime_of_a_window_is_an_event_time(few: DataFrame) -> None:
    per_two = Table(few).window(Tumble.over("2 seconds").on("ts").alias("v")).group_by("v").select("v.rowtime", total())
    w = Slide.over("10 seconds").every("5 seconds").on("v_rowtime").alias("w")
    per_ten = Table(per_two).window(w).select(w.start, fn.sum("s").alias("s"))
    assert sorted(texts(per_ten)) == ["00:00 10", "00:05 12", "00:10 5", "2020-01-01 09:59:55 3"]
    r = SlideRows.preceding("1 s").on("ts").alias("r")
    assert texts(Table(few).window(r).select("id", r.rowtime))[0] == "1 00:01"


def test_a_computed_key_is_selected_by_its_name(few: DataFrame) -> None:
    w = Tumble.over("1 hour").on("ts").alias("w")
    odd = (fn.col("id") % 2).alias("odd")
    by_name = Table(few).window(w).group_by("w", odd).select("odd", fn.sum("id").alias("s"))
    assert rows_of(by_name) == rows_of(Table(few).group_by(odd).window(w).select(odd, fn.sum("id").alias("s")))
    assert by_name.columns == ["odd", "s"]
    # A column of the table comes first.
    shadow = (fn.col("id") * 0).alias("k")
    with pytest.raises(WindowError, match="is neither a key of the groups nor an aggregate"):
        Table(few).window(w).group_by("w", shadow).select("k", fn.count("*"))


FIRST = SlideRows.preceding("1 row").alias("w")
OWN = TumbleRows.over("3 rows").partition_by("id").alias("w")
REFUSED: list[tuple[Callable[[DataFrame], object], str]] = [
    (lambda few: Table(few).window(Tumble.over("3 s").on("ts")).group_by("k"), "that GROUP BY names needs a name"),
    (lambda few: Table(few).window(TumbleRows.over("3 s").on("ts")), "Each window needs a name of its own"),
    (lambda few: Tumble.over("3 rows").alias("w").rowtime, "has neither start nor end"),
    (lambda few: FIRST.start, "measures time, and none is named"),
    (lambda few: Table(few).group_by("k").window(OWN).select("id"), 'The window "w" has keys of its own'),
    (lambda few: Table(few).window(FIRST).select("w.first"), 'A window has no "first"'),
]


@pytest.mark.parametrize(("asked", "words"), REFUSED, ids=[words[-30:] for _, words in REFUSED])
def test_what_has_no_such_field_or_key(few: DataFrame, asked: Callable[[DataFrame], object], words: str) -> None:
    with pytest.raises(WindowError) as raised:
        asked(few)
    assert words in raised.value.sentence
    assert raised.value.hint is not None
