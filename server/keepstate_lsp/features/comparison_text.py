"""Baseline and current text in one document, for editors that do not show two side by side."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from keepstate.text import LineIndex
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import VERDICT_WORDS
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.reporting.effects import with_effect

_CONTEXT = 1_000_000
"""Lines around a difference: all of them, since one wants to read the query, not a patch."""


@dataclass(frozen=True)
class ComparisonText:
    text: str
    places: tuple[int, ...]
    """The line of this text for each line of the current text, with the lines that it replaces; both count from 0."""
    differing: tuple[int, ...]
    """The lines of the comparison that only one side has."""

    def line_for(self, line: int) -> int:
        """The line here for a line of the current text: the first difference from there on, or the line itself."""
        own = self.places[min(line, len(self.places) - 1)] if self.places else 0
        return next((place for place in self.differing if place >= own), own)


def comparison_text(analysis: Analysis) -> ComparisonText | None:
    r"""A unified diff of the whole file, with each finding behind its line; ``None`` without a baseline.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> print("\n".join(line[:58] for line in comparison_text(job).text.splitlines()[3:]))
    -SELECT b, SUM(a) FROM t GROUP BY b
    +SELECT b, MAX(a) FROM t GROUP BY b
    # incompatible, wrong numbers [all-aggregates-replaced]: S
    """
    against = analysis.against
    if against is None:
        return None
    document = analysis.document
    notes: dict[int, list[str]] = {}
    for placed in analysis.findings:
        line = document.lines.position(placed.span.start).line
        finding = placed.finding
        verdict = with_effect(VERDICT_WORDS[finding.verdict], finding.effect)
        notes.setdefault(line, []).append(f"# {verdict} [{finding.rule}]: {with_arrows(finding.message)}")
    lines = [f"--- {against.baseline.words}", f"+++ {document.name}, as it is now"]
    baseline, current = _lines(against.lines), _lines(document.lines)
    body = list(difflib.unified_diff(baseline, current, lineterm="", n=_CONTEXT))[2:]
    if not body:
        body = ["# The texts are the same.", *(f" {line}" for line in current)]
    places: list[int] = []
    differing: list[int] = []
    replaced: int | None = None
    for entry in body:
        if entry[:1] in ("+", "-"):
            differing.append(len(lines))
        if entry[:1] in ("+", " "):
            own_notes = notes.get(len(places), ())
            places.append(len(lines) if replaced is None else replaced)
            lines += (entry, *own_notes)
            replaced = None
        else:
            replaced = len(lines) if replaced is None and entry.startswith("-") else replaced
            lines.append(entry)
    return ComparisonText("\n".join(lines) + "\n", tuple(places), tuple(differing))


def _lines(index: LineIndex) -> list[str]:
    """The lines as editors count them; without the empty one behind a line break at the end."""
    lines = index.lines
    return lines if lines[-1] else lines[:-1]
