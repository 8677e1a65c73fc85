"""``keepstate run``: what a person and a program get of it, and what it leaves behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import class_archive
from keepstate_lsp.cli.main import main
from processes import children_of

TABLES = """SET 'table.local-time-zone' = 'UTC';
CREATE TABLE t (id BIGINT, name STRING, price DECIMAL(6, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'rows.json', 'format' = 'json');
"""
QUERIES = """INSERT INTO sink SELECT window_start, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
SELECT name, price, ts FROM t ORDER BY ts;
"""
ROWS = [
    {"id": 1, "name": 'a,"b"', "price": 1.5, "ts": "2026-03-01 10:00:00"},
    {"id": 2, "name": None, "price": 2.25, "ts": "2026-03-01 10:00:30.5"},
]


@pytest.fixture(autouse=True)
def archived_classes() -> Iterator[None]:
    """The JVMs of commands need not read each class from a jar."""
    with class_archive.in_use():
        yield


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "job.sql"
    path.write_text(TABLES + QUERIES, "utf-8")
    (tmp_path / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return path


def keepstate(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "run", *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(cwd), "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=200, check=False)


def test_text_of_a_script_is_no_variable_of_spark(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch name in CI is a stranger's text; so is what an environment variable holds."""
    monkeypatch.setenv("KEEPSTATE_SECRET", "x'||java_method('java.lang.System','getProperty','java.version')||'")
    texts = ("${env:KEEPSTATE_SECRET}", "${system:user.home}", "${spark:spark.master}", "${hiveconf:x}")
    items = ", ".join(f"'{text}' AS c{number}" for number, text in enumerate(texts))
    job.write_text(f"{TABLES}SELECT {items} FROM t WHERE id = 1;", "utf-8")
    run = keepstate(job, "--format", "jsonl", cwd=job.parent)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout.splitlines()[1]) == list(texts)


def test_json_lines_are_a_header_and_rows(job: Path) -> None:
    run = keepstate(job, "--format", "jsonl", cwd=job.parent)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [
        '{"query": 1, "name": "INSERT INTO sink", "columns": ["window_start", "n"], '
        '"types": ["TIMESTAMP(3) NOT NULL", "BIGINT NOT NULL"]}',
        '["2026-03-01 10:00:00", 2]',
        '{"query": 2, "name": "SELECT #1", "columns": ["name", "price", "ts"], '
        '"types": ["STRING", "DECIMAL(6, 2)", "TIMESTAMP(3)"]}',
        '["a,\\"b\\"", 1.50, "2026-03-01 10:00:00"]',
        '[null, 2.25, "2026-03-01 10:00:30.5"]',
    ]
    assert {path.name for path in job.parent.iterdir()} == {"job.sql", "rows.json"}


def test_results_become_files_and_bad_rows_are_reported(job: Path) -> None:
    other = job.parent / "other.json"
    other.write_text((job.parent / "rows.json").read_text("utf-8") + '{"id": "x"}\n', "utf-8")
    run = keepstate(job, "--data", f"t={other}", "--format", "csv", "--output", job.parent / "out", cwd=job.parent)
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.splitlines() == [
        "keepstate: t: 1 of 3 rows cannot be read and is left out; one of them: other.json: id is no BIGINT: x"
    ]
    assert {path.name: path.read_text("utf-8") for path in (job.parent / "out").iterdir()} == {
        "1-INSERT-INTO-sink.csv": "window_start,n\n2026-03-01 10:00:00,2\n",
        "2-SELECT-1.csv": 'name,price,ts\n"a,""b""",1.50,2026-03-01 10:00:00\n,2.25,2026-03-01 10:00:30.5\n',
    }
    assert {path.name for path in job.parent.iterdir()} == {"job.sql", "rows.json", "other.json", "out"}


@pytest.mark.parametrize("format_", ["jsonl", "parquet"])
def test_a_query_that_fails_on_its_rows_leaves_the_others_alone(job: Path, format_: str) -> None:
    queries = "SELECT id FROM t;\nINSERT INTO halves SELECT 1 / (id - 2) AS h FROM t;\nSELECT name FROM t;\n"
    job.write_text(TABLES + queries, "utf-8")
    out = job.parent / "out"
    former = out / f"2-INSERT-INTO-halves.{format_}"
    former.mkdir(parents=True)
    run = keepstate(job, "--format", format_, "--output", out, cwd=job.parent)
    assert run.returncode == 2
    [line] = run.stderr.splitlines()
    assert "INSERT INTO halves failed. " in line
    assert "zero" in line
    assert {path.name for path in out.iterdir()} == {f"1-SELECT-1.{format_}", former.name, f"3-SELECT-2.{format_}"}
    assert not list(former.iterdir())


