"""Accepted findings of jobs that span files: an edited declaration is accepted once, for all jobs that feel it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.cli.main import main
from keepstate_lsp.config.acceptance_file import AcceptanceFile
from repositories import GitRepository
from split_jobs import CONTEXT, DOUBLE, HOURLY, LOCAL_TIME, MOST, ORDERS, REVENUE

DDL = "ddl/orders.sql"
JOBS = 50
COMMENT = "  -- keepstate: accept window-time-attribute-changed because the hour may start anew\n"


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    return repository


def sums(number: int) -> str:
    return REVENUE.replace("revenue", f"revenue_{number}")


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = main(["check", *arguments, "--engine", "flink", "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


def entries(jobs: GitRepository) -> AcceptanceFile:
    return AcceptanceFile.at(jobs.folder / "keepstate.accepted.toml")


def test_one_entry_accepts_an_edit_for_fifty_jobs(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    """Scenario 4."""
    files: dict[str, str | bytes] = {f"jobs/{number}.sql": sums(number) for number in range(JOBS)}
    jobs.commit({**files, DDL: ORDERS, "keepstate.toml": CONTEXT})
    jobs.write(DDL, DOUBLE)
    assert checked(capsys)[0] == 1
    assert main(["accept", "jobs/7.sql", "--engine", "flink", "--because", "the totals may start anew"]) == 0
    assert f"accepted in {DDL}, for all jobs" in capsys.readouterr().out
    (entry,) = entries(jobs).entries
    assert entry.file == ""
    status, document = checked(capsys)
    assert status == 0
    accepted = [finding["accepted"] for file in document["files"] for finding in file["findings"]]
    assert len(accepted) >= JOBS and all(accepted)
    # All of them at once give the same entry.
    (jobs.folder / "keepstate.accepted.toml").unlink()
    assert main(["accept", "--engine", "flink", "--because", "the totals may start anew"]) == 0
    assert len(entries(jobs).entries) == 1


@pytest.mark.parametrize("configuration", ["", CONTEXT], ids=["assumed", "context"])
def test_the_offered_command_works_for_a_finding_in_a_declaration(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], configuration: str
) -> None:
    jobs.commit({"jobs/revenue.sql": REVENUE, DDL: ORDERS, "keepstate.toml": configuration})
    jobs.write(DDL, DOUBLE)
    for path in ("jobs/revenue.sql", "ddl", "."):
        assert main(["accept", path, "--engine", "flink", "--because", "so"]) == 0
        assert checked(capsys)[0] == 0
        assert [one.file for one in entries(jobs).entries] == [""]
        (jobs.folder / "keepstate.accepted.toml").unlink()


def test_jobs_narrow_an_entry(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/0.sql": sums(0), "jobs/1.sql": sums(1), DDL: ORDERS})
    jobs.write(DDL, DOUBLE)
    assert main(["accept", "jobs/0.sql", "--engine", "flink", "--because", "so"]) == 0
    ledger = jobs.folder / "keepstate.accepted.toml"
    ledger.write_text(ledger.read_text().replace("[[accepted]]\n", '[[accepted]]\njobs = ["jobs/0.sql"]\n'))
    _, document = checked(capsys)
    found = {file["path"]: [one["accepted"] is not None for one in file["findings"]] for file in document["files"]}
    assert (found["jobs/0.sql"], found["jobs/1.sql"]) == ([True], [False])
    # Written again with another entry, it stays narrow.
    assert main(["accept", "jobs/1.sql", "--engine", "flink", "--because", "so"]) == 0
    assert sorted(entry.jobs for entry in entries(jobs).entries) == [(), ("jobs/0.sql",)]


@pytest.mark.parametrize("value", ['"jobs/0.sql"', "[]", "[1]", '[""]'])
def test_jobs_are_paths(jobs: GitRepository, capsys: pytest.CaptureFixture[str], value: str) -> None:
    jobs.commit({"jobs/0.sql": sums(0), DDL: ORDERS})
    jobs.write(DDL, DOUBLE)
    ledger = f'[[accepted]]\nrule = "r"\nchange = "k"\nbecause = "so"\njobs = {value}\n'
    jobs.write("keepstate.accepted.toml", ledger)
    assert main(["check"]) == 2
    assert "jobs must be a list of paths" in capsys.readouterr().err


def test_an_entry_is_idle_after_all_jobs_were_checked(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/0.sql": sums(0), "jobs/hourly.sql": HOURLY, DDL: ORDERS})
    jobs.git("checkout", "--quiet", "-b", "topic")
    jobs.write(DDL, DOUBLE)
    assert main(["accept", "jobs/0.sql", "--engine", "flink", "--because", "so"]) == 0
    prune = ["accept", "--prune", "--engine", "flink", "--against", "HEAD"]
    assert main([*prune, "jobs/hourly.sql"]) == 0
    assert len(entries(jobs).entries) == 1
    assert main(prune) == 0
    assert len(entries(jobs).entries) == 1
    jobs.write(DDL, ORDERS)
    assert main([*prune, "jobs/hourly.sql"]) == 0
    assert len(entries(jobs).entries) == 1
    assert main(prune) == 0
    assert not entries(jobs).entries


def test_a_comment_in_a_declaration_counts_for_all_jobs(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.commit({"jobs/revenue.sql": REVENUE, "jobs/hourly.sql": HOURLY, DDL: ORDERS})
    text = LOCAL_TIME.replace("  ts TIMESTAMP_LTZ", f"{COMMENT}  ts TIMESTAMP_LTZ")
    jobs.write(DDL, text)
    status, document = checked(capsys)
    assert status == 0, document
    found = {file["path"]: file for file in document["files"]}
    assert found["jobs/hourly.sql"]["findings"][0]["accepted"]["because"] == "the hour may start anew"
    # It is of use to one job, so it is idle in none.
    assert not any(file["idle_acceptances"] for file in document["files"])


def test_a_comment_in_a_declaration_is_idle_where_no_job_needs_it(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    jobs.commit({"jobs/revenue.sql": REVENUE, "jobs/hourly.sql": HOURLY, DDL: ORDERS})
    jobs.write("jobs/revenue.sql", MOST)
    jobs.write(DDL, ORDERS.replace("  ts TIMESTAMP", f"{COMMENT}  ts TIMESTAMP"))
    _, document = checked(capsys)
    assert [file["path"] for file in document["files"] if file["idle_acceptances"]] == [DDL]
