"""Replays of queries of all kinds, held against plain runs: of all rows, and of those that come after the restart.

The expected results of a replay are those of a run of everything; its results without state are those of a run of the
rest; and each wrong result of the rest is reported.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate import JobVersion, analyse
from keepstate_spark.jobs import Query, prepared
from keepstate_spark.lowering.operators.plan_frames import lowered
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.replay.claims import tested
from keepstate_spark.replay.replayed_query import MetricOutcome, ReplayedQuery, replayed
from keepstate_spark.replay.restart_points import Arrivals, restart_time
from keepstate_spark.replay.scenarios import Scenario
from keepstate_spark.sources.scanning import Scanner

RESTART = "2026-03-01 10:20:00"
TABLES = """CREATE TABLE o (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = 'o.jsonl', 'format' = 'json');
CREATE TABLE p (pk STRING, w INT, pt TIMESTAMP_LTZ(3), WATERMARK FOR pt AS pt)
  WITH ('connector' = 'filesystem', 'path' = 'p.jsonl', 'format' = 'json');
CREATE TABLE q (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' MINUTES)
  WITH ('connector' = 'filesystem', 'path' = 'o.jsonl', 'format' = 'json');
CREATE TABLE names (code STRING, name STRING)
  WITH ('connector' = 'filesystem', 'path' = 'names.jsonl', 'format' = 'json');
SET 'table.local-time-zone' = 'Europe/Berlin';
"""


def windowed(window: str, of: str = "SUM(v) AS s", by: str = "k") -> str:
    bounds = f"window_start, window_end, {by}"
    return f"SELECT {bounds}, {of} FROM TABLE({window}) GROUP BY {bounds}"


TUMBLE = "TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR)"
SHORT = (
    "SELECT window_time AS rt, k, SUM(v) AS s FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) "
    "GROUP BY window_start, window_end, window_time, k"
)
NUMBERED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS r FROM {rows}"

JOINED_WINDOWS = (
    f"SELECT l.window_start, l.window_end, l.k, l.id, r.w FROM (SELECT * FROM TABLE({TUMBLE})) l JOIN (SELECT * FROM "
    "TABLE(TUMBLE(TABLE p, DESCRIPTOR(pt), INTERVAL '1' HOUR))) r ON l.k = r.pk AND l.v = r.w AND "
    "l.window_start = r.window_start AND l.window_end = r.window_end"
)
ROWS_OF_WINDOWS = (
    "SELECT window_start, window_end, id, v, r FROM ("
    + NUMBERED.format(by="window_start, window_end, k", order="v DESC, id", rows=f"TABLE({TUMBLE})")
    + ") WHERE r <= 2"
)
QUERIES = {
    "an offset": windowed("TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '-7' MINUTES)"),
    "a day in the zone of the job": windowed("TUMBLE(TABLE p, DESCRIPTOR(pt), INTERVAL '1' DAY)", "SUM(w) AS s", "pk"),
    "several aggregates in one column": windowed(TUMBLE, "SUM(v) * 1.0 / COUNT(*) AS mean, LISTAGG('x') AS l"),
    "having": windowed(TUMBLE) + " HAVING SUM(v) > 200",
    "a window in GROUP BY": "SELECT k, HOP_START(ts, INTERVAL '20' MINUTES, INTERVAL '1' HOUR) AS b, COUNT(*) AS c "
    "FROM o GROUP BY k, HOP(ts, INTERVAL '20' MINUTES, INTERVAL '1' HOUR)",
    "grouping sets": "SELECT window_start, window_end, k, SUM(v) AS s FROM TABLE(" + TUMBLE + ") "
    "GROUP BY window_start, window_end, CUBE (k)",
    "windows of windows": f"SELECT window_start, window_end, SUM(s) AS t, MAX(s) AS m FROM TABLE(TUMBLE(({SHORT}), "
    "DESCRIPTOR(rt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end",
    "window Top-N": "SELECT window_start, window_end, k, s, r FROM ("
    + NUMBERED.format(by="window_start, window_end", order="s DESC", rows=f"({windowed(TUMBLE)})")
    + ") WHERE r <= 2",
    "window Top-N of rows": ROWS_OF_WINDOWS,
    "groups": "SELECT k, SUM(v) AS s, MAX(v) AS m, AVG(v) AS a, COUNT(DISTINCT v) AS d, FIRST_VALUE(v) AS f FROM o "
    "GROUP BY k",
    "distinct rows": "SELECT DISTINCT k, v FROM o",
    "the first row of a key": f"SELECT k, v FROM ({NUMBERED.format(by='k', order='ts ASC', rows='o')}) WHERE r = 1",
    "Top-N of rows": f"SELECT k, v, id, r FROM ({NUMBERED.format(by='k', order='v DESC, id', rows='o')}) WHERE r <= 2",
    "running totals": "SELECT k, id, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM o",
    "the last rows": "SELECT k, id, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '2' MINUTES "
    "PRECEDING AND CURRENT ROW) AS c, LAG(v) OVER (PARTITION BY k ORDER BY ts) AS b FROM o",
    "an interval join": "SELECT o.id, w FROM o JOIN p ON k = pk AND ts BETWEEN CAST(pt AS TIMESTAMP(3)) - INTERVAL '5' "
    "MINUTES AND CAST(pt AS TIMESTAMP(3))",
    "a join of windows": f"SELECT window_start, window_end, id, w FROM ({JOINED_WINDOWS})",
    "windows of a join of windows": "SELECT window_start, window_end, k, COUNT(*) AS c, SUM(w) AS s FROM "
    f"({JOINED_WINDOWS}) GROUP BY window_start, window_end, k",
    "running totals behind a watermark": "SELECT k, id, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM q",
    "rows in their order": "SELECT k, id FROM q ORDER BY ts",
    "groups of a join": "SELECT k, COUNT(*) AS c, SUM(w) AS s FROM o JOIN p ON k = pk AND v = w GROUP BY k",
    "groups that HAVING holds back": "SELECT k, COUNT(*) AS c FROM o GROUP BY k HAVING MAX(k) > 'a'",
    "one group of groups": "SELECT SUM(c) AS s, MAX(c) AS m FROM (SELECT k, COUNT(*) AS c FROM o GROUP BY k)",
    "one group of distinct rows": "SELECT COUNT(*) AS c FROM (SELECT DISTINCT k, v FROM o)",
    "groups of groups": "SELECT g, SUM(c) AS s FROM (SELECT k, MOD(v, 3) AS g, COUNT(*) AS c FROM o GROUP BY k, "
    "MOD(v, 3)) GROUP BY g",
    "groups of a union": "SELECT k, COUNT(*) AS c FROM (SELECT k, v FROM o UNION ALL SELECT pk, w FROM p WHERE w > 3) "
    "GROUP BY k",
}
REFUSED = {
    "an outer join": ("SELECT o.id, w FROM o LEFT JOIN p ON k = pk", "a join of the kind left"),
    "keys that change": (
        "SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c FROM o GROUP BY k) GROUP BY c",
        "key COUNT",
    ),
    "a table without a time": ("SELECT code, COUNT(*) AS c FROM names GROUP BY code", "--arrival names=COLUMN"),
    "LIMIT": ("SELECT k, v FROM o ORDER BY v LIMIT 3", "cannot be told of single rows"),
}
GROUPS = "SELECT k, SUM(v) AS s FROM o GROUP BY k"
BY_CHANCE = {
    "an aggregate": ("SELECT k, SUM(v * RAND()) AS s FROM o GROUP BY k", "RAND", "RAND()"),
    "an aggregate of a window": (windowed(TUMBLE, "SUM(RAND_INTEGER(5)) AS s"), "RAND_INTEGER", "RAND_INTEGER(5)"),
    "a filter": (GROUPS.replace(" GROUP", " WHERE RAND() < 0.5 GROUP"), "RAND", "RAND()"),
    "a filter of windows": (windowed(TUMBLE).replace(" GROUP BY", " WHERE RAND() < 0.5 GROUP BY"), "RAND", "RAND()"),
    "HAVING": (f"{GROUPS} HAVING SUM(v) > RAND_INTEGER(9)", "RAND_INTEGER", "RAND_INTEGER(9)"),
    "a key": ("SELECT g, COUNT(*) AS c FROM (SELECT RAND_INTEGER(3) AS g FROM o) GROUP BY g", "RAND_INTEGER", ""),
    "DISTINCT": ("SELECT DISTINCT UUID() AS u, k FROM o", "UUID", "UUID()"),
    "a value beside an aggregate": ("SELECT k, SUM(v) + RAND() AS s FROM o GROUP BY k", "RAND", "RAND()"),
    "a row of a Top-N": (
        f"SELECT k, id, u FROM ({NUMBERED.format(by='k', order='v DESC, id', rows='(SELECT *, UUID() AS u FROM o)')}) "
        "WHERE r <= 2",
        "UUID",
        "*",
    ),
    "an order": (
        f"SELECT k, id FROM ({NUMBERED.format(by='k', order='c', rows='(SELECT *, RAND() AS c FROM o)')}) WHERE r <= 2",
        "RAND",
        "c",
    ),
    "a join": ("SELECT k, w FROM o JOIN p ON k = pk AND v > RAND_INTEGER(3)", "RAND_INTEGER", "RAND_INTEGER(3)"),
    "a row of a join": ("SELECT k, w, UUID() AS u FROM o JOIN p ON k = pk AND v = w", "UUID", "UUID()"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replays")
    chance = random.Random(7)
    time = datetime(2026, 3, 1, 9)
    with (folder / "o.jsonl").open("w") as rows, (folder / "p.jsonl").open("w") as others:
        for number in range(220):
            time += timedelta(seconds=chance.randint(1, 70))
            row = {"id": number, "k": chance.choice("abc"), "v": chance.randint(-3, 20), "ts": time.isoformat(" ")}
            rows.write(json.dumps(row) + "\n")
            if number % 3 == 0:
                # Berlin is an hour ahead.
                moment = (time - timedelta(hours=1, seconds=-20)).isoformat(" ") + "Z"
                others.write(json.dumps({"pk": chance.choice("abc"), "w": chance.randint(0, 9), "pt": moment}) + "\n")
    (folder / "names.jsonl").write_text('{"code": "a", "name": "A"}\n')
    return folder


@pytest.fixture(scope="module")
def rest(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of after the restart alone."""
    rest = tmp_path_factory.mktemp("rest")
    for name, time, restart in (("o", "ts", RESTART), ("p", "pt", "2026-03-01 09:20:00")):
        lines = (folder / f"{name}.jsonl").read_text().splitlines()
        kept = [line for line in lines if json.loads(line)[time] >= restart]
        assert 0 < len(kept) < len(lines)
        (rest / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in kept))
    return rest


