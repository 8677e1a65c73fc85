"""Another time zone of the session is unknown where state depends on it, and silent elsewhere.

Restarts of Flink 2.3 with ``UTC`` before and ``Asia/Tokyo`` behind them gave rows under other keys, or other maxima,
for each kind of expression that counts as local here: of columns, of computed columns, and of aggregates below.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Verdict

TABLE = """SET 'table.local-time-zone' = '{}';
CREATE TABLE t (
  id BIGINT, k STRING, ts TIMESTAMP(3), e TIMESTAMP_LTZ(3), f AS TO_TIMESTAMP_LTZ(id, 0),
  l AS CAST(ts AS TIMESTAMP_LTZ(3)),
  d AS CAST(e AS TIMESTAMP(3)), p AS TO_TIMESTAMP(k), WATERMARK FOR {} AS {}
) WITH ('connector' = 'kafka');
"""
LOCAL = [
    "HOUR(e)",
    "HOUR(f)",
    "EXTRACT(DAY FROM f)",
    "DATE_FORMAT(f, 'yyyy-MM-dd')",
    "CAST(f AS STRING)",
    "CAST(e AS DATE)",
    "CAST(ts AS TIMESTAMP_LTZ(3))",
    "FLOOR(f TO DAY)",
    "f > ts",
    "e >= '2026-01-01 00:00:00'",
    "e IN (TIMESTAMP '2026-01-01 00:00:00')",
    "e BETWEEN ts AND ts",
    "COALESCE(e, ts)",
    "CASE WHEN id > 5 THEN f ELSE ts END",
    "CONCAT(k, CAST(f AS STRING))",
    "CAST(ROW(e) AS ROW<a STRING>)",
    "FROM_UNIXTIME(id)",
    "l",
    "d",
]
INSTANTS = [
    "e",
    "f",
    "f > e",
    "COALESCE(e, f)",
    "CASE WHEN e > f THEN e ELSE f END",
    "GREATEST(e, f)",
    "e + INTERVAL '1' DAY",
    "e IS NULL",
    "CAST(e AS TIMESTAMP_LTZ(6))",
    "TO_TIMESTAMP_LTZ(id, 3)",
    "HOUR(ts)",
    "CAST(ts AS DATE)",
    "ts > '2026-01-01 00:00:00'",
]


def verdict(query: str, engine: str, time: str = "e") -> Verdict:
    was, now = (JobVersion(f"{TABLE.format(zone, time, time)}{query};") for zone in ("UTC", "Asia/Tokyo"))
    return check(now, was, engine).verdict


def queries(value: str) -> list[str]:
    return [
        f"SELECT {value} AS v, COUNT(*) FROM t GROUP BY {value}",
        f"SELECT k, COUNT(DISTINCT {value}) FROM t GROUP BY k",
        f"SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS rn "
        f"FROM (SELECT k, id, {value} AS v FROM t)) WHERE rn <= 2",
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", LOCAL)
def test_what_depends_on_the_zone_is_unknown(value: str, engine: str) -> None:
    assert [verdict(query, engine) for query in queries(value)] == [Verdict.UNKNOWN] * 3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("value", INSTANTS)
def test_what_does_not_is_silent(value: str, engine: str) -> None:
    assert [verdict(query, engine) for query in queries(value)] == [Verdict.COMPATIBLE] * 3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT HOUR(e) FROM t", Verdict.COMPATIBLE),
        ("SELECT k, HOUR(MAX(e)) FROM t GROUP BY k", Verdict.COMPATIBLE),
        ("SELECT h, COUNT(*) FROM (SELECT HOUR(MAX(e)) AS h FROM t GROUP BY k) GROUP BY h", Verdict.UNKNOWN),
        ("SELECT k, COUNT(*) FROM t WHERE e > ts GROUP BY k", Verdict.UNKNOWN),
        ("SELECT k, COUNT(*) FROM t WHERE f > e GROUP BY k", Verdict.COMPATIBLE),
    ],
)
def test_only_what_state_is_made_of_counts(query: str, found: Verdict, engine: str) -> None:
    assert verdict(query, engine) is found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("time", "found"),
    [
        ("e", Verdict.UNKNOWN),
        ("f", Verdict.UNKNOWN),
        ("ts", Verdict.COMPATIBLE),
        ("p", Verdict.COMPATIBLE),
        ("d", Verdict.UNKNOWN),
    ],
)
def test_windows_follow_the_zone_of_their_time(time: str, found: Verdict, engine: str) -> None:
    day = f"TABLE(TUMBLE(TABLE t, DESCRIPTOR({time}), INTERVAL '1' DAY))"
    assert verdict(f"SELECT k, COUNT(*) FROM {day} GROUP BY k, window_start, window_end", engine, time) is found
    group = f"SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE({time}, INTERVAL '1' DAY)"
    assert verdict(group, engine, time) is found
