"""Baselines of files in real repositories."""

from __future__ import annotations

import os
import shlex
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.target import INDEX
from repositories import GitRepository

JOB = "INSERT INTO totals\nSELECT shop, COUNT(*) AS orders, SUM(amount) AS amount\nFROM orders\nGROUP BY shop;\n"
OTHER = "INSERT INTO clicks_per_page\nSELECT page, COUNT(*)\nFROM clicks\nGROUP BY page;\n"


@pytest.fixture
def reader() -> Iterator[BaselineReader]:
    with BaselineReader() as reader:
        yield reader


def spec(text: str) -> BaselineSpec:
    return BaselineSpec.parse(text)


def found(answer: Baseline | NoBaseline) -> Baseline:
    assert isinstance(answer, Baseline), str(answer)
    return answer


def missing(answer: Baseline | NoBaseline, reason: Reason) -> NoBaseline:
    assert isinstance(answer, NoBaseline), answer
    assert answer.reason is reason, str(answer)
    assert answer.sentence.endswith(".")
    assert "\n" not in answer.sentence
    return answer


def test_the_baseline_is_the_committed_text_with_where_it_came_from(
    repository: GitRepository, reader: BaselineReader
) -> None:
    commit = repository.commit({"jobs/orders.sql": JOB})
    path = repository.write("jobs/orders.sql", JOB + "-- edited\n")
    baseline = found(reader.read(path, HEAD))
    assert baseline.text == JOB
    assert baseline.commit == commit
    assert baseline.path == "jobs/orders.sql"
    assert baseline.words == f"HEAD ({commit[:7]})"
    assert baseline.blob == repository.git("rev-parse", "HEAD:jobs/orders.sql")


