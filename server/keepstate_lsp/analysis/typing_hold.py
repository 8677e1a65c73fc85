"""Results that wait until a pause in typing: a half-typed name is another name, and a half-typed number another number.

While single characters come, an analysis shows no finding and no refusal that the one before did not show. It shows
the rest: what an edit removes goes at once.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from keepstate.report import Refusal
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedPipeline
from keepstate_lsp.analysis.offset_map import OffsetMap
from keepstate_lsp.analyzer import finding_key

PAUSE = 0.6
"""Seconds without a keystroke after which an edit is finished."""


def hold_back(analysis: Analysis, previous: Analysis | None) -> Analysis:
    """``analysis`` without what is new since ``previous``, if its last edit may go on; marked if anything is left out.

    A finding of ``previous`` stays, as stale, where a new one of its rule takes its place.
    """
    if not analysis.is_being_typed or previous is None or analysis.report is None:
        return analysis
    keys_before = {finding_key(placed.finding) for placed in previous.findings}
    fresh = [placed for placed in analysis.findings if finding_key(placed.finding) not in keys_before]
    words_before = {_words(refusal) for refusal in previous.refusals}
    refused = [refusal for refusal in analysis.refusals if _words(refusal) not in words_before]
    offsets = OffsetMap(previous.document.text, analysis.document.text)
    pipelines = _held_pipelines(analysis, previous, offsets)
    if not fresh and not refused and not pipelines:
        return analysis
    kept_findings = [placed for placed in analysis.findings if placed not in fresh]
    keys = {finding_key(placed.finding) for placed in kept_findings}
    rules = {placed.finding.rule for placed in fresh}
    kept_findings += (
        replace(placed, span=offsets.span(placed.span), index=None)
        for placed in previous.findings
        if placed.finding.rule in rules and finding_key(placed.finding) not in keys
    )
    return replace(
        analysis,
        findings=tuple(sorted(kept_findings, key=lambda placed: placed.span)),
        refusals=tuple(refusal for refusal in analysis.refusals if refusal not in refused),
        pipelines=analysis.pipelines.replaced(pipelines),
        pages={**previous.pages, **analysis.pages},
        is_held=True,
    )


def _held_pipelines(analysis: Analysis, previous: Analysis, offsets: OffsetMap) -> dict[int, PlacedPipeline]:
    """The pipelines whose verdict of ``previous`` was better, with that, by their numbers."""

    def moved_start(placed: PlacedPipeline) -> int:
        return offsets.start(placed.span)

    better, former = dict[int, PlacedPipeline](), previous.pipelines
    for number, placed in analysis.pipelines.eventful.items():
        # Both are in text order.
        place = bisect_right(former, placed.span.start, key=moved_start) - 1
        if place < 0 or moved_start(former[place]) != placed.span.start:
            continue
        was = former[place].verdict
        if was.verdict.rank < placed.verdict.verdict.rank:
            better[number] = replace(placed, verdict=was)
    return better


def _words(refusal: Refusal) -> tuple[str, str]:
    """The identity of a refusal, apart from its place."""
    return refusal.rule, refusal.message
