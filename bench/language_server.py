"""The language server as an editor sees it: how long it takes to start, and to answer one keystroke."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import job_folders
import long_jobs
from processes import cpu_of_threads

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

    @property
    def pid(self) -> int:
        return self._server.pid

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

    def initialize(self, more: Mapping[str, Any] | None = None) -> None:
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **(more or {})}, 1)
        self.receive()

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def starts(folder: Path, rounds: int) -> tuple[float, float, float]:
    """Median milliseconds of CPU of a server from its start to its first response: a bare one, and ours; and of ours
    from there to the first findings of a short job.
    """
    program = folder / "bare.py"
    program.write_text(BARE)
    repository = folder / "short"
    repository.mkdir()
    (repository / "job.sql").write_text(job_folders.job(0))
    job_folders.commit_all(repository)
    bare, ours, findings = [], [], []
    for _ in range(rounds):
        bare.append(_start([sys.executable, str(program)], folder)[0])
        first, more = _start(KEEPSTATE, repository, job_folders.edited(0))
        ours.append(first)
        findings.append(more)
    return statistics.median(bare) * 1000, statistics.median(ours) * 1000, statistics.median(findings) * 1000


def _start(command: list[str], folder: Path, text: str | None = None) -> tuple[float, float]:
    """Seconds of CPU until the answer to ``initialize``, and from there to the findings of a text."""
    client = Client(command, folder)
    client.initialize()
    first = then = cpu_of_threads(client.pid)
    if text is not None:
        client.send("initialized", {})
        document = {"uri": (folder / "job.sql").as_uri(), "languageId": "sql", "version": 0, "text": text}
        client.send("textDocument/didOpen", {"textDocument": document})
        client.receive_about(0)
        then = cpu_of_threads(client.pid)
    client.close()
    return first, then - first


def keystrokes(folder: Path, sizes: tuple[int, ...], rounds: int) -> dict[str, dict[int, float]]:
    """Median milliseconds from a change to its diagnostics, by place and by the lines of the script.

    One server for each size; they are asked in turn, so that other work on the machine weighs on all of them.
    """
    editors = {lines: _Editor(folder / f"lines_{lines}", lines) for lines in sizes}
    medians: dict[str, dict[int, float]] = {}
    for number, place in enumerate(long_jobs.keystrokes(sizes[0])):
        times: dict[int, list[float]] = {lines: [] for lines in sizes}
        for editor in editors.values():
            editor.go_to(number)
        for _ in range(rounds + 2):
            for lines, editor in editors.items():
                times[lines].append(editor.keystroke())
        medians[place.what] = {lines: statistics.median(times[lines][2:]) * 1000 for lines in sizes}
    for editor in editors.values():
        editor.close()
    return medians


class _Editor:
    """A server with a long script open, committed in a repository of its own."""

    def __init__(self, repository: Path, lines: int) -> None:
        self._places = long_jobs.keystrokes(lines)
        self._version = 0
        self._line = self._column = self._number = 0
        repository.mkdir()
        path = repository / "job.sql"
        path.write_text(long_jobs.script(lines))
        job_folders.commit_all(repository)
        self._uri = path.as_uri()
        self._client = Client(KEEPSTATE, repository)
        self._client.initialize()
        self._client.send("initialized", {})
        document = {"uri": self._uri, "languageId": "sql", "version": 0, "text": long_jobs.script(lines)}
        self._client.send("textDocument/didOpen", {"textDocument": document})
        self._client.receive_about(0)

    def go_to(self, number: int) -> None:
        """Have the text of a place with the number 100, which the next keystrokes count up: all have three digits."""
        place = self._places[number]
        self._number = 100
        self._line = place.head.count("\n")
        self._column = len(place.head) - place.head.rindex("\n") - 1 + place.form.index("{}")
        self._change({"text": place.script(self._number)})

    def keystroke(self) -> float:
        """Seconds from a change to its diagnostics; no text is ever seen twice."""
        self._number += 1
        range_ = {
            "start": {"line": self._line, "character": self._column},
            "end": {"line": self._line, "character": self._column + 3},
        }
        began = time.perf_counter()
        self._change({"range": range_, "text": str(self._number)})
        return time.perf_counter() - began

    def _change(self, change: dict[str, Any]) -> None:
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        self._client.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self._client.receive_about(self._version)

    def close(self) -> None:
        self._client.close()
