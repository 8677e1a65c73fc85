"""A limit to the time that one call may take, for texts that were made to take for ever.

Every algorithm that is known to take more than linear time has a bound of its own. This limit is the net below: the
analyzer has many parts, one process serves all documents, and a hostile text needs only one way that has no bound. The
limit is CPU time of the calling thread, so that a busy machine changes no answer.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

T = TypeVar("T")

EDITOR_SECONDS = 20.0
"""For one answer to an editor: other documents wait meanwhile."""
COMMAND_SECONDS = 300.0
"""Seconds for one file of a command."""
_LOOK_SECONDS = 0.2
_STEPS = 1_000
"""Of a loop, within which an exception arrives that was raised from outside."""


_CAN_RAISE = sys.implementation.name == "cpython"
"""Only CPython raises in another thread."""


@cache
def _raiser() -> Callable[[int], None]:
    """A function that raises in the thread with an identifier."""
    # Nearly all calls end in time, and need none of its import.
    import ctypes

    function = ctypes.pythonapi.PyThreadState_SetAsyncExc
    return lambda thread: function(ctypes.c_ulong(thread), ctypes.py_object(_Ended))


class TookTooLong(Exception):
    """A call was ended. The message is a sentence for a person."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """The answer of ``call``, within ``seconds`` of CPU time.

    >>> within(10, lambda: 1 + 1)
    2

    Raises:
        OSError: there is no thread to watch it; it was not begun.
        TookTooLong: the call took longer. It was ended between two steps of its Python code, so it must hold no lock
            and leave nothing half done that other code uses.
    """
    watch = _Watch(threading.get_ident(), seconds)
    try:
        try:
            _guard.watch(watch)
            return call()
        finally:
            _guard.release(watch)
    except _Ended:
        # The exception may have come in the middle of the release.
        _guard.release(watch)
        raise TookTooLong(f"it takes more than {seconds:g} seconds of computing time.") from None


class _Ended(BaseException):
    """The exception inside of the call; it passes any ``except Exception`` on the way."""


class _Watch:
    was_ended = False
    """Something was raised for it."""

    def __init__(self, thread: int, seconds: float) -> None:
        self.thread = thread
        self._clock = _clock_of(thread)
        self._end = self._clock() + seconds

    @property
    def is_over(self) -> bool:
        return self._clock() >= self._end


class _Guard:
    """One thread that looks at all running calls now and then, and ends when there are none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[_Watch] = set()
        self._is_looking = False

    def watch(self, watch: _Watch) -> None:
        if not _CAN_RAISE:
            return
        with self._lock:
            if not self._is_looking:
                try:
                    threading.Thread(target=self._look, name="keepstate-time-limit", daemon=True).start()
                except RuntimeError as error:
                    # The next call tries again.
                    raise OSError(errno.EAGAIN, "no thread can be started", "a thread") from error
                self._is_looking = True
            self._watched.add(watch)

    def release(self, watch: _Watch) -> None:
        """After this nothing is raised for ``watch`` any more."""
        if not _CAN_RAISE:
            return
        with self._lock:
            self._watched.discard(watch)
        if watch.was_ended:
            _take_back(watch.thread)

    def _look(self) -> None:
        while True:
            time.sleep(_LOOK_SECONDS)
            with self._lock:
                if not self._watched:
                    self._is_looking = False
                    return
                for watch in self._watched:
                    if watch.is_over:
                        watch.was_ended = True
                        # Again at each look: an exception that falls into a callback of the garbage collector is lost.
                        _raiser()(watch.thread)


def _take_back(thread: int) -> None:
    """Let what was raised arrive in this thread, the one called ``thread``, if it did not yet.

    Set back to nothing, it would leave a request behind that is never served: CPython 3.11 looks at it before each
    function, and under a profiler or a debugger it looks for ever, at no signal either.
    """
    raise_in = _raiser()
    while True:
        try:
            # Once more, so that there is one to arrive; and again, as one may get lost.
            raise_in(thread)
            for _ in range(_STEPS):
                continue
        except _Ended:
            return


def _clock_of(thread: int) -> Callable[[], float]:
    """A clock of the CPU time of a thread; of time as such where there is none."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return time.monotonic
    clock = clock_of(thread)
    return lambda: time.clock_gettime(clock)


_guard = _Guard()


def _begin_anew() -> None:
    global _guard
    _guard = _Guard()


if hasattr(os, "register_at_fork"):
    # A child process lacks the watching thread, and its lock may be held there without end.
    os.register_at_fork(after_in_child=_begin_anew)
