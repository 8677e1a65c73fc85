"""An editor in a terminal of its own: what is typed, and what is on the screen."""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte
import pytest

if sys.platform == "win32":
    # The tests that import this module are left out.
    pytest.skip("pseudo-terminals are those of Unix", allow_module_level=True)

import fcntl
import pty
import termios

_WITH_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Becomes another program, whose /dev/tty is what its standard input is."""


class Terminal:
    """A program at one end of a pseudo-terminal; at the other its keys go in, and its screen comes out.

    To be used as a context: whatever happens, the program does not outlive it.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        folder: Path,
        columns: int = 140,
        rows: int = 50,
    ) -> None:
        self._end, program_end = pty.openpty()
        fcntl.ioctl(program_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._program = subprocess.Popen(
            [sys.executable, "-c", _WITH_TERMINAL, *map(str, command)],
            cwd=folder,
            env={**environment, "TERM": "linux"},
            stdin=program_end,
            stdout=program_end,
            stderr=program_end,
            start_new_session=True,
        )
        os.close(program_end)
        self._screen = pyte.Screen(columns, rows)
        # Programs ask a terminal what it is, and some wait for the answer.
        self._screen.write_process_input = self.type  # type: ignore[method-assign]
        self._stream = pyte.ByteStream(self._screen)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._end)

    @property
    def screen(self) -> str:
        """The text on the screen now, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def wait_for(self, what: str, condition: Callable[[str], bool], seconds: float = 120) -> str:
        """The screen as soon as ``condition`` holds for it.

        Raises:
            AssertionError: that did not come, or the program ended before.
        """
        limit = time.monotonic() + seconds
        while not condition(self.screen):
            assert self._take_in(limit), f"did not come: {what}\n{self.screen}"
        return self.screen

    def wait_for_end(self, seconds: float) -> int:
        """The exit status of the program.

        Raises:
            AssertionError: it still runs after that time.
        """
        limit = time.monotonic() + seconds
        while self._take_in(limit):
            pass
        assert self._program.poll() is not None or time.monotonic() < limit, f"it did not end\n{self.screen}"
        return self._program.wait()

    def _take_in(self, limit: float) -> bool:
        """Put the next output on the screen; false when there is no more, or no more time."""
        ready, _, _ = select.select([self._end], [], [], max(0.0, limit - time.monotonic()))
        try:
            # An end whose program is gone is an error on Linux, and empty elsewhere.
            output = os.read(self._end, 65536) if ready else b""
        except OSError:
            output = b""
        self._stream.feed(output)
        return bool(output)
