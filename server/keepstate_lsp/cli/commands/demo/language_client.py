"""A language client of a few lines: enough of the protocol to show what a server answers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any


class LanguageClient:
    """Speaks to a language server over its standard input and output; a context manager."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self._folder = folder
        self._last = 0

    def __enter__(self) -> LanguageClient:
        uri = self._folder.as_uri()
        self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self._folder.name}],
                "capabilities": {
                    "textDocument": {
                        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True},
                        "hover": {"contentFormat": ["plaintext"]},
                        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
                    }
                },
            },
        )
        self._send({"method": "initialized", "params": {}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._request("shutdown", None)
                self._send({"method": "exit"})
                self._server.wait(timeout=10)
        finally:
            self._server.kill()
            self._server.wait()
            for pipe in (self._server.stdin, self._server.stdout):
                if pipe is not None:
                    pipe.close()

    def open(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Open a document and wait for its diagnostics."""
        document = {"uri": path.as_uri(), "languageId": "flink-sql", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._receive()
            published = message.get("method") == "textDocument/publishDiagnostics"
            if published and message["params"]["uri"] == path.as_uri():
                return list(message["params"]["diagnostics"])

    def hover(self, path: Path, position: dict[str, int]) -> str:
        """The text of a hover."""
        result = self._request("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": position})
        return str(result["contents"]["value"]) if result else ""

    def code_actions(self, path: Path, diagnostic: dict[str, Any]) -> list[str]:
        """The titles of the quick-fixes of a diagnostic."""
        parameters = {
            "textDocument": {"uri": path.as_uri()},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        }
        return [action["title"] for action in self._request("textDocument/codeAction", parameters) or ()]

    def _request(self, method: str, parameters: dict[str, Any] | None) -> Any:
        self._last += 1
        number = self._last
        self._send({"id": number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message.get("result")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        """The next message; requests of the server are answered with nothing on the way."""
        assert self._server.stdout is not None
        length = 0
        while True:
            line = self._server.stdout.readline()
            if not line:
                raise RuntimeError("the language server has ended")
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        if "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})
        return message
