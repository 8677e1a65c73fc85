"""Windows in a session of any time zone: those of a session in UTC, at times that the zone of the session skips too."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark import windows
from keepstate_spark.table import Cumulate, Session, Slide, SlideRows, Table, Tumble, TumbleRows

HOUR = 3_600_000
# New York puts its clock from 2 to 3 on the 8th of March, and from 2 to 1 on the 1st of November.
TIMES = [
    "2026-03-08 01:30:00",
    "2026-03-08 02:30:00",
    "2026-03-08 03:10:00",
    "2026-11-01 00:59:59.999999",
    "2026-11-01 01:30:00",
    "1969-12-31 23:59:59.999",
    "0001-01-01 00:00:01",
]
ZONES = ["UTC", "America/New_York", "Australia/Lord_Howe"]


@pytest.fixture(params=ZONES)
def session(request: pytest.FixtureRequest, spark: SparkSession) -> SparkSession:
    own = spark.newSession()
    own.conf.set("spark.sql.session.timeZone", request.param)
    own.conf.set("spark.sql.ansi.enabled", "true")
    return own


def rows(session: SparkSession) -> DataFrame:
    """The times, on the wall clock (``ts``) and as the instants at which a clock in UTC shows them (``at``)."""
    texts = session.createDataFrame([(number, time) for number, time in enumerate(TIMES)], "id int, t string")
    instant = fn.concat("t", fn.lit("Z")).cast("timestamp_ltz")
    return texts.select("id", fn.col("t").cast("timestamp_ntz").alias("ts"), instant.alias("at"))


def shown(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The bounds of windows as texts; the last moment of an instant in seconds, which no zone changes."""
    last = fn.unix_millis("window_time") if dict(frame.dtypes)["window_time"] == "timestamp" else fn.col("window_time")
    columns = ["id", *(fn.col(f"window_{bound}").cast("string") for bound in ("start", "end")), last.cast("string")]
    return sorted(tuple(row) for row in frame.select(*columns).collect())


def test_hours_on_the_wall_clock(session: SparkSession) -> None:
    found = [row[1] for row in shown(windows.tumble(rows(session), "ts", HOUR))]
    assert found == [
        "2026-03-08 01:00:00",
        "2026-03-08 02:00:00",
        "2026-03-08 03:00:00",
        "2026-11-01 00:00:00",
        "2026-11-01 01:00:00",
        "1969-12-31 23:00:00",
        "0001-01-01 00:00:00",
    ]


@pytest.mark.parametrize("time", ["ts", "at"])
def test_windows_are_those_of_a_session_in_utc(time: str, session: SparkSession, spark: SparkSession) -> None:
    zone = "Asia/Kolkata"

    def found(of: SparkSession) -> list[list[tuple[Any, ...]]]:
        frame = rows(of).where("id < 6")
        return [
            shown(windows.tumble(frame, time, HOUR, zone=zone)),
            shown(windows.hop(frame, time, HOUR, 2 * HOUR, zone=zone)),
            shown(windows.cumulate(frame, time, HOUR, 2 * HOUR, zone=zone)),
            shown(windows.session(frame, time, HOUR, zone=zone)),
        ]

    assert found(session) == found(spark)


@pytest.mark.parametrize("time", ["ts", "at"])
def test_windows_of_the_table_api_too(time: str, session: SparkSession, spark: SparkSession) -> None:
    def found(of: SparkSession) -> list[list[str]]:
        frame = rows(of).where("id < 6")
        answers = []
        for window in (
            Tumble.over("1 hour"),
            Slide.over("2 hours").every("1 hour"),
            Cumulate.over("2 hours").every("1 hour"),
            Session.with_gap("1 hour"),
        ):
            w = window.on(time).in_zone("Asia/Kolkata").alias("w")
            last = w.rowtime.cast("timestamp_ntz") if time == "ts" else fn.unix_millis(w.rowtime)
            grouped = Table(frame).window(w).group_by("w")
            answers.append(sorted(map(str, grouped.select(w.start, w.end, last, fn.count("*")).collect())))
        tumbling = TumbleRows.over("1 hour").on(time).in_zone("Asia/Kolkata").alias("t")
        sliding = SlideRows.preceding("1 hour").on(time).in_zone("Asia/Kolkata").alias("s")
        both = Table(frame).window(tumbling, sliding)
        columns = ("t.start", "t.end", "s.start", "s.end", tumbling.over(fn.count("*")), sliding.over(fn.sum("id")))
        return [*answers, sorted(map(str, both.select("id", *columns).collect()))]

    assert found(session) == found(spark)
