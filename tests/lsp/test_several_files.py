"""Jobs whose tables other files declare, in a real server with the real analyzer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, Editor, vscode
from keepstate_lsp.analysis.documents import path_of, uri_of
from repositories import GitRepository
from shops import ORDERS, REVENUE, TYPE, at_work, shop

pytestmark = pytest.mark.asyncio

ONLY = "only-aggregate-changed"
Edit = tuple[str, str]
Found = list[tuple[str, str]]
"""Codes of diagnostics with the text below each."""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def opened(editor: Editor, repository: GitRepository, *paths: str) -> list[str]:
    """The URIs of files that are opened, each as soon as it was checked."""
    uris = []
    for path in paths:
        uris.append(editor.open(repository.folder / path))
        await editor.pushed(uris[-1], 1)
    return uris


def found(editor: Editor, repository: GitRepository, path: str, texts: Mapping[str, str]) -> Found:
    """The diagnostics that were pushed last for a file."""
    uri = uri_of(repository.folder / path)
    last = next((params.diagnostics for params in reversed(editor.published) if params.uri == uri), ())
    text = texts.get(path) or (repository.folder / path).read_text("utf-8")
    return sorted((str(one.code), editor.cut(text, one.range)) for one in last)


async def until(check: Callable[[], bool], editor: Editor, words: Callable[[], object]) -> None:
    """Wait for what the server sends until a check holds."""
    while not check():
        try:
            await editor.news()
        except asyncio.TimeoutError:
            pytest.fail(f"never as wanted: {words()}")


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
FLAT = {"orders.sql": ORDERS, "sinks.sql": shop()["ddl/sinks.sql"], "revenue.sql": REVENUE}
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


class TestDocuments:
    async def test_fixes_stand_at_the_clause_alone(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            editor.replace(orders, *TYPE)
            await editor.pushed_until(orders, bool)
            (felt,) = await editor.pushed_until(revenue, bool)
            related = [(path_of(each.location.uri), each.message) for each in felt.related_information or ()]
            assert related[0] == (str(repository.folder / "ddl/orders.sql"), "changed in ddl/orders.sql: amount DOUBLE")
            # At the job stands only what accepts the finding for this job, in a file of its own.
            felt_actions = [one for one in await editor.actions(revenue, "orders") if one.edit is not None]
            assert [one.title for one in felt_actions] == [f"Accept {ONLY} in keepstate.accepted.toml, with a reason"]
            back, accept, *_ = (one for one in await editor.actions(orders, "amount DOUBLE") if one.edit is not None)
            assert back.edit is not None and editor.applied(orders, back.edit) == ORDERS
            assert accept.title == f"Accept {ONLY} here, with a reason"

    async def test_a_closed_job_gives_its_fixes_too(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            (orders,) = await opened(editor, repository, "ddl/orders.sql")
            await editor.command("keepstate.report", {"show": False})
            editor.replace(orders, *TYPE)
            await editor.pushed_until(orders, bool)
            back, *_ = await editor.actions(orders, "amount DOUBLE")
            assert back.edit is not None and editor.applied(orders, back.edit) == ORDERS

    async def test_a_comment_at_the_clause_accepts_for_all_jobs(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            comment = f"-- keepstate: accept {ONLY} because the totals may go\n  amount DOUBLE"
            editor.replace(orders, TYPE[0], comment)
            for uri in (orders, revenue):
                await editor.pushed_until(
                    uri, lambda found: [one.severity for one in found] == [types.DiagnosticSeverity.Hint]
                )

    async def test_closing_a_document_brings_back_the_file(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            editor.replace(orders, *TYPE)
            await editor.pushed_until(revenue, bool)
            heard = len(editor.published)
            editor.close(orders)
            await editor.pushed_until(revenue, lambda found: not found, after=heard)
            await editor.pushed_until(orders, lambda found: not found, after=heard)
            editor.close(revenue)
            await editor.command("keepstate.report", {"show": False})
            assert not [params for params in editor.published[heard:] if params.uri == revenue and params.diagnostics]

    async def test_a_file_that_changes_on_disk(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            (revenue,) = await opened(editor, repository, "jobs/revenue.sql")
            path = repository.write("ddl/orders.sql", ORDERS.replace(*TYPE))
            event = types.FileEvent(uri_of(path), types.FileChangeType.Changed)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await editor.pushed_until(revenue, bool)
            await editor.pushed_until(uri_of(path), bool)
            heard = len(editor.published)
            repository.write("ddl/orders.sql", ORDERS)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await editor.pushed_until(revenue, lambda found: not found, after=heard)
            await editor.pushed_until(uri_of(path), lambda found: not found, after=heard)

    async def test_a_broken_declaration_keeps_the_last_findings(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            editor.replace(orders, *TYPE)
            (fresh,) = await editor.pushed_until(revenue, bool)
            heard = len(editor.published)
            editor.replace(orders, "note STRING,", "note STRING ((,")
            stale = await editor.pushed_until(
                revenue, lambda found: any("from the last text" in one.message for one in found), after=heard
            )
            kept = next(one for one in stale if one.code == ONLY)
            assert kept.range == fresh.range and _data(kept)["stale"]
            (note,) = (one for one in stale if one.code == "not-analysed")
            assert note.message.startswith("Not analysed: ddl/orders.sql: ")
            at_clause = await editor.pushed_until(
                orders, lambda found: any(bool(_data(one).get("stale")) for one in found), after=heard
            )
            assert {one.code for one in at_clause} == {ONLY, "invalid-sql"}
            heard = len(editor.published)
            editor.replace(orders, "note STRING ((,", "note STRING,")
            await editor.pushed_until(
                revenue, lambda found: [_data(one)["stale"] for one in found] == [False], after=heard
            )

    async def test_a_deleted_declaration_is_not_silent(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            editor.change(orders, "-- nothing\n")
            await editor.pushed_until(revenue, bool)
            editor.change(orders, ORDERS)
            heard = len(editor.published)
            await editor.pushed_until(revenue, lambda found: not found, after=heard)

    async def test_a_declaration_that_no_job_reads(self, repository: GitRepository, cache: Path) -> None:
        files = shop("jobs/hourly.sql")
        async with at_work(repository, cache, files) as editor:
            (sinks,) = await opened(editor, repository, "ddl/sinks.sql")
            await editor.command("keepstate.report", {"show": False})
            titles = [lens.command.title for lens in await editor.lenses(sinks) if lens.command]
            assert titles == ["read by no job", "read by 1 job: 1 compatible"]


class TestKeystrokes:
    async def test_a_comment_checks_no_other_file(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, _ = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            await editor.command("keepstate.report", {"show": False})
            heard = len(editor.published)
            version = editor.replace(orders, "-- Orders of all shops.", "-- All orders.\n-- Of all shops.")
            await editor.pushed(orders, version)
            await editor.command("keepstate.report", {"show": False})
            assert {params.uri for params in editor.published[heard:]} == {orders}

    async def test_findings_move_along_with_their_clause(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, _ = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            editor.replace(orders, *TYPE)
            (before,) = await editor.pushed_until(orders, bool)
            version = editor.replace(orders, "-- Orders of all shops.", "-- Orders\n-- of all shops.")
            (after,) = await editor.pushed(orders, version)
            assert after.range.start.line == before.range.start.line + 1
            assert editor.text_at(orders, after.range) == "amount DOUBLE"

    async def test_half_a_word_shows_nothing_until_typing_pauses(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            await editor.command("keepstate.report", {"show": False})
            heard = len(editor.published)
            version = editor.press(orders, ORDERS.index("10, 2)") + 1, 1, "2")
            await editor.pushed_until(revenue, bool, after=heard)
            messages = editor.published[heard:]
            typed = next(number for number, params in enumerate(messages) if params.version == version)
            at_once = [params.diagnostics for params in messages[typed : typed + 2]]
            assert not any(at_once), "the first messages are about half an edit"

    async def test_a_pause_shows_what_an_earlier_key_changed(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            orders, revenue = await opened(editor, repository, "ddl/orders.sql", "jobs/revenue.sql")
            heard = len(editor.published)
            editor.press(orders, ORDERS.index("10, 2)") + 1, 1, "2")
            await editor.pushed_until(revenue, lambda found: not found, after=heard)
            # The space says nothing that the jobs read.
            editor.press(orders, ORDERS.index("10, 2)") + 4, 0, " ")
            await editor.pushed_until(revenue, bool, after=heard)
            await editor.pushed_until(orders, bool, after=heard)


class TestScripts:
    SCRIPT: Mapping[str, str | bytes] = {
        "init.sql": ORDERS + str(shop()["ddl/sinks.sql"]),
        "run.sql": REVENUE,
        "keepstate.toml": 'engine = "flink"\n[[job]]\nname = "shop"\nscript = ["init.sql", "run.sql"]\n',
    }

    async def test_both_files_show_their_part(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, self.SCRIPT) as editor:
            init, run = await opened(editor, repository, "init.sql", "run.sql")
            editor.replace(init, *TYPE)
            (one,) = await editor.pushed_until(init, bool)
            assert editor.text_at(init, one.range) == "amount DOUBLE"
            heard = len(editor.published)
            editor.replace(init, *TYPE[::-1])
            await editor.pushed_until(init, lambda found: not found, after=heard)
            editor.replace(run, "SUM(amount)", "MAX(amount)")
            (one,) = await editor.pushed_until(run, bool)
            assert editor.text_at(run, one.range) == "MAX(amount)"

    TWO: Mapping[str, str | bytes] = {
        "init.sql": ORDERS + str(shop()["ddl/sinks.sql"]),
        "shared.sql": "CREATE VIEW paid AS SELECT shop, amount FROM orders;\n",
        "total.sql": REVENUE.replace("orders", "paid"),
        "hours.sql": str(shop()["jobs/hourly.sql"]),
        "keepstate.toml": '[[job]]\nname = "total"\nscript = ["init.sql", "shared.sql", "total.sql"]\n'
        '[[job]]\nname = "hours"\nscript = ["init.sql", "shared.sql", "hours.sql"]\n',
    }

    async def test_a_file_of_two_jobs_shows_what_each_finds(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, self.TWO, vscode) as editor:
            (init,) = [editor.open(repository.folder / "init.sql")]
            editor.replace(init, "ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
            (one,) = await editor.pulled(init)
            assert one.code == "window-time-attribute-changed" and one.message.endswith("(in hours)")
            editor.replace(init, *TYPE)
            found = {str(one.code): one for one in await editor.pulled(init)}
            assert set(found) == {ONLY, "window-time-attribute-changed"}
            assert _data(found[ONLY])["jobs"] == ["total"]
            related = [(path_of(at.location.uri), at.message) for at in found[ONLY].related_information or ()]
            assert (str(repository.folder / "total.sql"), "felt by INSERT INTO revenue in total") in related
            assert [one for one in await editor.actions(init, "amount DOUBLE") if one.edit is not None]

    async def test_what_two_jobs_find_at_one_clause_stands_there_once(
        self, repository: GitRepository, cache: Path
    ) -> None:
        files = {**self.TWO, "hours.sql": REVENUE.replace("orders", "paid").replace("SUM", "MAX")}
        async with at_work(repository, cache, files, vscode) as editor:
            init, total, shared = (
                editor.open(repository.folder / name) for name in ("init.sql", "total.sql", "shared.sql")
            )
            editor.replace(init, *TYPE)
            (one,) = await editor.pulled(init)
            assert one.message.endswith("(in 2 jobs)") and _data(one)["jobs"] == ["total", "hours"]
            felt = {path_of(at.location.uri) for at in one.related_information or () if at.message.startswith("felt")}
            assert felt == {str(repository.folder / name) for name in ("total.sql", "hours.sql")}
            titles = [action.title for action in await editor.actions(init, "amount DOUBLE") if action.edit is not None]
            assert len(titles) == len(set(titles)) and titles
            assert not await editor.pulled(total) and not await editor.pulled(shared)
            page = await editor.command("keepstate.report", {"show": False})
            assert "total" in str(page) and "hours" in str(page)


class TestNames:
    async def test_a_hover_says_where_a_table_was_found(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            (revenue,) = await opened(editor, repository, "jobs/revenue.sql")
            hover = await editor.hover(revenue, "orders")
            assert "Declared in ddl/orders.sql, which `context` of the configuration names" in _words(hover)

    async def test_of_an_assumed_table_it_says_so_and_a_fix_writes_it_down(
        self, repository: GitRepository, cache: Path
    ) -> None:
        async with at_work(repository, cache, FLAT, vscode) as editor:
            uri = editor.open(repository.folder / "revenue.sql")
            assert await editor.pulled(uri) == []
            assert "is assumed: no configuration names the file" in _words(await editor.hover(uri, "orders"))
            (action,) = [one for one in await editor.actions(uri, "orders") if one.title.startswith("Write context")]
            assert action.edit is not None
            created, filled = action.edit.document_changes or []
            assert isinstance(created, types.CreateFile) and isinstance(filled, types.TextDocumentEdit)
            assert path_of(created.uri) == str(repository.folder / "keepstate.toml")
            (edit,) = filled.edits
            assert isinstance(edit, types.TextEdit)
            repository.write("keepstate.toml", edit.new_text)
            await editor.command("keepstate.recheckAll")
            assert "which `context` of the configuration names" in _words(await editor.hover(uri, "orders"))
            assert not [one for one in await editor.actions(uri, "orders") if one.title.startswith("Write context")]

    async def test_the_definition_is_in_the_other_file(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            (revenue,) = await opened(editor, repository, "jobs/revenue.sql")
            for name in ("orders", "amount"):
                at = editor.range_of(revenue, name).start
                params = types.DefinitionParams(types.TextDocumentIdentifier(revenue), at)
                answer = await asyncio.wait_for(editor.client.text_document_definition_async(params), SECONDS)
                assert isinstance(answer, list)
                (place,) = answer
                assert isinstance(place, types.Location) and path_of(place.uri) == str(
                    repository.folder / "ddl/orders.sql"
                )
                assert editor.cut(ORDERS, place.range) == name

    async def test_columns_of_other_files_are_proposed(self, repository: GitRepository, cache: Path) -> None:
        async with at_work(repository, cache, shop()) as editor:
            (revenue,) = await opened(editor, repository, "jobs/revenue.sql")
            editor.change(revenue, REVENUE.replace("SUM(amount)", "SUM(am)"))
            at = editor.position(revenue, REVENUE.index("SUM(") + 6)
            params = types.CompletionParams(types.TextDocumentIdentifier(revenue), at)
            answer = await asyncio.wait_for(editor.client.text_document_completion_async(params), SECONDS)
            assert isinstance(answer, types.CompletionList)
            assert "amount" in {item.label for item in answer.items}
            item = next(item for item in answer.items if item.label == "amount")
            assert isinstance(item.text_edit, types.TextEdit) and editor.text_at(revenue, item.text_edit.range) == "am"


def _words(hover: types.Hover | None) -> str:
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value.replace("\\", "")
