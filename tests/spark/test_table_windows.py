"""Windows of the Table API: over rows, for each row, and what there is no window for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

import reference_windows as reference
from examples_of import gathered
from keepstate_spark.errors import WindowError
from keepstate_spark.table import (
    CURRENT_RANGE,
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    UNBOUNDED_ROWS,
    Cumulate,
    Rows,
    Session,
    SessionRows,
    Slide,
    SlideRows,
    Table,
    Tumble,
    TumbleRows,
)
from keepstate_spark.windows import WindowColumns, cumulate, hop, session, tumble
from spark_rows import frame_of, rows_of

Tried = list[list[tuple[int, int]]]
"""Rows of each example: key, and milliseconds."""
FOREVER = 10**15
SCHEMA = "example int, id int, k int, ts timestamp_ntz"


def ids(rows: Any) -> str:
    """The rows of a window, by their ids in the aggregate below."""
    return " ".join(map(str, sorted(rows)))


def collected() -> Column:
    return fn.collect_list("id")


def shown(of: Column) -> Column:
    return fn.concat_ws(" ", fn.array_sort(of).cast("array<string>"))


@st.composite
def streams(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Keys and times in milliseconds, many of them equal, of rows in no order."""
    near = st.one_of(st.integers(0, 12), st.integers(0, 40))
    rows = st.tuples(st.integers(0, 2), near.map(lambda tick: tick * 500 - 7000))
    return draw(st.lists(rows, min_size=8, max_size=40))


ROW_WINDOWS: list[tuple[Any, str, int, int]] = [
    (TumbleRows.over("3 seconds"), "tumble time", 3000, 0),
    (TumbleRows.over("3 seconds").offset("-4 seconds"), "tumble time", 3000, -4000),
    (TumbleRows.over("3 rows"), "tumble rows", 3, 0),
    (TumbleRows.over(Rows(1)), "tumble rows", 1, 0),
    (SlideRows.preceding("2 rows"), "slide rows", 2, 0),
    (SlideRows.preceding("2 rows").following("1 row"), "slide rows", 2, 1),
    (SlideRows.preceding(CURRENT_ROW).following("2 rows"), "slide rows", 0, 2),
    (SlideRows.preceding(UNBOUNDED_ROWS), "slide rows", FOREVER, 0),
    (SlideRows.preceding(UNBOUNDED_ROWS).following(CURRENT_ROW), "slide rows", FOREVER, 0),
    (SlideRows.preceding("2 seconds"), "slide range", 2000, 0),
    (SlideRows.preceding("2 seconds").following("500 ms"), "slide range", 2000, 500),
    (SlideRows.preceding(CURRENT_RANGE).following("1 second"), "slide range", 0, 1000),
    (SlideRows.preceding(UNBOUNDED_RANGE), "slide range", FOREVER, 0),
    (SessionRows.with_gap("2 seconds"), "session", 2000, 0),
    (SessionRows.with_gap("500 ms"), "session", 500, 0),
]


@pytest.fixture(scope="module")
def tried() -> Tried:
    return gathered(streams(), 30)


@pytest.fixture(scope="module")
def rows(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, tried: Tried) -> DataFrame:
    """All examples, one file; an id is the place of a row in its example in the order of time, then of arrival."""
    lines = []
    for number, example in enumerate(tried):
        place = {row: at for at, row in enumerate(sorted(range(len(example)), key=lambda row: example[row][1]))}
        lines += [(number, place[row], key, time) for row, (key, time) in enumerate(example)]
    frame = frame_of(spark, tmp_path_factory.mktemp("rows"), "example int, id int, k int, t bigint", lines)
    return frame.withColumn("ts", fn.timestamp_millis("t").cast("timestamp_ntz"))


def test_row_windows_are_those_of_the_definition(rows: DataFrame, tried: Tried) -> None:
    named = [
        window.on("ts").partition_by("example", "k").alias(f"w{number}")
        for number, (window, *_) in enumerate(ROW_WINDOWS)
    ]
    found = Table(rows).window(*named).select("example", "id", *(shown(window.over(collected())) for window in named))
    answers = {(row[0], row[1]): row[2:] for row in found.collect()}
    assert len(answers) == sum(map(len, tried)) > 100
    for number, example in enumerate(tried):
        in_order = sorted(example, key=lambda row: row[1])
        keys, times = [key for key, _ in in_order], [time * 1000 for _, time in in_order]
        for row in range(len(example)):
            windows = [
                ids(reference.rows_before(kind, keys, times, row, before, after))
                for _, kind, before, after in ROW_WINDOWS
            ]
            assert list(answers[number, row]) == windows, (in_order, row)


@pytest.mark.parametrize(("count", "every"), [(1, 1), (3, 3), (3, 1), (2, 3), (4, 2), (5, 3)])
def test_windows_of_rows_are_those_of_the_definition(rows: DataFrame, tried: Tried, count: int, every: int) -> None:
    window = Tumble.over(Rows(count)) if count == every else Slide.over(f"{count} rows").every(f"{every} rows")
    named = window.on("ts").alias("w")
    found = Table(rows).window(named).group_by("example", "w", "k").select("example", shown(collected()))
    expected = []
    for number, example in enumerate(tried):
        keys = [key for key, _ in sorted(example, key=lambda row: row[1])]
        expected += [(number, ids(full)) for full in reference.counted(keys, count, every)]
    assert len(expected) > 20
    assert rows_of(found) == sorted(expected, key=str)


