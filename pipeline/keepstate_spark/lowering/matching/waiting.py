"""Partial matches in the order in which Flink keeps them: a binary heap by their first row.

Of matches that begin with the same row, the arrangement of the heap decides which comes first, so it is that of Java's
``PriorityQueue``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

NEVER = 1 << 62
"""The first row of a match that has not begun."""


class PartialMatch(NamedTuple):
    """A partial match: its ``state``, its ``first`` row, and for each variable up to the last one that took a row, the
    row at which the rows of this variable begin.
    """

    state: int
    first: int
    begins: tuple[int, ...]


class PartialMatchQueue:
    """A heap of runs, of which the one with the earliest first row is at the top."""

    def __init__(self) -> None:
        self._runs: list[PartialMatch] = []

    def __iter__(self) -> Iterator[PartialMatch]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def top(self) -> PartialMatch | None:
        return self._runs[0] if self._runs else None

    def add(self, run: PartialMatch) -> None:
        runs = self._runs
        place = len(runs)
        runs.append(run)
        while place:
            parent = (place - 1) >> 1
            if run.first >= runs[parent].first:
                break
            runs[place] = runs[parent]
            place = parent
        runs[place] = run

    def take(self) -> PartialMatch:
        """Remove the run at the top and return it. Raises ``IndexError`` if there is none."""
        runs = self._runs
        first = runs[0]
        last = runs.pop()
        if runs:
            self._sink(0, last)
        return first

    def keep(self, row: int) -> None:
        """Keep the runs that begin with ``row`` or later."""
        remaining = [run for run in self._runs if run.first >= row]
        if len(remaining) < len(self._runs):
            self._runs = remaining
            for place in range((len(remaining) >> 1) - 1, -1, -1):
                self._sink(place, remaining[place])

    def _sink(self, place: int, run: PartialMatch) -> None:
        runs = self._runs
        half = len(runs) >> 1
        while place < half:
            child = 2 * place + 1
            if child + 1 < len(runs) and runs[child].first > runs[child + 1].first:
                child += 1
            if run.first <= runs[child].first:
                break
            runs[place] = runs[child]
            place = child
        runs[place] = run
