"""The installation of the examples: the commit that is named, and what its locks name."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from platforms import ROOT, Ran, run_script
from repositories import GitRepository

SCRIPT = ROOT / "examples" / "shop-jobs" / "ci" / "install-keepstate.sh"


@pytest.fixture
def source(repository: GitRepository) -> GitRepository:
    """A repository in the place of Keepstate's."""
    repository.commit({"supply/build.txt": "", "supply/runtime.txt": "", "pyproject.toml": "first"})
    return repository


def install(source: GitRepository, commit: str, folder: Path, **environment: str) -> Ran:
    """Install into a folder. A stand-in for Python writes down its arguments: the network is not ours to test."""
    stand_in = folder.parent / "python3"
    stand_in.write_text(
        f'#!/bin/sh\necho "$@" >> {folder.parent}/arguments\n'
        f'if [ "$3" = venv ]; then mkdir -p "$4/bin" && ln -sf {stand_in} "$4/bin/python"; fi\n'
    )
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    own = {"KEEPSTATE_SOURCE": source.folder.as_uri(), "KEEPSTATE_COMMIT": commit, "PYTHON": str(stand_in)}
    return run_script(f"{SCRIPT} {folder}", folder.parent, {**own, **environment})


@pytest.mark.parametrize("by_hash", [True, False], ids=["by hash", "by branches"])
def test_the_commit_that_is_named_is_installed_with_its_locks(
    source: GitRepository, tmp_path: Path, by_hash: bool
) -> None:
    commit = source.git("rev-parse", "HEAD")
    source.commit({"pyproject.toml": "later"})
    # By default a server hands out the tips of branches alone.
    source.git("config", "uploadpack.allowAnySHA1InWant", str(by_hash).lower())
    folder = tmp_path / "keepstate"
    for _ in range(2):  # a workspace may be used again
        ran = install(source, commit, folder, GIT_TRACE_PACKET="0")
        assert ran.status == 0, ran.errors
    assert (folder / "source" / "pyproject.toml").read_text() == "first"
    made, *installed = (tmp_path / "arguments").read_text().splitlines()[:4]
    # Isolated: a venv.py in the checked repository is not what makes it.
    assert made == f"-I -m venv {folder}"
    assert installed == [
        f"-I -m pip install --quiet --disable-pip-version-check {one}"
        for one in (
            f"--only-binary :all: --require-hashes --requirement {folder}/source/supply/build.txt",
            f"--only-binary :all: --require-hashes --requirement {folder}/source/supply/runtime.txt",
            f"--no-deps --no-build-isolation {folder}/source",
        )
    ]


@pytest.mark.parametrize("commit", ["", "main", "v1.0.0", "abc1234", "COMMIT"])
def test_a_name_that_may_be_moved_is_refused(source: GitRepository, tmp_path: Path, commit: str) -> None:
    ran = install(source, commit, tmp_path / "keepstate")
    assert ran.status == 2 and "the whole hash of a commit" in ran.errors
    assert not (tmp_path / "keepstate").exists()


def test_a_source_that_is_not_set_or_lacks_the_commit(source: GitRepository, tmp_path: Path) -> None:
    ran = install(source, "1" * 40, tmp_path / "keepstate")
    assert ran.status not in (0, 1) or "1" * 40 in ran.errors
    assert not (tmp_path / "arguments").exists()
    ran = install(source, "1" * 40, tmp_path / "keepstate", KEEPSTATE_SOURCE="")
    assert ran.status == 2 and "KEEPSTATE_SOURCE is not set" in ran.errors


def test_every_example_pins_a_commit() -> None:
    shop = ROOT / "examples" / "shop-jobs"
    # Bitbucket has no variables in a definition: its steps read them from a file.
    version = "keepstate-version.sh"
    assert "KEEPSTATE_COMMIT=" in (shop / "ci" / version).read_text("utf-8")
    for path in sorted(shop.rglob("*")):
        text = path.read_text("utf-8") if path.is_file() else ""
        if "install-keepstate.sh" in text and path.suffix != ".sh" and path.name != "README.md":
            assert "KEEPSTATE_COMMIT" in text or version in text, path