Replay = Callable[..., ReplayedQuery]


@pytest.fixture
def replay(folder: Path, session: SparkSession) -> Replay:
    def replay(current: str, baseline: str | None = None, time: str = RESTART, **arrivals: str) -> ReplayedQuery:
        query = only_query(current, folder)
        versions = (JobVersion(f"{TABLES}INSERT INTO s {sql};") for sql in (current, baseline or current))
        restart = analyse(*versions).restart().queries[0]
        scanner = Scanner(session, query.catalog, query.locations)
        return replayed(query, restart, session, scanner, Arrivals(query, arrivals), restart_time(time, query.zone))

    return replay


def only_query(sql: str, folder: Path) -> Query:
    return prepared(f"{TABLES}INSERT INTO s {sql};", "job.sql", folder).queries[0]


def run(sql: str, folder: Path, session: SparkSession) -> Counter[tuple[Any, ...]]:
    query = only_query(sql, folder)
    scanner = Scanner(session, query.catalog, query.locations)
    result = lowered(query.plan, session, query.zone, scanner.scan, query.times, query.is_streaming)
    return Counter(tuple(row) for row in result.rows.collect())


def results(found: ReplayedQuery, scenario: Scenario) -> Counter[tuple[Any, ...]]:
    """The results of a replay in one scenario, in the columns of the query."""
    columns = {key.name: key.column for key in found.keys} | {
        metric.name: metric.of(scenario) for metric in found.metrics
    }
    columns = {"window_start": "window_start", "window_end": "window_end", "b": "window_start"} | columns
    rows = (row.asDict() for row in found.rows.collect())
    return Counter(
        tuple(row[columns[name]] for name in found.query.plan.names) for row in rows if row[f"present_{scenario.value}"]
    )


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_a_replay_is_two_runs_in_one(sql: str, replay: Replay, folder: Path, rest: Path, session: SparkSession) -> None:
    found = replay(sql)
    expected, without = results(found, Scenario.EXPECTED), results(found, Scenario.WITHOUT_STATE)
    assert results(found, Scenario.RESTARTED) == expected
    whole, alone = run(sql, folder, session), run(sql, rest, session)
    assert expected, "the restart concerns nothing"
    assert not expected - whole
    assert not without - alone
    # Rows that are only there or not are there again when they come again.
    assert expected != without or not found.metrics
    assert not (alone - whole) - without, "a wrong result is not told"
    presence = [[row[f"present_{scenario.value}"] for scenario in Scenario] for row in found.rows.collect()]
    assert all(map(any, presence)), "a result of no scenario is counted"


