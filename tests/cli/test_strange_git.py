"""No git, or a program called git that is none: a sentence names it, and no file is taken for new or unchanged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jobs import JOB
from keepstate_lsp.cli.main import main
from repositories import GitRepository

ANSWERS = {
    "nothing": ("exit 0", "nothing"),
    "an empty line": ("echo", r"'\n'"),
    "one line": ("echo /somewhere", r"'/somewhere\n'"),
    "two lines": ("echo a; echo b", "'a\\nb\\n'"),
    "empty lines": ("echo; echo; echo; echo", r"'\n\n\n\n'"),
}
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program is a script of a shell")


@pytest.fixture
def shop(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository.commit({"a.fql": JOB})
    monkeypatch.chdir(repository.folder)
    return repository


def put_in_front(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("words", [(), ("--staged",), ("a.fql",), (".",), ("--against", "HEAD~1")], ids=str)
@pytest.mark.parametrize("name", ANSWERS)
def test_check_names_the_answer(
    shop: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, words: tuple[str, ...],
) -> None:  # fmt: skip
    script, answer = ANSWERS[name]
    put_in_front(script, tmp_path / "bin", monkeypatch)
    assert main(["check", *words, "--format", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    said = json.dumps([document["problems"], document["files"]]).replace("\\\\", "\\")
    assert f"the program called git answers {answer}" in said and "new" not in said


@pytest.mark.parametrize("words", [("deployed", "list"), ("doctor",), ("history", "a.fql")], ids=str)
@pytest.mark.parametrize("name", ANSWERS)
def test_other_commands_go_on_to_an_error(
    shop: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, words: tuple[str, ...],
) -> None:  # fmt: skip
    put_in_front(ANSWERS[name][0], tmp_path / "bin", monkeypatch)
    assert main([*words]) != 0
    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert "as git never does" in said and "Internal error" not in said


@pytest.mark.parametrize(
    "words",
    [("deployed", "list"), ("deployed", "mark", "a.fql"), ("deployed", "diff"), ("history", "a.fql"), ("init",),
     ("cutover", "a.fql"), ("check",), ("check", "--against", "HEAD", "a.fql")],
    ids=" ".join,
)  # fmt: skip
def test_without_git_each_command_says_what_to_install(
    shop: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([*words]) == 2
    captured = capsys.readouterr()
    assert "install git and see that it is on the PATH" in " ".join(f"{captured.out} {captured.err}".split())
