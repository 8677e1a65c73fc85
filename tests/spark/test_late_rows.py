"""Rows that come too late: left out where Flink 2.3.0 left them out, counted always.

``flink/late.jsonl`` has queries over rows in disorder with the rows that Flink gave in streaming mode, with a watermark
behind every row (``pipeline.auto-watermark-interval`` of nothing) and a single reader.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from keepstate.plan.types.logical_types import timestamp
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.runnable import runnable
from keepstate_spark.running import LoweredQuery, lowered_query
from keepstate_spark.sources import locations
from keepstate_spark.sources.row_watermarks import RowTimes, may_be_behind, with_watermark
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLE = """SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE readings (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = 'readings.json', 'format' = 'json');
CREATE TABLE disorder (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'filesystem', 'path' = 'disorder.json', 'format' = 'json');
CREATE TABLE early (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'early.json', 'format' = 'json');
CREATE TABLE moved (
  id INT, k STRING, v INT, ts TIMESTAMP(3), later AS ts + INTERVAL '1' SECOND,
  WATERMARK FOR later AS later - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'readings.json', 'format' = 'json');
CREATE VIEW in_order AS SELECT * FROM disorder ORDER BY ts;
"""
ANSWERS = [json.loads(line) for line in (FLINK / "late.jsonl").read_text("utf-8").splitlines()]
MINUTE = (
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
    "GROUP BY window_start, window_end"
)

TIME = timestamp(3)

Run = Callable[..., LoweredQuery]


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Run:
    def run(
        sql: str, rows: dict[str, list[str]], ts: str = "TIMESTAMP(3)", zone: str = "UTC", **options: Any
    ) -> LoweredQuery:
        for name, times in rows.items():
            (tmp_path / name).write_text("".join(f'{{"ts": "{time}"}}\n' for time in times), "utf-8")
        watermark = options.pop("watermark", "ts")
        settings = options.pop("settings", {})
        table = f"CREATE TABLE t (ts {ts}, WATERMARK FOR ts AS {watermark}) WITH ('connector' = 'kafka');"
        text = f"SET 'table.local-time-zone' = '{zone}';{table}{sql};"
        script = prepared(text, "job.sql", tmp_path, {"t": str(tmp_path)}, settings)
        return lowered_query(script, script.queries[0], spark, **options)

    return run


SIDE = "SELECT * FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND)){}"
WINDOWS = "a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"


@pytest.mark.parametrize(
    ("left", "right", "on"),
    [
        (SIDE.format("readings", ""), SIDE.format("readings", " WHERE v > 3"), WINDOWS),
        (SIDE.format("readings", ""), SIDE.format("readings", ""), f"{WINDOWS} AND b.v > 3"),
        (SIDE.format("readings", ""), SIDE.format("disorder", ""), WINDOWS),
        (SIDE.format("readings", ""), SIDE.format("readings", ""), WINDOWS),
    ],
)
def test_a_window_join_with_late_rows_is_refused(left: str, right: str, on: str, spark: SparkSession) -> None:
    sql = f"SELECT a.id, b.id FROM ({left}) a LEFT JOIN ({right}) b ON {on};"
    script = prepared(f"{TABLE}{sql}", "late.sql", FLINK)
    with pytest.raises(PipelineError, match="depends on the pace of both inputs"):
        lowered_query(script, script.queries[0], spark)
    assert lowered_query(script, script.queries[0], spark, drops_late=False).names


LATEST = """CREATE VIEW latest AS SELECT k, v, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM readings) WHERE rn = 1;
"""
OPEN_JOINS = [
    "SELECT a.id, b.id FROM readings a, readings b WHERE a.k = b.k "
    "AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '10' SECOND",
    "SELECT a.id, b.id FROM readings a LEFT JOIN disorder b ON a.k = b.k "
    "AND b.ts BETWEEN a.ts - INTERVAL '1' SECOND AND a.ts",
    "SELECT a.id, b.v FROM readings a LEFT JOIN latest FOR SYSTEM_TIME AS OF a.ts AS b ON a.k = b.k",
]


@pytest.mark.parametrize("sql", OPEN_JOINS)
def test_a_join_by_time_with_partners_of_late_rows_is_refused(sql: str, spark: SparkSession) -> None:
    """Several runs of Flink gave other rows each."""
    script = prepared(f"{TABLE}{LATEST}{sql};", "late.sql", FLINK)
    with pytest.raises(PipelineError, match="depends on the pace of both inputs"):
        lowered_query(script, script.queries[0], spark)
    query = lowered_query(script, script.queries[0], spark, drops_late=False)
    assert list(query.values()) and not any(late.certain or late.left_out for late in query.late_rows())


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['sql']} {answer.get('settings', '')}" for answer in ANSWERS])
def test_rows_are_left_out_where_flink_leaves_them_out(answer: dict[str, Any], spark: SparkSession) -> None:
    script = prepared(f"{TABLE}{LATEST}{answer['sql']};", "late.sql", FLINK, parameters=answer.get("settings"))
    query = lowered_query(script, script.queries[0], spark)
    assert comparable(list(query.values())) == comparable(answer["rows"])


def test_a_frame_of_a_time_above_another_over_is_refused_for_late_rows(run: Run) -> None:
    lower = "(SELECT ts, COUNT(*) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM t)"
    sql = f"SELECT SUM(n) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '9' SECOND PRECEDING AND CURRENT ROW) FROM {lower}"
    on_time = ["2026-03-01 10:00:10", "2026-03-01 10:01:30"]
    behind = "ts - INTERVAL '5' SECOND"
    assert len(list(run(sql, {"a.json": on_time}, watermark=behind).values())) == 2
    with pytest.raises(PipelineError, match="ends by the order in which the OVER below sends its rows out"):
        run(sql, {"a.json": [*on_time, "2026-03-01 10:01:20"]}, watermark=behind)


@pytest.mark.parametrize(("version", "count"), [("1.20", 3), ("2.2", 2), (None, 2)])
def test_an_unread_over_below_a_count_drops_late_rows_from_flink_2_2_on(
    version: str | None, count: int, spark: SparkSession, tmp_path: Path
) -> None:
    times = ["2026-03-01 10:00:10", "2026-03-01 10:01:30", "2026-03-01 10:01:29"]
    (tmp_path / "t.json").write_text("".join(f'{{"ts": "{time}"}}\n' for time in times), "utf-8")
    sql = (
        "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
        "SELECT COUNT(*) FROM (SELECT ts, SUM(1) OVER (ORDER BY ts) AS s FROM t);"
    )
    script = runnable(sql, "job.sql", tmp_path, [version], {"t": str(tmp_path)}, {})
    assert list(lowered_query(script, script.queries[0], spark).values()) == [[count]]


def test_late_rows_are_counted_and_shown(run: Run) -> None:
    rows = {"a.json": ["2026-03-01 10:00:10", "2026-03-01 10:01:30", "2026-03-01 10:00:59.999"]}
    query = run(MINUTE, rows)
    assert sorted(query.values()) == [["2026-03-01 10:00:00", 1], ["2026-03-01 10:01:00", 1]]
    (late,) = query.late_rows()
    assert (late.tables, late.operator, late.count, late.left_out, late.certain) == ("t", "TUMBLE", 1, True, True)
    assert late.example == "2026-03-01 10:00:59.999 came when the watermark was at 2026-03-01 10:01:30"


def test_late_rows_may_be_kept_and_are_still_counted(run: Run) -> None:
    rows = {"a.json": ["2026-03-01 10:00:10", "2026-03-01 10:01:30", "2026-03-01 10:00:59.999"]}
    query = run(MINUTE, rows, drops_late=False)
    assert sorted(query.values()) == [["2026-03-01 10:00:00", 2], ["2026-03-01 10:01:00", 1]]
    (late,) = query.late_rows()
    assert (late.count, late.left_out) == (1, False)


def test_sessions_may_keep_late_rows(run: Run) -> None:
    sql = (
        "SELECT window_start, COUNT(*) FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
        "GROUP BY window_start, window_end"
    )
    rows = {"a.json": ["2026-03-01 10:00:00", "2026-03-01 10:01:00", "2026-03-01 10:00:05"]}
    kept, dropped = run(sql, rows, drops_late=False), run(sql, rows)
    assert sorted(kept.values()) == [["2026-03-01 10:00:00", 2], ["2026-03-01 10:01:00", 1]]
    assert sorted(dropped.values()) == [["2026-03-01 10:00:00", 1], ["2026-03-01 10:01:00", 1]]
    assert [late.count for query in (kept, dropped) for late in query.late_rows()] == [1, 1]


def test_bounded_over_may_keep_late_rows(run: Run) -> None:
    frame = "ORDER BY ts RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW"
    rows = {"a.json": ["2026-03-01 10:00:00", "2026-03-01 10:01:00", "2026-03-01 10:00:05"]}
    kept, dropped = (run(f"SELECT COUNT(*) OVER ({frame}) FROM t", rows, drops_late=late) for late in (False, True))
    assert sorted(kept.values()) == [[1], [2], [3]]
    assert sorted(dropped.values()) == [[1], [2]]
    assert [(late.operator, late.count) for query in (kept, dropped) for late in query.late_rows()] == [("OVER", 1)] * 2


@pytest.mark.parametrize(
    ("sql", "numbers", "late"),
    [
        ("SELECT ROW_NUMBER() OVER (ORDER BY ts) FROM t", [1, 2], 1),
        ("SELECT ROW_NUMBER() OVER (PARTITION BY CAST(ts AS DATE) ORDER BY ts) FROM t", [1, 2], 1),
        # A Top-N takes each row.
        ("SELECT r FROM (SELECT ROW_NUMBER() OVER (ORDER BY ts) AS r FROM t) WHERE r <= 5", [1, 2, 3], 0),
        ("SELECT r FROM (SELECT ROW_NUMBER() OVER (ORDER BY ts DESC) AS r FROM t) WHERE r <= 5", [1, 2, 3], 0),
    ],
)
def test_numbers_of_all_rows_count_no_late_row(run: Run, sql: str, numbers: list[int], late: int) -> None:
    rows = {"a.json": ["2026-03-01 10:00:00", "2026-03-01 10:01:00", "2026-03-01 10:00:05"]}
    query = run(sql, rows, drops_late=True)
    assert sorted(query.values()) == [[number] for number in numbers]
    assert [(one.operator, one.count) for one in query.late_rows()] == [("OVER", late)] * late


@pytest.mark.parametrize(
    ("last", "late"),
    [
        # The window is closed by the watermark at its last millisecond, not before.
        ("2026-03-01 10:00:59.998", 0),
        ("2026-03-01 10:00:59.999", 1),
    ],
)
def test_window_is_closed_at_its_last_millisecond(run: Run, last: str, late: int) -> None:
    query = run(MINUTE, {"a.json": [last, "2026-03-01 10:00:01"]})
    assert list(query.values()) == [["2026-03-01 10:00:00", 2 - late]]
    assert sum(one.count for one in query.late_rows()) == late


def test_watermark_does_not_go_back_and_null_gives_none(run: Run) -> None:
    rows = {"a.json": ["2026-03-01 10:05:00", "2026-03-01 10:04:00"]}
    rows["b.json"] = ["2026-03-01 10:04:30", "2026-03-01 10:05:01"]
    watermark = "CASE WHEN ts > TIMESTAMP '2026-03-01 10:04:59' THEN ts END"
    query = run(MINUTE, rows, watermark=watermark)
    assert list(query.values()) == [["2026-03-01 10:05:00", 2]]
    assert sum(late.count for late in query.late_rows()) == 2


@pytest.mark.parametrize("watermark", ["ts - INTERVAL '1' HOUR", "SOURCE_WATERMARK()"])
def test_rows_in_front_of_the_watermark_are_not_late(run: Run, watermark: str) -> None:
    query = run(MINUTE, {"a.json": ["2026-03-01 10:05:00", "2026-03-01 10:04:00"]}, watermark=watermark)
    assert len(list(query.values())) == 2
    assert query.late_rows() == []


def test_in_batch_mode_nothing_is_late(run: Run) -> None:
    rows = {"a.json": ["2026-03-01 10:05:00", "2026-03-01 10:04:00"]}
    query = run(MINUTE, rows, settings={"execution.runtime-mode": "BATCH"})
    assert len(list(query.values())) == 2
    assert query.late_rows() == []


def test_hour_that_comes_twice_is_closed_when_it_is_over(run: Run) -> None:
    """The windows of the hour after 02:00 in Berlin wait until both of them are over."""
    sql = MINUTE.replace("'1' MINUTE", "'1' HOUR")
    ltz = "TIMESTAMP_LTZ(3)"
    first, second, late = "2026-10-25 00:30:00Z", "2026-10-25 01:59:59.998Z", "2026-10-25 00:10:00Z"
    query = run(sql, {"a.json": [first, second, late]}, ltz, "Europe/Berlin")
    assert list(query.values()) == [["2026-10-25 02:00:00", 3]]
    query = run(sql, {"a.json": [first, "2026-10-25 01:59:59.999Z", late]}, ltz, "Europe/Berlin")
    assert list(query.values()) == [["2026-10-25 02:00:00", 2]]


UNION = "(SELECT ts FROM t UNION ALL SELECT ts FROM t)"
UNITED = MINUTE.replace("TABLE t,", f"(SELECT * FROM {UNION}),")
FIRST_OF_UNION = (
    "SELECT MIN(ts) FROM (SELECT ts FROM t UNION ALL SELECT ts FROM t) GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)"
)
DISORDER = {"a.json": ["2026-03-01 10:05:00", "2026-03-01 10:04:00"]}


def test_a_union_with_late_rows_is_refused(run: Run) -> None:
    """Three runs of Flink over one table twice gave 73 changes once and 75 twice: the slowest input decides."""
    with pytest.raises(PipelineError, match=r"A UNION ALL of t .* depends on the pace of its inputs"):
        run(UNITED, DISORDER)
    assert sorted(run(UNITED, DISORDER, drops_late=False).values()) == [
        ["2026-03-01 10:04:00", 2],
        ["2026-03-01 10:05:00", 2],
    ]


@pytest.mark.parametrize("of", [UNION, UNION.replace(" ALL", ""), f"({UNION})", UNION.replace("UNION ALL", "EXCEPT")])
def test_a_union_that_is_written_within_a_window_is_refused(of: str, run: Run) -> None:
    """Flink plans the first query alone, without a word. Rows that are taken back are a reason as well."""
    with pytest.raises(PipelineError, match=r"Flink reads the first query alone|are taken back later"):
        run(MINUTE.replace("TABLE t,", f"{of},"), DISORDER)


def test_a_union_runs_where_no_row_is_late_for_its_own_watermark(run: Run) -> None:
    """The slowest input only holds the watermark back."""
    query = run(FIRST_OF_UNION, DISORDER)
    assert (list(query.values()), query.late_rows()) == ([["2026-03-01 10:04:00"]], [])


def test_large_tables_are_looked_through_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "_LARGE", 1)
    in_order = {"a.json": [f"2026-03-01 10:{minute:02}:00" for minute in range(50)]}
    query = run(MINUTE, in_order, watermark="ts - INTERVAL '1' HOUR")
    assert len(list(query.values())) == 50
    assert "keepstate_reached" not in query.explain() and "watermark" not in query.explain()
    query = run(MINUTE, {**in_order, "b.json": ["2026-03-01 10:20:30"]})
    assert "keepstate_reached" in query.explain()
    assert len(list(query.values())) == 50
    assert [late.count for late in query.late_rows()] == [1]


@pytest.mark.parametrize("large", [False, True])
def test_watermark_is_the_largest_of_all_rows_before(spark: SparkSession, large: bool) -> None:
    values = [None, 5, 3, None, 9, 1, 9, 12, 2, 0]
    parts = [("a", 0)] * 3 + [("a", 64)] * 3 + [("b", 0)] * 4
    data = [(file, part, line, value) for line, ((file, part), value) in enumerate(zip(parts, values, strict=True))]
    rows = spark.createDataFrame(data, "file string, part bigint, line bigint, v bigint").repartition(3)
    rows = rows.select(fn.struct("file", "part", "line").alias("arrival"), "v")
    found = with_watermark(rows, "arrival", fn.col("v"), "mark", large).orderBy("arrival").select("mark")
    assert [row[0] for row in found.collect()] == [None, None, 5, 5, 5, 9, 9, 9, 12, 12]


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    ("times", "behind"),
    [
        (list(range(0, 4000, 20)), False),
        ([*range(0, 2000, 20), 1200], True),
        # In a file of their own, and behind the one before.
        ([*range(0, 1400, 20), 800], True),
        ([*range(0, 2000, 20), None, 1990], False),
        (list(range(0, 400_000, 1000)), False),
        ([*range(0, 400_000, 1000), 398_400], True),
        # Up to 1970 a row may be late without a watermark.
        ([-1000 * 1000], True),
        ([], False),
    ],
)
def test_rows_behind_the_watermark_are_found(
    spark: SparkSession, times: list[int | None], behind: bool, constant: bool
) -> None:
    data = [
        ("b" if line < 70 else "a", 0, line, None if time is None else time + 1000 * 1000)
        for line, time in enumerate(times)
    ]
    rows = spark.createDataFrame(data, "file string, part bigint, line bigint, ts bigint").repartition(2)
    time = fn.timestamp_millis("ts").cast("timestamp_ntz")
    rows = rows.select(fn.struct("file", "part", "line").alias("arrival"), time.alias("ts"))
    mark = fn.col("ts") - fn.expr("INTERVAL '0.5' SECOND")
    row_times = RowTimes(SparkValue(fn.col("ts"), TIME), SparkValue(mark, TIME), 500 if constant else None)
    assert may_be_behind(rows, "arrival", row_times, ["b", "a"]) is behind


def test_rows_of_unknown_files_may_be_late(spark: SparkSession) -> None:
    rows = spark.sql(
        "SELECT struct(id || '.json' AS file, 0L AS part, id AS line) AS arrival, "
        "timestamp_ntz '2026-03-01 00:00:00' + make_dt_interval(0, 0, 0, id) AS ts FROM range(100)"
    )
    row_times = RowTimes(SparkValue(fn.col("ts"), TIME), SparkValue(fn.col("ts"), TIME), 0)
    assert may_be_behind(rows, "arrival", row_times, ["0.json", "1.json"])


GAP = 10


def sessions_of_a_stream(rows: list[tuple[str, int]]) -> tuple[list[tuple[str, int, int, int]], int]:
    """Key, start, end and size of each session of rows (key and second) in the order in which they come, and how many
    rows are late: as Flink's documentation says, row by row.
    """
    sessions: list[list[Any]] = []
    late, watermark = 0, -math.inf
    for key, second in rows:
        reached = [
            session
            for session in sessions
            if session[0] == key
            and session[2] * 1000 - 1 > watermark
            and session[1] <= second + GAP
            and session[2] >= second
        ]
        if not reached and (second + GAP) * 1000 - 1 <= watermark:
            late += 1
        else:
            sessions = [session for session in sessions if session not in reached]
            begins = min(second, *(session[1] for session in reached), second)
            ends = max(second + GAP, *(session[2] for session in reached), second)
            sessions.append([key, begins, ends, 1 + sum(session[3] for session in reached)])
        if second > 2:
            # Flink sends no watermark up to 1970.
            watermark = max(watermark, (second - 2) * 1000)
    return sorted(map(tuple, sessions)), late


@pytest.mark.parametrize("seed", [1, 2])
def test_sessions_of_rows_in_disorder_are_those_of_a_stream(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = [(chance.choice("abcd"), number * 3 - chance.choice([0, 0, 1, 4, 9, 15, 40]) - 100) for number in range(150)]
    epoch = datetime(1970, 1, 1)
    lines = ({"k": key, "ts": str(epoch + timedelta(seconds=second))} for key, second in rows)
    (tmp_path / "t.json").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    sql = (
        "CREATE TABLE t (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH "
        "('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json'); "
        "SELECT k, EXTRACT(EPOCH FROM window_start), EXTRACT(EPOCH FROM window_end), COUNT(*) FROM "
        f"TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '{GAP}' SECOND)) "
        "GROUP BY k, window_start, window_end;"
    )
    script = prepared(sql, "job.sql", tmp_path)
    query = lowered_query(script, script.queries[0], spark)
    sessions, late = sessions_of_a_stream(rows)
    assert late > 5
    assert sorted(map(tuple, query.values())) == sessions
    assert [one.count for one in query.late_rows()] == [late]
