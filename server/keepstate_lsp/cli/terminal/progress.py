"""The progress of a long run, on a terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import final

_PATIENCE = 1.0
"""Seconds before anything is shown: most runs are over by then."""
_PAUSE = 0.1
_WIDTH = 30
_SIGNS = (("━", "─"), ("#", "-"))


@final
class TerminalProgress:
    """A bar on standard error that is gone when the work is done; silent unless that is a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._signs = _signs_for(sys.stderr.encoding) if self._shown else _SIGNS[-1]
        self._next = time.monotonic() + _PATIENCE
        self._drawn = False

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def step(self, count: int, total: int) -> None:
        """Say that ``count`` files out of ``total`` are compared."""
        if not self._shown or (now := time.monotonic()) < self._next:
            return
        self._next = now + _PAUSE
        self._drawn = True
        cells = _WIDTH * count // max(total, 1)
        bar = self._signs[0] * cells + self._signs[1] * (_WIDTH - cells)
        sys.stderr.write(f"\r\x1b[K{bar} compared {count:,} of {total:,} files")
        sys.stderr.flush()


def _signs_for(encoding: str) -> tuple[str, str]:
    """The first pair of signs that a terminal of this encoding can show."""
    for signs in _SIGNS[:-1]:
        try:
            "".join(signs).encode(encoding)
        except UnicodeEncodeError:
            continue
        return signs
    return _SIGNS[-1]
