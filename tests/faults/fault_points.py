"""Points of a command: calls that are numbered in their order, and of which one fails.

A call is a point if it is about something below the folder ``root``, about standard output, or if it starts a process.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

WRITES = {"create", "write", "fsync", "rename", "link", "remove", "mkdir", "rmdir", "chmod", "flock", "utime"}
"""Events that change something, or are in front of a change."""
OF_OPEN_FILES = ("read", "write", "fsync", "flock")
STDOUT = "<stdout>"
_AUDITED = {
    "os.rename": "rename",
    "os.link": "link",
    "os.remove": "remove",
    "os.mkdir": "mkdir",
    "os.rmdir": "rmdir",
    "os.chmod": "chmod",
    "os.utime": "utime",
    "os.listdir": "list",
    "os.scandir": "list",
}
_WRITING = os.O_WRONLY | os.O_RDWR
_LASTING = {"full-disk": ({"create", "write", "fsync", "mkdir"}, errno.ENOSPC), "read-only": (WRITES, errno.EROFS)}
"""Faults that go on once they have begun."""
_AWAITED = re.compile(r"/keepstate-spark-[^/]+/address$")
"""A file that is looked for until it is there: one point, as the number of looks varies."""
TELLS = "tells"
"""The kind of a run without faults that tells when it locks something."""
JAVA = "java"
"""A process of Java, among the words of processes."""
LATE = 2.0
"""Seconds by which a timer of the event loop is late, as on a machine that slept."""
TIMERS = ("timer", "thread", "loop timer")
"""Points that are counted once for each place in the code: how often a wait begins anew is a matter of time."""


@dataclass(frozen=True)
class Request:
    """One run of a command. ``point`` is the number of the call that fails, -1 for none, in the way of ``kind``."""

    words: list[str]
    folder: str
    root: str
    point: int
    kind: str
    log: str
    """A file that gets a line for each point: event, and what it is about."""
    environment: dict[str, str]
    stdin: str
    stdout: str
    stderr: str
    seconds: float
    gates: list[str] = field(default_factory=list)
    """Of a race: a pipe that is opened at the point, or at a lock, and one that is waited for at the point."""
    jvm: str = ""
    """Of a command with Spark: its own JVM, or one that it shares with other runs."""


class Injector:
    """Counts the points of this process, and lets one of them fail."""

    def __init__(self, request: Request, log: int) -> None:
        self._request = request
        self._log = log
        self._number = -1
        self._lock = threading.RLock()
        self._within = threading.local()
        self._write = os.write
        self._seen: set[tuple[str, str]] = set()
        self.jvm: int | None = None
        """The process of the JVM that the command has started."""

    def reached(self, event: str, about: str) -> str | None:
        """Count a point; the kind of fault that is due there.

        Raises:
            OSError: that fault.
        """
        if event in TIMERS or _AWAITED.search(about):
            if (event, about) in self._seen:
                return None
            self._seen.add((event, about))
        kind = self._due(event, about)
        if event == "flock" and self._request.kind == TELLS:
            self._tell(self._request.gates[0])
        if kind is None:
            return None
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "race":
            self._let_another_run()
            return None
        if kind in _LASTING:
            raise failure(_LASTING[kind][1], event, about)
        if kind.startswith("E"):
            raise failure(getattr(errno, kind), event, about)
        return kind

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if getattr(self._within, "it", False):
            return
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, int):
                self._about("create" if flags & _WRITING else "open", path)
        elif event in _AUDITED:
            self._about(_AUDITED[event], arguments[0])
        elif event == "fcntl.flock":
            self._about("flock", arguments[0])

    def _about(self, event: str, path: Any) -> None:
        name = self.name(path)
        if name is not None:
            self.reached(event, name)

    def name(self, path: Any) -> str | None:
        """The path below the root, relative to it; ``None`` for other paths."""
        if isinstance(path, int):
            try:
                path = os.readlink(f"/proc/self/fd/{path}")
            except OSError:
                return None
        full = os.path.normpath(os.path.join(self._request.folder, os.fsdecode(path)))
        root = self._request.root + os.sep
        return full.removeprefix(root) if full.startswith(root) else None

    def _due(self, event: str, about: str) -> str | None:
        self._within.it = True
        try:
            with self._lock:
                self._number += 1
                self._write(self._log, f"{event}\t{about}\n".encode("utf-8", "surrogateescape"))
                number, point, kind = self._number, self._request.point, self._request.kind
            if kind in _LASTING:
                # The pipe of an answer is on no disk.
                lasts = 0 <= point <= number and event in _LASTING[kind][0] and about != STDOUT
                return kind if lasts else None
            return kind if number == point else None
        finally:
            self._within.it = False

    def _tell(self, pipe: str) -> None:
        """Let who waits for it know that this process has come so far; there may be nothing that waits any more."""
        self._within.it = True
        with suppress(OSError):
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        self._within.it = False

    def _let_another_run(self) -> None:
        reached, go = self._request.gates
        self._tell(reached)
        self._within.it = True
        with open(go, "rb") as gate:
            gate.read()
        self._within.it = False


def failure(number: int, event: str, about: str) -> OSError:
    """The error that the operating system would give. One of an open file does not name it."""
    words = os.strerror(number)
    return OSError(number, words) if event in OF_OPEN_FILES else OSError(number, words, about)
