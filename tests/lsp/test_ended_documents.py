"""Documents that were jobs: what made them Flink SQL is gone, and the editor says what the command line says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor import editing, vscode
from repositories import GitRepository
from test_same_as_the_command_line import SERVER, check, reported

pytestmark = pytest.mark.asyncio
TABLES = """\
CREATE TABLE orders (id INT, amount INT) WITH ('connector' = 'kafka');
CREATE TABLE totals (id INT, amount INT) WITH ('connector' = 'blackhole');
"""
QUERY = "INSERT INTO totals SELECT id, MAX(amount) FROM orders GROUP BY id;\n"
JOB = "jobs/totals.sql"
ENDED = {"zero bytes": "", "blank": " \n", "comments": "-- gone\n/* too */\n", "separators": ";;\n", "tables": TABLES}
LOST = {
    "in the same file": ({JOB: TABLES + QUERY}, {}),
    "in another file": ({JOB: QUERY, "jobs/tables.sql": TABLES}, {"jobs/tables.sql": "-- gone\n"}),
    "with its file": ({JOB: QUERY, "jobs/tables.sql": TABLES}, {"jobs/tables.sql": None}),
    "renamed": ({JOB: QUERY, "jobs/tables.sql": TABLES}, {"jobs/tables.sql": TABLES.replace("orders", "others")}),
}
"""Places of the only declaration: the files before, and what became of the others."""


@pytest.mark.parametrize("create", ["CREATE TABLE", "CREATE TEMPORARY TABLE"])
async def test_a_document_that_holds_no_job_any_more(repository: GitRepository, tmp_path: Path, create: str) -> None:
    paths = {how: f"jobs/{number}.sql" for number, how in enumerate(ENDED)}
    repository.commit(dict.fromkeys(paths.values(), (TABLES + QUERY).replace("CREATE TABLE", create)))
    for how, path in paths.items():
        repository.write(path, ENDED[how].replace("CREATE TABLE", create))
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        for how, path in paths.items():
            uri = editor.open(repository.folder / path)
            (file,) = (await reported(editor, uri))["files"]
            assert (file["status"], file["findings"]) == ("deleted", []), how
            assert "The file holds no job any more" in file["reason"]
            (found,) = await editor.pulled(uri)
            gone = "INSERT INTO totals" if how == "tables" else "all statements"
            assert found.message == f"{gone} removed: the file holds no job any more", how


@pytest.mark.parametrize("how", LOST)
async def test_a_query_whose_only_declaration_is_gone(repository: GitRepository, tmp_path: Path, how: str) -> None:
    before, others = LOST[how]
    repository.commit(dict(before))
    for path, text in others.items():
        if text is None:
            (repository.folder / path).unlink()
        else:
            repository.write(path, text)
    repository.write(JOB, QUERY)
    (expected,) = json.loads(check(repository.folder, "check", JOB, "--format", "json"))["files"]
    assert [finding["rule"] for finding in expected["findings"]] == ["source-declaration-moved"]
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / JOB)
        (file,) = (await reported(editor, uri))["files"]
        (shown,) = await editor.pulled(uri)
    assert (file["status"], file["verdict"]) == (expected["status"], expected["verdict"])
    messages = [finding["message"] for finding in expected["findings"]]
    assert [finding["message"] for finding in file["findings"]] == messages == [shown.message.replace("→", "->")]


async def test_sql_that_never_was_a_job_stays_silent(repository: GitRepository, tmp_path: Path) -> None:
    other = "SELECT id FROM customers WHERE id > 1;\n"
    repository.commit({"reports/other.sql": other, JOB: TABLES + QUERY})
    repository.write("reports/other.sql", other.replace("1", "2"))
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        assert await editor.pulled(editor.open(repository.folder / "reports/other.sql")) == []
