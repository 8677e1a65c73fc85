"""Commands in front of a git that does not answer: they say so, in good time, and leave nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from damage import DEPLOYED, JOB, MINUTES, answer, make
from keepstate_lsp.cli.main import main
from program_starts import KEEPSTATE, Popen
from repositories import GitRepository, isolated
from stalling_git import StallingGit

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script in place of git")

SECONDS = 1.0
COMMANDS = {
    "check": ("check",),
    "staged": ("check", "--staged"),
    "named": ("check", JOB),
    "folder": ("check", "jobs"),
    "new file": ("check", "jobs/new.sql"),
    "merge base": ("check", "--against", "merge-base:main"),
    "tag": ("check", "--against", "tag:v*"),
    "deployed": ("check", "--against", "deployed"),
    "current": ("check", "--against", "HEAD~1", "--current", "HEAD"),
    "baseline": ("baseline", JOB),
    "history": ("history", JOB),
    "plan": ("plan", JOB, "--against", "HEAD"),
    "accept": ("accept", JOB, "--because", "it may go"),
    "deployed mark": ("deployed", "mark", JOB),
    "deployed list": ("deployed", "list"),
    "deployed diff": ("deployed", "diff"),
    "deployed unmark": ("deployed", "unmark", JOB),
    "doctor": ("doctor",),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with isolated(tmp_path_factory.mktemp("home")):
        repository = make(tmp_path_factory.mktemp("whole") / "repository")
        repository.write("jobs/new.sql", MINUTES.format(4).replace("daily", "other"))
        yield repository.folder


@pytest.fixture
def git(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StallingGit:
    git = StallingGit(tmp_path)
    shutil.copytree(whole, tmp_path / "repository", symlinks=True)
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.setenv("PATH", git.path)
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", str(SECONDS))
    return git


def conversations(git: StallingGit) -> list[str]:
    """The git commands that were begun, each once."""
    words = (line.split() for line in git.begun())
    options = {"-C", "-c"}
    found = []
    for line in words:
        rest = line[1:]
        while rest and rest[0] in options:
            rest = rest[2:]
        found.append(rest[0])
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("name", COMMANDS)
def test_each_conversation_that_stalls(
    git: StallingGit, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = COMMANDS[name]
    former = GitRepository(Path.cwd()).git("rev-parse", DEPLOYED)
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", "60")
    git.forget()
    assert main(list(words)) in (0, 1)
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", str(SECONDS))
    ledger = Path("keepstate.accepted.toml")
    for one in conversations(git):
        ledger.unlink(missing_ok=True)
        GitRepository(Path.cwd()).git("update-ref", DEPLOYED, former)
        capsys.readouterr()
        git.stall(one)
        git.forget()
        status = main(list(words))
        said = capsys.readouterr()
        assert status == 2, (one, said)
        assert f"git {one} in" in said.err + said.out, (one, said)
        assert f"did not answer within {SECONDS:g} seconds" in said.err + said.out, (one, said)
        # However many files wait for it, one of them finds it out.
        assert len([line for line in git.begun() if one in line.split()]) == 1, (one, git.begun())
        assert git.left(within=60) == [], one
        git.answer()


def test_a_deployment_is_marked_or_not(git: StallingGit) -> None:
    """A program that hangs during the write leaves the former record or the new one."""
    repository = GitRepository(Path.cwd())
    former = repository.git("rev-parse", DEPLOYED)
    for one in ("hash-object", "read-tree", "update-index", "write-tree", "commit-tree", "update-ref"):
        git.stall(one)
        assert answer("deployed", "mark", JOB, "--by", "Ada")[0] == 2, one
        git.answer()
        assert repository.git("rev-parse", DEPLOYED) == former, one
        assert not list((repository.folder / ".git").rglob("*.lock"))
    assert answer("deployed", "mark", JOB, "--by", "Ada")[0] == 0
    assert repository.git("rev-parse", DEPLOYED) != former


def test_a_bound_that_is_none(git: StallingGit, monkeypatch: pytest.MonkeyPatch) -> None:
    for written in ("abc", "0", "-1", "inf", "nan", "1e999"):
        monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", written)
        for words in (("check",), ("check", JOB), ("history", JOB), ("deployed", "list"), ("baseline", JOB)):
            assert answer(*words)[0] == 2, (written, words)
    for written in ("", " ", "60", "1e3"):
        monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", written)
        assert answer("check")[0] == 1


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_git_behind(git: StallingGit, number: int) -> None:
    assert ended_by(git, number) == (2 if number == signal.SIGINT else -number)
    assert git.left(within=60) == []


@pytest.mark.usefixtures("default_signals")
def test_a_command_under_nohup_outlives_its_terminal_and_ends_when_killed(git: StallingGit) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # Python takes pending signals by their number, so a hangup that counted would come first.
    assert ended_by(git, signal.SIGHUP, signal.SIGTERM) == -signal.SIGTERM
    assert git.left(within=60) == []


def ended_by(git: StallingGit, *numbers: int) -> int:
    """Exit status of a check that gets these signals while git stalls."""
    git.stall("rev-parse")
    environment = {**os.environ, "KEEPSTATE_GIT_SECONDS": "600"}
    with Popen([*KEEPSTATE, "check"], env=environment, stderr=subprocess.PIPE) as running:
        while not git.waiting():
            assert running.poll() is None
        for number in numbers:
            running.send_signal(number)
        return running.wait(120)
