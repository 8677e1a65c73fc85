"""What replays found, for as long as the texts are those that were replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.replays.request import identity_of
from keepstate_lsp.analysis.replays.words import query_line, replay_sentence, witness_line


@dataclass(frozen=True)
class ReplayLine:
    """What the restart does to one query, and the few rows that show it (empty if there are none)."""

    line: str
    witness: str


@dataclass(frozen=True)
class ReplayResult:
    """What one replay found. ``lines`` are by the names of queries and their number among those of that name."""

    identity: str
    restart_at: str
    sentence: str
    lines: Mapping[tuple[str, int], ReplayLine]
    notes: tuple[str, ...]
    """What is to be known of the rows."""
    folder: Path
    """Where the report lies."""

    @staticmethod
    def of(summary: Mapping[str, Any], identity: str, notes: tuple[str, ...], folder: Path) -> ReplayResult:
        """The result that ``summary.json`` tells of."""
        restart_at = summary["restart_at"]
        seen: Counter[str] = Counter()
        lines = {}
        for query in summary["queries"]:
            name = query["name"]
            lines[name, seen[name]] = ReplayLine(query_line(query, restart_at), witness_line(query))
            seen[name] += 1
        return ReplayResult(identity, restart_at, replay_sentence(summary), lines, notes, folder)

    @property
    def page(self) -> Path | None:
        """The report as a page."""
        page = self.folder / "report.html"
        return page if page.is_file() else None


@dataclass(frozen=True)
class ReplayLines:
    """What the last replay says of the queries of an analysis."""

    restart_at: str
    by_pipeline: tuple[ReplayLine | None, ...]
    """In the order of ``Analysis.pipelines``."""

    def of_finding(self, analysis: Analysis, index: int) -> ReplayLine | None:
        """Of the query that has a finding of the report."""
        for shown, line in zip(analysis.pipelines, self.by_pipeline, strict=True):
            if not shown.is_stale and index in shown.verdict.findings:
                return line
        return None


class ReplayResults:
    """The last result of each document."""

    def __init__(self) -> None:
        self._results: dict[str, ReplayResult] = {}

    def keep(self, uri: str, result: ReplayResult) -> ReplayResult | None:
        """Take over a result; the one that it takes the place of."""
        former = self._results.get(uri)
        self._results[uri] = result
        return former

    def last(self, uri: str) -> ReplayResult | None:
        """The last one, of whatever text."""
        return self._results.get(uri)

    def lines(self, analysis: Analysis) -> ReplayLines | None:
        """What the last replay says of an analysis; ``None`` if it was of other texts."""
        result, comparison = self._results.get(analysis.document.uri), analysis.comparison
        if result is None or comparison is None or identity_of(comparison) != result.identity:
            return None
        seen: Counter[str] = Counter()
        found = []
        for shown in analysis.pipelines:
            name = shown.verdict.name
            found.append(None if shown.is_stale else result.lines.get((name, seen[name])))
            seen[name] += 1
        return ReplayLines(result.restart_at, tuple(found))
