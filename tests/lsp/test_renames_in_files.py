"""Renames of names that other files read: complete over all files, or refused with the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import keepstate
from editor import SECONDS, Editor, vscode
from keepstate_lsp.analysis.documents import path_of
from repositories import GitRepository
from shops import HOURLY, ORDERS, REVENUE, SINKS, at_work, shop

pytestmark = pytest.mark.asyncio

Files = Mapping[str, str | bytes]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def renamed(
    editor: Editor, repository: GitRepository, files: Files, path: str, name: str, new: str
) -> dict[str, str]:
    """The texts of the files that a rename changes, by path. ``name`` is renamed at its first place in a file."""
    uri = editor.open(repository.folder / path)
    await editor.lenses(uri)
    place = types.TextDocumentIdentifier(uri)
    at = editor.position(uri, str(files[path]).index(name))
    prepared = await asyncio.wait_for(
        editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(place, at)), SECONDS
    )
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert editor.text_at(uri, prepared.range).strip("`") == prepared.placeholder
    params = types.RenameParams(place, at, new)
    edit = await asyncio.wait_for(editor.client.text_document_rename_async(params), SECONDS)
    assert edit is not None
    found = {}
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        own = Path(path_of(change.text_document.uri) or "").relative_to(repository.folder).as_posix()
        found[own] = editor.edited(str(files[own]), change.edits)
    return found


def together(files: Mapping[str, str]) -> str:
    """The SQL of all files, declarations first."""
    ordered = sorted(files.items(), key=lambda file: ("INSERT" in file[1], file[0]))
    return "\n".join(text for path, text in ordered if path.endswith(".sql"))


VIEWS: dict[str, str | bytes] = {
    **shop("jobs/hourly.sql"),
    "ddl/paid.sql": "CREATE VIEW paid AS SELECT shop, amount FROM orders WHERE amount > 0;\n",
    "jobs/revenue.sql": REVENUE.replace("orders", "paid"),
}
SCRIPT: dict[str, str | bytes] = {
    "init.sql": ORDERS,
    "sinks.sql": SINKS,
    "run.sql": REVENUE,
    "hours.sql": HOURLY,
    "keepstate.toml": '[[job]]\nname = "a"\nscript = ["init.sql", "sinks.sql", "run.sql"]\n'
    '[[job]]\nname = "b"\nscript = ["init.sql", "sinks.sql", "hours.sql"]\n',
}
YAML: dict[str, str | bytes] = {
    **shop("jobs/hourly.sql"),
    "k8s/revenue.yaml": "sql: 'INSERT INTO revenue SELECT shop, SUM(amount) FROM orders GROUP BY shop'\n",
    "keepstate.toml": 'context = ["ddl/*.sql"]\n[[job]]\nscript = ["k8s/revenue.yaml#/sql"]\n',
}
ALL = {"ddl/orders.sql", "jobs/revenue.sql", "jobs/hourly.sql"}
CASES: dict[str, tuple[Files, str, str, str, set[str]]] = {
    "a table at its declaration": (shop(), "ddl/orders.sql", "orders (", "sales", ALL),
    "a table at its use": (shop(), "jobs/revenue.sql", "orders", "sales", ALL),
    "a table that needs backticks": (shop(), "ddl/orders.sql", "orders (", "order", ALL),
    "a table without a configuration": (shop(configuration=None), "ddl/orders.sql", "orders (", "sales", ALL),
    "a column at its declaration": (shop(), "ddl/orders.sql", "amount DEC", "paid", ALL - {"jobs/hourly.sql"}),
    "a column at its use": (shop(), "jobs/revenue.sql", "amount", "paid", ALL - {"jobs/hourly.sql"}),
    "a column that one job reads by a descriptor": (
        shop(),
        "ddl/orders.sql",
        "ts TIMESTAMP",
        "happened",
        ALL - {"jobs/revenue.sql"},
    ),
    "a view": (VIEWS, "ddl/paid.sql", "paid", "paid_orders", {"ddl/paid.sql", "jobs/revenue.sql"}),
    "a table below a view": (
        VIEWS,
        "ddl/paid.sql",
        "orders",
        "sales",
        {"ddl/orders.sql", "ddl/paid.sql", *ALL} - {"jobs/revenue.sql"},
    ),
    "a file of two scripts": (SCRIPT, "init.sql", "orders (", "sales", {"init.sql", "run.sql", "hours.sql"}),
    "a table in a script, at its use": (SCRIPT, "hours.sql", "orders,", "sales", {"init.sql", "run.sql", "hours.sql"}),
    "a table that a value of a YAML file reads": (
        YAML,
        "ddl/orders.sql",
        "orders (",
        "order",
        {"ddl/orders.sql", "jobs/hourly.sql", "k8s/revenue.yaml"},
    ),
    "a column of a view's query": (
        {**VIEWS, "jobs/revenue.sql": REVENUE},
        "ddl/orders.sql",
        "shop STRING",
        "place",
        {"ddl/orders.sql", "ddl/paid.sql", "jobs/revenue.sql", "jobs/hourly.sql"},
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_all_files_are_renamed(name: str, repository: GitRepository, cache: Path) -> None:
    """The edited files, put together, are as valid as before, and nothing stands under the old name."""
    files, path, old, new, changed = CASES[name]
    async with at_work(repository, cache, files, vscode) as editor:
        found = await renamed(editor, repository, files, path, old, new)
    assert set(found) == changed
    texts = {own: str(text) for own, text in files.items()}
    before = keepstate.validate(keepstate.JobVersion(together(texts)))
    after = keepstate.validate(keepstate.JobVersion(together({**texts, **found})))
    assert [problem.rule for problem in after.problems] == [problem.rule for problem in before.problems]


async def test_a_name_within_a_query_stays_in_its_file(repository: GitRepository, cache: Path) -> None:
    files = {**shop("jobs/hourly.sql"), "jobs/revenue.sql": REVENUE.replace("orders", "orders AS o")}
    async with at_work(repository, cache, files, vscode) as editor:
        found = await renamed(editor, repository, files, "jobs/revenue.sql", "o\nGROUP", "p")
    assert found == {"jobs/revenue.sql": REVENUE.replace("orders", "orders AS p")}


async def test_unsaved_text_of_other_documents_counts(repository: GitRepository, cache: Path) -> None:
    files = shop()
    async with at_work(repository, cache, files, vscode) as editor:
        hourly = editor.open(repository.folder / "jobs/hourly.sql")
        editor.change(hourly, f"-- new\n{HOURLY}")
        found = await renamed(
            editor, repository, {**files, "jobs/hourly.sql": f"-- new\n{HOURLY}"}, "ddl/orders.sql", "orders (", "sales"
        )
    assert found["jobs/hourly.sql"] == f"-- new\n{HOURLY.replace('TABLE orders', 'TABLE sales')}"


REFUSED: dict[str, tuple[Files, str, str, str, str]] = {
    "another file declares the name": (
        {**shop(), "ddl/sales.sql": ORDERS.replace("orders", "sales")},
        "ddl/orders.sql",
        "orders (",
        "sales",
        "sales is taken: ddl/sales.sql declares it.",
    ),
    "a reader is broken": (
        {**shop(), "jobs/broken.sql": "INSERT INTO revenue SELECT shop, ((SUM(amount) FROM orders GROUP BY shop;\n"},
        "ddl/orders.sql",
        "orders (",
        "sales",
        "jobs/broken.sql mentions orders in a statement that cannot be read.",
    ),
    "a job may read another declaration": (
        {
            **shop(configuration=None),
            "more/orders.sql": ORDERS.replace("DECIMAL(10, 2)", "INT"),
            "jobs/revenue.sql": REVENUE,
        },
        "ddl/orders.sql",
        "orders (",
        "sales",
        "may read orders of several files",
    ),
    "a column of that name is there in a reader": (
        {
            **shop("jobs/hourly.sql"),
            "jobs/revenue.sql": REVENUE.replace("FROM orders", "FROM (SELECT *, 1 AS paid FROM orders)"),
        },
        "ddl/orders.sql",
        "amount DEC",
        "paid",
        "paid",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_whole_is_refused(name: str, repository: GitRepository, cache: Path) -> None:
    files, path, old, new, says = REFUSED[name]
    async with at_work(repository, cache, files, vscode) as editor:
        with pytest.raises(JsonRpcException, match=says):
            await renamed(editor, repository, files, path, old, new)
