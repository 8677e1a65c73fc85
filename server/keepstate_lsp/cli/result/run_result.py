"""The result of a run: the value that every format shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepstate_lsp.cli.paths import Places
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem
from keepstate_lsp.cli.result.scope import Notice, Scope


@dataclass(frozen=True)
class RunResult:
    """The result of a run."""

    comparisons: Sequence[FileResult]
    engine: str
    problems: Sequence[RunProblem]
    places: Places
    scope: Scope | None = None
    """Scope of a run of ``check``."""
    notices: Sequence[Notice] = ()
    """Files that were left out on purpose."""
    docs_url: str | None = None
    """URL of the published rule pages, without a slash at its end."""

    def rule_url(self, rule: str) -> str | None:
        return f"{self.docs_url}/{rule}" if self.docs_url is not None else None
