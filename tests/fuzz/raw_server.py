"""A real server process that receives bytes, not messages: also bytes that no editor would send."""

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

SECONDS = 120
"""Nothing here takes a second; a machine under load may."""


class Unanswered(AssertionError):
    """The server ended, or did not answer in time; ``args`` hold what it wrote to its standard error."""


class RawServer:
    """``keepstate server`` over stdio, begun in ``folder``."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._asked = 0
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._errors = (cache / "stderr.txt").open("w+b")
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONDEVMODE": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "keepstate_lsp", "server"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=environment, cwd=folder,
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None and self._process.stdout is not None
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            stream.close()

    def send(self, raw: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(raw)
            self._process.stdin.flush()
        except OSError as error:
            raise Unanswered(f"the server has gone: {self.errors()}") from error

    def tell(self, method: str, params: Any) -> None:
        self.send(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """The whole answer, be it a result or an error."""
        self._asked += 1
        id_ = f"ask-{self._asked}"
        self.send(framed({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}))
        return self._answer_to(id_)

    def is_well(self) -> None:
        """Check that the server still answers, as it does to an unknown request.

        Raises:
            Unanswered: there was no answer.
        """
        answer = self.ask("keepstate/noSuchRequest", {})
        assert answer.get("error", {}).get("code") == -32601, answer

    def errors(self) -> str:
        self._errors.flush()
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-4000:]

    def _answer_to(self, id_: str) -> dict[str, Any]:
        while True:
            try:
                message = self._answers.get(timeout=SECONDS)
            except queue.Empty:
                raise Unanswered(f"no answer to {id_}: {self.errors()}") from None
            if message is None:
                raise Unanswered(f"the server has ended: {self.errors()}")
            if message.get("id") == id_ and "method" not in message:
                return message

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
                while stream.readline().strip():
                    pass
                self._answers.put(json.loads(stream.read(length)))
        self._answers.put(None)


def framed(message: Any) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
