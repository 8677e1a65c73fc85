"""The answers of Flink's planner for the files of a check."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from keepstate.report import Effect, Report
from keepstate_flink.errors import FlinkError
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.jvm import require_flink
from keepstate_flink.plans.plan_comparison import Decision
from keepstate_flink.plans.planner import PlanAnswer, Planner, noticing_its_end, planning
from keepstate_flink.running_jobs import ScriptedJob
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.commands.planned.plan_agreement import agrees
from keepstate_lsp.cli.commands.verify.measurement_text import DECISIONS, PREDICTED, other_version
from keepstate_lsp.cli.commands.verify.predictions import ENGINE, predicted_effect
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.real_flink.planned import OperatorAnswer, PlannedAnswer, settled, settled_findings
from keepstate_lsp.config.engine_versions import flink_version
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_versions import job_version

if TYPE_CHECKING:
    from keepstate import JobVersion

_TWO_VERSIONS = "The version of Flink changes, and one planner cannot stand for both."
_PLANNED = (FileStatus.COMPARED, FileStatus.UNCHANGED)


class Planners:
    """Flink's planners, one JVM at a time: it ends when another version is asked for, and with the block."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._planner: Planner | None = None
        self._version = ""
        self._refused: dict[str, str] = {}
        """Sentences on the versions without a planner."""

    def __enter__(self) -> Planners:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def planned(self, comparison: FileResult) -> FileResult:
        """The comparison with the answers of the planner of its version; with the reason where there is none. One that
        no plan can speak of stays as it is.
        """
        if not _is_planned(comparison):
            return comparison
        obstacle = _obstacle(comparison.settings, comparison.compiled_by)
        version = version_of(comparison)
        if obstacle or version in self._refused:
            return replace(comparison, planned=(_unanswered(obstacle or self._refused[version], comparison),))
        try:
            with noticing_its_end():
                return _planned(comparison, self._of(version))
        except FlinkError as error:
            reason = f"{error.sentence} {error.hint or ''}".rstrip()
            tell(f"Not planned by Flink: {reason}")
            self._refused[version] = reason
            self._planner = None
            return replace(comparison, planned=(_unanswered(reason, comparison),))

    def _of(self, version: str) -> Planner:
        if self._planner is None or self._version != version:
            self._planner = None
            self._stack.close()
            require_flink()
            self._planner = self._stack.enter_context(planning(install(version, tell)))
            self._version = version
        return self._planner


def version_of(comparison: FileResult) -> str:
    """The version of Flink that plans a comparison."""
    return _version(comparison.settings.current) or comparison.compiled_by or NEWEST


def with_plans(comparisons: Sequence[FileResult]) -> list[FileResult]:
    """The comparisons, those that a plan can speak of with the answers of Flink's planner. Where there is no planner,
    the reason is their answer, and all else is as without.
    """
    results = list(comparisons)
    with Planners() as planners:
        for index in sorted(range(len(results)), key=lambda index: version_of(results[index])):
            results[index] = planners.planned(results[index])
    return results


def _is_planned(comparison: FileResult) -> bool:
    if comparison.status not in _PLANNED or comparison.report is None:
        return False
    settings = comparison.settings
    return comparison.current != comparison.baseline or settings.current != settings.baseline


def _obstacle(settings: JobSettings, compiled_by: str) -> str:
    """The reason why Flink's planner says nothing of a job, a sentence; empty where there is none."""
    if settings.engine != ENGINE:
        return f"The job runs on {settings.engine}, which plans and restores otherwise than open-source Flink."
    if compiled_by:
        return other_version(compiled_by, _version(settings.current))
    versions = (_version(settings.current), _version(settings.baseline))
    return _TWO_VERSIONS if versions[0] != versions[1] else ""


def _version(config: JobConfig) -> str | None:
    return flink_version(config.engine_version or "")


def _planned(comparison: FileResult, planner: Planner) -> FileResult:
    settings, report = comparison.settings, comparison.report
    assert report is not None
    baseline, current = (
        scripted(job_version(text, config, settings.engine))
        for text, config in ((comparison.baseline, settings.baseline), (comparison.current, settings.current))
    )
    if comparison.compiled_by:
        baseline, current = replace(current, text="", plan=comparison.baseline), replace(current, is_compiled=True)
    answers = list(planner.answers(baseline, current))
    return answered(comparison, [_answer(each, report, planner.flink, len(answers) == 1) for each in answers])


def answered(comparison: FileResult, answers: Sequence[PlannedAnswer]) -> FileResult:
    """The comparison with answers, and with what they settle of its report."""
    report = comparison.report
    assert report is not None
    now = settled(report, answers)
    settlements = settled_findings(report, now)
    new = comparison.new_findings
    if new is not None:
        new = replace(new, before=tuple(settlements.get(finding, finding) for finding in new.before))
    return replace(comparison, planned=tuple(answers), report=now, new_findings=new)


def scripted(version: JobVersion) -> ScriptedJob:
    import keepstate

    one_job = version.jobs is keepstate.job_unit(ENGINE, "script")
    parameters = tuple(sorted(version.parameters.items()))
    functions = tuple(sorted(version.functions.items()))
    return ScriptedJob(version.text, parameters, one_job, functions=functions)


def _answer(answer: PlanAnswer, report: Report, flink: str, one_job: bool) -> PlannedAnswer:
    comparison = answer.comparison
    predicted = predicted_effect(answer.name, report, one_job)
    operators = tuple(
        OperatorAnswer(
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
        DECISIONS[comparison.decision],
        predicted.value,
        PREDICTED[predicted],
        agrees(comparison, predicted),
        comparison.explanation,
        operators,
        comparison.fresh,
        tuple(range(len(report.findings)) if one_job else _findings(answer.name, report)),
        comparison.stand_ins.names,
    )


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
