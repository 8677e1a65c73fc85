"""Baseline and current text in one document, for editors that do not show two side by side."""

from __future__ import annotations

import difflib

from keepstate_lsp.analysis import Analysis
from keepstate_lsp.words import VERDICT_WORDS

_CONTEXT = 1_000_000
"""Lines around a difference: all of them, since one wants to read the query, not a patch."""


def comparison_text(analysis: Analysis) -> str | None:
    """A unified diff of the whole file, what each finding says right behind its line; ``None`` without a baseline."""
    against = analysis.against
    if against is None:
        return None
    document = analysis.document
    notes: dict[int, list[str]] = {}
    for shown in analysis.findings:
        line = document.lines.position(shown.span.start).line
        finding = shown.finding
        notes.setdefault(line, []).append(f"# {VERDICT_WORDS[finding.verdict]} [{finding.rule}]: {finding.message}")
    head = [f"--- {against.baseline.words}", f"+++ {document.name}, as it is now"]
    baseline, current = against.text.splitlines(), document.text.splitlines()
    body = list(difflib.unified_diff(baseline, current, lineterm="", n=_CONTEXT))[2:]
    if not body:
        return "\n".join((*head, "# The texts are the same.", *(f" {line}" for line in current))) + "\n"
    lines: list[str] = []
    number = 0
    for entry in body:
        lines.append(entry)
        if entry[:1] in ("+", " "):
            lines += notes.get(number, ())
            number += 1
    return "\n".join((*head, *lines)) + "\n"
