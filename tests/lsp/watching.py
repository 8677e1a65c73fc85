"""Commands that take their time, watched: what the client shows of them, and the processes that they start."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from editor import Editor
from keepstate_lsp.lsp.convert import plain

PATIENCE = 150
"""Seconds for a JVM to start and to answer, on a machine that has other things to do."""


class Watch:
    """The progress that the client shows under a title with a word."""

    def __init__(self, editor: Editor, word: str) -> None:
        self.said: list[str] = []
        self.tokens: list[Any] = []
        self.ended = False
        self._news = asyncio.Event()

        features = editor.client.protocol.fm.features
        known = features[types.PROGRESS]

        def progress(params: types.ProgressParams) -> None:
            value = plain(params.value)
            # The check of the workspace shows one too.
            if value["kind"] == "begin" and word in value["title"]:
                self.said.append(value["title"])
                self.tokens.append(params.token)
            elif params.token in self.tokens:
                self.said.append(value.get("message") or "")
                self.ended = value["kind"] == "end"
            self._news.set()
            known(params)

        features[types.PROGRESS] = progress

    async def until(self, words: str) -> None:
        while not any(words in said for said in self.said):
            await self._next()

    async def until_ended(self) -> None:
        while not self.ended:
            await self._next()

    async def _next(self) -> None:
        self._news.clear()
        await asyncio.wait_for(self._news.wait(), PATIENCE)


async def asked(editor: Editor, name: str, *arguments: Any) -> Any:
    """The answer to a command that takes its time."""
    request = editor.client.workspace_execute_command_async(types.ExecuteCommandParams(name, list(arguments)))
    return await asyncio.wait_for(request, PATIENCE)


def processes(folder: Path) -> list[str]:
    """The command lines of processes that work in ``folder``."""
    listed = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]


async def until(condition: Callable[[], object]) -> None:
    """Wait for what no event tells of: the beginning and the end of processes that are not ours."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
