"""Outlooks of cutovers for results of a run: planned only where a change costs state."""

from __future__ import annotations

from dataclasses import replace
from datetime import timezone
from typing import TYPE_CHECKING

from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, tell_fault
from keepstate_lsp.config.job_versions import composed_version
from keepstate_lsp.reporting.cutover_outlook import CutoverOutlook, costs_state, outlook_of
from keepstate_lsp.runtime.time_limit import EDITOR_SECONDS, TookTooLong, within

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.project.composition import ComposedJob


def with_outlook(result: FileResult, current: ComposedJob, baseline: ComposedJob, workspace: Workspace) -> FileResult:
    """``result`` with the outlook of its cutover, if a finding of the change costs state. The workspace of the run has
    both versions compared already. The outlook has no say in the gate, so a plan that fails costs only itself.
    """
    report = result.report
    if report is None or result.status.failed:
        return result
    if not any(result.counts(finding) and costs_state(finding) for finding in report.findings):
        return result
    try:
        return replace(result, outlook=within(EDITOR_SECONDS, lambda: _outlook(result, current, baseline, workspace)))
    except TookTooLong as error:
        tell(f"{result.path or 'The job'}: no cutover was planned: {error}")
    except Exception as error:  # noqa: BLE001 - any fault at all must cost the outlook only, and is reported
        tell_fault(result.path, error)
        fault = f"{type(error).__name__}: {error}"
        tell(f"{result.path or 'The job'}: no cutover was planned ({fault}). This is a fault of Keepstate.")
    return result


def _outlook(
    result: FileResult, current: ComposedJob, baseline: ComposedJob, workspace: Workspace
) -> CutoverOutlook | None:
    from keepstate.cutover.plans import NotPlannable
    from keepstate.cutover.request import Request
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import agreed

    settings = result.settings
    now, was = agreed(current, baseline)
    sides = (
        composed_version(now, settings.current, settings.engine),
        composed_version(was, settings.baseline, settings.engine),
    )
    analysis = ComposedAnalysis(*sides, settings.engine, workspace).analysis
    try:
        # The same change gives the same sentence at any time: lengths do not depend on the clock.
        return outlook_of(analysis.outlined_cutover(Request(0, timezone.utc)))
    except NotPlannable:
        # The report names each statement that makes a version no job.
        return None
