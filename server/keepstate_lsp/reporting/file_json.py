"""One compared file in the JSON format, version 1: the same from the command line and from the editor.

A contract that other programs build on: extend it, never bend it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate.report import Acceptance, Effect, Finding, Fix, Problem, Refusal, Report, Verdict
from keepstate.text import LineIndex, Span
from keepstate_lsp.config.external_settings import Entry, baseline_entry, current_entry
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.reporting.accept_command import AcceptCommand
from keepstate_lsp.reporting.context_entry import ContextEntry
from keepstate_lsp.reporting.file_status import refusal_words
from keepstate_lsp.reporting.new_files import name_beside
from keepstate_lsp.reporting.next_steps import next_steps
from keepstate_lsp.version import VERSION

FORMAT_VERSION = 1

Json = dict[str, Any]


@dataclass(frozen=True)
class Compared:
    """A report and the facts of its comparison."""

    report: Report
    current: LineIndex
    baseline: LineIndex
    fixes: tuple[tuple[Fix, ...], ...] = ()
    """Fixes of each finding of the report; empty if not asked for."""
    config: JobConfig = EMPTY_CONFIG
    baseline_config: JobConfig = EMPTY_CONFIG
    path: str | None = None
    """The path as an argument of ``keepstate``."""
    folder: Path = Path()
    """Folder that paths of configuration files are shown relative to."""
    is_whole: bool = True
    """All statements of both texts could be read: if not, mend that first."""
    against: str | None = None
    """The spec of the baseline; ``None`` for two files that are compared with one another."""
    options: tuple[str, ...] = ()
    """The options of the command line that set the configuration."""
    context: ContextFix | None = None
    """The entry of the configuration that makes what the job assumes certain."""
    file_of: Callable[[Span], str | None] | None = None
    """The file of a place of the current text; ``None`` for a job of one file."""

    def file(self, span: Span) -> str | None:
        """The path of the file of a place."""
        return self.path if self.file_of is None else self.file_of(span)


@dataclass(frozen=True)
class ContextFix:
    """An entry of the configuration with the verdict behind it. ``path`` is its path in reports."""

    entry: ContextEntry
    path: str
    verdict_after: Verdict


def report_members(compared: Compared) -> Json:
    """The members of a file's object that come from its report."""
    report = compared.report
    fixes = compared.fixes or ((),) * len(report.findings)
    return {
        "pipelines": [
            {
                "name": pipeline.name,
                "range": text_range(compared.current, pipeline.span),
                "verdict": pipeline.verdict.value,
                "effect": pipeline.effect.value,
            }
            for pipeline in report.pipelines
        ],
        "findings": [
            _finding(finding, fixes_of_it, compared)
            for finding, fixes_of_it in zip(report.findings, fixes, strict=True)
        ],
        "revert_to_be_compatible": list(report.revert_to_be_compatible),
        "idle_acceptances": [
            {
                "rule": unused.acceptance.rule,
                "reason": unused.reason,
                "range": text_range(compared.current, unused.acceptance.span),
            }
            for unused in report.unused_acceptances
            # Entries of the ledger may be about other files.
            if unused.acceptance.span is not None
        ],
        "next_steps": [
            guide.json
            for guide in next_steps(
                report.engine,
                compared.config.engine_version,
                report.verdict if compared.is_whole else Verdict.COMPATIBLE,
                {finding.effect for finding in report.findings},
                compared.path,
                accepted=report.open_verdict is Verdict.COMPATIBLE,
                command=AcceptCommand(compared.path, compared.against, compared.options, compared.against is not None),
            )
        ],
    }


def file_object(
    path: str | None,
    status: str,
    reason: str | None,
    baseline: Json,
    verdict: Verdict,
    open_verdict: Verdict,
    members: Json,
    *,
    effect: Effect | None = None,
    new_findings: Json | None = None,
    added: Sequence[bool] | None = None,
    job_files: Json | None = None,
) -> Json:
    """One entry of ``files``. ``members`` are those of the report, ``effect`` is that of the job; ``added`` has for
    each finding whether it is new, if there is a second baseline. ``job_files`` are members about the files of a job of
    several.
    """
    findings: list[Json] = members["findings"]
    if added is not None:
        findings = [{**finding, "added": answer} for finding, answer in zip(findings, added, strict=True)]
    return {
        "path": path,
        "status": status,
        "reason": reason,
        "baseline": baseline,
        "blame": new_findings,
        "verdict": verdict.value,
        "effect": effect and effect.value,
        "open_verdict": open_verdict.value,
        **members,
        "findings": findings,
        **(job_files or {}),
    }


