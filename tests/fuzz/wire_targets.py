"""A whole session of a server in bytes: framing, order, ids and parameters, right ones and wrong ones.

Each input decides on a session with a server of its own. What the protocol demands of it is known while it is written:
each request is answered once, under its id, with the code that is due; a notification never; and the process ends by
``exit`` or by the end of the stream, with the status of that.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forked_server import ForkedServer
from fuzz_target import Target

SECONDS = 60
"""Until a session ends. None takes five; a machine under load may."""
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002
CANCELLED = -32800
URI = "file:///job.sql"
_TEXT = "INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k"
_DOCUMENT = {"textDocument": {"uri": URI}}
_PLACE = {**_DOCUMENT, "position": {"line": 0, "character": 30}}
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 9}}
REQUESTS: dict[str, Any] = {
    "textDocument/hover": _PLACE,
    "textDocument/codeLens": _DOCUMENT,
    "textDocument/codeAction": {**_DOCUMENT, "range": _RANGE, "context": {"diagnostics": []}},
    "workspace/executeCommand": {"command": "no.such", "arguments": []},
}
NOTIFICATIONS: dict[str, Any] = {
    "textDocument/didOpen": {"textDocument": {"uri": URI, "languageId": "sql", "version": 1, "text": _TEXT}},
    "textDocument/didChange": {
        "textDocument": {"uri": URI, "version": 2},
        "contentChanges": [{"text": f"-- 1\n{_TEXT}"}],
    },
    "textDocument/didSave": _DOCUMENT,
    "textDocument/didClose": _DOCUMENT,
    "workspace/didChangeConfiguration": {"settings": {"keepstate": {"engine": 5}}},
    "$/cancelRequest": {"id": 5},
    "$/setTrace": {"value": "off"},
    "no/such": {},
}
NO_PARAMS = (5, "x", True, [1], {"textDocument": 5}, {"textDocument": {"uri": 5}, "position": {}}, {})
NO_REQUESTS = (
    5,
    "x",
    None,
    True,
    [],
    {},
    {"jsonrpc": "1.0", "method": "shutdown"},
    {"jsonrpc": "2.0", "method": 5, "id": 0.5},
)
NO_JSON = (b"{", b"", b"nope", b'{"jsonrpc":"2.0",', b"\xff\xfe", b"[" * 5_000, b"{}{}"[:3], b"\0")
NO_LENGTHS = ("abc", "-5", "", " ", "1e3", "0x10", "9" * 30, "10 20", "+1")
OTHER_HEADERS = (
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    b"content-type: application/vscode-jsonrpc; charset=utf8\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\n",
    b"X-Other: 5\r\n",
    b"X-Other:\r\n",
)


@dataclass
class Session:
    """The bytes of a session, and what it has to be answered with."""

    chance: random.Random
    sent: bytearray = field(default_factory=bytearray)
    due: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    """The codes that are right for each id; ``None`` is a result."""
    reported: int = 0
    """Number of answers without an id that may come."""
    state: str = "new"
    number: int = 0

    def write(self) -> None:
        """Write the whole session, up to its end."""
        for _ in range(self.chance.choice((0, 0, 1, 3))):
            self.step()
        if self.chance.random() < 0.9:
            self.initialize()
        for _ in range(self.chance.choice((2, 6, 20, 60))):
            self.step()
        if self.chance.random() < 0.8:
            self.shut_down()
            for _ in range(self.chance.choice((0, 0, 1, 5))):
                self.step()

    def initialize(self) -> None:
        params: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
        if self.chance.random() < 0.1:
            self.ask("initialize", self.chance.choice((5, {"capabilities": 5}, [])), INVALID_PARAMS)
        self.ask("initialize", params, None)
        self.state = "running"
        if self.chance.random() < 0.9:
            self.tell("initialized", {})

    def shut_down(self) -> None:
        if self.state == "running":
            self.ask("shutdown", self.chance.choice((None, {})), None)
            self.state = "down"

    def step(self) -> None:
        kind = self.chance.randrange(10)
        method = self.chance.choice(tuple(REQUESTS))
        if kind < 3:
            self.ask(method, REQUESTS[method], None, INVALID_PARAMS, CANCELLED, NO_METHOD)
        elif kind == 3:
            self.ask(method, self.chance.choice(NO_PARAMS), INVALID_PARAMS, None)
        elif kind == 4:
            self.ask(self.chance.choice(("no/such", "$/such", "", "é")), {}, NO_METHOD)
        elif kind == 5:
            name = self.chance.choice(tuple(NOTIFICATIONS))
            good = self.chance.random() < 0.7
            self.tell(name, NOTIFICATIONS[name] if good else self.chance.choice(NO_PARAMS))
        elif kind == 6:
            self.reported += 1
            self.frame(json.dumps(self.chance.choice(NO_REQUESTS)).encode())
        elif kind == 7:
            self.reported += 2
            self.frame(self.chance.choice(NO_JSON))
        elif kind == 8:
            self.no_header()
        elif self.state == "running":
            # A request that is cancelled at once, and a notification that comes under an id.
            self.ask(method, REQUESTS[method], None, INVALID_PARAMS, CANCELLED, NO_METHOD)
            self.tell("$/cancelRequest", {"id": f"id-{self.number}"})
            self.ask("initialize", {"capabilities": {}}, INVALID_REQUEST)

    def ask(self, method: str, params: Any, *codes: int | None) -> None:
        self.number += 1
        name = f"id-{self.number}"
        if self.state == "new" and method != "initialize":
            codes = (NOT_INITIALIZED,)
        elif self.state == "down":
            codes = (INVALID_REQUEST,)
        self.due[name] = codes
        self.frame(self._json({"jsonrpc": "2.0", "id": name, "method": method, "params": params}))

    def tell(self, method: str, params: Any) -> None:
        self.frame(self._json({"jsonrpc": "2.0", "method": method, "params": params}))

    def frame(self, body: bytes) -> None:
        """A message with any of the headers that the protocol allows, or an older length in front of the right one."""
        name = self.chance.choice((b"Content-Length", b"Content-Length", b"content-length", b"CONTENT-LENGTH"))
        length = name + b": " + b"0" * self.chance.choice((0, 0, 3)) + str(len(body)).encode() + b"\r\n"
        headers = [*self.chance.sample(OTHER_HEADERS, self.chance.choice((0, 0, 0, 1, 2))), length]
        self.chance.shuffle(headers)
        if self.chance.random() < 0.05:
            headers.insert(0, b"Content-Length: 7\r\n")
            headers.sort(key=lambda header: header == length)
        self.sent += b"".join(headers) + b"\r\n" + body

    def no_header(self) -> None:
        """A header without a length that can be read. It may cost an answer without an id, and nothing else."""
        self.reported += 1
        lines = [b"X: y\r\n", b"GET / HTTP/1.1\r\n", b"\xff\xfe\r\n", b""]
        lines += [f"Content-Length: {length}\r\n".encode() for length in NO_LENGTHS]
        self.sent += self.chance.choice(lines) + b"\r\n"

    def _json(self, message: Any) -> bytes:
        spaces = self.chance.random() < 0.2
        text = json.dumps(message, ensure_ascii=self.chance.random() < 0.5, indent=1 if spaces else None)
        return text.encode()


def hold_a_session(data: bytes) -> None:
    chance = random.Random(data)
    session = Session(chance)
    session.write()
    if chance.random() < 0.8:
        session.tell("exit", None)
    with tempfile.TemporaryDirectory(prefix="keepstate-fuzz-") as cache:
        status, said, errors = _run(bytes(session.sent), chance, Path(cache))
    assert "Traceback" not in errors, errors
    # By `exit`, or by the end of the stream: either is right behind `shutdown` alone.
    assert status == (0 if session.state == "down" else 1), (status, errors)
    answers = [one for one in said if "method" not in one]
    own = Counter(str(one.get("id")) for one in answers)
    for name, codes in session.due.items():
        found = [(one.get("error") or {}).get("code") for one in answers if one.get("id") == name]
        assert len(found) == 1, (name, found, codes, len(session.due))
        assert found[0] in codes, (name, found, codes)
    nameless = sum(count for name, count in own.items() if name not in session.due)
    assert nameless <= session.reported, (nameless, session.reported, answers)


def _run(sent: bytes, chance: random.Random, cache: Path) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, messages and standard error of a server that is sent these bytes in pieces of any size."""
    errors = cache / "errors"
    server = _begun(cache, errors)
    out = bytearray()
    reader = threading.Thread(target=lambda: out.extend(server.stdout.read()), daemon=True)
    reader.start()
    try:
        place = 0
        while place < len(sent):
            size = chance.choice((1, 3, 40, 1_000, 100_000))
            server.stdin.write(sent[place : place + size])
            server.stdin.flush()
            place += size
    except BrokenPipeError:
        # It has ended; whether rightly, its status and its answers tell.
        pass
    with suppress(BrokenPipeError):
        server.stdin.close()
    status = server.wait(SECONDS)
    assert status is not None, "the server does not end"
    reader.join()
    server.stdout.close()
    return status, _messages(bytes(out)), errors.read_text("utf-8", "replace")


