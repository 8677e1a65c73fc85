"""A program that runs commands of Keepstate, each in a process of its own, and lets one call of each fail.

A request is a line of JSON on standard input (``Request``), an answer a line on standard output: the exit status, or
``null`` for a process that had to be killed. All modules are loaded once, and each command runs in a fork.

Calls are numbered from 0 in the order in which a command makes them. A call is a *point* if it is about something below
the folder ``root``, about standard output, or if it starts a process. Audit events see opening, renaming, removing,
locking and starting, whatever name of Python they were called by; a class of files sees reading and writing.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

WRITES = {"create", "write", "fsync", "rename", "remove", "mkdir", "rmdir", "chmod", "flock", "utime"}
"""Events that change something, or are in front of a change."""
STDOUT = "<stdout>"
_AUDITED = {
    "os.rename": "rename",
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
    """Of a race: a pipe that is written into at the point, one that is waited for there."""


class Injector:
    """Counts the points of this process, and lets one of them fail."""

    def __init__(self, request: Request, log: int) -> None:
        self._request = request
        self._log = log
        self._number = -1
        self._lock = threading.RLock()
        self._within = threading.local()
        self._write = os.write

    def reached(self, event: str, about: str) -> str | None:
        """Count a point; the kind of fault that is due there.

        Raises:
            OSError: that fault.
        """
        kind = self._due(event, about)
        if kind is None:
            return None
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "race":
            self._let_another_run()
            return None
        if kind in _LASTING:
            raise failure(_LASTING[kind][1], about)
        if kind.startswith("E"):
            raise failure(getattr(errno, kind), about)
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

    def _let_another_run(self) -> None:
        self._within.it = True
        reached, go = self._request.gates
        with open(reached, "wb"):
            pass
        with open(go, "rb") as gate:
            gate.read()
        self._within.it = False


def failure(number: int, about: str) -> OSError:
    """The error that the operating system would give."""
    return OSError(number, os.strerror(number), about)


def install(injector: Injector, script: str) -> None:
    """Put the injector in front of the calls of this process. ``script`` stands for a git that fails."""
    plain = io.open

    class Watched(io.FileIO):
        """A file whose reads and writes are points."""

        about = ""

        def readinto(self, buffer: Any) -> int | None:
            if injector.reached("read", self.about) == "short":
                return super().readinto(memoryview(buffer)[:1])
            return super().readinto(buffer)

        def readall(self) -> bytes:
            blocks = []
            while block := self.read(io.DEFAULT_BUFFER_SIZE):
                blocks.append(block)
            return b"".join(blocks)

        def read(self, size: int | None = -1) -> bytes:
            if size is None or size < 0:
                return self.readall()
            buffer = bytearray(size)
            return bytes(buffer[: self.readinto(buffer) or 0])

        def write(self, data: Any) -> int | None:
            if injector.reached("write", self.about) == "short":
                return super().write(memoryview(data)[:1])
            return super().write(data)

    def opened(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        about = injector.name(file)
        if about is None:
            return plain(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = Watched(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        raw.about = about
        if buffering == 0:
            return raw
        size = io.DEFAULT_BUFFER_SIZE
        if "+" in mode:
            stream: Any = io.BufferedRandom(raw, size)
        else:
            stream = io.BufferedReader(raw, size) if raw.readable() else io.BufferedWriter(raw, size)
        return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)

    io.open = builtins.open = opened  # type: ignore[assignment]
    settle, begin = os.fsync, subprocess.Popen.__init__
    for kind in ("stat", "lstat"):
        setattr(os, kind, _watched_stat(injector, getattr(os, kind)))

    def fsync(descriptor: int) -> None:
        injector.reached("fsync", injector.name(descriptor) or "?")
        settle(descriptor)

    def started(self: Any, command: Any, *arguments: Any, **options: Any) -> None:
        kind = injector.reached("process", " ".join(_conversation(command)))
        if kind is not None:
            command = ["/bin/sh", script, kind, *command]
        begin(self, command, *arguments, **options)

    os.fsync = fsync
    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    output = Watched(1, "w", closefd=False)
    output.about = STDOUT
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), "utf-8", write_through=True)
    sys.addaudithook(injector.audit)


def _watched_stat(injector: Injector, plain: Any) -> Any:
    """A ``stat`` whose calls are points: no audit event tells of them."""

    def stat(path: Any, **options: Any) -> os.stat_result:
        name = injector.name(path)
        if name is not None:
            injector.reached("stat", name)
        found: os.stat_result = plain(path, **options)
        return found

    return stat


def _conversation(command: list[str]) -> list[str]:
    """The words of a command of git without its options."""
    rest = list(command[1:])
    while rest and rest[0] in ("-C", "-c"):
        rest = rest[2:]
    return rest[:2]


def run(request: Request, script: str) -> int | None:
    """Run a command in a fork; its exit status, negative for a signal, ``None`` if it had to be killed."""
    child = os.fork()
    if child == 0:
        _be(request, script)
    waiting = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(waiting, select.POLLIN)
        in_time = bool(poll.poll(request.seconds * 1000))
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(waiting)
    return os.waitstatus_to_exitcode(status) if in_time else None


def _be(request: Request, script: str) -> None:
    """The process of the command; it does not return."""
    status = 70
    try:
        os.setsid()
        flags = os.O_WRONLY | os.O_CREAT
        for number, (name, how) in enumerate(
            ((request.stdin, os.O_RDONLY), (request.stdout, flags), (request.stderr, flags | os.O_APPEND))
        ):
            os.dup2(os.open(name, how, 0o600), number)
        log = os.open(request.log, flags | os.O_APPEND, 0o600)
        os.chdir(request.folder)
        os.environ.update(request.environment)
        tempfile.tempdir = request.environment["TMPDIR"]
        from keepstate_lsp.cli.main import main

        install(Injector(request, log), script)
        status = main(request.words)
        sys.stdout.flush()
    finally:
        sys.stderr.flush()
        os._exit(status)


def serve() -> None:
    """Answer requests until there are none."""
    import git.cmd

    assert git.cmd
    import keepstate_lsp
    from keepstate_lsp.cli import commands

    assert keepstate_lsp
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        import_module(module.name)
    script, *pair = sys.argv[1:]
    _warm(pair)
    for line in sys.stdin:
        status = run(Request(**json.loads(line)), script)
        sys.stdout.write(f"{json.dumps(status)}\n")
        sys.stdout.flush()


def _warm(pair: list[str]) -> None:
    """Analyse two files, so that no fork has to begin with what is the same for all of them."""
    from keepstate_lsp.cli.main import main

    output, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8")
    status = main(["diff", *pair])
    sys.stdout = output
    assert status == 1, "the two files were to differ"


if __name__ == "__main__":
    serve()
