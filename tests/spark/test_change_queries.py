"""Queries over files whose lines are changes (Debezium, Canal, Maxwell, Ogg), with the rows of Flink 2.3.0 in
``flink/changes.jsonl``: what is left of the changes in the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "changes.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "changes.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, session: SparkSession, mode: str = "streaming", **data: str) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "changes.sql", FLINK, data, settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        # Flink writes -0.0 as 0.0 there, and takes the first one of both out.
        ("SELECT JSON_ARRAYAGG(x) FROM dbz", "first one of equal values"),
        ("SELECT grp, LISTAGG(DISTINCT name) FROM dbz GROUP BY grp", "first one of equal values"),
        ("SELECT grp, FIRST_VALUE(name) FROM dbz GROUP BY ROLLUP (grp)", "first one of equal values"),
        ("SELECT LISTAGG(grp) FROM (SELECT grp, COUNT(*) AS n FROM dbz GROUP BY grp)", "first one of equal values"),
        ("SELECT LISTAGG(dbz.name) FROM dbz JOIN ev ON dbz.id = ev.id", "first one of equal values"),
        ("SELECT * FROM dbz LIMIT 2", "LIMIT without ORDER BY"),
        ("SELECT name, COUNT(*) AS n FROM ev JOIN dbz ON ev.id = dbz.id GROUP BY name LIMIT 2", "LIMIT without ORDER"),
        ("SELECT * FROM dby ORDER BY ts", "looks at former rows"),
        (
            "SELECT window_start FROM TABLE(TUMBLE(TABLE dby, DESCRIPTOR(ts), INTERVAL '2' SECOND))",
            "looks at former rows",
        ),
        ("SELECT id, SUM(x) OVER (PARTITION BY grp ORDER BY ts) FROM dby", "looks at former rows"),
        (
            "SELECT a.id FROM dby AS a JOIN ev AS b ON a.id = b.id AND a.ts >= b.ts AND a.ts < b.ts + INTERVAL '1' DAY",
            "no interval of times",
        ),
        ("SELECT * FROM canf", "'canal-json.database.include' is not applied"),
        # A version that comes at a time behind the watermark: that of an update without a later time, and a deletion.
        ("SELECT o.id FROM trades o JOIN restated FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur", "pace of both"),
        ("SELECT o.id FROM trades o JOIN promptly FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur", "pace of both"),
        # The table is read once for its versions, and once for its rows.
        (
            "SELECT o.id FROM trades o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
            " WHERE o.cur IN (SELECT cur FROM rates)",
            "looks at former rows",
        ),
        ("SELECT o.cur FROM rates o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur", "at former rows"),
    ],
)
def test_what_depends_on_former_rows_is_refused(sql: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, session)


def test_batch_mode_reads_no_changes(session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="on streams only"):
        running("SELECT * FROM dbz", session, "batch")


@pytest.mark.parametrize("table", ["dbzdel", "can"])
def test_a_deletion_of_a_row_that_is_not_there_ends_the_query(table: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="a row that is not there"):
        list(running(f"SELECT * FROM {table}", session).values())


def test_columns_that_no_expression_reads_tell_no_rows_apart(session: SparkSession) -> None:
    """In Flink they do not reach an operator: the deleted row differs from the inserted one in ``name``."""
    lines = [
        {"before": None, "after": {"id": 1, "name": "a"}, "op": "c"},
        {"before": {"id": 1, "name": "b"}, "after": None, "op": "d"},
    ]
    script = "CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'kafka', 'format' = 'debezium-json');"
    assert list(of_lines(script + "SELECT id FROM t", lines, session)) == []
    with pytest.raises(PipelineError, match="a row that is not there"):
        list(of_lines(script + "SELECT * FROM t", lines, session))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"before": None, "after": {"id": 1}, "op": "x"}, "op is x"),
        ({"before": None, "after": {"id": 1}, "op": "u"}, "op is u"),
        ({"before": None, "after": None, "op": "c"}, "op is c"),
        ({"after": {"id": 1}}, "op is missing"),
        ({"before": None, "after": {"id": "one"}, "op": "c"}, "id is no INT: one"),
        ({"before": None, "after": "text", "op": "c"}, "cannot be read"),
    ],
)
def test_lines_that_flink_stops_at_are_left_out_and_counted(
    line: dict[str, Any], reason: str, session: SparkSession, tmp_path: Path
) -> None:
    script = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'format' = 'debezium-json'); SELECT * FROM t"
    good = {"before": None, "after": {"id": 2}, "op": "c"}
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in (line, good)), "utf-8")
    job = prepared(script, "job.sql", tmp_path, {"t": str(path)})
    query = lowered_query(job, job.queries[0], session)
    assert list(query.values()) == [[2]]
    (reading,) = query.readings()
    assert (reading.rows, reading.bad, reading.incomplete) == (2, 1, True)
    assert reason in reading.example


def of_lines(script: str, lines: list[dict[str, Any]], session: SparkSession) -> list[list[Any]]:
    """The rows of a query over a table ``t`` with these ``lines``."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.json"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        job = prepared(script, "job.sql", Path(folder), {"t": str(path)})
        return list(lowered_query(job, job.queries[0], session).values())