@pytest.fixture
def few(spark: SparkSession, tmp_path: Path) -> DataFrame:
    times = ["00:00:01", "00:00:09", None, "00:00:12"]
    lines = [(0, number, number % 2, time and f"2020-01-01 {time}") for number, time in enumerate(times)]
    return frame_of(spark, tmp_path, SCHEMA, lines)


def test_select_takes_names_and_columns(few: DataFrame) -> None:
    w = Tumble.over("10 seconds").on("ts").alias("w")
    grouped = Table(few).window(w).group_by("w", (fn.col("k") + 1).alias("next"))
    result = grouped.select(
        "w.start", w.end, (fn.col("k") + 1).alias("next"), (fn.sum("id") / fn.count("*")).alias("mean"), fn.max(w.start)
    )
    assert result.columns[:4] == ["w_start", "w_end", "next", "mean"]
    assert [tuple(map(str, row))[1:4] for row in rows_of(result)] == [
        ("2020-01-01 00:00:10", "1", "0.0"),
        ("2020-01-01 00:00:10", "2", "1.0"),
        ("2020-01-01 00:00:20", "2", "3.0"),
    ]


def test_rows_without_a_time_are_in_no_window(few: DataFrame) -> None:
    w = SlideRows.preceding(UNBOUNDED_RANGE).on("ts").alias("w")
    assert rows_of(Table(few).window(w).select("id", w.over(fn.count("*")))) == [(0, 1), (1, 2), (3, 3)]
    three = Tumble.over("3 rows").on("ts").alias("w")
    assert rows_of(Table(few).window(three).group_by("w").select(fn.sum("id"))) == [(4,)]


def test_every_column_is_a_column_of_the_table(few: DataFrame) -> None:
    first = TumbleRows.over("1 day").on("ts").partition_by("k").alias("first")
    second = SessionRows.with_gap("1 s").on("ts").alias("second")
    odd = few.withColumnRenamed("k", "k.`x").withColumn("k", fn.col("id"))
    result = Table(odd).window(first, second).select("*", first.over(fn.sum("id")), second.over(fn.max("k")).alias("m"))
    assert result.columns[:-2] == odd.columns
    assert len(result.columns) == len(odd.columns) + 2
    assert result.count() == 3


def test_what_comes_first_is_for_ties_to_say(few: DataFrame) -> None:
    w = TumbleRows.over("2 rows").on(fn.lit("2020-01-01").cast("timestamp_ntz"), fn.desc("id")).alias("w")
    assert rows_of(Table(few).window(w).select("id", w.over(fn.sum("id")))) == [(0, 1), (1, 1), (2, 5), (3, 3)]
    arrived = TumbleRows.over("2 rows").alias("w")
    assert rows_of(Table(few).window(arrived).select("id", arrived.over(fn.sum("id")))) == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 5),
    ]


def _endless(few: DataFrame) -> DataFrame:
    rows = few.sparkSession.readStream.format("rate").load()
    return rows.select(fn.col("timestamp").cast("timestamp_ntz").alias("ts"))


