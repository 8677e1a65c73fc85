"""Group windows on streams: what Spark closes is what the same window gives on files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark.errors import WindowError
from keepstate_spark.table import Cumulate, Session, Slide, SlideRows, Table, Tumble
from spark_rows import rows_of

SCHEMA = "ts timestamp_ltz, k string, v int"
FILES = [
    [("10:00:30", "a", 1), ("10:01:30", "a", 2), ("10:00:10", "b", 8)],
    [("10:09:00", "b", 3), ("10:12:00", "a", 4), (None, "a", 9)],
    # Closes every window with the rows before it, and stays open itself.
    [("12:00:00", "last", 0)],
]
WINDOWS: dict[str, Any] = {
    "tumble": Tumble.over("5 minutes").offset("-4 minutes"),
    "slide": Slide.over("10 minutes").every("4 minutes").offset("11 minutes"),
    "session": Session.with_gap("2 minutes"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files in the order of their times, one for each micro-batch."""
    for number, rows in enumerate(FILES):
        lines = (json.dumps({"ts": t and f"2026-03-01T{t}", "k": k, "v": v}) for t, k, v in rows)
        path = tmp_path / "in" / f"{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines), "utf-8")
        os.utime(path, (number + 1, number + 1))
    return tmp_path / "in"


@pytest.fixture
def stream(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))


def summed(frame: DataFrame, window: Any) -> DataFrame:
    w = window.on("ts").alias("w")
    grouped = Table(frame).window(w).group_by("w", "k")
    return grouped.select(w.end.alias("until"), "k", fn.sum("v").alias("total"), "w.start", fn.count("*"))


@pytest.mark.parametrize("kind", WINDOWS)
def test_closed_windows_are_those_of_files(
    spark: SparkSession, stream: DataFrame, folder: Path, tmp_path: Path, kind: str
) -> None:
    result = summed(stream.withWatermark("ts", "1 minute"), WINDOWS[kind])
    assert result.columns == ["until", "k", "total", "w_start", "count(1)"]
    writer = result.writeStream.format("memory").queryName(f"closed_{kind}").outputMode("append")
    query = writer.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True).start()
    query.awaitTermination()
    of_files = summed(spark.read.schema(SCHEMA).json(str(folder)), WINDOWS[kind])
    expected = rows_of(of_files.where("k != 'last'"))
    assert len(expected) >= 4
    assert rows_of(spark.table(f"closed_{kind}")) == expected


REFUSED: list[tuple[Any, str]] = [
    (Tumble.over("3 s"), "ts has no watermark, and without one Spark never closes a window"),
    (Cumulate.over("4 s").every("2 s"), 'Spark never closes the window "w" on a stream'),
    (Tumble.over("3 rows"), 'Spark never closes the window "w" on a stream'),
    (Slide.over("3 s").every("5 s"), "slides further than it is long"),
    (Tumble.over("3 s").in_zone("Europe/Berlin"), "Spark aligns windows to UTC, not to Europe/Berlin"),
]


@pytest.mark.parametrize(("window", "words"), REFUSED, ids=[words[-30:] for _, words in REFUSED])
def test_what_no_stream_can_do(stream: DataFrame, window: Any, words: str) -> None:
    frame = stream if "no watermark" in words else stream.withWatermark("ts", "1 second")
    grouped = Table(frame).window(window.on("ts").alias("w")).group_by("w", "k")
    with pytest.raises(WindowError) as raised:
        grouped.select("k", fn.sum("v"))
    assert words in raised.value.sentence
    assert raised.value.hint is not None


def test_a_wall_clock_has_no_watermark(stream: DataFrame) -> None:
    with pytest.raises(WindowError, match="ts is a TIMESTAMP without time zone"):
        summed(stream.withColumn("ts", fn.col("ts").cast("timestamp_ntz")), Tumble.over("3 s"))


def test_row_windows_need_files(stream: DataFrame) -> None:
    w = SlideRows.preceding("3 s").on("ts").alias("w")
    with pytest.raises(WindowError, match="Spark computes no row windows on a stream"):
        Table(stream).window(w).select("k", w.over(fn.sum("v")))
