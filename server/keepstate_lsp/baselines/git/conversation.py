"""Processes of git: each is waited for no longer than a bound, and ended with what it started.

The bound is one of wall-clock time, because a process that waits for a disk uses none of the CPU. It holds for one that
cannot be killed as well: its outputs are polled, and its end is not waited for. Each process leads a group of its own:
what git starts in turn has to end with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any

from keepstate_lsp.baselines.git.failures import GitFailure, GitStalled
from keepstate_lsp.baselines.git.outputs import ANSWER, OutputsClosed, outputs
from keepstate_lsp.baselines.git.starts import started

GRACE = 0.3
"""Seconds between the signal that asks a process to end, so that git removes its lock files, and the one that ends
it.
"""
_SHORT = 0.005
_MOST_SAID = 1 << 16
"""Bytes of standard error that are kept."""


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A process that has not answered yet: its command, where it runs, since when (of ``time.monotonic``)."""

    command: str
    folder: str
    since: float


class Child:
    """One process of git. ``words`` and ``folder`` name it for people."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        words: str,
        folder: str,
        *,
        stdin: bytes | None = None,
        answers: bool = False,
    ) -> None:
        """``arguments`` follow ``git``; ``environment`` is added to that of this process. ``stdin`` is written to
        standard input; with ``answers``, questions are written to it.

        Raises:
            GitFailure: the process cannot be started.
        """
        self.words = words
        self.folder = folder
        self.since: float | None = None
        """Time (monotonic) at which the wait for the answer began; ``None``: nothing waits."""
        self._until = 0.0
        self._held = b""
        """Bytes that were read and not taken."""
        self._said = bytearray()
        self._questions: IO[bytes] | None = None
        if _children.is_closed:
            raise GitStalled("the program ends", status=-1)
        try:
            with contextlib.ExitStack() as stack:
                stream: IO[bytes] | None = None
                if answers:
                    reading, writing = os.pipe()
                    stream = stack.enter_context(os.fdopen(reading, "rb", buffering=0))
                    self._questions = os.fdopen(writing, "wb", buffering=0)
                elif stdin is not None:
                    # Few questions come with the start of a process.
                    from tempfile import TemporaryFile

                    stream = stack.enter_context(TemporaryFile())
                    stream.write(stdin)
                    stream.seek(0)
                self.process = started(arguments, environment, stream)
        except BaseException as error:
            self._close_questions()
            if isinstance(error, OSError):
                # A full disk has no room for the file, a process with too many open files none for the pipe.
                raise GitFailure(f"{words} cannot be given its input: {error.strerror or error}") from error
            raise
        self._outputs = outputs(self.process.stdout, self.process.stderr)
        _children.add(self)

    # ------------------------------------------------------------------------------------------- conversation

    @contextlib.contextmanager
    def awaited(self, seconds: float) -> Iterator[None]:
        """A block that waits for the process, ``seconds`` at most; then the process is ended.

        Raises:
            GitStalled: that happened.
        """
        self.since = time.monotonic()
        self._until = self.since + seconds
        try:
            with _ended_by_signals():
                yield
        except TimeoutError as error:
            self.end()
            raise GitStalled(f"{self.words} in {self.folder} did not answer within {seconds:g} seconds") from error
        finally:
            self.since = None

    def ask(self, question: bytes) -> None:
        """Write a question of one line to a process that was started with ``asked``.

        Raises:
            OSError: it has ended.
            TimeoutError: it takes no question.
        """
        assert self._questions is not None, "nothing is asked of this process"
        self._outputs.write(self._questions, question, self._until)

    def line(self) -> bytes:
        """The next line of its answer, without the line break.

        Raises:
            OSError: it ended before.
            TimeoutError: it did not come in time.
        """
        searched = 0
        while (end := self._held.find(b"\n", searched)) < 0:
            searched = len(self._held)
            self._held += self._more()
        line, self._held = self._held[:end], self._held[end + 1 :]
        return line

    def exactly(self, count: int) -> bytes:
        """So many bytes of its answer. Errors as for ``line``."""
        blocks = [self._held]
        missing = count - len(self._held)
        while missing > 0:
            blocks.append(self._more())
            missing -= len(blocks[-1])
        data = b"".join(blocks)
        self._held = data[count:]
        return data[:count]

    def block(self) -> bytes:
        """The next bytes of the answer; empty at its end.

        Raises:
            TimeoutError: nothing came in time.
        """
        try:
            return self._more()
        except BrokenPipeError:
            return b""

    def rest(self) -> bytes:
        """The rest of the answer, once the process has ended.

        Raises:
            TimeoutError: it did not end in time.
        """
        blocks = [self._held]
        while block := self.block():
            blocks.append(block)
        self.finish()
        return b"".join(blocks)

    def finish(self) -> int:
        """Wait for the end of the process; its status.

        Raises:
            TimeoutError: it did not end in time.
        """
        with contextlib.suppress(OutputsClosed):
            while True:
                self._note(*self._outputs.next(self._until))
        if not self._is_gone(self._until - time.monotonic()):
            raise TimeoutError
        status = self.process.returncode
        assert isinstance(status, int)
        return status

    def error_output(self) -> str:
        """The text on standard error so far."""
        return self._said.decode("utf-8", "surrogateescape").strip()

    def _more(self) -> bytes:
        try:
            # To the end of both outputs: the other one has the error message.
            while not (data := self._note(*self._outputs.next(self._until))):
                continue
        except OutputsClosed:
            raise BrokenPipeError("no answer") from None
        return data

    def _note(self, pipe: int, data: bytes) -> bytes:
        """Keep what came from one of its outputs; what belongs to its answer."""
        if pipe == ANSWER:
            return data
        self._said += data[: max(0, _MOST_SAID - len(self._said))]
        return b""

    # ------------------------------------------------------------------------------------------- the end

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def signal(self, number: int) -> None:
        """Send a signal to the process and all that it started."""
        # Once its end was noted, the number of the process may be that of another one.
        if self.process.returncode is not None:
            return
        with contextlib.suppress(OSError):
            if os.name == "nt":
                self.process.kill()
            else:
                os.killpg(self.process.pid, number)

    def end(self) -> None:
        """End the process, and all that it started; return when it is gone, but wait for no more than a moment."""
        self.signal(signal.SIGTERM)
        _wait_until(self.has_ended, GRACE)
        # Before its end is noted: until then the number of the group is its own.
        self.signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._is_gone(GRACE)

    def has_ended(self) -> bool:
        """Return whether the process itself has ended; its children may go on."""
        if self.process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return False
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True

    def close(self) -> None:
        """Close the standard input of the process, and end the process if it goes on."""
        self._close_questions()
        if self._questions is not None:
            # It only reads, and a process that was forked from this one may hold the other end open.
            self.signal(signal.SIGTERM)
        if not self._is_gone(GRACE):
            self.end()
        self._outputs.close()
        _children.remove(self)

    def _close_questions(self) -> None:
        if self._questions is not None:
            with contextlib.suppress(OSError):
                self._questions.close()

    def _is_gone(self, seconds: float) -> bool:
        return _wait_until(lambda: not self.runs, seconds)


def _wait_until(is_done: Any, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() >= until:
            return False
        time.sleep(_SHORT)
    return True


# ----------------------------------------------------------------------------------------------- all of them


def awaited_longest() -> PendingCommand | None:
    """The process that has not answered for the longest time; ``None``: nothing waits for git.

    >>> awaited_longest() is None
    True
    """
    return _children.longest()


def end_all(*, for_good: bool = False) -> None:
    """End all processes of git; ``for_good``: this program ends, and none is started any more.

    >>> end_all()
    >>> awaited_longest() is None
    True
    """
    _children.end_all(for_good)


def end_all_at_signals() -> None:
    """From now on a signal that ends this program, while the main thread waits for git, ends all processes of git
    before. At all other times these end with their pipes, and the signal is left as it is: a handler in Python would
    have to wait for whatever runs.
    """
    global _listens_to_signals
    _listens_to_signals = True


_listens_to_signals = False


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    if not _listens_to_signals or threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    unhandled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in unhandled:
            signal.signal(number, _end)
        yield
    finally:
        for number in unhandled:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    end_all(for_good=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class _Children:
    """All processes of git that were begun and not taken leave of."""

    def __init__(self) -> None:
        # A signal may come while the main thread holds it.
        self._lock = threading.RLock()
        self._all: set[Child] = set()
        self.is_closed = False

    def add(self, child: Child) -> None:
        with self._lock:
            self._all.add(child)
            closed = self.is_closed
        if closed:
            # Begun while the others were ended.
            child.end()

    def remove(self, child: Child) -> None:
        with self._lock:
            self._all.discard(child)

    def longest(self) -> PendingCommand | None:
        with self._lock:
            waits = [(one.words, one.folder, one.since) for one in self._all]
        open_waits = [PendingCommand(words, folder, since) for words, folder, since in waits if since is not None]
        return min(open_waits, key=lambda one: one.since, default=None)

    def end_all(self, for_good: bool) -> None:
        with self._lock:
            self.is_closed = self.is_closed or for_good
            children = list(self._all)
        for child in children:
            child.signal(signal.SIGTERM)
        _wait_until(lambda: all(child.has_ended() for child in children), GRACE)
        for child in children:
            child.signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        _wait_until(lambda: not any(child.runs for child in children), GRACE)


_children = _Children()


def _begin_anew() -> None:
    global _children
    _children = _Children()


if hasattr(os, "register_at_fork"):
    # The processes are those of the parent.
    os.register_at_fork(after_in_child=_begin_anew)
