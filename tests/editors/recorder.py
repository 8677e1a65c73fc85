"""A server between an editor and Keepstate that writes down each answer with diagnostics, as a line of JSON.

    recorder.py RECORD COMMAND...

A line has the ``uri``, the ``diagnostics`` as pairs of rule and sentence, and ``pause``: the longest time between two
changes, or behind the last one, since the line before, in seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

STALE = " (from the last text"


def messages(stream: BinaryIO) -> Iterator[tuple[bytes, Any]]:
    """The messages of the base protocol, as bytes and as JSON."""
    while head := stream.readline():
        length = 0
        whole = head
        while head.strip():
            if head.lower().startswith(b"content-length:"):
                length = int(head.split(b":")[1])
            head = stream.readline()
            whole += head
        body = stream.read(length)
        yield whole + body, json.loads(body)


class Recorder:
    def __init__(self, record: Path) -> None:
        self._record = record
        self._asked: dict[object, str] = {}
        """The documents of pull requests, by the id of the request."""
        self._changed = time.monotonic()
        self._pause = 0.0

    def sent(self, message: Any) -> None:
        if message.get("method") == "textDocument/didChange":
            self._pause = self._longest_pause()
            self._changed = time.monotonic()
        if message.get("method") == "textDocument/diagnostic":
            self._asked[message["id"]] = message["params"]["textDocument"]["uri"]

    def answered(self, message: Any) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self._write(message["params"]["uri"], message["params"]["diagnostics"])
        elif "method" not in message and message.get("id") in self._asked:
            uri = self._asked.pop(message["id"])
            if "items" in (message.get("result") or {}):
                self._write(uri, message["result"]["items"])

    def _longest_pause(self) -> float:
        return max(self._pause, time.monotonic() - self._changed)

    def _write(self, uri: str, diagnostics: Any) -> None:
        found = [[one.get("code"), one["message"].partition(STALE)[0]] for one in diagnostics]
        pause, self._pause = self._longest_pause(), 0.0
        with self._record.open("a") as record:
            record.write(json.dumps({"uri": uri, "diagnostics": found, "pause": pause}) + "\n")


def main(record: str, *command: str) -> None:
    recorder = Recorder(Path(record))
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    to_server, from_server = server.stdin, server.stdout
    assert to_server is not None and from_server is not None

    def forward() -> None:
        for raw, message in messages(sys.stdin.buffer):
            recorder.sent(message)
            to_server.write(raw)
            to_server.flush()
        to_server.close()

    threading.Thread(target=forward, daemon=True).start()
    for raw, message in messages(from_server):
        recorder.answered(message)
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
    sys.exit(server.wait())


if __name__ == "__main__":
    main(*sys.argv[1:])
