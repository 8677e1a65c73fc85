"""Windows as Flink itself computed them: the tables and results of tests/truth/golden."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark import windows
from keepstate_spark.table import Cumulate, Session, Slide, SlideRows, Table, Tumble
from spark_rows import rows_of
from truth import GOLDEN, lines

SCHEMAS = {
    "orders": "order_id bigint, buyer string, city string, amount decimal(10,2), qty int, order_time timestamp_ntz",
    "pre": "id bigint, k string, v int, ts timestamp_ntz",
    "dst": "id bigint, v int, ts timestamp_ltz",
}
ZONE = "Europe/Berlin"
MINUTE = 60_000
BOUNDS = ("window_start", "window_end")


def count() -> Any:
    return fn.count(fn.lit(1))


Query = Callable[[Callable[[str], DataFrame]], DataFrame]


def total(name: str, kind: str = "decimal(38,2)") -> Any:
    return fn.sum(name).cast(kind)


def mean(name: str) -> Any:
    """AVG of an INT is an INT in Flink."""
    return fn.try_divide(fn.sum(name), fn.count(name)).cast("int")


def in_windows(
    table: str, window: Any, keys: tuple[str, ...], *aggregates: Callable[[], Any], bounds: bool = True
) -> Query:
    """GROUP BY the keys and the window; keys, the bounds and aggregates are selected."""
    named = window.alias("w")

    def query(read: Callable[[str], DataFrame]) -> DataFrame:
        shown = (named.start, named.end) if bounds else (named.start,)
        grouped = Table(read(table)).window(named).group_by("w", *keys)
        return grouped.select(*keys, *shown, *(one() for one in aggregates))

    return query


def rows_in(assign: Callable[[DataFrame], DataFrame], below: int, *columns: str) -> Query:
    """Rows of ``orders`` up to an id with the windows that they are in."""
    return lambda read: assign(read("orders")).where(fn.col("order_id") < below).select("order_id", *columns)


ON = "order_time"
TEN = Tumble.over("10 minutes").on(ON)
STATISTICS = (
    count,
    lambda: total("amount"),
    lambda: fn.min("qty"),
    lambda: fn.max("qty"),
    lambda: mean("qty"),
    lambda: fn.countDistinct("city"),
)
HOP = in_windows("orders", Slide.over("15 min").every("5 min").on(ON), ("city",), count, lambda: total("qty", "int"))
CUMULATED = in_windows("orders", Cumulate.over("30 min").every("5 min").on(ON), (), count, lambda: total("amount"))
DAYS = in_windows("dst", Tumble.over("1 day").on("ts").in_zone(ZONE), (), count, lambda: total("v", "int"))
QUIET = Session.with_gap("3 minutes").on(ON)


def over(window: Any, aggregate: Callable[[], Any]) -> Query:
    named = window.on(ON).partition_by("buyer").alias("w")
    return lambda read: Table(read("orders")).window(named).select("order_id", named.over(aggregate()))


QUERIES: dict[str, Query] = {
    "cumulate_agg": CUMULATED,
    "cumulate_stream": CUMULATED,
    "cumulate_rows": rows_in(
        lambda rows: windows.cumulate(rows, ON, 2 * MINUTE, 10 * MINUTE), 40, *BOUNDS, "window_time"
    ),
    "dst_day": DAYS,
    "tumble_stream_dst": DAYS,
    "dst_hour": in_windows("dst", Tumble.over("1 hour").on("ts").in_zone(ZONE), (), count),
    "filter_clause": in_windows(
        "orders",
        TEN,
        (),
        lambda: fn.count_if(fn.col("qty") > 4),
        lambda: fn.sum(fn.when(fn.col("city").isNull(), fn.col("amount"))),
        bounds=False,
    ),
    "hop_agg": HOP,
    "hop_stream": HOP,
    "hop_rows": rows_in(lambda rows: windows.hop(rows, ON, 4 * MINUTE, 12 * MINUTE), 40, *BOUNDS, "window_time"),
    "hop_slide_not_dividing": rows_in(lambda rows: windows.hop(rows, ON, 4 * MINUTE, 10 * MINUTE), 60, *BOUNDS),
    "legacy_hop": in_windows("orders", Slide.over("15 min").every("5 min").on(ON), (), count),
    "legacy_session": in_windows("orders", QUIET, ("buyer",), count, lambda: total("qty", "int")),
    "legacy_tumble": in_windows("orders", TEN, ("buyer",), count, lambda: total("amount")),
    "over_range": over(SlideRows.preceding("10 minutes"), lambda: fn.sum("qty")),
    "over_rows_time": over(SlideRows.preceding("3 rows"), lambda: fn.count(fn.lit(1))),
    "pre_epoch_hop": in_windows("pre", Slide.over("9 min").every("3 min").on("ts"), (), lambda: total("v", "int")),
    "pre_epoch_tumble": in_windows("pre", Tumble.over("7 min").on("ts"), ("k",), lambda: total("v", "int")),
    "session_tvf": in_windows("orders", QUIET, ("buyer",), count, lambda: total("amount")),
    "tumble_agg": in_windows("orders", TEN, ("buyer",), *STATISTICS),
    "tumble_stream": in_windows("orders", TEN, ("buyer",), *STATISTICS),
    "tumble_negative_offset": in_windows("orders", TEN.offset("-6 minutes"), (), count),
    "tumble_offset": in_windows("orders", TEN.offset("3 minutes"), (), count, lambda: total("amount")),
    "tumble_rows": rows_in(lambda rows: windows.tumble(rows, ON, 7 * MINUTE), 10**9, *BOUNDS, "window_time"),
}


@pytest.fixture
def read(spark: SparkSession) -> Callable[[str], DataFrame]:
    return lambda table: spark.read.schema(SCHEMAS[table]).json(str(GOLDEN / "data" / table))


@pytest.mark.parametrize("name", QUERIES)
def test_same_rows_as_flink(read: Callable[[str], DataFrame], name: str) -> None:
    _, *rows = lines(GOLDEN / "expected" / f"{name}.jsonl", parse_float=Decimal)
    expected = [tuple(map(plain, row)) for row in rows]
    found = [tuple(map(plain, row)) for row in rows_of(QUERIES[name](read))]
    assert len(expected) > 2
    assert sorted(found, key=str) == sorted(expected, key=str)


def plain(value: Any) -> Any:
    """A value as the results have it: times as text without trailing zeros, decimals without them."""
    if isinstance(value, datetime):
        text = str(value)
        return text.rstrip("0") if "." in text else text
    return value.normalize() if isinstance(value, Decimal) else value
