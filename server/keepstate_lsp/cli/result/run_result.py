"""The result of a run: the value that every format shows; the notice of versions without measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepstate_lsp.cli.paths import RepositoryPaths
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem
from keepstate_lsp.cli.result.run_scope import Notice, RunScope

_MEASURED_ENGINE = "flink"


@dataclass(frozen=True)
class RunResult:
    """The result of a run."""

    comparisons: Sequence[FileResult]
    engine: str
    problems: Sequence[RunProblem]
    places: RepositoryPaths
    scope: RunScope | None = None
    """Scope of a run of ``check``."""
    notices: Sequence[Notice] = ()
    """Files that were left out on purpose."""
    docs_url: str | None = None
    """URL of the published rule pages, without a slash at its end."""

    def rule_url(self, rule: str) -> str | None:
        return f"{self.docs_url}/{rule}" if self.docs_url is not None else None


def unmeasured_versions(comparisons: Sequence[FileResult]) -> list[Notice]:
    """A notice for each version of Flink that a compared job runs on and on which no restart was measured."""
    versions = {
        comparison.settings.current.engine_version: None
        for comparison in comparisons
        if comparison.report is not None and comparison.settings.engine == _MEASURED_ENGINE
    }
    if not any(versions):
        return []
    import keepstate

    measured = keepstate.measured_versions()
    unmeasured = dict.fromkeys(filter(None, map(keepstate.unmeasured_flink, versions)))
    return [
        Notice(
            None,
            f"No restart was measured on Flink {version}: its verdicts follow from the rules that hold on the versions "
            f"nearest to it. Measured are {', '.join(measured)}.",
            title="not measured",
        )
        for version in unmeasured
    ]
