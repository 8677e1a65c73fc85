"""Answers of Flink's own planner beside the verdict of a job, as plain values that each format shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from keepstate.report import Effect, Finding, PipelineVerdict, Report, Verdict

EQUAL, DOES_NOT_START = "equal", "does-not-start"
"""The decisions that settle what the analyzer leaves unknown: equal plans keep state and values; of a job that starts
nothing is said about values.
"""


@dataclass(frozen=True)
class OperatorAnswer:
    """An operator of the baseline and what becomes of its state, in words of the JSON format."""

    name: str
    states: tuple[str, ...]
    fate: str
    unread: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class PlannedAnswer:
    """The answer of the planner for one job of a file. ``decision`` and ``predicted`` are words of the JSON format,
    ``words`` and ``predicted_words`` those for a person. ``agrees`` is ``None`` where the two cannot be held together,
    ``findings`` are indices into those of the report, ``stand_ins`` the functions with stand-ins in the plans.
    """

    name: str
    flink: str
    decision: str
    words: str
    predicted: str
    predicted_words: str
    agrees: bool | None
    note: str = ""
    operators: tuple[OperatorAnswer, ...] = ()
    fresh: tuple[str, ...] = ()
    findings: tuple[int, ...] = ()
    stand_ins: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        functions = f" with stand-ins for {', '.join(self.stand_ins)}" if self.stand_ins else ""
        return f"planned by Flink {self.flink}{functions}"

    @property
    def sentence(self) -> str:
        """One line, such as ``DeferredPlan by Flink 2.3.0: INSERT INTO s does not start.``, and its note."""
        name = f"{self.name} " if self.name else ""
        by = f"Planned by Flink {self.flink}: {name}" if self.flink else name
        doubt = f" {self.doubt}" if self.agrees is False else ""
        note = f" {self.note}" if self.note else ""
        return f"{by}{self.words}.{doubt}{note}"

    @property
    def doubt(self) -> str:
        return f"The built-in model ({self.predicted_words}) disagrees: please report it."


def settled(report: Report, answers: Sequence[PlannedAnswer]) -> Report:
    """The report with the answers of the planner in place of what is unknown. No other finding is touched: what the
    analyzer knows about values no plan can refute.
    """
    decided = {
        index: answer
        for index, finding in enumerate(report.findings)
        if finding.effect is Effect.UNDETERMINED and (answer := _deciding(index, answers)) is not None
    }
    if not decided or report.problems or report.baseline_problems or report.refusals:
        return report
    findings = tuple(
        _settled(finding, decided[index]) if index in decided else finding
        for index, finding in enumerate(report.findings)
    )
    pipelines = tuple(_pipeline(pipeline, report.findings, findings, decided) for pipeline in report.pipelines)
    whole = [finding for finding in findings if finding.pipeline is None]
    effects = [*(pipeline.effect for pipeline in pipelines), *(finding.effect for finding in whole)]
    verdicts = [*(pipeline.verdict for pipeline in pipelines), *(finding.verdict for finding in whole)]
    verdict = report.verdict_without_accepted
    if verdict is not None:
        verdict = Verdict.worst(finding.verdict for finding in findings if finding.accepted is None)
    return replace(
        report,
        verdict=Verdict.worst(verdicts),
        effect=max(effects, key=lambda effect: effect.precedence, default=report.effect),
        pipelines=pipelines,
        findings=findings,
        verdict_without_accepted=verdict,
    )


def settled_findings(before: Report, after: Report) -> Mapping[Finding, Finding]:
    """The findings that the planner has settled, by what they were."""
    pairs = zip(before.findings, after.findings, strict=True)
    return {was: now for was, now in pairs if was != now}


def _deciding(index: int, answers: Sequence[PlannedAnswer]) -> PlannedAnswer | None:
    """The answer that settles a finding: one job that does not start does, and only all that are equal do."""
    about = [answer for answer in answers if index in answer.findings]
    stopping = [answer for answer in about if answer.decision == DOES_NOT_START]
    if stopping:
        return stopping[0]
    return about[0] if about and all(answer.decision == EQUAL for answer in about) else None


def _settled(finding: Finding, answer: PlannedAnswer) -> Finding:
    if answer.decision == EQUAL:
        consequence = f"both versions have the same plan, and so the same state ({answer.source})."
        return replace(finding, verdict=Verdict.COMPATIBLE, effect=Effect.EXACT, consequence=consequence, advice="")
    consequence = f"the job does not start ({answer.source}). {answer.note}".strip()
    return replace(finding, verdict=Verdict.INCOMPATIBLE, effect=Effect.DOES_NOT_START, consequence=consequence)


def _pipeline(
    pipeline: PipelineVerdict, before: Sequence[Finding], after: Sequence[Finding], decided: Mapping[int, PlannedAnswer]
) -> PipelineVerdict:
    if not any(index in decided for index in pipeline.findings):
        return pipeline
    verdict = Verdict.worst(after[index].verdict for index in pipeline.findings)
    effect = max((after[index].effect for index in pipeline.findings), key=lambda each: each.precedence)
    if Verdict.worst(before[index].verdict for index in pipeline.findings) is not pipeline.verdict:
        # More is unknown of it than its findings say.
        verdict = Verdict.worst((verdict, pipeline.verdict))
        effect = max(effect, pipeline.effect, key=lambda each: each.precedence)
    return replace(pipeline, verdict=verdict, effect=effect)
