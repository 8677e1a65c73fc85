"""Baseline and current text beside each other, in any client: from a lens, a hover, a related place, the light bulb."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from lsprotocol import types

from editor import editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import path_of, uri_of
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

JOB = "-- 🛒 shop \u2028 one line\nINSERT INTO daily SIZE 10 KEYS a,b;\r\nINSERT INTO '🛒' SIZE 5;\n"


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def without_lenses() -> types.ClientCapabilities:
    """Eglot and Helix: documents can be shown, code lenses cannot."""
    capabilities = neovim()
    assert capabilities.text_document is not None
    capabilities.text_document.code_lens = None
    return capabilities


def with_command_links() -> types.ClientCapabilities:
    capabilities = vscode()
    capabilities.experimental = {"keepstate": {"commands": ["keepstate.compare"], "commandLinks": True}}
    return capabilities


def on_disk(uri: str) -> str:
    """The text of a document that any client can open, and none can change by accident."""
    path = Path(path_of(uri) or "")
    assert not os.stat(path).st_mode & 0o222
    return path.read_bytes().decode()


async def test_a_lens_opens_both_texts_at_its_own_query(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 5", "SIZE 7")
        for lens in await editor.lenses(uri):
            assert lens.command is not None and lens.command.command == "keepstate.compareText"
            answer = await editor.command(lens.command.command, *lens.command.arguments or [])
            shown = editor.client.shown_documents[-1]
            assert shown.uri == answer["uri"] and shown.selection is not None
            lines = on_disk(shown.uri).split("\n")
            assert lines[shown.selection.start.line] == "-INSERT INTO '🛒' SIZE 5;"
        assert lines[0].startswith("--- HEAD (") and lines[1] == "+++ shop.sql, as it is now"
        changed = lines.index("+INSERT INTO '🛒' SIZE 7;")
        assert lines[changed + 1].startswith("# incompatible [window-size-changed]:")


async def test_a_client_that_opens_nothing_is_sent_the_path(job: Path, cache: Path) -> None:
    async with editing(minimal(), job.parent, cache) as editor:
        uri = editor.open(job)
        answer = await editor.command("keepstate.compareText", uri)
        assert [message.message for message in editor.client.messages] == [answer["uri"]]
        assert "# The texts are the same." in on_disk(answer["uri"])


@pytest.mark.parametrize("client", [neovim, minimal, vscode])
async def test_a_hover_links_to_both_texts(
    client: Callable[[], types.ClientCapabilities], job: Path, cache: Path
) -> None:
    async with editing(client(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        hover = await editor.hover(uri, "20")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        text = hover.contents.value
        start = text.index("file:", text.index("Compare with HEAD ("))
        diff = on_disk(text[start:].split("\n")[0].rstrip(">)"))
        assert "-INSERT INTO daily SIZE 10 KEYS a,b;" in diff and "+INSERT INTO daily SIZE 20 KEYS a,b;" in diff
        unchanged = await editor.hover(uri, "SIZE 5")
        assert unchanged is not None and isinstance(unchanged.contents, types.MarkupContent)
        assert "Compare with" not in unchanged.contents.value


async def test_a_hover_links_to_the_clients_own_comparison(job: Path, cache: Path) -> None:
    async with editing(with_command_links(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        hover = await editor.hover(uri, "20")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        link = hover.contents.value.partition("(<command:keepstate.compare?")[2].partition(">)")[0]
        (target,) = json.loads(unquote(link))
        assert target["uri"] == uri and target["baselineUri"].startswith("keepstate-baseline:///")
        assert not list(cache.glob("**/*.diff"))


async def test_related_places_are_in_a_file_of_the_baseline(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        (found,) = await editor.pushed(uri, editor.replace(uri, "SIZE 10", "SIZE 20"))
        (related,) = found.related_information or []
        assert on_disk(related.location.uri) == JOB
        assert editor.cut(JOB, related.location.range) == "10"


async def test_the_light_bulb_compares_where_there_are_no_lenses(job: Path, cache: Path) -> None:
    for client, expected in ((neovim, 0), (without_lenses, 1)):
        async with editing(client(), job.parent, cache) as editor:
            uri = editor.open(job)
            editor.replace(uri, "SIZE 10", "SIZE 20")
            found = [one for one in await editor.actions(uri, "20") if one.title.startswith("Compare with HEAD (")]
            assert len(found) == expected
            for action in found:
                assert action.command is not None
                await editor.command(action.command.command, *action.command.arguments or [])
                assert on_disk(editor.client.shown_documents[-1].uri).startswith("--- HEAD (")


async def test_a_copy_is_no_job(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        answer = await editor.command("keepstate.compareText", uri)
        copy = editor.open(Path(path_of(answer["uri"]) or ""), language="flink-sql")
        assert copy == uri_of(path_of(answer["uri"]) or "") and await editor.lenses(copy) == []