def test_a_variable_of_the_environment_is_four_words_of_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what it holds is shown, nor is it run: in CI it may be a stranger's text."""
    monkeypatch.setenv("GITHUB_HEAD_REF", "x'||java_method('java.lang.System','getProperty','java.version')||'")
    texts = ["${env:GITHUB_HEAD_REF}", "${system:java.version}", "${spark:spark.app.name}", "{{ x }}"]
    (tmp_path / "rows.csv").write_text("1,${env:GITHUB_HEAD_REF}\n", "utf-8")
    table = "CREATE TABLE t (id INT, note STRING) WITH ('connector'='filesystem','path'='rows.csv','format'='csv');"
    items = ", ".join(f"'{text}' AS c{index}" for index, text in enumerate(texts))
    (tmp_path / "job.sql").write_text(f"{table} SELECT note, {items} FROM t;", "utf-8")
    run = keepstate("job.sql", "--format", "jsonl", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout.splitlines()[1]) == [texts[0], *texts]


def test_folders_are_read_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    files = {
        "filled/2026/03/01/a.json": '{"id": 1}\n',
        "filled/README.md": "Rows.\n",
        "hollow/deep/_hidden.json": "{}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    tables = "".join(
        f"CREATE TABLE {name} (id INT) WITH ('connector'='filesystem','path'='{name}','format'='json');"
        for name in ("filled", "hollow")
    )
    (tmp_path / "job.sql").write_text(f"{tables} SELECT * FROM filled; SELECT * FROM hollow;", "utf-8")
    run = keepstate("job.sql", "--format", "csv", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stdout == "id\n1\nid\n"
    assert run.stderr.splitlines() == [
        f"keepstate: filled: 1 file below {tmp_path}/filled holds no rows by its name and is not read: "
        f"{tmp_path}/filled/README.md",
        f"keepstate: hollow: 0 rows read from {tmp_path}/hollow.",
    ]


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(
    ("ending", "moment"),
    [
        ("SIGINT", "in a query"),
        ("SIGTERM", "in a query"),
        ("SIGTERM", "while Spark starts"),
        ("SIGHUP", "while Spark starts"),
    ],
)
def test_signal_leaves_nothing_behind(job: Path, ending: str, moment: str) -> None:
    count = ", ".join(f"t t{index}" for index in range(5))
    # Minutes of work, once it is running.
    slow = f"SELECT COUNT(*) FROM {count}, UNNEST(ARRAY[{', '.join(map(str, range(300)))}]) AS u(x);"
    job.write_text(TABLES + slow, "utf-8")
    rows = "".join(json.dumps({**ROWS[0], "id": number}) + "\n" for number in range(400))
    (job.parent / "rows.json").write_text(rows, "utf-8")
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "run", str(job), "--output", str(job.parent / "out")]
    environment = {**os.environ, "TMPDIR": str(job.parent)}
    with tempfile.TemporaryFile() as reported:
        process = subprocess.Popen(command, cwd=job.parent, env=environment, stderr=reported, start_new_session=True)
        try:
            drafts = ".out.*" if moment == "in a query" else "keepstate-spark-*"
            while not ((java := children_of(process.pid, "java")) and list(job.parent.glob(drafts))):
                assert process.poll() is None
            process.send_signal(signal.Signals[ending])
            # Impatience does not keep it from cleaning up.
            process.send_signal(signal.Signals[ending])
            assert process.wait(120) == 2
            assert not any(Path(f"/proc/{number}").exists() for number in java)
        finally:
            process.kill()
        reported.seek(0)
        assert reported.read().decode().splitlines() == ["keepstate: Interrupted; the result is not complete."]
    assert {path.name for path in job.parent.iterdir()} == {"job.sql", "rows.json"}


