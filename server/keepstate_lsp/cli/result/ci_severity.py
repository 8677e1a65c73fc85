"""How much a finding weighs where a host has three levels for all tools."""

from __future__ import annotations

from enum import Enum

from keepstate.report import Finding, Verdict
from keepstate_lsp.cli.result.file_comparison import FileComparison


class Weight(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


def weight_of(comparison: FileComparison, finding: Finding) -> Weight:
    """An error is what fails the gate, and whatever is incompatible; what was accepted, or was there before the change,
    is a notice.
    """
    if not comparison.counts(finding) or finding.verdict is Verdict.COMPATIBLE:
        return Weight.NOTICE
    fails = comparison.settings.reaches_fail_on(comparison.verdict_at_gate(finding))
    return Weight.ERROR if fails or finding.verdict is Verdict.INCOMPATIBLE else Weight.WARNING
