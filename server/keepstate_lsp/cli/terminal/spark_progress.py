"""The progress of Spark with a query: for a person at a terminal, or for a program that shows it to a person."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import final

_PATIENCE = 1.0
"""Seconds before anything is shown: most queries are over by then."""
_INTERVAL = 0.2
_WIDTH = 30


@final
class SparkProgress:
    """A progress bar on standard error, removed at the end; nothing unless that is a terminal. ``tasks`` returns the
    number of finished tasks, and of all.
    """

    def __init__(self, tasks: Callable[[], tuple[int, int]], quiet: bool = False) -> None:
        self._tasks = tasks
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._done = threading.Event()
        self._name = ""
        self._drawn = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> SparkProgress:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._shown:
            self._thread.join()
        self.clear()

    def begin(self, name: str) -> None:
        """Say what is run now."""
        self._name = name

    def clear(self) -> None:
        """Take the bar away, before something else is written."""
        with self._lock:
            if self._drawn:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
                self._drawn = False

    def _watch(self) -> None:
        began = time.monotonic()
        while not self._done.wait(_INTERVAL):
            if time.monotonic() - began > _PATIENCE:
                self._draw()

    def _draw(self) -> None:
        count, total = self._tasks()
        if not total:
            return
        filled = _WIDTH * count // total
        with self._lock:
            sys.stderr.write(f"\r\x1b[K{self._name} [{'=' * filled}{' ' * (_WIDTH - filled)}] {count} of {total} tasks")
            sys.stderr.flush()
            self._drawn = True


@final
class ProgressLines:
    """Lines of JSON on standard error: the step, the number of its finished tasks, and of all."""

    def __init__(self, tasks: Callable[[], tuple[int, int]]) -> None:
        self._tasks = tasks
        self._name = ""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> ProgressLines:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def begin(self, name: str) -> None:
        """Say what is run now."""
        self._name = name

    def clear(self) -> None:
        """Nothing has to be taken away."""

    def _watch(self) -> None:
        previous: dict[str, object] = {"query": ""}
        while not self._done.wait(_INTERVAL):
            count, total = self._tasks()
            progress = {"query": self._name, "done": count, "total": total}
            # Between two stages there is nothing to report.
            if progress != previous and (total or self._name != previous["query"]):
                previous = progress
                sys.stderr.write(f"{json.dumps({'progress': progress})}\n")
                sys.stderr.flush()
