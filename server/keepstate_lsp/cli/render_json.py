"""The JSON format, version 1: a contract that other programs build on. Extend it, never bend it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepstate.report import Acceptance, Finding, Fix, Problem, Verdict
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.comparison import FileComparison
from keepstate_lsp.cli.job_files import shown_path
from keepstate_lsp.outside import Entry, baseline_entry, current_entry
from keepstate_lsp.version import VERSION

FORMAT_VERSION = 1

Json = dict[str, Any]


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


def text_range(lines: LineIndex, span: Span) -> Json:
    """A span as an LSP range."""
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


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
    origin = comparison.origin
    report = comparison.report
    current, baseline = LineIndex(comparison.current), LineIndex(comparison.baseline)
    pipelines = () if report is None else report.pipelines
    findings = () if report is None else report.findings
    fixes = comparison.fixes or ((),) * len(findings)
    return {
        "path": comparison.path,
        "status": comparison.status.value,
        "reason": comparison.reason,
        "baseline": {
            "spec": origin and origin.spec,
            "commit": origin and origin.commit,
            "path": origin and origin.path,
        },
        "verdict": comparison.verdict.value,
        "open_verdict": comparison.open_verdict.value,
        "pipelines": [
            {
                "name": pipeline.name,
                "range": text_range(current, pipeline.span),
                "verdict": pipeline.verdict.value,
                "effect": pipeline.effect.value,
            }
            for pipeline in pipelines
        ],
        "findings": [
            _finding(finding, fixes_of_it, current, baseline, comparison.settings)
            for finding, fixes_of_it in zip(findings, fixes, strict=True)
        ],
        "revert_to_be_compatible": [] if report is None else list(report.revert_to_be_compatible),
        "idle_acceptances": [
            {
                "rule": idle.acceptance.rule,
                "reason": idle.reason,
                "range": text_range(current, idle.acceptance.span),
            }
            for idle in (() if report is None else report.idle_acceptances)
            # Those of the ledger may be about other files.
            if idle.acceptance.span is not None
        ],
    }


def _accepted(acceptance: Acceptance | None) -> Json | None:
    if acceptance is None:
        return None
    until = None if acceptance.until is None else acceptance.until.isoformat()
    return {
        "because": acceptance.because,
        "until": until,
        "by": "comment" if acceptance.span is not None else "ledger",
    }


def _parameter(finding: Finding, settings: JobSettings) -> Json | None:
    """What a finding is about that is set outside of the SQL; the sides are null where no file sets it there."""
    outside = finding.outside
    if outside is None:
        return None
    now, was = current_entry(finding, settings.current), baseline_entry(finding, settings.baseline)
    return {
        "key": outside.key,
        "current": _entry(now) if outside.current is not None else None,
        "baseline": _entry(was),
    }


def _entry(entry: Entry | None) -> Json | None:
    if entry is None:
        return None
    return {
        "path": shown_path(entry.source.path),
        "range": text_range(entry.source.lines, entry.span),
        "text": entry.text,
    }


def _finding(
    finding: Finding, fixes: Sequence[Fix], current: LineIndex, baseline: LineIndex, settings: JobSettings
) -> Json:
    was = finding.baseline
    return {
        "rule": finding.rule,
        "spec": list(finding.spec),
        "verdict": finding.verdict.value,
        "effect": finding.effect.value,
        "message": finding.message,
        "range": text_range(current, finding.current.span),
        "text": finding.current.text,
        "baseline_range": None if was is None else text_range(baseline, was.span),
        "baseline_text": None if was is None else was.text,
        "pipeline": finding.pipeline,
        "parameter": _parameter(finding, settings),
        "accepted": _accepted(finding.accepted),
        "fixes": [
            {
                "title": fix.title,
                "verdict_after": fix.verdict_after.value,
                "edits": [{"range": text_range(current, edit.span), "new_text": edit.new_text} for edit in fix.edits],
            }
            for fix in fixes
        ],
    }


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
