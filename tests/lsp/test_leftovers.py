"""Nothing of a message stays in the server when it was handled."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from concurrent.futures import Future
from pathlib import Path

from lsprotocol import types

from keepstate_lsp.lsp.base_protocol.framing import Message
from keepstate_lsp.lsp.language_server import KeepstateServer
from keepstate_lsp.lsp.server import language_server
from standin import StandIn

URI = "untitled:job.sql"


class Wire:
    """Takes what the server sends."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def write(self, data: bytes) -> None:
        self.sent.append(data.decode())

    def close(self) -> None:
        pass


def futures() -> int:
    gc.collect()
    return sum(isinstance(one, (Future, asyncio.Future)) for one in gc.get_objects())


async def settled(most: int) -> int:
    """Count the futures once at most `most` are left, or after 30 seconds: a leftover stays for good."""
    deadline = time.monotonic() + 30
    while (count := futures()) > most and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    return count


async def converse(server: KeepstateServer, notifications: list[tuple[str, object]]) -> None:
    for method, params in notifications:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        server.protocol.received(Message(json.loads(json.dumps(message))))
        await asyncio.sleep(0)


def change(version: int) -> tuple[str, object]:
    document = {"uri": URI, "version": version}
    return types.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": document, "contentChanges": [{"text": f"{version}"}]}


def test_notifications_leave_no_futures(tmp_path: Path) -> None:
    async def play() -> tuple[int, int]:
        server = language_server(StandIn(), cache=tmp_path, poll_seconds=1000)
        server.protocol.set_writer(Wire())
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
        server.protocol.received(Message(begin))
        opened = {"uri": URI, "languageId": "sql", "version": 0, "text": ""}
        await converse(
            server, [("initialized", {}), (types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": opened}), change(1)]
        )
        before = futures()
        saved = (types.TEXT_DOCUMENT_DID_SAVE, {"textDocument": {"uri": URI}})
        for version in range(2, 102):
            await converse(server, [change(version), saved])
            # A save is handled when the check it asked for is done; what is on its way is no leftover.
            await server.session.analysis(URI)
        after = await settled(before + 10)
        server.end()
        server.clean_up()
        return before, after

    before, after = asyncio.run(play())
    assert after <= before + 10
