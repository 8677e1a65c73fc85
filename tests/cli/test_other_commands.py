"""explain, rules, parse, baseline, lsp, doctor, and the command line as such."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import keepstate
from jobs import BROKEN, JOB, PARTIAL
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.parser import COMMANDS, GROUPS
from keepstate_lsp.version import VERSION
from repositories import GitRepository


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"a.sql": JOB})
    repository.write("a.sql", PARTIAL)
    return repository


class TestBaseline:
    def test_text_and_origin_go_different_ways(
        self, job: GitRepository, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        job.commit({"crlf.sql": b"SELECT '\xc3\xa9';\r\n"})
        assert main(["baseline", "crlf.sql"]) == 0
        captured = capsysbinary.readouterr()
        assert captured.out == b"SELECT '\xc3\xa9';\r\n"
        assert captured.err.startswith(b"keepstate: baseline of crlf.sql: HEAD (")
        assert main(["baseline", "crlf.sql", "--quiet"]) == 0
        assert capsysbinary.readouterr().err == b""

    def test_json(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.git("mv", "a.sql", "b.sql")
        assert main(["baseline", "b.sql", "--format", "json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer == {
            "version": 1,
            "path": "b.sql",
            "baseline": {"spec": "HEAD", "commit": job.git("rev-parse", "HEAD"), "path": "a.sql"},
            "text": JOB,
        }

    def test_none(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.write("new.sql", "SELECT 1")
        assert main(["baseline", "new.sql"]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "new.sql has no baseline" in captured.err
        assert main(["baseline", "a.sql", "--against", "v1"]) == 2
        # There is no remote that it could be fetched from.
        assert capsys.readouterr().err.endswith("The repository has no revision 'v1'.\n")


class TestParse:
    def test_statements_of_a_file(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["parse", "a.sql"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split("\t")[0] for line in lines] == ["1:1-7:70", "9:1-12:42"]
        assert main(["parse", "a.sql", "--format", "json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["path"], answer["ok"], answer["problems"]) == ("a.sql", True, [])
        assert answer["statements"][1]["range"] == {
            "start": {"line": 8, "character": 0},
            "end": {"line": 11, "character": 41},
        }

    def test_what_cannot_be_read(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.write("broken.sql", BROKEN)
        assert main(["parse", "broken.sql", "--format", "json"]) == 2
        captured = capsys.readouterr()
        answer = json.loads(captured.out)
        assert not answer["ok"]
        assert answer["problems"][0]["range"]["start"]["line"] == 11
        assert captured.err.startswith("keepstate: broken.sql:12:")

    def test_many_texts(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        entries = [{"id": 1, "sql": "SELECT 1; SELECT 2"}, {"id": 2, "sql": "SELEC 1"}]
        job.write("texts.jsonl", "".join(json.dumps(entry) + "\n" for entry in entries))
        assert main(["parse", "--statements", "texts.jsonl"]) == 0
        answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert (answers[0]["id"], answers[0]["ok"], len(answers[0]["statements"])) == (1, True, 2)
        assert (answers[1]["id"], answers[1]["ok"], len(answers[1]["problems"])) == (2, False, 1)
        assert list(answers[0]) == ["id", "ok", "statements", "problems"]
        assert list(answers[0]["statements"][0]) == ["kind", "range"]

        job.write("texts.jsonl", 'nonsense\n{"id": 3}\n' + json.dumps(entries[0]) + "\n")
        assert main(["parse", "--statements", "texts.jsonl"]) == 2
        captured = capsys.readouterr()
        assert [json.loads(line)["ok"] for line in captured.out.splitlines()] == [False, False, True]
        assert 'texts.jsonl:2: "sql" is missing.' in captured.err

    def test_usage(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["parse"]) == 2
        assert main(["parse", "a.sql", "--statements", "x"]) == 2
        assert main(["parse", "gone.sql"]) == 2
        assert "gone.sql does not exist." in capsys.readouterr().err


class TestRules:
    def test_all_are_listed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules"]) == 0
        text = capsys.readouterr().out
        assert main(["rules", "--format", "json"]) == 0
        rules = json.loads(capsys.readouterr().out)["rules"]
        assert len(rules) == len(keepstate.rule_catalogue())
        for rule in rules:
            assert f"{rule['title']}\n" in text
            assert rule["id"] in text
            assert set(rule["verdicts"].values()) <= {"compatible", "partial", "incompatible", "unknown"}

    @pytest.mark.parametrize("name", ["window-size-changed", "WTVF-11", "wtvf-11"])
    def test_a_page_by_rule_id_or_spec_id(self, capsys: pytest.CaptureFixture[str], name: str) -> None:
        assert main(["explain", name]) == 0
        assert "window-size-changed" in capsys.readouterr().out

    def test_a_page_in_colour(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "window-size-changed", "--color", "always"]) == 0
        page = capsys.readouterr().out
        assert "\x1b[" in page
        assert "```" not in page

    def test_a_search(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules", "distinct", "aggregate"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("distinct-aggregate-")
        named = ["distinct" in line.split()[0] and "aggregate" in line.split()[0] for line in lines]
        # Names first, then titles and sentences.
        assert named == sorted(named, reverse=True)
        assert main(["rules", "distinct", "--format", "json"]) == 0
        rules = json.loads(capsys.readouterr().out)["rules"]
        assert 0 < len(rules) < len(keepstate.rule_catalogue())
        assert main(["rules", "xyzzy"]) == 2

    def test_words_that_are_no_name_are_looked_for(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "ttl"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[:2]] == ["state-ttl-changed", "state-ttl-shortened"]
        for words in (["window", "size", "changed"], ["window-size"]):
            assert main(["explain", *words]) == 0
            assert "`window-size-changed`" in capsys.readouterr().out

    def test_an_unknown_rule(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "window-size-change"]) == 2
        error = capsys.readouterr().err
        assert "There is no rule 'window-size-change'. Did you mean window-size-changed" in error
        assert "Try: keepstate rules" in error


class TestDoctor:
    def test_a_healthy_place(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor"]) == 0
        text = capsys.readouterr().out
        for line in (f"keepstate:     {VERSION}", f"repository:    {job.folder}", "configuration: none", "HEAD"):
            assert line in text
        assert {line.split()[0] for line in text.splitlines() if line[0] != " "} == {"ok"}
        assert main(["doctor", "a.sql"]) == 0
        assert "baseline:      a.sql in HEAD" in capsys.readouterr().out

    def test_what_is_amiss(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        job.write("keepstate.toml", "x = 1")
        assert main(["doctor"]) == 2
        assert "there is no setting 'x'" in capsys.readouterr().out
        job.write("keepstate.toml", 'baseline = "v7"')
        assert main(["doctor"]) == 0
        text = capsys.readouterr().out
        assert f"configuration: {job.folder / 'keepstate.toml'}" in text
        assert "warn  baseline:      The repository has no revision 'v7'." in text
        monkeypatch.chdir(tmp_path)
        assert main(["doctor"]) == 0
        assert "is not in a git repository" in capsys.readouterr().out
        monkeypatch.setenv("PATH", str(tmp_path))
        assert main(["doctor"]) == 2
        assert "fail  git:" in capsys.readouterr().out


def test_the_language_server_is_started(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import keepstate_lsp.lsp.server

    started = []
    monkeypatch.setattr(keepstate_lsp.lsp.server, "main", lambda port=None: started.append(port) or 0)
    assert [main(["lsp"]), main(["lsp", "--stdio"]), main(["lsp", "--tcp", "4389"])] == [0, 0, 0]
    assert started == [None, None, 4389]
    assert main(["lsp", "--tcp", "99999"]) == 2


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"keepstate {VERSION}\n"
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for command, summary in COMMANDS.items():
        assert command in text
        assert summary.split()[0] in text
    for command in COMMANDS:
        assert main([command, "--help"]) == 0
        assert "usage: keepstate " + command in capsys.readouterr().out
        assert main([command, "--version"]) == 0
        assert capsys.readouterr().out == f"keepstate {VERSION}\n"


def test_help_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-V"]) == 0
    assert capsys.readouterr().out == f"keepstate {VERSION}\n"
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    assert main(["help"]) == 0
    assert capsys.readouterr().out == overview
    for title in GROUPS:
        assert f"\n{title}:\n" in overview
    # Without a command nothing was done: the help is no success.
    assert main([]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", overview)
    for words in (["check"], ["deployed", "mark"], ["help"]):
        assert main([*words, "--help"]) == 0
        page = capsys.readouterr().out
        assert main(["help", *words]) == 0
        assert capsys.readouterr().out == page


@pytest.mark.parametrize(
    ("environment", "option", "coloured"),
    [
        ({}, "auto", False),
        ({"FORCE_COLOR": "1"}, "auto", True),
        ({"FORCE_COLOR": ""}, "auto", False),
        ({"FORCE_COLOR": "0"}, "auto", False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, "auto", True),
        ({"FORCE_COLOR": "1"}, "never", False),
        ({"NO_COLOR": "1"}, "always", True),
    ],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_colours(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    option: str,
    coloured: bool,
    terminal: bool,
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    by_terminal = terminal and option == "auto" and not set(map(bool, environment.values())) - {False}
    assert main(["explain", "window-size-changed", "--color", option]) == 0
    assert ("\x1b[" in capsys.readouterr().out) == (coloured or by_terminal)


def test_a_file_has_no_colours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    (tmp_path / "a.sql").write_text(JOB)
    (tmp_path / "b.sql").write_text(PARTIAL)
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "a.sql", "b.sql"]) == 0
    assert "\x1b[" in capsys.readouterr().out
    assert main(["diff", "a.sql", "b.sql", "--output", "out.txt"]) == 0
    assert "\x1b[" not in (tmp_path / "out.txt").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments", [[], ["--verbose"], ["chekc"], ["deployed", "lsit"], ["audit"], ["replay"], ["run", "a.sql"]]
)
def test_what_is_no_command(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


def test_an_internal_error_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("out of tea")

    monkeypatch.setattr(keepstate, "rule_catalogue", broken)
    assert main(["rules"]) == 2
    error = capsys.readouterr().err
    assert "Internal error (RuntimeError: out of tea)" in error
    assert "KEEPSTATE_TRACEBACK=1 keepstate rules" in error
    assert len(error.splitlines()) == 1
    monkeypatch.setenv("KEEPSTATE_TRACEBACK", "1")
    assert main(["rules"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(keepstate, "rule_catalogue", interrupted)
    assert main(["rules"]) == 2
    assert capsys.readouterr().err == "keepstate: Interrupted; the result is not complete.\n"
