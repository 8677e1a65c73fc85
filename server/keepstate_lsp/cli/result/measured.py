"""Measured restarts of a job beside its verdict, as plain values that each format shows; versions without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate_lsp.cli.result.scope import Notice

if TYPE_CHECKING:
    from keepstate_lsp.cli.result.file_result import FileResult

_MEASURED_ENGINE = "flink"


@dataclass(frozen=True)
class MeasuredJob:
    """The restart of one job of a file on a real Flink. ``measured`` and ``predicted`` are words of the JSON format,
    ``words`` and ``predicted_words`` those for a person; ``agrees`` is ``None`` where the two cannot be held together.
    """

    name: str
    flink: str
    measured: str
    words: str
    predicted: str
    predicted_words: str
    agrees: bool | None
    note: str = ""

    @property
    def sentence(self) -> str:
        """One line, such as ``Measured on open-source Flink 2.3.0: INSERT INTO s does not start.``, and its note."""
        name = f"{self.name} " if self.name else ""
        doubt = f" The prediction ({self.predicted_words}) disagrees: please report it." if self.agrees is False else ""
        note = f" {self.note}" if self.note else ""
        return f"Measured on open-source Flink {self.flink}: {name}{self.words}.{doubt}{note}"


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
