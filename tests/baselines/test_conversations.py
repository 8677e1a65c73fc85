"""The waits in a conversation with git, and their limits, with any program in the place of git."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from keepstate_lsp.baselines.git import outputs
from keepstate_lsp.baselines.git.conversation import Child, awaited_longest
from keepstate_lsp.baselines.git.failures import GitFailure, GitMissing, GitStalled
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.baselines.git.starts import plain_starts
from keepstate_lsp.cli.main import main
from repositories import GitRepository

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script in place of git")

SECONDS = 0.5
LONG_BEFORE = 300.0
"""Seconds within which every bound of half a second is noticed, however busy the machine is: the scripts take 600."""
MUCH = 300_000
"""Bytes, more than pipes hold."""


@pytest.fixture(params=["polled", "pumped"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to read a pipe: that of this system, and that of Windows."""
    if request.param == "pumped":
        monkeypatch.setattr("keepstate_lsp.baselines.git.conversation.outputs", outputs.PumpedOutputs)
    return str(request.param)


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that is called git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder / "git"


def write(git: Path, script: str) -> None:
    git.write_text(f"#!/bin/sh\n{script}\n")
    git.chmod(git.stat().st_mode | stat.S_IXUSR)


def process(folder: Path, seconds: float = 60.0) -> GitProcess:
    return GitProcess(folder, patience=Patience(seconds, 0.0))


def test_an_answer_of_any_length(ways: str, git: Path, tmp_path: Path) -> None:
    """However much is written to both of its outputs."""
    write(git, f"head -c {MUCH} /dev/zero >&2; head -c {MUCH} /dev/zero; head -c {MUCH} /dev/zero >&2")
    assert process(tmp_path).run_bytes("show") == bytes(MUCH)
    assert sum(1 for field in process(tmp_path).stream("log") if field == "") == MUCH


def test_a_failure_is_reported_in_its_words(ways: str, git: Path, tmp_path: Path) -> None:
    write(git, "echo half; echo 'fatal: no such thing' >&2; exit 3")
    with pytest.raises(GitFailure, match="no such thing") as caught:
        process(tmp_path).run("show")
    assert (caught.value.status, caught.value.output) == (3, "half\n")
    with pytest.raises(GitFailure, match="no such thing"):
        list(process(tmp_path).stream("show"))


def test_what_is_given_and_what_is_asked(ways: str, git: Path, tmp_path: Path) -> None:
    write(git, "exec cat")
    assert process(tmp_path).run_bytes("hash-object", stdin=b"x" * MUCH) == b"x" * MUCH
    child = process(tmp_path).start("cat-file", answers=True)
    for number in range(20):
        with child.awaited(60):
            child.ask(b"question %d\n" % number)
            assert child.line() == b"question %d" % number
            child.ask(b"12345")
            assert child.exactly(5) == b"12345"
    child.close()
    assert not child.runs
    with pytest.raises((OSError, ValueError)), child.awaited(60):
        child.ask(b"more\n")


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A file for the number of a process that has to be ended at last."""
    path = tmp_path / "pid"
    yield path
    if path.exists():
        os.kill(int(path.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("status", [0, 1])
def test_pipes_that_something_holds_open(ways: str, git: Path, tmp_path: Path, held: Path, status: int) -> None:
    """A process in the middle of a call to a dead disk does so: no signal ends it."""
    write(git, f"setsid sleep 600 & echo $! > {held}; echo begun; exit {status}")
    began = time.monotonic()
    with pytest.raises(GitStalled, match=r"git show in .* did not answer within 0\.5 seconds"):
        process(tmp_path, SECONDS).run("show")
    assert time.monotonic() - began < LONG_BEFORE
    assert awaited_longest() is None


@pytest.mark.parametrize(
    "script", ["sleep 600", "trap '' TERM; sleep 600 & wait; sleep 600", "echo half a line; sleep 600"]
)
def test_each_wait_ends(ways: str, git: Path, tmp_path: Path, script: str) -> None:
    write(git, script)
    began = time.monotonic()
    with pytest.raises(GitStalled):
        process(tmp_path, SECONDS).run("show")
    with pytest.raises(GitStalled):
        list(process(tmp_path, SECONDS).stream("log"))
    child = process(tmp_path).start("cat-file", answers=True)
    with child.awaited(SECONDS):
        child.ask(b"x\n")
    with pytest.raises(GitStalled), child.awaited(SECONDS):
        child.exactly(1_000)
    child.close()
    assert not child.runs
    assert time.monotonic() - began < LONG_BEFORE


def test_a_question_that_is_not_read(git: Path, tmp_path: Path) -> None:
    write(git, "sleep 600")
    child = process(tmp_path).start("cat-file", answers=True)
    with pytest.raises(GitStalled), child.awaited(SECONDS):
        child.ask(b"x" * MUCH + b"\n")
    child.close()
    assert not child.runs


def test_what_cannot_be_started(git: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git.write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(git.parent))
    for mode in (0o644, 0):
        git.chmod(mode)
        with pytest.raises(GitMissing):
            process(tmp_path).run("version")
    git.unlink()
    with pytest.raises(GitMissing):
        process(tmp_path).start("cat-file", answers=True)


def test_gitpython_is_imported_without_running_anything(git: Path, tmp_path: Path) -> None:
    """GitPython would run `git version`, without a bound, and leave variables of its own in the environment."""
    log = tmp_path / "log"
    write(git, f'echo "$@" >> {log}; sleep 600')
    code = (
        "import os, sys; before = dict(os.environ); from keepstate_lsp.baselines.git.starts import _git;"
        "_git(); assert 'git.cmd' in sys.modules; assert dict(os.environ) == before"
    )
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)
    assert not log.exists()


@pytest.mark.parametrize("starts", [contextlib.nullcontext, plain_starts])
def test_the_command_that_gitpython_runs(
    starts: Callable[[], AbstractContextManager[None]], git: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "another git"
    write(other, 'echo "other $LC_ALL"; cat')
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", str(other))
    with starts():
        assert process(tmp_path).run("version") == "other C\n"
        other.unlink()
        with pytest.raises(GitMissing):
            process(tmp_path).run("version")


def test_a_short_command_imports_no_gitpython(repository: GitRepository) -> None:
    code = (
        "import sys; from keepstate_lsp.cli.main import main; status = main(['check']);"
        "assert 'git.cmd' not in sys.modules; sys.exit(status)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=repository.folder, timeout=120, check=False)
    assert ended.returncode == 0


@pytest.mark.usefixtures("default_signals")
def test_signals_are_left_as_they_were(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler in Python does not run while anything else does: outside of waits a signal has its usual effect."""
    monkeypatch.chdir(repository.folder)
    seen: list[object] = []
    rest = Child.rest

    def noted(child: Child) -> bytes:
        seen.append(signal.getsignal(signal.SIGTERM))
        return rest(child)

    monkeypatch.setattr(Child, "rest", noted)
    before = signal.getsignal(signal.SIGTERM)
    main(["check"])
    assert before is signal.SIG_DFL and signal.getsignal(signal.SIGTERM) is before
    assert seen and signal.SIG_DFL not in seen