def _begun(cache: Path, errors: Path) -> StartedServer | ForkedServer:
    return StartedServer(cache, errors) if sys.platform != "linux" else ForkedServer(cache, errors)


class StartedServer:
    """A server in an interpreter of its own."""

    def __init__(self, folder: Path, errors: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "keepstate_lsp", "server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors.open("wb"),
            env={**os.environ, "XDG_CACHE_HOME": str(folder)},
            cwd=folder,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    def wait(self, seconds: float) -> int | None:
        """The exit status; ``None`` if it had to be killed."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None


def _messages(out: bytes) -> list[dict[str, Any]]:
    """The messages of the server. Its own frames are right to the byte."""
    found = []
    while out:
        header, end, rest = out.partition(b"\r\n\r\n")
        assert end, out[:200]
        fields = dict(line.split(b": ", 1) for line in header.split(b"\r\n"))
        length = int(fields[b"Content-Length"])
        assert len(rest) >= length
        found.append(json.loads(rest[:length]))
        out = rest[length:]
    return found


def seeds() -> list[bytes]:
    return [str(number).encode() for number in range(8)]


def fresh(chance: random.Random) -> bytes:
    return chance.randbytes(12)


TARGETS = (Target("wire", hold_a_session, seeds, fresh=fresh),)
