"""Findings of a run of one target: each failing place once, by the smallest input so far."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from fuzz_target import FOLDER, Target
from given_scripts import VARIABLE

_SLOW_SECONDS = 60
"""A longer run is a finding: a keystroke must not wait so long. A loaded machine is given time."""
_SHRINKING_SECONDS = 30
_PIECE = re.compile(rb"\n[^\n]*|[^\s]+|\s+|.", re.DOTALL)


def kept_in() -> Path:
    """Folder of inputs with findings: inputs made of foreign scripts are no part of the repository."""
    return Path("build", "fuzz") if os.environ.get(VARIABLE) else FOLDER


class Slow(AssertionError):
    """An input that took too long."""


def guarded(check: Callable[[bytes], None], data: bytes) -> None:
    """``check``, ended after a minute where the system can do that."""
    if not hasattr(signal, "SIGALRM"):
        check(data)
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise Slow(f"more than {_SLOW_SECONDS} seconds")

    former = signal.signal(signal.SIGALRM, ring)
    signal.alarm(_SLOW_SECONDS)
    try:
        check(data)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


class Findings:
    """Tries inputs on a target and keeps those that fail, one for each place in the code."""

    def __init__(self, target: Target, alarm: bool = True) -> None:
        """Without ``alarm`` the caller ends a long run: libFuzzer has the alarm clock for itself."""
        self._target = target
        self._run = partial(guarded, target.check) if alarm else target.check
        self.tried = 0
        self.places: dict[tuple[str, str, int], bytes] = {}

    def try_(self, data: bytes) -> bool:
        """Return whether the target holds on this input."""
        self.tried += 1
        place = self._place(data)
        if place is None:
            return True
        if place not in self.places:
            self.places[place] = small = self._smaller(data, place)
            self._keep(small, place)
        return False

    def _place(self, data: bytes) -> tuple[str, str, int] | None:
        """The place of the failure: the kind of error with the last frame, or ``None``."""
        try:
            self._run(data)
        except Exception as error:  # noqa: BLE001 - whatever is raised is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            return type(error).__name__, last.filename.replace("\\", "/").rpartition("/")[2], last.lineno or 0
        return None

    def _smaller(self, data: bytes, place: tuple[str, str, int]) -> bytes:
        """The input without what the failure does not need, as far as there is time."""
        end = time.monotonic() + _SHRINKING_SECONDS
        pieces = _PIECE.findall(data)
        width = max(1, len(pieces) // 2)
        while width:
            start = 0
            while start < len(pieces) and time.monotonic() < end:
                shorter = pieces[:start] + pieces[start + width :]
                if self._place(b"".join(shorter)) == place:
                    pieces = shorter
                else:
                    start += width
            width //= 2
        return b"".join(pieces)

    def _keep(self, data: bytes, place: tuple[str, str, int]) -> None:
        folder = kept_in() / self._target.name
        folder.mkdir(parents=True, exist_ok=True)
        kind, module, line = place
        path = folder / f"{kind.lower()}-{module.removesuffix('.py')}-{hashlib.sha256(data).hexdigest()[:8]}"
        path.write_bytes(data)
        print(f"{self._target.name}: {kind} at {module}:{line}, kept in {path.name}", flush=True)
