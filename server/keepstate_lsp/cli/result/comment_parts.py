"""Parts of comments that take analyses of their own, made only where a change costs state: the outlook of a cutover,
and a diagram of the plans.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timezone
from typing import TYPE_CHECKING, TypeVar

from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, tell_fault
from keepstate_lsp.config.job_versions import composed_version
from keepstate_lsp.reporting.cutover_outlook import CutoverOutlook, costs_state, outlook_of
from keepstate_lsp.runtime.time_limit import EDITOR_SECONDS, TookTooLong, within

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import ComposedJob

Part = TypeVar("Part")


def with_parts(
    result: FileResult,
    current: ComposedJob,
    baseline: ComposedJob,
    workspace: Workspace,
    cutovers: bool,
    diagrams: bool,
) -> FileResult:
    """``result`` with these parts, if a finding of the change costs state. The workspace of the run has both versions
    compared already. No part has a say in the gate, so one that fails costs only itself.
    """
    report = result.report
    if report is None or result.status.failed:
        return result
    if not any(result.counts(finding) and costs_state(finding) for finding in report.findings):
        return result

    def composed() -> ComposedAnalysis:
        return _composed(result, current, baseline, workspace)

    outlook = _part_or_line(result, "no cutover was planned", lambda: _outlook(composed())) if cutovers else None
    diagram = _part_or_line(result, "no plan was drawn", lambda: _diagram(composed())) if diagrams else None
    return replace(result, outlook=outlook, diagram=diagram or "")


def _part_or_line(result: FileResult, otherwise: str, make: Callable[[], Part]) -> Part | None:
    """A part, or ``None`` with a line about why there is none."""
    try:
        return within(EDITOR_SECONDS, make)
    except TookTooLong as error:
        tell(f"{result.path or 'The job'}: {otherwise}: {error}")
    except Exception as error:  # noqa: BLE001 - any fault at all must cost this part only, and is reported
        tell_fault(result.path, error)
        fault = f"{type(error).__name__}: {error}"
        tell(f"{result.path or 'The job'}: {otherwise} ({fault}). This is a fault of Keepstate.")
    return None


def _composed(
    result: FileResult, current: ComposedJob, baseline: ComposedJob, workspace: Workspace
) -> ComposedAnalysis:
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import agreed

    settings = result.settings
    now, was = agreed(current, baseline)
    sides = (
        composed_version(now, settings.current, settings.engine),
        composed_version(was, settings.baseline, settings.engine),
    )
    return ComposedAnalysis(*sides, settings.engine, workspace)


def _outlook(composed: ComposedAnalysis) -> CutoverOutlook | None:
    from keepstate.cutover.cutover_options import CutoverOptions
    from keepstate.cutover.cutover_plan import NotPlannable

    try:
        # Lengths do not depend on the clock; whether a bound of a source has come does.
        now = round(time.time() * 1000)
        return outlook_of(composed.analysis.outlined_cutover(CutoverOptions(now, timezone.utc)))
    except NotPlannable:
        # The report names each statement that makes a version no job.
        return None


def _diagram(composed: ComposedAnalysis) -> str:
    from keepstate.plan_view.diagram import plan_diagram

    return plan_diagram(composed.analysis.drawing())
