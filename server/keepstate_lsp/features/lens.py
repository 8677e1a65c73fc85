"""Code lenses: one line above each pipeline, or one line with the reason why nothing is compared."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import no_baseline_words, pipeline_words
from keepstate_lsp.analysis.replays.results import ReplayLines


@dataclass(frozen=True)
class Lens:
    offset: int
    title: str


def lenses(analysis: Analysis, replayed: ReplayLines | None = None) -> list[Lens]:
    if analysis.without is not None:
        # Said once for the file: the reason is the same for each of its pipelines.
        return [Lens(statement.start, no_baseline_words(analysis)) for statement in analysis.statements[:1]]
    replays = replayed.by_pipeline if replayed is not None else (None,) * len(analysis.pipelines)
    lines = [query.line if query is not None else None for query in replays]
    return [
        Lens(placed.span.start, pipeline_words(placed, analysis) + (f". Replayed: {line}" if line is not None else ""))
        for placed, line in zip(analysis.pipelines, lines, strict=True)
    ]
