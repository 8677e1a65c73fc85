"""The cost of late rows and of replays in rows read and rows shuffled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import LongType

from keepstate import JobVersion, analyse
from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.lateness import Lateness
from keepstate_spark.lowering.operators.plan_frames import scanning as scanning_of_rows
from keepstate_spark.replay import replaying
from keepstate_spark.replay.replaying import ReplayTask, replay
from keepstate_spark.replay.restart_points import Arrivals, look, look_at_files, restart_time, scans_of
from keepstate_spark.running import LoweredQuery, lowered_query
from keepstate_spark.sources import locations, scanning
from keepstate_spark.sources.rows import readings
from spark_work import Work, work_of

ROWS = 20_000
MINUTE = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"
HOUR = "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)"
GROUPS = "SELECT window_start, window_end, k, {} FROM TABLE({}) GROUP BY window_start, window_end, k"
LAST = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY v ORDER BY ts) AS r FROM t) WHERE r = 1"
BEST = (
    "SELECT v, k, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY k DESC, ts) AS r FROM t) WHERE r <= 3"
)
BEGIN = 1_772_323_200_000
"""2026-03-01 00:00, in milliseconds."""


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of rows in order: twenty rows in a second, one row in a minute, and the former with a late row."""
    folder = tmp_path_factory.mktemp("costs")
    for name, step in (("dense", 50), ("sparse", 60_000)):
        number = fn.col("id")
        time = fn.timestamp_millis(fn.lit(BEGIN) + number * step).cast("timestamp_ntz")
        rows = spark.range(0, ROWS, 1, 2).select(
            time.alias("ts"), fn.pmod(fn.hash("id"), fn.lit(20)).alias("k"), (number % 900).alias("v")
        )
        rows.write.parquet(str(folder / name))
    late = spark.read.parquet(str(folder / "dense")).where("ts = TIMESTAMP_NTZ '2026-03-01 00:10:00'")
    spark.read.parquet(str(folder / "dense")).write.parquet(str(folder / "late"))
    late.coalesce(1).write.mode("append").parquet(str(folder / "late" / "z"))
    return folder


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "_LARGE_IF_PACKED", 1)


def table(path: Path) -> str:
    return (
        "CREATE TABLE t (ts TIMESTAMP(6), k INT, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH "
        f"('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');"
    )


