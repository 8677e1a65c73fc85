"""The JSON format, version 1: a contract that other programs build on. Extend it, never bend it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from keepstate.report import Problem, Verdict
from keepstate.text import LineIndex
from keepstate_lsp.cli.comparison import FileComparison
from keepstate_lsp.report_json import NO_REPORT, Compared, Json, report_members, text_range
from keepstate_lsp.version import VERSION

FORMAT_VERSION = 1


def document(comparisons: Sequence[FileComparison], engine: str, problems: Sequence[Json] = ()) -> Json:
    """The whole document; ``problems`` are those of the run as such, made by :func:`problem`."""
    verdict = Verdict.worst(comparison.verdict for comparison in comparisons)
    if problems:
        verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
    return {
        "version": FORMAT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "engine": engine,
        "verdict": verdict.value,
        "files": [_file(comparison) for comparison in comparisons],
        "problems": [*problems, *(entry for comparison in comparisons for entry in _file_problems(comparison))],
    }


def problem(path: str | None, message: str, place: Json | None = None, side: str = "current") -> Json:
    """Something that could not be compared; ``range`` lies in the text of ``side``."""
    return {"path": path, "message": message, "range": place, "side": side}


def read_problems(path: str | None, lines: LineIndex, problems: Sequence[Problem], side: str = "current") -> list[Json]:
    """Problems of one text."""
    return [
        problem(path, entry.message, None if entry.span is None else text_range(lines, entry.span), side)
        for entry in problems
    ]


def pretty(value: Json) -> bytes:
    """A document for a file or a terminal."""
    return _encoded(json.dumps(value, ensure_ascii=False, indent=2))


def one_line(value: Json) -> bytes:
    """A document as one line of JSON Lines."""
    return _encoded(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def _encoded(text: str) -> bytes:
    # Undecodable bytes of a file name are lone surrogates; their escapes are JSON too.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _file(comparison: FileComparison) -> Json:
    origin, report = comparison.origin, comparison.report
    members = NO_REPORT
    if report is not None:
        settings = comparison.settings
        members = report_members(
            Compared(
                report,
                LineIndex(comparison.current),
                LineIndex(comparison.baseline),
                comparison.fixes,
                settings.current,
                settings.baseline,
                comparison.path,
                Path.cwd(),
                not comparison.status.failed,
            )
        )
    return {
        "path": comparison.path,
        "status": comparison.status.value,
        "reason": comparison.reason,
        "baseline": {
            "spec": origin and origin.spec,
            "commit": origin and origin.commit,
            "path": origin and origin.path,
        },
        "blame": _blame(comparison),
        "verdict": comparison.verdict.value,
        "open_verdict": comparison.open_verdict.value,
        **_with_blame(members, comparison),
    }


def _blame(comparison: FileComparison) -> Json | None:
    blame = comparison.blame
    if blame is None:
        return None
    origin = blame.origin
    return {
        "spec": origin.spec,
        "commit": origin.commit,
        "path": origin.path,
        "changed": blame.changed,
        "doubt": blame.doubt,
    }


def _with_blame(members: Json, comparison: FileComparison) -> Json:
    """The members that a report gives; with a second baseline each finding says whether the change answers for it.
    Without one they are what an editor is given, byte for byte.
    """
    if comparison.blame is None or comparison.report is None:
        return members
    findings = comparison.report.findings
    told = [
        {**entry, "added": comparison.is_added(finding)}
        for entry, finding in zip(members["findings"], findings, strict=True)
    ]
    return {**members, "findings": told}


def _file_problems(comparison: FileComparison) -> list[Json]:
    texts = {"current": LineIndex(comparison.current), "baseline": LineIndex(comparison.baseline)}
    read = [
        entry
        for side, found in comparison.problems
        for entry in read_problems(comparison.path, texts[side], [found], side)
    ]
    if not read and comparison.status.failed:
        return [problem(comparison.path, comparison.reason or "")]
    return read
