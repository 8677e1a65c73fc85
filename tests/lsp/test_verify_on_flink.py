"""A restart on Flink asked for in the editor: the real server, the real command, a real Flink."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from lsprotocol import types

from editor import editing, vscode
from keepstate_flink.installation import NEWEST, cache, full_version
from keepstate_lsp.analysis.virtual_documents import RUNS
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import SERVER
from watching import Watch, asked, processes, until

VERSION, FLINKS = full_version(NEWEST), cache()
pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
]
TITLE = "on a real Flink"
JOB = """\
CREATE TABLE orders (shop STRING, amount INT, paid DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'orders');
CREATE TABLE revenue (shop STRING, total DOUBLE) WITH ('connector' = 'print');
INSERT INTO revenue SELECT shop, SUM(amount) FROM orders GROUP BY shop;
"""
METRIC = ("SUM(amount)", "SUM(paid)")


@pytest.fixture
def orders(repository: GitRepository, tmp_path: Path) -> GitRepository:
    """A repository, beside a folder of caches that has the Flink of this machine."""
    repository.commit({"orders.sql": JOB, "keepstate.toml": 'engine = "flink"\n'})
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "keepstate-flink").symlink_to(FLINKS)
    return repository


async def test_a_restart_is_measured_or_ended(orders: GitRepository, tmp_path: Path) -> None:
    own = tmp_path / "cache"
    runs = own / "keepstate" / RUNS
    capabilities = vscode()
    assert capabilities.window is not None
    capabilities.window.work_done_progress = True
    with suppress(ConnectionError):
        async with editing(capabilities, orders.folder, own, command=SERVER) as editor:
            uri = editor.open(orders.folder / "orders.sql", JOB.replace(*METRIC))
            watch = Watch(editor, TITLE)
            found = plain(await asked(editor, "keepstate.verify", uri, {"wait": True}))
            line = f"Measured on Flink {VERSION}: does not start"
            assert f"orders.sql on Flink {VERSION}: INSERT INTO revenue: does not start." in found["sentence"]
            assert {f"Flink {VERSION} is started", "INSERT INTO revenue"} <= set(watch.said)
            (lens,) = [lens.command.title for lens in await editor.lenses(uri) if lens.command is not None]
            assert lens.endswith(line)
            hover = await editor.hover(uri, "SUM(paid)")
            assert hover is not None
            assert f"**Measured on Flink {VERSION}:** does not start." in getattr(hover.contents, "value", "")
            assert not list(runs.iterdir())

            watch = Watch(editor, TITLE)
            running = asyncio.ensure_future(asked(editor, "keepstate.verify", uri, {"wait": True}))
            await watch.until("Flink plans both versions")
            assert any("java" in process for process in processes(runs))
            editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(watch.tokens[0]))
            assert plain(await running) == {"cancelled": True}
            assert not processes(runs)
            assert not list(runs.iterdir())

            watch = Watch(editor, TITLE)
            await editor.command("keepstate.verify", uri)
            await watch.until("Flink plans both versions")
            assert editor.client._server is not None
            editor.client._server.kill()
            raise ConnectionError
    await until(lambda: not processes(runs))
