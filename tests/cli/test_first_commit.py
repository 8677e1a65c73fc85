"""A branch without commits: all of its files are new, which is no reason to leave them out."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from jobs import BROKEN, JOB, NOT_FLINK, UNREAD
from keepstate_lsp.cli.main import main
from repositories import GitRepository

OPEN_QUOTE = JOB.replace("'orders'", "'orders")
ANSWERS = {
    "valid": ({"jobs/a.sql": JOB}, 0, {"jobs/a.sql": "new"}),
    "broken": ({"jobs/a.sql": BROKEN}, 2, {"jobs/a.sql": "not-valid"}),
    "an open quote": ({"a.sql": OPEN_QUOTE}, 2, {"a.sql": "not-valid"}),
    "a template": ({"a.sql": UNREAD}, 2, {"a.sql": "not-compared"}),
    "one of two": ({"a.sql": JOB, "b.sql": BROKEN}, 2, {"a.sql": "new", "b.sql": "not-valid"}),
    "no Flink SQL": ({"a.sql": NOT_FLINK}, 0, {}),
    "nothing": ({}, 0, {}),
}


def unborn(repository: GitRepository) -> None:
    """Leave the repository as ``git init`` made it."""


def orphan(repository: GitRepository) -> None:
    repository.commit({"old.sql": JOB})
    repository.git("checkout", "--quiet", "--orphan", "fresh")
    repository.git("rm", "--quiet", "-r", "--force", ".")


@pytest.mark.parametrize("branch", [unborn, orphan], ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(
    "words", [(), ("--staged",), ("--against", "HEAD"), ("--staged", "--engine", "flink")], ids=str
)
def test_files_before_the_first_commit(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    branch: Callable[[GitRepository], None], name: str, words: tuple[str, ...],
) -> None:  # fmt: skip
    texts, status, files = ANSWERS[name]
    branch(repository)
    for path, text in texts.items():
        repository.write(path, text)
    repository.git("add", "--all")
    monkeypatch.chdir(repository.folder)
    capsys.readouterr()
    assert main(["check", *words, "--format", "json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert {file["path"]: file["status"] for file in document["files"]} == files


def test_the_index_is_not_the_work_tree(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Staged files count for ``--staged``, files on disk for all others; ignored files count for neither."""
    repository.write(".gitignore", "ignored.sql\n")
    repository.write("ignored.sql", BROKEN)
    repository.write("a.sql", BROKEN)
    repository.git("add", "--all")
    repository.write("a.sql", JOB)
    repository.write("untracked.sql", JOB)
    monkeypatch.chdir(repository.folder)
    for words, status, count in (((), 0, 2), (("--staged",), 2, 1)):
        capsys.readouterr()
        assert main(["check", *words, "--format", "json"]) == status
        assert len(json.loads(capsys.readouterr().out)["files"]) == count
