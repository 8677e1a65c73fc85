"""The file of a finding about a part of a job: where the part is gone, or where another one was chosen."""

from __future__ import annotations

from typing import Any

import pytest
from tests.project.scenarios import Check, Checked

ORDERS = "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka');\n"
SINKS = "".join(
    f"CREATE TABLE {name} (shop STRING, total BIGINT) WITH ('connector' = 'blackhole');\n" for name in ("sums", "tops")
)
SUM = "INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop;\n"
TOP = "INSERT INTO tops SELECT shop, MAX(amount) FROM orders GROUP BY shop;\n"
LONG = ORDERS.replace("amount INT", "amount BIGINT")


def findings(found: Checked) -> list[dict[str, Any]]:
    return [one for file in found.document["files"] for one in file["findings"]]


SCRIPT = {
    "init.sql": ORDERS + SINKS,
    "a.sql": SUM,
    "b.sql": TOP,
    "keepstate.toml": '[[job]]\nname = "r"\nscript = ["init.sql", "a.sql", "b.sql"]\n',
}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(
    ("path", "left", "line"),
    [
        ("a.sql", "-- none\n", 1),
        ("b.sql", "-- none\n", 1),
        ("b.sql", "", 1),
        ("b.sql", "\nCREATE VIEW v AS SELECT shop FROM orders;\n", 2),
    ],
)
def test_a_removed_insert_stands_at_the_file_that_had_it(
    check: Check, engine: str, path: str, left: str, line: int
) -> None:
    found = check(SCRIPT, {**SCRIPT, path: left}, "--engine", engine)
    (one,) = [one for one in findings(found) if one["rule"] == "pipeline-removed"]
    if left:
        assert (one["file"], one["range"]["start"]["line"] + 1) == (path, line)


def test_a_use_stands_at_the_file_that_had_it(check: Check) -> None:
    both = {
        f"ddl/{name}.sql": (text + SINKS).replace("TABLE ", f"TABLE c.{name}.")
        for name, text in (("d1", ORDERS), ("d2", LONG))
    }
    before = {
        **both,
        "init.sql": "USE CATALOG c;\nUSE d1;\n",
        "run.sql": SUM,
        "keepstate.toml": '[[job]]\nname = "r"\ncontext = ["ddl/*.sql"]\nscript = ["init.sql", "run.sql"]\n',
    }
    found = check(before, {**before, "init.sql": "USE CATALOG c;\nUSE d2;\n"})
    assert found.status == 1
    assert {one["file"] for one in findings(found) if one["rule"] == "surroundings-changed"} == {"init.sql"}


CHOICE = {"dev/orders.sql": ORDERS + SINKS, "prod/orders.sql": LONG + SINKS, "job.sql": SUM}


def context(folder: str) -> dict[str, str]:
    return {**CHOICE, "keepstate.toml": f'context = ["{folder}/*.sql"]\n'}


def test_another_choice_of_the_configuration_edits_no_declaration(check: Check) -> None:
    found = check(context("dev"), context("prod"))
    (one,) = findings(found)
    assert one["rule"] == "only-aggregate-changed" and not one["fixes"]
    words = "prod/orders.sql is read in the place of dev/orders.sql since keepstate.toml names it"
    assert words in one["message"]


def test_an_edit_or_a_move_of_the_chosen_declaration_has_its_fix(check: Check) -> None:
    edited = {**context("dev"), "dev/orders.sql": LONG + SINKS}
    (one,) = findings(check(context("dev"), edited))
    assert [fix["title"] for fix in one["fixes"]] and "in the place of" not in str(one)
    moved = {**context("test"), "test/orders.sql": LONG + SINKS}
    del moved["dev/orders.sql"], moved["prod/orders.sql"]
    before = context("dev")
    del before["prod/orders.sql"]
    (one,) = findings(check(before, moved))
    assert [fix["title"] for fix in one["fixes"]] and "in the place of" not in str(one)


VIEWS = {
    "ddl/orders.sql": ORDERS + SINKS,
    "views/v.sql": "CREATE VIEW v AS SELECT shop, amount FROM orders;\n",
    "views/unread.sql": "CREATE VIEW w AS SELECT shop FROM orders;\n",
    "job.sql": SUM.replace("FROM orders", "FROM v"),
}


@pytest.mark.parametrize("named", ["views/v.sql", "views", "ddl"])
def test_a_named_file_that_only_declares_says_who_reads_it(check: Check, named: str) -> None:
    found = check(VIEWS, VIEWS, named)
    assert found.status == 0
    assert "Its tables are read by 1 job: job.sql." in found.errors
    assert "There is no Flink SQL" not in found.errors


def test_a_named_folder_without_sql_is_said(check: Check) -> None:
    files = {**VIEWS, "notes/a.sql": "SELECT 1 FROM dual;\n"}
    found = check(files, files, "notes")
    assert found.status == 2 and "There is no Flink SQL in notes." in found.errors
