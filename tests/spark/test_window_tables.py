"""Windows of a few bids, and which windows are theirs, written out."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark import windows
from keepstate_spark.errors import WindowError
from keepstate_spark.windows import WindowColumns, milliseconds
from spark_rows import frame_of, rows_of

BIDS = [("08:05", "4.00", "C"), ("08:07", "2.00", "A"), ("08:09", "5.00", "D"), ("08:11", "3.00", "B")]
BIDS += [("08:13", "1.00", "E"), ("08:17", "6.00", "F")]
MINUTE = 60_000

# window, its arguments in minutes, and per window its start, end, the items in it, and the sum of their prices
TABLES: list[tuple[str, tuple[int, ...], str]] = [
    ("tumble", (10,), "08:00 08:10 CAD 11.00 | 08:10 08:20 BEF 10.00"),
    (
        "hop",
        (5, 10),
        "08:00 08:10 CAD 11.00 | 08:05 08:15 CADBE 15.00 | 08:10 08:20 BEF 10.00 | 08:15 08:25 F 6.00",
    ),
    (
        "cumulate",
        (2, 10),
        "08:00 08:06 C 4.00 | 08:00 08:08 CA 6.00 | 08:00 08:10 CAD 11.00 | 08:10 08:12 B 3.00 | 08:10 08:14 BE 4.00"
        " | 08:10 08:16 BE 4.00 | 08:10 08:18 BEF 10.00 | 08:10 08:20 BEF 10.00",
    ),
    # C, A, D, B and E come every two minutes: windows that touch are one.
    ("session", (2,), "08:05 08:15 CADBE 15.00 | 08:17 08:19 F 6.00"),
    (
        "session",
        (1,),
        "08:05 08:06 C 4.00 | 08:07 08:08 A 2.00 | 08:09 08:10 D 5.00 | 08:11 08:12 B 3.00"
        " | 08:13 08:14 E 1.00 | 08:17 08:18 F 6.00",
    ),
    # A slide that does not divide the size: one window or two.
    (
        "hop",
        (4, 6),
        "08:00 08:06 C 4.00 | 08:04 08:10 CAD 11.00 | 08:08 08:14 DBE 9.00 | 08:12 08:18 EF 7.00 | 08:16 08:22 F 6.00",
    ),
    # A slide longer than the size: D and E are in no window.
    ("hop", (5, 3), "08:05 08:08 CA 6.00 | 08:10 08:13 B 3.00 | 08:15 08:18 F 6.00"),
    (
        "cumulate",
        (5, 10, 3),
        "08:03 08:08 CA 6.00 | 08:03 08:13 CADB 14.00 | 08:13 08:18 EF 7.00 | 08:13 08:23 EF 7.00",
    ),
    ("tumble", (10, -13), "07:57 08:07 C 4.00 | 08:07 08:17 ADBE 11.00 | 08:17 08:27 F 6.00"),
]
OFFSETS = [
    (-16, "2021-06-29 23:54", "2021-06-30 00:04"),
    (-6, "2021-06-29 23:54", "2021-06-30 00:04"),
    (-4, "2021-06-29 23:56", "2021-06-30 00:06"),
    (0, "2021-06-30 00:00", "2021-06-30 00:10"),
    (4, "2021-06-29 23:54", "2021-06-30 00:04"),
    (6, "2021-06-29 23:56", "2021-06-30 00:06"),
    (16, "2021-06-29 23:56", "2021-06-30 00:06"),
]


@pytest.fixture
def bids(spark: SparkSession, tmp_path: Path) -> DataFrame:
    rows = [(f"2020-04-15 {time}:00", price, item) for time, price, item in BIDS]
    return frame_of(spark, tmp_path, "bidtime timestamp_ntz, price decimal(10,2), item string", rows)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(("window", "minutes", "table"), TABLES, ids=lambda value: str(value)[:20])
def test_aggregates(bids: DataFrame, window: str, minutes: tuple[int, ...], table: str) -> None:
    rows = getattr(windows, window)(bids, "bidtime", *(length * MINUTE for length in minutes))
    in_order = fn.array_sort(fn.collect_list(fn.struct("bidtime", "item")))
    grouped = rows.groupBy("window_start", "window_end", "window_time").agg(
        fn.concat_ws("", in_order.getField("item")), fn.sum("price")
    )
    expected = []
    for line in table.split(" | "):
        start, end, items, total = line.split()
        bounds = at(f"2020-04-15 {start}"), at(f"2020-04-15 {end}")
        expected.append((*bounds, bounds[1] - timedelta(milliseconds=1), items, Decimal(total)))
    assert rows_of(grouped) == sorted(expected, key=str)


@pytest.mark.parametrize(("minutes", "start", "end"), OFFSETS)
def test_an_offset_shifts_the_grid(spark: SparkSession, tmp_path: Path, minutes: int, start: str, end: str) -> None:
    rows = frame_of(spark, tmp_path, "ts timestamp_ntz", [("2021-06-30 00:00:04",)])
    windowed = windows.tumble(rows, "ts", 10 * MINUTE, minutes * MINUTE)
    assert rows_of(windowed.select("window_start", "window_end")) == [(at(start), at(end))]


@pytest.mark.parametrize("kind", ["timestamp_ntz", "timestamp_ltz"])
def test_a_row_without_a_time_is_in_no_window(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    rows = frame_of(spark, tmp_path, f"ts {kind}, k int", [(None, 1), ("2020-04-15 08:05:00", 2), (None, 2)])
    windowed = [
        windows.tumble(rows, "ts", MINUTE),
        windows.hop(rows, "ts", MINUTE, 2 * MINUTE),
        windows.hop(rows, "ts", 2 * MINUTE, 3 * MINUTE),
        windows.cumulate(rows, "ts", MINUTE, MINUTE),
        windows.session(rows, "ts", MINUTE),
    ]
    assert [sorted(row.k for row in frame.select("k").collect()) for frame in windowed] == [[2], [2, 2], [2], [2], [2]]


def test_days_follow_local_midnight(spark: SparkSession, tmp_path: Path) -> None:
    """In the last nights of March and October 2026 Berlin goes from +01:00 to +02:00 and back, at 01:00 UTC."""
    instants = ["2026-03-28T22:59:59.999Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z", "2026-03-29T22:00:00Z"]
    instants += ["2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z", "2026-10-25T23:00:00Z"]
    rows = frame_of(spark, tmp_path, "ts timestamp_ltz", [(instant,) for instant in instants])
    days = windows.tumble(rows, "ts", 86_400_000, zone="Europe/Berlin").orderBy("ts")
    assert [str(row.window_start)[:10] for row in days.select("window_start").collect()] == [
        "2026-03-28", "2026-03-29", "2026-03-29", "2026-03-30", "2026-10-25", "2026-10-25", "2026-10-26",
    ]  # fmt: skip
    ends = days.select(fn.date_format("window_time", "MM-dd HH:mm:ss.SSS").alias("end")).distinct()
    assert sorted(row.end for row in ends.collect()) == [
        "03-28 22:59:59.999", "03-29 21:59:59.999", "03-30 21:59:59.999", "10-25 22:59:59.999", "10-26 22:59:59.999",
    ]  # fmt: skip


def test_the_hour_that_comes_twice_is_one_window(spark: SparkSession, tmp_path: Path) -> None:
    instants = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]
    rows = frame_of(spark, tmp_path, "ts timestamp_ltz", [(instant,) for instant in instants])
    hours = windows.tumble(rows, "ts", 3_600_000, zone="Europe/Berlin")
    assert [str(start)[11:16] for (start,) in rows_of(hours.select("window_start"))] == ["02:00", "02:00", "03:00"]


def test_sessions_are_of_one_key_each(spark: SparkSession, tmp_path: Path) -> None:
    times = [
        ("a", "00:00"),
        ("b", "00:50"),
        ("a", "01:00"),
        (None, "00:10"),
        ("a", "02:01"),
        (None, "00:20"),
        ("b", "03:00"),
    ]
    rows = frame_of(spark, tmp_path, "k string, ts timestamp_ntz", [(k, f"2020-01-01 00:{time}") for k, time in times])
    sessions = windows.session(rows, "ts", MINUTE, ["k"]).groupBy("k", "window_start", "window_end").count()
    found = [(k, str(start)[14:], str(end)[14:], count) for k, start, end, count in rows_of(sessions)]
    assert found == [
        ("a", "00:00", "02:00", 2),
        ("a", "02:01", "03:01", 1),
        ("b", "00:50", "01:50", 1),
        ("b", "03:00", "04:00", 1),
        (None, "00:10", "01:20", 2),
    ]


def test_a_second_window_stands_on_the_time_of_the_first(bids: DataFrame) -> None:
    per_two = windows.tumble(bids, "bidtime", 2 * MINUTE).groupBy("window_time").agg(fn.sum("price").alias("total"))
    names = WindowColumns("start", "end", "time")
    per_ten = windows.tumble(per_two, "window_time", 10 * MINUTE, names=names)
    assert per_ten.columns == ["window_time", "total", "start", "end", "time"]
    totals = rows_of(per_ten.groupBy("start").agg(fn.sum("total")))
    assert totals == [(at("2020-04-15 08:00"), Decimal("11.00")), (at("2020-04-15 08:10"), Decimal("10.00"))]


REFUSED: list[tuple[str, tuple[Any, ...], str]] = [
    ("cumulate", (3 * MINUTE, 10 * MINUTE), "must be a multiple of its step: 600000 ms is none of 180000 ms"),
    ("cumulate", (10 * MINUTE, 3 * MINUTE), "must be a multiple of its step"),
    ("cumulate", (0, MINUTE), "The step of a cumulating window is 0 ms"),
    ("tumble", (0,), "The size of a tumbling window is 0 ms"),
    ("tumble", (-MINUTE,), "must be longer than nothing"),
    ("hop", (0, MINUTE), "The slide of a hopping window is 0 ms"),
    ("session", (0,), "The gap of a session window is 0 ms"),
    ("tumble", ("10 minutes",), "The size of a tumbling window is '10 minutes', and lengths are whole milliseconds"),
    ("hop", (MINUTE, 1.5), "The size of a hopping window is 1.5"),
    ("session", (None,), "The gap of a session window is None"),
]


@pytest.mark.parametrize(("window", "arguments", "words"), REFUSED)
def test_lengths_that_make_no_window(bids: DataFrame, window: str, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(WindowError, match=words):
        getattr(windows, window)(bids, "bidtime", *arguments)


def test_windows_are_over_times(bids: DataFrame) -> None:
    with pytest.raises(WindowError, match="item is of type STRING, and windows are over times") as raised:
        windows.tumble(bids, "item", MINUTE)
    assert raised.value.hint == "Name a column of type TIMESTAMP or TIMESTAMP_LTZ."


def test_the_time_and_its_zone_exist(bids: DataFrame) -> None:
    with pytest.raises(WindowError, match=r"The rows have no event time `nope`\. Their columns are bidtime, "):
        windows.tumble(bids, "nope", MINUTE)
    for zone in ("Europe/Nowhere", "", "+2"):
        with pytest.raises(WindowError, match=f"There is no time zone '{re.escape(zone)}'"):
            windows.tumble(bids, "bidtime", MINUTE, zone=zone)


def test_windows_on_windows_need_names(bids: DataFrame) -> None:
    rows = windows.tumble(bids, "bidtime", MINUTE)
    with pytest.raises(WindowError, match="The rows have a column window_start already"):
        windows.hop(rows, "window_time", MINUTE, MINUTE)
    names = windows.WindowColumns("outer_start", "outer_end", "outer_time")
    assert windows.hop(rows, "window_time", MINUTE, MINUTE, names=names).columns[-3:] == list(vars(names).values())


def test_one_key_of_sessions_may_be_a_name(bids: DataFrame) -> None:
    alone, listed = (windows.session(bids, "bidtime", MINUTE, by).collect() for by in ("item", ["item"]))
    assert alone == listed


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("10 minutes", 600_000),
        ("1 minute", 60_000),
        ("-16 min", -960_000),
        ("+5 s", 5_000),
        ("1 hour 30 minutes", 5_400_000),
        ("1.5 seconds", 1_500),
        ("2h30min", 9_000_000),
        ("3000 microseconds", 3),
        ("250 ms", 250),
        ("1 Day", 86_400_000),
        ("2 weeks", 1_209_600_000),
        (timedelta(minutes=3), 180_000),
        (7, 7),
    ],
)
def test_lengths_as_people_write_them(written: str | int | timedelta, expected: int) -> None:
    assert milliseconds(written) == expected


@pytest.mark.parametrize(
    "written", ["", " ", "ten minutes", "10", "1 month", "5 minutes or so", "1 us", "0.5 ms", "--3 s", 1.5, True, None]
)
def test_what_is_no_length(written: Any) -> None:
    with pytest.raises(WindowError):
        milliseconds(written)
