"""Open files of a job, edited: their declarations, keystrokes in them, and names of other files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, vscode
from files_of_a_job import FLAT, ONLY, opened
from keepstate_lsp.analysis.documents import path_of, uri_of
from repositories import GitRepository
from shops import ORDERS, REVENUE, TYPE, at_work, shop

pytestmark = pytest.mark.asyncio


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


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


def _data(diagnostic: types.Diagnostic) -> dict[str, list[str]]:
    data = diagnostic.data
    return dict(data._asdict()) if hasattr(data, "_asdict") else dict(data or {})