HELD = """CREATE TABLE o (id INT, k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '15' MINUTES)
  WITH ('connector' = 'filesystem', 'path' = 'held.jsonl', 'format' = 'json');
CREATE TABLE r (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '15' MINUTES,
  PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'path' = 'versions.jsonl', 'format' = 'json');
"""
SPLIT = "SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '30' MINUTES))"
OF_TWO_WINDOWS = (
    f"SELECT a.id, b.id FROM ({SPLIT} WHERE n < 5) a JOIN ({SPLIT} WHERE n > 1) b ON a.n + 1 = b.n "
    "AND a.window_start = b.window_start AND a.window_end = b.window_end"
)


@pytest.mark.parametrize(
    ("sql", "expected", "alone"),
    [
        # What Flink 2.3.0 gave from the beginning, and what it gave of the rows behind a savepoint alone.
        ("SELECT id, SUM(n) OVER (PARTITION BY k ORDER BY ts) AS s FROM o", 8, 3),
        ("SELECT o.id, r.n FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k", 8, 3),
        ("SELECT id FROM o ORDER BY ts", 8, 3),
        (OF_TWO_WINDOWS, 4, 0),
    ],
    ids=["OVER", "FOR SYSTEM_TIME AS OF", "ORDER BY", "a join of windows"],
)
def test_rows_that_wait_for_the_watermark_are_lost(
    sql: str, expected: int, alone: int, session: SparkSession, tmp_path: Path
) -> None:
    for name, offset in (("held", 30), ("versions", 0)):
        times = (datetime(2026, 3, 1, 10, minute, offset).isoformat(" ") for minute in range(1, 9))
        rows = (json.dumps({"id": n, "k": "a", "n": n, "ts": time}) for n, time in enumerate(times, 1))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows), "utf-8")
    query = prepared(f"{HELD}{sql};", "job.sql", tmp_path, {"r": str(tmp_path / "versions.jsonl")}).queries[0]
    text = f"{HELD}INSERT INTO s {sql};"
    restart = analyse(JobVersion(text), JobVersion(text)).restart().queries[0]
    scanner = Scanner(session, query.catalog, query.locations)
    at = restart_time("2026-03-01 10:06:00", query.zone)
    found = replayed(query, restart, session, scanner, Arrivals(query, {}), at)
    present = [row.asDict() for row in found.rows.collect()]
    assert sum(row["present_expected"] for row in present) == expected
    assert sum(row["present_without_state"] for row in present) == alone


