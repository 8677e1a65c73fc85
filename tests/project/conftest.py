"""Checks of repositories with jobs of several files."""

from __future__ import annotations

import json

import pytest
from tests.project.scenarios import Check, Checked
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main


@pytest.fixture
def check(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs a check of ``after`` in a repository with a commit of ``before``."""
    monkeypatch.chdir(repository.folder)

    def run(before: dict[str, str], after: dict[str, str], *arguments: str) -> Checked:
        for path in repository.git("ls-files").splitlines():
            if path not in before:
                (repository.folder / path).unlink(missing_ok=True)
        repository.commit(before)
        for path in before.keys() - after.keys():
            (repository.folder / path).unlink()
        for path, text in after.items():
            if before.get(path) != text:
                repository.write(path, text)
        return again(*arguments)

    def again(*arguments: str) -> Checked:
        capsys.readouterr()
        status = main(["check", *arguments, "--format", "json"])
        captured = capsys.readouterr()
        return Checked(status, json.loads(captured.out), captured.err)

    return run
