"""Inlay hints: the effect of a clause on the state, in a few words behind it. Off by default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate.report import Effect, StateHover
from keepstate.text import Span
from keepstate_lsp.analysis.document_analysis import Analysis

_EFFECTS = {
    Effect.STARTS_EMPTY: "starts empty at restart",
    Effect.STATE_LOST: "loses the state",
    Effect.STATE_DROPPED: "drops its state",
    Effect.DOES_NOT_START: "does not start",
    Effect.WRONG_RESULTS: "wrong numbers after restart",
    Effect.UNDETERMINED: "state: cannot be told",
}


@dataclass(frozen=True)
class Inlay:
    offset: int
    label: str
    tooltip: str


def inlays(analysis: Analysis, notes: Sequence[StateHover], span: Span) -> list[Inlay]:
    """The hints within ``span``: one per place, findings before notes on kept state."""
    found: dict[int, Inlay] = {}
    for inlay in (*_of_findings(analysis), *_of_notes(notes)):
        if span.start <= inlay.offset <= span.end:
            found.setdefault(inlay.offset, inlay)
    return [found[offset] for offset in sorted(found)]


def _of_findings(analysis: Analysis) -> Iterator[Inlay]:
    for placed in analysis.findings:
        finding = placed.finding
        # A removed clause has no place of its own; its squiggle reports it.
        if not placed.is_stale and not finding.removed and finding.effect in _EFFECTS:
            yield Inlay(placed.span.end, _EFFECTS[finding.effect], finding.message)


def _of_notes(notes: Sequence[StateHover]) -> Iterator[Inlay]:
    for note in notes:
        if note.keeps or note.keyed_by:
            keyed = f"\nkeyed by {', '.join(note.keyed_by)}" if note.keyed_by else ""
            keeps = f"keeps {'; '.join(note.keeps)}" if note.keeps else note.title
            yield Inlay(note.span.end, f"keeps {note.title}", f"{keeps}{keyed}\nuntil {note.until}")
