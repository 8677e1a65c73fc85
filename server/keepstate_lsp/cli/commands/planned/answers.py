"""The answers of Flink's planner for the files of a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from keepstate.report import Effect, Report
from keepstate_flink.errors import FlinkError
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.jobs import ScriptedJob
from keepstate_flink.jvm import require_flink
from keepstate_flink.plans.comparison import Decision, PlanComparison
from keepstate_flink.plans.planner import PlanAnswer, Planner, planning
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.commands.planned.agreement import WORDS, agrees
from keepstate_lsp.cli.commands.verify.predictions import ENGINE, predicted_effect
from keepstate_lsp.cli.commands.verify.words import PREDICTED
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer, PlannedOperator, settled, settled_findings
from keepstate_lsp.config.engine_versions import flink_version
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_versions import job_version

if TYPE_CHECKING:
    from keepstate import JobVersion

_TWO_VERSIONS = "The version of Flink changes, and one planner cannot stand for both."
_PLANNED = (FileStatus.COMPARED, FileStatus.UNCHANGED)


def with_plans(comparisons: Sequence[FileResult]) -> list[FileResult]:
    """The comparisons, those that a plan can speak of with the answers of Flink's planner. Where there is no planner,
    the reason is their answer, and all else is as without.
    """
    found = list(comparisons)
    by_version: dict[str, list[int]] = {}
    for index, comparison in enumerate(found):
        if not _is_planned(comparison):
            continue
        obstacle = _obstacle(comparison.settings)
        if obstacle:
            found[index] = replace(comparison, planned=(_unanswered(obstacle, comparison),))
        else:
            by_version.setdefault(_version(comparison.settings.current) or NEWEST, []).append(index)
    for version, indices in by_version.items():
        waiting = list(indices)
        try:
            require_flink()
            with planning(install(version, tell)) as planner:
                while waiting:
                    found[waiting[0]] = _planned(found[waiting[0]], planner)
                    del waiting[0]
        except FlinkError as error:
            reason = f"{error.sentence} {error.hint or ''}".rstrip()
            tell(f"Not planned by Flink: {reason}")
            for index in waiting:
                found[index] = replace(found[index], planned=(_unanswered(reason, found[index]),))
    return found


def _is_planned(comparison: FileResult) -> bool:
    if comparison.status not in _PLANNED or comparison.report is None:
        return False
    settings = comparison.settings
    return comparison.current != comparison.baseline or settings.current != settings.baseline


def _obstacle(settings: JobSettings) -> str:
    """The reason why Flink's planner says nothing of a job, a sentence; empty where there is none."""
    if settings.engine != ENGINE:
        return f"The job runs on {settings.engine}, which plans and restores otherwise than open-source Flink."
    versions = (_version(settings.current), _version(settings.baseline))
    return _TWO_VERSIONS if versions[0] != versions[1] else ""


def _version(config: JobConfig) -> str | None:
    return flink_version(config.engine_version or "")


def _planned(comparison: FileResult, planner: Planner) -> FileResult:
    settings, report = comparison.settings, comparison.report
    assert report is not None
    baseline, current = (
        _scripted(job_version(text, config, settings.engine))
        for text, config in ((comparison.baseline, settings.baseline), (comparison.current, settings.current))
    )
    answers = list(planner.answers(baseline, current))
    return answered(comparison, [_answer(each, report, planner.flink, len(answers) == 1) for each in answers])


def answered(comparison: FileResult, answers: Sequence[PlannedAnswer]) -> FileResult:
    """The comparison with answers, and with what they settle of its report."""
    report = comparison.report
    assert report is not None
    now = settled(report, answers)
    changed = settled_findings(report, now)
    new = comparison.new_findings
    if new is not None:
        new = replace(new, before=tuple(changed.get(finding, finding) for finding in new.before))
    return replace(comparison, planned=tuple(answers), report=now, new_findings=new)


def _scripted(version: JobVersion) -> ScriptedJob:
    import keepstate

    one_job = version.jobs is keepstate.job_unit(ENGINE, "script")
    return ScriptedJob(version.text, tuple(sorted(version.parameters.items())), one_job)


def _answer(answer: PlanAnswer, report: Report, flink: str, one_job: bool) -> PlannedAnswer:
    comparison = answer.comparison
    predicted = predicted_effect(answer.name, report, one_job)
    operators = tuple(
        PlannedOperator(
            operator.name,
            operator.states,
            operator.fate.value,
            operator.unread,
            operator.error[-1] if operator.error else "",
        )
        for operator in comparison.operators
    )
    return PlannedAnswer(
        answer.name,
        flink,
        comparison.decision.value,
        WORDS[comparison.decision],
        predicted.value,
        PREDICTED[predicted],
        agrees(comparison, predicted),
        _note(comparison),
        operators,
        comparison.fresh,
        tuple(range(len(report.findings)) if one_job else _findings(answer.name, report)),
    )


def _note(comparison: PlanComparison) -> str:
    if comparison.decision is Decision.DOES_NOT_START:
        return comparison.reason
    unread = [
        f"{operator.name} no longer reads {', '.join(operator.unread)}."
        for operator in comparison.operators
        if operator.unread
    ]
    return comparison.note or " ".join(unread)


def _findings(name: str, report: Report) -> Iterator[int]:
    """The findings on the queries of a job, and those on no query alone."""
    queries = set(name.split(", "))
    of_others = {index for pipeline in report.pipelines if pipeline.name not in queries for index in pipeline.findings}
    own = {index for pipeline in report.pipelines if pipeline.name in queries for index in pipeline.findings}
    return (index for index in range(len(report.findings)) if index in own or index not in of_others)


def _unanswered(reason: str, comparison: FileResult) -> PlannedAnswer:
    effect = comparison.report.effect if comparison.report is not None else Effect.UNDETERMINED
    decision = Decision.NOT_DECIDED
    return PlannedAnswer("", "", decision.value, "Not planned", effect.value, PREDICTED[effect], None, reason)
