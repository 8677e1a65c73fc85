"""Restarts on a real Flink: what is measured, what a script cannot reach, and what is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from keepstate_flink.cluster import cluster
from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.installation import NEWEST, full_version
from keepstate_flink.rehearsals import rehearse
from keepstate_flink.running_jobs import Jobs, ScriptedJob
from keepstate_flink.script_pair_rows import made_rows
from keepstate_flink.verification import Measurement, RestartOutcome, Verifier
from shared_flink import shared_cluster

VERSION = full_version(NEWEST)
pytestmark = [
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
]
Tasks = tuple[int, int, int]
"""Parallel tasks of the job, of its source and of its sink; 0 is not set."""
TABLES = """CREATE TABLE t (k STRING, k2 STRING, a INT, b INT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE titles (k STRING, title STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc');
"""
SUM = "SELECT k, SUM(a) AS s, COUNT(*) AS c FROM t GROUP BY k;"
WINDOW = (
    "SELECT k, window_start, {} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) "
    "GROUP BY k, window_start, window_end;"
)
RANKED = "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS n FROM t) WHERE n <= 2;"


@pytest.fixture(scope="module")
def jobs() -> Jobs:
    assert VERSION is not None
    return Jobs(shared_cluster(VERSION))


def job(query: str) -> ScriptedJob:
    return ScriptedJob(TABLES + query)


def measured(jobs: Jobs, baseline: str, current: str, **options: bool) -> Measurement:
    verifier = Verifier(jobs, made_rows(baseline, current), **options)
    found = list(verifier.measure(job(baseline), job(current)))
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("baseline", "current", "outcome"),
    [
        (SUM, SUM.replace("AS s", "AS total"), RestartOutcome.EXACT),
        (SUM, SUM.replace("SUM(a)", "MAX(a)"), RestartOutcome.WRONG_RESULTS),
        (SUM, SUM.replace("SUM(a)", "SUM(d)"), RestartOutcome.DOES_NOT_START),
        (SUM, SUM.replace("COUNT(*)", "COUNT(*), MIN(b)"), RestartOutcome.DOES_NOT_START),
        (SUM, SUM.replace("SELECT k,", "SELECT k2,").replace("BY k", "BY k2"), RestartOutcome.WRONG_RESULTS),
        (WINDOW.format("SUM(a)"), WINDOW.format("SUM(a)  AS x"), RestartOutcome.EXACT),
        (WINDOW.format("SUM(a)"), WINDOW.format("SUM(a), MAX(b)"), RestartOutcome.DOES_NOT_START),
        (WINDOW.format("SUM(a)"), WINDOW.format("SUM(a)").replace("10", "20"), RestartOutcome.WRONG_RESULTS),
        (RANKED.format("a"), RANKED.format("d"), RestartOutcome.DOES_NOT_START),
        (SUM, "SELECT k, a FROM t;", RestartOutcome.DOES_NOT_START),
        ("SELECT k, a FROM t;", "SELECT k, a + 1 FROM t;", RestartOutcome.EXACT),
    ],
)
def test_what_a_restart_does(jobs: Jobs, baseline: str, current: str, outcome: RestartOutcome) -> None:
    found = measured(jobs, baseline, current)
    assert found.outcome is outcome, found
    assert bool(found.error) is (outcome is RestartOutcome.DOES_NOT_START)
    assert (found.differences.missing != ()) is (outcome is RestartOutcome.WRONG_RESULTS)


def test_a_lookup_finds_its_rows(jobs: Jobs) -> None:
    query = (
        "SELECT title, SUM(a) FROM (SELECT *, PROCTIME() AS p FROM t) AS o "
        "JOIN titles FOR SYSTEM_TIME AS OF o.p AS l ON o.k = l.k GROUP BY title;"
    )
    assert measured(jobs, query, query).outcome is RestartOutcome.EXACT


@pytest.mark.parametrize(
    ("connector", "outcome"),
    [
        ("kafka", RestartOutcome.WRONG_RESULTS),
        ("datagen", RestartOutcome.WRONG_RESULTS),
        # What is read alone needs no projection: a filter puts a Calc where there was none, and moves all ids.
        ("filesystem", RestartOutcome.DOES_NOT_START),
        ("jdbc", RestartOutcome.DOES_NOT_START),
    ],
)
def test_connectors_stand_for_what_the_planner_asks_of_them(
    jobs: Jobs, connector: str, outcome: RestartOutcome
) -> None:
    table = f"CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = '{connector}');\n"
    was = ScriptedJob(f"{table}SELECT k, SUM(a) FROM t GROUP BY k;")
    now = ScriptedJob(f"{table}SELECT k, SUM(a) FROM t WHERE a > 1 GROUP BY k;")
    verifier = Verifier(jobs, made_rows("", ""))
    assert [each.outcome for each in verifier.measure(was, now)] == [outcome]


def test_where_inputs_meet_only_final_rows_count(jobs: Jobs) -> None:
    paid = "SELECT k, a FROM t WHERE {} AND k2 = 'paid';"
    inner = "(SELECT 1 FROM t AS v WHERE v.k2 = 'void' AND v.k = t.k)"
    found = measured(jobs, paid.format("k IN (SELECT k FROM t WHERE k2 = 'void')"), paid.format(f"NOT EXISTS {inner}"))
    assert found.outcome is RestartOutcome.EXACT


def test_before_any_row_the_states_say_it(jobs: Jobs) -> None:
    same = rehearse(jobs, job(SUM), job(SUM))
    assert same.starts
    assert [(operator.states, operator.has_match) for operator in same.operators if not operator.is_source] == [
        (("timers", "accState"), True)
    ]
    gone = rehearse(jobs, job(SUM), job("SELECT k, a FROM t WHERE a > 1;"))
    assert not gone.starts
    assert [operator.has_match for operator in gone.operators if not operator.is_source] == [False]
    assert "Cannot map checkpoint/savepoint state" in " ".join(gone.error)


def test_a_witness_is_small_and_shows_it(jobs: Jobs) -> None:
    found = measured(jobs, SUM, SUM.replace("SUM(a)", "MAX(a)"), seeks_witness=True)
    assert found.witness is not None
    assert sum(len(rows.before) + len(rows.after) for rows in found.witness.rows) <= 12
    assert found.witness.differences.missing
    assert found.witness.differences.unexpected


def test_queries_are_jobs_by_themselves_or_one(jobs: Jobs) -> None:
    sinks = "".join(f"CREATE TABLE s{n} (k STRING, v BIGINT) WITH ('connector' = 'print');\n" for n in (1, 2, 3))
    first, second = (f"INSERT INTO s{n} SELECT k, COUNT({c}) FROM t GROUP BY k;\n" for n, c in ((1, "a"), (2, "b")))
    third = "INSERT INTO s3 SELECT k, COUNT(d) FROM t GROUP BY k;\n"
    together = f"BEGIN STATEMENT SET;\n{first}{second}END;\n{third}"
    assert jobs.queries(ScriptedJob(TABLES + sinks + together, one_job=False)) == (
        ("INSERT INTO s1", "INSERT INTO s2"),
        ("INSERT INTO s3",),
    )
    verifier = Verifier(jobs)
    was = ScriptedJob(TABLES + sinks + first + second, one_job=False)
    now = ScriptedJob(TABLES + sinks + second + third, one_job=False)
    assert [(each.name, each.outcome) for each in verifier.measure(was, now)] == [
        ("INSERT INTO s2", RestartOutcome.STARTS),
    ]
    assert verifier.left_out == [
        "INSERT INTO s3 is new: there is nothing to restore.",
        "INSERT INTO s1 ends: its state is restored by no job.",
    ]
    grown = ScriptedJob(f"{TABLES}{sinks}BEGIN STATEMENT SET;\n{first}{second}{third}END;", one_job=False)
    pair = ScriptedJob(f"{TABLES}{sinks}BEGIN STATEMENT SET;\n{first}{second}END;", one_job=False)
    assert [each.outcome for each in verifier.measure(pair, grown)] == [RestartOutcome.DOES_NOT_START]
    whole = list(verifier.measure(*(ScriptedJob(each.text) for each in (was, now))))
    # Ids follow from the shape of the graph, which is the same: each sink gets the counts of the one before.
    assert [each.outcome for each in whole] == [RestartOutcome.STARTS]


@pytest.mark.parametrize(
    "statement",
    [
        "ADD JAR '{folder}/evil.jar';",
        "COMPILE PLAN '{folder}/plan.json' FOR INSERT INTO sink SELECT k FROM t;",
        "EXECUTE PLAN '{folder}/plan.json';",
        "LOAD MODULE hive WITH ('hive-version' = '3.1.3');",
        "UNLOAD MODULE keepstate;",
        "USE MODULES core;",
        "REPLACE TABLE made WITH ('connector' = 'filesystem', 'path' = '{folder}/out', 'format' = 'csv') "
        "AS SELECT k FROM t;",
        "DELETE FROM titles WHERE k = 'x';",
        "ANALYZE TABLE t COMPUTE STATISTICS;",
    ],
)
def test_nothing_but_declarations_and_queries_is_run(jobs: Jobs, statement: str, tmp_path: Path) -> None:
    script = (
        f"{TABLES}CREATE TABLE sink (k STRING) WITH ('connector' = 'print');\n{statement.format(folder=tmp_path)}\n"
    )
    with pytest.raises(NotRunnable, match="A rehearsal does not run"):
        jobs.queries(ScriptedJob(f"{script}SELECT k FROM t;"))
    assert list(tmp_path.iterdir()) == []


def test_no_connector_and_no_catalog_is_reached(jobs: Jobs, tmp_path: Path) -> None:
    script = f"""SET 'rest.address' = 'example.invalid';
SET 'pipeline.jars' = 'file://{tmp_path}/evil.jar';
SET 'execution.target' = 'kubernetes-session';
SET 'state.checkpoints.dir' = 'file://{tmp_path}/checkpoints';
CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://bucket/x', 'default-database' = 'd');
USE CATALOG lake;
CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/in', 'format' = 'csv');
CREATE TABLE s (k STRING, a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv');
INSERT INTO s SELECT k, SUM(a) FROM lake.d.t GROUP BY k;
CREATE TABLE made WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/made', 'format' = 'csv') AS SELECT k FROM t;
"""
    verifier = Verifier(jobs, made_rows("", ""))
    found = list(verifier.measure(ScriptedJob(script), ScriptedJob(script)))
    # A file system takes no updates, which Flink would refuse for the real connector.
    assert [each.outcome for each in found] == [RestartOutcome.EXACT]
    assert list(tmp_path.iterdir()) == []
    assert {"rest.address", "pipeline.jars", "execution.target", "state.checkpoints.dir"} <= jobs.ignored


def test_a_function_of_the_user_asks_for_its_jar(jobs: Jobs) -> None:
    script = f"{TABLES}CREATE FUNCTION acme AS 'com.acme.Function' LANGUAGE JAVA;\nSELECT acme(k) FROM t;"
    found = list(Verifier(jobs).measure(ScriptedJob(script), ScriptedJob(script)))
    assert found[0].outcome is RestartOutcome.NOT_MEASURED
    assert "calls a function of its own, acme: name its jar with --jar" in found[0].note


SINK = "CREATE TABLE s (k STRING, v INT) WITH ('connector' = 'print');\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("CREATE FUNCTION acme AS 'm.f' LANGUAGE PYTHON;\nSELECT acme(k) FROM t;", "a Python function, acme"),
        ("SET 'execution.runtime-mode' = 'BATCH';\nSELECT k FROM t;", "batch mode, which takes no savepoints"),
        (f"{SINK}INSERT INTO s VALUES ('x', 1);", "reads no table, so it ends by itself"),
        (f"SET 'parallelism.default' = '200';\n{SUM}", "runs in 200 parallel tasks, and a rehearsal has room for 32"),
        ("REPLACE TABLE c WITH ('connector' = 'print') AS SELECT k FROM t;", "does not run 'REPLACE TABLE c …'"),
    ],
)
def test_jobs_without_a_restart_say_why(jobs: Jobs, script: str, words: str) -> None:
    found = list(Verifier(jobs).measure(job(script), job(script)))
    assert [each.outcome for each in found] == [RestartOutcome.NOT_MEASURED]
    assert words in found[0].note


@pytest.mark.parametrize(
    ("was", "now", "outcomes"),
    [
        (f"{SINK}INSERT INTO s {SUM}", "other", [RestartOutcome.STARTS]),
        (
            "SET 'execution.runtime-mode' = 'batch';\nRESET 'execution.runtime-mode';\n" + SUM,
            None,
            [RestartOutcome.STARTS],
        ),
    ],
)
def test_the_same_job_in_other_words(jobs: Jobs, was: str, now: str | None, outcomes: list[RestartOutcome]) -> None:
    was = was.replace("AS s, COUNT(*) AS c", "AS v")
    current = was if now is None else was.replace("TABLE s ", f"TABLE {now} ").replace("INTO s ", f"INTO {now} ")
    scripts = (ScriptedJob(TABLES + text, one_job=False) for text in (was, current))
    assert [each.outcome for each in Verifier(jobs).measure(*scripts)] == outcomes


def test_a_reordered_statement_set_is_the_same_job(jobs: Jobs) -> None:
    sinks = SINK + SINK.replace("TABLE s ", "TABLE r ")
    queries = [
        f"INSERT INTO {name} SELECT k, SUM({column}) FROM t GROUP BY k;" for name, column in (("s", "a"), ("r", "b"))
    ]
    was, now = (f"EXECUTE STATEMENT SET BEGIN {' '.join(each)} END;" for each in (queries, queries[::-1]))
    found = list(Verifier(jobs).measure(*(ScriptedJob(TABLES + sinks + text, one_job=False) for text in (was, now))))
    assert [(each.name, each.outcome) for each in found] == [("INSERT INTO r, INSERT INTO s", RestartOutcome.STARTS)]


def test_a_job_of_more_subtasks_than_splits_ends(jobs: Jobs) -> None:
    script = f"SET 'parallelism.default' = '3';\n{SUM}"
    assert measured(jobs, script, script.replace("'3'", "'2'")).outcome is RestartOutcome.EXACT


@pytest.mark.parametrize(
    ("was", "now", "outcome"),
    [
        ((12, 0, 0), (24, 0, 0), RestartOutcome.STARTS),
        ((2, 0, 0), (2, 3, 0), RestartOutcome.DOES_NOT_START),
        ((2, 0, 0), (2, 2, 0), RestartOutcome.STARTS),
        ((2, 3, 0), (3, 3, 0), RestartOutcome.DOES_NOT_START),
        ((2, 0, 0), (2, 0, 3), RestartOutcome.DOES_NOT_START),
        ((2, 0, 2), (2, 0, 3), RestartOutcome.DOES_NOT_START),
        ((4, 0, 2), (4, 0, 3), RestartOutcome.STARTS),
    ],
)
def test_tasks_of_tables_split_chains(jobs: Jobs, was: Tasks, now: Tasks, outcome: RestartOutcome) -> None:
    """A window without a projection behind it, so that it is chained to the sink."""
    found = list(Verifier(jobs).measure(_with_tasks(was), _with_tasks(now)))
    assert [each.outcome for each in found] == [outcome]


def _with_tasks(tasks: Tasks) -> ScriptedJob:
    default, source, sink = tasks
    of_source = f", 'scan.parallelism' = '{source}'" if source else ""
    of_sink = f", 'sink.parallelism' = '{sink}'" if sink else ""
    return ScriptedJob(
        f"""SET 'parallelism.default' = '{default}';
        CREATE TABLE t (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen'{of_source});
        CREATE TABLE s (k STRING, c BIGINT, ws TIMESTAMP(3), we TIMESTAMP(3)) WITH ('connector' = 'print'{of_sink});
        INSERT INTO s SELECT k, COUNT(*), window_start, window_end
        FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY k, window_start, window_end;"""
    )


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "SELECT k, COUNT(*) FROM t WHERE k2 = 'EUR' GROUP BY k;",
            "SELECT k, COUNT(*) FROM t WHERE k2 = 'USD' GROUP BY k;",
        ),
        ("SELECT k, COUNT(*) FROM t WHERE a > 900 GROUP BY k;", "SELECT k, COUNT(*) FROM t WHERE a > 901 GROUP BY k;"),
        ("SELECT k, SUM(a) FROM t GROUP BY k;", "SELECT k, MAX(a) FROM t GROUP BY k;"),
        ("SELECT DISTINCT k FROM t;", "SELECT DISTINCT k2 FROM t;"),
    ],
)
def test_made_rows_show_it(jobs: Jobs, was: str, now: str) -> None:
    verifier = Verifier(jobs, made_rows(was, now))
    assert [each.outcome for each in verifier.measure(job(was), job(now))] == [RestartOutcome.WRONG_RESULTS]


@pytest.mark.parametrize(
    ("was", "now", "query"),
    [
        ("INT", "INT NOT NULL", "SELECT k, SUM(v) FROM r GROUP BY k;"),
        ("STRING", "STRING NOT NULL", "SELECT k, COLLECT(v) FROM r GROUP BY k;"),
        ("ROW<a INT>", "ROW<a INT, b STRING>", "SELECT k, COUNT(v) FROM r GROUP BY k;"),
        ("DOUBLE", "INT", "SELECT k, COUNT(v) FROM r WHERE v > 3 GROUP BY k;"),
    ],
)
def test_another_type_alone_makes_no_other_rows(jobs: Jobs, was: str, now: str, query: str) -> None:
    table = "CREATE TABLE r (k STRING, v {}) WITH ('connector' = 'kafka');\n"
    types = {"r": {"v": was}}, {"r": {"v": now}}
    verifier = Verifier(jobs, made_rows(query, query, types))
    sides = (job(table.format(each) + query) for each in (was, now))
    assert [each.outcome for each in verifier.measure(*sides)] == [RestartOutcome.EXACT]


def test_a_time_limit_ends_the_jvm() -> None:
    assert VERSION is not None

    def ask() -> None:
        with cluster(VERSION, seconds=0.5) as running:
            while True:
                Jobs(running).queries(job(SUM))

    with pytest.raises(FlinkError, match=r"Flink was stopped after 0\.5 s\. Give it more with --time-limit\."):
        ask()


CREATED = """CREATE TABLE c WITH ('connector' = 'kafka') AS SELECT k FROM t WHERE a > 1;
CREATE TABLE s WITH ('connector' = 'print') AS SELECT k, SUM(a) AS s FROM t GROUP BY k;
"""


@pytest.mark.parametrize(
    ("edited", "outcomes"),
    [
        ("SUM(a)", [RestartOutcome.EXACT, RestartOutcome.EXACT]),
        ("MAX(a)", [RestartOutcome.EXACT, RestartOutcome.WRONG_RESULTS]),
        ("SUM(d)", [RestartOutcome.EXACT, RestartOutcome.DOES_NOT_START]),
    ],
)
def test_a_table_of_a_query_is_filled(jobs: Jobs, edited: str, outcomes: list[RestartOutcome]) -> None:
    was, now = (ScriptedJob(TABLES + text, one_job=False) for text in (CREATED, CREATED.replace("SUM(a)", edited)))
    found = list(Verifier(jobs, made_rows(was.text, now.text)).measure(was, now))
    assert [each.name for each in found] == ["CREATE TABLE c AS", "CREATE TABLE s AS"]
    assert [each.outcome for each in found] == outcomes


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    full = [sys.executable, "-m", "keepstate_lsp.cli.main", "verify", *arguments]
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUTF8": "1"}
    return subprocess.Popen(
        full, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def folders(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("keepstate-flink-")]


def test_pairs_two_at_once(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "baseline": TABLES + SUM, "current": TABLES + SUM.replace("SUM(a)", "SUM(d)")},
        {"id": "b", "baseline": TABLES + SUM, "current": TABLES + SUM},
        {"id": "c", "baseline": "SELEC", "current": TABLES + SUM},
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "7\n", "utf-8")
    runs = [command(tmp_path, "--pairs", "pairs.jsonl", "--planner", "flink") for _ in range(2)]
    for run in runs:
        out, err = run.communicate(timeout=200)
        answers = [json.loads(line) for line in out.splitlines()]
        assert [(answer["id"], answer["measured"], answer["predicted"]) for answer in answers] == [
            ("a", "does-not-start", "does-not-start"),
            ("b", "starts", "exact"),
            ("c", "not-measured", answers[2]["predicted"]),
            (None, "not-measured", None),
        ]
        assert [answer["planned"]["decision"] for answer in answers[:2]] == ["does-not-start", "equal"]
        assert run.returncode == 2
        assert "pairs.jsonl:4" in err
        assert "The prediction agrees with the measurement on 2 of 2 pairs (0 otherwise; 1 not decided)." in err
    assert folders(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_goes_on_after_the_end(tmp_path: Path, how: signal.Signals) -> None:
    pair = {"id": 1, "baseline": TABLES + SUM, "current": TABLES + SUM}
    (tmp_path / "pairs.jsonl").write_text((json.dumps(pair) + "\n") * 500, "utf-8")
    run = command(tmp_path, "--pairs", "pairs.jsonl")
    assert run.stdout is not None
    assert json.loads(run.stdout.readline())["measured"] == "starts"
    run.send_signal(how)
    _, err = run.communicate(timeout=200)
    if how is signal.SIGINT:
        assert run.returncode == 2
        assert "Interrupted" in err
        assert folders(tmp_path) == []
    deadline = time.monotonic() + 120
    while _java_below(tmp_path):
        assert time.monotonic() < deadline, "the JVM goes on"


def _java_below(folder: Path) -> list[str]:
    """The command lines of processes that name a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if "java" in words and f"java.io.tmpdir={folder}" in words:
            found.append(words[:200])
    return found
