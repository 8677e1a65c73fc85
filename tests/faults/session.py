"""A session of an editor with the server, one of whose calls fails.

Open, edit, hover, switch the branch, edit, shut down. Each request gets an answer, each text its findings or a word of
what stands in their way, and the server ends by itself.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from damage import JOB, MINUTES
from fault_harness import Harness
from fault_points import STDOUT
from fault_wrongs import wrongs_of_words
from keepstate_lsp.analysis.documents import uri_of
from raw import INITIALIZE, RawClient
from scenarios import Outcome, Scenario
from trials import Trial, chosen

SESSION = Scenario("session", ("lsp",))
CAPABILITIES = {"experimental": {"keepstate": {"status": True}}}
PATIENCE = 120.0
"""Seconds for the findings of a version."""


class Pipes:
    """The pipes of a process, as its client needs them."""

    def __init__(self, stdin: str, stdout: str) -> None:
        # In the order in which the other side opens them.
        self.stdin = open(stdin, "wb")  # noqa: SIM115 - closed with the client
        self.stdout = open(stdout, "rb")  # noqa: SIM115

    def close(self) -> None:
        self.stdin.close()
        self.stdout.close()


class Client(RawClient):
    """A client at two named pipes."""

    def __init__(self, pipes: Pipes) -> None:
        self._server = cast("subprocess.Popen[bytes]", pipes)
        self._said: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._numbers = 0
        self._answers: list[dict[str, Any]] = []
        self.notifications: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def is_warned(self, uri: str, version: int) -> bool:
        """Return whether a version of the document has findings, or a status with the reason why there are none."""
        while True:
            for said in self.notifications:
                params = said.get("params") or {}
                if params.get("uri") == uri and params.get("version") == version and params.get("diagnostics"):
                    return True
            status = [said["params"] for said in self.notifications if said["method"] == "keepstate/status"]
            shown = [
                said
                for said in self.notifications
                if said["method"] == "textDocument/publishDiagnostics" and said["params"].get("version") == version
            ]
            if shown and status and status[-1]["verdict"] not in ("compatible", "incompatible"):
                return True
            try:
                said_next = self._said.get(timeout=PATIENCE)
            except queue.Empty:
                return False
            assert said_next is not None, "the server ended"
            if "method" in said_next and "id" in said_next:
                # A request of the server, such as one for a token of progress.
                self.send({"jsonrpc": "2.0", "id": said_next["id"], "result": None})
            (self.notifications if "method" in said_next else self._answers).append(said_next)


def session(harness: Harness, point: int = -1, kind: str = "") -> tuple[Outcome, list[str]]:
    """One session; what was wrong in it."""
    root = harness.copied(SESSION)
    request = harness.request(SESSION.words, root, point, kind)
    pipes = [str(harness.folder / name) for name in ("to", "from")]
    for pipe in pipes:
        Path(pipe).unlink(missing_ok=True)
        os.mkfifo(pipe)
    statuses: list[int | None] = []
    piped = replace(request, stdin=pipes[0], stdout=pipes[1])
    running = threading.Thread(target=lambda: statuses.append(harness.status(0, piped)))
    running.start()
    connected = Pipes(*pipes)
    wrong = []
    try:
        wrong += _talk(Client(connected), root / "repository")
    except (AssertionError, queue.Empty, BrokenPipeError) as error:
        wrong.append(f"the session breaks off: {type(error).__name__} {error}")
        connected.stdin.close()
    running.join()
    Path(request.stdout).touch()
    outcome = harness.outcome(root, request, statuses[0])
    if outcome.status != 0:
        wrong.append(f"the server ends with {outcome.status}")
    if outcome.processes:
        wrong.append(f"processes are left: {outcome.processes}")
    return outcome, wrong + wrongs_of_words(outcome)


def _talk(client: Client, folder: Path) -> list[str]:
    """The session itself; which of its answers were wrong."""
    uri = uri_of(folder / JOB)
    wrong = []
    begin = {**INITIALIZE, "rootUri": uri_of(folder), "capabilities": CAPABILITIES}
    assert "result" in client.ask("initialize", begin)
    client.notify("initialized", {})
    for version in (1, 2, 3):
        text = MINUTES.format(version + 17)
        if version == 1:
            document = {"uri": uri, "languageId": "flink-sql", "version": version, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": document})
        else:
            named = {"uri": uri, "version": version}
            client.notify("textDocument/didChange", {"textDocument": named, "contentChanges": [{"text": text}]})
        if not client.is_warned(uri, version):
            wrong.append(f"version {version} is shown as if nothing were wrong with it: {client.notifications[-3:]}")
        place = {"textDocument": {"uri": uri}, "position": {"line": 9, "character": 60}}
        if "result" not in (answer := client.ask("textDocument/hover", place)):
            wrong.append(f"hover: {answer}")
        if version == 2:
            subprocess.run(["git", "-C", str(folder), "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
    if "result" not in client.ask("shutdown"):
        wrong.append("shutdown is not answered")
    client.notify("exit")
    return wrong


def tried_sessions(harness: Harness, share: int | None = None, seed: int = 0) -> Trial:
    """Sessions with each fault of a session without any; with ``share``, with so many of them."""
    whole, wrong = session(harness)
    assert wrong == [], wrong
    # Of an output that fails, no word can reach the client.
    points = [point for point in whole.points if point.about != STDOUT]
    trial = Trial(SESSION.name, len(points))
    each = [(point, kind) for point in points for kind in point.kinds if kind != "kill"]
    for point, kind in chosen(each, share, seed):
        trial.failed[kind] += 1
        outcome, wrong = session(harness, point.number, kind)
        if wrong:
            where = f"session, point {point.number} ({point.event} {point.about}), {kind}"
            trial.wrong.append(f"{where}: {'; '.join(wrong)}; it said {outcome.stderr[-300:]!r}")
    return trial
