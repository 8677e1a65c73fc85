"""The folder of a plan in the repository of its job: its scripts are no jobs."""

from __future__ import annotations

import json

import pytest

from cutover_changes import grouped, tumble
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.main import main
from keepstate_lsp.jobs.listing import job_files
from planned_cutovers import job
from repositories import GitRepository


def test_the_scripts_of_a_plan_are_no_jobs(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    """They declare the tables of the job once more, and would be new jobs beside it."""
    main(["cutover", "jobs/sums.sql", "--output", "plan"])
    repository.write("other/new.sql", job(grouped(tumble(10))))
    capsys.readouterr()
    main(["check", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert {file["path"] for file in document["files"]} == {"jobs/sums.sql", "other/new.sql"}
    assert [notice["message"] for notice in document["notices"]] == ["The plan of a cutover: new.sql is no job."]
    # Committed, in a folder or by a glob it is the same; a file that is named is checked.
    repository.commit({"jobs/sums.sql": job(grouped(tumble(30)))})
    repository.write("plan/new.sql", (repository.folder / "plan/new.sql").read_text().replace("SUM(", "MAX("))
    assert main(["check", "--quiet"]) == 0
    main(["check", "**/*.sql", "--format", "json"])
    checked = {file["path"] for file in json.loads(capsys.readouterr().out)["files"]}
    assert checked == {"jobs/sums.sql", "other/new.sql"}
    assert main(["check", "plan/new.sql"]) == 1
    with BaselineReader() as reader:
        found = {path.relative_to(repository.folder).as_posix() for path in job_files([repository.folder], reader)}
    assert found == {"jobs/sums.sql", "other/new.sql"}


def test_a_script_without_its_plan_is_a_job(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    main(["cutover", "jobs/sums.sql", "--output", "plan"])
    repository.commit({"plan/notes.txt": "All files of the plan"})
    (repository.folder / "plan" / "PLAN.md").unlink()
    capsys.readouterr()
    main(["check", "plan", "--format", "json"])
    assert {file["path"] for file in json.loads(capsys.readouterr().out)["files"]} == {"plan/new.sql"}