def test_a_new_commit_is_seen_at_once(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": "one"})
    path = repository.folder / "a.sql"
    assert found(reader.read(path, HEAD)).text == "one"
    commit = repository.commit({"a.sql": "two"})
    repository.git("gc", "--quiet")
    assert found(reader.read(path, HEAD)).text == "two"
    assert found(reader.read(path, HEAD)).commit == commit


@pytest.mark.parametrize(
    ("written", "text", "words"),
    [
        ("HEAD~1", "two", "HEAD~1 ({1})"),
        ("v1", "one", "v1 ({0})"),
        ("refs/tags/v1", "one", "refs/tags/v1 ({0})"),
        ("topic", "topic", "topic ({3})"),
        ("merge-base:topic", "two", "merge base with topic ({1})"),
        ("tag:v*", "two", "tag v2 ({1})"),
        ("tag:v[1]", "one", "tag v1 ({0})"),
    ],
)
def test_any_revision_can_be_the_baseline(
    repository: GitRepository, reader: BaselineReader, written: str, text: str, words: str
) -> None:
    commits = [repository.commit({"a.sql": "one"})]
    repository.git("tag", "v1")
    commits.append(repository.commit({"a.sql": "two"}))
    repository.git("tag", "-a", "-m", "second", "v2")
    commits.append(repository.commit({"a.sql": "three"}))
    repository.git("checkout", "--quiet", "-b", "topic", "HEAD~1")
    commits.append(repository.commit({"a.sql": "topic"}))
    repository.git("tag", "v3-of-topic")
    repository.git("checkout", "--quiet", "main")
    baseline = found(reader.read(repository.folder / "a.sql", spec(written)))
    assert baseline.text == text
    assert baseline.words == words.format(*(commit[:7] for commit in commits))


def test_a_hash_is_not_said_twice(repository: GitRepository, reader: BaselineReader) -> None:
    commit = repository.commit({"a.sql": "one"})
    assert found(reader.read(repository.folder / "a.sql", spec(commit[:10]))).words == commit[:7]


def test_a_file_on_disk_can_be_the_baseline(tmp_path: Path, reader: BaselineReader) -> None:
    (tmp_path / "deployed.sql").write_text(JOB)
    written = BaselineSpec.parse("file:deployed.sql", tmp_path)
    baseline = found(reader.read(tmp_path / "a.sql", written))
    assert (baseline.text, baseline.commit, baseline.path) == (JOB, None, "deployed.sql")
    assert baseline.words == "file deployed.sql"
    answer = missing(
        reader.read(tmp_path / "a.sql", BaselineSpec.parse("file:gone.sql", tmp_path)), Reason.MISSING_FILE
    )
    assert answer.sentence == "gone.sql does not exist."
    missing(reader.read(tmp_path / "a.sql", BaselineSpec.parse("file:.", tmp_path)), Reason.NOT_A_FILE)


@pytest.mark.parametrize(
    "name",
    [
        "with space.sql",
        "two  spaces.sql",
        "übergröße/日本 📦.sql",
        "'quoted\".sql",
        "-dash.sql",
        ":colon.sql",
        "*.sql",
        "tab\there.sql",
        "line\nbreak.sql",
    ],
)
def test_odd_file_names(repository: GitRepository, reader: BaselineReader, name: str) -> None:
    path = repository.write(name, "edited")
    missing(reader.read(path, HEAD), Reason.UNBORN_HEAD)
    repository.commit({"other.sql": "other"})
    repository.git("rm", "--quiet", "--cached", "--", f":(literal){name}")
    repository.git("commit", "--quiet", "--message", "Take it out")
    missing(reader.read(path, HEAD), Reason.NEW_FILE)
    repository.commit({name: JOB})
    repository.write(name, "edited")
    assert found(reader.read(path, HEAD)).text == JOB


@pytest.mark.parametrize("name", ["$HOME", "${HOME}x", "~", "%PATH%", "a b", "übung"])
def test_odd_names_of_repositories(isolated_git: None, tmp_path: Path, reader: BaselineReader, name: str) -> None:
    repository = GitRepository(tmp_path / "around" / name)
    repository.commit({"a.sql": JOB})
    assert found(reader.read(repository.folder / "a.sql", HEAD)).text == JOB


@pytest.mark.skipif(os.name == "nt", reason="file names are text there")
def test_a_file_name_that_is_not_unicode(repository: GitRepository, reader: BaselineReader) -> None:
    name = os.fsdecode(b"caf\xe9.sql")
    repository.commit({name: JOB})
    assert found(reader.read(repository.folder / name, HEAD)).text == JOB


def test_a_decomposed_name_finds_its_composed_twin(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({unicodedata.normalize("NFC", "café.sql"): JOB})
    decomposed = repository.folder / unicodedata.normalize("NFD", "café.sql")
    assert found(reader.read(decomposed, HEAD)).text == JOB


def test_line_ends_and_encodings(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit(
        {
            "crlf.sql": b"a\r\nb\r\n",
            "mark.sql": b"\xef\xbb\xbfSELECT 1",
            "wide.sql": "SELECT 'ü'".encode("utf-16"),
            "empty.sql": b"",
            "binary.sql": b"\x00\x01\xff\xfe",
            "nul.sql": b"SELECT 1\x00",
            "latin.sql": "SELECT 1;\nSELECT 'é'".encode("latin-1"),
            "pointer.sql": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
        }
    )

    def read(name: str) -> Baseline | NoBaseline:
        return reader.read(repository.folder / name, HEAD)

    assert found(read("crlf.sql")).text == "a\r\nb\r\n"
    assert found(read("mark.sql")).text == "SELECT 1"
    assert found(read("wide.sql")).text == "SELECT 'ü'"
    assert found(read("empty.sql")).text == ""
    missing(read("binary.sql"), Reason.BINARY)
    missing(read("nul.sql"), Reason.BINARY)
    assert "line 2" in missing(read("latin.sql"), Reason.NOT_TEXT).sentence
    assert missing(read("pointer.sql"), Reason.LFS_POINTER).mend == "git lfs pull"


def test_a_blob_with_crlf_in_the_work_tree_only(repository: GitRepository, reader: BaselineReader) -> None:
    repository.write(".gitattributes", "*.sql text eol=crlf\n")
    repository.commit({"a.sql": "a\r\nb\r\n"})
    assert found(reader.read(repository.folder / "a.sql", HEAD)).text == "a\nb\n"


def test_outside_of_any_repository(isolated_git: None, tmp_path: Path, reader: BaselineReader) -> None:
    path = tmp_path / "a.sql"
    path.write_text(JOB)
    answer = missing(reader.read(path, HEAD), Reason.NO_REPOSITORY)
    assert str(tmp_path) in answer.sentence
    assert not answer.new
    GitRepository(tmp_path).commit()
    assert found(reader.read(path, HEAD)).text == JOB


def test_without_git(repository: GitRepository, reader: BaselineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"a.sql": JOB})
    monkeypatch.setenv("PATH", str(repository.folder))
    missing(reader.read(repository.folder / "a.sql", HEAD), Reason.GIT_MISSING)


def test_without_git_from_one_moment_to_the_next(
    repository: GitRepository, reader: BaselineReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.sql": JOB})
    found(reader.read(repository.folder / "a.sql", HEAD))
    monkeypatch.setenv("PATH", str(repository.folder))
    reader.close()
    missing(reader.read(repository.folder / "a.sql", HEAD), Reason.GIT_MISSING)


def test_before_the_first_commit(repository: GitRepository, reader: BaselineReader) -> None:
    path = repository.write("a.sql", JOB)
    answer = missing(reader.read(path, HEAD), Reason.UNBORN_HEAD)
    assert answer.new
    assert "main" in answer.sentence
    missing(reader.read(path, spec("v1")), Reason.MISSING_REVISION)


def test_a_new_file(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": OTHER})
    answer = missing(reader.read(repository.write("b.sql", JOB), HEAD), Reason.NEW_FILE)
    assert answer.new
    repository.git("add", "b.sql")
    missing(reader.read(repository.folder / "b.sql", HEAD), Reason.NEW_FILE)


def test_missing_revisions(repository: GitRepository, reader: BaselineReader) -> None:
    path = repository.write("a.sql", JOB)
    repository.commit()
    repository.git("remote", "add", "origin", "https://example.com/jobs.git")
    (repository.folder / ".git/refs/remotes/origin").mkdir(parents=True)
    answer = missing(reader.read(path, spec("v9")), Reason.MISSING_REVISION)
    assert "'v9'" in answer.sentence
    assert not answer.new
    assert (
        missing(reader.read(path, spec("origin/main")), Reason.MISSING_REVISION).mend
        == "git fetch origin main:refs/remotes/origin/main"
    )
    missing(reader.read(path, spec("merge-base:origin/main")), Reason.MISSING_REVISION)
    missing(reader.read(path, spec("HEAD~1")), Reason.MISSING_REVISION)
    missing(reader.read(path, spec("HEAD^{tree}^{commit}")), Reason.MISSING_REVISION)
    missing(reader.read(path, spec("tag:release-*")), Reason.NO_TAG)
    repository.git("checkout", "--quiet", "--orphan", "apart")
    repository.commit()
    missing(reader.read(path, spec("merge-base:main")), Reason.NO_MERGE_BASE)


@pytest.mark.parametrize("written", ["HEAD~1", "@^", "v1", "tag:v*", "merge-base:origin/main", "origin/main"])
@pytest.mark.parametrize("branches", ["--no-single-branch", "--single-branch"])
def test_a_shallow_clone_is_mended_by_the_command_that_is_named(
    repository: GitRepository, reader: BaselineReader, tmp_path: Path, written: str, branches: str
) -> None:
    repository.commit({"a.sql": "one"})
    repository.git("tag", "v1")
    repository.commit({"a.sql": "two"})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"a.sql": "three"})
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=1", branches, "--no-tags", repository.folder.as_uri(), str(clone))
    path = clone / "a.sql"
    assert found(reader.read(path, HEAD)).text == "three"
    if (written, branches) == ("origin/main", "--no-single-branch"):
        assert found(reader.read(path, spec(written))).text == "two"
        return
    answer = missing(reader.read(path, spec(written)), Reason.SHALLOW_CLONE)
    assert "shallow" in answer.sentence
    assert not answer.new
    assert answer.mend is not None
    command, *arguments = shlex.split(answer.mend)
    assert command == "git"
    GitRepository(clone).git(*arguments)
    assert found(reader.read(path, spec(written))).text == ("one" if "v" in written else "two")


def test_a_repository_of_somebody_else(
    repository: GitRepository, reader: BaselineReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.sql": JOB})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    answer = missing(reader.read(repository.folder / "a.sql", HEAD), Reason.DUBIOUS_OWNERSHIP)
    assert answer.mend == f"git config --global --add safe.directory {repository.folder}"


def test_a_bare_repository(isolated_git: None, tmp_path: Path, reader: BaselineReader) -> None:
    bare = GitRepository(tmp_path / "jobs.git", "--bare")
    path = bare.write("a.sql", JOB)
    missing(reader.read(path, HEAD), Reason.BARE_REPOSITORY)


def test_a_folder_where_the_file_is_now(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"jobs.sql/a.sql": JOB})
    shutil.rmtree(repository.folder / "jobs.sql")
    missing(reader.read(repository.write("jobs.sql", JOB), HEAD), Reason.NOT_A_FILE)


def test_submodules(repository: GitRepository, reader: BaselineReader, tmp_path: Path) -> None:
    library = GitRepository(tmp_path / "library")
    library.commit({"views/a.sql": JOB})
    repository.git("submodule", "--quiet", "add", library.folder.as_uri(), "vendor/library")
    repository.commit()
    path = repository.folder / "vendor/library/views/a.sql"
    assert found(reader.read(path, HEAD)).path == "views/a.sql"
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", repository.folder.as_uri(), str(clone))
    path = GitRepository(clone).write("vendor/library/views/a.sql", JOB)
    answer = missing(reader.read(path, HEAD), Reason.SUBMODULE)
    assert answer.mend == "git submodule update --init vendor/library"


def test_linked_work_trees_have_their_own_head(
    repository: GitRepository, reader: BaselineReader, tmp_path: Path
) -> None:
    repository.commit({"a.sql": "main"})
    tree = tmp_path / "linked tree"
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    GitRepository(tree).commit({"a.sql": "topic"})
    assert found(reader.read(tree / "a.sql", HEAD)).text == "topic"
    assert found(reader.read(repository.folder / "a.sql", HEAD)).text == "main"


@pytest.mark.skipif(os.name == "nt", reason="needs a privilege there")
def test_symbolic_links_lead_to_the_file_that_is_edited(
    repository: GitRepository, reader: BaselineReader, tmp_path: Path
) -> None:
    repository.commit({"jobs/a.sql": JOB})
    (tmp_path / "link").symlink_to(repository.folder)
    (repository.folder / "b.sql").symlink_to("jobs/a.sql")
    assert found(reader.read(tmp_path / "link/jobs/a.sql", HEAD)).path == "jobs/a.sql"
    assert found(reader.read(repository.folder / "b.sql", HEAD)).path == "jobs/a.sql"


def test_a_deleted_file_still_has_a_baseline(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"jobs/daily/a.sql": JOB})
    shutil.rmtree(repository.folder / "jobs")
    assert found(reader.read(repository.folder / "jobs/daily/a.sql", HEAD)).text == JOB


@pytest.mark.parametrize("how", ["staged", "committed", "by hand"])
def test_a_renamed_file_is_followed(repository: GitRepository, reader: BaselineReader, how: str) -> None:
    first = repository.commit({"jobs/a.sql": JOB, "jobs/other.sql": OTHER})
    (repository.folder / "jobs/daily").mkdir()
    if how == "by hand":
        (repository.folder / "jobs/a.sql").rename(repository.folder / "jobs/daily/totals.sql")
    else:
        repository.git("mv", "jobs/a.sql", "jobs/daily/totals.sql")
    if how == "committed":
        repository.commit(message="Move")
    path = repository.write("jobs/daily/totals.sql", JOB.replace("shop;", "shop, region;"))
    baseline = found(reader.read(path, spec(first)))
    assert baseline.text == JOB
    assert baseline.path == "jobs/a.sql"
    assert baseline.words == f"{first[:7]} (there jobs/a.sql)"


def test_a_copy_is_a_new_file(repository: GitRepository, reader: BaselineReader) -> None:
    repository.commit({"a.sql": JOB})
    missing(reader.read(repository.write("b.sql", JOB), HEAD), Reason.NEW_FILE)


def test_a_file_moved_by_hand_stays_followed_while_it_is_edited(
    repository: GitRepository, reader: BaselineReader
) -> None:
    repository.commit({"a.sql": JOB})
    path = repository.folder / "b.sql"
    (repository.folder / "a.sql").rename(path)
    assert found(reader.read(path, HEAD, current=JOB)).path == "a.sql"
    assert found(reader.read(path, HEAD, current="SELECT 1")).path == "a.sql"
    repository.write("a.sql", JOB)
    missing(reader.read(path, HEAD, current=JOB), Reason.NEW_FILE)


def test_renames_between_commits_and_in_the_index(repository: GitRepository, reader: BaselineReader) -> None:
    first = repository.commit({"a.sql": JOB})
    repository.git("mv", "a.sql", "b.sql")
    second = repository.commit()
    repository.git("mv", "b.sql", "c.sql")
    at = repository.folder
    assert found(reader.read(at / "b.sql", spec(first), target=second)).path == "a.sql"
    assert found(reader.read(at / "c.sql", HEAD, target=INDEX)).path == "b.sql"
    missing(reader.read(at / "c.sql", HEAD, target=second), Reason.NEW_FILE)