@pytest.mark.skipif(sys.platform != "linux", reason="processes of Linux")
def test_a_kill_leaves_no_process_behind_and_no_folder_for_the_next_run(job: Path) -> None:
    count = ", ".join(f"t t{index}" for index in range(5))
    slow = f"SELECT COUNT(*) FROM {count}, UNNEST(ARRAY[{', '.join(map(str, range(300)))}]) AS u(x);"
    job.write_text(TABLES + slow, "utf-8")
    rows = "".join(json.dumps({**ROWS[0], "id": number}) + "\n" for number in range(400))
    (job.parent / "rows.json").write_text(rows, "utf-8")
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", "run", str(job), "--output", str(job.parent / "out")]
    environment = {**os.environ, "TMPDIR": str(job.parent)}
    process = subprocess.Popen(command, cwd=job.parent, env=environment, stderr=subprocess.DEVNULL)
    try:
        while not ((java := children_of(process.pid, "java")) and list(job.parent.glob(".out.*"))):
            assert process.poll() is None
        ends = [os.pidfd_open(number) for number in java]
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    for end in ends:
        assert select.select([end], [], [], 120)[0], "the JVM is left"
        os.close(end)
    job.write_text(TABLES + "SELECT id FROM t WHERE id = 7;", "utf-8")
    subprocess.run(command, cwd=job.parent, env=environment, capture_output=True, check=True)
    assert {path.name for path in job.parent.iterdir()} == {"job.sql", "rows.json", "out"}


@pytest.mark.parametrize(
    ("sql", "arguments", "words"),
    [
        ("SELECT FROM;", [], "job.sql:4:"),
        ("", [], "has no query to run"),
        ("SELECT * FROM elsewhere;", [], "No CREATE TABLE tells the columns of elsewhere"),
        ("SELECT * FROM t;", ["--data", "t=nothing.json"], "there is nothing"),
        ("SELECT * FROM t;", ["--data", "s=rows.json"], "--data names s, which is no table"),
        ("SELECT * FROM t;", ["--format", "parquet"], "--output"),
        ("SELECT * FROM t;", ["--format", "orc"], "Files of orc are nothing for a terminal"),
        ("SELECT * FROM t;", ["--output", "s3a://bucket/results"], "is a URL"),
        ("SELECT * FROM t;", ["--data", "t"], "TABLE=PATH"),
        ("SET 'table.local-time-zone' = 'Mars/Crater'; SELECT * FROM t;", [], "There is no time zone 'Mars/Crater'"),
        (
            "CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'format' = 'avro'); SELECT * FROM k;",
            [],
            "--data k=PATH",
        ),
        (
            "CREATE TABLE k (id INT) WITH ('connector' = 'x', 'format' = 'debezium-avro-confluent'); SELECT * FROM k;",
            ["--data", "k=rows.json"],
            "are changes",
        ),
    ],
)
def test_what_cannot_be_run_is_reported_before_spark_starts(
    job: Path,
    sql: str,
    arguments: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    job.write_text(TABLES + sql, "utf-8")
    monkeypatch.chdir(job.parent)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert main(["run", "job.sql", *arguments]) == 2
    reported = capsys.readouterr().err
    assert words in reported
    assert "Traceback" not in reported


def test_spark_that_is_missing_is_reported(
    job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("keepstate_spark.session.find_spec", lambda name: None)
    assert main(["run", str(job)]) == 2
    assert "pip install '.[spark]' in a clone" in capsys.readouterr().err


WITHOUT_SPARK = """
import importlib.util, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j"):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pyspark" else found(name, *rest)
sys.meta_path.insert(0, Missing())
from keepstate_lsp.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "job.sql"],
        ["replay", "job.sql", "--against", "file:job.sql", "--restart-at", "2026-03-01"],
        ["replay", "job.sql", "--against", "file:job.sql", "--sweep", "1 hour"],
        ["audit", "--output", "out", "."],
    ],
    ids=["run", "replay", "sweep", "audit"],
)
def test_without_spark_every_command_names_the_package(job: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-c", WITHOUT_SPARK, *arguments]
    run = subprocess.run(command, cwd=job.parent, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 2
    assert "pip install '.[" in run.stderr
    assert "fault of Keepstate" not in run.stderr


def test_command_line_loads_no_spark_until_it_runs() -> None:
    loaded = "{name.partition('.')[0] for name in sys.modules} & {'pyspark', 'keepstate_spark'}"
    code = f"import sys, keepstate_lsp.cli.commands.run; print({loaded})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
