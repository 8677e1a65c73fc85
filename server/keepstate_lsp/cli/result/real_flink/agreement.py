"""Counts of the answers of a real Flink that agree with the built-in model, over many pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keepstate_lsp.cli.result.file_result import FileResult


def pair_name(identity: Any) -> str:
    """The id of a pair behind the number of its line; empty without one.

    >>> pair_name("a"), pair_name(None)
    (" (id 'a')", '')
    """
    return "" if identity is None else f" (id {identity!r})"


class Agreement:
    """Pairs by the answers of Flink on them: one that disagrees on a job disagrees, and one with a job that nothing is
    decided of is open.
    """

    def __init__(self) -> None:
        self.agreeing = self.disagreeing = self.open = 0

    def add(self, jobs: Sequence[bool | None]) -> None:
        """Count a pair by the agreement on each of its jobs."""
        self.disagreeing += False in jobs
        self.open += None in jobs and False not in jobs
        self.agreeing += bool(jobs) and all(jobs)

    def add_planned(self, comparison: FileResult) -> Iterator[str]:
        """Count a planned pair. Yields a sentence for each job on which the planner says nothing, or otherwise."""
        self.add([answer.agrees for answer in comparison.planned])
        for answer in comparison.planned:
            if not answer.agrees:
                yield answer.sentence

    def sentence(self, words: str) -> str:
        """The counts, such as ``Flink's planner agrees with the built-in model on 3 of 4 pairs; 1 disagrees.``."""
        counted = self.agreeing + self.disagreeing
        undecided = f"; {self.open} not decided" if self.open else ""
        return f"{words} on {self.agreeing} of {counted} pairs ({self.disagreeing} otherwise{undecided})."
