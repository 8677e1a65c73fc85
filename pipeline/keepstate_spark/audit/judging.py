"""Judgement of one pair by the analyzer, as a row of plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keepstate.project.composed_analysis import ComposedVersion
    from keepstate.project.composed_text import FilePlace
    from keepstate.project.composition import ComposedJob
    from keepstate.report import Fix, Report, Verdict
    from keepstate.text import LineIndex, Position, Span

Row = dict[str, Any]

KEEPING = ("restore-order", "keep-both", "separate-job", "first-step")
"""Kinds of fixes that keep the intended change, and the state as well, the best one first."""
TAKING_BACK = ("restore-removed", "revert", "revert-smallest")
"""Kinds that take a part of the change back."""
_MOST_MENDED = 12
"""Findings of one change for which fixes are looked for."""
_LONGEST_TEXT = 2000
"""Characters of a clause that are stored."""


Files = tuple[tuple[str, str, str], ...]
"""The files of a job: the path, the role and the text of each."""


@dataclass(frozen=True)
class VersionPair:
    """Two versions of a job and their configurations outside of the SQL. The files are empty for a job of one file."""

    name: str
    baseline_text: str
    current_text: str
    baseline_parameters: Mapping[str, str]
    current_parameters: Mapping[str, str]
    baseline_engine_version: str | None
    current_engine_version: str | None
    baseline_files: Files = ()
    current_files: Files = ()


def judged(pair: VersionPair, engine: str) -> Iterator[Row]:
    """Yield the row of a pair: first without fixes, then with fixes, if any finding needs one.

    The search for fixes takes many times as long as the verdict; after a timeout the first row remains.
    """
    import keepstate
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import agreed
    from keepstate.report import Verdict

    current, baseline = agreed(
        _job(pair.current_text, pair.current_files), _job(pair.baseline_text, pair.baseline_files)
    )
    was = _version(baseline, pair.baseline_parameters, pair.baseline_engine_version)
    now = _version(current, pair.current_parameters, pair.current_engine_version)
    analysis = ComposedAnalysis(now, was, engine, keepstate.Workspace())
    report = analysis.report()
    places = _Places(now.job)
    verdict, reason = report.verdict, None
    outcome = "judged"
    if not report.is_valid:
        first = next(refusal for refusal in report.refusals if refusal.certain)
        outcome, reason = "not-valid", f"Flink refuses its current text: {_line(first.message)}"
    for side, problems in (("current", report.problems), ("baseline", report.baseline_problems)):
        if problems:
            verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
            outcome = "unread" if reason is None else outcome
            reason = reason or f"A part of its {side} text cannot be read: {_line(problems[0].message)}"
    findings: list[Row] = []
    for finding in report.findings:
        path, start = places.of(finding.current.span)
        findings.append(
            {
                "rule": finding.rule,
                "spec": list(finding.spec),
                "query_kind": finding.query_kind,
                "verdict": finding.verdict.value,
                "effect": finding.effect.value,
                "message": finding.message,
                "change": finding.change,
                "pipeline": finding.pipeline,
                "text": finding.current.text[:_LONGEST_TEXT],
                "baseline_text": None if finding.baseline is None else finding.baseline.text[:_LONGEST_TEXT],
                "file": path,
                "line": start.line,
                "character": start.character,
                "removed": finding.removed,
                "parameter": None if finding.external is None else finding.external.key,
                "key": finding.key,
                "fixes": [],
            }
        )
    row: Row = {
        "pair": pair.name,
        "outcome": outcome,
        "reason": reason or _doubt(report),
        "verdict": verdict.value,
        "effect": report.effect.value,
        "unchanged": report.unchanged,
        "unread": len(report.problems) + len(report.baseline_problems),
        "findings": findings,
    }
    yield row
    if verdict is Verdict.COMPATIBLE or reason is not None:
        return
    of_file = analysis.file_fixes()
    all_fixes = list(of_file)
    for index, finding in enumerate(report.findings[:_MOST_MENDED]):
        if finding.verdict is Verdict.COMPATIBLE:
            continue
        fixes = analysis.fixes(index)
        findings[index]["fixes"] = [
            {"kind": fix.kind, "title": fix.title, "verdict_after": fix.verdict_after.value} for fix in fixes
        ]
        all_fixes += fixes
    row["remedy"], row["remedy_verdict"] = _remedy(all_fixes, verdict)
    yield row


def _doubt(report: Report) -> str | None:
    """The reason of a verdict that no finding explains: the engine may refuse a statement."""
    if not report.refusals:
        return None
    first = report.refusals[0]
    words = f" if the job uses {first.assuming}" if first.assuming else ""
    return f"Flink may refuse its current text{words}: {_line(first.message)}"


def _version(job: ComposedJob, parameters: Mapping[str, str], engine_version: str | None) -> ComposedVersion:
    """A composed job with its configuration."""
    import keepstate
    from keepstate.project.composed_analysis import ComposedVersion

    return ComposedVersion(job, keepstate.JobVersion(job.text, parameters, engine_version))


def _job(text: str, files: Files) -> ComposedJob:
    """The job of a text, or of several files."""
    from keepstate.project.composed_text import FileRole
    from keepstate.project.composition import ComposedJob
    from keepstate.project.files_with_roles import composed_of
    from keepstate.project.memory import ProjectMemory
    from keepstate.project.source_files import SourceFile

    if not files:
        return ComposedJob.plain(text)
    return composed_of(((SourceFile(path, content), FileRole(role)) for path, role, content in files), ProjectMemory())


class _Places:
    """The places of findings in the files of a job."""

    def __init__(self, job: ComposedJob) -> None:
        self._job = job
        self._lines: dict[str, LineIndex] = {}

    def of(self, span: Span) -> tuple[str | None, Position]:
        """The file of a span, ``None`` for a job of one file, and its start there."""
        from keepstate.text import LineIndex

        place = self._job.composed.place(span)
        path, text, start = ("", self._job.text, span.start) if place is None else _in_file(place)
        lines = self._lines.setdefault(path, LineIndex(text))
        return path or None, lines.position(start)


def _in_file(place: FilePlace) -> tuple[str, str, int]:
    return place.path, place.file.text, place.span.start


def _remedy(fixes: Sequence[Fix], verdict: Verdict) -> tuple[str | None, str | None]:
    """Return the kind of the fix to choose, and its verdict.

    A fix that keeps the intended change comes before any other, then the one with the best verdict. A fix with an
    undecidable outcome does not count.
    """
    from keepstate.report import Verdict

    kinds = (*KEEPING, *TAKING_BACK)
    most = min(verdict.rank - 1, Verdict.PARTIAL.rank)
    helpful = [fix for fix in fixes if fix.verdict_after.rank <= most]
    best = min(
        helpful, key=lambda fix: (fix.kind not in KEEPING, fix.verdict_after.rank, kinds.index(fix.kind)), default=None
    )
    return (None, None) if best is None else (best.kind, best.verdict_after.value)


def _line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TEXT]
