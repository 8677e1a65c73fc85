"""The severity of a finding for hosts that have three levels for all tools."""

from __future__ import annotations

from enum import Enum

from keepstate.report import Finding, Verdict
from keepstate_lsp.cli.result.file_result import FileResult


class CiSeverity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


def ci_severity(comparison: FileResult, finding: Finding) -> CiSeverity:
    """An error is what fails the gate, and whatever is incompatible; what was accepted, or was there before the change,
    is a notice.
    """
    if not comparison.counts(finding) or finding.verdict is Verdict.COMPATIBLE:
        return CiSeverity.NOTICE
    fails = comparison.settings.reaches_fail_on(comparison.verdict_at_gate(finding))
    return CiSeverity.ERROR if fails or finding.verdict is Verdict.INCOMPATIBLE else CiSeverity.WARNING
