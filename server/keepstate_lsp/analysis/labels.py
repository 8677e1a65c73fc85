"""Short texts for verdicts, baselines and findings."""

from __future__ import annotations

from keepstate.report import Verdict
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedPipeline
from keepstate_lsp.reporting.effects import ALARM, EFFECT_WORDS, alarm
from keepstate_lsp.reporting.finding_groups import leaders

VERDICT_WORDS = {
    Verdict.COMPATIBLE: "compatible",
    Verdict.PARTIAL: "partly compatible",
    Verdict.UNKNOWN: "cannot tell whether compatible",
    Verdict.INCOMPATIBLE: "incompatible",
}
"""To go before "with HEAD (a1b2c3d)"."""

STALE = "from the last text that was compared"

_LONGEST = 200
"""Characters of a clause in a line about it."""


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "finding"), count(3, "finding")
    ('1 finding', '3 findings')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def clipped(text: str) -> str:
    """The beginning of a long text, and all of a short one.

    >>> clipped("SUM(amount)"), len(clipped("x" * 500))
    ('SUM(amount)', 204)
    """
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def capital(words: str) -> str:
    """With a capital at the first letter, which may stand behind a mark.

    >>> capital("incompatible with HEAD")
    'Incompatible with HEAD'
    """
    mark = ALARM + " " if words.startswith(ALARM) else ""
    rest = words.removeprefix(mark)
    return mark + rest[:1].upper() + rest[1:]


def pipeline_words(placed: PlacedPipeline, analysis: Analysis) -> str:
    """One line on a pipeline: verdict, baseline, number of findings, and the line that Flink refuses, if there is one.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> pipeline_words(job.pipelines[0], job)
    '‼ Incompatible with HEAD (0000000): wrong numbers, 1 finding'
    """
    against = analysis.against.baseline.words if analysis.against is not None else "the baseline"
    refused = _refused_line(analysis)
    if analysis.report is not None and analysis.report.unchanged and not placed.is_stale and refused is None:
        return f"Same meaning as {against}"
    verdict, effect = placed.verdict.verdict, placed.verdict.effect
    findings = _number_shown(placed, analysis)
    if refused is not None and verdict in (Verdict.COMPATIBLE, Verdict.UNKNOWN):
        return f"Not valid: Flink refuses line {refused}" + (f" ({STALE})" if placed.is_stale else "")
    words = f"{VERDICT_WORDS[verdict]} with {against}"
    if effect in EFFECT_WORDS:
        words = f"{alarm(effect)}{words}: {EFFECT_WORDS[effect]}"
    if findings:
        words += f", {count(findings, 'finding')}"
    if refused is not None:
        words += f"; Flink refuses line {refused}"
    if placed.is_stale:
        words += f" ({STALE})"
    return capital(words)


def _refused_line(analysis: Analysis) -> int | None:
    """The first line that is no Flink SQL, from 1."""
    lines = [analysis.document.lines.position(each.span.start).line for each in analysis.refusals if each.certain]
    return min(lines) + 1 if lines else None


def _number_shown(placed: PlacedPipeline, analysis: Analysis) -> int:
    """The number of findings of a pipeline that are shown: one for each cause."""
    numbers = placed.verdict.findings
    if analysis.report is None or placed.is_stale or not numbers:
        return len(numbers)
    leading = leaders(analysis.report.findings)
    return len({leading[index] for index in numbers})


def no_baseline_words(analysis: Analysis) -> str:
    """The reason why nothing was compared, in one line.

    >>> from dataclasses import replace
    >>> from keepstate_lsp.baselines import HEAD, NoBaseline, Reason
    >>> job = analysis("SELECT a FROM t", "SELECT a FROM t")
    >>> no_baseline_words(replace(job, without=NoBaseline(HEAD, Reason.NEW_FILE, "job.sql is new.")))
    'No baseline: job.sql is new.'
    """
    return f"No baseline: {analysis.without.sentence}" if analysis.without is not None else "No baseline"