@pytest.fixture
def without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark itself looks for late rows, as in files that are not on its machine."""
    for name in ("may_be_behind_in_files", "behind_in_files", "times_around"):
        monkeypatch.setattr(scanning, name, lambda *_: None)
    monkeypatch.setattr(readings, "rows_without", lambda *_: None)


def ran(spark: SparkSession, folder: Path, sql: str) -> tuple[LoweredQuery, Work]:
    """The query, lowered, and the work that this took."""
    script = prepared(f"{table(folder)} {sql};", "job.sql", folder)
    with work_of(spark) as work:
        query = lowered_query(script, script.queries[0], spark)
    return query, work


@pytest.mark.parametrize(("name", "late"), [("dense", 0), ("sparse", 0), ("late", 1)])
def test_spark_reads_no_row_of_this_machine_to_look_for_late_ones(
    name: str, late: int, spark: SparkSession, folder: Path
) -> None:
    query, work = ran(spark, folder / name, GROUPS.format("COUNT(*) AS c", MINUTE))
    assert (work.read, work.shuffled) == (0, 0)
    assert ("watermark" in query.explain()) is (late > 0)
    assert sum(row[3] for row in query.values()) == ROWS
    assert sum(one.count for one in query.late_rows()) == late


@pytest.mark.usefixtures("without_arrow")
def test_a_look_for_late_rows_reads_once_and_shuffles_hardly_a_row(spark: SparkSession, folder: Path) -> None:
    query, work = ran(spark, folder / "dense", GROUPS.format("COUNT(*) AS c", MINUTE))
    assert work.read == ROWS
    assert work.shuffled < ROWS / 10
    assert "watermark" not in query.explain()
    assert sum(row[3] for row in query.values()) == ROWS


@pytest.mark.usefixtures("without_arrow")
def test_rows_far_apart_are_looked_at_one_by_one(spark: SparkSession, folder: Path) -> None:
    query, work = ran(spark, folder / "sparse", GROUPS.format("COUNT(*) AS c", MINUTE))
    assert work.read == 2 * ROWS
    assert "watermark" not in query.explain()


@pytest.mark.usefixtures("without_arrow")
def test_a_late_row_is_found_in_a_later_file(spark: SparkSession, folder: Path) -> None:
    query, work = ran(spark, folder / "late", GROUPS.format("COUNT(*) AS c", MINUTE))
    # The first pass is enough; the second one is for the watermarks of the parts.
    assert work.read == 2 * (ROWS + 1)
    assert sum(row[3] for row in query.values()) == ROWS
    assert [late.count for late in query.late_rows()] == [1]


@pytest.mark.usefixtures("without_arrow")
@pytest.mark.parametrize("bytes_of_large", [1_000_000_000, 400_000])
def test_files_of_middle_size_are_looked_through_too(
    bytes_of_large: int, spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locations, "_LARGE_IF_PACKED", bytes_of_large)
    query, work = ran(spark, folder / "dense", LAST)
    is_small = bytes_of_large == 1_000_000_000
    assert not query.script.large
    assert work.read == (0 if is_small else ROWS)
    assert ("watermark" in query.explain()) is is_small


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, COLLECT(CAST(v AS DOUBLE)) AS c FROM t GROUP BY k",
        "SELECT DISTINCT ROW(CAST(v AS DOUBLE), k) AS r FROM t",
        "SELECT k, COUNT(*) OVER (PARTITION BY ARRAY[CAST(v AS DOUBLE)] ORDER BY ts) AS c FROM t",
    ],
)
def test_large_tables_are_not_read_for_zeros_before_the_query_runs(sql: str, spark: SparkSession, folder: Path) -> None:
    query, work = ran(spark, folder / "dense", sql)
    assert query.script.large
    assert work.read == 0
    # One has a value of 0.0, and none of -0.0.
    assert len(list(query.values())) > 0


PLANS = {
    # The columns that are read, and the exchanges.
    "TUMBLE": (GROUPS.format("SUM(v) AS s, COUNT(*) AS c", MINUTE), {"ts", "k", "v"}, 1),
    "TUMBLE of few columns": (GROUPS.format("COUNT(*) AS c", MINUTE), {"ts", "k"}, 1),
    "GROUP BY TUMBLE": (
        "SELECT k, SUM(v) AS s FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE)",
        {"ts", "k", "v"},
        1,
    ),
    "HOP": (GROUPS.format("SUM(v) AS s", HOUR), {"ts", "k", "v"}, 2),
    "groups": ("SELECT k, SUM(v) AS s FROM t GROUP BY k", {"k", "v"}, 1),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_query_without_an_order_reads_its_columns_alone(name: str, spark: SparkSession, folder: Path) -> None:
    sql, columns, exchanges = PLANS[name]
    query, _ = ran(spark, folder / "dense", sql)
    plan = query.explain()
    scanned = next(line for line in plan.splitlines() if line.startswith("ReadSchema"))
    assert {field.split(":")[0] for field in scanned.split("<")[1].rstrip(">").split(",")} == columns
    assert "_metadata" not in plan
    assert plan.count("hashpartitioning(") == exchanges


OVER = "SELECT ts, k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS s FROM t"


@pytest.mark.parametrize("sql", [LAST, OVER])
def test_rows_in_an_order_have_a_single_number_as_their_place(sql: str, spark: SparkSession, folder: Path) -> None:
    query, _ = ran(spark, folder / "dense", sql)
    plan = query.explain()
    # Spark makes a structure of the origin for each row, and a column of each cast in a window.
    assert ("_metadata" in plan, "named_struct" in plan, "_w0" in plan) == (False, False, False)


def test_rows_that_may_be_late_carry_the_number_of_their_file(spark: SparkSession, folder: Path) -> None:
    query, _ = ran(spark, folder / "late", LAST)
    rows, arrival = _rows_with_places(query, Lateness(drops=True))
    # In the order of their names: the two files, and that of the folder z.
    places = rows.select(f"{arrival}.file", f"{arrival}.part").distinct().collect()
    assert {(row["file"], row["part"]) for row in places} == {(1, 0), (2, 0), (3, 0)}


FILES = {
    # Numbers of lines. Spark reads the longest parts of files first, and here parts of 400 bytes.
    "one file": [500],
    "files in the order of their lengths": [500, 300, 40],
    "files in another order": [7, 300, 40, 500, 1, 300],
    "as many files as have numbers": [*range(1, 16), 200],
    "more files": [*range(1, 17), 200],
}


@pytest.mark.parametrize("name", FILES)
def test_places_of_rows_are_in_the_order_of_files_and_lines(name: str, spark: SparkSession, tmp_path: Path) -> None:
    number = 0
    for file, lines in enumerate(FILES[name]):
        (tmp_path / f"f{file:02}.csv").write_text("".join(f"{number + line}\n" for line in range(lines)))
        number += lines
    sql = (
        f"CREATE TABLE t (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv'); "
        "SELECT FIRST_VALUE(n) FROM t;"
    )
    script = prepared(sql, "job.sql", tmp_path)
    query = lowered_query(script, script.queries[0], spark)
    query._scanner.session.conf.set("spark.sql.files.maxPartitionBytes", "400")
    query._scanner.session.conf.set("spark.sql.files.openCostInBytes", "4")
    rows, arrival = _rows_with_places(query)
    assert isinstance(rows.schema[arrival].dataType, LongType) is (name != "more files")
    ordered = rows.orderBy(arrival).select(rows.columns[0]).collect()
    assert [row[0] for row in ordered] == list(range(number))
    assert len(FILES[name]) > 1 or rows.rdd.getNumPartitions() > 3


def _rows_with_places(query: LoweredQuery, lateness: Lateness | None = None) -> tuple[DataFrame, str]:
    """The rows of the only table of ``query``, and the column of their places."""
    scanner = query._scanner
    (scan,) = query.query.plan.scans
    lowering = scanning_of_rows(scanner.session, query.query.zone, scanner.scan)
    frame = scanner.scan(scan, replace(lowering, lateness=lateness))
    (arrival,) = frame.arrival
    return frame.rows, arrival


def test_rows_of_a_tumbling_window_are_grouped_by_its_start_alone(spark: SparkSession, folder: Path) -> None:
    query, _ = ran(spark, folder / "dense", GROUPS.format("SUM(v) AS s", MINUTE))
    keys = {line for line in query.explain().splitlines() if line.startswith("Keys")}
    assert [line.split("[")[1][0] for line in keys] == ["2"]


@pytest.mark.parametrize(
    ("windows", "columns"),
    [
        (MINUTE, 2),
        (HOUR, 2),
        # Windows of these begin together and end apart.
        ("CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)", 3),
    ],
)
def test_rows_of_a_ranking_are_parted_by_the_start_of_their_window(
    windows: str, columns: int, spark: SparkSession, folder: Path
) -> None:
    parts = "PARTITION BY window_start, window_end, k"
    best = (
        f"SELECT window_start, window_end, k, v FROM (SELECT *, ROW_NUMBER() OVER ({parts} ORDER BY v DESC) AS r "
        f"FROM TABLE({windows})) WHERE r = 1"
    )
    query, _ = ran(spark, folder / "dense", best)
    (keys,) = {line for line in query.explain().splitlines() if "hashpartitioning" in line}
    assert keys.partition("hashpartitioning(")[2].partition(")")[0].count(",") == columns
    largest, _ = ran(spark, folder / "dense", GROUPS.format("MAX(v) AS v", windows))
    assert sorted(map(str, query.values())) == sorted(map(str, largest.values()))


REPLAYED = {
    # Of files elsewhere Spark reads the times as well, where a window waits for a watermark.
    "a window": (GROUPS.format("{}", MINUTE), True),
    "slices of a window": (GROUPS.format("{}", HOUR), True),
    "groups": ("SELECT k, {} FROM t GROUP BY k", False),
    "a ranking": (BEST, False),
}


@pytest.mark.parametrize("few", [3, 20_000])
@pytest.mark.parametrize("name", REPLAYED)
def test_three_worlds_of_a_replay_are_of_one_scan(
    name: str, few: int, spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "_FEW", few)
    _replays_in_passes(1, name, spark, folder)


@pytest.mark.usefixtures("without_arrow")
@pytest.mark.parametrize("name", REPLAYED)
def test_times_elsewhere_are_of_one_more_scan(name: str, spark: SparkSession, folder: Path) -> None:
    _replays_in_passes(2 if REPLAYED[name][1] else 1, name, spark, folder)


@pytest.mark.parametrize("text_format", ["csv", "json"])
@pytest.mark.parametrize("name", REPLAYED)
def test_texts_of_a_replay_are_read_once(name: str, text_format: str, spark: SparkSession, folder: Path) -> None:
    path = folder / f"texts.{text_format}"
    if not path.exists():
        rows = spark.read.parquet(str(folder / "dense")).limit(5000)
        rows.write.option("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss.SSS").format(text_format).save(str(path))
    sql, _ = REPLAYED[name]
    parts = ("k", "v") if name == "a ranking" else ("SUM(v) AS s", "SUM(v) AS s, COUNT(*) AS c, MAX(v) AS m")
    declared = table(path).replace("parquet", text_format)
    former, now = (f"{declared} INSERT INTO s {sql.format(part)};" for part in parts)
    script, baseline = (prepared(text, "job.sql", folder) for text in (now, former))
    restart = analyse(JobVersion(now), JobVersion(former)).restart()
    with work_of(spark) as work:
        (result,) = replay(ReplayTask(script, baseline, restart, "2026-03-01 00:01:30"), spark, lambda _: None)
    assert result.figures is not None
    assert (result.witness is None) is (name == "a ranking")
    assert [reading.rows for reading in result.readings] == [5000]
    # A bunch of kept rows counts as one.
    assert 5000 <= work.read < 5050
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


TIMES = {
    "micros": ("TIMESTAMP(6)", "TIMESTAMP_NTZ '2026-03-01 00:00:00.5'"),
    "millis": ("TIMESTAMP(3)", "TIMESTAMP_NTZ '2026-03-01 00:00:00.0015'"),
    "seconds": ("TIMESTAMP(0)", "TIMESTAMP_NTZ '2026-03-01 00:00:00.999'"),
    "instants": ("TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ '2026-03-01 00:00:00'"),
    "before 1970": ("TIMESTAMP(3)", "TIMESTAMP_NTZ '1969-12-31 23:59:50'"),
}


@pytest.mark.parametrize("moment", ["00:01:00", "00:01:00.500", "00:00:00", "23:59:59"])
@pytest.mark.parametrize("name", TIMES)
def test_the_rows_at_a_restart_are_the_same_without_spark(
    name: str, moment: str, spark: SparkSession, tmp_path: Path
) -> None:
    type_, begin = TIMES[name]
    for part in range(2):
        time = f"if(id % 7 = 6, NULL, {begin} + make_dt_interval(0, 0, 0, id + 20 * {part} - id % 3 * 2))"
        spark.range(60).selectExpr(f"{time} AS ts", "id AS v").coalesce(1).write.parquet(str(tmp_path / f"r{part}"))
    sql = (
        f"CREATE TABLE t (ts {type_}, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'parquet');"
        f"SELECT COUNT(*) AS c FROM TABLE({MINUTE}) GROUP BY window_start, window_end;"
    )
    script = prepared(sql, "job.sql", tmp_path)
    (query,) = script.queries
    scanner = lowered_query(script, query, spark)._scanner
    scans, arrivals = scans_of(query.plan.root), Arrivals(query, {})
    time_of_restart = restart_time(f"{begin[15:25]} {moment}", query.zone)
    by_spark = look(query, scans, arrivals, time_of_restart, scanning_of_rows(scanner.session, "UTC", scanner.scan))
    known = look_at_files(query, scans, arrivals, time_of_restart, scanner)
    assert known == (None if name == "before 1970" or (name, moment) == ("seconds", "00:01:00.500") else by_spark)
    assert by_spark.before + by_spark.after == 120


def _replays_in_passes(passes: int, name: str, spark: SparkSession, folder: Path) -> None:
    sql, _ = REPLAYED[name]
    parts = ("k", "v") if name == "a ranking" else ("SUM(v) AS s", "SUM(v) AS s, COUNT(*) AS c, MAX(v) AS m")
    former, now = (f"{table(folder / 'dense')} INSERT INTO s {sql.format(part)};" for part in parts)
    script = prepared(now, "job.sql", folder)
    restart = analyse(JobVersion(now), JobVersion(former)).restart()
    with work_of(spark) as work:
        task = ReplayTask(script, None, restart, "2026-03-01 00:16:30", witness=False)
        (replayed,) = replay(task, spark, lambda _: None)
    assert replayed.figures is not None, replayed.skipped
    assert replayed.figures.results > 3
    # Beyond that only the question whether the table is empty, which reads the first rows of each file.
    assert passes * ROWS <= work.read < (passes + 0.9) * ROWS