def test_rows_of_windows_come_out_when_these_end(replay: Replay) -> None:
    rows = [row.asDict() for row in replay(ROWS_OF_WINDOWS).rows.collect()]
    assert rows
    assert [row["at"] for row in rows] == [row["window_end"] for row in rows]


@pytest.mark.parametrize(("sql", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_known_is_refused(sql: str, words: str, replay: Replay) -> None:
    with pytest.raises(NotLowerable) as refused:
        replay(sql)
    assert words in refused.value.sentence


@pytest.mark.parametrize(("sql", "name", "words"), BY_CHANCE.values(), ids=BY_CHANCE)
def test_values_by_chance_are_refused_where_they_are_compared(sql: str, name: str, words: str, replay: Replay) -> None:
    with pytest.raises(NotLowerable, match=f"^{name} gives another value each time") as refused:
        replay(sql)
    assert refused.value.place is not None
    assert words in refused.value.place.text


@pytest.mark.parametrize("sql", [GROUPS, windowed(TUMBLE)], ids=["groups", "windows"])
def test_values_by_chance_that_nothing_compares_stay(sql: str, replay: Replay) -> None:
    of_chance = replay(sql.replace("SUM(v) AS s", "SUM(v) AS s, UUID() AS u, RAND() AS r"))
    plain = replay(sql)
    assert sorted(map(str, of_chance.rows.collect())) == sorted(map(str, plain.rows.collect()))
    assert [metric.name for metric in of_chance.metrics] == ["s"]


def test_a_new_metric_starts_empty(replay: Replay, rest: Path, session: SparkSession) -> None:
    found = replay(windowed(TUMBLE, "SUM(v) AS s, COUNT(*) AS c"), windowed(TUMBLE))
    assert {metric.name: metric.fate for metric in found.metrics} == {
        "s": MetricOutcome.KEPT,
        "c": MetricOutcome.STARTS_EMPTY,
    }
    alone = {row[2]: row[3] for row in run(windowed(TUMBLE, "COUNT(*) AS c"), rest, session) if row[0].hour == 10}
    rows = [row.asDict() for row in found.rows.collect()]
    assert {row["k0"]: row["m1_restarted"] for row in rows} == alone
    assert all(row["m0_restarted"] == row["m0_expected"] for row in rows)


def test_a_column_may_hold_the_arrivals(folder: Path, session: SparkSession, tmp_path: Path) -> None:
    """A row that happened early and came late counts as one of after the restart."""
    lines = [
        {"k": "a", "v": 1, "ts": "2026-03-01 10:01:00", "came": "2026-03-01 10:01:01"},
        {"k": "a", "v": 2, "ts": "2026-03-01 10:02:00", "came": "2026-03-01 10:30:00"},
        {"k": "a", "v": 4, "ts": "2026-03-01 10:40:00", "came": "2026-03-01 10:40:00"},
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = """CREATE TABLE t (k STRING, v INT, came TIMESTAMP(3), ts TIMESTAMP(3),
        WATERMARK FOR ts AS ts - INTERVAL '1' HOUR)
        WITH ('connector' = 'filesystem', 'path' = 't.jsonl', 'format' = 'json');
        SELECT window_start, window_end, k, SUM(v) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))
        GROUP BY window_start, window_end, k"""
    query = prepared(text, "job.sql", tmp_path).queries[0]
    restart = analyse(JobVersion(text), JobVersion(text)).restart().queries[0]
    without = {}
    for arrivals in ({}, {"t": "came"}):
        scanner = Scanner(session, query.catalog, query.locations)
        found = replayed(query, restart, session, scanner, Arrivals(query, arrivals), datetime(2026, 3, 1, 10, 20))
        (row,) = found.rows.collect()
        without[bool(arrivals)] = row["m0_without_state"]
    assert without == {False: 4, True: 6}


def test_sessions_need_rows_in_order(folder: Path, session: SparkSession) -> None:
    query = only_query(windowed("SESSION(TABLE o PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"), folder)
    restart = analyse(JobVersion(query.pipeline.statement.text), JobVersion("")).restart().queries[0]
    scanner = Scanner(session, query.catalog, query.locations)
    with pytest.raises(NotLowerable, match="out of order"):
        replayed(query, restart, session, scanner, Arrivals(query, {"o": "ts"}), datetime(2026, 3, 1, 10, 20))


def test_a_claim_compares_no_values_by_chance(replay: Replay, folder: Path, session: SparkSession) -> None:
    now, before = (
        windowed(TUMBLE, "SUM(v) AS s, COUNT(*) AS c, UUID() AS u"),
        windowed(TUMBLE, "SUM(v) AS s, UUID() AS u"),
    )
    found = replay(now, before)
    time, arrivals = restart_time(RESTART, found.query.zone), Arrivals(found.query, {})
    claim = tested(found, only_query(before, folder), session, arrivals, time, frames=None)
    assert claim is not None and (claim.results, claim.faults) == (3, 0)
    filtered = only_query(before.replace(" GROUP BY", " WHERE RAND() < 0.5 GROUP BY"), folder)
    claim = tested(found, filtered, session, arrivals, time, frames=None)
    assert claim is not None and "RAND gives another value each time" in claim.reason


@pytest.mark.parametrize(
    ("former", "faults"),
    [
        (windowed(TUMBLE, "SUM(v) AS s"), 0),
        (windowed(TUMBLE, "SUM(v) AS s").replace(" GROUP BY", " WHERE v > 5 GROUP BY"), 3),
    ],
    ids=["true", "false"],
)
def test_a_claim_is_tested_on_rows(
    former: str, faults: int, replay: Replay, folder: Path, session: SparkSession
) -> None:
    """A wrong verdict would be reported: here the baseline is another one than that of the verdict."""
    now = windowed(TUMBLE, "SUM(v) AS s, COUNT(*) AS c")
    found = replay(now, windowed(TUMBLE))
    claim = tested(
        found,
        only_query(former, folder),
        session,
        Arrivals(found.query, {}),
        restart_time(RESTART, found.query.zone),
        frames=None,
    )
    assert claim is not None and (claim.results, claim.faults) == (3, faults)
