"""Commands about one job that spans files: its plan, its text, and what an exception of it is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import keepstate
from keepstate_lsp.cli.main import main
from repositories import GitRepository
from split_jobs import CONTEXT, DOUBLE, HOURLY, ORDERS, REVENUE, SECOND_VIEW, VIEW, script

TRACE = str(Path(__file__).parents[1] / "restore_errors" / "traces" / "flink-2.3-group-key-removed.txt")
R, DDL = "jobs/revenue.sql", "ddl/orders.sql"

SINK = "CREATE TABLE revenue (shop STRING, total DECIMAL(38, 2)) WITH ('connector' = 'blackhole');\n"


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({DDL: ORDERS, R: REVENUE})
    return repository


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    capsys.readouterr()
    assert main([*arguments]) == status
    return capsys.readouterr().out


@pytest.mark.parametrize(("configuration", "role"), [("", "assumed"), (CONTEXT, "context")])
def test_the_script_of_a_job_has_the_names_of_its_files(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], configuration: str, role: str
) -> None:
    jobs.write("keepstate.toml", configuration)
    text = said(capsys, "plan", "--script", R)
    assert text == f"-- {DDL} ({role})\n{ORDERS.strip()}\n-- {R}\n{REVENUE.strip()}\n"
    pieces = json.loads(said(capsys, "plan", "--script", R, "--format", "json"))["pieces"]
    assert [(piece["path"], piece["role"]) for piece in pieces] == [(DDL, role), (R, "script")]


@pytest.mark.parametrize("name", ["totals", "run.sql", "init.sql"])
def test_a_job_is_named_by_its_name_or_by_any_part(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    table = script("init.sql", "run.sql", name="totals")
    jobs.commit({"init.sql": ORDERS + VIEW, "views.sql": SECOND_VIEW, "run.sql": REVENUE, "keepstate.toml": table})
    text = said(capsys, "plan", "--script", name)
    assert [line for line in text.splitlines() if line.endswith(".sql")] == ["-- init.sql", "-- run.sql"]


def test_the_script_is_what_is_compared(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    """The printed text says of itself what the job says."""
    jobs.commit({"ddl/v1.sql": VIEW, "ddl/v2.sql": SECOND_VIEW, R: REVENUE.replace("orders", "v2")})
    was = said(capsys, "plan", "--script", R)
    jobs.write(DDL, DOUBLE)
    now = said(capsys, "plan", "--script", R)
    report = keepstate.analyse(keepstate.JobVersion(now), keepstate.JobVersion(was), "flink").report()
    assert report.verdict.value == "incompatible"


def test_a_script_is_of_one_job(jobs: GitRepository) -> None:
    assert main(["plan", "--script", R, "--against", "HEAD"]) == 2
    assert main(["plan", "--script", R, "--format", "dot"]) == 2
    assert main(["plan", "--script", "nothing"]) == 2


def test_a_plan_has_the_types_of_declarations_elsewhere(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "SUM(amount) DECIMAL(38,2)" in said(capsys, "plan", R, "--engine", "flink")
    jobs.write(DDL, DOUBLE)
    assert "SUM(amount) DOUBLE" in said(capsys, "plan", R, "--engine", "flink")
    both = said(capsys, "plan", R, "--against", "HEAD", "--engine", "flink", "--layout", "unified")
    assert "only-aggregate-changed: incompatible" in both


def test_an_exception_is_explained_with_declarations_elsewhere(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.write(
        "error.txt", "org.apache.flink.util.StateMigrationException: The new value serializer must be compatible"
    )
    jobs.write(DDL, DOUBLE)
    text = said(capsys, "explain-error", TRACE, "--sql", R, "--against", "HEAD", "--engine", "flink")
    assert f"{DDL}:4:3" in text


def test_a_broken_declaration_is_told_at_its_place(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/hourly.sql": HOURLY, "keepstate.toml": CONTEXT})
    jobs.write(DDL, ORDERS.replace("shop STRING,", "shop STRING,, ("))
    assert main(["plan", "jobs/hourly.sql"]) == 2
    assert f"{DDL}:3:" in capsys.readouterr().err


def test_a_job_is_validated_with_the_declarations_that_it_names(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    def validity(status: int) -> tuple[str, list[str]]:
        (file,) = json.loads(said(capsys, "validate", R, "--format", "json", status=status))["files"]
        return file["validity"], [problem["file"] for problem in file["problems"]]

    jobs.commit({DDL: ORDERS.replace("amount", "price"), "ddl/sink.sql": SINK})
    # What is only assumed refuses nothing.
    assert validity(0)[0] == "undecided"
    jobs.write("keepstate.toml", CONTEXT)
    assert validity(1) == ("invalid", [R])
    jobs.write(DDL, ORDERS)
    assert validity(0) == ("valid", [])
    jobs.write(DDL, ORDERS.replace("ts TIMESTAMP(3)", "ts STRING"))
    assert validity(1) == ("invalid", [DDL])
