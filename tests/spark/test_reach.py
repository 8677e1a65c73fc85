"""The parts of Spark within reach of a script: the functions of Flink, files of four formats, and no setting."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate import JobVersion, analyse
from keepstate.plan.operators import TableSourceScan
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.aggregate_columns import ORDERED
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.registry import RULES
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators import plan_frames
from keepstate_spark.lowering.plain_functions import PLAIN
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import FUNCTIONS
from keepstate_spark.replay.replaying import QueryReplay, ReplayTask, replay
from keepstate_spark.running import LOWERING_SETTINGS, lowered_query
from keepstate_spark.session import FIXED, SETTINGS, settings_for

TABLE = "CREATE TABLE t (a STRING, b INT) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');\n"
OF_FLINK = {name.partition("/")[0] for name in PLAIN} | set(RULES) | ORDERED
OF_FLINK |= {"CHARACTER_LENGTH", "POW", "SUBSTR", "TYPEOF"}
"""Other names of functions that Flink has."""
AGGREGATES = set("AVG COUNT MAX MIN PERCENTILE STDDEV STDDEV_POP STDDEV_SAMP SUM VARIANCE VAR_POP VAR_SAMP".split())
DANGEROUS = """
java_method reflect try_reflect input_file_name input_file_block_start current_user user session_user version
spark_partition_id current_catalog current_database assert_true raise_error from_avro from_xml xpath xpath_string
schema_of_json read_files sql_keywords ai_query http_request get_variable system_property getenv load_file range
""".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reach")
    (folder / "t.json").write_text('{"a": "x", "b": 1}\n', "utf-8")
    return folder


def is_lowered(item: str, folder: Path, spark: SparkSession, before: str = "") -> bool:
    """Return whether Spark is called because of ``item``, an expression over the table ``t``."""

    def scan(operator: TableSourceScan, _: Lowering) -> NamedFrame:
        names = {column: f"c{index}" for index, column in enumerate(operator.columns)}
        return NamedFrame(spark.createDataFrame([("x", 1)], ["c0", "c1"]), ColumnNames(dict(names)))

    try:
        query = prepared(f"{before}{TABLE}SELECT {item} FROM t;", "job.sql", folder).queries[0]
        plan_frames.lowered(query.plan, spark, query.zone, scan, query.times, query.is_streaming)
    except (NotLowerable, PipelineError):
        return False
    return True


def test_no_function_of_spark_can_be_called_that_flink_has_not(folder: Path, spark: SparkSession) -> None:
    names = {function.name for function in spark.catalog.listFunctions()} | set(DANGEROUS)
    strange = sorted(name for name in names if name.upper() not in OF_FLINK | AGGREGATES and name.isidentifier())
    assert len(strange) > 250
    calls = [f"{name}('java.lang.System', 'getProperty')" for name in strange]
    calls += [f"`{name}`(a)" for name in DANGEROUS]
    assert [call for call in calls if is_lowered(call, folder, spark)] == []


@pytest.mark.parametrize("name", ["java_method", "REFLECT", "my_function"])
@pytest.mark.parametrize(
    "declared",
    [
        "CREATE FUNCTION {name} AS 'java_method';",
        "CREATE TEMPORARY SYSTEM FUNCTION {name} AS 'java.lang.System' LANGUAGE JAVA;",
        "CREATE FUNCTION {name} AS 'com.example.F' USING JAR 'trap.jar';",
        "CREATE TEMPORARY FUNCTION {name} AS 'os.system' LANGUAGE PYTHON;",
    ],
)
def test_no_declaration_brings_a_function_in(name: str, declared: str, folder: Path, spark: SparkSession) -> None:
    (folder / "trap.jar").write_bytes(b"no jar")
    assert is_lowered("UPPER(a)", folder, spark, declared.format(name=name))
    assert not is_lowered(f"{name}('java.lang.System', 'exit')", folder, spark, declared.format(name=name))
    assert spark.sparkContext._jsc.sc().listJars().isEmpty()


def test_the_functions_that_can_be_called_are_harmless_and_exist(spark: SparkSession) -> None:
    assert FUNCTIONS.isdisjoint(set(DANGEROUS) - {"raise_error"})
    # Its words are constants of ours.
    assert "raise_error" in FUNCTIONS
    assert {name for name in FUNCTIONS if not spark.catalog.functionExists(name)} == set()


SET = """
SET 'spark.sql.session.timeZone' = 'Asia/Tokyo';
SET 'spark.sql.variable.substitute' = 'true';
SET 'spark.sql.ansi.enabled' = 'true';
SET 'spark.driver.extraJavaOptions' = '-Dkeepstate.trap=snapped';
SET spark.sql.caseSensitive = false;
SET 'keepstate.trap' = 'snapped';
ADD JAR 'trap.jar';
CREATE CATALOG trap WITH ('type' = 'jdbc', 'base-url' = 'jdbc:postgresql://localhost:1/');
LOAD MODULE hive WITH ('hive-version' = '3.1.3');
CREATE TABLE other (a STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:1/x');
"""


def test_no_setting_of_a_script_reaches_spark(folder: Path, spark: SparkSession) -> None:
    (folder / "trap.jar").write_bytes(b"no jar")
    script = prepared(f"{SET}{TABLE}SELECT a, '${{spark:keepstate.trap}}' AS b FROM t;", "job.sql", folder)
    query = lowered_query(script, script.queries[0], spark)
    assert list(query.values()) == [["x", "${spark:keepstate.trap}"]]
    for key, value in LOWERING_SETTINGS.items():
        assert query.rows.sparkSession.conf.get(key) == value, key
    assert_untouched(query.rows.sparkSession)


def assert_untouched(spark: SparkSession) -> None:
    """Check that no statement of a script had an effect on Spark."""
    for key, value in {**SETTINGS, **FIXED}.items():
        assert spark.conf.get(key) == value, key
    assert spark.conf.get("keepstate.trap", "none") == "none"
    assert spark.sparkContext._jvm.java.lang.System.getProperty("keepstate.trap") is None
    assert spark.sparkContext._jsc.sc().listJars().isEmpty()
    assert not spark.catalog.functionExists("trap")
    assert spark.catalog.listTables() == []


ROWS = """CREATE TABLE t (a STRING, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'timed.json', 'format' = 'json');
CREATE FUNCTION trap AS 'com.example.Trap' USING JAR 'trap.jar';
SET 'table.local-time-zone' = 'UTC';
"""


def windowed(item: str) -> str:
    """A query with ``item`` as a key of windows."""
    return f"""CREATE VIEW r AS SELECT {item} AS x, b, ts FROM t;
INSERT INTO sink SELECT window_start, window_end, x, SUM(b) AS s
FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, x;
"""


def replays(baseline: str, current: str, folder: Path, spark: SparkSession) -> list[QueryReplay]:
    (folder / "trap.jar").write_bytes(b"no jar")
    (folder / "timed.json").write_text(
        "".join(
            f'{{"a": "x", "b": {60 - minute}, "ts": "2026-03-01 10:{minute}:00"}}\n' for minute in (10, 20, 40, 50)
        ),
        "utf-8",
    )
    scripts = [prepared(text, "job.sql", folder) for text in (current, baseline)]
    restart = analyse(JobVersion(current), JobVersion(baseline), "vvr").restart()
    return list(replay(ReplayTask(*scripts, restart, "2026-03-01 10:30:00"), spark, lambda _: None))


def test_no_setting_of_either_version_reaches_spark_in_a_replay(folder: Path, spark: SparkSession) -> None:
    item = "CONCAT(a, '${spark:keepstate.trap}${env:PATH}')"
    former, current = (f"{SET}{ROWS}{windowed(item)}" for _ in range(2))
    current = current.replace("SUM(b) AS s", "SUM(b) AS s, MAX(b) AS `m${env:PATH}`")
    (found,) = replays(former, current, folder, spark)
    assert found.skipped == "" and found.figures is not None
    assert found.witness is not None
    assert found.witness.metric == "m${env:PATH}"
    assert "x = x${spark:keepstate.trap}${env:PATH}" in found.witness.key
    assert_untouched(spark)


@pytest.mark.parametrize("name", ["java_method", "reflect", "trap", "input_file_name"])
@pytest.mark.parametrize("version", ["baseline", "current", "both"])
def test_no_function_of_spark_can_be_called_in_a_replay(
    name: str, version: str, folder: Path, spark: SparkSession
) -> None:
    called = windowed(f"{name}('java.lang.System', 'setProperty', 'keepstate.trap', 'snapped')")
    plain = windowed("a")
    former, current = (called if version in (one, "both") else plain for one in ("baseline", "current"))
    current = current.replace("SUM(b) AS s", "SUM(b) AS s, MAX(b) AS m")
    (found,) = replays(f"{ROWS}{former}", f"{ROWS}{current}", folder, spark)
    if version != "baseline":
        assert found.refused and name.upper() in found.skipped.upper()
    assert found.figures is None or found.claim is None or found.claim.faults is None
    assert_untouched(spark)


def test_no_setting_of_a_user_turns_variables_on() -> None:
    given = {"spark.sql.variable.substitute": "true", "spark.sql.ansi.enabled": "true"}
    found = settings_for("local[2]", given)
    assert (found["spark.sql.variable.substitute"], found["spark.sql.ansi.enabled"]) == ("false", "true")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("'connector' = 'jdbc', 'url' = 'jdbc:sqlite:x'", "has the connector 'jdbc'"),
        ("'connector' = 'http', 'url' = 'http://localhost:1/'", "has the connector 'http'"),
        ("'connector' = 'filesystem', 'path' = 'http://localhost:1/x', 'format' = 'json'", "because a script says so"),
        ("'connector' = 'filesystem', 'path' = 'HTTPS://localhost:1/x', 'format' = 'json'", "because a script says so"),
        ("'connector' = 'filesystem', 'path' = 's3a://bucket/x', 'format' = 'json'", "because a script says so"),
        ("'connector' = 'filesystem', 'path' = 'file://localhost/x', 'format' = 'json'", "because a script says so"),
        ("'connector' = 'filesystem', 'path' = 'jdbc:sqlite:x', 'format' = 'json'", "there is nothing"),
        ("'connector' = 'filesystem', 'path' = 'jar:file:/x.jar!/y', 'format' = 'json'", "there is nothing"),
        ("'connector' = 'filesystem', 'path' = 't.json', 'format' = 'jdbc'", "the format 'jdbc'"),
        ("'connector' = 'filesystem', 'path' = 't.json', 'format' = 'org.example.Source'", "the format 'org.example"),
        ("'connector' = 'filesystem', 'path' = 't.json\0', 'format' = 'json'", "there is nothing"),
    ],
)
def test_no_other_source_can_be_named(options: str, words: str, folder: Path) -> None:
    with pytest.raises(PipelineError) as refusal:
        prepared(f"CREATE TABLE t (a STRING) WITH ({options}); SELECT a FROM t;", "job.sql", folder)
    assert words in str(refusal.value)


@pytest.mark.parametrize("url", ["http://localhost:1/x.json", "ftp://localhost/x.json", "jdbc://x/y", "file2://x"])
def test_what_is_named_on_the_command_line_is_a_store_of_files(url: str, folder: Path) -> None:
    with pytest.raises(PipelineError, match="no rows are read by"):
        prepared(f"{TABLE}SELECT a FROM t;", "job.sql", folder, {"t": url})
