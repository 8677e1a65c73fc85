"""An unreadable part is never new, unchanged or nothing to compare: each part of a repository, spoiled in each way."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damage import (
    ASKING,
    DEPLOYED,
    FILES,
    JOB,
    REF_WAYS,
    REFS,
    SERIOUS,
    STAGING,
    WAYS,
    answer,
    ask,
    make,
    objects,
    packed,
    place,
    to_object,
)
from repositories import GitRepository, isolated

Answers = dict[str, tuple[bool, str]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository of loose objects with nothing wrong in it."""
    with isolated(tmp_path_factory.mktemp("home")):
        yield make(tmp_path_factory.mktemp("whole") / "repository").folder


@pytest.fixture(scope="module")
def right(whole: Path) -> Answers:
    """The answers in the undamaged repository."""
    return {asking.name: ask(asking, whole) for asking in ASKING}


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "repository", symlinks=True))


def wrong(folder: Path, right: Answers) -> dict[str, str]:
    """The answers that are neither right nor missing. At least one is missing, or nothing was spoiled."""
    answers = {asking.name: ask(asking, folder) for asking in ASKING}
    found = {
        name: said
        for name, (given, said) in answers.items()
        # What the change began with may be in doubt where the comparison itself is not; then all findings count.
        if given and (given, said) != right[name] and not (name == "blame" and '"doubt": null' not in said)
    }
    if all(answer == right[name] for name, answer in answers.items()):
        found["all of them"] = "nothing was read that was spoiled"
    return found


def test_a_whole_repository_answers_all_of_them(whole: Path, right: Answers) -> None:
    assert all(given for given, _ in right.values()), right
    for name, (_, said) in right.items():
        assert "incompatible" in said or name == "baseline", name


@pytest.mark.parametrize("way", WAYS)
def test_objects(copy: Path, right: Answers, way: str) -> None:
    found = {}
    for name, identity in objects(GitRepository(copy)).items():
        if name not in SERIOUS and way not in ("missing", "of another content"):
            continue
        path = place(copy, identity)
        kept = path.read_bytes()
        WAYS[way](path, identity)
        found[name] = wrong(copy, right)
        if path.is_dir():
            path.rmdir()
        path.write_bytes(kept)
    assert not {name: answers for name, answers in found.items() if answers}


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.parametrize("way", REF_WAYS)
def test_refs(copy: Path, right: Answers, ref: str, way: str) -> None:
    REF_WAYS[way](REFS[ref])(copy)
    assert not wrong(copy, right)


@pytest.mark.parametrize("ref", REFS)
@pytest.mark.parametrize("revision", ["HEAD^{tree}", "HEAD:other.txt"])
def test_refs_to_what_is_no_commit(copy: Path, right: Answers, ref: str, revision: str) -> None:
    to_object(REFS[ref], revision)(copy)
    assert not wrong(copy, right)


@pytest.mark.parametrize("how", [*STAGING, *FILES])
def test_the_rest(copy: Path, right: Answers, how: str) -> None:
    spoil: Callable[[Path], object] = {**STAGING, **FILES}[how]
    spoil(copy)
    assert not wrong(copy, right)


# ------------------------------------------------------------------------------------------------ other storage


