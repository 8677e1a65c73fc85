"""The outputs of a process, read with a time limit that holds in any case.

A process in the middle of a call to a disk that is gone cannot be ended, and holds its pipes open. So a pipe is polled
before it is read; on Windows, which polls no pipes, a thread reads each of them.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import threading
import time
from typing import IO, Protocol

ANSWER, COMPLAINT = 0, 1
"""Standard output and standard error."""
BLOCK = 64 * 1024
"""Bytes that are read from a pipe at once, at most."""

_LONGEST = 1_000_000.0
"""Seconds that a system polls for, at least."""


class OutputsClosed(Exception):
    """Both outputs have ended."""


class Outputs(Protocol):
    """The two outputs of one process."""

    def next(self, until: float) -> tuple[int, bytes]:
        """The number of the output that has bytes next, and its bytes; no bytes: that output has ended. ``until`` is a
        ``time.monotonic``.

        Raises:
            Closed: both have ended.
            TimeoutError: nothing came.
        """

    def write(self, pipe: IO[bytes], data: bytes, until: float) -> None:
        """Write to the input of the process.

        Raises:
            OSError: it has ended.
            TimeoutError: it does not read.
        """

    def close(self) -> None:
        """Read no more."""


class PolledOutputs:
    """Outputs of a system that can poll pipes."""

    def __init__(self, answer: IO[bytes], complaint: IO[bytes]) -> None:
        self._pipes = (answer, complaint)
        self._kinds = {answer.fileno(): ANSWER, complaint.fileno(): COMPLAINT}
        self._poll = select.poll()
        for number in self._kinds:
            self._poll.register(number, select.POLLIN)
        self._ready: list[int] = []

    def next(self, until: float) -> tuple[int, bytes]:
        if not self._kinds:
            raise OutputsClosed
        if not self._ready:
            self._ready = _polled(self._poll, until)
        number = self._ready.pop()
        data = os.read(number, BLOCK)
        kind = self._kinds[number]
        if not data:
            self._poll.unregister(number)
            del self._kinds[number]
        return kind, data

    def write(self, pipe: IO[bytes], data: bytes, until: float) -> None:
        poll = select.poll()
        poll.register(pipe.fileno(), select.POLLOUT)
        while data:
            _polled(poll, until)
            # A pipe that is ready takes so much at once.
            data = data[os.write(pipe.fileno(), data[: select.PIPE_BUF]) :]

    def close(self) -> None:
        for pipe in self._pipes:
            pipe.close()


class PumpedOutputs:
    """Outputs that threads read."""

    def __init__(self, answer: IO[bytes], complaint: IO[bytes]) -> None:
        self._open = {ANSWER, COMPLAINT}
        self._read: queue.Queue[tuple[int, bytes]] = queue.Queue()
        for kind, pipe in ((ANSWER, answer), (COMPLAINT, complaint)):
            threading.Thread(target=self._pump, args=(kind, pipe), name="keepstate-git-pipe", daemon=True).start()

    def next(self, until: float) -> tuple[int, bytes]:
        if not self._open:
            raise OutputsClosed
        try:
            kind, data = self._read.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty as error:
            raise TimeoutError from error
        if not data:
            self._open.discard(kind)
        return kind, data

    def write(self, pipe: IO[bytes], data: bytes, until: float) -> None:
        # A question fits into a pipe, and the one before was answered.
        pipe.write(data)

    def close(self) -> None:
        """The threads close what they read, at its end."""

    def _pump(self, kind: int, pipe: IO[bytes]) -> None:
        with pipe:
            data = b"-"
            while data:
                data = b""
                # A pipe that breaks has ended.
                with contextlib.suppress(OSError):
                    data = os.read(pipe.fileno(), BLOCK)
                self._read.put((kind, data))


def outputs(answer: IO[bytes], complaint: IO[bytes]) -> Outputs:
    """The outputs of a process, in the way that this system can read them."""
    return PolledOutputs(answer, complaint) if hasattr(select, "poll") else PumpedOutputs(answer, complaint)


def _polled(poll: select.poll, until: float) -> list[int]:
    """The pipes that are ready, or have ended."""
    events = poll.poll(min(max(0.0, until - time.monotonic()), _LONGEST) * 1000)
    if not events:
        raise TimeoutError
    return [number for number, _ in events]
