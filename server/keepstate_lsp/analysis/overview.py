"""The overview of one job file, small enough to keep for every file of a workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from keepstate.report import Effect, Verdict
from keepstate.reporting.file_status import is_ended
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import VERDICT_WORDS, no_baseline_words
from keepstate_lsp.analysis.several_files.document_parts import DocumentPart
from keepstate_lsp.reporting.finding_groups import leaders


@dataclass(frozen=True, slots=True)
class PipelineLine:
    """One INSERT or top-level SELECT; ``line`` counts from 1."""

    name: str
    line: int
    verdict: Verdict
    effect: Effect


@dataclass(frozen=True, slots=True)
class FindingLine:
    rule: str
    line: int
    verdict: Verdict
    effect: Effect
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class JobOverview:
    """``verdict`` is ``None`` where nothing was compared; ``words`` then give the reason."""

    uri: str
    name: str
    verdict: Verdict | None
    words: str
    baseline: str | None
    pipelines: tuple[PipelineLine, ...] = ()
    findings: tuple[FindingLine, ...] = ()
    problems: int = 0
    failed: bool = False
    """Something that should have been compared was not."""
    effect: Effect | None = None
    """Effect of the whole job, if there is a verdict."""
    reads: frozenset[tuple[Path, str]] = frozenset()
    """The declarations of other files that the job reads, each by its file and name."""
    job: str | None = None
    """The name of the job, if it has other files."""
    others: tuple[JobOverview, ...] = ()
    """The further jobs that the file belongs to."""
    declares_only: bool = False
    """The file runs no query: other files read what it declares."""

    @property
    def is_shown(self) -> bool:
        """Return whether the file counts as a job: it runs a query, or something stands against it."""
        return not self.declares_only or self.failed or bool(self.findings)

    @property
    def every(self) -> tuple[JobOverview, ...]:
        """The jobs of the file."""
        return (self, *self.others)

    @property
    def together(self) -> JobOverview:
        """The jobs of the file in one line: the worst verdict, and the words of each job."""
        if not self.others:
            return self
        judged = [each for each in self.every if each.verdict is not None]
        worst = max(judged, key=lambda each: -1 if each.verdict is None else each.verdict.rank, default=self)
        return replace(
            worst,
            words="; ".join(f"{each.name}: {each.words}" for each in self.every),
            findings=tuple(dict.fromkeys(finding for each in self.every for finding in each.findings)),
            failed=any(each.failed for each in self.every),
            others=(),
        )

    @staticmethod
    def unknown(uri: str, name: str) -> JobOverview:
        """Of a file whose check failed before there was an analysis."""
        return JobOverview(uri, name, None, "The check failed; the log says why.", None, failed=True)

    @staticmethod
    def of(analysis: Analysis) -> JobOverview | None:
        """The overview of a document: of its first job, with those of the others; ``None`` for one that holds no Flink
        SQL.
        """
        if not analysis.is_flink:
            return None
        others = tuple(JobOverview._of(each) for each in analysis.others)
        return replace(JobOverview._of(analysis), others=others)

    @staticmethod
    def _of(analysis: Analysis) -> JobOverview:
        document, report, part = analysis.document, analysis.report, analysis.part

        def line(offset: int) -> int:
            return document.lines.position(offset).line + 1

        is_judged = report is not None and analysis.failure is None and not is_ended(report)
        verdict = report.verdict if report is not None and is_judged else None
        leading = leaders([placed.finding for placed in analysis.findings])
        refused = sum(refusal.certain for refusal in analysis.refusals)
        problems = len(analysis.problems) + len(analysis.baseline_problems) + refused
        return JobOverview(
            document.uri,
            part.title if part is not None and analysis.is_one_of_several else document.name,
            verdict,
            _words(analysis, verdict),
            analysis.against.baseline.words if analysis.against is not None else None,
            tuple(
                PipelineLine(
                    placed.verdict.name, line(placed.span.start), placed.verdict.verdict, placed.verdict.effect
                )
                for placed in analysis.pipelines
            ),
            tuple(
                FindingLine(
                    placed.finding.rule,
                    line(placed.span.start),
                    placed.finding.verdict,
                    placed.finding.effect,
                    placed.finding.message,
                    placed.finding.advice,
                )
                for number, placed in enumerate(analysis.findings)
                if leading[number] == number
            ),
            problems,
            analysis.failure is not None or (analysis.without is not None and analysis.without.amiss) or problems > 0,
            report.effect if report is not None and verdict is not None else None,
            _read_by(part),
            None if part is None else part.title,
            declares_only=analysis.declares_only,
        )


def _words(analysis: Analysis, verdict: Verdict | None) -> str:
    if analysis.failure is not None:
        return analysis.failure
    if analysis.without is not None:
        return no_baseline_words(analysis)
    if any(refusal.certain for refusal in analysis.refusals):
        return "not valid"
    if analysis.report is not None and analysis.report.unchanged:
        return "unchanged"
    if analysis.report is not None and is_ended(analysis.report):
        return "no job any more"
    return VERDICT_WORDS[verdict] if verdict is not None else "not compared"


def _read_by(part: DocumentPart | None) -> frozenset[tuple[Path, str]]:
    """The declarations of other files that a job reads."""
    if part is None:
        return frozenset()
    return frozenset((part.root / each.file.file_path, each.name) for each, _ in part.imports)
