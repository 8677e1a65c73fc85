"""``keepstate config``: every effective setting, and where it comes from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.cli.commands.config import VARIABLES
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.file import KEYS, Configuration
from repositories import GitRepository

ROOT = Path(__file__).parents[2]
TOML = """\
files = ["jobs/**/*.sql", "init.sql"]
engine = "flink"
engine-version = "1.20"
fail-on = "partial"
severity = { partial = "hint" }

[parameters]
table.exec.state.ttl = "3 d"
"pipeline.object-reuse" = true

[[job]]
files = ["jobs/prod/*.sql"]
baseline = "deployed:production"
jobs = "script"
parameters = { "table.exec.state.ttl" = "1 d" }

[[job]]
files = ["jobs/prod/late.sql"]
engine-version = "2.0"

  [job.parameters]
  table.exec.state.ttl = "2 d"

[[job]]
name = "split"
script = ["init.sql", "jobs/run.sql"]
baseline = "HEAD~1"

[replay]
restart-at = 2026-03-01T10:20:00
data = { orders = "samples/orders" }

[functions]
norm = "(STRING) RETURNS STRING"
"""
TTL = "parameters.table.exec.state.ttl"
PROD, LATE, PLAIN, PART = "jobs/prod/a.sql", "jobs/prod/late.sql", "jobs/a.sql", "jobs/run.sql"
HERE = "."
Source = tuple[int, int | None]
"""The line, and the number of the ``[[job]]`` table."""
EXPECTED: list[tuple[str, str, Any, Source | None]] = [
    (PLAIN, "files", ["jobs/**/*.sql", "init.sql"], (1, None)),
    (PLAIN, "engine", "flink", (2, None)),
    (PLAIN, "engine-version", "1.20", (3, None)),
    (PLAIN, "fail-on", "partial", (4, None)),
    (PLAIN, "severity.partial", "hint", (5, None)),
    (PLAIN, TTL, "3 d", (8, None)),
    (PLAIN, "parameters.pipeline.object-reuse", True, (9, None)),
    (PLAIN, "replay.restart-at", "2026-03-01 10:20:00", (30, None)),
    (PLAIN, "replay.data.orders", "samples/orders", (31, None)),
    (PLAIN, "functions.norm", "(STRING) RETURNS STRING", (34, None)),
    (PLAIN, "baseline", "HEAD", None),
    (PLAIN, "preset", "results", None),
    (PLAIN, "context", None, None),
    (PLAIN, "jobs", "each-insert", None),
    (PROD, "baseline", "deployed:production", (13, 0)),
    (PROD, "jobs", "script", (14, 0)),
    (PROD, TTL, "1 d", (15, 0)),
    (PROD, "parameters.pipeline.object-reuse", True, (9, None)),
    (PROD, "engine-version", "1.20", (3, None)),
    (LATE, "baseline", "deployed:production", (13, 0)),
    (LATE, "engine-version", "2.0", (19, 1)),
    (LATE, TTL, "2 d", (22, 1)),
    (PART, "script", ["init.sql", "jobs/run.sql"], (26, 2)),
    (PART, "name", "split", (25, 2)),
    (PART, "baseline", "HEAD~1", (27, 2)),
    (HERE, "baseline", "HEAD", None),
    (HERE, TTL, "3 d", (8, None)),
]


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    for variable in (*VARIABLES, "CI"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(repository.folder)
    repository.commit(dict.fromkeys((PROD, LATE, PLAIN, PART, "init.sql"), "SELECT 1;\n"))
    repository.write("keepstate.toml", TOML)
    return repository


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["config", "--format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def own(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings by keys, without those of the tables that a folder shows behind them."""
    rows: dict[str, dict[str, Any]] = {}
    for row in document["settings"]:
        rows.setdefault(row["key"], row)
    return rows


@pytest.mark.parametrize(("path", "key", "value", "source"), EXPECTED)
def test_a_setting_has_its_value_and_its_place(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], path: str, key: str, value: Any, source: Source | None
) -> None:
    document = shown(capsys, path)
    row = own(document)[key]
    wanted: dict[str, Any] = {"kind": "default"}
    if source is not None:
        wanted = {"kind": "file", "path": "keepstate.toml", "line": source[0], "job": source[1]}
    assert (row["value"], row["source"]) == (value, wanted)
    assert document["configuration"] == "keepstate.toml"


