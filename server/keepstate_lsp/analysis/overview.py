"""The overview of one job file, small enough to keep for every file of a workspace."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Effect, Verdict
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import VERDICT_WORDS, no_baseline_words


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

    @staticmethod
    def unknown(uri: str, name: str) -> JobOverview:
        """Of a file whose check failed before there was an analysis."""
        return JobOverview(uri, name, None, "The check failed; the log says why.", None, failed=True)

    @staticmethod
    def of(analysis: Analysis) -> JobOverview | None:
        """The overview of a document; ``None`` for one that holds no Flink SQL."""
        if not analysis.is_flink:
            return None
        document, report = analysis.document, analysis.report

        def line(offset: int) -> int:
            return document.lines.position(offset).line + 1

        verdict = report.verdict if report is not None and analysis.failure is None else None
        problems = len(analysis.problems) + len(analysis.baseline_problems)
        return JobOverview(
            document.uri,
            document.name,
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
                for placed in analysis.findings
            ),
            problems,
            analysis.failure is not None or (analysis.without is not None and analysis.without.amiss) or problems > 0,
            report.effect if report is not None and verdict is not None else None,
        )


def _words(analysis: Analysis, verdict: Verdict | None) -> str:
    if analysis.failure is not None:
        return analysis.failure
    if analysis.without is not None:
        return no_baseline_words(analysis)
    if analysis.report is not None and analysis.report.unchanged:
        return "unchanged"
    return VERDICT_WORDS[verdict] if verdict is not None else "not compared"
