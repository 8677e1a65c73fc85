"""Lines about what runs found, at the queries of an analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from keepstate_lsp.analysis.document_analysis import Analysis


@dataclass(frozen=True)
class RunLine:
    """The outcome of a run for one query: above the query, and with labels in the hovers of its findings."""

    above: str
    hover: tuple[tuple[str, str], ...]


class RunLines(Protocol):
    """The results of runs of one kind."""

    def lines(self, analysis: Analysis) -> tuple[RunLine | None, ...]:
        """The lines for an analysis, in the order of its pipelines: those of runs of its very texts."""


class AllRunLines:
    """The lines of runs of all kinds."""

    def __init__(self, *kinds: RunLines) -> None:
        self._kinds = kinds

    def by_pipeline(self, analysis: Analysis) -> tuple[tuple[RunLine, ...], ...]:
        """The lines for an analysis, in the order of its pipelines."""
        lines_by_kind = [kind.lines(analysis) for kind in self._kinds]
        return tuple(
            tuple(line for lines in lines_by_kind if (line := lines[number]) is not None)
            for number in range(len(analysis.pipelines))
        )

    def of_finding(self, analysis: Analysis, index: int) -> tuple[RunLine, ...]:
        """The lines of the query that has a finding of the report."""
        for placed, lines in zip(analysis.pipelines, self.by_pipeline(analysis), strict=True):
            if not placed.is_stale and index in placed.verdict.findings:
                return lines
        return ()


NO_RUN_LINES = AllRunLines()


def placed_lines(
    analysis: Analysis, line_of: Callable[[tuple[str, int]], RunLine | None]
) -> tuple[RunLine | None, ...]:
    """The lines of ``line_of``, which gets a name and its number among equal names, in the order of the pipelines."""
    keys = numbered([placed.verdict.name for placed in analysis.pipelines])
    return tuple(
        None if placed.is_stale else line_of(key) for placed, key in zip(analysis.pipelines, keys, strict=True)
    )


def numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with its number among those of that name.

    >>> numbered(["a", "b", "a"])
    [('a', 0), ('b', 0), ('a', 1)]
    """
    counts: Counter[str] = Counter()
    pairs = []
    for name in names:
        pairs.append((name, counts[name]))
        counts[name] += 1
    return pairs
