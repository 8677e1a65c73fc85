"""Group windows on streams: what Spark closes is what the same window gives on files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

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


def test_sessions_of_a_stream_need_no_key(spark: SparkSession, stream: DataFrame, folder: Path, tmp_path: Path) -> None:
    window = Session.with_gap("2 minutes").on("ts").alias("w")

    def result(frame: DataFrame) -> DataFrame:
        return Table(frame).window(window).select(window.start, fn.sum("v").alias("total"), window.end)

    ended = closed(result(stream.withWatermark("ts", "1 minute")), spark, tmp_path)
    of_files = result(spark.read.schema(SCHEMA).json(str(folder)))
    assert ended == rows_of(of_files.where("total > 0"))
    assert len(ended) == 3


REFUSED: list[tuple[Any, str]] = [
    (Tumble.over("3 s"), "ts has no watermark, and without one Spark never closes a window"),
    (Cumulate.over("4 s").every("2 s"), 'Spark never closes the window "w" on a stream'),
    (Tumble.over("3 rows"), 'Spark never closes the window "w" on a stream'),
    (Slide.over("3 s").every("5 s"), "slides further than it is long"),
]


@pytest.mark.parametrize(("window", "words"), REFUSED, ids=[words[-30:] for _, words in REFUSED])
def test_what_no_stream_can_do(stream: DataFrame, window: Any, words: str) -> None:
    frame = stream if "no watermark" in words else stream.withWatermark("ts", "1 second")
    grouped = Table(frame).window(window.on("ts").alias("w")).group_by("w", "k")
    with pytest.raises(WindowError) as raised:
        grouped.select("k", fn.sum("v"))
    assert words in raised.value.sentence
    assert raised.value.hint is not None


# New York is five hours behind UTC, Kolkata five hours and a half ahead: no window closes before its rows are there.
IN_ZONES: dict[str, Any] = {
    "a day in New York": Tumble.over("1 day").offset("5 hours").in_zone("America/New_York"),
    "half days in Kolkata": Slide.over("12 hours").every("6 hours").in_zone("Asia/Kolkata"),
    "sessions in Kolkata": Session.with_gap("2 minutes").in_zone("Asia/Kolkata"),
}


@pytest.mark.parametrize("kind", IN_ZONES)
def test_windows_on_the_clock_of_a_zone_are_those_of_files(
    spark: SparkSession, stream: DataFrame, folder: Path, tmp_path: Path, kind: str
) -> None:
    def result(frame: DataFrame) -> DataFrame:
        w = IN_ZONES[kind].on("ts").alias("w")
        return Table(frame).window(w).group_by("w", "k").select("k", w.start, "w.end", "w.rowtime", fn.sum("v"))

    later(folder)
    found = closed(result(stream.withWatermark("ts", "1 minute")), spark, tmp_path)
    expected = [row for row in rows_of(result(spark.read.schema(SCHEMA).json(str(folder)))) if row[0] in ("a", "b")]
    assert [row for row in found if row[0] in ("a", "b")] == expected
    assert len(expected) >= 2


# In Kolkata it is half past three, so that the last row is in the next window.
@pytest.mark.parametrize(("zone", "totals"), [("UTC", [(18, 5)]), ("Asia/Kolkata", [(14, 4), (4, 1)])])
def test_windows_stand_on_windows_without_a_cast(
    spark: SparkSession, stream: DataFrame, folder: Path, tmp_path: Path, zone: str, totals: list[tuple[int, int]]
) -> None:
    def result(frame: DataFrame) -> DataFrame:
        v = Tumble.over("1 minute").on("ts").in_zone(zone).alias("v")
        per_minute = Table(frame).group_by("k").window(v).select("k", v.rowtime, fn.sum("v").alias("v"))
        w = Tumble.over("20 minutes").on("v_rowtime").in_zone(zone).alias("w")
        return Table(per_minute).window(w).select(w.start, fn.sum("v").alias("total"), fn.count("*").alias("n"))

    later(folder)
    found = closed(result(stream.withWatermark("ts", "1 minute")), spark, tmp_path)
    assert [row[1:] for row in found if row[1]] == totals
    assert set(found) <= set(rows_of(result(spark.read.schema(SCHEMA).json(str(folder)))))


@pytest.mark.parametrize(
    "window", [Tumble.over("10 minutes"), Session.with_gap("1 minute")], ids=lambda one: type(one).__name__
)
def test_windows_may_give_their_time_alone(window: Any, spark: SparkSession, stream: DataFrame, tmp_path: Path) -> None:
    w = window.on("ts").alias("w")
    found = []
    for number, fields in enumerate(((w.rowtime,), (w.rowtime, fn.count("*")))):
        result = Table(stream.withWatermark("ts", "1 minute")).window(w).group_by("w").select(*fields)
        found.append({row[0] for row in closed(result, spark, tmp_path / str(number))})
    assert found[0] == found[1] != set()


def test_windows_of_another_zone_do_not_stand_on_those_of_a_zone(stream: DataFrame) -> None:
    v = Tumble.over("1 minute").on("ts").in_zone("Asia/Kolkata").alias("v")
    per_minute = Table(stream.withWatermark("ts", "1 minute")).window(v).select(v.rowtime, fn.count("*"))
    with pytest.raises(WindowError, match="v_rowtime comes from windows in Asia/Kolkata") as raised:
        Table(per_minute).window(Tumble.over("1 hour").on("v_rowtime").alias("w")).select("w.start")
    assert raised.value.hint == 'Keep the zone: .in_zone("Asia/Kolkata").'


def test_windows_of_processing_time_close_as_it_goes_on(spark: SparkSession, stream: DataFrame, tmp_path: Path) -> None:
    """Each micro-batch has a time of its own, so that its rows are in a window of a millisecond."""
    w = Tumble.over("1 ms").alias("w")
    found = closed(Table(stream).group_by("k").window(w).select("k", fn.sum("v"), fn.count("*")), spark, tmp_path)
    # The window of the last batch stays open.
    assert found == [("a", 13, 2), ("a", 3, 2), ("b", 3, 1), ("b", 8, 1)]


def test_a_watermark_holds_up_no_window_of_processing_time(stream: DataFrame) -> None:
    w = Tumble.over("1 minute").alias("w")
    with pytest.raises(WindowError, match="the watermark of ts would hold it up"):
        Table(stream.withWatermark("ts", "1 minute")).window(w).select(fn.count("*"))


def later(folder: Path) -> None:
    """Let two days pass, so that all windows with the rows before are closed."""
    for number, day in ((8, 3), (9, 4)):
        path = folder / f"{number}.json"
        path.write_text(json.dumps({"ts": f"2026-03-0{day}T12:00:00Z", "k": "later", "v": 0}), "utf-8")
        os.utime(path, (number + 1, number + 1))


def closed(result: DataFrame, spark: SparkSession, tmp_path: Path) -> list[tuple[Any, ...]]:
    """The rows of the windows that are closed when the stream has ended."""
    name = f"closed_{uuid4().hex}"
    writer = result.writeStream.format("memory").queryName(name).outputMode("append")
    query = writer.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True).start()
    query.awaitTermination()
    rows = rows_of(spark.table(name))
    spark.catalog.dropTempView(name)
    return rows


def test_a_wall_clock_has_no_watermark(stream: DataFrame) -> None:
    with pytest.raises(WindowError, match="ts is a TIMESTAMP without time zone"):
        summed(stream.withColumn("ts", fn.col("ts").cast("timestamp_ntz")), Tumble.over("3 s"))


def test_row_windows_need_files(stream: DataFrame) -> None:
    w = SlideRows.preceding("3 s").on("ts").alias("w")
    with pytest.raises(WindowError, match="Spark computes no row windows on a stream"):
        Table(stream).window(w).select("k", w.over(fn.sum("v")))