@pytest.mark.parametrize("path", [PROD, LATE, PLAIN])
def test_the_settings_are_those_that_other_commands_take(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    rows = own(shown(capsys, path))
    configuration = Configuration.around(jobs.folder)
    assert configuration is not None
    config = configuration.job_config(jobs.folder / path)
    assert rows["engine-version"]["value"] == config.engine_version
    assert rows["baseline"]["value"] == (configuration.baseline_of(jobs.folder / path) or "HEAD")
    given = {key: row["value"] for key, row in rows.items() if key.startswith("parameters.")}
    assert given == {f"parameters.{key}": value == "true" or value for key, value in config.parameters.items()}


def test_every_key_is_shown_once_for_a_file(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    keys = [row["key"] for row in shown(capsys, LATE)["settings"]]
    assert len(keys) == len(set(keys))
    assert {key.partition(".")[0] for key in keys} == {*KEYS, *VARIABLES} - {"job"}


def test_a_folder_shows_the_tables_behind_its_own_settings(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(row["key"], row["source"].get("job")) for row in shown(capsys)["settings"]]
    tables = [row for row in rows if row[1] is not None]
    assert {number for _, number in tables} == {0, 1, 2}
    assert ("files", 0) in tables and (TTL, 1) in tables and ("script", 2) in tables


def test_text(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--show", PROD]) == 0
    first, _, *lines = capsys.readouterr().out.splitlines()
    assert first == "configuration: keepstate.toml"
    rows = [re.split(r"  +", line) for line in lines]
    assert [TTL, "1 d", "keepstate.toml:15, [[job]] 1"] in rows
    assert ["fail-on", "partial", "keepstate.toml:4"] in rows
    assert ["context", "none", "default"] in rows


def test_a_table_of_pyproject(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (jobs.folder / "keepstate.toml").unlink()
    own_table = '[tool.keepstate]\nengine = "flink"\n'
    table = '[[tool.keepstate.job]]\nfiles = ["jobs/*.sql"]\nbaseline = "HEAD~2"\n'
    jobs.write("pyproject.toml", f"{own_table}\n{table}")
    rows = own(shown(capsys, PLAIN))
    assert rows["engine"]["source"] == {"kind": "file", "path": "pyproject.toml", "line": 2, "job": None}
    assert rows["baseline"]["source"] == {"kind": "file", "path": "pyproject.toml", "line": 6, "job": 0}


def test_no_configuration(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (jobs.folder / "keepstate.toml").unlink()
    document = shown(capsys, PLAIN)
    assert document["configuration"] is None
    assert {row["source"]["kind"] for row in document["settings"]} == {"default"}
    assert own(document)["jobs"]["value"] == "script"


@pytest.mark.parametrize("variable", VARIABLES)
def test_the_environment(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    assert own(shown(capsys))[variable]["source"] == {"kind": "default"}
    monkeypatch.setenv(variable, "5")
    row = own(shown(capsys))[variable]
    assert row["source"] == {"kind": "environment", "variable": variable}
    assert float(row["value"]) == 5


def test_every_variable_of_the_program_is_shown() -> None:
    code = [path.read_text("utf-8") for part in ("server", "pipeline") for path in (ROOT / part).rglob("*.py")]
    assert {name for text in code for name in re.findall(r'"(KEEPSTATE_[A-Z_]+)"', text)} == {*VARIABLES}


def test_the_baseline_of_a_build(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.git("branch", "trunk", "HEAD")
    jobs.commit({PLAIN: "SELECT 2;\n"})
    monkeypatch.setenv("CI", "1")
    monkeypatch.setenv("GITHUB_BASE_REF", "trunk")
    document = shown(capsys, PLAIN)
    row = own(document)["baseline"]
    assert row["value"].startswith("merge-base:") and row["source"] == {"kind": "build"}
    assert "GITHUB_BASE_REF" in "".join(document["notes"])
    assert own(shown(capsys, PROD))["baseline"]["source"]["line"] == 13


@pytest.mark.parametrize(
    ("toml", "arguments", "words"),
    [
        ("engin = 1", [], "there is no setting 'engin'; did you mean engine?"),
        ('engine = "spark"', [], "There is no engine 'spark'"),
        ('engine-version = "99"\nengine = "flink"', [], "99"),
        ('baseline = "tag:"', [], "keepstate.toml"),
        ("", ["missing.sql"], "There is no file missing.sql."),
        ("", ["--config", "other.toml"], "There is no configuration file other.toml."),
    ],
)
def test_what_is_wrong_is_one_line(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], toml: str, arguments: list[str], words: str
) -> None:
    jobs.write("keepstate.toml", toml)
    assert main(["config", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1 and words in captured.err


def test_the_schema_is_that_of_the_documentation(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["config", "--schema"]) == 0
    printed = capsysbinary.readouterr().out
    assert printed == (ROOT / "docs" / "keepstate.schema.json").read_bytes()
    assert json.loads(printed)["$id"].startswith("urn:")
