"""An index that ``GIT_INDEX_FILE`` names: hooks and tools that commit a part of the changes show it that way."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from keepstate_lsp.cli.main import main
from repositories import GitRepository

JOB = """\
CREATE TABLE o (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
INSERT INTO d SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '{}' MINUTE))
GROUP BY k, window_start, window_end;
"""
STAGED, BESIDE = JOB.format(2), JOB.format(1)


@pytest.fixture
def shop(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository.commit({"jobs/a.sql": BESIDE})
    monkeypatch.chdir(repository.folder)
    return repository


def staged_in(repository: GitRepository, index: Path) -> None:
    """Write an index with a changed job, which neither the work tree nor the index of the repository has."""
    index.parent.mkdir(parents=True, exist_ok=True)
    repository.git("read-tree", "HEAD", GIT_INDEX_FILE=str(index))
    repository.write("jobs/a.sql", STAGED)
    repository.git("add", "jobs/a.sql", GIT_INDEX_FILE=str(index))
    repository.write("jobs/a.sql", BESIDE)


PLACES: dict[str, Callable[[Path], Path]] = {
    "in the git folder": lambda root: root / ".git" / "next-index-1.lock",
    "below the git folder": lambda root: root / ".git" / "tool" / "index",
    "in the work tree": lambda root: root / "other-index",
    "outside": lambda root: root.parent / "elsewhere" / "index",
}


@pytest.mark.parametrize("is_relative", [False, True], ids=["absolute", "relative"])
@pytest.mark.parametrize("folder", ["", "jobs"], ids=["from the root", "from a folder"])
@pytest.mark.parametrize("place", PLACES)
def test_wherever_it_lies(
    shop: GitRepository, monkeypatch: pytest.MonkeyPatch, place: str, folder: str, is_relative: bool
) -> None:
    index = PLACES[place](shop.folder)
    staged_in(shop, index)
    assert main(["check", "--staged"]) == 0
    monkeypatch.chdir(shop.folder / folder)
    # A relative one begins at the root of the work tree, wherever git is started.
    written = os.path.relpath(index, shop.folder) if is_relative else str(index)
    monkeypatch.setenv("GIT_INDEX_FILE", written)
    assert subprocess.run(["git", "diff", "--cached", "--quiet"], check=False).returncode == 1
    assert main(["check", "--staged"]) == 1
    assert main(["check"]) == 0


def missing(path: Path) -> None:
    """Write nothing."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (missing, "is missing"),
    "a folder": (Path.mkdir, "is not a regular file"),
    "a pipe": (pipe, "is not a regular file"),
    "a loop": (loop, "cannot be read"),
    "other bytes": (lambda path: path.write_bytes(b"x" * 99), "is damaged"),
    "empty": (Path.touch, "is damaged"),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("name", UNREADABLE)
def test_one_that_cannot_be_read_is_named(
    shop: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    make, reason = UNREADABLE[name]
    index = tmp_path / "told-index"
    make(index)
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    assert main(["check", "--staged", "--format", "json"]) == 2
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert str(index) in problem["message"] and reason in problem["message"]


def test_that_of_another_repository_is_not_taken(
    shop: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook may check the files of other repositories, whose index is their own."""
    other = GitRepository(tmp_path / "other")
    other.commit({"a.sql": BESIDE})
    for index in (shop.folder / ".git" / "other-index", tmp_path / "told-index"):
        staged_in(shop, index)
        monkeypatch.chdir(shop.folder)
        monkeypatch.setenv("GIT_INDEX_FILE", str(index))
        assert main(["check", "--staged"]) == 1
        monkeypatch.chdir(other.folder)
        assert main(["check", "--staged"]) == 0
        assert main(["check", "--staged", str(shop.folder)]) == 1
