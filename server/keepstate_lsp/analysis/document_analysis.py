"""The analysis of one version of a document: made in the worker, then only read.

A failure never looks like "all clear": if a statement cannot be read, or the analyzer fails, the findings of the last
analysis of that text stay. They move along with the edits and are marked as stale.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import (
    Acceptance,
    Effect,
    Finding,
    PipelineVerdict,
    Problem,
    Refusal,
    Report,
    UnusedAcceptance,
    Verdict,
)
from keepstate.reporting.file_status import as_ended, is_ended
from keepstate.structure.query_lines import QueryLines
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.offset_map import OffsetMap
from keepstate_lsp.analyzer import Analyzer, CheckRequest, Outline, finding_key
from keepstate_lsp.baselines.baseline import Baseline, NoBaseline, Reason
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.config.severity import INVALID_SQL
from keepstate_lsp.runtime.time_limit import TookTooLong

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.plan_view.drawing import Drawing
    from keepstate.project.composed_text import FilePlace
    from keepstate_lsp.analysis.several_files.document_parts import DocumentPart, OutsidePlace
    from keepstate_lsp.jobs.deployed import RecordedTexts

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlacedFinding:
    """A finding and where it stands in the current text."""

    finding: Finding
    span: Span
    index: int | None
    """The number of the finding in the report; ``None`` for a stale finding, carried over from an earlier version."""
    outside: OutsidePlace | None = None
    """The changed clause, if it is in another file; then the span is that of the name which reads it."""
    former: FilePlace | None = None
    """The former clause, if that was in another file than the document."""
    query: FilePlace | None = None
    """The query that feels the change, in a job of several files."""

    @property
    def is_stale(self) -> bool:
        return self.index is None


@dataclass(frozen=True)
class PlacedPipeline:
    verdict: PipelineVerdict
    span: Span
    is_stale: bool = False

    @property
    def is_plain(self) -> bool:
        """Return whether nothing reached the query."""
        own = self.verdict
        compatible = own.verdict is Verdict.COMPATIBLE and own.effect is Effect.EXACT
        return compatible and not own.findings and not self.is_stale


NO_PIPELINES: QueryLines[PlacedPipeline] = QueryLines.of((), lambda placed: placed.is_plain)


@dataclass(frozen=True)
class BaselineText:
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
    recorded: RecordedTexts | None = field(default=None, repr=False)
    """The files of the deployed job, where the baseline is one and its record has them."""

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
    against: BaselineText | None = None
    without: NoBaseline | None = None
    """Reason why nothing was compared."""
    report: Report | None = None
    statements: tuple[Span, ...] = ()
    problems: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    """Statements that the engine refuses, or may refuse."""
    is_held: bool = False
    """Some results wait until typing pauses."""
    findings: tuple[PlacedFinding, ...] = ()
    pipelines: QueryLines[PlacedPipeline] = NO_PIPELINES
    pages: Mapping[str, str] = field(default_factory=dict)
    """Rule id to the address of its page, for the rules found."""
    failure: str | None = None
    """The analyzer failed: a line for the user. Findings are stale then."""
    declares_only: bool = False
    """The document runs no query, and has other files around it that may read what it declares."""
    part: DocumentPart | None = None
    """The job of several files that the document is a part of; ``None`` for a job of one file."""
    declared: Mapping[str, object] = field(default_factory=dict, repr=False)
    """The words of each declaration of the document by its name, for other files; empty where there are none."""
    declared_on_disk: Mapping[str, object] = field(default_factory=dict, repr=False)
    """The same of the file on disk, in the first analysis of a document."""
    place: tuple[Path, str] | None = None
    """Root of the repository and path of the document below it, where there are other files."""
    obstacles: tuple[tuple[OutsidePlace, str], ...] = ()
    """Statements of other files that cannot be compared, with the reason."""
    former_uris: Mapping[str, str] = field(default_factory=dict)
    """URIs at which the client can open the baselines of other files, by path."""
    awaits_others: bool = False
    """A file that the job reads is being typed."""
    others: tuple[Analysis, ...] = ()
    """The document as a part of each further job that it belongs to."""
    is_one_of_several: bool = False
    """The document belongs to other jobs than this one, too."""

    workspace: Workspace | None = field(default=None, compare=False, repr=False)
    """The analyzer's memory of the document: it goes from one analysis of the document to the next, and with the last
    one."""

    @property
    def every(self) -> tuple[Analysis, ...]:
        """The analyses of the document, one for each of its jobs."""
        return (self, *self.others)

    def of_job(self, part: DocumentPart | None) -> Analysis | None:
        """The analysis of the document as a part of a job, if it is one."""
        title = None if part is None else part.title
        return next((each for each in self.every if (each.part and each.part.title) == title), None)

    @property
    def baseline_problems(self) -> tuple[Problem, ...]:
        return self.report.baseline_problems if self.report is not None else ()

    @property
    def baseline_refusals(self) -> tuple[Refusal, ...]:
        return self.report.former_refusals if self.report is not None else ()

    @property
    def unused_acceptances(self) -> tuple[tuple[UnusedAcceptance, Span], ...]:
        """Comments that accept nothing, with their places."""
        if self.declares_only:
            # At a declaration a comment accepts what the jobs find there that read it.
            return ()
        unused_ones = self.report.unused_acceptances if self.report is not None else ()
        return tuple((unused, unused.acceptance.span) for unused in unused_ones if unused.acceptance.span is not None)

    @property
    def is_waiting(self) -> bool:
        """The baseline has not been read yet, so nothing was compared."""
        return self.without is not None and self.without.reason is Reason.WAITING

    @property
    def comparison(self) -> CheckRequest | None:
        """The request of the comparison; ``None`` without a baseline."""
        if self.against is None:
            return None
        effective, part = self.effective, self.part
        return CheckRequest(
            self.document.text if part is None else part.current.text,
            self.against.text if part is None else part.baseline.text,
            effective.engine,
            effective.config,
            self.against.config,
            self.against.accepted,
            self.workspace,
            None if part is None else (part.current, part.baseline),
        )

    @property
    def is_being_typed(self) -> bool:
        """Return whether the last edit of the job may go on."""
        return self.document.is_being_typed or self.awaits_others

    def severity_of(self, finding: Finding) -> str:
        """Severity of a finding in the editor: a level, or ``off``."""
        severity = self.settings.severity_of(finding, self.effective.preset, self.effective.severity)
        # An accepted finding stays visible, but calls for no action.
        return "hint" if finding.accepted is not None and severity != "off" else severity

    def severity_of_refusal(self, refusal: Refusal) -> str:
        """Severity of a refused statement in the editor: a level, or ``off``."""
        levels = {**self.effective.severity, **self.settings.severity}
        return levels.get(INVALID_SQL, "error" if refusal.certain else "warning")

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
        problems = len(self.problems) + len(self.refusals)
        return f"{verdict}, {len(self.findings)} findings ({stale} stale), {problems} problems"

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
    if comparison is None:
        outline = _outline(analysis, analyzer)
        if analysis.part is not None:
            outline = analysis.part.outline(outline)
        return replace(analysis, statements=outline.statements, problems=outline.problems, refusals=outline.refusals)
    report = analyzer.check(comparison)
    if is_ended(report):
        report = as_ended(report)
    if analysis.part is not None:
        return _compare_part(analysis, analysis.part, report, analyzer, previous)
    analysis = replace(
        analysis,
        report=report,
        problems=report.problems,
        refusals=report.refusals,
        findings=tuple(
            PlacedFinding(finding, finding.current.span, index) for index, finding in enumerate(report.findings)
        ),
        pipelines=_placed(report.pipelines),
    )
    if not report.problems and report.is_valid:
        return analysis
    return _carry(analysis, previous, _outline(analysis, analyzer).broken)


def _compare_part(
    analysis: Analysis, part: DocumentPart, composed: Report, analyzer: Analyzer, previous: Analysis | None
) -> Analysis:
    """``analysis`` with the report about the composed texts, placed in the document."""
    report = part.report(composed)
    outsides, formers, queries = part.outsides(composed), part.formers(composed), part.queries(composed)
    analysis = replace(
        analysis,
        report=report,
        problems=report.problems,
        refusals=report.refusals,
        findings=tuple(
            PlacedFinding(finding, finding.current.span, index, outsides[index], formers[index], queries[index])
            for index, finding in enumerate(report.findings)
            if part.shows(composed.findings[index], outsides[index])
        ),
        pipelines=_placed(report.pipelines),
        obstacles=part.obstacles(composed),
    )
    whole = (Span(0, len(analysis.document.text)),)
    if analysis.obstacles and previous is not None and _same_baseline(analysis, previous):
        # What follows from half a declaration of another file is no knowledge about the job.
        return _carry(replace(analysis, findings=(), pipelines=NO_PIPELINES), previous, whole)
    if not report.problems and report.is_valid:
        return analysis
    broken = tuple(
        span for place in _outline(analysis, analyzer).broken if (span := part.to_document(place)) is not None
    )
    return _carry(analysis, previous, broken)


def _placed(pipelines: Sequence[PipelineVerdict]) -> QueryLines[PlacedPipeline]:
    if isinstance(pipelines, QueryLines):
        return pipelines.mapped(_placed_at_its_span)
    return _lines(map(_placed_at_its_span, pipelines))


def _placed_at_its_span(verdict: PipelineVerdict) -> PlacedPipeline:
    return PlacedPipeline(verdict, verdict.span)


def _lines(pipelines: Iterable[PlacedPipeline]) -> QueryLines[PlacedPipeline]:
    return QueryLines.of(pipelines, lambda placed: placed.is_plain)


def _outline(analysis: Analysis, analyzer: Analyzer) -> Outline:
    effective, part = analysis.effective, analysis.part
    if part is None and analysis.document.is_host:
        return Outline((), (), ())
    text = analysis.document.text if part is None else part.current.text
    return analyzer.outline(text, effective.engine, effective.config, analysis.workspace)


def waiting(analysis: Analysis, analyzer: Analyzer, previous: Analysis | None) -> Analysis:
    """``analysis``, as long as its baseline has not come: all that was known before stays, as stale."""
    analysis = compare(analysis, analyzer, previous)
    if previous is None:
        return analysis
    whole = (Span(0, len(analysis.document.text)),)
    carried = (
        _carry(replace(analysis, against=previous.against), previous, whole)
        if previous.against is not None
        else analysis
    )
    return replace(carried, against=None)


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
    offsets = OffsetMap(previous.document.text, analysis.document.text)
    carried = {
        span.start: PlacedPipeline(placed.verdict, span, is_stale=True)
        for placed in previous.pipelines
        if _lies_in(Span((span := offsets.span(placed.span)).start, span.start), broken)
    }
    # Of a statement that is refused, the last verdict says more than none.
    pipelines = [
        *(placed for placed in analysis.pipelines if placed.span.start not in carried),
        *carried.values(),
    ]
    keys = {finding_key(placed.finding) for placed in analysis.findings}
    # That a text could not be read is no knowledge to keep.
    unreadable = {problem.span for problem in previous.problems}
    stale = [
        replace(placed, span=span, index=None)
        for placed in previous.findings
        if _lies_in(span := offsets.span(placed.span), broken)
        and placed.span not in unreadable
        and finding_key(placed.finding) not in keys
    ]
    return replace(
        analysis,
        findings=tuple(sorted((*analysis.findings, *stale), key=lambda placed: placed.span)),
        pipelines=_lines(sorted(pipelines, key=lambda placed: placed.span)),
        pages={**previous.pages, **analysis.pages},
        former_uris={**previous.former_uris, **analysis.former_uris},
    )


def _same_baseline(one: Analysis, other: Analysis) -> bool:
    if one.against is None or other.against is None or one.against.text != other.against.text:
        return False
    texts = [None if each.part is None else each.part.baseline.text for each in (one, other)]
    return texts[0] == texts[1]


def _lies_in(span: Span, places: tuple[Span, ...]) -> bool:
    return any(place.contains(span) for place in places)


def drawing_of(analysis: Analysis, analyzer: Analyzer) -> Drawing:
    """The plan of a document as values, beside that of the baseline if there is one."""
    if analysis.comparison is not None:
        return analyzer.drawing(analysis.comparison)
    effective = analysis.effective
    return analyzer.drawing_alone(analysis.document.text, effective.config, effective.engine, analysis.workspace)
