"""Inlay hints: the effect of a changed clause on the state, in two words at the end of its line. Off by default."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Effect
from keepstate.text import Span
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedFinding
from keepstate_lsp.features.arrows import with_arrows

_EFFECTS = {
    Effect.EXACT: "state kept",
    Effect.STARTS_EMPTY: "starts empty",
    Effect.STATE_LOST: "state lost",
    Effect.STATE_DROPPED: "state dropped",
    Effect.DOES_NOT_START: "restart fails",
    Effect.WRONG_RESULTS: "wrong numbers",
    Effect.UNDETERMINED: "state unknown",
}


@dataclass(frozen=True)
class Inlay:
    offset: int
    label: str
    tooltip: str


def inlays(analysis: Analysis, span: Span) -> list[Inlay]:
    """The hints within ``span``: one per line with findings, in the words of the worst one.

    A hint stands on the first line of a clause, where its squiggle begins.
    """
    lines = analysis.document.lines
    by_end: dict[int, list[PlacedFinding]] = {}
    for placed in analysis.findings:
        end = lines.line_span(lines.position(placed.span.start).line).end
        if span.start <= end <= span.end and _is_shown(placed, analysis):
            by_end.setdefault(end, []).append(placed)
    return [_inlay(offset, by_end[offset]) for offset in sorted(by_end)]


def _is_shown(placed: PlacedFinding, analysis: Analysis) -> bool:
    """Return whether a finding has a clause of its own in this text, and is not switched off."""
    return not placed.is_stale and not placed.finding.removed and analysis.severity_of(placed.finding) != "off"


def _inlay(offset: int, line: list[PlacedFinding]) -> Inlay:
    findings = sorted((placed.finding for placed in line), key=lambda one: one.effect.precedence, reverse=True)
    messages = dict.fromkeys(with_arrows(finding.message) for finding in findings)
    return Inlay(offset, _EFFECTS[findings[0].effect], "\n".join(messages))
