"""A name that stands for two commits, for the file itself or for nothing is refused: each would be green for a text
that was never compared with the one that is meant.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate_lsp.cli.main import main
from repositories import GitRepository


@pytest.fixture
def shop(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A repository of two commits, of which the second one loses state."""
    repository.commit({"a.sql": JOB})
    repository.commit({"a.sql": INCOMPATIBLE})
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.mark.parametrize("against", ["twice", "merge-base:twice", "twice~0", "twice^{commit}"])
@pytest.mark.parametrize("other", ["refs/heads/twice", "refs/remotes/twice"])
def test_a_name_of_two_commits_is_refused(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], against: str, other: str
) -> None:
    """git takes the tag in silence, and the text is that of the tag."""
    shop.git("update-ref", "refs/tags/twice", "HEAD")
    shop.git("update-ref", other, "HEAD~1")
    assert main(["check", "--against", against]) == 2
    said = capsys.readouterr().err
    assert "twice stands for refs/tags/twice (" in said and f"{other} (" in said
    assert "To mend" not in said
    assert main(["check", "--against", against.replace("twice", other)]) == 1
    assert main(["check", "--against", against.replace("twice", "refs/tags/twice")]) == 0


def test_a_branch_of_a_remote_that_a_tag_hides(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.git("remote", "add", "origin", "/nowhere")
    shop.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert main(["check"]) == 1
    shop.git("update-ref", "refs/tags/origin/main", "HEAD")
    assert main(["check"]) == 2
    assert "origin/main stands for" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["deployed", "mark", "a.sql", "--commit", "twice"], ["check", "--current", "twice", "--against", "HEAD"]]
)
def test_a_name_of_two_commits_is_refused_as_what_is_current_too(shop: GitRepository, words: list[str]) -> None:
    shop.git("update-ref", "refs/tags/twice", "HEAD")
    shop.git("update-ref", "refs/heads/twice", "HEAD~1")
    assert main(words) == 2


def test_a_name_of_one_commit_is_taken_twice_too(shop: GitRepository) -> None:
    shop.git("update-ref", "refs/tags/twice", "HEAD~1")
    shop.git("update-ref", "refs/heads/twice", "HEAD~1")
    assert main(["check", "--against", "twice"]) == 1


@pytest.mark.parametrize("path", ["a.sql", "./b/../a.sql", "link.sql", "hard.sql"])
def test_a_file_is_never_its_own_baseline(shop: GitRepository, capsys: pytest.CaptureFixture[str], path: str) -> None:
    (shop.folder / "b").mkdir()
    (shop.folder / "link.sql").symlink_to("a.sql")
    os.link(shop.folder / "a.sql", shop.folder / "hard.sql")
    assert main(["check", "a.sql", "--against", f"file:{path}"]) == 2
    assert "is the file that it would be compared with" in capsys.readouterr().err
    # What is staged and what was committed are other texts than the one on disk.
    shop.write("a.sql", JOB)
    assert main(["check", "a.sql", "--staged", "--against", f"file:{path}"]) == 1


def test_a_copy_of_a_file_is_another_one(shop: GitRepository, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sql"
    copy.write_text(INCOMPATIBLE, "utf-8")
    assert main(["check", "a.sql", "--against", f"file:{copy}"]) == 0


ENGINE = ("--engine", "--engine-version")
BOTH = (*ENGINE, "--baseline-engine-version")
OPTIONS = {
    ("check",): BOTH,
    ("diff", "a.sql", "a.sql"): BOTH,
    ("accept", "--because", "x"): (*BOTH, "--by"),
    ("deployed", "diff"): BOTH,
    ("deployed", "mark", "a.sql"): ("--engine-version", "--savepoint", "--by", "--commit"),
    ("history", "a.sql"): ENGINE,
    ("validate", "a.sql"): ENGINE,
    ("plan", "a.sql"): ENGINE,
    ("explain", "limit-changed"): ENGINE,
    ("run", "a.sql"): ENGINE,
    ("replay", "a.sql"): BOTH,
    ("verify", "a.sql"): (*BOTH, "--flink"),
    ("audit", ".", "--output", "audited"): ENGINE,
}


@pytest.mark.parametrize("value", ["", " "], ids=["empty", "blank"])
@pytest.mark.parametrize(
    ("words", "option"), [(words, option) for words, options in OPTIONS.items() for option in options]
)
def test_a_variable_that_nothing_has_set_is_no_default(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], option: str, value: str
) -> None:
    """As in ``--engine-version "$VERSION"``."""
    assert main([*words, option, value]) == 2
    assert "it is empty" in capsys.readouterr().err
    assert not (shop.folder / "audited").exists()


WITH_OUTPUT = (
    ("check",),
    ("diff", "a.sql", "a.sql"),
    ("plan", "a.sql"),
    ("parse", "a.sql"),
    ("baseline", "a.sql"),
    ("history", "a.sql"),
    ("deployed", "diff"),
    ("explain-error", "a.sql"),
    ("init",),
    ("rules",),
    ("run", "a.sql"),
    ("replay", "a.sql"),
    ("audit", "."),
)


@pytest.mark.parametrize("value", ["", " "], ids=["empty", "blank"])
@pytest.mark.parametrize("words", WITH_OUTPUT, ids=" ".join)
def test_an_output_that_nothing_has_set_is_not_the_current_folder(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], value: str
) -> None:
    """As in ``--output "$RESULTS"``."""
    assert main([*words, "--output", value]) == 2
    assert "it is empty" in capsys.readouterr().err


def test_an_environment_that_nothing_has_set_is_not_production(
    shop: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deployed", "mark", "a.sql"]) == 0
    for words in (["diff", ""], ["list", ""], ["diff", "--environment", ""]):
        assert main(["deployed", *words]) == 2


@pytest.mark.parametrize("words", [["check"], ["accept", "--because", "x"], ["check", "a.sql"]])
def test_a_path_that_nothing_has_set_is_not_the_folder(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main([*words, ""]) == 2
    assert "it is empty" in capsys.readouterr().err
