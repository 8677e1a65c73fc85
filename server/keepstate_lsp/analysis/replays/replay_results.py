"""Results of replays, kept as long as the replayed texts stay the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.replays.editor_texts import query_line, replay_sentence, witness_line
from keepstate_lsp.analysis.runs.lines import RunLine, numbered, placed_lines
from keepstate_lsp.analysis.runs.run_request import identity_of


@dataclass(frozen=True)
class ReplayResult:
    """The result of one replay. ``lines`` are by the names of queries and their number among those of that name."""

    identity: str
    restart_at: str
    sentence: str
    lines: Mapping[tuple[str, int], RunLine]
    notes: tuple[str, ...]
    """Remarks about the rows."""
    folder: Path
    """The folder of the report."""

    @staticmethod
    def of(summary: Mapping[str, Any], identity: str, notes: tuple[str, ...], folder: Path) -> ReplayResult:
        """The result in a ``summary.json``."""
        restart_at = summary["restart_at"]
        queries = summary["queries"]
        keys = numbered([query["name"] for query in queries])
        lines = {key: _line(query, restart_at) for key, query in zip(keys, queries, strict=True)}
        return ReplayResult(identity, restart_at, replay_sentence(summary), lines, notes, folder)

    @property
    def page(self) -> Path | None:
        """The report as a page."""
        page = self.folder / "report.html"
        return page if page.is_file() else None


def _line(query: Mapping[str, Any], restart_at: str) -> RunLine:
    """The effect of the restart on one query, and the few rows that show it."""
    line = query_line(query, restart_at)
    return RunLine(f"Replayed: {line}", ((f"Replayed at {restart_at}", line), ("Witness", witness_line(query))))


class ReplayResults:
    """The last result of each document."""

    def __init__(self) -> None:
        self._results: dict[str, ReplayResult] = {}
        self.suggested: dict[str, str] = {}
        """Times of restarts that lie within the rows of a document, as replays that failed found them."""

    def keep(self, uri: str, result: ReplayResult) -> ReplayResult | None:
        """Keep the result. Return the one that it replaces, if any."""
        former = self._results.get(uri)
        self._results[uri] = result
        return former

    def last(self, uri: str) -> ReplayResult | None:
        """The last one, of whatever text."""
        return self._results.get(uri)

    def lines(self, analysis: Analysis) -> tuple[RunLine | None, ...]:
        """The lines of the last replay, in the order of the pipelines; none if other texts were replayed."""
        result, comparison = self._results.get(analysis.document.uri), analysis.comparison
        if result is None or comparison is None or identity_of(comparison) != result.identity:
            return (None,) * len(analysis.pipelines)
        return placed_lines(analysis, result.lines.get)
