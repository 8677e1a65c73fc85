"""Windows that are put together from slices have the same results, to the last bit, as windows of rows."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.operators import grouping
from keepstate_spark.lowering.operators.plan_frames import lowered
from keepstate_spark.sources.scanning import Scanner

TABLE = """
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE t (
  k STRING, n INT, b BIGINT, s TINYINT, d DECIMAL(10, 2), w DECIMAL(38, 2), x DOUBLE, ts TIMESTAMP(6),
  inst TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts, WATERMARK FOR inst AS inst
) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');
"""
ALL = """COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS sn, SUM(b) AS sb, SUM(s) AS ss, SUM(d) AS sd, AVG(n) AS an,
AVG(b) AS ab, AVG(d) AS ad, MIN(k) AS lo, MAX(d) AS hi, MIN(x) AS mx, MAX(ts) AS last_time,
SUM(d) FILTER (WHERE n > 50) AS fd, COUNT(*) FILTER (WHERE k = 'a') AS fc, AVG(n) FILTER (WHERE n > 999) AS none"""
SIDES = """COUNT(*) AS c, COUNT(*) FILTER (WHERE n > 50) AS fc, SUM(b) AS sb, SUM(b) FILTER (WHERE n > 50) AS fb,
AVG(d) AS ad, AVG(d) FILTER (WHERE k = 'a') AS fd, MIN(x) FILTER (WHERE k = 'a') AS fx,
SUM(n) FILTER (WHERE n > 50) AS fn, MAX(ts) AS last_time, COUNT(n) FILTER (WHERE k = 'a') AS fk"""
"""Conditions that are NULL for some rows; equal aggregates differ in them."""
BOUNDS = "window_start, window_end"


def window(of: str, select: str = f"k, {ALL}", by: str = f"{BOUNDS}, k", where: str = "") -> str:
    return f"SELECT {BOUNDS}, {select} FROM TABLE({of}) {where} GROUP BY {by}"


HOP = "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)"
SESSION = "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' MINUTE)"
SLICED = {
    "hop": window(HOP),
    "hop, the slide does not divide the size": window(
        "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '7' MINUTE, INTERVAL '24' MINUTE)"
    ),
    "hop with an offset": window(
        "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '20' MINUTE, INTERVAL '-13' MINUTE)"
    ),
    "hop on the wall clock": window("HOP(TABLE t, DESCRIPTOR(inst), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)"),
    "cumulate over the days that clocks change": window(
        "CUMULATE(TABLE t, DESCRIPTOR(inst), INTERVAL '30' MINUTE, INTERVAL '1' DAY)",
        f"window_time, k, {ALL}",
        f"{BOUNDS}, window_time, k",
    ),
    "cumulate with an offset": window(
        "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR, INTERVAL '3' MINUTE)"
    ),
    "without other keys": window(HOP, ALL, BOUNDS),
    "only keys": window(HOP, "k"),
    "grouping sets": window(HOP, f"k, n, {ALL}", f"{BOUNDS}, GROUPING SETS ((k), (n), ())"),
    "filters in front and behind": window(
        HOP, where="WHERE n > 20 AND (k = 'a' OR d > 3) AND window_end > TIMESTAMP '2026-03-08 03:00:00'"
    ),
    "keys that are computed": window(HOP, f"UPPER(k) AS u, {ALL}", f"{BOUNDS}, UPPER(k)"),
    "a key computed of the window": window(
        HOP, f"k, DATE_FORMAT(window_end, 'HH:mm') AS at_, {ALL}", f"{BOUNDS}, k, DATE_FORMAT(window_end, 'HH:mm')"
    ),
    "not by the end": f"SELECT window_start, k, {ALL} FROM TABLE({HOP}) GROUP BY window_start, k",
    "in GROUP BY": f"SELECT HOP_START(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE) AS s_, k, {ALL} FROM t "
    "GROUP BY k, HOP(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE)",
    "a window of windows": "SELECT window_start, window_end, SUM(c) AS c2, MAX(sd) AS m FROM TABLE(CUMULATE((SELECT k, "
    f"window_time AS rt, COUNT(*) AS c, SUM(d) AS sd FROM TABLE({HOP}) GROUP BY {BOUNDS}, window_time, k), "
    f"DESCRIPTOR(rt), INTERVAL '1' HOUR, INTERVAL '6' HOUR)) GROUP BY {BOUNDS}",
    "sides": window(HOP, f"k, {SIDES}"),
    "sides of sessions": window(SESSION, f"k, {SIDES}"),
    "session": window(SESSION),
    "session with another key": window(SESSION, f"k, n, {ALL}", f"{BOUNDS}, k, n"),
    "session of the rows of a filter": window(SESSION, where="WHERE n > 20"),
    "session of all": window("SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '40' SECOND)"),
    "session on the wall clock": window("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(inst), INTERVAL '3' MINUTE)"),
    "session in GROUP BY": f"SELECT SESSION_START(ts, INTERVAL '2' MINUTE) AS s_, SESSION_END(ts, INTERVAL '2' MINUTE) "
    f"AS e_, k, {ALL} FROM t GROUP BY k, SESSION(ts, INTERVAL '2' MINUTE)",
}
BY_ROWS = {
    "a sum depends on the order": window(HOP, "k, SUM(x) AS a"),
    "an average depends on the order": window(HOP, "k, AVG(x) AS a"),
    "a sum without digits to spare": window(HOP, "k, SUM(w) AS a"),
    "distinct values": window(HOP, "k, COUNT(DISTINCT n) AS a"),
    "the first that came": "SELECT HOP_START(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE) AS s_, k, "
    "FIRST_VALUE(n) AS a FROM t GROUP BY k, HOP(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE)",
    "texts in order": window(HOP, "k, LISTAGG(k) AS a"),
    "the window in an aggregate": window(HOP, "k, MAX(TIMESTAMPDIFF(SECOND, ts, window_end)) AS a"),
    "the window in a key with a column": window(
        HOP, f"TIMESTAMPDIFF(DAY, ts, window_end) AS a, {ALL}", f"{BOUNDS}, TIMESTAMPDIFF(DAY, ts, window_end)"
    ),
    "the window in a filter with a column": window(HOP, where="WHERE window_end > ts + INTERVAL '10' MINUTE"),
    "a filter behind sessions": window(SESSION, where="WHERE n > 20 AND window_end > TIMESTAMP '2026-03-08 03:00:00'"),
    "hardly more windows than rows": window("HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '4' MINUTE, INTERVAL '6' MINUTE)"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows in nights in which clocks change, before 1970, without values; sums that overflow, sessions that touch."""
    chance = random.Random(20260308)
    starts = [datetime(2026, 3, 8, 0), datetime(2026, 11, 1, 0), datetime(1969, 12, 31, 22), datetime(2026, 3, 8, 4)]

    def value() -> dict[str, Any]:
        ts = chance.choice(starts) + timedelta(seconds=chance.randrange(4 * 3600))
        ts += timedelta(microseconds=chance.choice([0, 0, 1, 999, 1000, 500_000, 999_999]))
        row = {
            "k": chance.choice(["a", "b", "c", None]),
            "n": chance.choice([None, chance.randrange(100), 2**31 - 1]),
            "b": chance.choice([chance.randrange(100), 2**63 - 1, -(2**62)]),
            "s": chance.randrange(-128, 128),
            "d": chance.choice([None, "99999999.99", chance.randrange(1000) / 100]),
            "w": "1.25",
            "x": chance.choice([None, 0.1, 1e300, -2.5]),
            "ts": None if chance.random() < 0.02 else str(ts.isoformat(" ")),
            "inst": (ts + timedelta(hours=5)).isoformat(" ", "milliseconds") + "Z",
        }
        return {name: of for name, of in row.items() if of is not None}

    folder = tmp_path_factory.mktemp("slices")
    (folder / "t.json").write_text("".join(json.dumps(value()) + "\n" for _ in range(600)), "utf-8")
    return folder


