"""A repository of jobs, and runs of ``check --fix`` over it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.main import main
from repositories import GitRepository

TWO = INCOMPATIBLE.replace("COUNT(*) AS orders", "MIN(amount) AS orders")
"""Two changes in one query: taken back one by one, neither makes the job compatible."""
AND_A_METRIC = PARTIAL.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE")


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("COLUMNS", "200")
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB, "README.md": "Jobs"})
    return repository


def content(jobs: GitRepository, path: str = "jobs/a.sql") -> bytes:
    return (jobs.folder / path).read_bytes()


def judged(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The document of a check, by path of the files."""
    capsys.readouterr()
    main(["check", *arguments, "--format", "json"])
    return {file["path"]: file for file in json.loads(capsys.readouterr().out)["files"]}


def fix(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The status, the output and the lines on standard error of ``check --fix``."""
    capsys.readouterr()
    status = main(["check", "--fix", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err
