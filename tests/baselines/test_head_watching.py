"""Noticing, without git, that a baseline moved."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from pathlib import Path

import pytest

from keepstate_lsp.baselines import HEAD, BaselineReader, BaselineSpec
from keepstate_lsp.baselines.head import RevisionStates, find_git_folders, fingerprint
from repositories import GitRepository

READER = BaselineReader()


def spec(text: str) -> BaselineSpec:
    return BaselineSpec.parse(text)


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"jobs/a.sql": "one"})
    repository.commit({"jobs/a.sql": "two"})
    return repository.folder / "jobs/a.sql"


def moves(path: Path, what: BaselineSpec, act: Callable[[], object]) -> bool:
    before = READER.state(path, what)
    assert READER.state(path, what) == before
    act()
    return READER.state(path, what) != before


def test_head_moves(repository: GitRepository, job: Path) -> None:
    assert moves(job, HEAD, lambda: repository.commit({"jobs/a.sql": "three"}))
    assert moves(job, HEAD, lambda: repository.git("commit", "--quiet", "--amend", "--message", "Other"))
    assert moves(job, HEAD, lambda: repository.git("reset", "--quiet", "--hard", "HEAD~1"))
    assert moves(job, HEAD, lambda: repository.git("checkout", "--quiet", "-b", "topic"))
    assert moves(job, HEAD, lambda: repository.git("checkout", "--quiet", "HEAD~1"))
    repository.git("checkout", "--quiet", "main")
    repository.git("pack-refs", "--all")
    assert moves(job, HEAD, lambda: repository.commit({"jobs/a.sql": "four"}))


def test_head_stays(repository: GitRepository, job: Path) -> None:
    assert not moves(job, HEAD, lambda: repository.write("jobs/a.sql", "edited"))
    assert not moves(job, HEAD, lambda: repository.git("add", "--all"))
    assert not moves(job, HEAD, lambda: repository.git("branch", "topic"))


def test_other_revisions_move(repository: GitRepository, job: Path, tmp_path: Path) -> None:
    repository.git("branch", "topic", "HEAD~1")
    for what in ("topic", "topic~1", "merge-base:topic", "refs/heads/topic", "heads/topic"):
        assert moves(job, spec(what), lambda: repository.git("branch", "--force", "topic", "HEAD"))
        repository.git("branch", "--force", "topic", "HEAD~1")
    assert moves(job, spec("v1"), lambda: repository.git("tag", "v1"))
    assert moves(job, spec("tag:v*"), lambda: repository.git("tag", "v2"))
    assert moves(job, spec("tag:v*"), lambda: repository.git("tag", "--force", "v1", "HEAD~1"))
    assert moves(job, spec("tag:release/*"), lambda: repository.git("tag", "release/1"))
    assert moves(job, spec("tag:release/*"), lambda: repository.git("tag", "release/2"))

    clone = GitRepository(tmp_path / "clone")
    clone.git("pull", "--quiet", repository.folder.as_uri(), "main")
    clone.git("remote", "add", "origin", repository.folder.as_uri())
    copied = clone.folder / "jobs/a.sql"
    assert moves(copied, spec("origin/main"), lambda: clone.git("fetch", "--quiet"))
    clone.git("branch", "--quiet", "--set-upstream-to=origin/main")
    clone.git("remote", "set-head", "origin", "main")
    repository.commit({"jobs/a.sql": "five"})
    for what in ("origin/main", "@{upstream}", "main@{u}", "origin", "FETCH_HEAD"):
        assert moves(copied, spec(what), lambda: clone.git("fetch", "--quiet"))
        repository.commit()


def test_a_file_moves(tmp_path: Path) -> None:
    path = tmp_path / "deployed.sql"
    what = BaselineSpec.parse("file:deployed.sql", tmp_path)
    assert moves(tmp_path / "a.sql", what, lambda: path.write_text("one"))
    assert moves(tmp_path / "a.sql", what, lambda: path.write_text("three"))
    assert [(watched.folder, watched.glob) for watched in READER.watched(tmp_path / "a.sql", what)] == [
        (tmp_path, "deployed.sql")
    ]


def test_a_repository_appears(isolated_git: None, tmp_path: Path) -> None:
    path = tmp_path / "jobs/a.sql"
    assert READER.watched(path, HEAD) == ()
    assert moves(path, HEAD, lambda: GitRepository(tmp_path))
    assert moves(path, HEAD, lambda: GitRepository(tmp_path).commit({"jobs/a.sql": "one"}))


def test_linked_work_trees_and_submodules(repository: GitRepository, job: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    linked = GitRepository(tree)
    assert moves(tree / "jobs/a.sql", HEAD, lambda: linked.commit({"jobs/a.sql": "topic"}))
    assert not moves(job, HEAD, lambda: linked.commit({"jobs/a.sql": "more"}))
    folders = find_git_folders(tree / "jobs/a.sql")
    assert folders is not None
    assert folders.git.resolve() == repository.folder / ".git/worktrees/tree"
    assert folders.common.resolve() == repository.folder / ".git"

    repository.git("submodule", "--quiet", "add", repository.folder.as_uri(), "inner")
    inner = GitRepository(repository.folder / "inner")
    assert moves(inner.folder / "jobs/a.sql", HEAD, lambda: inner.commit({"jobs/a.sql": "inner"}))


def test_what_is_watched_is_what_a_commit_touches(repository: GitRepository, job: Path) -> None:
    watched = READER.watched(job, HEAD)
    touched = [repository.folder / ".git" / name for name in ("HEAD", "packed-refs", "refs/heads/main")]
    for path in touched:
        assert any(matches(path, entry.folder, entry.glob) for entry in watched), path
    assert not any(matches(repository.folder / ".git/objects/aa/bb", entry.folder, entry.glob) for entry in watched)


def test_a_name_with_glob_characters_is_watched_literally(tmp_path: Path) -> None:
    (watched,) = READER.watched(tmp_path / "a.sql", BaselineSpec.parse("file:a[1]*.sql", tmp_path))
    assert watched.glob == "a[[]1][*].sql"


def matches(path: Path, folder: Path, glob: str) -> bool:
    if not path.is_relative_to(folder):
        return False
    name = path.relative_to(folder).as_posix()
    return any(fnmatch.fnmatchcase(name, pattern.replace("**", "*")) for pattern in glob.strip("{}").split(","))


def test_files_that_are_looked_at_together_have_the_states_of_single_ones(tmp_path: Path) -> None:
    repositories = [GitRepository(tmp_path / name) for name in ("one", "two")]
    for repository in repositories:
        repository.commit({"jobs/deep/a.sql": "SELECT 1;\n", "b.sql": f"SELECT '{repository.folder.name}';\n"})
    one, two = (repository.folder for repository in repositories)
    (one / "linked").symlink_to(two / "jobs")
    (one / "link.sql").symlink_to(two / "b.sql")
    (tmp_path / "plain.sql").write_text("SELECT 3;\n")
    paths = [one / "jobs/deep/a.sql", one / "b.sql", one / "linked/deep/a.sql", one / "link.sql", two / "b.sql"]
    paths += [one / "jobs/../b.sql", one / "linked/../b.sql", tmp_path / "plain.sql", one / "gone/c.sql"]
    states = RevisionStates()
    for path in paths:
        assert states.of(path, HEAD) == fingerprint(find_git_folders(path.resolve().parent), HEAD), path
    assert len({states.of(path, HEAD) for path in paths}) == 3
