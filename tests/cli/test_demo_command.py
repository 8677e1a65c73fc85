"""``keepstate demo``, as the first thing that is run on a machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keepstate_lsp.cli.commands.demo import FILE
from keepstate_lsp.cli.commands.demo.demo_repository import OLD_FILE
from repositories import GitRepository

COMMAND = [sys.executable, "-m", "keepstate_lsp.cli.main", "demo"]


def demo(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TMPDIR": str(folder), "HOME": str(folder), **variables}
    return subprocess.run(
        [*COMMAND, *options], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_it_shows_findings_and_leaves_nothing(tmp_path: Path) -> None:
    run = demo(tmp_path)
    assert run.returncode == 0, run.stderr
    for expected in (
        "4 files changed",
        "incompatible[rank-range-changed] jobs/bestsellers.flink.sql:22:7",
        "4 findings (3 incompatible, 1 partial)",
        f"keepstate history jobs/{OLD_FILE}",
        "incompatible[window-size-changed]",
        f"{FILE}:22:7  rank-range-changed",
        "quick-fixes:\n    Restore ",
        "keepstate init",
    ):
        assert expected in run.stdout
    assert "\x1b" not in run.stdout
    assert not list(tmp_path.glob("keepstate-demo-*"))


def test_in_a_build_in_a_hook_and_in_colour(tmp_path: Path) -> None:
    elsewhere = GitRepository(tmp_path / "elsewhere")
    commit = elsewhere.commit({"a.sql": "SELECT 1;"})
    run = demo(
        tmp_path,
        "--keep",
        "--color=always",
        CI="true",
        GITHUB_ACTIONS="true",
        GITHUB_BASE_REF="main",
        GIT_DIR=str(elsewhere.folder / ".git"),
        GIT_INDEX_FILE=str(elsewhere.folder / ".git" / "index"),
    )
    assert run.returncode == 0, run.stderr
    assert "4 findings" in run.stdout and "\x1b[" in run.stdout
    (kept,) = tmp_path.glob("keepstate-demo-*")
    assert f"The repository is in {kept.resolve() / 'shop'}" in run.stdout
    assert (kept / "shop" / "jobs" / FILE).is_file()
    assert elsewhere.git("rev-parse", "HEAD") == commit
    assert elsewhere.git("status", "--porcelain") == ""


def test_without_git_it_says_so(tmp_path: Path) -> None:
    run = demo(tmp_path, PATH=str(tmp_path))
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "keepstate: The demo makes a git repository, and there is no git on the PATH.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipe is closed like this there")
def test_a_closed_pipe_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(COMMAND, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None and program.stderr is not None
        program.stdout.read(1)
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == 141
    assert not list(tmp_path.glob("keepstate-demo-*"))
