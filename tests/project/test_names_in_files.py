"""Names and declarations that differ in spelling, place or kind of file between a job and what it reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.project.scenarios import Check

from keepstate_lsp.cli.main import main

SINK = "CREATE TABLE sums (shop STRING, total BIGINT) WITH ('connector' = 'blackhole');\n"
ORDERS = "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka');\n" + SINK
LONG = ORDERS.replace("amount INT", "amount BIGINT")
SUM = "INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop;\n"
CONTEXT = 'context = ["ddl/*.sql"]\n'
MADE = "CREATE TABLE paid WITH ('connector' = 'kafka') AS\nSELECT shop, amount FROM orders WHERE amount > 1;\n"
OVER_MADE = SUM.replace("orders", "paid")
LOUD, SILENT = "incompatible", ""


def verdict(check: Check, before: dict[str, str], after: dict[str, str]) -> str:
    """The verdict of the job; empty where it is silent."""
    found = check(before, after)
    told = found.verdicts.get("job.sql", "unchanged")
    return SILENT if told in ("unchanged", "compatible") else told


@pytest.mark.parametrize(
    ("declared", "read", "wanted"),
    [
        ("orders_${env}", "orders_${env}", LOUD),
        ("orders_${env}", "orders_${ env }", LOUD),
        ("orders_${ env}", "orders_${env }", LOUD),
        ("{{ db }}.orders", "{{db}}.orders", LOUD),
        ("{{ ref('orders') }}", '{{ref("orders")}}', LOUD),
        ("`${db}`.orders", "${ db }.orders", LOUD),
        ("orders_${env}", "orders_${envs}", SILENT),
        ("{{ db }}.orders", "{{ db2 }}.orders", SILENT),
        ("`my orders`", "`my orders`", LOUD),
        ("`my orders`", "`myorders`", SILENT),
        ("db1.orders", "db1.orders", LOUD),
        ("`db1`.`orders`", "db1.orders", LOUD),
        ("`db1.orders`", "`db1.orders`", LOUD),
        ("`db1.orders`", "db1.orders", SILENT),
        ("db1.orders", "`db1.orders`", SILENT),
    ],
)
def test_spellings_of_one_name(check: Check, declared: str, read: str, wanted: str) -> None:
    texts = {path: text.replace("TABLE orders", f"TABLE {declared}") for path, text in (("a", ORDERS), ("b", LONG))}
    job = SUM.replace("FROM orders", f"FROM {read}")
    before = {"ddl/tables.sql": texts["a"], "job.sql": job, "keepstate.toml": CONTEXT}
    assert verdict(check, before, {**before, "ddl/tables.sql": texts["b"]}) == wanted


@pytest.mark.parametrize("configuration", ["", 'context = ["ddl/*.sql", "made.sql"]\n'], ids=["assumed", "context"])
@pytest.mark.parametrize(
    ("path", "old", "new", "wanted"),
    [
        ("made.sql", "shop, amount", "shop, CAST(amount AS BIGINT) AS amount", LOUD),
        ("made.sql", "CREATE TABLE", "CREATE OR REPLACE TABLE", SILENT),
        ("made.sql", "> 1", "> 2", SILENT),
        ("made.sql", "CREATE", "-- what was paid\nCREATE", SILENT),
        ("ddl/tables.sql", "amount INT", "amount BIGINT", LOUD),
    ],
)
def test_a_table_that_a_query_makes(
    check: Check, configuration: str, path: str, old: str, new: str, wanted: str
) -> None:
    before = {"ddl/tables.sql": ORDERS, "made.sql": MADE, "job.sql": OVER_MADE}
    if configuration:
        before["keepstate.toml"] = configuration
    assert verdict(check, before, {**before, path: before[path].replace(old, new)}) == wanted


APART = {"ddl/tables.sql": ORDERS, "job.sql": SUM}
ONE = {"ddl/more.sql": "CREATE TABLE more (a INT) WITH ('connector' = 'kafka');\n", "job.sql": ORDERS + SUM}


@pytest.mark.parametrize("configuration", ["", CONTEXT], ids=["assumed", "context"])
@pytest.mark.parametrize(("before", "after"), [(APART, ONE), (ONE, APART)], ids=["into the job", "out of the job"])
def test_a_declaration_that_moves(
    check: Check, before: dict[str, str], after: dict[str, str], configuration: str
) -> None:
    if configuration:
        before, after = ({**files, "keepstate.toml": configuration} for files in (before, after))
    assert verdict(check, before, after) == SILENT
    edited = {path: text.replace("amount INT", "amount BIGINT") for path, text in after.items()}
    found = check(before, edited)
    (place,) = {(file, line) for job, _, file, line in found.findings if job == "job.sql"}
    assert place == (next(path for path, text in edited.items() if "TABLE orders" in text), 1)


@pytest.mark.parametrize("name", ["ddl/tables.ddl", "ddl/tables.hql", "ddl/tables", "ddl/tables.SQL.txt"])
@pytest.mark.parametrize("entry", ["{}", "ddl/*"], ids=["by name", "by a glob"])
def test_a_file_that_is_no_sql_by_its_name(check: Check, name: str, entry: str) -> None:
    files = {name: ORDERS, "job.sql": SUM, "keepstate.toml": f'context = ["{entry.format(name)}"]\n'}
    found = check(files, files)
    assert found.status == 2
    assert f"matches no SQL file: {name} is there, and names of SQL end with .sql, .fql or .flink.sql." in found.errors


def test_entries_that_are_folders_or_nothing(check: Check) -> None:
    files = {"ddl/tables.sql": ORDERS, "job.sql": SUM, "keepstate.toml": 'context = ["ddl"]\n'}
    assert "context = ddl is a folder: name its files, as in ddl/*.sql." in check(files, files).errors
    files["keepstate.toml"] = 'context = ["none/*.sql"]\n'
    assert "No file matches context = none/*.sql." in check(files, files).errors


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "names nothing: the value is empty"),
        ("# INSERT INTO sums SELECT 1", "names nothing: the value is empty"),
        ("null", "names null, not a text"),
        ("~ # later", "names null, not a text"),
        ("12", "names a number, not a text"),
        ("-1.5e3", "names a number, not a text"),
        ("true", "names a truth value, not a text"),
        ("a: b", "names a mapping, not a text"),
    ],
)
def test_a_pointer_that_hits_no_text(check: Check, value: str, words: str) -> None:
    table = '[[job]]\nscript = ["k8s/a.yaml#/args/0"]\n'
    before = {"ddl/tables.sql": ORDERS, "k8s/a.yaml": f"args:\n  - |\n    {SUM}", "keepstate.toml": CONTEXT + table}
    found = check(before, {**before, "k8s/a.yaml": f"args:\n  - {value}\n"})
    assert found.status == 2
    assert f"k8s/a.yaml#/args/0 {words}" in found.errors


def diff(folder: Path, was: str, now: str) -> int:
    for name, text in (("was.sql", was), ("now.sql", now)):
        (folder / name).write_text(text)
    return main(["diff", str(folder / "was.sql"), str(folder / "now.sql")])


def test_two_files_without_a_query_are_not_compatible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(tmp_path, ORDERS, LONG) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Nothing to compare: neither file runs a query" in shown and "Compatible" not in shown
    assert diff(tmp_path, ORDERS + SUM, LONG) == 0
    assert "Nothing to compare" not in capsys.readouterr().out
    assert diff(tmp_path, ORDERS + SUM, ORDERS + SUM) == 0
    assert "Compatible" in capsys.readouterr().out
    assert diff(tmp_path, ORDERS, ORDERS.replace("(shop", "((shop")) == 2
