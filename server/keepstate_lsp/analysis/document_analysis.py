"""The analysis of one version of a document: made in the worker, then only read.

A failure never looks like "all clear": if a statement cannot be read, or the analyzer fails, the findings of the last
analysis of that text stay. They move along with the edits and are marked as stale.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from keepstate.report import Acceptance, Finding, PipelineVerdict, Problem, Report, UnusedAcceptance
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.offset_map import OffsetMap
from keepstate_lsp.analyzer import Analyzer, Comparison, finding_key
from keepstate_lsp.baselines.baseline import Baseline, NoBaseline, Reason
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.runtime.time_limit import TookTooLong

if TYPE_CHECKING:
    from keepstate import Workspace

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlacedFinding:
    """A finding and where it stands in the current text."""

    finding: Finding
    span: Span
    index: int | None
    """The number of the finding in the report; ``None`` for a stale finding, carried over from an earlier version."""

    @property
    def is_stale(self) -> bool:
        return self.index is None


@dataclass(frozen=True)
class PlacedPipeline:
    verdict: PipelineVerdict
    span: Span
    is_stale: bool = False


@dataclass(frozen=True)
class Against:
    """The baseline of a comparison."""

    baseline: Baseline
    lines: LineIndex
    """Over the text that was compared: the baseline's, with the line ends of the current text. Lines and columns are
    those of the stored text."""
    uri: str | None
    """URI at which the client can open the baseline."""
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the baseline."""
    config_uri: str | None = None
    """URI at which the client can open the configuration file of the baseline."""
    accepted: tuple[Acceptance, ...] = ()
    """Accepted findings of the document."""

    @property
    def text(self) -> str:
        return self.lines.text


