"""Findings that a change adds to a job that spans files: what it began with is composed of the files there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keepstate_lsp.cli.main import main
from repositories import GitRepository
from split_jobs import CONTEXT, DOUBLE, HOURLY, LOCAL_TIME, ORDERS, REVENUE, script

R, DDL, H = "jobs/revenue.sql", "ddl/orders.sql", "jobs/hourly.sql"
NO_WINDOW = HOURLY.replace("INTERVAL '1' HOUR", "INTERVAL '2' HOUR")


def added(capsys: pytest.CaptureFixture[str], path: str) -> dict[str, bool]:
    """The rules of the findings of a job, each with whether the change on the branch adds it."""
    capsys.readouterr()
    main(["check", path, "--against", "deployed", "--new-since", "merge-base:main", "--format", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    (file,) = (file for file in document["files"] if file["path"] == path)
    return {finding["rule"]: finding["added"] for finding in file["findings"]}


@pytest.mark.parametrize("configuration", ["", CONTEXT])
def test_an_edit_of_a_declaration_before_the_branch_is_not_of_the_branch(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    configuration: str,
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({DDL: ORDERS, R: REVENUE, H: HOURLY, "keepstate.toml": configuration})
    assert main(["deployed", "mark", H]) == 0
    repository.commit({DDL: LOCAL_TIME}, "On the main line")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({H: NO_WINDOW}, "On the branch")
    found = added(capsys, H)
    assert found == {"window-time-attribute-changed": False, "window-size-changed": True}


def test_an_edit_of_a_declaration_on_the_branch_is_new(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({"init.sql": ORDERS, "run.sql": HOURLY, "keepstate.toml": script("init.sql", "run.sql")})
    assert main(["deployed", "mark", "run.sql"]) == 0
    repository.commit({"run.sql": NO_WINDOW}, "On the main line")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"init.sql": LOCAL_TIME}, "On the branch")
    found = added(capsys, "run.sql")
    assert found == {"window-time-attribute-changed": True, "window-size-changed": False}
    repository.commit({"init.sql": DOUBLE})
    assert added(capsys, "run.sql") == {"window-size-changed": False}
