"""Deployed jobs that span files: a mark records all of them, and comparisons take all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.baselines.deployments import Deployment, Deployments
from keepstate_lsp.baselines.git.objects import Objects
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.cli.main import main
from repositories import GitRepository
from split_jobs import CONTEXT, DOUBLE, HOURLY, LOCAL_TIME, MOST, ORDERS, REVENUE, UNREAD_COLUMN, script

R, DDL, H = "jobs/revenue.sql", "ddl/orders.sql", "jobs/hourly.sql"


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({DDL: ORDERS, R: REVENUE, H: HOURLY})
    return repository


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int | None = None) -> dict[str, Any]:
    capsys.readouterr()
    found = main([*arguments, "--format", "json"])
    assert status is None or found == status
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def verdicts(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {file["path"]: (file["status"], file["verdict"]) for file in document["files"]}


def difference(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, str]]:
    return verdicts(told(capsys, "deployed", "diff"))


def mark_in_old_form(jobs: GitRepository, *paths: str, commit: str | None) -> None:
    """Records that know the file alone."""
    records = Deployments(Objects(GitProcess(jobs.folder)))
    found = [Deployment(path, jobs.git("rev-parse", f"HEAD:{path}"), commit, marked_at="2026-01-01") for path in paths]
    records.mark("production", found)


def test_a_mark_records_all_files(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"keepstate.toml": CONTEXT})
    assert main(["deployed", "mark", R]) == 0
    shown = told(capsys, "deployed", "show", R)
    assert shown["files"] == [
        {"path": R, "blob": jobs.git("rev-parse", f"HEAD:{R}"), "role": "script"},
        {"path": DDL, "blob": jobs.git("rev-parse", f"HEAD:{DDL}"), "role": "context"},
    ]
    assert main(["deployed", "mark", R, "--commit", "HEAD~1"]) == 0
    assert [file["role"] for file in told(capsys, "deployed", "show", R)["files"]] == ["script", "assumed"]


def test_texts_that_no_commit_has_are_kept(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write(DDL, DOUBLE)
    assert main(["deployed", "mark", R]) == 0
    jobs.write(DDL, ORDERS)
    jobs.git("gc", "--quiet", "--prune=now")
    assert verdicts(told(capsys, "check", R, "--against", "deployed", "--engine", "flink", status=1))[R] == (
        "compared",
        "incompatible",
    )


@pytest.mark.parametrize("commit", [[], ["--commit", "HEAD"]], ids=["work tree", "commit"])
def test_all_edits_since_the_mark_count_together(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], commit: list[str]
) -> None:
    """Scenario 18."""
    assert main(["deployed", "mark", R, H, *commit]) == 0
    assert difference(capsys) == {R: ("unchanged", "compatible"), H: ("unchanged", "compatible")}
    jobs.commit({DDL: LOCAL_TIME}, "B")
    assert difference(capsys) == {R: ("unchanged", "compatible"), H: ("compared", "incompatible")}
    jobs.commit({R: MOST}, "C")
    assert difference(capsys) == {R: ("compared", "incompatible"), H: ("compared", "incompatible")}
    for paths in ([], ["."], [R, H], ["jobs"]):
        document = told(capsys, "check", *paths, "--against", "deployed", status=1)
        found = {path: verdict for path, (_, verdict) in verdicts(document).items()}
        assert (found[R], found[H]) == ("incompatible", "incompatible"), paths


def test_a_mark_of_one_file_takes_the_declarations_of_its_commit(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    mark_in_old_form(jobs, R, H, commit=jobs.git("rev-parse", "HEAD"))
    jobs.commit({DDL: LOCAL_TIME})
    jobs.commit({R: MOST})
    assert difference(capsys) == {R: ("compared", "incompatible"), H: ("compared", "incompatible")}


@pytest.mark.parametrize("commit", [None, "1" * 40], ids=["none", "not here"])
def test_a_mark_of_one_file_without_its_commit_is_unknown(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], commit: str | None
) -> None:
    mark_in_old_form(jobs, R, commit=commit)
    document = told(capsys, "deployed", "diff", status=2)
    (file,) = (each for each in document["files"] if each["path"] == R)
    assert (file["status"], file["verdict"]) == ("not-compared", "unknown")
    assert "orders" in file["reason"]
    # A job that declares all that it reads needs no other file.
    jobs.commit({"jobs/whole.sql": ORDERS + REVENUE})
    mark_in_old_form(jobs, "jobs/whole.sql", commit=commit)
    jobs.commit({"jobs/whole.sql": DOUBLE + REVENUE})
    assert difference(capsys)["jobs/whole.sql"][0] == "compared"


def test_the_parts_of_a_script_are_one_mark(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"init.sql": ORDERS, "run.sql": REVENUE, "keepstate.toml": script("init.sql", "run.sql")})
    assert main(["deployed", "mark", "init.sql", "run.sql"]) == 0
    assert capsys.readouterr().out.count("deployed in production") == 1
    assert [file["path"] for file in told(capsys, "deployed", "show", "run.sql")["files"]] == ["init.sql", "run.sql"]
    jobs.commit({"init.sql": DOUBLE})
    assert difference(capsys)["run.sql"] == ("compared", "incompatible")


def test_an_edit_that_no_job_feels_is_the_same(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deployed", "mark", R]) == 0
    jobs.commit({DDL: UNREAD_COLUMN})
    assert difference(capsys)[R][1] == "compatible"


def test_the_list_sees_an_edited_declaration(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deployed", "mark", R]) == 0
    jobs.write(DDL, DOUBLE)
    capsys.readouterr()
    assert main(["deployed", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("differs")


def test_records_travel_with_all_texts(jobs: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write(DDL, DOUBLE)
    assert main(["deployed", "mark", R]) == 0
    clone = tmp_path / "clone"
    jobs.git("clone", "--quiet", "--bare", str(jobs.folder), str(clone))
    blob = jobs.git("hash-object", DDL)
    jobs.git("-C", str(clone), "fetch", "--quiet", str(jobs.folder), "refs/keepstate/*:refs/keepstate/*")
    assert jobs.git("-C", str(clone), "cat-file", "-t", blob) == "blob"
    assert main(["deployed", "unmark", R]) == 0
    assert told(capsys, "deployed", "list")["deployments"] == []
