"""Results of replays, kept as long as the replayed texts stay the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.replays.editor_texts import query_line, replay_sentence, witness_line
from keepstate_lsp.analysis.replays.request import identity_of


@dataclass(frozen=True)
class ReplayLine:
    """The effect of the restart on one query, and the few rows that show it (empty if there are none)."""

    line: str
    witness: str


@dataclass(frozen=True)
class ReplayResult:
    """The result of one replay. ``lines`` are by the names of queries and their number among those of that name."""

    identity: str
    restart_at: str
    sentence: str
    lines: Mapping[tuple[str, int], ReplayLine]
    notes: tuple[str, ...]
    """Remarks about the rows."""
    folder: Path
    """The folder of the report."""

    @staticmethod
    def of(summary: Mapping[str, Any], identity: str, notes: tuple[str, ...], folder: Path) -> ReplayResult:
        """The result in a ``summary.json``."""
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
    """The lines of the last replay, by the queries of an analysis."""

    restart_at: str
    by_pipeline: tuple[ReplayLine | None, ...]
    """In the order of ``Analysis.pipelines``."""

    def of_finding(self, analysis: Analysis, index: int) -> ReplayLine | None:
        """Of the query that has a finding of the report."""
        for placed, line in zip(analysis.pipelines, self.by_pipeline, strict=True):
            if not placed.is_stale and index in placed.verdict.findings:
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
        """The lines of the last replay for an analysis; ``None`` if other texts were replayed."""
        result, comparison = self._results.get(analysis.document.uri), analysis.comparison
        if result is None or comparison is None or identity_of(comparison) != result.identity:
            return None
        seen: Counter[str] = Counter()
        found = []
        for placed in analysis.pipelines:
            name = placed.verdict.name
            found.append(None if placed.is_stale else result.lines.get((name, seen[name])))
            seen[name] += 1
        return ReplayLines(result.restart_at, tuple(found))
