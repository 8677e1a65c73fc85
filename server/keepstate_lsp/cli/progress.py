"""How far a long run is, on the terminal of a person who waits."""

from __future__ import annotations

import sys
import time
from typing import final

_PATIENCE = 1.0
"""Seconds before anything is shown: most runs are over by then."""


@final
class Progress:
    """A counter on standard error that is gone when the work is done; silent unless that is a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _PATIENCE
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def step(self, done: int, total: int) -> None:
        """Say that ``done`` files out of ``total`` are compared."""
        if self._shown and time.monotonic() >= self._next:
            self._next += 0.1
            self._drawn = True
            sys.stderr.write(f"\r\x1b[Kcompared {done} of {total} files")
            sys.stderr.flush()
