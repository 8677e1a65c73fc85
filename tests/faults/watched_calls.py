"""Files, processes, threads and waits of Python whose calls are points of an injector."""

from __future__ import annotations

import asyncio
import builtins
import io
import os
import select
import subprocess
import sys
import threading
from typing import Any

from fault_points import JAVA, LATE, STDOUT, Injector


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