def test_kafka_formats_of_values_and_their_options_count(session: SparkSession) -> None:
    options = "'connector' = 'kafka', 'value.format' = 'debezium-json', 'value.debezium-json.schema-include' = 'true'"
    line = {"schema": {}, "payload": {"before": None, "after": {"id": 1}, "op": "r"}}
    assert of_lines(f"CREATE TABLE t (id INT) WITH ({options}); SELECT * FROM t", [line], session) == [[1]]


def test_metadata_of_lines_is_refused(session: SparkSession) -> None:
    column = "seen TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp'"
    script = f"CREATE TABLE t (id INT, {column}) WITH ('connector' = 'kafka', 'format' = 'debezium-json');"
    with pytest.raises(PipelineError, match=r"'value\.ingestion-timestamp' of such lines is not read"):
        of_lines(f"{script} SELECT * FROM t", [{"after": {"id": 1}, "op": "c"}], session)


def test_other_files_of_such_a_table_are_no_changes(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1\n", "utf-8")
    script = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'format' = 'debezium-json'); SELECT * FROM t"
    with pytest.raises(PipelineError, match="JSON lines of canal-json, debezium-json, maxwell-json, ogg-json"):
        prepared(script, "job.sql", tmp_path, {"t": str(tmp_path / "rows.csv")})


def test_a_restart_over_changes_is_not_replayed(session: SparkSession, tmp_path: Path) -> None:
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.replay.replayed_query import refuse_undivided

    query = running("SELECT grp, COUNT(*) AS n FROM dbz GROUP BY grp", session).query
    with pytest.raises(NotLowerable, match=r"changes of rows \(debezium-json\)"):
        refuse_undivided(query)


def test_nested_values_beside_changed_columns_are_refused(session: SparkSession) -> None:
    script = "CREATE TABLE t (id INT, r ROW<id INT>) WITH ('connector' = 'kafka', 'format' = 'maxwell-json');"
    with pytest.raises(PipelineError, match="inside of r as well"):
        of_lines(f"{script} SELECT id FROM t", [{"type": "insert", "data": {"id": 1}}], session)


def test_queries_within_expressions_read_columns(session: SparkSession) -> None:
    """Both rows are equal in all other columns, and the first one is deleted."""
    rows = [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]
    lines = [{"after": row, "op": "c"} for row in rows] + [{"before": rows[1], "op": "d"}]
    script = "CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'kafka', 'format' = 'debezium-json');"
    assert of_lines(f"{script} SELECT (SELECT name FROM t WHERE id = 1) AS n", lines, session) == [["a"]]
    assert of_lines(f"{script} SELECT COUNT(*) FROM t WHERE 'a' IN (SELECT name FROM t)", lines, session) == [[1]]