def spoiled_packs(folder: Path) -> dict[str, Callable[[], None]]:
    """Ways to spoil the only pack of a repository."""
    (pack,) = (folder / ".git/objects/pack").glob("*.pack")
    index = pack.with_suffix(".idx")
    for path in (pack, index):
        path.chmod(0o644)
    data = pack.read_bytes()
    zeros = data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * len(data) // 3 :]
    return {
        "no pack": pack.unlink,
        "no index": index.unlink,
        "an empty pack": lambda: _write(pack, b""),
        "half a pack": lambda: _write(pack, data[: len(data) // 2]),
        "a hole in the pack": lambda: _write(pack, zeros),
        "an empty index": lambda: _write(index, b""),
        "half an index": lambda: _write(index, index.read_bytes()[:200]),
    }


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


@pytest.mark.parametrize(
    "how",
    ["no pack", "no index", "an empty pack", "half a pack", "a hole in the pack", "an empty index", "half an index"],
)
def test_packs(copy: Path, right: Answers, how: str) -> None:
    packed(GitRepository(copy))
    assert {asking.name: ask(asking, copy) for asking in ASKING} == right
    spoiled_packs(copy)[how]()
    assert not wrong(copy, right)


@pytest.mark.parametrize("how", ["empty", "half", "without the branch"])
def test_packed_refs(copy: Path, right: Answers, how: str) -> None:
    packed(GitRepository(copy))
    path = copy / ".git/packed-refs"
    lines = path.read_text().splitlines(keepends=True)
    if how == "empty":
        path.write_text("")
    elif how == "half":
        path.write_text("".join(lines)[: len("".join(lines)) // 2])
    else:
        path.write_text("".join(line for line in lines if "refs/heads/topic" not in line))
    assert not wrong(copy, right)


def test_an_alternate_that_went(copy: Path, tmp_path: Path, right: Answers) -> None:
    """The objects of a clone that borrowed them."""
    whole = tmp_path / "lender"
    shutil.copytree(copy / ".git/objects", whole / "objects")
    shutil.rmtree(copy / ".git/objects")
    (copy / ".git/objects/info").mkdir(parents=True)
    (copy / ".git/objects/info/alternates").write_text(f"{whole / 'objects'}\n")
    assert {asking.name: ask(asking, copy) for asking in ASKING} == right
    whole.rename(tmp_path / "gone")
    found = {asking.name: ask(asking, copy) for asking in ASKING}
    assert not [name for name, (given, _) in found.items() if given]


def test_a_stale_alternate_hinders_nothing(copy: Path, right: Answers) -> None:
    """Everything that is asked for is there, wherever else git would have looked."""
    (copy / ".git/objects/info").mkdir(exist_ok=True)
    (copy / ".git/objects/info/alternates").write_text("/no/such/folder\n")
    assert {asking.name: ask(asking, copy) for asking in ASKING} == right


def test_a_branch_without_commits_is_no_damage(copy: Path) -> None:
    """HEAD is unborn where its ref does not exist, also beside other branches."""
    repository = GitRepository(copy)
    repository.git("checkout", "--quiet", "--orphan", "fresh")
    answers = {asking.name: ask(asking, copy) for asking in ASKING}
    assert answers["check"] == answers["staged"] and answers["check"][0]
    assert answers["named"][0] and '"new"' in answers["named"][1]
    assert answers["editor"] == (True, "The repository has no commit yet on its branch fresh.")
    # Other branches have commits, of which this one has none.
    assert not any(answers[name][0] for name in ("merge base", "tag", "current", "history", "baseline"))
    assert "incompatible" in answers["deployed"][1]


@pytest.mark.parametrize("way", WAYS)
def test_the_commit_before_a_push(copy: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit of the branch before the push, from a CI system, and the default branch that holds the commit of the
    build.
    """
    repository = GitRepository(copy)
    repository.git("update-ref", "-d", DEPLOYED)
    repository.git("remote", "add", "origin", "https://git.example.com/jobs")
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    before = repository.git("rev-parse", "HEAD~1")
    for name, value in {"CI": "true", "KEEPSTATE_BEFORE": before}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(copy)
    for words in (("check",), ("check", "--staged"), ("check", JOB)):
        assert answer(*words)[0] == 1
    for identity in (before, repository.git("rev-parse", "HEAD")):
        path = place(copy, identity)
        kept = path.read_bytes()
        WAYS[way](path, identity)
        assert [answer(*words)[0] for words in (("check",), ("check", "--staged"), ("check", JOB))] == [2, 2, 2]
        if path.is_dir():
            path.rmdir()
        path.write_bytes(kept)
