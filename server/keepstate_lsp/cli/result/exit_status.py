"""Exit status: 0 nothing to complain of, 1 findings at or above ``--fail-on``, 2 something could not be compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepstate_lsp.cli.result.file_result import FileResult

FINE = 0
FINDINGS = 1
NOT_COMPARED = 2
"""Also: bad usage, bad configuration, an internal error."""


def exit_status(comparisons: Iterable[FileResult]) -> int:
    """The status of a run; what could not be compared is never hidden behind 0 or 1."""
    status = FINE
    for comparison in comparisons:
        if comparison.status.failed:
            return NOT_COMPARED
        if comparison.at_or_above_fail_on:
            status = FINDINGS
    return status
