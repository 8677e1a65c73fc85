"""A server process under a soak: the messages to it, its diagnostics, and its costs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import processes
from keepstate_lsp.analysis.labels import STALE

PATIENCE = 120.0
"""Seconds to wait for what has to come."""
_TO_NOTICE = 30.0
"""Seconds within which a server has seen what changed around it: it looks every two seconds."""
Diagnostics = dict[str, list[str]]
"""The diagnostics of each file as texts, in order."""


class Server:
    """A language server over stdio, with the documents that are open in it."""

    def __init__(self, home: Path, folders: Sequence[Path], environment: Mapping[str, str], drop_rights: bool) -> None:
        command = [sys.executable, "-m", "keepstate_lsp"]
        if drop_rights:
            # Even for an administrator a read-only folder is one then.
            command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner", *command]
        self._errors = (home / f"stderr-{id(self)}").open("w+b")
        self._process = subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._news = threading.Condition()
        self._answers: dict[int, Any] = {}
        self._published: dict[str, tuple[int | None, list[str]]] = {}
        self._asked = 0
        self.complaints: list[str] = []
        """Lines of its log that tell of a fault."""
        threading.Thread(target=self._listen, daemon=True).start()
        roots = [{"uri": root.as_uri(), "name": root.name} for root in folders]
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": roots})
        self.tell("initialized", {})

    # ------------------------------------------------------------------------------------------ conversation

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._asked += 1
        number = self._asked
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._news:
            if not self._news.wait_for(lambda: number in self._answers, PATIENCE):
                raise TimeoutError(f"no answer to {method}")
            return self._answers.pop(number)

    def open(self, path: Path, version: int, text: str) -> None:
        document = {"uri": path.as_uri(), "languageId": "flink-sql", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, path: Path, version: int, changes: Sequence[Mapping[str, Any]]) -> None:
        document = {"uri": path.as_uri(), "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def settled(self, path: Path, version: int) -> None:
        """Wait for the diagnostics of a version, or of a later one."""

        def is_there() -> bool:
            published = self._published.get(path.as_uri(), (None, []))[0]
            return published is not None and published >= version

        with self._news:
            if not self._news.wait_for(is_there, PATIENCE):
                raise TimeoutError(f"no diagnostics of {path}, version {version}")

    def shown(self, paths: Sequence[Path]) -> Diagnostics:
        with self._news:
            return {path.name: self._published.get(path.as_uri(), (None, []))[1] for path in paths}

    def differences(self, paths: Sequence[Path], expected: Diagnostics) -> list[str]:
        """Wait until what is shown is what is ``expected``; what still differs when patience is at its end."""
        with self._news:
            if self._news.wait_for(lambda: self.shown(paths) == expected, _TO_NOTICE):
                return []
        shown = self.shown(paths)
        differing = (name for name, wanted in expected.items() if shown[name] != wanted)
        return [f"{name}: {shown[name]} instead of {expected[name]}" for name in differing]

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while True:
            size = 0
            while header := self._process.stdout.readline().strip():
                if header.lower().startswith(b"content-length:"):
                    size = int(header.split(b":")[1])
            if not size:
                return
            message: dict[str, Any] = json.loads(self._process.stdout.read(size))
            with self._news:
                self._heard(message)
                self._news.notify_all()

    def _heard(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answers[message["id"]] = message.get("result")
        elif method == "textDocument/publishDiagnostics":
            found = [words for diagnostic in params["diagnostics"] if (words := _words(diagnostic))]
            self._published[params["uri"]] = params.get("version"), found
        elif method == "window/logMessage" and params["type"] == 1:
            self.complaints.append(params["message"])

    # ------------------------------------------------------------------------------------------ process

    @property
    def pid(self) -> int:
        return self._process.pid

    def resources(self) -> dict[str, float]:
        """Megabytes in memory, open files, threads, and zombie processes."""
        zombies = [
            line
            for line in subprocess.run(
                ["ps", "-A", "-o", "ppid=,stat="], capture_output=True, text=True, check=True
            ).stdout.splitlines()
            if line.split()[0] == str(self.pid) and line.split()[1].startswith("Z")
        ]
        return {
            "megabytes": round(processes.memory(self.pid), 1),
            "open files": processes.open_files(self.pid) or 0,
            "threads": len(list(Path(f"/proc/{self.pid}/task").iterdir())),
            "children": processes.children(self.pid),
            "zombies": len(zombies),
        }

    def resting(self) -> dict[str, float]:
        """The same once it had the time to notice that processes were killed."""
        until = time.monotonic() + _TO_NOTICE
        while (found := self.resources())["zombies"] and time.monotonic() < until:
            time.sleep(0.5)
        return found

    def kill_git(self) -> int:
        """End all git processes of the server at once; how many there were."""
        found = processes.children_of(self.pid, "git")
        for child in found:
            # One that answers a single question may have ended meanwhile.
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        return len(found)

    def limit_files(self, size: int) -> None:
        """Limit the size of the files that the process writes: 0 is a full disk."""
        import resource

        _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size if size >= 0 else hard, hard))

    def close(self) -> list[str]:
        """Shut it down; what was not right about its end."""
        children = processes.children_of(self.pid, "git")
        self.ask("shutdown", None)
        self.tell("exit", None)
        faults = []
        try:
            status = self._process.wait(PATIENCE)
            if status:
                faults.append(f"exit status {status}")
        except subprocess.TimeoutExpired:
            self._process.kill()
            faults.append("it did not end")
        faults += [f"git process {child} is left" for child in children if Path(f"/proc/{child}").exists()]
        self._errors.seek(0)
        if said := self._errors.read().decode(errors="replace"):
            faults.append(f"on stderr: {said[-2000:]}")
        self._errors.close()
        return faults


def _words(diagnostic: Mapping[str, Any]) -> str:
    """A diagnostic without what only this server can know: what it said while the text could still be read."""
    message = str(diagnostic["message"])
    for memory in (f" What is shown is {STALE}.", " Nothing is known about it."):
        message = message.replace(memory, "")
    if STALE in message:
        return ""
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    place = f"{start['line']}:{start['character']}-{end['line']}:{end['character']}"
    return f"{place} {diagnostic.get('severity')} {diagnostic.get('code')}: {message}"
