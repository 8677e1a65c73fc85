"""``keepstate run`` refuses what Flink refuses: all of it at once, in one line each, before a JVM starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from keepstate.syntax.script import parse_script
from keepstate_lsp.cli.main import main
from keepstate_spark.errors import PipelineError
from keepstate_spark.refused_statements import refusals_of_flink
from keepstate_spark.runnable import runnable
from truth import GOLDEN, QUERIES, GoldenQuery, golden_queries

FLINK = Path(__file__).parents[1] / "spark" / "flink"
TABLES = """CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'rows.json', 'format' = 'json');
CREATE TABLE s (n DOUBLE, name STRING) WITH ('connector' = 'print');
CREATE TABLE k (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print');
"""
LINE = TABLES.count("\n") + 1

REFUSED = {
    "SELECT nam FROM t": (f"{LINE}:8", "SELECT #1", "unknown-column"),
    "SELECT id name more FROM t": (f"{LINE}:16", f"SELECT of line {LINE}", "syntax"),
    "SELECT name, MAX(MAX(id)) FROM t GROUP BY name": (f"{LINE}:14", "SELECT #1", "nested-aggregate"),
    "SELECT name, id FROM t GROUP BY name": (f"{LINE}:14", "SELECT #1", "not-grouped"),
    "SELECT id FROM t ORDER BY name": (f"{LINE}:27", "SELECT #1", "sort"),
    "INSERT INTO s SELECT name, id FROM t": (f"{LINE}:22", "INSERT INTO s", "sink-type"),
    "INSERT INTO s SELECT id FROM t": (f"{LINE}:15", "INSERT INTO s", "sink-columns"),
    "INSERT INTO s (n, other) SELECT id, name FROM t": (f"{LINE}:19", "INSERT INTO s", "unknown-column"),
    "SELECT id FROM (SELECT id, RANK() OVER (PARTITION BY name ORDER BY id) AS r FROM t) WHERE r = 1": (
        f"{LINE}:28",
        "SELECT #1",
        "rank-function",
    ),
    "SELECT window_start FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(id), INTERVAL '1' MINUTE))": (
        f"{LINE}:32",
        "SELECT #1",
        "window-time",
    ),
    "SELECT id FROM t UNION ALL SELECT name, id FROM t": (f"{LINE}:35", "SELECT #1", "set-operation-columns"),
    "SELECT * FROM t AS a JOIN t AS b ON a.id = b.name": (f"{LINE}:37", "SELECT #1", "operand-type"),
}


STARTED = "Spark would start here."


def _no_session(*_: object, **__: object) -> None:
    raise PipelineError(STARTED)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script to be run in its folder, where Spark does not start."""
    (tmp_path / "rows.json").write_text(json.dumps({"id": 1, "name": "a", "ts": "2026-03-01 10:00:00"}), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("keepstate_spark.session.spark_session", _no_session)
    return tmp_path / "job.sql"


@pytest.mark.parametrize("sql", REFUSED)
def test_a_refused_query_has_one_line_and_starts_no_jvm(
    sql: str, job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, name, rule = REFUSED[sql]
    job.write_text(f"{TABLES}{sql};", "utf-8")
    assert main(["run", "job.sql"]) == 2
    out, reported = capsys.readouterr()
    lines = reported.splitlines()
    assert (out, len(lines)) == ("", 1)
    assert lines[0].startswith(f"keepstate: job.sql:{place}: {name} is not run ({rule}): ")


def test_all_refusals_of_a_script_are_listed_in_its_order(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = "CREATE VIEW v AS SELECT nam FROM t;\nCREATE VIEW w AS SELECT * FROM v;\nSELECT * FROM w;\n"
    queries = ";\n".join(["CREATE TABLE x (a INT b INT)", *REFUSED, "SELECT a FROM x"])
    job.write_text(f"{TABLES}{broken}{queries};", "utf-8")
    assert main(["run", "job.sql"]) == 2
    lines = capsys.readouterr().err.splitlines()
    places = [int(line.split(":")[2]) for line in lines]
    first = LINE + broken.count("\n")
    assert places == [LINE, LINE + 2, *range(first, first + len(REFUSED) + 2)]
    assert lines[0].startswith(f"keepstate: job.sql:{LINE}:25: v is refused (unknown-column): ")
    assert lines[1].endswith(f"SELECT #1 is not run (reads-invalid): It needs v of line {LINE}, which is refused.")
    assert lines[-1].endswith("is not run (reads-invalid): It needs x, which is refused.")


def _runnable(
    job: Path, sql: str, *chosen: str, parameters: dict[str, str] | None = None
) -> tuple[list[str], list[str]]:
    """The names of the queries that are run, and the lines about the others."""
    script = runnable(TABLES + sql, "job.sql", job.parent, [None], {}, parameters or {}, chosen)
    return [query.name for query in script.queries], list(script.refused)


SEVERAL = "SELECT nam FROM t; SELECT a b c FROM t; SELECT id FROM t; INSERT INTO s SELECT id, name FROM t;"


def test_the_other_queries_are_run_and_keep_their_numbers(job: Path) -> None:
    script = runnable(TABLES + SEVERAL, "job.sql", job.parent, [None], {}, {})
    assert [(query.number, query.name) for query in script.queries] == [(3, "SELECT #2"), (4, "INSERT INTO s")]
    assert len(script.refused) == 2


@pytest.mark.parametrize(
    ("chosen", "names", "refused"),
    [
        (["3"], ["SELECT #2"], 0),
        (["SELECT #2"], ["SELECT #2"], 0),
        (["s"], ["INSERT INTO s"], 0),
        (["INSERT INTO s"], ["INSERT INTO s"], 0),
        (["s", "3"], ["SELECT #2", "INSERT INTO s"], 0),
        (["1"], [], 1),
        (["1", "4"], ["INSERT INTO s"], 1),
        ([f"SELECT of line {LINE}"], [], 1),
    ],
)
def test_a_choice_runs_and_names_what_it_needs_only(
    chosen: list[str], names: list[str], refused: int, job: Path
) -> None:
    found, lines = _runnable(job, SEVERAL, *chosen)
    assert (found, len(lines)) == (names, refused)


def test_a_chosen_query_has_the_refusal_of_what_it_needs(job: Path) -> None:
    sql = "CREATE VIEW v AS SELECT nam FROM t; SELECT * FROM v; SELECT nothing FROM t; CREATE TABLE x (a INT b INT);"
    assert [line.split(": ")[1] for line in _runnable(job, sql, "1")[1]] == [
        "v is refused (unknown-column)",
        "SELECT #1 is not run (reads-invalid)",
    ]


def test_a_choice_of_no_query_is_a_fault_of_usage(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job.write_text(TABLES + SEVERAL, "utf-8")
    assert main(["run", "job.sql", "--query", "5"]) == 2
    reported = capsys.readouterr().err
    assert "--query names 5, which is no query of job.sql." in reported
    assert f"1 (SELECT #1), 2 (SELECT of line {LINE}), 3 (SELECT #2), 4 (INSERT INTO s)" in reported


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT id FROM t ORDER BY name;", {"execution.runtime-mode": "batch"}),
        ("SET 'execution.runtime-mode' = 'batch'; SELECT id FROM t ORDER BY name;", {}),
        ("SELECT id FROM t ORDER BY name LIMIT 3;", {}),
        ("SELECT id FROM t ORDER BY ts, name;", {}),
    ],
)
def test_batch_mode_takes_what_a_stream_does_not(sql: str, parameters: dict[str, str], job: Path) -> None:
    assert _runnable(job, sql, parameters=parameters) == (["SELECT #1"], [])


def test_a_refusal_for_streams_names_batch_mode(job: Path) -> None:
    for_streams = "SELECT id FROM t ORDER BY name;"
    others = "SELECT nam FROM t ORDER BY name; SELECT * FROM t AS a JOIN t AS b ON a.id = b.name;"
    _, (sort, name, types) = _runnable(job, for_streams + others)
    assert sort.endswith("Batch mode takes it (execution.runtime-mode = batch).")
    assert "atch" not in name + types


OTHER_KEY = "INSERT INTO k SELECT MAX(id), name FROM t GROUP BY name;"
"""Flink 2.3 wants ON CONFLICT here, as no version before it does."""


@pytest.mark.parametrize(
    ("arguments", "configuration", "refused"),
    [
        (["--engine", "flink"], "", True),
        (["--engine", "flink", "--engine-version", "1.20"], "", False),
        ([], "", False),
        (["--engine-version", "vvr-8.0.11-flink-1.17"], "", False),
        ([], 'engine = "flink"', True),
        ([], 'engine = "flink"\nengine-version = "2.3"', True),
        ([], 'engine = "flink"\nengine-version = "1.20"', False),
    ],
)
def test_the_version_of_flink_decides(
    arguments: list[str], configuration: str, refused: bool, job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if configuration:
        (job.parent / "keepstate.toml").write_text(configuration, "utf-8")
    job.write_text(TABLES + OTHER_KEY, "utf-8")
    assert main(["run", "job.sql", *arguments]) == 2
    reported = capsys.readouterr().err
    assert ("(upsert-key)" in reported) == refused
    assert (STARTED in reported) == (not refused)


def test_configured_parameters_count(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (job.parent / "keepstate.toml").write_text('[parameters]\n"execution.runtime-mode" = "batch"\n', "utf-8")
    job.write_text(f"{TABLES}SELECT id FROM t ORDER BY name;", "utf-8")
    assert main(["run", "job.sql"]) == 2
    assert STARTED in capsys.readouterr().err


def test_a_statement_set_of_a_wrong_form_is_not_run(job: Path) -> None:
    inserts = "INSERT INTO s SELECT id, name FROM t; INSERT INTO s SELECT id, name FROM t WHERE id > 1;"
    names, lines = _runnable(job, f"EXECUTE STATEMENT SET BEGIN {inserts} SELECT id FROM t; END; SELECT ts FROM t;")
    assert names == ["SELECT #2"]
    assert all("statement-set" in line for line in lines)
    assert _runnable(job, f"EXECUTE STATEMENT SET BEGIN {inserts} END;")[0] == ["INSERT INTO s", "INSERT INTO s"]


@pytest.mark.parametrize("query", [*golden_queries(GOLDEN), *golden_queries(QUERIES)], ids=lambda query: query.name)
def test_what_flink_ran_is_not_refused(query: GoldenQuery) -> None:
    parameters = {"execution.runtime-mode": query.mode}
    script = parse_script(f"{query.ddl}\n{query.sql}")
    assert refusals_of_flink(script, [None], parameters) == ()


@pytest.mark.parametrize("file", ["queries.jsonl", "late.jsonl"])
def test_what_flink_answered_is_not_refused(file: str) -> None:
    answers = [json.loads(line) for line in (FLINK / file).read_text("utf-8").splitlines()]
    tables = (FLINK / "tables.sql").read_text("utf-8")
    refused = [
        answer["sql"]
        for answer in answers
        if refusals_of_flink(
            parse_script(f"{answer.get('tables', tables)}\n{answer['sql']};"),
            [None],
            {"execution.runtime-mode": answer.get("mode", "streaming")},
        )
    ]
    assert refused == []
