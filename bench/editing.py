"""An editor at work: documents that are edited while the server has other things to do."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import long_jobs
from language_server import KEEPSTATE, Client

PATIENCE = 300.0
"""Seconds to wait for an answer; a benchmark that hangs says so."""


class Editor:
    """A client with a thread of its own that notes when a message arrives, so that nothing has to wait for anything."""

    def __init__(
        self, folder: Path, capabilities: Mapping[str, Any] | None = None, command: Sequence[str] = KEEPSTATE
    ) -> None:
        self._client = Client([*command], folder)
        self._news = threading.Condition()
        self._published: dict[str, tuple[int, float]] = {}
        """The newest version that came of each document, and when."""
        self._answers: dict[int, Any] = {}
        self._asked = 0
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        self._client.initialize({"workspaceFolders": folders, "capabilities": capabilities or {}})
        threading.Thread(target=self._listen, daemon=True).start()
        self.notify("initialized", {})

    @property
    def server(self) -> int:
        """The process id of the server."""
        return self._client.pid

    def notify(self, method: str, params: Any) -> None:
        self._client.send(method, params)

    def ask(self, method: str, params: Any) -> Any:
        self._asked += 1
        number = 1000 + self._asked
        self._client.send(method, params, number)
        with self._news:
            self._wait(lambda: number in self._answers, method)
            return self._answers.pop(number)

    def published(self, uri: str, version: int) -> float:
        """The time of the diagnostics of a version, or of a later one that took its place."""
        with self._news:
            self._wait(lambda: self._published.get(uri, (-1, 0.0))[0] >= version, f"{uri}, version {version}")
            return self._published[uri][1]

    def published_after(self, uri: str, moment: float) -> float:
        """The time of the first diagnostics of a document that came after a moment, of whichever version."""
        with self._news:
            self._wait(lambda: self._published.get(uri, (-1, 0.0))[1] > moment, f"{uri}, since {moment}")
            return self._published[uri][1]

    def close(self) -> None:
        self.ask("shutdown", None)
        self.notify("exit", None)
        self._client.close()

    def _wait(self, condition: Any, what: str) -> None:
        if not self._news.wait_for(condition, PATIENCE):
            raise TimeoutError(f"no answer about {what}")

    def _listen(self) -> None:
        while True:
            try:
                message = self._client.receive()
            except EOFError:
                return
            now = time.perf_counter()
            with self._news:
                if "id" in message:
                    self._answers[message["id"]] = message.get("result")
                elif message["method"] == "textDocument/publishDiagnostics" and "version" in message["params"]:
                    self._published[message["params"]["uri"]] = message["params"]["version"], now
                self._news.notify_all()


class Typist:
    """Types in one open document, at all places of a long script in turn: no text ever comes twice."""

    def __init__(self, editor: Editor, path: Path, lines: int) -> None:
        self._editor = editor
        self._uri = path.as_uri()
        self._places = long_jobs.keystrokes(lines)
        self._script = long_jobs.script(lines)
        self._typed = 0
        self._undo: dict[str, Any] | None = None
        document = {"uri": self._uri, "languageId": "sql", "version": 0, "text": self._script}
        editor.notify("textDocument/didOpen", {"textDocument": document})
        editor.published(self._uri, 0)

    def type(self) -> float:
        """Make a keystroke without waiting for anything; when that was."""
        # Eight keystrokes at one place, then on to the next one.
        place = self._places[self._typed // 8 % len(self._places)]
        written = place.form.format(100_000 + self._typed)
        replaced = self._script[len(place.head) : len(self._script) - len(place.tail)]
        line, column = place.head.count("\n"), len(place.head) - place.head.rindex("\n") - 1
        changes = [] if self._undo is None else [self._undo]
        changes.append(_replacing(line, column, replaced, written))
        self._undo = _replacing(line, column, written, replaced)
        self._typed += 1
        document = {"uri": self._uri, "version": self._typed}
        began = time.perf_counter()
        self._editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return began

    def see(self) -> float:
        """The time of the findings of the last keystroke."""
        return self._editor.published(self._uri, self._typed)

    def keystroke(self) -> float:
        """Seconds from a keystroke to its findings."""
        began = self.type()
        return self.see() - began


def _replacing(line: int, column: int, old: str, new: str) -> dict[str, Any]:
    start, end = {"line": line, "character": column}, {"line": line, "character": column + len(old)}
    return {"range": {"start": start, "end": end}, "text": new}


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[max(math.ceil(len(times) * share) - 1, 0)]
