"""The language server as an editor sees it: how long it takes to start, and to answer one keystroke."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import long_jobs

BARE = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(params):
    pass


server.start_io()
"""
KEEPSTATE = [sys.executable, "-m", "keepstate_lsp"]


class Client:
    """The thinnest client there is, so that its own time does not count."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        size = 0
        while header := self._server.stdout.readline().strip():
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
        if not size:
            raise EOFError("the server has ended")
        message: dict[str, Any] = json.loads(self._server.stdout.read(size))
        return message

    def receive_about(self, version: int) -> dict[str, Any]:
        """The parameters of the message about this version of the document."""
        while True:
            params: dict[str, Any] = self.receive().get("params") or {}
            if params.get("version") == version:
                return params

    def initialize(self) -> None:
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
        self.receive()

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def starts(folder: Path, rounds: int) -> tuple[float, float]:
    """Median milliseconds from spawning a server to its first response: a bare one, and ours."""
    program = folder / "bare.py"
    program.write_text(BARE)
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(_start([sys.executable, str(program)], folder))
        ours.append(_start(KEEPSTATE, folder))
    return statistics.median(bare) * 1000, statistics.median(ours) * 1000


def _start(command: list[str], folder: Path) -> float:
    began = time.perf_counter()
    client = Client(command, folder)
    client.initialize()
    took = time.perf_counter() - began
    client.close()
    return took


def keystrokes(folder: Path, lines: int, rounds: int) -> dict[str, float]:
    """Median milliseconds from a change to its diagnostics, per place; no text is ever seen twice."""
    repository = folder / f"repository_{lines}"
    repository.mkdir()
    path = repository / "job.sql"
    path.write_text(long_jobs.script(lines))
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "job"]):
        subprocess.run(["git", *identity, *arguments], cwd=repository, check=True)
    client = Client(KEEPSTATE, repository)
    client.initialize()
    client.send("initialized", {})
    medians = {}
    version = 0
    document = {"uri": path.as_uri(), "languageId": "sql", "version": version, "text": long_jobs.script(lines)}
    client.send("textDocument/didOpen", {"textDocument": document})
    client.receive_about(version)
    for place in long_jobs.keystrokes(lines):
        version += 1
        whole = {"textDocument": {"uri": path.as_uri(), "version": version}}
        client.send("textDocument/didChange", {**whole, "contentChanges": [{"text": place.script(100)}]})
        client.receive_about(version)
        line = place.head.count("\n")
        column = len(place.head) - place.head.rindex("\n") - 1 + place.form.index("{}")
        # All numbers have three digits.
        range_ = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 3}}
        times = []
        for number in range(101, 101 + rounds + 2):
            version += 1
            change = {"range": range_, "text": str(number)}
            params = {"textDocument": {"uri": path.as_uri(), "version": version}, "contentChanges": [change]}
            began = time.perf_counter()
            client.send("textDocument/didChange", params)
            client.receive_about(version)
            times.append(time.perf_counter() - began)
        medians[place.what] = statistics.median(times[2:]) * 1000
    client.close()
    return medians
