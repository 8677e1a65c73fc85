"""Edits of declarations that no job may miss, and those that concern none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.project.scenarios import HOURLY, ORDERS, REVENUE, SINKS, SPLIT, TWO, TYPE, Check, edited, without
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main

BARE = {"d/o.sql": ORDERS, "a.sql": REVENUE}


def test_a_job_that_shows_nothing_of_flink_is_deleted(check: Check) -> None:
    """Scenario 16."""
    found = check(BARE, without(edited(BARE, "d/o.sql", *TYPE), "a.sql"))
    assert found.verdicts == {"a.sql": "deleted"}


def test_a_job_that_shows_nothing_of_flink_is_renamed(check: Check) -> None:
    after = {**without(edited(BARE, "d/o.sql", *TYPE), "a.sql"), "b.sql": REVENUE}
    assert check(BARE, after).verdicts == {"b.sql": "incompatible"}


def test_a_context_says_that_a_file_is_a_job(check: Check) -> None:
    """A catalog may declare the tables, and nothing in the file is Flink's own."""
    before = {**SPLIT, "jobs/other.sql": "INSERT INTO totals SELECT region, SUM(x) FROM sales GROUP BY region;\n"}
    found = check(before, edited(before, "jobs/other.sql", "SUM", "MAX"))
    assert found.verdicts == {"jobs/other.sql": "incompatible"}


