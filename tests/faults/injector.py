"""A program that runs commands of Keepstate, each in a process of its own, and lets one call of each fail.

A request is a line of JSON on standard input (``Request``), an answer a line on standard output: the exit status, or
``null`` for a process that had to be killed. All modules are loaded once, and each command runs in a fork.

Calls are numbered from 0 in the order in which a command makes them. A call is a *point* if it is about something below
the folder ``root``, about standard output, or if it starts a process. Audit events see opening, renaming, removing,
locking and starting, whatever name of Python they were called by; a class of files sees reading and writing.
"""

from __future__ import annotations

import asyncio
import builtins
import errno
import io
import json
import os
import pkgutil
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
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
        if _is_java(command):
            injector.jvm = self.pid

    _install_timers(injector)
    os.fsync = fsync
    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    output = Watched(1, "w", closefd=False)
    output.about = STDOUT
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), "utf-8", write_through=True)
    sys.addaudithook(injector.audit)


def _install_timers(injector: Injector) -> None:
    """Make the beginning of each thread a point, and each wait with a bound."""
    wait, poll = subprocess.Popen.wait, select.poll
    starter = "_start_joinable_thread" if hasattr(threading, "_start_joinable_thread") else "_start_new_thread"
    start = getattr(threading, starter)

    def started(call: Any, *arguments: Any, **options: Any) -> Any:
        if injector.reached("thread", _called(call.__self__)) is not None:
            raise RuntimeError("can't start new thread")
        return start(call, *arguments, **options)

    def waited(self: Any, timeout: float | None = None) -> int:
        if timeout is not None and injector.reached("timer", _place(sys._getframe(1))) is not None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return wait(self, timeout)

    class Poll:
        """A poll whose waits are points."""

        def __init__(self) -> None:
            self._poll = poll()
            self.register, self.unregister = self._poll.register, self._poll.unregister

        def poll(self, milliseconds: float | None = None) -> list[tuple[int, int]]:
            if milliseconds is not None and injector.reached("timer", _place(sys._getframe(1))) is not None:
                return []
            return self._poll.poll(milliseconds)

    call_at = asyncio.BaseEventLoop.call_at

    def called_at(self: Any, when: float, *arguments: Any, **options: Any) -> Any:
        """Call it at once, or late."""
        fault = injector.reached("loop timer", _place(sys._getframe(1)))
        if fault is not None:
            when = self.time() if fault == "elapsed" else when + LATE
        return call_at(self, when, *arguments, **options)

    asyncio.BaseEventLoop.call_at = called_at  # type: ignore[method-assign]
    setattr(threading, starter, started)
    subprocess.Popen.wait = waited  # type: ignore[assignment, method-assign]
    select.poll = Poll  # type: ignore[assignment, misc]


def _called(thread: threading.Thread) -> str:
    """The name of the function that a thread calls."""
    call = getattr(thread, "_target", None) or getattr(thread, "function", None) or thread.run
    return f"{getattr(call, '__module__', '?')}.{getattr(call, '__qualname__', '?')}"


def _place(frame: Any) -> str:
    """The function that waits: of the product, if one does."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("keepstate"):
            return f"{name}.{frame.f_code.co_name}"
        frame = frame.f_back
    return "?"


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
    """The words of a command of git without its options; of Java, only that it is."""
    if _is_java(command):
        return [JAVA]
    rest = list(command[1:])
    while rest and rest[0] in ("-C", "-c"):
        rest = rest[2:]
    return rest[:2]


def _is_java(command: list[str]) -> bool:
    return os.path.basename(command[0]) == "java"


def run(request: Request, script: str, address: tuple[int, str] | None = None) -> int | None:
    """Run a command in a fork; its exit status, negative for a signal, ``None`` if it had to be killed. ``address`` is
    that of a shared JVM.
    """
    child = os.fork()
    if child == 0:
        _be(request, script, address)
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


def _be(request: Request, script: str, address: tuple[int, str] | None) -> None:
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

        injector = Injector(request, log)
        if request.jvm:
            import spark_calls

            if address is not None:
                spark_calls.attach(address)
            if request.kind == "jvm-stalls":
                spark_calls.hurry()
            spark_calls.watch(injector.reached, lambda: injector.jvm)
            if request.jvm == spark_calls.OWN:
                spark_calls.watch_workers(injector.reached, Path(request.log).parent)
        install(injector, script)
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
    shared = None
    for line in sys.stdin:
        request = Request(**json.loads(line))
        address = None
        if request.jvm:
            import spark_calls

            if shared is None:
                spark_calls.load()
                shared = spark_calls.SharedJvm()
            shared.reset()
            address = shared.address if request.jvm == spark_calls.SHARED else None
        status = run(request, script, address)
        sys.stdout.write(f"{json.dumps(status)}\n")
        sys.stdout.flush()
    if shared is not None:
        shared.close()


def _warm(pair: list[str]) -> None:
    """Analyse two files, so that no fork has to begin with what is the same for all of them."""
    from keepstate_lsp.cli.main import main

    output, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8")
    status = main(["diff", *pair])
    sys.stdout = output
    assert status == 1, "the two files were to differ"


if __name__ == "__main__":
    serve()
