"""A client that writes bytes: for what no client library sends."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from program_starts import STANDIN, Popen

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
"""Codes of errors, of JSON-RPC."""

SECONDS = 120
"""Nothing here takes a second; a machine under load may."""
INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


class RawClient:
    """A server with the stand-in, and what it says. Use it in a ``with`` block, which ends the server."""

    def __init__(self, cache: Path, poll_seconds: float = 3600, **environment: str) -> None:
        self._server = Popen(
            [sys.executable, str(STANDIN), str(cache), str(poll_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), **environment},
        )
        self._said: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._numbers = 0
        self._answers: list[dict[str, Any]] = []
        self.notifications: list[dict[str, Any]] = []
        """Notifications that came before an answer."""
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.kill()
        self._server.wait()

    def write(self, data: bytes) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(data)
        self._server.stdin.flush()

    def send(self, message: object) -> None:
        self.write(framed(message))

    def request(self, method: str, params: object = None, **more: Any) -> int:
        """Ask; the id under which the answer comes."""
        self._numbers += 1
        given = {} if params is None else {"params": params}
        self.send({"jsonrpc": "2.0", "id": self._numbers, "method": method, **given, **more})
        return self._numbers

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def answer(self, identity: object) -> dict[str, Any]:
        """The response to a request; ``None`` is the id of one to what was no request."""
        while not any(_answers(said, identity) for said in self._answers):
            said = self._said.get(timeout=SECONDS)
            assert said is not None, "the server ended"
            (self.notifications if "method" in said else self._answers).append(said)
        found = next(said for said in self._answers if _answers(said, identity))
        self._answers.remove(found)
        return found

    def asked(self, method: str) -> dict[str, Any]:
        """The first request, or notification, of the server with a method."""
        while not any(said["method"] == method for said in self.notifications):
            said = self._said.get(timeout=SECONDS)
            assert said is not None, "the server ended"
            (self.notifications if "method" in said else self._answers).append(said)
        return next(said for said in self.notifications if said["method"] == method)

    def ask(self, method: str, params: object = None, **more: Any) -> dict[str, Any]:
        return self.answer(self.request(method, params, **more))

    def begin(self) -> None:
        """Initialize, and say so."""
        assert "result" in self.ask("initialize", INITIALIZE)
        self.notify("initialized", {})

    def is_well(self) -> bool:
        """Return whether the server still answers."""
        return "result" in self.ask("textDocument/hover", hover("untitled:none"))

    def ended(self) -> int:
        """The exit status, once the server has ended by itself."""
        return self._server.wait(SECONDS)

    def signal(self, number: int) -> None:
        self._server.send_signal(number)

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()

    def _listen(self) -> None:
        stream = self._server.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._said.put(json.loads(stream.read(length)))
        self._said.put(None)


def _answers(said: dict[str, Any], identity: object) -> bool:
    # 1 and True are equal.
    return "id" in said and repr(said["id"]) == repr(identity)


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def hover(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


def code(answer: dict[str, Any]) -> int | None:
    """The code of an error, which has words and no traceback; ``None`` for a result."""
    error = answer.get("error")
    assert answer["jsonrpc"] == "2.0" and "id" in answer and (error is None) == ("result" in answer), answer
    if error is None:
        return None
    assert error["message"] and "Traceback" not in json.dumps(error), error
    return int(error["code"])
