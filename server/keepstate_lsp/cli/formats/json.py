"""The JSON format, version 1: a contract that other programs build on. Extend it, never bend it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import Effect, Verdict
from keepstate.reporting.file_json import (
    NO_REPORT,
    ComparedReport,
    Json,
    envelope,
    file_object,
    problem,
    read_problems,
    refusal_problems,
    report_members,
)
from keepstate.text import Span
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.real_flink.measured_restarts import MeasuredJob
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer
from keepstate_lsp.cli.result.summary import nothing_compared
from keepstate_lsp.reporting.config_places import ContextFix, parameter_places
from keepstate_lsp.version import VERSION

if TYPE_CHECKING:
    from keepstate_lsp.cli.result.run_result import RunResult
    from keepstate_lsp.cli.result.run_scope import Notice


def run_document(result: RunResult) -> Json:
    """The document of a run, with all that concerns no single file."""
    problems = [problem(entry.path, entry.sentence) for entry in result.problems]
    notices = notice_objects(result.notices)
    nothing = None if result.comparisons else nothing_compared(result.problems, result.scope)
    return document(result.comparisons, result.engine, problems, notices, nothing)


def notice_objects(notices: Sequence[Notice]) -> list[Json]:
    """Notices as the document has them."""
    return [{"path": entry.path, "message": entry.words} for entry in notices]


def document(
    comparisons: Sequence[FileResult],
    engine: str,
    problems: Sequence[Json] = (),
    notices: Sequence[Json] = (),
    nothing: str | None = None,
) -> Json:
    """The whole document; ``problems`` are those of the run as such, made by :func:`problem`."""
    verdict = Verdict.worst(comparison.verdict for comparison in comparisons)
    if problems:
        verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
    all_problems = [*problems, *(entry for comparison in comparisons for entry in _file_problems(comparison))]
    files = [_file(comparison) for comparison in comparisons]
    return envelope(engine, verdict, files, all_problems, VERSION, notices, nothing)


def pretty(value: Json) -> bytes:
    """A document for a file or a terminal."""
    return _encoded(json.dumps(value, ensure_ascii=False, indent=2))


def one_line(value: Json) -> bytes:
    """A document as one line of JSON Lines."""
    return _encoded(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def _encoded(text: str) -> bytes:
    # Undecodable bytes of a file name are lone surrogates; their escapes are JSON too.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _file(comparison: FileResult) -> Json:
    origin, report = comparison.origin, comparison.report
    members = NO_REPORT
    if report is not None:
        settings, context = comparison.settings, _context_fix(comparison)
        members = report_members(
            ComparedReport(
                report,
                comparison.lines("current"),
                comparison.lines("baseline"),
                comparison.fixes,
                settings.current.engine_version,
                comparison.path,
                not comparison.status.failed,
                None if origin is None else origin.spec,
                settings.options,
                [] if context is None else [context.json],
                parameter_places(settings.current, settings.baseline, Path.cwd()),
                lambda span: comparison.place(span).path,
            )
        )
    are_new = None
    if comparison.new_findings is not None and report is not None:
        are_new = [comparison.is_added(finding) for finding in report.findings]
    document = file_object(
        comparison.path,
        comparison.status.value,
        comparison.reason,
        {
            "spec": origin and origin.spec,
            "commit": origin and origin.commit,
            "path": origin and origin.path,
        },
        comparison.verdict,
        comparison.open_verdict,
        members,
        effect=_effect(comparison),
        new_findings=_new_findings(comparison),
        are_new=are_new,
        job_files=_job_files(comparison),
    )
    if comparison.outlook is not None:
        document["cutover"] = comparison.outlook.document()
    if comparison.measured:
        document["measured"] = [_measured(job) for job in comparison.measured]
    if comparison.planned:
        document["planned"] = [_planned(answer) for answer in comparison.planned]
    return document


def _measured(job: MeasuredJob) -> Json:
    return {
        "name": job.name,
        "flink": job.flink,
        "measured": job.measured,
        "predicted": job.predicted,
        "agrees": job.agrees,
        "note": job.note or None,
        "stand_ins": list(job.stand_ins),
    }


def _planned(answer: PlannedAnswer) -> Json:
    return {
        "name": answer.name,
        "flink": answer.flink or None,
        "decision": answer.decision,
        "predicted": answer.predicted,
        "agrees": answer.agrees,
        "note": answer.note or None,
        "findings": list(answer.findings),
        "operators": [
            {
                "name": operator.name,
                "states": list(operator.states),
                "fate": operator.fate,
                "unread": list(operator.unread),
                "error": operator.error or None,
            }
            for operator in answer.operators
        ],
        "fresh": list(answer.fresh),
        "stand_ins": list(answer.stand_ins),
    }


def _context_fix(comparison: FileResult) -> ContextFix | None:
    entry = comparison.context_entry
    if entry is None or comparison.if_named is None:
        return None
    return ContextFix(entry, display_path_of(entry.path), comparison.if_named)


def _job_files(comparison: FileResult) -> Json | None:
    """The files of a job of several with their roles, and the declarations that are assumed."""
    if comparison.files is None:
        return None
    return {
        "files": [{"path": path, "role": role} for path, role in comparison.files.with_roles],
        "assumed": [{"name": name, "path": path} for name, path in comparison.files.assumed],
    }


def _effect(comparison: FileResult) -> Effect | None:
    if comparison.report is not None:
        return comparison.report.effect
    return Effect.EXACT if comparison.status is FileStatus.UNCHANGED else None


def _new_findings(comparison: FileResult) -> Json | None:
    new_findings = comparison.new_findings
    if new_findings is None:
        return None
    origin = new_findings.origin
    return {
        "spec": origin.spec,
        "commit": origin.commit,
        "path": origin.path,
        "changed": new_findings.touches_file,
        "doubt": new_findings.doubt,
    }


def _path(comparison: FileResult, span: Span | None, side: str) -> str | None:
    """The path of the file of a place of the current text, else that of the job."""
    if span is None or side != "current":
        return comparison.path
    return comparison.place(span).path


def _file_problems(comparison: FileResult) -> list[Json]:
    texts = {side: comparison.lines(side) for side in ("current", "baseline")}
    engine = comparison.settings.engine
    problems = [
        entry
        for side, refusal in comparison.refusals
        for entry in refusal_problems(_path(comparison, refusal.span, side), texts[side], [refusal], engine, side)
    ]
    problems += [
        entry
        for side, problem in comparison.problems
        for entry in read_problems(_path(comparison, problem.span, side), texts[side], [problem], side)
    ]
    if not problems and comparison.status.failed:
        return [problem(comparison.path, comparison.reason or "")]
    return problems
