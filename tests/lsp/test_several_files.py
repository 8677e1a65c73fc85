"""Jobs whose tables other files declare, in a real server with the real analyzer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol import types

from files_of_a_job import FLAT, ONLY, Found, found, opened, until
from keepstate_lsp.analysis.documents import path_of
from repositories import GitRepository
from shops import ORDERS, REVENUE, TYPE, at_work, shop

pytestmark = pytest.mark.asyncio

Edit = tuple[str, str]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@dataclass(frozen=True)
class Scenario:
    """Edits of committed files in open documents, and the diagnostics that all files have then."""

    edits: Mapping[str, Sequence[Edit]]
    found: Mapping[str, Found]
    """Of files with diagnostics; all others have none."""
    files: Mapping[str, str | bytes] = field(default_factory=shop)
    opened: tuple[str, ...] = ("jobs/revenue.sql",)
    lenses: Mapping[str, list[str]] = field(default_factory=dict)
    """The words of lenses, each by a part of them."""


ALONE = shop("jobs/revenue.sql", "jobs/hourly.sql", configuration=None)
CHAIN = {
    "ddl/v1.sql": "CREATE VIEW v1 AS SELECT shop, amount AS paid FROM orders;\n",
    "ddl/v2.sql": "CREATE VIEW v2 AS SELECT shop, paid FROM v1;\n",
    "jobs/revenue.sql": REVENUE.replace("amount", "paid").replace("orders", "v2"),
}
LIKE = {
    "ddl/more.sql": "CREATE TABLE more_orders WITH ('topic' = 'more') LIKE orders;\n",
    "jobs/revenue.sql": REVENUE.replace("orders", "more_orders"),
}
APART = {
    "dev/orders.sql": ORDERS,
    "prod/orders.sql": ORDERS.replace("DECIMAL(10, 2)", "DECIMAL(12, 2)"),
    "ddl/sinks.sql": shop()["ddl/sinks.sql"],
    "jobs/revenue.sql": REVENUE,
}
CHANGED = {"ddl/orders.sql": [(ONLY, "amount DOUBLE")], "jobs/revenue.sql": [(ONLY, "orders")]}
SCENARIOS = {
    "01-the-type-of-a-summed-column": Scenario(
        {"ddl/orders.sql": [TYPE]},
        CHANGED,
        lenses={
            "ddl/orders.sql": ["read by 2 jobs: 1 incompatible, 1 compatible"],
            "jobs/revenue.sql": ["with ddl/orders.sql, ddl/sinks.sql"],
        },
    ),
    "02-a-column-that-no-query-reads": Scenario(
        {"ddl/orders.sql": [("note STRING,", "remark STRING, more BIGINT,")]},
        {},
        lenses={"ddl/orders.sql": ["read by 2 jobs: 2 compatible"]},
    ),
    "03-the-time-column": Scenario(
        {"ddl/orders.sql": [("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")]},
        {
            "ddl/orders.sql": [("window-time-attribute-changed", "ts TIMESTAMP_LTZ(3)")],
            "jobs/hourly.sql": [("window-time-attribute-changed", "orders")],
        },
        opened=("jobs/revenue.sql", "jobs/hourly.sql"),
    ),
    "03-the-watermark": Scenario({"ddl/orders.sql": [("'5' SECOND", "'30' SECOND")]}, {}),
    "05-no-configuration": Scenario(
        {"orders.sql": [TYPE]},
        {"orders.sql": [(ONLY, "amount DOUBLE")], "revenue.sql": [(ONLY, "orders")]},
        files=FLAT,
        opened=("revenue.sql",),
        lenses={"revenue.sql": ["assumed: orders from orders.sql"], "orders.sql": ["read by 1 job: 1 incompatible"]},
    ),
    "06-a-query-that-shows-nothing-of-flink": Scenario(
        {"jobs/revenue.sql": [("SUM(amount)", "COUNT(*)")]},
        {"jobs/revenue.sql": [("all-aggregates-replaced", "COUNT(*)")]},
        files=ALONE,
        opened=("ddl/orders.sql",),
    ),
    "07-two-declarations-that-differ": Scenario(
        {"dev/orders.sql": [TYPE]},
        {
            "dev/orders.sql": [("ambiguous-declaration", "amount DOUBLE")],
            "jobs/revenue.sql": [("ambiguous-declaration", "orders")],
        },
        files=APART,
    ),
    "07-the-configuration-names-the-other-one": Scenario(
        {"dev/orders.sql": [TYPE]},
        {},
        files={**APART, "keepstate.toml": 'context = ["prod/*.sql", "ddl/*.sql"]\n'},
    ),
    "11-a-chain-of-views": Scenario(
        {"ddl/orders.sql": [TYPE]},
        {
            "ddl/orders.sql": [(ONLY, "amount DOUBLE")],
            "jobs/revenue.sql": [(ONLY, "v2")],
        },
        files={**shop("jobs/revenue.sql"), **CHAIN},
    ),
    "11-like-across-files": Scenario(
        {"ddl/orders.sql": [TYPE]},
        {
            "ddl/orders.sql": [(ONLY, "amount DOUBLE")],
            "jobs/revenue.sql": [(ONLY, "more_orders")],
        },
        files={**shop("jobs/revenue.sql"), **LIKE},
    ),
    "19-edits-of-both-files": Scenario(
        {"ddl/orders.sql": [TYPE], "jobs/revenue.sql": [("GROUP BY shop", "GROUP BY shop, note")]},
        {
            "ddl/orders.sql": [(ONLY, "amount DOUBLE")],
            "jobs/revenue.sql": [("group-key-added", "note"), (ONLY, "orders")],
        },
    ),
}


class TestScenarios:
    @pytest.mark.parametrize("name", SCENARIOS)
    async def test_after_an_edit_and_after_its_undo(self, name: str, repository: GitRepository, cache: Path) -> None:
        scenario = SCENARIOS[name]
        async with at_work(repository, cache, scenario.files) as editor:
            paths = dict.fromkeys((*scenario.opened, *scenario.edits))
            uris = dict(zip(paths, await opened(editor, repository, *paths), strict=True))
            texts = {path: str(scenario.files[path]) for path in scenario.edits}
            for path, edits in scenario.edits.items():
                for old, new in edits:
                    editor.replace(uris[path], old, new)
                    texts[path] = texts[path].replace(old, new)

            def differing() -> dict[str, tuple[Found, Found]]:
                all_files = [path for path in scenario.files if path.endswith(".sql")]
                pairs = {
                    path: (found(editor, repository, path, texts), scenario.found.get(path, [])) for path in all_files
                }
                return {path: (has, wants) for path, (has, wants) in pairs.items() if has != wants}

            await until(lambda: not differing(), editor, differing)
            await editor.command("keepstate.report", {"show": False})
            assert not differing()
            for path, words in scenario.lenses.items():
                titles = [lens.command.title for lens in await editor.lenses(uris[path]) if lens.command]
                assert titles and all(any(part in title for title in titles) for part in words), titles

            heard = len(editor.published)
            for path, edits in scenario.edits.items():
                for old, new in edits:
                    editor.replace(uris[path], new, old)
                    texts[path] = texts[path].replace(new, old)
            calm = {path_of(params.uri) for params in editor.published[heard:]}
            await until(
                lambda: (
                    not any(found(editor, repository, path, texts) for path in scenario.files if path[-4:] == ".sql")
                ),
                editor,
                lambda: (calm, editor.published[heard:]),
            )


class TestManyJobs:
    async def test_one_clause_has_one_diagnostic_with_all_its_jobs(
        self, repository: GitRepository, cache: Path
    ) -> None:
        jobs: dict[str, str | bytes] = {f"jobs/job{number:02}.sql": REVENUE for number in range(50)}
        async with at_work(repository, cache, {**shop("jobs/revenue.sql"), **jobs}) as editor:
            (orders,) = await opened(editor, repository, "ddl/orders.sql")
            await editor.command("keepstate.report", {"show": False})
            editor.replace(orders, *TYPE)
            (one,) = await editor.pushed_until(orders, lambda found: bool(found) and len(_data(found[0])["jobs"]) == 51)
            assert one.severity is types.DiagnosticSeverity.Error and one.message.endswith("(in 51 jobs)")
            related = [path_of(each.location.uri) for each in one.related_information or ()]
            assert related[1:] == [str(repository.folder / f"jobs/job{number:02}.sql") for number in range(5)]
            assert len(related) == 6, "the baseline of the clause, and five jobs"
            (lens,) = await editor.lenses(orders)
            assert lens.command is not None and lens.command.title == "read by 51 jobs: 51 incompatible"

    async def test_a_file_that_declares_a_view_is_no_job(self, repository: GitRepository, cache: Path) -> None:
        view = {"ddl/paid.sql": "CREATE VIEW paid AS SELECT shop, amount FROM orders;\n"}
        files = {**shop(), **view, "jobs/paid.sql": REVENUE.replace("orders", "paid")}
        async with at_work(repository, cache, files) as editor:
            (orders,) = await opened(editor, repository, "ddl/orders.sql")
            assert (await editor.command("keepstate.report", {"show": False}))["summary"] == "3 jobs: 3 compatible"
            editor.replace(orders, *TYPE)
            await editor.pushed_until(orders, lambda found: bool(found) and len(_data(found[0])["jobs"]) == 2)
            shown = await editor.command("keepstate.report", {"show": False})
            assert shown["summary"] == "3 jobs: 2 incompatible, 1 compatible"
            (lens,) = await editor.lenses(orders)
            assert lens.command is not None
            assert lens.command.title == "read by 3 jobs: 2 incompatible, 1 compatible"

    async def test_the_open_job_comes_before_all_others(self, repository: GitRepository, cache: Path) -> None:
        jobs: dict[str, str | bytes] = {f"jobs/a{number:02}.sql": REVENUE for number in range(20)}
        async with at_work(repository, cache, {**shop("jobs/revenue.sql"), **jobs}) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            await editor.command("keepstate.report", {"show": False})
            heard = len(editor.published)
            editor.replace(orders, *TYPE)
            await editor.pushed_until(orders, lambda found: bool(found) and len(_data(found[0])["jobs"]) == 21)
            names = [params.uri for params in editor.published[heard:] if params.diagnostics and params.uri != orders]
            assert names[0] == revenue
            first = next(params for params in editor.published[heard:] if params.uri == orders and params.diagnostics)
            assert _data(first.diagnostics[0])["jobs"] == ["jobs/revenue.sql"]


def _data(diagnostic: types.Diagnostic) -> dict[str, list[str]]:
    data = diagnostic.data
    return dict(data._asdict()) if hasattr(data, "_asdict") else dict(data or {})
