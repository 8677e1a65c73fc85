"""New files and files that are gone: each is the successor of one at most, whichever is asked about first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline
from keepstate_lsp.baselines.baseline import Reason
from keepstate_lsp.baselines.history.successors import FileSimilarity, Succession
from keepstate_lsp.cli.main import main
from repositories import GitRepository, isolated


def job(*numbers: int) -> str:
    """A text of lines, of which others may have some as well."""
    return "".join(f"INSERT INTO sink_{number:04} SELECT a, b, c FROM source_{number:04};\n" for number in numbers)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[GitRepository]:
    with isolated(tmp_path):
        yield GitRepository(tmp_path / "repository")


def sources(repository: GitRepository, revision: str, *names: str) -> dict[str, str | None]:
    """The former name of each new file at a revision, in every order of asking: ``None`` for a new one, a sentence in
    brackets for one of which nothing can be said.
    """
    answers: list[dict[str, str | None]] = []
    for order in permutations(names):
        with BaselineReader() as reader:
            told: dict[str, str | None] = {}
            for name in order:
                path = repository.folder / name
                baseline = reader.read(path, BaselineSpec.parse(revision), current=path.read_text())
                if isinstance(baseline, Baseline):
                    told[name] = baseline.path
                else:
                    assert isinstance(baseline, NoBaseline)
                    told[name] = None if baseline.reason is Reason.NEW_FILE else f"({baseline.sentence})"
            answers.append(told)
    assert all(answer == answers[0] for answer in answers), "it matters which file is asked about first"
    return answers[0]


OLD = job(*range(10))
NEARLY = job(*range(9), 90)
LESS = job(*range(7), 91, 92, 93)
OTHER = job(*range(50, 60))


@pytest.mark.parametrize("rival", [LESS, NEARLY.upper(), OTHER, ""])
def test_the_most_alike_of_two_files_is_the_successor(repository: GitRepository, rival: str) -> None:
    repository.commit({"a.sql": OLD})
    (repository.folder / "a.sql").unlink()
    repository.write("b.sql", NEARLY)
    repository.write("c.sql", rival)
    assert sources(repository, "HEAD", "b.sql", "c.sql") == {"b.sql": "a.sql", "c.sql": None}


def test_of_two_files_that_are_equally_alike_nothing_is_told(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.sql": OLD})
    (repository.folder / "a.sql").unlink()
    repository.write("b.sql", NEARLY)
    repository.write("c.sql", NEARLY)
    told = sources(repository, "HEAD", "b.sql", "c.sql")
    assert all(sentence is not None and "b.sql, c.sql are equally like a.sql" in sentence for sentence in told.values())
    monkeypatch.chdir(repository.folder)
    assert main(["check", "b.sql", "c.sql"]) == 2
    assert "equally like a.sql" in capsys.readouterr().err
    # What is advised helps.
    repository.git("rm", "--quiet", "--cached", "a.sql")
    repository.git("add", "b.sql")
    assert sources(repository, "HEAD", "b.sql", "c.sql") == {"b.sql": "a.sql", "c.sql": None}


def test_of_equal_files_the_one_of_the_same_name_was_moved(repository: GitRepository) -> None:
    repository.commit({"a.sql": OLD})
    (repository.folder / "a.sql").unlink()
    repository.write("jobs/a.sql", OLD)
    repository.write("jobs/b.sql", OLD)
    assert sources(repository, "HEAD", "jobs/a.sql", "jobs/b.sql") == {"jobs/a.sql": "a.sql", "jobs/b.sql": None}


def test_equal_files_of_a_folder_that_moved(repository: GitRepository) -> None:
    repository.commit({"old/a.sql": OLD, "old/b.sql": OLD, "old/c.sql": NEARLY})
    (repository.folder / "old").rename(repository.folder / "new")
    names = ("new/a.sql", "new/b.sql", "new/c.sql")
    assert sources(repository, "HEAD", *names) == {name: name.replace("new", "old") for name in names}


def test_what_loses_one_file_may_have_another(repository: GitRepository) -> None:
    repository.commit({"a.sql": OLD, "e.sql": job(*range(5), *range(91, 96))})
    for name in ("a.sql", "e.sql"):
        (repository.folder / name).unlink()
    repository.write("b.sql", OLD)
    repository.write("c.sql", LESS)
    assert sources(repository, "HEAD", "b.sql", "c.sql") == {"b.sql": "a.sql", "c.sql": "e.sql"}


REUSES = {"unlike": OTHER, "nearly the same": NEARLY}


@pytest.mark.parametrize("first", ["by hand", "staged", "committed"])
@pytest.mark.parametrize("second", ["by hand", "staged", "committed"])
@pytest.mark.parametrize("reused", [None, *REUSES])
def test_a_file_that_was_renamed_twice(repository: GitRepository, first: str, second: str, reused: str | None) -> None:
    """With its middle name free, or borne by another file."""
    start = repository.commit({"a.sql": OLD})
    _rename(repository, "a.sql", "b.sql", first)
    _rename(repository, "b.sql", "c.sql", second)
    if reused is None:
        assert sources(repository, start, "c.sql") == {"c.sql": "a.sql"}
        return
    repository.write("b.sql", REUSES[reused])
    if second == "committed":
        repository.commit()
    # What was staged or committed holds as long as the file has such a text.
    stays = reused == "nearly the same" and first != "by hand" and second == "by hand"
    expected = {"b.sql": "a.sql", "c.sql": None} if stays else {"b.sql": None, "c.sql": "a.sql"}
    assert sources(repository, start, "b.sql", "c.sql") == expected


def _rename(repository: GitRepository, old: str, new: str, how: str) -> None:
    (repository.folder / old).rename(repository.folder / new)
    if how != "by hand":
        repository.git("add", "--all")
    if how == "committed":
        repository.commit()


def test_a_file_that_was_renamed_by_git_and_written_anew_is_followed(repository: GitRepository) -> None:
    repository.commit({"a.sql": OLD})
    repository.git("mv", "a.sql", "b.sql")
    repository.write("b.sql", OTHER)
    assert sources(repository, "HEAD", "b.sql") == {"b.sql": "a.sql"}


@pytest.mark.parametrize("bound", [3, 4])
def test_more_pairs_than_are_compared(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, bound: int) -> None:
    monkeypatch.setattr("keepstate_lsp.baselines.history.file_renames._MOST_PAIRS", bound)
    repository.commit({"a.sql": OLD, "e.sql": OTHER})
    for name in ("a.sql", "e.sql"):
        (repository.folder / name).unlink()
    repository.write("b.sql", NEARLY)
    repository.write("c.sql", job(200))
    told = sources(repository, "HEAD", "b.sql")["b.sql"]
    assert told is not None
    if bound == 4:
        assert told == "a.sql"
    else:
        assert "2 files are gone and 2 are new" in told and "stage the renames" in told


NEW, GONE = st.sampled_from(["b.sql", "c.sql", "d.sql", "x/a.sql"]), st.sampled_from(["1", "2", "3"])
PAIRS = st.lists(
    st.builds(FileSimilarity, NEW, GONE, st.sampled_from([0.5, 0.6, 0.7, 1.0])), unique_by=lambda p: (p.new, p.blob)
)


@given(PAIRS)
def test_each_has_one_counterpart_at_most(pairs: list[FileSimilarity]) -> None:
    gone = {"1": ["a.sql"], "2": ["e.sql", "y/a.sql"], "3": ["f.sql"]}
    found = Succession.of(pairs, gone)
    assert len(set(found.sources.values())) == len(found.sources)
    assert not found.sources.keys() & found.rivals.keys()
    most = max((pair.value for pair in pairs), default=0.0)
    best = {pair.new for pair in pairs if pair.value == most}
    assert not best or best & {*found.sources, *found.rivals}
    for pair in pairs:
        # What went without has lost to something that is at least as much like it, or nothing is said of that text.
        if pair.new not in found.sources and pair.new not in found.rivals:
            rivals = [one for one in pairs if one.blob == pair.blob and one.value >= pair.value and one.new != pair.new]
            assert rivals
