"""What is known of one version of a document: made in the worker, then only read.

Here the rule lives that a user never sees an "all clear" that nobody gave: when a statement cannot be read, or the
analyzer fails, what the last analysis said about that text stays, moved along with the edits and marked as stale.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from keepstate.report import Acceptance, Finding, IdleAcceptance, PipelineVerdict, Problem, Report
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.offset_map import Move
from keepstate_lsp.analyzer import Analyzer, Comparison, finding_key
from keepstate_lsp.baselines.baseline import Baseline, NoBaseline, Reason
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import Terms
from keepstate_lsp.config.file import NOTHING_TOLD, Circumstances
from keepstate_lsp.runtime.time_limit import TookTooLong

if TYPE_CHECKING:
    from keepstate import Workspace

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ShownFinding:
    """A finding and where it stands in the current text."""

    finding: Finding
    span: Span
    index: int | None
    """Its place in the report; ``None`` when stale: carried over from an earlier version."""

    @property
    def is_stale(self) -> bool:
        return self.index is None


@dataclass(frozen=True)
class ShownPipeline:
    verdict: PipelineVerdict
    span: Span
    is_stale: bool = False


@dataclass(frozen=True)
class Against:
    """The baseline as it was compared."""

    baseline: Baseline
    lines: LineIndex
    """Over the text that was compared: the baseline's, with the line ends of the current text. Lines and columns are
    those of the stored text."""
    uri: str | None
    """Where the client can open it."""
    told: Circumstances = NOTHING_TOLD
    """What the job was told outside of its SQL."""
    told_uri: str | None = None
    """Where the client can open the configuration that said so."""
    accepted: tuple[Acceptance, ...] = ()
    """What the ledger lets stand of the document."""

    @property
    def text(self) -> str:
        return self.lines.text


@dataclass(frozen=True)
class Analysis:
    """One version of a document and what can be said of it."""

    document: Document
    settings: Settings
    terms: Terms
    is_flink: bool = False
    """``False``: another SQL, about which nothing is said, and all other fields are empty."""
    against: Against | None = None
    without: NoBaseline | None = None
    """Why nothing was compared."""
    report: Report | None = None
    statements: tuple[Span, ...] = ()
    problems: tuple[Problem, ...] = ()
    findings: tuple[ShownFinding, ...] = ()
    pipelines: tuple[ShownPipeline, ...] = ()
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
    def idle_acceptances(self) -> tuple[tuple[IdleAcceptance, Span], ...]:
        """Comments that accept nothing, with their places."""
        found = self.report.idle_acceptances if self.report is not None else ()
        return tuple((idle, idle.acceptance.span) for idle in found if idle.acceptance.span is not None)

    @property
    def is_waiting(self) -> bool:
        """Nothing was compared yet, since what it is compared with has not come."""
        return self.without is not None and self.without.reason is Reason.WAITING

    @property
    def comparison(self) -> Comparison | None:
        """What was compared, ``None`` if nothing was."""
        if self.against is None:
            return None
        terms = self.terms
        return Comparison(
            self.document.text,
            self.against.text,
            terms.engine,
            terms.told,
            self.against.told,
            self.against.accepted,
            self.workspace,
        )

    def loudness(self, finding: Finding) -> str:
        """How loud a finding is: a severity, or ``off``."""
        loudness = self.settings.loudness(finding, self.terms.preset, self.terms.severity)
        # Somebody decided that it may stand: it is told, but nobody is called.
        return "hint" if finding.accepted is not None and loudness != "off" else loudness

    def summary(self) -> str:
        """One line for the log."""
        if self.failure is not None:
            return self.failure
        if not self.is_flink:
            return "no Flink SQL"
        if self.without is not None:
            return self.without.sentence
        stale = sum(shown.is_stale for shown in self.findings)
        verdict = self.report.verdict.value if self.report is not None else "nothing"
        return f"{verdict}, {len(self.findings)} findings ({stale} stale), {len(self.problems)} problems"

    def findings_in(self, span: Span) -> list[ShownFinding]:
        """The findings that touch ``span``, the narrowest first."""
        touching = [shown for shown in self.findings if shown.span.start <= span.end and span.start <= shown.span.end]
        return sorted(touching, key=lambda shown: (len(shown.span), shown.span.start))


def compare(known: Analysis, analyzer: Analyzer, previous: Analysis | None) -> Analysis:
    """``known``, of a Flink document whose baseline was looked for, with all that the analyzer has to say.

    Raises:
        Exception: whatever the analyzer raises; ``failed`` makes an analysis of it.
    """
    comparison = known.comparison
    text = known.document.text
    if comparison is None:
        outline = analyzer.outline(text, known.workspace)
        return replace(known, statements=outline.statements, problems=outline.problems)
    report = analyzer.check(comparison)
    known = replace(
        known,
        report=report,
        problems=report.problems,
        findings=tuple(
            ShownFinding(finding, finding.current.span, index) for index, finding in enumerate(report.findings)
        ),
        pipelines=tuple(ShownPipeline(pipeline, pipeline.span) for pipeline in report.pipelines),
    )
    return _carry(known, previous, analyzer.outline(text, known.workspace).broken) if report.problems else known


def waiting(known: Analysis, analyzer: Analyzer, previous: Analysis | None) -> Analysis:
    """``known``, as long as its baseline has not come: all that was known before stays, as stale."""
    known = compare(known, analyzer, previous)
    if previous is None:
        return known
    whole = (Span(0, len(known.document.text)),)
    kept = _carry(replace(known, against=previous.against), previous, whole) if previous.against is not None else known
    return replace(kept, against=None)


def failed(known: Analysis, error: Exception, previous: Analysis | None) -> Analysis:
    """``known``, when the analyzer failed: all that was known before stays, as stale."""
    name = type(error).__name__
    words = f"Keepstate failed on this text ({name}: {error})" if str(error) else f"Keepstate failed ({name})"
    if isinstance(error, TookTooLong):
        words = f"This text was not compared: {error}"
    known = replace(known, is_flink=True, failure=words)
    if known.against is None and previous is not None:
        known = replace(known, against=previous.against, without=previous.without)
    return _carry(known, previous, (Span(0, len(known.document.text)),))


def _carry(known: Analysis, previous: Analysis | None, broken: tuple[Span, ...]) -> Analysis:
    """``known`` and what ``previous`` said about the statements that are broken now."""
    if previous is None or not _same_baseline(known, previous):
        return known
    moved = Move(previous.document.text, known.document.text)
    names = {shown.verdict.name for shown in known.pipelines}
    pipelines = [
        ShownPipeline(shown.verdict, span, is_stale=True)
        for shown in previous.pipelines
        if shown.verdict.name not in names
        and _lies_in(Span((span := moved.span(shown.span)).start, span.start), broken)
    ]
    keys = {finding_key(shown.finding) for shown in known.findings}
    # That a text could not be read is no knowledge to keep.
    unreadable = {problem.span for problem in previous.problems}
    stale = [
        ShownFinding(shown.finding, span, None)
        for shown in previous.findings
        if _lies_in(span := moved.span(shown.span), broken)
        and shown.span not in unreadable
        and finding_key(shown.finding) not in keys
    ]
    return replace(
        known,
        findings=tuple(sorted((*known.findings, *stale), key=lambda shown: shown.span)),
        pipelines=tuple(sorted((*known.pipelines, *pipelines), key=lambda shown: shown.span)),
        pages={**previous.pages, **known.pages},
    )


def _same_baseline(one: Analysis, other: Analysis) -> bool:
    return one.against is not None and other.against is not None and one.against.text == other.against.text


def _lies_in(span: Span, places: tuple[Span, ...]) -> bool:
    return any(place.contains(span) for place in places)
