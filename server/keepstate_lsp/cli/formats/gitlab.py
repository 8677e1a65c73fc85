"""GitLab's Code Quality report: a list of issues, which a merge request shows beside its lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from keepstate.report import Effect, Finding, Verdict
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.formats.finding_places import current_place
from keepstate_lsp.cli.paths import RepositoryPaths, is_file
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.result.fingerprints import digest, fingerprints
from keepstate_lsp.cli.result.not_compared import Gap, gaps
from keepstate_lsp.cli.result.real_flink.disagreements import disagreements
from keepstate_lsp.cli.result.run_result import RunResult
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.terminal.sanitize import one_line
from keepstate_lsp.reporting.effects import with_effect

SEVERITIES = {
    Verdict.INCOMPATIBLE: "critical",
    Verdict.UNKNOWN: "major",
    Verdict.PARTIAL: "minor",
    Verdict.COMPATIBLE: "info",
}
_NOT_COMPARED = _WRONG_NUMBERS = "blocker"


def code_quality(result: RunResult) -> bytes:
    """The report as JSON."""
    gap_list = (*gaps(result.comparisons, result.problems), *disagreements(result.comparisons))
    issues = [_gap(gap, result.places) for gap in gap_list]
    issues += [_left_out(notice, result.places) for notice in result.notices]
    former = Counter(_former_path(comparison, result.places) for comparison in result.comparisons)
    issues += [issue for comparison in result.comparisons for issue in _issues(comparison, result, former)]
    return json.dumps(issues, ensure_ascii=True, indent=2).encode() + b"\n"


def _issues(comparison: FileResult, result: RunResult, former: Counter[str]) -> Iterator[dict[str, Any]]:
    findings = comparison.report.findings if comparison.report is not None else ()
    identity = _former_path(comparison, result.places)
    if former[identity] > 1:
        identity = _path(comparison.path, result.places)
    for finding, name in zip(findings, fingerprints(comparison), strict=True):
        place = current_place(comparison, finding)
        path = _path(place.path, result.places)
        yield {
            "description": one_line(_description(comparison, finding)),
            "check_name": finding.rule,
            # The same change may be made in several files, and GitLab shows each fingerprint once. The path of the
            # baseline stays while the file moves, unless two jobs have the same one.
            "fingerprint": digest(identity, name),
            "severity": _severity(finding) if comparison.counts(finding) else "info",
            "location": _location(path, place.lines, place.span),
        }


def _former_path(comparison: FileResult, places: RepositoryPaths) -> str:
    """The path of the file in its baseline, or its own where no commit has the baseline."""
    origin = comparison.origin
    if origin is None or origin.commit is None or origin.path is None or not is_file(comparison.path):
        return _path(comparison.path, places)
    return origin.path


def _severity(finding: Finding) -> str:
    return _WRONG_NUMBERS if finding.effect is Effect.WRONG_RESULTS else SEVERITIES[finding.verdict]


def _description(comparison: FileResult, finding: Finding) -> str:
    note = "" if comparison.is_added(finding) else " (there before this change)"
    if finding.accepted is not None:
        note += f" (accepted: {finding.accepted.because})"
    return f"{with_effect(finding.verdict.value, finding.effect).capitalize()}: {finding.message}{note}"


def _gap(gap: Gap, places: RepositoryPaths) -> dict[str, Any]:
    path = _path(gap.path, places)
    where: dict[str, Any] = {"path": path, "lines": {"begin": 1}}
    if gap.place is not None:
        where = _location(path, *gap.place)
    words = one_line(gap.words if gap.path is None or is_file(gap.path) else f"{gap.path}: {gap.words}")
    return {
        "description": words,
        "check_name": gap.kind,
        "fingerprint": digest(gap.kind, path, str(where["lines"]["begin"]), words),
        "severity": _NOT_COMPARED if gap.stops else SEVERITIES[Verdict.UNKNOWN],
        "location": where,
    }


def _left_out(notice: Notice, places: RepositoryPaths) -> dict[str, Any]:
    path = _path(notice.path, places)
    return {
        "description": one_line(notice.words),
        "check_name": "left-out",
        "fingerprint": digest("left-out", path, notice.words),
        "severity": "info",
        "location": {"path": path, "lines": {"begin": 1}},
    }


def _path(path: str | None, places: RepositoryPaths) -> str:
    """An issue without a file is one of the whole repository."""
    return places.name(path) if is_file(path) else "."


def _location(path: str, lines: LineIndex, span: Span) -> dict[str, Any]:
    start, end = lines.position(span.start), lines.position(span.end)
    return {"path": path, "lines": {"begin": start.line + 1, "end": end.line + 1}}