def envelope(
    engine: str,
    verdict: Verdict,
    files: Sequence[Json],
    problems: Sequence[Json],
    notices: Sequence[Json] = (),
    nothing_compared: str | None = None,
) -> Json:
    """The whole document. ``notices`` are the files left out on purpose; ``nothing_compared`` is, without files, the
    scope of the run. Both members are absent if empty.
    """
    document: Json = {
        "version": FORMAT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "engine": engine,
        "verdict": verdict.value,
        "files": list(files),
        "problems": list(problems),
    }
    if notices:
        document["notices"] = list(notices)
    if nothing_compared is not None:
        document["nothing_compared"] = nothing_compared
    return document


def problem(path: str | None, message: str, place: Json | None = None, side: str = "current") -> Json:
    """Something that could not be compared; ``range`` lies in the text of ``side``."""
    return {"path": path, "message": message, "range": place, "side": side}


def read_problems(path: str | None, lines: LineIndex, problems: Sequence[Problem], side: str = "current") -> list[Json]:
    """Problems of one text."""
    return [
        problem(path, entry.message, None if entry.span is None else text_range(lines, entry.span), side)
        for entry in problems
    ]


def refusal_problems(
    path: str | None, lines: LineIndex, refusals: Sequence[Refusal], engine: str, side: str = "current"
) -> list[Json]:
    """Refused statements of one text, as problems with the check that refused them."""
    return [
        {**problem(path, refusal_words(refusal, engine), text_range(lines, refusal.span), side), "check": refusal.rule}
        for refusal in refusals
    ]


NO_REPORT: Json = {
    "pipelines": [],
    "findings": [],
    "revert_to_be_compatible": [],
    "idle_acceptances": [],
    "next_steps": [],
}
"""The members of a file without a report."""


def text_range(lines: LineIndex, span: Span) -> Json:
    """A span as an LSP range."""
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def _finding(finding: Finding, fixes: Sequence[Fix], compared: Compared) -> Json:
    was = finding.baseline
    return {
        "rule": finding.rule,
        "spec": list(finding.spec),
        "verdict": finding.verdict.value,
        "effect": finding.effect.value,
        "message": finding.message,
        "file": compared.file(finding.current.span),
        "range": text_range(compared.current, finding.current.span),
        "text": finding.current.text,
        "baseline_range": None if was is None else text_range(compared.baseline, was.span),
        "baseline_text": None if was is None else was.text,
        "pipeline": finding.pipeline,
        "parameter": _parameter(finding, compared),
        "key": finding.key,
        "accepted": _accepted(finding.accepted),
        "fixes": [
            {
                "title": fix.title,
                "verdict_after": fix.verdict_after.value,
                "edits": [
                    {
                        "file": compared.file(edit.span),
                        "range": text_range(compared.current, edit.span),
                        "new_text": edit.new_text,
                    }
                    for edit in fix.edits
                ],
                # In the folder of the file that the edits are about.
                "new_files": [
                    {"name": name_beside(Path(compared.path or "job.sql").name, new.suffix), "text": new.text}
                    for new in fix.new_files
                ],
            }
            for fix in fixes
        ]
        + ([] if compared.context is None else [_context_fix(compared.context)]),
    }


def _context_fix(context: ContextFix) -> Json:
    """The fix that writes an entry into the configuration: an edit of it, or a new file."""
    entry = context.entry
    edits, new_files = [], []
    if entry.before is None:
        new_files.append({"name": entry.path.name, "path": context.path, "text": entry.text})
    else:
        place = text_range(LineIndex(entry.before), Span(entry.at, entry.at))
        edits.append({"file": context.path, "range": place, "new_text": entry.text})
    return {
        "title": entry.title,
        "verdict_after": context.verdict_after.value,
        "edits": edits,
        "new_files": new_files,
    }


def _accepted(acceptance: Acceptance | None) -> Json | None:
    if acceptance is None:
        return None
    return {
        "because": acceptance.because,
        "until": None if acceptance.until is None else acceptance.until.isoformat(),
        "by": "comment" if acceptance.span is not None else "ledger",
    }


def _parameter(finding: Finding, compared: Compared) -> Json | None:
    """The parameter outside of the SQL that a finding is about; a side is null if no file sets the parameter there."""
    external = finding.external
    if external is None:
        return None
    now, was = current_entry(finding, compared.config), baseline_entry(finding, compared.baseline_config)
    return {
        "key": external.key,
        "current": _entry(now, compared.folder) if external.current is not None else None,
        "baseline": _entry(was, compared.folder),
    }


def _entry(entry: Entry | None, folder: Path) -> Json | None:
    if entry is None:
        return None
    path = entry.source.path
    return {
        "path": (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix(),
        "range": text_range(entry.source.lines, entry.span),
        "text": entry.text,
    }
