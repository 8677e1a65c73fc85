"""Repositories that keep files out of the work tree, hold others, or keep their objects in other ways."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from damage import ASKING, JOB, MINUTES, answer, ask, make, objects, place
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.git.index import may_track
from repositories import GitRepository

SMALL = """\
CREATE TABLE clicks (shop STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
INSERT INTO small SELECT shop, COUNT(*) FROM clicks GROUP BY shop;
"""
CHECKS = [asking for asking in ASKING if asking.words is not None and asking.words[0] == "check"]
AGAINST_HEAD = [asking for asking in CHECKS if "--against" not in asking.words]  # type: ignore[operator]


def statuses(folder: Path, *words: str) -> tuple[int, dict[str, str], list[str]]:
    """Exit status, the status of each file that a check tells, and its problems."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        status, output = answer("check", *words, "--format", "json")
    finally:
        os.chdir(here)
    reported = json.loads(output)
    return (
        status,
        {file["path"]: file["status"] for file in reported["files"]},
        [one["message"] for one in reported["problems"]],
    )


# ------------------------------------------------------------------------------------------------ sparse checkouts


@pytest.fixture
def sparse(repository: GitRepository) -> GitRepository:
    """A work tree with ``here`` alone; ``there`` has two jobs and a configuration."""
    repository.commit({"here/a.sql": SMALL, "there/b.sql": MINUTES.format(1), "there/c.sql": SMALL})
    repository.git("sparse-checkout", "set", "here")
    assert not (repository.folder / "there").exists()
    return repository


@pytest.mark.parametrize(
    "words", [[], ["."], ["there"], ["there/b.sql"], ["**/*.sql"], ["--staged"], ["--staged", "."]]
)
def test_what_is_left_out_is_not_deleted(sparse: GitRepository, words: list[str]) -> None:
    status, files, problems = statuses(sparse.folder, *words)
    assert (status, problems) == (0, [])
    assert set(files.values()) <= {"unchanged"}


def test_what_is_left_out_changed_with_its_branch(sparse: GitRepository) -> None:
    """The current text of a file outside of the cone is the one in the index."""
    sparse.git("branch", "begin")
    sparse.git("sparse-checkout", "disable")
    sparse.commit({"there/b.sql": MINUTES.format(5), "there/d.sql": SMALL})
    sparse.git("sparse-checkout", "set", "here")
    for words in ([], ["there"], ["there/b.sql"]):
        status, files, _ = statuses(sparse.folder, "--against", "begin", *words)
        assert status == 1
        assert files["there/b.sql"] == "compared"
        assert "deleted" not in files.values()
    assert statuses(sparse.folder, "--against", "begin")[1]["there/d.sql"] == "new"
    sparse.git("rm", "--quiet", "--sparse", "there/c.sql")
    assert statuses(sparse.folder)[1]["there/c.sql"] == "deleted"


def test_a_new_file_is_no_rename_of_one_that_was_left_out(sparse: GitRepository) -> None:
    sparse.write("here/e.sql", SMALL + "-- mine\n")
    assert statuses(sparse.folder, "here/e.sql")[1] == {"here/e.sql": "new"}


def test_a_deployed_job_that_is_left_out_is_not_gone(sparse: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sparse.folder)
    assert answer("deployed", "mark", "there/b.sql", "--by", "Ada")[0] == 0
    assert answer("deployed", "list")[1].splitlines()[1].endswith(" same")
    status, output = answer("deployed", "diff", "--format", "json")
    assert status == 0 and '"deleted"' not in output
    sparse.write("here/e.sql", MINUTES.format(1) + "-- mine\n")
    status, files, _ = statuses(sparse.folder, "--against", "deployed", "here/e.sql")
    assert (status, files) == (0, {"here/e.sql": "new"})


def test_a_configuration_that_was_left_out_is_reported(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the file the job would have no configuration, and be compared with a configured baseline."""
    repository.commit({"a.sql": SMALL, "keepstate.toml": '[parameters]\n"table.exec.state.ttl" = "1 d"\n'})
    repository.git("sparse-checkout", "set", "--no-cone", "*.sql")
    assert not (repository.folder / "keepstate.toml").exists()
    repository.write("a.sql", SMALL.replace("SELECT shop,", "SELECT  shop,"))
    for words in ([], ["a.sql"]):
        status, files, _ = statuses(repository.folder, *words)
        assert (status, files) == (2, {"a.sql": "not-compared"})
    # By a relative path too, and of two files that git is not asked about.
    monkeypatch.chdir(repository.folder)
    repository.write("b.sql", SMALL)
    assert answer("diff", "b.sql", "a.sql")[0] == 2
    # What the mend says mends it.
    repository.git("checkout", "--ignore-skip-worktree-bits", "--", "keepstate.toml")
    assert statuses(repository.folder)[0] == 0
    assert answer("diff", "b.sql", "a.sql")[0] == 0


@pytest.mark.parametrize("way", ["split", "sparse", "cut names", "plain"])
def test_a_configuration_is_found_in_each_form_of_the_index(repository: GitRepository, way: str) -> None:
    """In some forms the name of a file does not stand in the index as it is."""
    reported = {"engine.txt": "x", "keepstate.sql": SMALL, "keepstate.toml": 'engine = "flink"\n'}
    repository.commit({**reported, "here/a.sql": SMALL, "there/b.sql": SMALL})
    if way == "split":
        repository.git("update-index", "--split-index")
    elif way == "cut names":
        repository.git("update-index", "--index-version", "4")
    elif way == "sparse":
        repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "here")
    assert may_track(repository.folder / ".git", ["keepstate.toml"])
    assert not may_track(repository.folder / ".git", ["elsewhere.toml"]) or way != "plain"


@pytest.mark.parametrize("bit", ["skip-worktree", "assume-unchanged"])
def test_bits_of_the_index(repository: GitRepository, bit: str) -> None:
    repository.commit({"a.sql": MINUTES.format(1), "b.sql": SMALL})
    repository.git("update-index", f"--{bit}", "a.sql")
    (repository.folder / "a.sql").unlink()
    assert statuses(repository.folder) == (0, {}, [])
    assert statuses(repository.folder, "a.sql")[1] == {"a.sql": "unchanged"}
    # What is on disk after all is what counts, whatever git was asked to believe.
    repository.write("a.sql", MINUTES.format(7))
    assert statuses(repository.folder)[:2] == (1, {"a.sql": "compared"})
    repository.git("update-index", f"--no-{bit}", "a.sql")
    (repository.folder / "a.sql").unlink()
    assert statuses(repository.folder)[1] == {"a.sql": "deleted"}


# ------------------------------------------------------------------------------------------------ the index


def test_a_merge_that_stopped_is_no_deletion(repository: GitRepository) -> None:
    repository.commit({"a.sql": MINUTES.format(1)})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"a.sql": MINUTES.format(2)})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.sql": MINUTES.format(3)})
    with pytest.raises(AssertionError):
        repository.git("merge", "--quiet", "topic")
    for words in (["--staged"], ["--staged", "a.sql"], ["--staged", "."]):
        status, files, _ = statuses(repository.folder, *words)
        assert (status, files) == (2, {"a.sql": "not-compared"}), words


def test_an_index_that_never_was(repository: GitRepository) -> None:
    """Nothing was staged before the first commit; behind one there has to be an index."""
    assert statuses(repository.folder, "--staged") == (0, {}, [])
    repository.commit({"a.sql": SMALL})
    (repository.folder / ".git/index").unlink()
    assert statuses(repository.folder, "--staged")[0] == 2


# ------------------------------------------------------------------------------------------------ submodules


@pytest.fixture
def library(repository: GitRepository, tmp_path: Path) -> GitRepository:
    """The submodule ``library`` of ``repository``, checked out, with a job."""
    origin = GitRepository(tmp_path / "origin")
    origin.commit({"a.sql": MINUTES.format(1), "readme.txt": "one"})
    repository.git("submodule", "--quiet", "add", origin.folder.as_uri(), "library")
    repository.commit({"own.sql": SMALL})
    return GitRepository(repository.folder / "library")


def test_a_submodule_that_stands_still(repository: GitRepository, library: GitRepository) -> None:
    for words in ([], ["--staged"], ["."]):
        assert statuses(repository.folder, *words)[0] == 0
    assert statuses(repository.folder, "library/a.sql")[:2] == (0, {"library/a.sql": "unchanged"})


@pytest.mark.parametrize("how", ["committed", "edited"])
def test_jobs_of_a_submodule_that_changed(repository: GitRepository, library: GitRepository, how: str) -> None:
    library.write("a.sql", MINUTES.format(5))
    if how == "committed":
        library.commit()
    status, _, problems = statuses(repository.folder)
    assert status == 2
    assert problems == ["1 SQL file changed in this submodule and cannot be compared from outside."]
    if how == "committed":
        assert statuses(repository.folder, "--staged")[0] == 0
        repository.git("add", "library")
        assert statuses(repository.folder, "--staged")[0] == 2


@pytest.mark.parametrize("named", [".", "**/*.sql", "*/*.sql", "li*/a.sql", "configured"])
def test_a_folder_and_a_glob_reach_into_a_submodule(
    repository: GitRepository, library: GitRepository, named: str
) -> None:
    library.write("a.sql", MINUTES.format(5))
    words = [named]
    if named == "configured":
        words = []
        repository.write("keepstate.toml", 'files = ["**/*.sql"]\n')
    status, _, problems = statuses(repository.folder, *words)
    assert status == 2
    assert "1 SQL file changed in this submodule and cannot be compared from outside." in problems


@pytest.mark.parametrize("named", ["own.sql", "*.sql", "here", "here/*.sql", "here/**/*.sql"])
@pytest.mark.parametrize("spoiled", [False, True], ids=["changed", "spoiled"])
def test_what_lies_beside_a_submodule_is_compared_without_it(
    repository: GitRepository, library: GitRepository, named: str, spoiled: bool
) -> None:
    repository.commit({"here/b.sql": SMALL})
    library.write("a.sql", MINUTES.format(5))
    if spoiled:
        (library.folder / ".git").unlink()
    assert statuses(repository.folder, named)[0] == 0


@pytest.mark.parametrize("words", [[], ["."], ["**/*.sql"]], ids=["changed", "folder", "glob"])
def test_another_repository_in_the_work_tree_is_named(repository: GitRepository, words: list[str]) -> None:
    repository.commit({"own.sql": SMALL})
    inner = GitRepository(repository.folder / "inner")
    inner.commit({"readme.txt": "no job"})
    assert left_out(repository.folder, *words) == []
    inner.commit({"a.sql": MINUTES.format(1)})
    inner.write("a.sql", MINUTES.format(5))
    sentence = "A repository of its own, with 1 SQL file: it is not compared from outside. keepstate check inner"
    assert left_out(repository.folder, *words) == [("inner", sentence)]
    assert statuses(repository.folder, "inner")[1] == {"inner/a.sql": "compared"}
    # Neither is one that git ignores, nor another work tree of this repository.
    repository.write(".gitignore", "inner")
    repository.git("worktree", "add", "--quiet", "-b", "second", str(repository.folder / "second"))
    assert left_out(repository.folder, *words) == []


def left_out(folder: Path, *words: str) -> list[tuple[str, str]]:
    """The notices of a check, with their paths."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        _, output = answer("check", *words, "--format", "json")
    finally:
        os.chdir(here)
    return [(notice["path"], notice["message"]) for notice in json.loads(output).get("notices", [])]


def test_other_files_of_a_submodule_that_changed(repository: GitRepository, library: GitRepository) -> None:
    library.commit({"readme.txt": "two"})
    assert statuses(repository.folder) == (0, {}, [])


def test_a_submodule_that_moved_and_is_not_here(
    repository: GitRepository, library: GitRepository, tmp_path: Path
) -> None:
    library.commit({"a.sql": MINUTES.format(5)})
    library.git("push", "--quiet", "origin", "HEAD:refs/heads/other")
    repository.commit()
    clone = GitRepository(tmp_path / "elsewhere" / "clone")
    clone.git("pull", "--quiet", repository.folder.as_uri(), "main")
    assert statuses(clone.folder)[0] == 0
    status, _, problems = statuses(clone.folder, "--against", "HEAD~1")
    assert status == 2 and "not checked out" in problems[0]
    clone.git("submodule", "--quiet", "update", "--init", "library")
    assert "1 SQL file changed" in statuses(clone.folder, "--against", "HEAD~1")[2][0]


@pytest.mark.parametrize("what", ["a file", "a folder"])
def test_a_submodule_whose_repository_went(repository: GitRepository, library: GitRepository, what: str) -> None:
    """Its files are none of the repository around it, in which they would be new."""
    if what == "a file":
        (repository.folder / ".git/modules").rename(repository.folder / ".git/gone")
    else:
        (library.folder / ".git").unlink()
        (repository.folder / ".git/modules/library").rename(library.folder / ".git")
        (library.folder / ".git/HEAD").unlink()
    with BaselineReader() as reader:
        found = reader.read(library.folder / "a.sql", HEAD)
    assert isinstance(found, NoBaseline) and found.amiss and not found.new
    assert found.reason is Reason.UNREADABLE
    assert statuses(repository.folder, "library/a.sql")[:2] == (2, {"library/a.sql": "not-compared"})
    status, _, problems = statuses(repository.folder)
    assert status == 2 and "cannot be told" in problems[0]


def test_a_submodule_that_is_only_files_by_now(repository: GitRepository, library: GitRepository) -> None:
    (library.folder / ".git").unlink()
    library.write("a.sql", MINUTES.format(5))
    status, _, problems = statuses(repository.folder)
    assert status == 2 and "its repository is gone" in problems[0]
    for file in library.folder.iterdir():
        file.unlink()
    # An empty folder is what git leaves of a submodule that was never checked out.
    assert statuses(repository.folder) == (0, {}, [])


def test_a_repository_inside_of_another_that_was_spoiled(repository: GitRepository) -> None:
    repository.commit({"own.sql": SMALL})
    inner = GitRepository(repository.folder / "inner")
    inner.commit({"a.sql": MINUTES.format(1)})
    inner.write("a.sql", MINUTES.format(5))
    assert statuses(inner.folder)[0] == 1
    (inner.folder / ".git/HEAD").write_text("")
    for words in ([], ["a.sql"], ["--staged"], ["."]):
        assert statuses(inner.folder, *words)[0] == 2, words


# ------------------------------------------------------------------------------------------------ work trees, hashes


@pytest.mark.parametrize("init", [(), ("--object-format=sha256",)])
@pytest.mark.parametrize("linked", [False, True])
def test_every_way_to_ask(isolated_git: None, tmp_path: Path, init: tuple[str, ...], linked: bool) -> None:
    """In repositories with other hashes, and in linked work trees."""
    whole = make(tmp_path / "whole", *init)
    folder = whole.folder
    if linked:
        folder = tmp_path / "linked"
        whole.git("worktree", "add", "--quiet", "-b", "second", str(folder), "topic")
        GitRepository(folder).write(JOB, MINUTES.format(9))
        GitRepository(folder).git("add", "--all")
    for asking in ASKING:
        given, said = ask(asking, folder)
        assert given and ("incompatible" in said or asking.name == "baseline"), (asking.name, said)
    # Damage there is reported as anywhere.
    for name in ("commit of HEAD", "folder of HEAD", "blob of HEAD"):
        path = place(whole.folder, objects(whole)[name])
        kept = path.read_bytes()
        path.unlink()
        for asking in AGAINST_HEAD:
            given, said = ask(asking, folder)
            assert not given, (name, asking.name, said)
        path.write_bytes(kept)


@pytest.mark.parametrize("what", ["the work tree", "the repository"])
def test_a_linked_work_tree_that_lost_its_repository(repository: GitRepository, tmp_path: Path, what: str) -> None:
    repository.commit({"a.sql": MINUTES.format(1)})
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "--quiet", "-b", "second", str(linked))
    (linked / "a.sql").write_text(MINUTES.format(2))
    assert statuses(linked)[0] == 1
    gone = repository.folder / ".git/worktrees" if what == "the work tree" else repository.folder
    gone.rename(tmp_path / "gone")
    for words in ([], ["a.sql"], ["--staged"]):
        assert statuses(linked, *words)[0] == 2, words
    with BaselineReader() as reader:
        found = reader.read(linked / "a.sql", HEAD)
    assert isinstance(found, NoBaseline) and found.amiss and not found.new


# ------------------------------------------------------------------------------------------------ partial clones


@pytest.mark.parametrize("kept_out", ["blob:none", "tree:0"])
def test_a_partial_clone(isolated_git: None, tmp_path: Path, kept_out: str) -> None:
    """An object that was never fetched is reported, with the command that fetches it."""
    whole = make(tmp_path / "whole")
    whole.git("config", "uploadpack.allowFilter", "true")
    whole.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = GitRepository(tmp_path / "elsewhere" / "clone")
    clone.git("remote", "add", "origin", whole.folder.as_uri())
    clone.git("fetch", "--quiet", f"--filter={kept_out}", "origin", "topic:refs/heads/topic", "main:refs/heads/begin")
    clone.git("checkout", "--quiet", "topic")
    clone.write(JOB, MINUTES.format(9))
    # A checkout fetched what HEAD needs.
    assert statuses(clone.folder)[0] == 1
    for words in (["--against", "begin"], ["--against", "merge-base:begin"], ["--against", "HEAD~1", JOB]):
        status, files, _ = statuses(clone.folder, *words)
        assert status == 2 and set(files.values()) <= {"not-compared"}, words
    with BaselineReader() as reader:
        found = reader.read(clone.folder / JOB, BaselineSpec.parse("begin"))
        assert isinstance(found, NoBaseline) and "partial clone" in found.sentence
        assert found.mend == "git fetch --refetch --no-filter"
        clone.git(*found.mend.split()[1:], "--quiet")
        assert isinstance(reader.read(clone.folder / JOB, BaselineSpec.parse("begin")), Baseline)
