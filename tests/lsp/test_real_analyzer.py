"""The server as it is shipped: `python -m keepstate_lsp`, the real analyzer, real git."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, Editor, editing, neovim, vscode
from keepstate_lsp.documents import path_of
from repositories import GitRepository

pytestmark = pytest.mark.asyncio

SERVER = (sys.executable, "-m", "keepstate_lsp")
JOB = """\
CREATE TABLE orders (
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

/* Revenue by category. \u2028 A line separator is no line break. \x0c Nor is a form feed. */
INSERT INTO revenue
SELECT window_start, category, '🛒' AS icon, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO products
SELECT window_start, category, product, COUNT(*) AS sold
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY category, product, window_start, window_end;
"""
METRIC = ("'🛒' AS icon, SUM", "'🛒' AS icon, COUNT(*) AS sold, SUM")
SIZE = ("INTERVAL '1' HOUR", "INTERVAL '2' HOUR")


@pytest.fixture(params=["\n", "\r\n"], ids=["lf", "crlf"])
def job(request: pytest.FixtureRequest, repository: GitRepository) -> Path:
    """A committed job; git stores line feeds, whatever the work tree has."""
    repository.commit({"shop.sql": JOB})
    return repository.write("shop.sql", JOB.replace("\n", request.param))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


async def found_in(editor: Editor, uri: str, version: int) -> list[types.Diagnostic]:
    if editor.result.capabilities.diagnostic_provider is not None:
        return await editor.pulled(uri)
    return await editor.pushed(uri, version)


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_from_edit_to_fix(client: Callable[[], types.ClientCapabilities], job: Path, cache: Path) -> None:
    committed = job.read_bytes().decode()
    async with editing(client(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        assert await found_in(editor, uri, 1) == []
        titles = [lens.command.title for lens in await editor.lenses(uri) if lens.command]
        assert len(titles) == 2 and all(re.fullmatch(r"Same meaning as HEAD \(\w{7}\)", title) for title in titles)

        editor.replace(uri, *METRIC)
        version = editor.replace(uri, *SIZE)
        metric, size = await found_in(editor, uri, version)
        assert (editor.text_at(uri, metric.range), metric.code) == ("COUNT(*)", "aggregate-added")
        assert metric.severity == types.DiagnosticSeverity.Warning
        assert (editor.text_at(uri, size.range), size.code) == ("INTERVAL '2' HOUR", "window-size-changed")
        assert size.severity == types.DiagnosticSeverity.Error
        (related,) = size.related_information or []
        assert editor.cut(JOB, related.location.range) == "INTERVAL '1' HOUR"

        hover = await editor.hover(uri, "2' HOUR")
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "**Incompatible** · `window-size-changed`" in hover.contents.value
        assert "INTERVAL '1' HOUR" in hover.contents.value and "**Advice:**" in hover.contents.value
        note = await editor.hover(uri, "order_time), INTERVAL '10'")
        assert note is not None and "umbling windows of 10 minutes" in note.contents.value  # type: ignore[union-attr]

        actions = await editor.actions(uri, "COUNT(*) AS sold, SUM")
        revert = next(action for action in actions if action.title.startswith("Remove COUNT(*)"))
        revert = await editor.client.code_action_resolve_async(revert) if revert.edit is None else revert
        assert revert.edit is not None
        assert editor.applied(uri, revert.edit) == committed.replace(*SIZE)
        titles = [action.title for action in await editor.actions(uri, "INTERVAL '2' HOUR") if action.command is None]
        assert titles and all(title.endswith(("compatible)", "unknown)")) for title in titles)
        assert editor.client.messages == []


async def test_half_typed_text_keeps_what_is_known(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *METRIC)
        version = editor.replace(uri, *SIZE)
        assert len(await editor.pushed(uri, version)) == 2
        version = editor.replace(uri, "SUM(amount) AS gmv", "SUM(amount AS gmv")
        found = await editor.pushed(uri, version)
        stale = [one for one in found if "last text that could be read" in one.message]
        assert [editor.text_at(uri, one.range) for one in stale] == ["COUNT(*)"]
        assert sorted(str(one.code) for one in found) == [
            "aggregate-added",
            "statement-not-read",
            "window-size-changed",
        ]
        # A quote that is not closed turns all strings behind it inside out.
        version = editor.replace(uri, "SUM(amount AS gmv", "SUM(amount) AS 'gmv")
        found = await editor.pushed(uri, version)
        known = [one for one in found if one.code in ("aggregate-added", "window-size-changed")]
        assert [editor.text_at(uri, one.range) for one in known] == ["COUNT(*)", "INTERVAL '2' HOUR"]
        version = editor.replace(uri, "SUM(amount) AS 'gmv", "SUM(amount) AS gmv")
        found = await editor.pushed(uri, version)
        assert [one.code for one in found] == ["aggregate-added", "window-size-changed"]
        assert not [one for one in found if "last text" in one.message]


async def test_every_rule_found_has_a_page(job: Path, cache: Path) -> None:
    async with editing(vscode(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        editor.replace(uri, *SIZE)
        (found,) = await editor.pulled(uri)
        assert found.code_description is not None
        page = path_of(found.code_description.href)
        assert page is not None and "window-size-changed" in Path(page).read_text()


async def test_hostile_texts(job: Path, cache: Path) -> None:
    """Nothing of this ends the server, and the other document stays as it is."""
    texts = [
        "",
        "\0" * 100,
        "SELECT " + "(" * 1000 + "1" + ")" * 1000,
        JOB.replace("SUM", "'SUM"),
        "<<<<<<< HEAD\n" + JOB + "=======\n" + JOB + ">>>>>>> other\n",
        JOB.replace("'10'", "${size}").replace("category", "{{ key }}"),
        "\ud83d" + JOB,
        "SELECT 1;\r" * 500,
    ]
    async with editing(neovim(), job.parent, cache, command=SERVER) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, *SIZE)
        assert len(await editor.pushed(uri, version)) == 1
        other = editor.open(job.with_name("other.fql"), "SELECT 1")
        await editor.pushed(other, 1)
        for text in texts:
            version = editor.change(other, text)
            found = await editor.pushed(other, version)
            assert "internal-error" not in [one.code for one in found], found
        assert editor.client.messages == []
        assert len(await editor.actions(uri, "INTERVAL '2' HOUR")) > 0


async def test_a_loopback_port_for_debugging(cache: Path, isolated_git: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        f"import sys; from keepstate_lsp.server import main; sys.exit(main({port}))",
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    try:
        assert process.stderr is not None
        while b"Serving on" not in await asyncio.wait_for(process.stderr.readline(), SECONDS):
            pass
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for body in (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
            b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
            b'{"jsonrpc":"2.0","method":"exit"}',
        ):
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        answer = await asyncio.wait_for(reader.read(), SECONDS)
        assert b'"positionEncoding":' in answer
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0
    finally:
        if process.returncode is None:
            process.kill()