@dataclass(frozen=True)
class Analysis:
    """The analysis of one version of a document."""

    document: Document
    settings: Settings
    effective: EffectiveSettings
    is_flink: bool = False
    """``False``: the document is other SQL, and all other fields are empty."""
    against: Against | None = None
    without: NoBaseline | None = None
    """Reason why nothing was compared."""
    report: Report | None = None
    statements: tuple[Span, ...] = ()
    problems: tuple[Problem, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()
    pipelines: tuple[PlacedPipeline, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    """Rule id to the address of its page, for the rules found."""
    failure: str | None = None
    """The analyzer failed: a line for the user. Findings are stale then."""

    workspace: Workspace | None = field(default=None, compare=False, repr=False)
    """The analyzer's memory of the document: it goes from one analysis of the document to the next, and with the last
    one."""

    @property
    def baseline_problems(self) -> tuple[Problem, ...]:
        return self.report.baseline_problems if self.report is not None else ()

    @property
    def unused_acceptances(self) -> tuple[tuple[UnusedAcceptance, Span], ...]:
        """Comments that accept nothing, with their places."""
        found = self.report.unused_acceptances if self.report is not None else ()
        return tuple((unused, unused.acceptance.span) for unused in found if unused.acceptance.span is not None)

    @property
    def is_waiting(self) -> bool:
        """The baseline has not been read yet, so nothing was compared."""
        return self.without is not None and self.without.reason is Reason.WAITING

    @property
    def comparison(self) -> Comparison | None:
        """The request of the comparison; ``None`` without a baseline."""
        if self.against is None:
            return None
        effective = self.effective
        return Comparison(
            self.document.text,
            self.against.text,
            effective.engine,
            effective.config,
            self.against.config,
            self.against.accepted,
            self.workspace,
        )

    def severity_of(self, finding: Finding) -> str:
        """Severity of a finding in the editor: a level, or ``off``."""
        severity = self.settings.severity_of(finding, self.effective.preset, self.effective.severity)
        # An accepted finding stays visible, but calls for no action.
        return "hint" if finding.accepted is not None and severity != "off" else severity

    def summary(self) -> str:
        """One line for the log."""
        if self.failure is not None:
            return self.failure
        if not self.is_flink:
            return "no Flink SQL"
        if self.without is not None:
            return self.without.sentence
        stale = sum(placed.is_stale for placed in self.findings)
        verdict = self.report.verdict.value if self.report is not None else "nothing"
        return f"{verdict}, {len(self.findings)} findings ({stale} stale), {len(self.problems)} problems"

    def findings_in(self, span: Span) -> list[PlacedFinding]:
        """The findings that touch ``span``, the narrowest first."""
        touching = [
            placed for placed in self.findings if placed.span.start <= span.end and span.start <= placed.span.end
        ]
        return sorted(touching, key=lambda placed: (len(placed.span), placed.span.start))


def compare(analysis: Analysis, analyzer: Analyzer, previous: Analysis | None) -> Analysis:
    """``analysis``, of a Flink document with a baseline, completed by the answers of the analyzer.

    Raises:
        Exception: whatever the analyzer raises; ``failed`` makes an analysis of it.
    """
    comparison = analysis.comparison
    text = analysis.document.text
    if comparison is None:
        outline = analyzer.outline(text, analysis.workspace)
        return replace(analysis, statements=outline.statements, problems=outline.problems)
    report = analyzer.check(comparison)
    analysis = replace(
        analysis,
        report=report,
        problems=report.problems,
        findings=tuple(
            PlacedFinding(finding, finding.current.span, index) for index, finding in enumerate(report.findings)
        ),
        pipelines=tuple(PlacedPipeline(pipeline, pipeline.span) for pipeline in report.pipelines),
    )
    return (
        _carry(analysis, previous, analyzer.outline(text, analysis.workspace).broken) if report.problems else analysis
    )


def waiting(analysis: Analysis, analyzer: Analyzer, previous: Analysis | None) -> Analysis:
    """``analysis``, as long as its baseline has not come: all that was known before stays, as stale."""
    analysis = compare(analysis, analyzer, previous)
    if previous is None:
        return analysis
    whole = (Span(0, len(analysis.document.text)),)
    kept = (
        _carry(replace(analysis, against=previous.against), previous, whole)
        if previous.against is not None
        else analysis
    )
    return replace(kept, against=None)


def failed(analysis: Analysis, error: Exception, previous: Analysis | None) -> Analysis:
    """``analysis``, when the analyzer failed: all that was known before stays, as stale."""
    name = type(error).__name__
    words = f"Keepstate failed on this text ({name}: {error})" if str(error) else f"Keepstate failed ({name})"
    if isinstance(error, TookTooLong):
        words = f"This text was not compared: {error}"
    analysis = replace(analysis, is_flink=True, failure=words)
    if analysis.against is None and previous is not None:
        analysis = replace(analysis, against=previous.against, without=previous.without)
    return _carry(analysis, previous, (Span(0, len(analysis.document.text)),))


def _carry(analysis: Analysis, previous: Analysis | None, broken: tuple[Span, ...]) -> Analysis:
    """``analysis`` with the findings of ``previous`` on the statements that are broken now."""
    if previous is None or not _same_baseline(analysis, previous):
        return analysis
    moved = OffsetMap(previous.document.text, analysis.document.text)
    names = {placed.verdict.name for placed in analysis.pipelines}
    pipelines = [
        PlacedPipeline(placed.verdict, span, is_stale=True)
        for placed in previous.pipelines
        if placed.verdict.name not in names
        and _lies_in(Span((span := moved.span(placed.span)).start, span.start), broken)
    ]
    keys = {finding_key(placed.finding) for placed in analysis.findings}
    # That a text could not be read is no knowledge to keep.
    unreadable = {problem.span for problem in previous.problems}
    stale = [
        PlacedFinding(placed.finding, span, None)
        for placed in previous.findings
        if _lies_in(span := moved.span(placed.span), broken)
        and placed.span not in unreadable
        and finding_key(placed.finding) not in keys
    ]
    return replace(
        analysis,
        findings=tuple(sorted((*analysis.findings, *stale), key=lambda placed: placed.span)),
        pipelines=tuple(sorted((*analysis.pipelines, *pipelines), key=lambda placed: placed.span)),
        pages={**previous.pages, **analysis.pages},
    )


def _same_baseline(one: Analysis, other: Analysis) -> bool:
    return one.against is not None and other.against is not None and one.against.text == other.against.text


def _lies_in(span: Span, places: tuple[Span, ...]) -> bool:
    return any(place.contains(span) for place in places)
