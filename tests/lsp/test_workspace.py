"""Files that are not open: a real server with the stand-in analyzer, and real clients' capabilities."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from lsprotocol import types

from editor import SECONDS, Editor, editing, neovim, vscode
from keepstate_lsp.analysis.declared_names import DeclaredName
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.workspace_checks import WorkspaceListener, WorkspaceSource, WorkspaceView
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.jobs.listing import FileStamp
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

ONE = "INSERT INTO one SIZE 10;\n"
TWO = "INSERT INTO two SIZE 10;\n"


@pytest.fixture
def jobs(repository: GitRepository) -> GitRepository:
    """Two jobs, of which the second was edited, and a file that is none."""
    repository.commit({"jobs/one.sql": ONE, "jobs/two.sql": TWO, "db/schema.sql": "UPDATE x SET y = 1;\n"})
    repository.write("jobs/two.sql", TWO.replace("10", "20"))
    return repository


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def with_progress(client: Callable[[], types.ClientCapabilities]) -> types.ClientCapabilities:
    capabilities = client()
    capabilities.window = capabilities.window or types.WindowClientCapabilities()
    capabilities.window.work_done_progress = True
    return capabilities


async def survey(editor: Editor, previous: dict[str, str] | None = None) -> dict[str, list[str] | None]:
    """Codes by file name; ``None``: unchanged. ``previous`` is filled with the result ids."""
    known = {} if previous is None else previous
    ids = [types.PreviousResultId(uri, value) for uri, value in known.items()]
    answer = await asyncio.wait_for(
        editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(ids)), SECONDS
    )
    found: dict[str, list[str] | None] = {}
    for item in answer.items:
        known[item.uri] = item.result_id or ""
        name = item.uri.rpartition("/")[2]
        full = isinstance(item, types.WorkspaceFullDocumentDiagnosticReport)
        found[name] = [str(one.code) for one in item.items] if full else None
    return found


async def test_findings_of_files_that_are_not_open(jobs: GitRepository, cache: Path) -> None:
    async with editing(vscode(), jobs.folder, cache) as editor:
        assert await survey(editor) == {"two.sql": ["window-size-changed"]}


async def test_pushed_to_a_client_that_does_not_pull(jobs: GitRepository, cache: Path) -> None:
    async with editing(neovim(), jobs.folder, cache) as editor:
        found = await editor.pushed(uri_of(jobs.folder / "jobs/two.sql"), None)
        assert [one.code for one in found] == ["window-size-changed"]
        names = {params.uri.rpartition("/")[2] for params in editor.published}
        assert names == {"two.sql"}


async def test_asked_again_it_answers_when_there_is_news(jobs: GitRepository, cache: Path) -> None:
    async with editing(vscode(), jobs.folder, cache) as editor:
        known: dict[str, str] = {}
        await survey(editor, known)
        again = asyncio.ensure_future(survey(editor, known))
        await editor.caught_up()
        assert not again.done()
        jobs.write("jobs/one.sql", ONE.replace("10", "30"))
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [types.FileEvent(uri_of(jobs.folder / "jobs/one.sql"), types.FileChangeType.Changed)]
            )
        )
        assert await again == {"one.sql": ["window-size-changed"], "two.sql": None}


async def test_a_commit_and_a_deleted_file(jobs: GitRepository, cache: Path) -> None:
    async with editing(vscode(), jobs.folder, cache, poll_seconds=0.05) as editor:
        known: dict[str, str] = {}
        await survey(editor, known)
        jobs.commit()
        # The server looks by itself: no message of the client says that HEAD moved.
        assert await survey(editor, known) == {"two.sql": []}
        jobs.write("jobs/one.sql", ONE.replace("10", "30"))
        changed = types.DidChangeWatchedFilesParams([])
        editor.client.workspace_did_change_watched_files(changed)
        assert await survey(editor, known) == {"one.sql": ["window-size-changed"], "two.sql": None}
        (jobs.folder / "jobs/one.sql").unlink()
        editor.client.workspace_did_change_watched_files(changed)
        assert await survey(editor, known) == {"one.sql": [], "two.sql": None}


async def test_an_open_document_is_reported_once(jobs: GitRepository, cache: Path) -> None:
    async with editing(neovim(), jobs.folder, cache) as editor:
        path = jobs.folder / "jobs/two.sql"
        uri = uri_of(path)
        await editor.pushed(uri, None)
        editor.open(path, TWO)
        assert await editor.pushed(uri, 1) == []
        heard = len(editor.published)
        editor.close(uri)
        # On disk it still differs from the baseline.
        await editor.pushed_until(uri, bool, after=heard)
        assert {params.uri for params in editor.published[heard:] if params.diagnostics} == {uri}


async def test_an_open_document_that_nobody_asks_about(jobs: GitRepository, cache: Path) -> None:
    """VS Code opens what some extension looked into, and asks about what is in a tab only."""
    async with editing(vscode(), jobs.folder, cache) as editor:
        editor.open(jobs.folder / "jobs/two.sql")
        assert await survey(editor) == {"two.sql": ["window-size-changed"]}


async def test_switched_off_and_on(jobs: GitRepository, cache: Path) -> None:
    async with editing(neovim(), jobs.folder, cache) as editor:
        uri = uri_of(jobs.folder / "jobs/two.sql")
        await editor.pushed(uri, None)
        heard = len(editor.published)
        editor.client.set_configuration({"keepstate": {"workspace": False}})
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.pushed_until(uri, lambda found: not found, after=heard)
        heard = len(editor.published)
        editor.client.set_configuration({"keepstate": {"workspace": True}})
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.pushed_until(uri, bool, after=heard)


async def test_progress_of_many_files(repository: GitRepository, cache: Path) -> None:
    repository.commit({f"jobs/{number}.sql": ONE for number in range(60)})
    async with editing(with_progress(vscode), repository.folder, cache) as editor:
        token = await _ended(editor)
        first, *_, last = editor.client.progress_reports[token]
        assert isinstance(first, types.WorkDoneProgressBegin)
        assert first.title == "Keepstate: checking 60 files" and first.cancellable
        assert isinstance(last, types.WorkDoneProgressEnd)


async def _ended(editor: Editor) -> str:
    """The token of a progress that came to its end."""

    async def wait() -> str:
        while True:
            for token, values in editor.client.progress_reports.items():
                if values and isinstance(values[-1], types.WorkDoneProgressEnd):
                    return str(token)
            await asyncio.sleep(0)

    return await asyncio.wait_for(wait(), SECONDS)


async def test_a_report_of_all_jobs(jobs: GitRepository, cache: Path) -> None:
    async with editing(neovim(), jobs.folder, cache) as editor:
        await editor.pushed(uri_of(jobs.folder / "jobs/two.sql"), None)
        editor.open(jobs.folder / "jobs/one.sql", ONE.replace("10", "30"))
        answer = await editor.command("keepstate.report")
        assert answer["summary"] == "2 jobs: 2 incompatible"
        assert "[one.sql](<file:" in answer["text"] and "window-size-changed" in answer["text"]
        assert "schema.sql" not in answer["text"]
        page = (await editor.command("keepstate.report", {"format": "html"}))["text"]
        assert page.startswith("<!DOCTYPE html>") and "two.sql" in page


async def test_both_texts_in_one_document(jobs: GitRepository, cache: Path) -> None:
    async with editing(neovim(), jobs.folder, cache) as editor:
        uri = editor.open(jobs.folder / "jobs/two.sql")
        text = (await editor.command("keepstate.compareText", uri))["text"].splitlines()
        assert text[0].startswith("--- HEAD (") and text[1] == "+++ two.sql, as it is now"
        assert text[3:5] == ["-INSERT INTO two SIZE 10;", "+INSERT INTO two SIZE 20;"]
        assert text[5].startswith("# incompatible [window-size-changed]:")


async def test_a_file_whose_check_fails_is_reported(jobs: GitRepository) -> None:
    one, two = jobs.folder / "jobs/one.sql", jobs.folder / "jobs/two.sql"

    async def list_files() -> dict[Path, FileStamp]:
        return {path: FileStamp(1, 1) for path in (one, two)}

    async def check(path: Path) -> tuple[Analysis, tuple[DeclaredName, ...]]:
        if path == one:
            raise OSError("the disk is gone")
        return Analysis(Document(uri_of(path), "", 0, TWO), Settings(), EffectiveSettings(), is_flink=True), ()

    async def resting() -> None: ...

    listener = Mock(spec=WorkspaceListener)
    view = WorkspaceView(WorkspaceSource(list_files, check, resting), listener)
    running = asyncio.create_task(view.run())
    await view.rescan()
    await asyncio.wait_for(view.settled(), SECONDS)
    running.cancel()
    assert [(job.name, job.failed) for job in view.overviews] == [("one.sql", True), ("two.sql", False)]
    listener.surveyed.assert_called_once()