def test_a_context_that_is_no_text(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(dict(SPLIT))
    repository.write("ddl/orders.sql", b"\xff\xfe\x00")
    repository.write("jobs/revenue.sql", REVENUE.replace("SUM", "MAX"))
    assert main(["check"]) == 2
    assert "ddl/orders.sql belongs to the context of the job and cannot be read" in capsys.readouterr().err


def test_a_link_out_of_the_repository_is_not_read(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scenario 24."""
    monkeypatch.chdir(repository.folder)
    outside = tmp_path / "orders.sql"
    outside.write_text(ORDERS)
    repository.commit(without(SPLIT, "ddl/orders.sql"))
    (repository.folder / "ddl/orders.sql").symlink_to(outside)
    assert main(["check"]) == 2
    assert "ddl/orders.sql" in capsys.readouterr().err


def test_a_table_that_is_created_with_its_query(check: Check) -> None:
    """CREATE TABLE AS runs a query, and its file is a job."""
    query = (
        "CREATE TABLE sums WITH ('connector' = 'kafka') AS\n"
        "SELECT shop, SUM(amount) AS total FROM orders GROUP BY shop;\n"
    )
    before = {"ddl/orders.sql": ORDERS, "jobs/sums.sql": query}
    found = check(before, edited(before, "ddl/orders.sql", *TYPE))
    assert {(job, file) for job, _, file, _ in found.findings} == {("jobs/sums.sql", "ddl/orders.sql")}


ALTER = "ALTER TABLE orders MODIFY amount DOUBLE;\n"


@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize("own_file", [True, False])
def test_a_declaration_that_is_altered(check: Check, configured: bool, own_file: bool) -> None:
    before = SPLIT if configured else without(SPLIT, "keepstate.toml")
    after = {**before, "ddl/z.sql": ALTER} if own_file else {**before, "ddl/orders.sql": ORDERS + ALTER}
    if own_file and not configured:
        return
    found = check(before, after)
    assert found.status == 1
    assert found.verdicts["jobs/revenue.sql"] == "incompatible"
    altering = "ddl/z.sql" if own_file else "ddl/orders.sql"
    line = 1 if own_file else ORDERS.count("\n") + 1
    assert ("jobs/revenue.sql", "only-aggregate-changed", altering, line) in found.findings


def test_a_nearer_declaration_is_no_excuse(check: Check) -> None:
    """The job may still read the declaration that changed."""
    before = without(SPLIT, "keepstate.toml")
    found = check(before, {**edited(before, "ddl/orders.sql", *TYPE), "jobs/orders.sql": ORDERS})
    assert found.verdicts["jobs/revenue.sql"] == "unknown"


def test_a_declaration_in_the_database_of_a_session(check: Check) -> None:
    """``sql-client -i init.sql -f job.sql``: the job names the table alone."""
    before = {"init.sql": f"USE CATALOG c;\nUSE d;\n{ORDERS}", "job.sql": REVENUE}
    found = check(before, edited(before, "init.sql", *TYPE))
    assert found.verdicts == {"job.sql": "unknown"}


def test_a_table_of_the_configuration_names_a_job(check: Check) -> None:
    before = {
        "q.sql": "INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k;\n",
        "keepstate.toml": '[[job]]\nfiles = ["q.sql"]\n',
    }
    found = check(before, edited(before, "q.sql", "SUM", "MAX"))
    assert found.verdicts == {"q.sql": "incompatible"}


def test_a_statement_set_that_begins_without_a_semicolon(check: Check) -> None:
    before = {
        "a.sql": ORDERS + SINKS + "EXECUTE STATEMENT SET\nBEGIN\n",
        "b.sql": REVENUE,
        "c.sql": HOURLY,
        "d.sql": "END;\n",
        "keepstate.toml": '[[job]]\nscript = ["a.sql", "b.sql", "c.sql", "d.sql"]\n',
    }
    found = check(before, edited(before, "b.sql", "SUM", "MAX"), "--engine", "flink")
    assert found.status == 1
    assert {file for _, _, file, _ in found.findings} == {"b.sql"}


def test_a_declaration_that_no_job_reads_in_doubt(check: Check) -> None:
    """Two declarations differ; a column that the job does not name is no matter of it."""
    found = check(TWO, edited(TWO, "dev/orders.sql", "  ts TIMESTAMP(3)", "  more INT,\n  ts TIMESTAMP(3)"))
    assert found.status == 0 and not found.findings


def test_a_deleted_declaration_is_no_job_that_ends(check: Check) -> None:
    alone = {"ddl/orders.sql": ORDERS, "ddl/sinks.sql": SINKS}
    found = check(alone, without(alone, "ddl/orders.sql"))
    assert "ddl/orders.sql" not in found.verdicts
    assert "ddl/orders.sql" in found.errors


@pytest.mark.parametrize("others", [{}, {"ddl/sinks.sql": SINKS}], ids=["alone", "beside-sinks"])
@pytest.mark.parametrize("paths", [[], ["a.sql"], ["."]])
def test_a_job_that_its_declaration_alone_made_one(check: Check, paths: list[str], others: dict[str, str]) -> None:
    """Without the declaration nothing of the file shows Flink, and the job reads another table or none."""
    found = check({**BARE, **others}, without({**BARE, **others}, "d/o.sql"), *paths)
    assert (found.status, found.verdicts) == (1, {"a.sql": "unknown"})


@pytest.mark.parametrize("paths", [[], ["jobs/revenue.sql"], ["jobs"]])
@pytest.mark.parametrize("files", [True, False])
def test_a_context_that_changes(check: Check, paths: list[str], files: bool) -> None:
    """No file of the job is edited, and it reads another table."""
    table = '[[job]]\nfiles = ["jobs/*.sql"]\n' if files else ""
    before = {**TWO, "keepstate.toml": f'context = ["dev/*.sql", "*.sql"]\n{table}'}
    after = {**before, "keepstate.toml": f'context = ["prod/*.sql", "*.sql"]\n{table}'}
    assert check(before, after, *paths).status == 0
    before["prod/orders.sql"] = after["prod/orders.sql"] = ORDERS.replace(*TYPE)
    found = check(before, after, *paths)
    assert (found.status, found.verdicts) == (1, {"jobs/revenue.sql": "incompatible"})


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("gone", ["a.sql", "b.sql", "c.sql"])
def test_a_part_of_a_script_of_globs_that_is_deleted(check: Check, gone: str, named: bool) -> None:
    before = {
        "0.sql": f"{ORDERS}{SINKS}EXECUTE STATEMENT SET\nBEGIN\n",
        "a.sql": REVENUE,
        "b.sql": HOURLY,
        "c.sql": "INSERT INTO revenue SELECT note, SUM(1.0) FROM orders GROUP BY note;\n",
        "z.sql": "END;\n",
        "keepstate.toml": '[[job]]\nscript = ["*.sql"]\n' + ('name = "all"\n' if named else ""),
    }
    found = check(before, without(before, gone), "--engine", "flink")
    assert found.status == 1 and found.verdicts == {"z.sql": "incompatible"}


@pytest.mark.parametrize("called", ["median", "MEDIAN", "Median"])
def test_a_function_of_a_context(check: Check, called: str) -> None:
    """The name of a function has no case, and its declaration is taken once."""
    before = {
        **SPLIT,
        "ddl/f.sql": "CREATE FUNCTION median AS 'com.acme.Median' LANGUAGE JAVA;\n",
        "jobs/revenue.sql": f"INSERT INTO revenue SELECT shop, {called}(amount) FROM orders GROUP BY shop;\n",
    }
    spelled = edited(before, "jobs/revenue.sql", "INSERT", "-- of all shops\nINSERT")
    assert check(before, spelled, "--engine", "flink").status == 0
    assert check(before, edited(before, "ddl/f.sql", "Median", "v2.Median"), "--engine", "flink").status == 1


def test_a_ledger_makes_no_job_of_a_declaration(check: Check, repository: GitRepository) -> None:
    found = check(SPLIT, edited(SPLIT, "ddl/orders.sql", *TYPE), "--engine", "flink")
    assert found.verdicts == {"jobs/revenue.sql": "incompatible"}
    assert main(["accept", "jobs/revenue.sql", "--engine", "flink", "--because", "so"]) == 0
    assert main(["check", "--engine", "flink", "--format", "json", "--output", "found.json"]) == 0
    found_again = json.loads((repository.folder / "found.json").read_text("utf-8"))
    assert [file["path"] for file in found_again["files"]] == ["jobs/revenue.sql"]
