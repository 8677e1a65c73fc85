"""JSON-RPC as no client should send it, to a real server over stdio: it answers with errors and goes on."""

from __future__ import annotations

import atexit
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from fuzz_target import Target
from raw_server import RawServer, framed

_server: RawServer | None = None
_folder: Path | None = None
_PADDING = 600
_UNREADABLE = 1 << 31
_NUMBER = re.compile(rb"\d+")
_URI = "URI"
"""Stands for the URI of a document in the folder of the server."""
_WORDS = (
    *("null", "-1", "1e999", "99999999999999999999", '"\\ud800"', "[]", "{}", '""', "true", "[[[[[[[["),
    *('"file:///%00"', '":::"', '"untitled:x"', '"textDocument/hover"', '"id"', '"params"', '"method"', '"position"'),
)


def send_messages(data: bytes) -> None:
    """Lines of an input are messages; one that begins with ``!`` is sent as it is, without a frame around it.

    One server receives all inputs of a run, so that an input must not spoil the server for the next.
    """
    server, folder = _running()
    uri = (folder / "job.sql").as_uri().encode()
    try:
        for line in data.split(b"\n"):
            if line.startswith(b"!"):
                if any(_PADDING < int(number) < _UNREADABLE for number in _NUMBER.findall(line)):
                    # A server that waits for a message of this length does so rightly.
                    return
                server.send(line[1:].replace(b"\\r", b"\r").replace(b"\\n", b"\n"))
                # Whatever it was the beginning of ends here.
                server.send(b"\r\n" * _PADDING)
            elif not _ends_the_session(line):
                server.send(framed(line.replace(_URI.encode(), uri)))
        server.is_well()
        errors = server.errors()
        assert "Traceback" not in errors, errors
    except AssertionError:
        close()
        raise


def _ends_the_session(line: bytes) -> bool:
    return b"shutdown" in line or b'"exit"' in line


def _running() -> tuple[RawServer, Path]:
    global _server, _folder
    if _server is None or _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="keepstate-fuzz-"))
        (_folder / "cache").mkdir()
        _server = RawServer(_folder, _folder / "cache")
    return _server, _folder


@atexit.register
def close() -> None:
    """End the server; the next input gets a new one."""
    global _server
    if _server is not None:
        _server.__exit__(None, None, None)
        _server = None


def _message(**parts: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **parts})


def _opened(uri: Any, text: str = "SELECT a, COUNT(*) FROM t GROUP BY a") -> str:
    document = {"uri": uri, "languageId": "sql", "version": 1, "text": text}
    return _message(method="textDocument/didOpen", params={"textDocument": document})


def _at(method: str, line: Any, character: Any, uri: Any = _URI) -> str:
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    return _message(id=1, method=method, params=params)


def _changed(start: tuple[Any, Any], end: tuple[Any, Any], uri: Any = _URI) -> str:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    change = {"range": {"start": places[0], "end": places[1]}, "text": "x"}
    params = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}
    return _message(method="textDocument/didChange", params=params)


def _ranged(method: str, **more: Any) -> str:
    ends = {"start": {"line": 9, "character": 9}, "end": {"line": -1, "character": 0}}
    return _message(id=2, method=method, params={"textDocument": {"uri": _URI}, "range": ends, **more})


ODD_URIS = (
    "",
    "no uri",
    "::",
    "file:///%00%ff%zz",
    "file://host/share/a.sql",
    "http://[::1",
    "untitled:1",
    "file:///" + "a" * 5000,
    5,
)
_ADDED = {"added": [{"uri": "::", "name": ""}], "removed": []}
INPUTS: dict[str, str] = {
    "no JSON": "{nope",
    "an empty body": "",
    "no object": '[]\n5\nnull\n"x"',
    "no method": _message(),
    "a number for a method": _message(id=1, method=5),
    "another version": json.dumps({"jsonrpc": "1.0", "id": 1, "method": "x"}),
    "an object for an id": _message(id={"a": 1}, method="x"),
    "no id": _message(id=None, method="x"),
    "parameters of other types": "\n".join(
        _message(id=3, method="textDocument/hover", params=p) for p in ("x", None, [1], {})
    ),
    "a batch": f"[{_message(id=9, method='x')}]",
    "unknown methods": "\n".join(
        (_message(method="x/y", params={}), _message(method="$/x", params={}), _message(id=4, method="x/y"))
    ),
    "an answer to nothing": _message(id=555, result=5) + "\n" + _message(id=556, error={"code": "x"}),
    "a second initialize": _message(id=90, method="initialize", params={"capabilities": 5}),
    "deep nesting": '{"jsonrpc":"2.0","id":77,"method":"x","params":' + "[" * 9000 + "]" * 9000 + "}",
    "odd documents": "\n".join(_opened(uri) for uri in ODD_URIS),
    "half a surrogate pair": _opened(_URI, "SELECT '\ud800'"),
    "positions outside": "\n".join(
        [
            _opened(_URI),
            *(_at("textDocument/hover", *place) for place in ((99, 99), (-1, -5), (2**70, 1), (1.5, "x"), (None, 0))),
        ]
    ),
    "positions in no document": _at("textDocument/hover", 0, 0, "file:///nowhere/at/all.sql"),
    "edits outside": "\n".join(
        [
            _opened(_URI),
            _changed((50, 1), (2, 0)),
            _changed((-5, -1), (-2, 0)),
            _changed((0, 0), (0, 1), "file:///nowhere.sql"),
        ]
    ),
    "ranges outside": "\n".join(
        [
            _opened(_URI),
            _ranged("textDocument/codeAction", context={"diagnostics": [{"range": {}, "message": 5}]}),
            _ranged("textDocument/codeAction", context={"diagnostics": []}),
            _ranged("textDocument/inlayHint"),
        ]
    ),
    "odd commands": "\n".join(
        _message(id=5, method="workspace/executeCommand", params={"command": name, "arguments": arguments})
        for name, arguments in (
            ("rm -rf", []),
            ("keepstate.reportDocument", [5, {}]),
            ("keepstate.compare", ["\u0000"]),
            (5, 5),
        )
    ),
    "odd workspaces": "\n".join(
        (
            _message(method="workspace/didChangeConfiguration", params={"settings": {"keepstate": {"engine": 5}}}),
            _message(method="workspace/didChangeWatchedFiles", params={"changes": [{"uri": "zzz", "type": 77}]}),
            _message(method="workspace/didChangeWorkspaceFolders", params={"event": _ADDED}),
            _message(id=6, method="workspace/textDocumentContent", params={"uri": "keepstate:///../../etc/passwd"}),
            _message(method="$/cancelRequest", params={"id": "nothing"}),
        )
    ),
    "headers in lower case": "!content-length: 2\\r\\n\\r\\n{}",
    "headers with bare line feeds": "!Content-Length: 2\\n\\n{}",
    "a length without end": "!Content-Length: 99999999999999999999\\r\\n\\r\\n",
    "a length that is no number": "!Content-Length: -5\\r\\n\\r\\n\n!Content-Length: abc\\r\\n\\r\\n",
    "no header at all": "!hello\\r\\n\\r\\n\n!X: y\\r\\n\\r\\n",
    "a length that is too short": "!Content-Length: 1\\r\\n\\r\\n{}",
}

TARGETS = (
    Target(
        "messages", send_messages, lambda: [text.encode("utf-8", "surrogatepass") for text in INPUTS.values()], _WORDS
    ),
)
