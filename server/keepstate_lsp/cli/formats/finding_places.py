"""Places of findings: in the SQL, or in the configuration file that sets the changed parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from keepstate.report import Finding, Refusal
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.config.external_settings import baseline_entry, current_entry


@dataclass(frozen=True)
class SharedFinding:
    """A finding at a clause of a file that several jobs read: jobs with equal ones have one cause."""

    path: str
    span: Span
    rule: str
    message: str


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
        display = display_path_of(entry.source.path)
        return FindingPlace(display, entry.source.lines, entry.span, display)
    place = comparison.place(finding.current.span)
    return FindingPlace(place.path or "a pair", place.lines, place.span, place.path)


def jobs_by_finding(comparisons: Iterable[FileResult]) -> dict[SharedFinding, list[str]]:
    """The jobs that feel each finding of a file which several jobs share, in the order of the run."""
    jobs: dict[SharedFinding, list[str]] = {}
    for comparison in comparisons:
        for finding in comparison.report.findings if comparison.report is not None and comparison.files else ():
            shared = shared_finding(comparison, finding)
            if shared is not None and comparison.path not in jobs.setdefault(shared, []):
                jobs[shared].append(comparison.path or "")
    return jobs


def shared_finding(comparison: FileResult, finding: Finding) -> SharedFinding | None:
    """A finding that other jobs may have too, by what it says and where; ``None`` for one in the file of the job."""
    place = None if comparison.files is None else comparison.place(finding.current.span)
    if place is None or place.path == comparison.path:
        return None
    return SharedFinding(place.path or "", place.span, finding.rule, finding.message)


def refusal_place(comparison: FileResult, refusal: Refusal, side: str = "current") -> FindingPlace:
    """The place of a refused statement of a side."""
    place = comparison.place(refusal.span, side)
    words = "a pair"
    if side == "baseline":
        words = comparison.origin.words if comparison.origin is not None else "the baseline"
    return FindingPlace(place.path or words, place.lines, place.span, place.path)


def baseline_place(comparison: FileResult, finding: Finding) -> FindingPlace | None:
    """The place on the side of the baseline, if there is one."""
    entry = baseline_entry(finding, comparison.settings.baseline)
    if entry is not None:
        return FindingPlace(entry.source.display_name, entry.source.lines, entry.span, entry.source.path.as_posix())
    if finding.baseline is None:
        return None
    origin = comparison.origin
    words = origin.words if origin is not None else "the baseline"
    place = comparison.place(finding.baseline.span, "baseline")
    if origin is not None and place.path not in (None, origin.path):
        words = f"{place.path} in {words}"
    return FindingPlace(words, place.lines, place.span, place.path)
