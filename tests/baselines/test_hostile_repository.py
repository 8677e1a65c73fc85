"""A repository that tries to run something when it is looked at."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE
from repositories import GitRepository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the trap is a shell script")

JOB = "INSERT INTO totals\nSELECT shop, COUNT(*) AS orders, SUM(amount) AS amount\nFROM orders\nGROUP BY shop;\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace of having been started beside it."""
    script = tmp_path / "trap"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> "{tmp_path}/sprung"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    for hook in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (tmp_path / hook).symlink_to(script)
    return script


def arm(repository: GitRepository, trap: Path) -> None:
    settings = {
        "core.fsmonitor": trap,
        "core.hooksPath": trap.parent,
        "core.pager": trap,
        "core.sshCommand": trap,
        "core.editor": trap,
        "core.askPass": trap,
        "credential.helper": trap,
        "diff.external": trap,
        "diff.evil.textconv": trap,
        "diff.evil.command": trap,
        "filter.evil.clean": trap,
        "filter.evil.smudge": trap,
        "filter.evil.process": trap,
        "gpg.program": trap,
        "remote.origin.url": "ext::" + str(trap),
        "remote.origin.uploadpack": trap,
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "submodule.recurse": "true",
    }
    for name, value in settings.items():
        repository.git("config", name, str(value))
    attributes = Path(repository.git("rev-parse", "--absolute-git-dir")) / "info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* filter=evil diff=evil\n")


def test_nothing_of_it_is_executed(repository: GitRepository, trap: Path, tmp_path: Path) -> None:
    library = GitRepository(tmp_path / "library")
    library.commit({"view.sql": JOB})
    repository.git("submodule", "--quiet", "add", library.folder.as_uri(), "library")
    first = repository.commit({"a.sql": JOB, "b.sql": JOB * 2, "c.sql": "SELECT 1"})
    repository.git("tag", "v1")
    repository.git("mv", "a.sql", "moved.sql")
    (repository.folder / "b.sql").rename(repository.folder / "by-hand.sql")
    repository.write("c.sql", "SELECT 2")
    arm(repository, trap)
    arm(GitRepository(repository.folder / "library"), trap)

    with BaselineReader() as reader:
        for name in ("moved.sql", "by-hand.sql", "c.sql", "library/view.sql"):
            for written in ("HEAD", first, "merge-base:v1", "tag:v*"):
                answer = reader.read(repository.folder / name, BaselineSpec.parse(written))
                assert isinstance(answer, Baseline) or "library" in name, str(answer)
        opened = reader.repository(repository.folder, HEAD)
        assert isinstance(opened, Repository)
        commit = opened.commit(HEAD)
        assert isinstance(commit, Commit)
        for target in (WORK_TREE, INDEX, first):
            opened.changed_files(commit, target, lambda path: True)
        opened.files(INDEX)
        opened.files(first)
        opened.default_branch()
        # An object that is missing from what claims to be a partial clone must not be fetched.
        blob = repository.git("rev-parse", "HEAD:c.sql")
        (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
        answer = reader.read(repository.folder / "c.sql", HEAD)
        assert isinstance(answer, NoBaseline)
        assert answer.reason is Reason.UNREADABLE

    assert not (tmp_path / "sprung").exists(), (tmp_path / "sprung").read_text()
    # The trap is a good one: git on its own steps into it.
    subprocess.run(
        ["git", "diff", "HEAD"], cwd=repository.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (tmp_path / "sprung").exists()


def test_a_bare_repository_inside_of_a_work_tree_is_not_entered(
    repository: GitRepository, trap: Path, tmp_path: Path
) -> None:
    repository.commit({"a.sql": JOB})
    inner = GitRepository(repository.folder / "docs", "--bare")
    for name in ("HEAD", "config", "objects", "refs"):
        assert (inner.folder / name).exists() or (inner.folder / ".git" / name).exists()
    inner.git("config", "--file", "config", "core.fsmonitor", str(trap))
    path = repository.write("docs/a.sql", JOB)
    with BaselineReader() as reader:
        answer = reader.read(path, HEAD)
    assert isinstance(answer, NoBaseline)
    assert not (tmp_path / "sprung").exists()


def test_the_index_is_not_written(repository: GitRepository) -> None:
    repository.commit({"a.sql": JOB})
    repository.write("a.sql", "SELECT 2")
    index = repository.folder / ".git/index"
    os.utime(index, (1, 1))
    with BaselineReader() as reader:
        reader.read(repository.folder / "a.sql", HEAD)
        opened = reader.repository(repository.folder, HEAD)
        assert isinstance(opened, Repository)
        commit = opened.commit(HEAD)
        assert isinstance(commit, Commit)
        assert opened.changed_files(commit, WORK_TREE, lambda path: True) == {"a.sql": "M"}
    assert index.stat().st_mtime == 1
