"""A process beside a worker that judges pairs, so that a pair that never ends, exhausts the memory or kills Python
costs itself alone.

The limit of a pair is CPU time: on a busy machine a wall-clock limit would end pairs without a fault. The kernel ends a
process that exceeds the limit, in any code.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, Pipe
from typing import Any, final

Row = dict[str, Any]
Judge = Callable[[Any], Iterator[Row]]

_PATIENCE = 20
"""Limit of a pair's wall-clock time, as a multiple of its CPU time: a pair waits for nothing but a core."""


class PairLost(Exception):
    """A pair could not be judged. ``outcome`` is a column of the reports, the message a sentence."""

    def __init__(self, outcome: str, sentence: str) -> None:
        super().__init__(sentence)
        self.outcome = outcome


@final
class Sandbox:
    """Judges pairs one after the other, in a forked process. Each may take ``seconds`` of CPU time and ``megabytes`` of
    memory. Use it in a ``with`` block.
    """

    def __init__(self, judge: Judge, seconds: float, megabytes: int) -> None:
        self._judge = judge
        self._seconds = seconds
        self._megabytes = megabytes
        self._process = 0
        self._pipe: Connection | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def judged(self, pair: Any) -> Row:
        """The last row that the judge gives for ``pair``: the first one stands if a later one takes too long.

        Raises:
            PairLost: it gave none.
        """
        pipe = self._pipe or self._begin()
        began = time.monotonic()
        pipe.send(pair)
        row: Row | None = None
        loss: PairLost
        deadline = began + _PATIENCE * self._seconds
        while True:
            if not pipe.poll(max(deadline - time.monotonic(), 0)):
                loss = PairLost("timed-out", f"It took longer than {_PATIENCE * self._seconds:g} seconds.")
                break
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                loss = self._last_words()
                break
            if kind == "row":
                row = value
            elif kind == "end":
                assert row is not None
                row["milliseconds"] = value
                return row
            else:
                return self._or_raise(row, PairLost("failed", value))
        self._end()
        return self._or_raise(row, loss)

    @staticmethod
    def _or_raise(row: Row | None, loss: PairLost) -> Row:
        if row is None:
            raise loss
        return row

    def _begin(self) -> Connection:
        own_end, worker_end = Pipe()
        process = os.fork()
        if process == 0:
            own_end.close()
            try:
                _serve(worker_end, self._judge, self._seconds, self._megabytes)
            finally:
                # Nothing of the worker is to be run a second time: its exit handlers, its buffers.
                os._exit(0)
        worker_end.close()
        self._process, self._pipe = process, own_end
        return own_end

    def _last_words(self) -> PairLost:
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            return PairLost("timed-out", f"It took more than {self._seconds:g} seconds of CPU time.")
        return PairLost("crashed", f"The analysis ended with status {os.waitstatus_to_exitcode(status)}.")

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = 0


def _serve(pipe: Connection, judge: Judge, seconds: float, megabytes: int) -> None:
    """Loop of the forked process: receive a pair, judge it within the limits, send its rows."""
    # What the worker has loaded stays: looking through it again and again would also copy its pages.
    gc.freeze()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        # Beyond what the worker has: that is shared, or not touched.
        limit = _address_space() + megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    while True:
        try:
            pair = pipe.recv()
        except (EOFError, OSError):
            return
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            for row in judge(pair):
                pipe.send(("row", row))
            answer: tuple[str, Any] = "end", round((time.process_time() - began) * 1000)
        except Exception as error:  # noqa: BLE001 - any fault at all costs one pair only, and is reported
            answer = "fault", f"The analysis failed ({type(error).__name__}: {error}). This is a fault of Keepstate."
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(answer)


def _address_space() -> int:
    """Bytes of address space that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
