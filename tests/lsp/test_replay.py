"""A restart replayed from the editor: the real server, the real command, a small Spark."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import class_archive
from editor import Editor, editing, vscode
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.analysis.virtual_documents import RUNS
from keepstate_lsp.lsp.convert import plain
from program_starts import SERVER
from repositories import GitRepository
from watching import Watch, asked, processes, until

pytestmark = pytest.mark.asyncio


SPARKLESS = (
    sys.executable,
    "-c",
    "import sys; sys.modules['pyspark'] = None\nfrom keepstate_lsp.lsp.launch import main\nsys.exit(main())",
)
JOB = """\
CREATE TABLE orders (
  category STRING,
  amount INT,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
INSERT INTO revenue
SELECT window_start, category, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, category;
"""
METRIC = ("SUM(amount) AS gmv", "MAX(amount) AS most, SUM(amount) AS gmv")
EDITED = JOB.replace(*METRIC)
RESTART = "2026-03-01 10:20"
SETTINGS = '[replay]\ndata = { orders = "samples" }\n'


def rows() -> str:
    """One row a minute, of two categories in turn. The dearest of both comes before the restart: `most` is wrong for
    both.
    """
    start = datetime(2026, 3, 1, 9)
    found = []
    for minute in range(150):
        row = {"category": "ab"[minute % 2], "amount": 100 - minute % 60, "order_time": None}
        row["order_time"] = (start + timedelta(minutes=minute)).isoformat(" ")
        found.append(json.dumps(row))
    return "\n".join(found)


@pytest.fixture(autouse=True)
def archived_classes() -> Iterator[None]:
    """The JVMs of commands need not read each class from a jar."""
    with class_archive.in_use():
        yield


@pytest.fixture
def shop(repository: GitRepository) -> GitRepository:
    repository.commit({"shop.sql": JOB, "samples/orders.jsonl": rows()})
    return repository


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def at_work(shop: GitRepository, cache: Path, command: tuple[str, ...] = SERVER) -> AbstractAsyncContextManager[Editor]:
    capabilities = vscode()
    assert capabilities.window is not None
    capabilities.window.work_done_progress = True
    return editing(capabilities, shop.folder, cache, command=command)


async def test_what_is_typed_is_replayed(shop: GitRepository, cache: Path) -> None:
    """The text of the editor, rows that the configuration names, a line on what was found for as long as it holds."""
    shop.write("keepstate.toml", SETTINGS)
    async with at_work(shop, cache) as editor:
        watch = Watch(editor, "replaying")
        uri = editor.open(shop.folder / "shop.sql", EDITED)
        settings = plain(await editor.command("keepstate.replaySettings", uri))
        samples = str(shop.folder / "samples")
        assert settings == {
            "restartAt": None,
            "data": {"orders": samples},
            "arrival": {},
            "missing": [],
            "refused": None,
        }

        assert (
            plain(await editor.command("keepstate.replay", uri, {"restartAt": "2027-01-01"}))["restartAt"]
            == "2027-01-01"
        )
        await watch.until_ended()
        said = await editor.message("lies after all rows of INSERT INTO revenue")
        assert "--" not in said.message
        assert plain(await editor.command("keepstate.replaySettings", uri))["restartAt"] == "2026-03-01 10:14:30"

        watch = Watch(editor, "replaying")
        running = asyncio.ensure_future(asked(editor, "keepstate.replay", uri, {"restartAt": RESTART, "wait": True}))
        await watch.until("Spark is started")
        with pytest.raises(JsonRpcException, match="running already"):
            await editor.command("keepstate.replay", uri, {"restartAt": RESTART})
        found = plain(await running)
        line = "100 % of the results of most are wrong until 11:00"
        assert found["sentence"] == f"shop.sql, restart at {RESTART}: {line}."
        assert not found["cancelled"] and not found["stale"]
        assert watch.ended and watch.said[0].startswith("Keepstate: replaying a restart of shop.sql")
        assert any("INSERT INTO revenue" in said for said in watch.said)
        report = Path(path_of(found["folder"]) or "")
        summary = json.loads((report / "summary.json").read_text())
        assert summary["baseline"].startswith("HEAD (")
        page = Path(path_of(found["page"]) or "").read_text()
        assert "--against HEAD" in page and str(cache) not in page
        assert [path.name for path in report.parent.iterdir()] == ["report"]
        assert plain(await editor.command("keepstate.replaySettings", uri))["restartAt"] == RESTART

        async def shown() -> tuple[bool, bool]:
            hover = await editor.hover(uri, "MAX(amount)")
            lenses = [lens.command.title for lens in await editor.lenses(uri) if lens.command is not None]
            text = str(hover.contents) if hover is not None else ""
            return f"Replayed at {RESTART}:** {line}" in text, any(f"Replayed: {line}" in title for title in lenses)

        assert await shown() == (True, True)
        editor.replace(uri, "'1' HOUR", "'2' HOUR")
        assert await shown() == (False, False)
        editor.replace(uri, "'2' HOUR", "'1' HOUR")
        assert await shown() == (True, True)
    assert not processes(cache)


async def test_cancel_leaves_nothing(shop: GitRepository, cache: Path) -> None:
    shop.write("keepstate.toml", SETTINGS)
    async with at_work(shop, cache) as editor:
        watch = Watch(editor, "replaying")
        uri = editor.open(shop.folder / "shop.sql", EDITED)
        running = asyncio.ensure_future(asked(editor, "keepstate.replay", uri, {"restartAt": RESTART, "wait": True}))
        # By now Spark computes.
        await watch.until("INSERT INTO revenue")
        assert any("java" in line for line in processes(cache))
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(watch.tokens[0]))
        assert plain(await running) == {"cancelled": True}
        assert not processes(cache)
        assert list((cache / "keepstate" / RUNS).iterdir()) == []
        assert await editor.command("keepstate.cancelReplay", uri) is False


@pytest.mark.skipif(os.name == "nt", reason="needs ps")
async def test_a_killed_server_takes_its_replay_with_it(shop: GitRepository, cache: Path) -> None:
    shop.write("keepstate.toml", SETTINGS)
    with suppress(ConnectionError):
        async with at_work(shop, cache) as editor:
            uri = editor.open(shop.folder / "shop.sql", EDITED)
            await editor.command("keepstate.replay", uri, {"restartAt": RESTART})
            await until(lambda: processes(cache))
            assert editor.client._server is not None
            editor.client._server.kill()
            raise ConnectionError
    await until(lambda: not processes(cache))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "When is the restart"),
    ({"restartAt": "noon"}, "'noon' is no time: write it like"),
    ({"restartAt": RESTART}, "Nobody says where the rows of orders are.* data = { orders = 'samples/orders' }"),
    ({"restartAt": RESTART, "data": {"orders": "s3://shop/orders"}}, "data of orders must be on this machine"),
    ({"restartAt": RESTART, "data": ["orders"]}, "data must be an object"),
    ({"restartAt": RESTART, "data": {"orders": "nowhere"}, "wait": True}, "nowhere, and there is nothing"),
    ({"restartAt": RESTART, "data": {"orders": "samples"}, "arrival": {"orders": 3}}, "arrival must be an object"),
]


async def test_what_cannot_be_replayed(shop: GitRepository, cache: Path) -> None:
    async with at_work(shop, cache) as editor:
        uri = editor.open(shop.folder / "shop.sql", EDITED)
        for options, says in REFUSED:
            with pytest.raises(JsonRpcException, match=says):
                await asked(editor, "keepstate.replay", uri, options)
        editor.replace(uri, "GROUP BY", "GROUP BY (")
        with pytest.raises(JsonRpcException, match=r"cannot be replayed: Flink refuses it\. "):
            await editor.command("keepstate.replay", uri, {"restartAt": RESTART})
        uri = editor.open(shop.write("new.sql", JOB))
        with pytest.raises(JsonRpcException, match=r"new\.sql has no baseline to restart from"):
            await editor.command("keepstate.replay", uri, {"restartAt": RESTART})
        assert not list(cache.glob(f"keepstate/{RUNS}/*"))


async def test_without_spark_it_says_how_to_get_it(shop: GitRepository, cache: Path) -> None:
    async with at_work(shop, cache, SPARKLESS) as editor:
        uri = editor.open(shop.folder / "shop.sql", EDITED)
        with pytest.raises(JsonRpcException, match=r"pip install '\.\[spark\]'"):
            await editor.command("keepstate.replay", uri, {"restartAt": RESTART})
        assert "pip install '.[spark]'" in plain(await editor.command("keepstate.replaySettings", uri))["refused"]
