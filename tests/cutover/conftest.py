"""A repository whose job changed in its work tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutover_changes import grouped, tumble
from planned_cutovers import job
from repositories import GitRepository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A repository with a job of windows, whose work tree has another metric."""
    made = GitRepository(tmp_path / "work")
    made.commit({"jobs/sums.sql": job(grouped(tumble(10)))})
    made.write("jobs/sums.sql", job(grouped(tumble(30))))
    monkeypatch.chdir(made.folder)
    return made
