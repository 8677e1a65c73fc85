"""Bounds to what one repository may cost, on both sides of each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from damage import MINUTES
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.repository import Repository
from repositories import GitRepository


def tree(repository: GitRepository, entries: list[str]) -> str:
    """The hash of a tree of ``MODE TYPE HASH<tab>NAME`` lines."""
    made = subprocess.run(
        ["git", "mktree"], cwd=repository.folder, input="\n".join(entries), capture_output=True, text=True, check=True
    )
    return made.stdout.strip()


def committed(repository: GitRepository, root: str) -> None:
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", root, "-m", "x"))


def everything(folder: Path) -> NoBaseline | None:
    """The answer to a question for all files of HEAD: one for a file that is new there, and so may be a renamed one."""
    with BaselineReader() as reader:
        found = reader.read(folder / "new.sql", HEAD, current="SELECT 1")
    assert isinstance(found, NoBaseline)
    return None if found.reason is Reason.NEW_FILE else found


def test_a_small_repository_with_endless_files(repository: GitRepository) -> None:
    """Ten folders that are one, ten times over: ten thousand million files in eleven objects."""
    blob = repository.git("hash-object", "-w", "--stdin")
    inner = tree(repository, [f"100644 blob {blob}\tfile{number}.sql" for number in range(10)])
    for _ in range(9):
        inner = tree(repository, [f"040000 tree {inner}\tfolder{number}" for number in range(10)])
    committed(repository, inner)
    # The index of such a commit cannot be had, so nothing is staged, and git finds no renames in it either.
    opened = Repository.around(repository.folder, HEAD, None, Patience.of_command())
    assert isinstance(opened, Repository)
    with pytest.raises(GitFailure, match="more than 2,000,000 files"):
        opened.blobs(repository.git("rev-parse", "HEAD"))
    # One file of it costs no more than its folders.
    found = opened.find(repository.git("rev-parse", "HEAD"), "/".join(["folder3"] * 9 + ["file7.sql"]))
    assert found is not None and found.id == blob
    opened.close()


@pytest.mark.parametrize("more", [0, 1])
def test_files_of_a_commit(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    monkeypatch.setattr("keepstate_lsp.baselines.git.objects.MOST_FILES", 20)
    repository.commit({f"{number % 3}/{number}.txt": "x" for number in range(20 + more)})
    found = everything(repository.folder)
    assert (found is not None) == bool(more)
    assert found is None or "more than 20 files" in found.sentence


@pytest.mark.parametrize("more", [0, 1])
def test_levels_of_folders(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    monkeypatch.setattr("keepstate_lsp.baselines.git.objects._DEEPEST", 20)
    # The root is the first level.
    repository.commit({"/".join(["a"] * (19 + more)) + "/b.txt": "x"})
    found = everything(repository.folder)
    assert (found is not None) == bool(more)
    assert found is None or "in more than 20 levels" in found.sentence


@pytest.mark.parametrize("more", [0, 1])
def test_more_renames_than_are_looked_for(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """The moved job is the last of the deleted files: found, or an error that says that it was not searched."""
    monkeypatch.setattr("keepstate_lsp.baselines.history.file_renames.MOST_CANDIDATES", 20)
    others = {f"jobs/{number:03}.sql": f"SELECT {number} FROM other_{number};\n" for number in range(19 + more)}
    repository.commit({**others, "jobs/job.sql": MINUTES.format(1)})
    for path in (repository.folder / "jobs").iterdir():
        path.unlink()
    moved = repository.write("moved.sql", MINUTES.format(2))
    with BaselineReader() as reader:
        found = reader.read(moved, HEAD, current=MINUTES.format(2))
    if more:
        assert isinstance(found, NoBaseline) and found.amiss
        assert "21 files are gone" in found.sentence and "stage the renames" in found.sentence
        # What is advised helps.
        repository.git("add", "--all")
        with BaselineReader() as reader:
            found = reader.read(moved, HEAD, current=MINUTES.format(2))
    assert isinstance(found, Baseline) and found.path == "jobs/job.sql"


@pytest.mark.parametrize("size", [64 * 1024 * 1024, 64 * 1024 * 1024 + 1])
def test_a_blob_of_any_size(repository: GitRepository, size: int) -> None:
    repository.write("a.sql", b"-" * size)
    repository.commit()
    with BaselineReader() as reader:
        found = reader.read(repository.folder / "a.sql", BaselineSpec.parse("HEAD"))
    assert isinstance(found, Baseline) == (size <= 64 * 1024 * 1024)
    assert isinstance(found, Baseline) or found.reason is Reason.TOO_LARGE
