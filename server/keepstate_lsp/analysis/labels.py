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
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def clipped(text: str) -> str:
    """The beginning of a long text, and all of a short one."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def capital(words: str) -> str:
    """With a capital at the first letter, which may stand behind a mark."""
    mark = ALARM + " " if words.startswith(ALARM) else ""
    rest = words.removeprefix(mark)
    return mark + rest[:1].upper() + rest[1:]


def pipeline_words(placed: PlacedPipeline, analysis: Analysis) -> str:
    """One line on a pipeline: verdict, baseline, number of findings."""
    against = analysis.against.baseline.words if analysis.against is not None else "the baseline"
    pipeline = placed.verdict
    if analysis.report is not None and analysis.report.unchanged and not placed.is_stale:
        return f"Same meaning as {against}"
    words = f"{VERDICT_WORDS[pipeline.verdict]} with {against}"
    if pipeline.effect in EFFECT_WORDS:
        words = f"{alarm(pipeline.effect)}{words}: {EFFECT_WORDS[pipeline.effect]}"
    if pipeline.findings:
        words += f", {count(_shown(placed, analysis), 'finding')}"
    if placed.is_stale:
        words += f" ({STALE})"
    return capital(words)


def _shown(placed: PlacedPipeline, analysis: Analysis) -> int:
    """The number of findings of a pipeline that are shown: one for each cause."""
    own = placed.verdict.findings
    if analysis.report is None or placed.is_stale:
        return len(own)
    leading = leaders(analysis.report.findings)
    return len({leading[index] for index in own})


def no_baseline_words(analysis: Analysis) -> str:
    """The reason why nothing was compared, in one line."""
    return f"No baseline: {analysis.without.sentence}" if analysis.without is not None else "No baseline"
