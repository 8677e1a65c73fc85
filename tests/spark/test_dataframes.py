"""Flink SQL over DataFrames of a session that is there: Flink's rows, however it is set, and nothing changed in it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

import keepstate_spark
from keepstate import JobVersion, analyse
from keepstate_spark.cutovers.results import computer
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.printed_values import timestamp_text
from keepstate_spark.replay.replaying import ReplayTask, replay

FLINK = Path(__file__).parent / "flink"
READINGS = (
    "CREATE TABLE readings (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND);"
)
ANSWERS = [json.loads(line) for line in (FLINK / "late.jsonl").read_text("utf-8").splitlines()]
OVER = "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM readings"
FIRST = "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM readings) WHERE n = 1"


@pytest.fixture(params=[("America/New_York", "true"), ("Europe/Berlin", "false"), ("UTC", "true")], ids="-ANSI ".join)
def session(request: pytest.FixtureRequest, spark: SparkSession) -> SparkSession:
    """A session as a notebook has it: some time zone, ANSI or not."""
    own = spark.newSession()
    zone, ansi = request.param
    own.conf.set("spark.sql.session.timeZone", zone)
    own.conf.set("spark.sql.ansi.enabled", ansi)
    return own


def readings(session: SparkSession) -> DataFrame:
    return session.read.schema("id int, k string, v int, ts timestamp_ntz").json(str(FLINK / "readings.json"))


def rows_of(frame: DataFrame) -> list[str]:
    return sorted(json.dumps([_text(value) for value in row]) for row in frame.collect())


def _text(value: Any) -> str:
    return timestamp_text(value) if isinstance(value, datetime) else str(value)


SESSIONS = [answer["sql"] for answer in ANSWERS if "SESSION" in answer["sql"] and "readings" in answer["sql"]]


@pytest.mark.parametrize("sql", [ANSWERS[0]["sql"], OVER, FIRST, *SESSIONS])
def test_rows_are_those_of_flink_in_any_session(sql: str, session: SparkSession) -> None:
    answer = next(answer for answer in ANSWERS if answer["sql"] == sql)
    (found,) = keepstate_spark.run(f"{READINGS}{sql};", session, {"readings": readings(session)}, late="drop").values()
    assert found.columns == answer["columns"]
    assert rows_of(found) == sorted(json.dumps([str(value) for value in row]) for row in answer["rows"])


def test_settings_and_views_of_the_session_stay(session: SparkSession) -> None:
    before = {row.key: row.value for row in session.sql("SET").collect()}
    results = keepstate_spark.run(f"{READINGS}SELECT k FROM readings;", session, {"readings": readings(session)})
    assert results["SELECT #1"].count() == 60
    assert {row.key: row.value for row in session.sql("SET").collect()} == before
    assert session.catalog.listTables() == []
    assert session.catalog.listTables("global_temp") == []


def test_integers_wrap_around_as_in_flink_though_the_session_stops(session: SparkSession) -> None:
    numbers = session.createDataFrame([(2147483647,)], "a int")
    (found,) = keepstate_spark.run(
        "CREATE TABLE t (a INT); SELECT a + 1 AS b FROM t;", session, {"t": numbers}
    ).values()
    both = found.join(numbers, found.b < numbers.a)
    if pyspark.__version__.startswith("3.") and session.conf.get("spark.sql.ansi.enabled") == "true":
        # Spark 3.5 computes a joined result by the settings of the session.
        with pytest.raises(Exception, match="ARITHMETIC_OVERFLOW"):
            both.collect()
        return
    assert both.collect() == [(-2147483648, 2147483647)]


def test_instants_are_those_of_the_session(spark: SparkSession) -> None:
    moment = spark.sql("SELECT timestamp_seconds(0) AS seen")
    script = (
        "SET 'table.local-time-zone' = 'Asia/Tokyo'; CREATE TABLE t (seen TIMESTAMP_LTZ(3)); SELECT {} AS a FROM t;"
    )
    texts = keepstate_spark.run(script.format("CAST(seen AS STRING)"), spark, {"t": moment})
    assert texts["SELECT #1"].collect() == [("1970-01-01 09:00:00.000",)]
    kept = keepstate_spark.run(script.format("seen"), spark, {"t": moment})["SELECT #1"]
    assert kept.select(fn.unix_seconds("a")).collect() == [(0,)]


def test_nothing_is_computed_before_a_result_is_read(spark: SparkSession) -> None:
    failing = spark.range(1).select(fn.raise_error(fn.lit("computed")).cast("int").alias("a"))
    results = keepstate_spark.run("CREATE TABLE t (a INT); SELECT SUM(a) AS s FROM t;", spark, {"t": failing})
    with pytest.raises(Exception, match="computed"):
        results["SELECT #1"].collect()


def test_each_query_has_a_result_by_the_name_of_its_sink(spark: SparkSession) -> None:
    script = (
        "CREATE TABLE t (a INT, r ROW<Name STRING>); CREATE TABLE s (b BIGINT) WITH ('connector' = 'blackhole');"
        "INSERT INTO s SELECT a FROM t; INSERT INTO s SELECT a + 1 FROM t; SELECT a, a AS a, r FROM t;"
    )
    table = spark.sql("SELECT 1 AS a, named_struct('name', 'x') AS r, 'unread' AS other")
    results = keepstate_spark.run(script, spark, {"t": table})
    schemas = {name: frame.schema.simpleString() for name, frame in results.items()}
    assert schemas == {
        "INSERT INTO s": "struct<b:bigint>",
        "INSERT INTO s (2)": "struct<b:bigint>",
        "SELECT #1": "struct<a:int,a0:int,r:struct<Name:string>>",
    }
    assert [frame.first()[0] for frame in results.values()] == [1, 2, 1]  # type: ignore[index]


HOURS = (
    "CREATE TABLE readings (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
    "SELECT k, window_start, {} AS s FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
    "GROUP BY k, window_start, window_end;"
)
TOTALS = (
    "CREATE TABLE readings (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
    "SELECT k, {} AS s FROM readings GROUP BY k; SELECT id FROM readings;"
)
RESTART = "2026-03-01 10:03:30"


@pytest.mark.parametrize("job", [HOURS, TOTALS], ids=["windows", "totals"])
def test_a_replay_over_dataframes_has_the_differences_of_one_over_files(
    job: str, spark: SparkSession, tmp_path: Path
) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    session.conf.set("spark.sql.ansi.enabled", "true")
    now, was = job.format("SUM(v)"), job.format("COUNT(v)")
    before = {row.key: row.value for row in session.sql("SET").collect()}
    found = keepstate_spark.replay_job(now, was, session, {"readings": readings(session)}, restart_at=RESTART)
    # A query without state has nothing to lose.
    assert list(found) == ["SELECT #1"]
    rows = found["SELECT #1"].where("restarted_change <> 'same' OR without_state_change <> 'same'").collect()
    assert {row.key: row.value for row in session.sql("SET").collect()} == before
    script = prepared(now, "job.sql", FLINK, {"readings": str(FLINK / "readings.json")}, needs_rows=False)
    restart = analyse(JobVersion(now), JobVersion(was)).restart()
    request = ReplayTask(script, None, restart, RESTART, witness=False, folder=tmp_path)
    assert [one.skipped == "" for one in replay(request, spark, lambda _: None)] == [True, False][: job.count("SELECT")]
    wanted = spark.read.parquet(str(tmp_path / "differences.parquet")).collect()
    assert wanted
    assert sorted(map(str, rows)) == sorted(map(str, wanted))


@pytest.mark.parametrize(
    ("now", "was", "options", "sentence"),
    [
        (TOTALS.format("MAX(v)"), "SELECT FROM;", {}, "The baseline cannot be read"),
        (TOTALS.format("MAX(v)"), TOTALS.format("MIN(v)"), {"engine": "storm"}, "There is no engine storm"),
        (TOTALS.format("MAX(v)"), TOTALS.format("MIN(v)"), {"restart_at": "noon"}, "'noon' is no time"),
        (TOTALS.format("MAX(v)"), TOTALS.format("MIN(v)"), {"restart_at": "1999-01-01"}, r"lies before all rows.*\.$"),
        (TOTALS.format("MAX(w)"), TOTALS.format("MIN(v)"), {}, "unknown-column"),
        (TOTALS.format("MAX(v)"), TOTALS.format("MIN(v)"), {"arrivals": {"readings": "w"}}, "has no column w"),
        (TOTALS.format("MAX(v)"), TOTALS.format("MIN(v)"), {"arrivals": {"r": "ts"}}, "arrivals names r, which the"),
    ],
)
def test_replays_that_are_refused_say_why(
    now: str, was: str, options: dict[str, Any], sentence: str, spark: SparkSession
) -> None:
    given = {"restart_at": RESTART, **options}
    with pytest.raises(PipelineError, match=sentence):
        keepstate_spark.replay_job(now, was, spark, {"readings": readings(spark)}, **given)


# Of the second query Spark reads no row, so that none is counted on the way.
@pytest.mark.parametrize(("condition", "rows"), [("TRUE", [[60]]), ("id < 0 AND id > 0", [[0]])])
def test_a_proof_is_computed_on_a_session_that_is_there(
    condition: str, rows: list[list[int]], spark: SparkSession
) -> None:
    with computer(spark) as found:
        text = f"{READINGS}SELECT COUNT(*) AS n FROM readings WHERE {condition};"
        queries = found.queries(text, {"readings": FLINK / "readings.json"}, {})
        assert list(queries.rows(queries.queries[0])) == rows
    # It goes on.
    assert spark.range(3).count() == 3


class _Connected:
    """A session of Spark Connect, as far as it goes."""

    def __init__(self, version: str) -> None:
        self.version = version


_Connected.__module__ = "pyspark.sql.connect.session"


@pytest.mark.parametrize(
    ("session", "client", "sentence"),
    [
        (SimpleNamespace(version="3.4.4"), "3.4.4", "This is Spark 3.4.4, and Keepstate runs on Spark 3.5 or newer"),
        (_Connected("4.2.9"), "4.2.9", "a session of Spark Connect 4.2.9, and Keepstate uses those of Spark 4.3"),
        (_Connected("4.3.2"), "4.4.0", "The server is Spark 4.3.2, and the client PySpark 4.4.0 is newer"),
    ],
)
def test_sessions_that_do_not_do_are_refused_in_a_sentence(
    session: Any, client: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", client)
    with pytest.raises(PipelineError, match=sentence):
        keepstate_spark.run("SELECT a FROM (VALUES (1)) AS t(a);", session)


REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("SELECT a FROM t;", {"u": "SELECT 1 AS a"}, "tables names u, which the script does not declare"),
    ("SELECT a FROM t;", {"t": "SELECT 1 AS b"}, "has a column a that the DataFrame has not; there are b"),
    ("SELECT a FROM t;", {"t": "SELECT '1' AS a"}, "The column a of t is a INT, and in the DataFrame it is a string"),
    ("SELECT a FROM t;", {"t": "SELECT 1 AS a, 2 AS b, 3 AS a"}, "has 2 columns a, and it is not clear which one"),
    ("SELECT b FROM t;", {"t": "SELECT 1 AS a"}, "unknown-column"),
    (
        "CREATE TABLE u (at INT); SELECT a FROM t;",
        {"t": "SELECT 1 AS a", "u": "SELECT 1 AS at"},
        "at is a reserved word",
    ),
    ("SELECT a FROM t;", {}, "nothing says where its rows are"),
    ("SELECT a FROM t; SELECT a FROM nope;", {"t": "SELECT 1 AS a"}, "nope"),
    ("", {"t": "SELECT 1 AS a"}, r"has no query to run: neither SELECT nor INSERT\.$"),
    ("SELEC a FROM t;", {"t": "SELECT 1 AS a"}, "no query to run.* No Flink SQL statement begins with SELEC"),
    ("SELECT a FROM t;", {}, r"Give them in tables\.$"),
)


@pytest.mark.parametrize(("queries", "tables", "sentence"), REFUSED)
def test_refusals_are_sentences(queries: str, tables: dict[str, str], sentence: str, spark: SparkSession) -> None:
    frames: dict[str, Any] = {name: spark.sql(sql) for name, sql in tables.items()}
    with pytest.raises(PipelineError, match=sentence):
        keepstate_spark.run(f"CREATE TABLE t (a INT);{queries}", spark, frames)


def test_rows_are_dataframes_that_are_all_there(spark: SparkSession) -> None:
    sql = "CREATE TABLE t (a INT); SELECT a FROM t;"
    for rows, sentence in (([1], "The rows of t are a list"), (spark.readStream.format("rate").load(), "are a stream")):
        with pytest.raises(PipelineError, match=sentence):
            keepstate_spark.run(sql, spark, {"t": cast(DataFrame, rows)})
    with pytest.raises(PipelineError, match=r"late is 'maybe', and it is \"keep\" or \"drop\""):
        keepstate_spark.run(sql, spark, {"t": spark.range(1)}, late=cast(Any, "maybe"))


BAD_ARGUMENTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"script": None}, "script is of type NoneType, and no text"),
    ({"script": b"SELECT 1"}, "script is of type bytes, and no text"),
    ({"script": Path("job.sql")}, r"script is a path\. Read the file: Path\(\"job.sql\"\)\.read_text\(\)"),
    ({"tables": ["t"]}, r"tables is of type list, and no mapping\. Write one: {"),
    ({"parameters": ["a"]}, "parameters is of type list, and no mapping"),
    ({"spark": None}, "spark is of type NoneType, and no session of Spark"),
)
BAD_REPLAYS: tuple[tuple[dict[str, Any], str], ...] = (
    *BAD_ARGUMENTS,
    ({"baseline": None}, "baseline is of type NoneType, and no text"),
    ({"engine_version": 2.3}, "engine_version is of type float, and no text"),
    ({"arrivals": ["t"]}, "arrivals is of type list, and no mapping"),
)


@pytest.mark.parametrize(("arguments", "sentence"), BAD_ARGUMENTS)
def test_other_arguments_are_named_in_a_sentence(arguments: dict[str, Any], sentence: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=sentence):
        keepstate_spark.run(**{"script": "CREATE TABLE t (a INT); SELECT a FROM t;", "spark": spark, **arguments})


@pytest.mark.parametrize(("arguments", "sentence"), BAD_REPLAYS)
def test_other_arguments_of_a_replay_are_named_in_a_sentence(
    arguments: dict[str, Any], sentence: str, spark: SparkSession
) -> None:
    sql = "CREATE TABLE t (a INT); SELECT a, COUNT(*) FROM t GROUP BY a;"
    usual = {"script": sql, "baseline": sql, "spark": spark, "restart_at": "2026-01-01 00:00:00"}
    with pytest.raises(PipelineError, match=sentence):
        keepstate_spark.replay_job(**{**usual, **arguments})


def test_an_instant_is_no_wall_clock_time_but_in_utc(spark: SparkSession) -> None:
    sql = "CREATE TABLE t (came TIMESTAMP(3)); SELECT came FROM t;"
    own = spark.newSession()
    own.conf.set("spark.sql.session.timeZone", "America/New_York")
    instant = "SELECT TIMESTAMP_LTZ'2026-01-01 00:30:00 UTC' AS came"
    with pytest.raises(PipelineError, match=r"in the DataFrame it is a timestamp: an instant\. Cast it"):
        keepstate_spark.run(sql, own, {"t": own.sql(instant)})
    shown = own.sql(instant).select(fn.col("came").cast("timestamp_ntz").alias("came"))
    assert rows_of(keepstate_spark.run(sql, own, {"t": shown})["SELECT #1"]) == ['["2025-12-31 19:30:00"]']
    in_utc = keepstate_spark.run(sql, spark, {"t": spark.sql(instant)})
    assert rows_of(in_utc["SELECT #1"]) == ['["2026-01-01 00:30:00"]']


def test_a_stopped_session_is_refused() -> None:
    program = """
from pyspark.sql import SparkSession
import keepstate_spark
from keepstate_spark.errors import PipelineError

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.range(1)
spark.stop()
for tables in ({}, {"t": rows}):
    try:
        keepstate_spark.run("CREATE TABLE t (id BIGINT); SELECT 1 AS a;", spark, tables)
    except PipelineError as error:
        print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # A Java may have words of its own in front.
    assert ended.stdout.count("The session of Spark was stopped. Start another one.\n") == 2