def frame(sql: str, folder: Path, spark: SparkSession) -> DataFrame:
    query = prepared(f"{TABLE}{sql};", "query.sql", folder).queries[0]
    scanner = Scanner(spark, query.catalog, query.locations)
    return lowered(query.plan, spark, query.zone, scanner.scan, query.times, query.is_streaming).rows


def is_sliced(rows: DataFrame) -> bool:
    return " AS slice_" in rows._jdf.queryExecution().analyzed().toString()


@pytest.mark.parametrize("name", SLICED)
def test_slices_give_what_rows_give(
    name: str, folder: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_slices = frame(SLICED[name], folder, spark)
    monkeypatch.setattr(grouping, "sliced", lambda operator, lowering: None)
    by_rows = frame(SLICED[name], folder, spark)
    assert is_sliced(by_slices)
    assert not is_sliced(by_rows)
    assert by_slices.dtypes == by_rows.dtypes
    expected = sorted(map(str, by_rows.collect()))
    assert sorted(map(str, by_slices.collect())) == expected
    assert expected


@pytest.mark.parametrize("name", BY_ROWS)
def test_what_slices_cannot_give_is_computed_of_rows(name: str, folder: Path, spark: SparkSession) -> None:
    assert not is_sliced(frame(BY_ROWS[name], folder, spark))


GROUPED = {
    "groups": f"SELECT k, {SIDES} FROM t GROUP BY k",
    "everything": f"SELECT {SIDES} FROM t",
    "nothing": f"SELECT {SIDES} FROM t WHERE n = -1",
    "keys that are computed": f"SELECT UPPER(k) AS u, n, {SIDES} FROM t GROUP BY UPPER(k), n",
    "results": f"SELECT c, COUNT(*) AS cc, COUNT(*) FILTER (WHERE fc > 3) AS ff "
    f"FROM (SELECT k, {SIDES} FROM t GROUP BY k) GROUP BY c",
}


@pytest.mark.parametrize("name", GROUPED)
def test_parts_of_sides_give_what_rows_give(
    name: str, folder: Path, session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_sides = frame(GROUPED[name], folder, session)
    monkeypatch.setattr(grouping, "sides_of", lambda calls: ())
    by_rows = frame(GROUPED[name], folder, session)
    assert [" AS side_" in rows._jdf.queryExecution().analyzed().toString() for rows in (by_sides, by_rows)] == [
        True,
        False,
    ]
    assert sorted(by_sides.collect(), key=str) == sorted(by_rows.collect(), key=str)
