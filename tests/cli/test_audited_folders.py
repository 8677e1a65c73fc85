"""Folders in which an audit looks for repositories: one that cannot be looked into is an error, never left out."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.cli.commands.audit.repositories import audited
from keepstate_lsp.cli.errors import CommandError, UsageError


@pytest.mark.parametrize("call", ["lstat", "scandir"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_folder_that_cannot_be_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    for name in ("first", "second"):
        (tmp_path / "organisation" / name / ".git").mkdir(parents=True)
    broken = tmp_path / "organisation" / ("second/.git" if call == "lstat" else "")

    def failing(path: Any, *arguments: Any, **options: Any) -> Any:
        if Path(path) == broken:
            raise OSError(number, os.strerror(number), path)
        return plain(path, *arguments, **options)

    plain: Callable[..., Any] = getattr(os, call)
    monkeypatch.setattr(os, call, failing)
    with pytest.raises(CommandError, match="cannot be looked at"):
        audited([str(tmp_path)], None)


def test_files_and_links_are_no_repositories(tmp_path: Path) -> None:
    (tmp_path / "a" / "objects").mkdir(parents=True)
    (tmp_path / "a" / "HEAD").mkdir()
    (tmp_path / "README.md").touch()
    (tmp_path / "b" / "objects").mkdir(parents=True)
    (tmp_path / "b" / "HEAD").write_text("ref: refs/heads/main\n")
    assert list(audited([str(tmp_path)], None).values()) == [str(tmp_path / "b")]


@pytest.mark.parametrize("name", ["", " "])
def test_a_repository_that_nothing_has_named_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    assert list(audited(["."], None).values()) == [str(tmp_path)]
    with pytest.raises(UsageError, match="is empty"):
        audited([name], None)
