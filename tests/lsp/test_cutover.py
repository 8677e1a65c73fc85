"""A cutover planned in the editor: a real server that runs the real command, or a stand-in for it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cutover_changes import TABLES, grouped, total, tumble
from editor import Editor, editing, vscode
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.virtual_documents import RUNS
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import SERVER
from test_verify import Command, at_work
from watching import Watch, asked, processes

pytestmark = pytest.mark.asyncio

HEAD = f"{TABLES}INSERT INTO results\n"
JOB, EDITED = (f"{HEAD}{grouped(tumble(minutes))};\n" for minutes in (10, 30))
TITLE = "planning the cutover"
PLAN = "Plan a cutover..."


@pytest.fixture
def sums(repository: GitRepository) -> GitRepository:
    repository.commit({"jobs/sums.flink.sql": JOB})
    return repository


def capabilities(*commands: str, shows: bool = True, **announced: object) -> types.ClientCapabilities:
    found = vscode()
    found.window = types.WindowClientCapabilities(
        work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=shows)
    )
    found.experimental = {"keepstate": {"commands": list(commands), **announced}}
    return found


async def offered(editor: Editor, uri: str, part: str) -> list[types.Command]:
    """The commands of actions that plan a cutover, at a part of the text."""
    actions = await editor.actions(uri, part)
    return [action.command for action in actions if action.title == PLAN and action.command is not None]


async def planned(editor: Editor, uri: str, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = plain(await asked(editor, "keepstate.cutover", uri, {"wait": True, **options}))
    return answer


async def test_a_plan_of_what_is_typed(sums: GitRepository, tmp_path: Path) -> None:
    """The action at the finding, as a client of the plain protocol runs it: the page opens, and nothing else stays."""
    async with editing(capabilities(), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        watch = Watch(editor, TITLE)
        uri = editor.open(sums.folder / "jobs" / "sums.flink.sql", EDITED)
        (action,) = await offered(editor, uri, "'30' MINUTE")
        assert action.command == "keepstate.cutover" and action.arguments is not None
        answer = plain(await editor.command(action.command, *action.arguments))
        folder = sums.folder / "jobs" / "sums-cutover"
        assert answer == {"folder": uri_of(folder)}
        said = await editor.message("Exact: the running job gives all results up to")
        assert said.message.endswith("The plan is in jobs/sums-cutover.")
        while not editor.client.shown_documents:
            await editor.news()
        (shown,) = editor.client.shown_documents
        assert (shown.uri, shown.external) == (uri_of(folder / "PLAN.md"), False)
        assert {file.name for file in folder.iterdir()} == {"PLAN.md", "plan.json", "timeline.svg", "new.sql"}
        page = (folder / "PLAN.md").read_text("utf-8")
        assert page.startswith("# Cutover of jobs/sums.flink.sql\n")
        assert (
            "keepstate cutover jobs/sums.flink.sql --against HEAD --output jobs/sums-cutover --engine vvr --at" in page
        )
        assert "INTERVAL '30' MINUTE" in (folder / "new.sql").read_text("utf-8")
        assert watch.ended and watch.said[0] == "Keepstate: planning the cutover of sums.flink.sql"
        assert list((tmp_path / "cache" / "keepstate" / RUNS).iterdir()) == []

        # Another plan takes its place, with the boundary and the platform that are asked for.
        options = {"at": "2026-03-01 10:00", "platform": "kubernetes"}
        assert await planned(editor, uri, **options) == {
            "cancelled": False,
            "sentence": "Exact: the running job gives all results up to 2026-03-01 10:00:00 (event time), the new job "
            "all results after it. The plan is in jobs/sums-cutover.",
            "approach": "boundary",
            "exact": True,
            "page": uri_of(folder / "PLAN.md"),
            "stale": False,
        }
        assert "upgradeMode" in (folder / "PLAN.md").read_text("utf-8")


async def test_where_it_is_offered(sums: GitRepository, tmp_path: Path) -> None:
    """At what costs state, by the command of the client if it has one; never in an untrusted workspace."""
    file = sums.folder / "jobs" / "sums.flink.sql"
    own = ("keepstate.planCutover",)
    async with editing(capabilities(*own), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(file, EDITED)
        (action,) = await offered(editor, uri, "'30' MINUTE")
        assert (action.command, list(action.arguments or ())) == (*own, [uri])
        assert await offered(editor, uri, "CREATE TABLE orders") == []
    async with editing(capabilities(untrusted=True), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(file, EDITED)
        assert await editor.actions(uri, "'30' MINUTE") and await offered(editor, uri, "'30' MINUTE") == []


async def test_what_cannot_be_planned_is_one_sentence(sums: GitRepository, tmp_path: Path) -> None:
    folder = sums.folder / "jobs" / "sums-cutover"
    async with editing(capabilities(), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(sums.folder / "jobs" / "sums.flink.sql", EDITED)
        refused: list[tuple[dict[str, Any], str]] = [
            ({"at": 10}, "at must be a text"),
            ({"at": "soon"}, "'soon' is no time: write it as '2026-03-01 10:00'"),
            ({"platform": "moon"}, "moon"),
        ]
        for options, says in refused:
            with pytest.raises(JsonRpcException, match=says) as caught:
                await planned(editor, uri, **options)
            assert "--" not in str(caught.value)
        editor.replace(uri, "INSERT INTO results", "INSERT INTO nothing SELECT")
        with pytest.raises(JsonRpcException, match=r"cannot be read|There is no plan"):
            await planned(editor, uri)
        editor.replace(uri, "INSERT INTO nothing SELECT", "INSERT INTO results")
        assert not folder.exists()
        folder.mkdir()
        (folder / "notes.txt").write_text("mine", "utf-8")
        with pytest.raises(JsonRpcException, match=r"sums-cutover holds other files, and no plan\."):
            await planned(editor, uri)
        assert [file.name for file in folder.iterdir()] == ["notes.txt"]
        new = editor.open(sums.write("jobs/new.flink.sql", JOB))
        with pytest.raises(JsonRpcException, match=r"new\.flink\.sql has no baseline to restart from: "):
            await planned(editor, new)
        assert list((tmp_path / "cache" / "keepstate" / RUNS).iterdir()) == []


async def test_files_of_one_stem_have_plans_of_their_own(sums: GitRepository, tmp_path: Path) -> None:
    """The second plan does not replace the first one, and each later one replaces its own."""
    sums.commit({"jobs/sums.sql": JOB})
    folders = {"sums.flink.sql": "sums-cutover", "sums.sql": "sums.sql-cutover"}
    async with editing(capabilities(), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        for name, folder in (*folders.items(), *reversed(folders.items())):
            uri = editor.open(sums.folder / "jobs" / name, EDITED)
            found = await planned(editor, uri)
            assert found["page"] == uri_of(sums.folder / "jobs" / folder / "PLAN.md")
            for other, its in folders.items():
                document = sums.folder / "jobs" / its / "plan.json"
                assert not document.exists() or json.loads(document.read_text("utf-8"))["file"] == f"jobs/{other}"
            editor.close(uri)
        # The place of the second one is taken by the plan of a third file.
        document = sums.folder / "jobs" / "sums.sql-cutover" / "plan.json"
        document.write_text(document.read_text("utf-8").replace('"jobs/sums.sql"', '"jobs/third.sql"'), "utf-8")
        uri = editor.open(sums.folder / "jobs" / "sums.sql", EDITED)
        with pytest.raises(JsonRpcException, match=r"sums\.sql-cutover holds the plan of jobs/third\.sql: move it"):
            await planned(editor, uri)


async def test_a_job_that_keeps_its_state_needs_no_folder(sums: GitRepository, tmp_path: Path) -> None:
    async with editing(capabilities(shows=False), sums.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(sums.folder / "jobs" / "sums.flink.sql", JOB)
        found = await planned(editor, uri)
        assert (found["approach"], found["page"]) == ("restart", None)
        assert found["sentence"].startswith("No cutover is needed")
        assert not (sums.folder / "jobs" / "sums-cutover").exists()
        # Without documents that are shown, the message after the plan has its address.
        editor.replace(uri, "INTERVAL '10' MINUTE", "INTERVAL '30' MINUTE")
        await editor.command("keepstate.cutover", uri)
        await editor.message(uri_of(sums.folder / "jobs" / "sums-cutover" / "PLAN.md"))


async def test_totals_are_planned_beside_the_running_job(repository: GitRepository, tmp_path: Path) -> None:
    """A job outside of the folders of the workspace, with a plan of another way."""
    jobs = [f"{TABLES}INSERT INTO totals\n{total(metric)};\n" for metric in ("SUM(amount)", "MAX(amount)")]
    repository.commit({"totals.flink.sql": jobs[0]})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with editing(capabilities(), elsewhere, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(repository.folder / "totals.flink.sql", jobs[1])
        assert len(await offered(editor, uri, "MAX(amount)")) == 1
        found = await planned(editor, uri)
        assert found["approach"] == "bootstrap"
        document = json.loads((repository.folder / "totals-cutover" / "plan.json").read_text("utf-8"))
        assert document["file"] == "totals.flink.sql"


async def test_cancel_and_the_end_leave_nothing(sums: GitRepository, tmp_path: Path) -> None:
    cache, command = tmp_path / "cache", Command(tmp_path / "command")
    sums.commit({"daily.sql": "INSERT INTO daily SIZE 10 KEYS a;\n"})
    async with at_work(sums, cache, command) as editor:
        uri = editor.open(sums.folder / "daily.sql", "INSERT INTO daily SIZE 20 KEYS a;\n")
        watch = Watch(editor, TITLE)
        running = asyncio.ensure_future(asked(editor, "keepstate.cutover", uri, {"wait": True}))
        await watch.until("INSERT INTO daily")
        with pytest.raises(JsonRpcException, match=r"A planning of daily\.sql is running already; cancel it first"):
            await editor.command("keepstate.cutover", uri)
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(watch.tokens[0]))
        assert plain(await running) == {"cancelled": True}
        watch = Watch(editor, TITLE)
        running = asyncio.ensure_future(asked(editor, "keepstate.cutover", uri, {"wait": True}))
        await watch.until("INSERT INTO daily")
        assert await editor.command("keepstate.cancelCutover", uri) is True
        assert plain(await running) == {"cancelled": True}
        assert await editor.command("keepstate.cancelCutover", uri) is False
    assert not processes(cache / RUNS)
    assert list((cache / RUNS).iterdir()) == []
    assert not (sums.folder / "daily-cutover").exists()


async def test_a_server_without_the_command_line_offers_none(sums: GitRepository, tmp_path: Path) -> None:
    """The server inside of the VS Code extension is one: it says what to install."""
    sums.commit({"daily.sql": "INSERT INTO daily SIZE 10 KEYS a;\n"})
    cache, command = tmp_path / "cache", Command(tmp_path / "command")
    async with at_work(sums, cache, command, without=["keepstate_lsp.cli"]) as editor:
        uri = editor.open(sums.folder / "daily.sql", "INSERT INTO daily SIZE 20 KEYS a;\n")
        assert await editor.actions(uri, "20") and await offered(editor, uri, "20") == []
        with pytest.raises(JsonRpcException, match=r"not installed beside this server: pip install \. in a clone"):
            await editor.command("keepstate.cutover", uri)
    async with at_work(sums, cache, command) as editor:
        uri = editor.open(sums.folder / "daily.sql", "INSERT INTO daily SIZE 20 KEYS a;\n")
        assert len(await offered(editor, uri, "20")) == 1
