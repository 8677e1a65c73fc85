"""The reports of a host: the JSON of a check, and the fixes of single findings."""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.acceptances import AcceptancePolicy
from keepstate.hosts.request_versions import LocatedVersion, VersionComposer, known_index
from keepstate.hosts.requests import HostRequest
from keepstate.report import Fix, Report, Verdict
from keepstate.reporting.file_json import (
    NO_REPORT,
    ComparedReport,
    Json,
    envelope,
    file_object,
    fix_json,
    problem,
    read_problems,
    refusal_problems,
    report_members,
)
from keepstate.reporting.file_status import DELETED, NOT_COMPARED, NOT_VALID, status_of


def check(request: HostRequest, versions: VersionComposer, tool_version: str) -> Json:
    """The document of two versions, as ``keepstate diff --format json`` writes it of two files."""
    now, was = versions.two(request)
    analysis = versions.analysis(request, now, was)
    report = analysis.report(None if request.today is None else AcceptancePolicy(request.today))
    tried = report.with_fixes if request.fixes else range(0)
    fixes = tuple(analysis.fixes(index) if index in tried else () for index in range(len(report.findings)))
    if request.fixes:
        report = analysis.with_revert(report)
    report = analysis.with_causes(report)
    status, reason = status_of(report)
    failed = status in (NOT_COMPARED, NOT_VALID)
    ended = status == DELETED
    verdict = Verdict.COMPATIBLE if ended else report.verdict
    if failed:
        verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
    file = file_object(
        now.name,
        status,
        reason,
        {"spec": None, "commit": None, "path": None},
        verdict,
        verdict if ended or failed else report.open_verdict,
        NO_REPORT if ended else report_members(_compared(request, now, was, report, fixes, is_whole=not failed)),
        effect=None if ended else report.effect,
        job_files=_job_files(now),
    )
    problems = _problems(report, now, was)
    if failed and not problems:
        problems = [problem(now.name, reason or "")]
    return envelope(request.engine, verdict, (file,), problems, tool_version)


def fixes(request: HostRequest, versions: VersionComposer) -> Json:
    """The fixes of one finding of the report of a check, or of the job as a whole if the request names no finding."""
    now, was = versions.two(request)
    analysis = versions.analysis(request, now, was)
    report = analysis.report()
    if request.finding is None:
        result = analysis.file_fixes()
    else:
        result = analysis.fixes(known_index(request, len(report.findings)))
    compared = _compared(request, now, was, report, ())
    return {"fixes": [fix_json(fix, compared) for fix in result]}


def _compared(
    request: HostRequest,
    now: LocatedVersion,
    was: LocatedVersion,
    report: Report,
    fixes: Sequence[tuple[Fix, ...]],
    *,
    is_whole: bool = True,
) -> ComparedReport:
    return ComparedReport(
        report,
        now.lines,
        was.lines,
        tuple(fixes),
        request.current.engine_version,
        now.name,
        is_whole,
        file_of=now.file_of,
    )


def _job_files(now: LocatedVersion) -> Json | None:
    if now.job.is_plain:
        return None
    assumed = [{"name": each.says, "path": each.file.file_path} for each in now.job.assumed]
    return {
        "files": [{"path": file.file_path, "role": role.value} for file, role in now.job.composed.files],
        "assumed": assumed,
    }


def _problems(report: Report, now: LocatedVersion, was: LocatedVersion) -> list[Json]:
    result: list[Json] = []
    for side, one, refusals, unread in (
        ("current", now, report.refusals, report.problems),
        ("baseline", was, report.former_refusals, report.baseline_problems),
    ):
        for refusal in refusals:
            result += refusal_problems(one.file_of(refusal.span), one.lines, [refusal], report.engine, side)
        for each in unread:
            path = one.name if each.span is None else one.file_of(each.span)
            result += read_problems(path, one.lines, [each], side)
    return result
