"""Rewrites that keep both the intention of an edit and the state: candidates, which ``repairs`` tries."""

from __future__ import annotations

from keepstate.report import Finding, Report, Verdict

_MIXED = "kinds-of-change-mixed"


def first_steps(report: Report) -> list[tuple[str, list[Finding]]]:
    """Return ways of deploying in two steps where only the mixture of kinds makes the job undecidable (spec OL-03).

    For each: the postponed part, in words, and the findings to take back for the first step.
    """
    mixed = [finding for finding in report.findings if finding.rule == _MIXED]
    if report.verdict is not Verdict.UNKNOWN or not mixed:
        return []
    rest = [finding for finding in report.findings if finding.rule != _MIXED and finding.verdict is not Verdict.UNKNOWN]
    steps = [(_excerpts(mixed), mixed)]
    if rest:
        steps.append((_excerpts(rest), rest))
    if len(mixed) > 1:
        steps += [(_excerpts([finding]), [finding]) for finding in mixed]
    return steps


def _excerpts(findings: list[Finding]) -> str:
    clauses = [" ".join((finding.current.text or finding.change).split()) for finding in findings]
    excerpts = [text if len(text) <= 30 else f"{text[:27]}..." for text in clauses]
    return excerpts[0] if len(excerpts) == 1 else f"{excerpts[0]} and {len(excerpts) - 1} more"
