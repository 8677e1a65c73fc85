"""The result of a run: the value that every format shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepstate_lsp.cli.paths import Places
from keepstate_lsp.cli.result.file_comparison import FileComparison, RunProblem
from keepstate_lsp.cli.result.scope import Notice, Scope


@dataclass(frozen=True)
class RunResult:
    """All that there is to say of a run."""

    comparisons: Sequence[FileComparison]
    engine: str
    problems: Sequence[RunProblem]
    places: Places
    scope: Scope | None = None
    """What a run of ``check`` looked at."""
    notices: Sequence[Notice] = ()
    """What was left out on purpose."""
    docs_url: str | None = None
    """Where rule pages are published, without a slash at its end."""

    def rule_url(self, rule: str) -> str | None:
        return f"{self.docs_url}/{rule}" if self.docs_url is not None else None
