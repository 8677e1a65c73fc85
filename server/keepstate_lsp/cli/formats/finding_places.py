"""Places of findings: in the SQL, or in the configuration file that sets the changed parameter."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Finding
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.config.external_settings import baseline_entry, current_entry


@dataclass(frozen=True)
class FindingPlace:
    """A span in a text; ``name`` is what people call the text."""

    name: str
    lines: LineIndex
    span: Span
    path: str | None = None
    """Path of the file: as reports name it, or, for a baseline in git, relative to the repository."""


def current_place(comparison: FileResult, finding: Finding) -> FindingPlace:
    """The clause of a finding, or the entry of the configuration file."""
    entry = current_entry(finding, comparison.settings.current)
    if entry is not None:
        shown = display_path_of(entry.source.path)
        return FindingPlace(shown, entry.source.lines, entry.span, shown)
    return FindingPlace(
        comparison.path or "a pair", LineIndex(comparison.current), finding.current.span, comparison.path
    )


def baseline_place(comparison: FileResult, finding: Finding) -> FindingPlace | None:
    """The place on the side of the baseline, if there is one."""
    entry = baseline_entry(finding, comparison.settings.baseline)
    if entry is not None:
        return FindingPlace(entry.source.display_name, entry.source.lines, entry.span, entry.source.path.as_posix())
    if finding.baseline is None:
        return None
    origin = comparison.origin
    words = origin.words if origin is not None else "the baseline"
    return FindingPlace(
        words, LineIndex(comparison.baseline), finding.baseline.span, origin.path if origin is not None else None
    )
