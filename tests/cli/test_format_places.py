"""Fingerprints, paths and places in each format: of moved files, odd names, settings outside of the SQL."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from jsonschema import Draft7Validator

from format_cases import NASTY_NAME, PATH, Case
from format_runs import GAPS, Run, cut, sarif_schema
from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.main import main
from repositories import GitRepository


def test_fingerprints_survive_reformatting_and_moves(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    twice = f"{JOB}\n{JOB.partition('INSERT')[1]}{JOB.partition('INSERT')[2].replace('daily', 'other')}"
    changed = twice.replace("'1' MINUTE", "'2' MINUTE")
    moved = "-- a line\n\n" + changed.replace("\nFROM", "\n  FROM").replace("'2' MINUTE", "'120'  SECOND(3)")
    found = []
    for number, text in enumerate((changed, moved)):
        out = tmp_path / str(number)
        out.mkdir()
        run = Run(Case("x", {PATH: twice}, {PATH: text}), repository, out)
        assert len(run.findings) == 2
        prints = [entry["partialFingerprints"]["keepstate/v1"] for entry in run.sarif["results"]]
        found.append((prints, [issue["fingerprint"] for issue in json.loads(run.texts["gitlab"])]))
        assert len(set(prints)) == 2
    assert found[0] == found[1]


def test_fingerprints_of_gitlab_survive_a_move_of_the_file(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = JOB.replace("'1' MINUTE", "'2' MINUTE")
    other = JOB.replace("daily", "hourly")
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": other})
    monkeypatch.chdir(repository.folder)
    prints = []
    for path in ("jobs/a.sql", "daily/renamed.sql"):
        repository.write("jobs/b.sql", other.replace("'1' MINUTE", "'2' MINUTE"))
        (repository.folder / "jobs/a.sql").unlink()
        repository.write(path, changed)
        repository.git("add", "-A")
        output = tmp_path / "gitlab.json"
        assert main(["check", "--format", "gitlab", "--output", str(output)]) == 1
        issues = json.loads(output.read_text("utf-8"))
        about = {issue["location"]["path"]: issue["fingerprint"] for issue in issues if issue["check_name"] not in GAPS}
        assert set(about) == {path, "jobs/b.sql"}
        prints.append((about[path], about["jobs/b.sql"]))
        assert len(set(prints[-1])) == 2
    assert prints[0] == prints[1]


def test_paths_are_those_of_the_repository(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({PATH: JOB})
    repository.write(PATH, PARTIAL)
    monkeypatch.chdir(repository.folder / "jobs")
    outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(tmp_path / name))]
    assert main(["check", "a.sql", *outputs, "--docs-url", "https://docs.example.com/rules/"]) == 0
    texts = {name: (tmp_path / name).read_text("utf-8") for name in REPORT_FORMATS}
    assert json.loads(texts["json"])["files"][0]["path"] == "a.sql"
    for name in ("sarif", "github", "gitlab", "junit", "markdown"):
        assert PATH in texts[name], name
    rule = "https://docs.example.com/rules/aggregate-added"
    Draft7Validator(sarif_schema()).validate(json.loads(texts["sarif"]))
    driver = json.loads(texts["sarif"])["runs"][0]["tool"]["driver"]
    assert driver["rules"][0]["helpUri"] == rule
    assert driver["informationUri"] == "https://docs.example.com/rules"
    assert driver["rules"][0]["shortDescription"]["text"] == "Aggregate added (window TVF)"
    assert driver["rules"][0]["defaultConfiguration"] == {"level": "warning"}
    assert f"]({rule})" in texts["markdown"]


def test_the_hostile_name_is_found_again(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    run = Run(Case("x", {NASTY_NAME: JOB}, {NASTY_NAME: PARTIAL}), repository, tmp_path)
    (command,) = [line for line in run.texts["github"].splitlines() if line.startswith("::warning")]
    properties = dict(pair.split("=", 1) for pair in command.removeprefix("::warning ").split("::")[0].split(","))
    assert unquote(properties["file"]) == NASTY_NAME
    assert json.loads(run.texts["gitlab"])[0]["location"]["path"] == NASTY_NAME


def test_a_name_that_steers_a_terminal_is_shown_in_the_log_of_github(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotation without a place is better than a log that turns red."""
    name = "jobs/a\x1b[31m\x07\u202eb\nc.sql"
    monkeypatch.chdir(repository.folder)
    text = Run(Case("x", {name: JOB}, {name: PARTIAL}), repository, tmp_path).texts["github"]
    assert "file=jobs/a\N{REPLACEMENT CHARACTER}[31m" in text and "b%0Ac.sql" in text
    assert all(char == "\n" or char.isprintable() for char in text)


def test_what_is_set_outside_of_the_sql_is_shown_where_it_is_set(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    configuration = "# für 日本\n[parameters]\n'table.exec.unheard-of' = '{}'\n"
    before: dict[str, str | bytes] = {PATH: JOB, "keepstate.toml": configuration.format("1")}
    run = Run(Case("x", before, {"keepstate.toml": configuration.format("2")}), repository, tmp_path)
    assert run.status == 1
    (result,) = run.sarif["results"]
    Draft7Validator(sarif_schema()).validate(json.loads(run.texts["sarif"]))
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "keepstate.toml", "uriBaseId": "%SRCROOT%"}
    assert "unheard-of" in cut(configuration.format("2"), place["region"])
    was = result["relatedLocations"][0]["physicalLocation"]
    assert was["artifactLocation"] == {"uri": "keepstate.toml", "uriBaseId": "%BASELINE%"}
    assert "unheard-of" in cut(configuration.format("1"), was["region"])
    assert run.texts["github"].startswith("::error file=keepstate.toml,line=3,")
    (issue,) = json.loads(run.texts["gitlab"])
    assert issue["location"] == {"path": "keepstate.toml", "lines": {"begin": 3, "end": 3}}
    assert "line 3 of `keepstate.toml`" in run.texts["markdown"]
    assert "keepstate.toml:3:" in run.texts["junit"]


def test_what_the_ledger_accepts(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    case = Case("x", {PATH: JOB}, {PATH: INCOMPATIBLE})
    open_run = Run(case, repository, tmp_path)
    assert main(["accept", PATH, "--because", "may go", "--until", "2999-12-31", "--by", "Ada"]) == 0
    outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(tmp_path / name))]
    assert (open_run.status, main(["check", *outputs])) == (1, 0)
    texts = {name: (tmp_path / name).read_text("utf-8") for name in REPORT_FORMATS}
    (result,) = json.loads(texts["sarif"])["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "may go (until 2999-12-31)"}
    ]
    assert result["level"] == "error"
    assert texts["github"].startswith("::notice file=")
    assert json.loads(texts["gitlab"])[0]["severity"] == "info"
    assert not ElementTree.fromstring(texts["junit"]).findall(".//failure")
    assert "Accepted until 2999-12-31: may go" in texts["markdown"].replace("\\", "")
    # It is accepted, and has to be started without its state all the same.
    assert "Initial Mode" in texts["markdown"] and "keepstate accept" not in texts["markdown"]
