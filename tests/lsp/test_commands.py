"""Commands, inlay hints and the status: a real server process with the stand-in analyzer."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import SECONDS, editing, vscode
from keepstate_lsp.lsp import convert
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

JOB = "-- 🛒 shop\nINSERT INTO daily SIZE 10 KEYS a,b;\r\nINSERT INTO '🛒' SIZE 5;\n"


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def test_inlay_hints_where_they_are_wanted(job: Path, cache: Path) -> None:
    for wanted in (False, True):
        async with editing(vscode(), job.parent, cache, settings={"inlayHints": wanted}) as editor:
            uri = editor.open(job)
            editor.replace(uri, "SIZE 10", "SIZE 20")
            whole = types.Range(types.Position(0, 0), types.Position(9, 0))
            params = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
            found = await editor.client.text_document_inlay_hint_async(params) or []
            labels = [(one.position.line, one.label) for one in found]
            assert ((1, "state lost") in labels) is wanted


async def test_places_are_those_of_the_text_that_was_asked_about(job: Path, cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    job.write_text(job.read_text().replace("shop\n", f"shop PONDER {pipe}\n"))
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        (found,) = await editor.pulled(uri)
        params = types.HoverParams(types.TextDocumentIdentifier(uri), found.range.start)
        asked = asyncio.create_task(editor.client.text_document_hover_async(params))
        await editor.caught_up()
        editor.replace(uri, "-- ", "--\n--\n-- ")
        await editor.caught_up()
        threading.Thread(target=lambda: pipe.open("wb").close(), daemon=True).start()
        hover = await asyncio.wait_for(asked, SECONDS)
        assert hover is not None and hover.range == found.range


async def test_another_baseline_is_chosen_for_the_session(job: Path, cache: Path, repository: GitRepository) -> None:
    repository.git("tag", "v1")
    repository.commit({"shop.sql": JOB.replace("SIZE 10", "SIZE 20")})
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        assert await editor.pulled(uri) == []
        offered = await editor.command("keepstate.listBaselines", uri)
        assert [choice["spec"] for choice in offered] == ["HEAD", "v1"]
        await editor.command("keepstate.chooseBaseline", "v1")
        assert [one.code for one in await editor.pulled(uri)] == ["window-size-changed"]
        await editor.command("keepstate.chooseBaseline", None)
        assert await editor.pulled(uri) == []
        with pytest.raises(JsonRpcException, match="no known kind"):
            await editor.command("keepstate.chooseBaseline", "mergebase:x")


async def test_status_for_a_status_bar(job: Path, cache: Path) -> None:
    capabilities = vscode()
    capabilities.experimental = {"keepstate": {"commands": ["keepstate.compare"], "status": True}}
    async with editing(capabilities, job.parent, cache) as editor:
        heard: list[object] = []

        @editor.client.feature("keepstate/status")
        def hear(params: types.LSPAny) -> None:
            heard.append(params)

        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        await editor.pulled(uri)
        await editor.caught_up()
        last = convert.plain(heard[-1])
        assert (last["uri"], last["verdict"], last["findings"]) == (uri, "incompatible", 1)
        assert last["baseline"].startswith("HEAD (")


async def test_what_is_marked_deployed_is_a_baseline_at_once(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, settings={"baseline": "deployed:test"}) as editor:
        uri = editor.open(job)
        assert [one.code for one in await editor.pulled(uri)] == ["not-compared"]
        said = await editor.command("keepstate.markDeployed", uri, "test")
        assert said.startswith("shop.sql is recorded as deployed in test, at ")
        assert await editor.pulled(uri) == []
        editor.replace(uri, "SIZE 10", "SIZE 20")
        assert [one.code for one in await editor.pulled(uri)] == ["window-size-changed"]
        with pytest.raises(JsonRpcException, match="name of an environment"):
            await editor.command("keepstate.markDeployed", uri, "a/b")
