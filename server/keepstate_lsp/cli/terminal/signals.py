"""Signals that end a command, so that it can clean up before it goes."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
"""Ctrl-C, ``kill``, a terminal that is closed; on Windows also Ctrl-Break."""
PATIENCE = 20.0
"""Seconds after which the block is interrupted once more, if it still goes on."""
_SOON = 0.05
"""Seconds until the block is interrupted again, where Python swallowed the exception."""


@contextmanager
def ending_cleanly() -> Iterator[Callable[[], None]]:
    """A block that each of these signals ends with ``KeyboardInterrupt``.

    Only the first signal does: a second one shall not interrupt the cleanup. Python swallows an exception that is
    raised while it destroys an object (objects of a JVM take leave of it then, which takes time): the block is
    interrupted again at once. Libraries swallow exceptions as well, so a block that goes on is interrupted once more
    after a while. An error after a signal is a consequence of the signal (Spark's connection, for one, is in no state
    to be cleaned up), and becomes ``KeyboardInterrupt`` as well. The value of the block is a function that installs
    these handlers again after other code has replaced them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    former = {number: signal.getsignal(number) for number in _ENDING}
    # A signal that is ignored from the start, as `nohup` ignores a closed terminal, stays ignored.
    heard = [number for number, handler in former.items() if handler is not signal.SIG_IGN]
    ended, late, over = threading.Event(), threading.Event(), threading.Event()
    reminders: list[threading.Timer] = []
    unraisable = sys.unraisablehook

    def remind() -> None:
        if not over.is_set():
            late.set()
            _thread.interrupt_main(heard[0])

    def remind_in(seconds: float) -> None:
        reminder = threading.Timer(seconds, remind)
        reminder.daemon = True
        reminders.append(reminder)
        reminder.start()

    def end(_: int, __: FrameType | None) -> None:
        for number in heard:
            signal.signal(number, only_late)
        if not ended.is_set():
            ended.set()
            remind_in(PATIENCE)
        raise KeyboardInterrupt

    def only_late(_: int, __: FrameType | None) -> None:
        if late.is_set():
            late.clear()
            raise KeyboardInterrupt

    def swallowed(unraisable_error: sys.UnraisableHookArgs) -> None:
        if ended.is_set() and issubclass(unraisable_error.exc_type, KeyboardInterrupt):
            # Not here, where it would be swallowed too.
            remind_in(_SOON)
        else:
            unraisable(unraisable_error)

    def listen() -> None:
        for number in heard:
            signal.signal(number, end)

    listen()
    sys.unraisablehook = swallowed
    try:
        yield listen
    except Exception as error:
        if ended.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        over.set()
        for reminder in reminders:
            reminder.cancel()
        sys.unraisablehook = unraisable
        for number in heard:
            signal.signal(number, former[number] or signal.SIG_DFL)


def end_with_input() -> None:
    """From now on do as after ``kill`` when standard input ends: who started this process is gone, or tired of it."""

    def watch() -> None:
        with suppress(OSError):
            # Not through `sys.stdin`, whose lock a thread that waits must not hold when Python ends.
            while os.read(sys.stdin.fileno(), 4096):
                pass
        if hasattr(signal, "pthread_kill"):
            # To this very thread, which may be waiting for Spark to answer.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        else:
            _thread.interrupt_main()

    if sys.stdin is not None:
        threading.Thread(target=watch, daemon=True).start()