W = Tumble.over("10 minutes").on("ts").alias("w")
PAIRS = SlideRows.preceding("1 row").on("ts").alias("w")
REFUSED: list[tuple[Callable[[DataFrame], object], str]] = [
    (lambda few: Tumble.over("0 rows"), "The size of a tumbling window is 0 rows; it must be more than nothing"),
    (lambda few: Tumble.over("a while"), '"a while" is no length of time'),
    (lambda few: Slide.over("10 minutes").every("3 rows"), "A window over 10 minutes cannot slide by 3 rows"),
    (lambda few: Slide.over("10 minutes").every("-1 minute"), "The slide of a sliding window is -1 minute"),
    (lambda few: Cumulate.over("10 minutes").every("3 minutes"), "600000 ms is none of 180000 ms"),
    (lambda few: Cumulate.over("10 rows").every("5 rows"), "is 10 rows, and rows do not measure it"),
    (lambda few: Session.with_gap("3 rows"), "rows do not measure it"),
    (lambda few: Session.with_gap("3 s").offset("1 s"), "A session begins with its first row"),
    (lambda few: SlideRows.preceding("3 rows").following("1 minute"), "precedes by rows and follows by time"),
    (lambda few: SlideRows.preceding("-3 s"), "must not be less than nothing"),
    (lambda few: SlideRows.preceding("3 s").following(UNBOUNDED_RANGE), "that never ends has no result"),
    (lambda few: TumbleRows.over("3 rows").offset("1 s"), "there is no grid to shift"),
    (lambda few: W.alias("my window"), "is no name for a window"),
    (lambda few: Table(few).window(W, W), "Each window needs a name of its own"),
    (lambda few: Table(few).window(W, W.alias("v")), "A table has one group window, or row windows only"),
    (lambda few: Table(few).window(W).group_by("k"), 'GROUP BY must name the window "w" once'),
    (lambda few: Table(few).window(W).group_by("w").select("w"), '"w" is a window, and no column'),
    (lambda few: Table(few).window(W).group_by("w").select("w.begin"), 'A window has no "begin"'),
    (lambda few: Tumble.over("3 rows").alias("w").start, "counts rows, so it has neither start nor end"),
    (
        lambda few: Table(few).window(Tumble.over("3 s").alias("w")).group_by("w").select(fn.count("*")),
        "measures time, and none is named",
    ),
    (
        lambda few: Table(few).window(SessionRows.with_gap("3 s").alias("w")).select("id"),
        "measures time, and none is named",
    ),
    (
        lambda few: Table(few).window(Tumble.over("3 s").on("k").alias("w")).group_by("w").select(fn.count("*")),
        "k is of type INT, and windows are over times",
    ),
    (lambda few: Table(few).window(W).group_by("w").select("id"), "is neither a key of the groups nor an aggregate"),
    (lambda few: Tumble.over("999999999999 days"), "is longer than 100,000 years"),
    (lambda few: Session.with_gap(10**20), "is longer than 100,000 years"),
    (lambda few: tumble(few, "ts", 10**20), "is longer than 100,000 years"),
    (lambda few: tumble(few, "ts", 1000, cast(int, "1 s")), "The offset of a window is '1 s'"),
    (lambda few: hop(few, "ts", 1000, 2000, cast(int, "1 s")), "The offset of a window is '1 s'"),
    (lambda few: cumulate(few, "ts", 1000, 2000, cast(int, "1 s")), "The offset of a window is '1 s'"),
    (lambda few: session(few, "ts", 10**20), "is longer than 100,000 years"),
    (lambda few: tumble(few, "ts", 1000, zone=cast(str, None)), "There is no time zone None"),
    (lambda few: tumble(few.select("ts", fn.col("id").alias("ts")), "ts", 1000), "several columns `ts`"),
    (lambda _: Table(cast(DataFrame, "few")), "'few' is no DataFrame"),
    (lambda few: Table(few).window(Tumble.over("3 s").on("ts")).select(), "A select needs columns"),
    (
        lambda few: Table(few).window(SlideRows.preceding("1 row").on("ts").alias("w")).select(),
        "A select needs columns",
    ),
    (lambda few: Table(few).window(Tumble.over("3 s").on("late")).select(fn.count("*")), "no event time `late`"),
    (lambda few: Table(few).window(Tumble.over("3 s").on("ts")).select(fn.sum("price")), "no column `price`"),
    (
        lambda few: Table(few).group_by("buyer").window(Session.with_gap("3 s").on("ts")).select(fn.count("*")),
        "no column `buyer`",
    ),
    (
        lambda few: (
            Table(few).window(SlideRows.preceding("1 row").on("ts").partition_by("buyer").alias("w")).select("*")
        ),
        "no column `buyer`",
    ),
    (
        lambda few: Table(few).window(SlideRows.preceding("1 row").on("ts").alias("w")).select(fn.col("s.price")),
        "no column `s`.`price`",
    ),
    (lambda few: Table(few).window(cast(Any, "w")), "'w' is no window"),
    (lambda few: W.alias(cast(str, None)), "None is no name for a window"),
    (lambda few: Table(few).window(W.on(cast(str, 3))).group_by("w").select(fn.count("*")), "3 is no column"),
    (lambda few: Table(few).window(W).group_by("w", cast(str, None)).select(fn.count("*")), "None is no column"),
    (lambda few: PAIRS.partition_by(cast(str, None)), "None is no column"),
    (lambda few: Table(few).window(PAIRS).select(PAIRS.over(cast(Column, "id"))), "'id' is no aggregate"),
    (
        lambda few: Table(few).window(TumbleRows.over("3 s").on("ts").alias("w")).select(cast(Column, 1)),
        "1 is no column",
    ),
    (lambda few: Table(few).window(PAIRS).select(PAIRS.over(fn.col("id"))), "Over a window stands no aggregate"),
    (lambda few: Table(few).window(W.on("t`s")).group_by("w").select(fn.count("*")), "t`s is no name of a column"),
    (lambda few: tumble(cast(DataFrame, None), "ts", 1000), "The rows are None, and no DataFrame"),
    (lambda few: tumble(few, "t`s", 1000), "t`s is no name of a column"),
    (lambda few: tumble(few, "ts", 1000, names=WindowColumns("a", "A", "b")), "a, A and b are no three names"),
    (lambda few: session(_endless(few), "ts", 1000), "The rows are a stream"),
]


@pytest.mark.parametrize(("asked", "words"), REFUSED, ids=[words[-40:] for _, words in REFUSED])
def test_what_is_no_window(few: DataFrame, asked: Callable[[DataFrame], object], words: str) -> None:
    with pytest.raises(WindowError) as raised:
        asked(few)
    assert words in raised.value.sentence
