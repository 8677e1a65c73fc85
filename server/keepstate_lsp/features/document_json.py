"""One document in the JSON format of the command line, for programs that use an editor's session.

Same input, same output: the same functions make it from the document's report as make that of ``check --format json``.
Only ``cutover`` is missing: in an editor, a command plans cutovers in a process beside the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from keepstate.report import Fix, Report, Verdict
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
    report_problems,
)
from keepstate.reporting.file_status import (
    DELETED,
    NOT_COMPARED,
    NOT_VALID,
    UNCHANGED,
    refused,
    status_of,
    unread_of_new,
)
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.files.line_ends import with_line_ends_of
from keepstate_lsp.reporting.config_places import parameter_places
from keepstate_lsp.version import VERSION


def document_report(analysis: Analysis, fixes: Sequence[tuple[Fix, ...]], folder: Path | None) -> Json:
    """The document as ``keepstate check`` would write it in ``folder``; ``fixes`` are those of each finding.

    A document that holds no Flink SQL is in no ``files``.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> report = document_report(job, [()], None)
    >>> report["verdict"], [finding["rule"] for finding in report["files"][0]["findings"]]
    ('incompatible', ['all-aggregates-replaced'])
    """
    engine = analysis.effective.engine
    if not analysis.is_flink:
        return envelope(engine, Verdict.COMPATIBLE, (), (), VERSION)
    path = _relative_path(analysis, folder)
    status, reason = _status(analysis)
    failed = status in (NOT_COMPARED, NOT_VALID)
    report = _report(analysis) if analysis.failure is None and status != DELETED else None
    members = NO_REPORT
    if report is not None and not _is_untouched(analysis):
        assert analysis.against is not None
        members = report_members(
            ComparedReport(
                report,
                analysis.document.lines,
                analysis.against.lines,
                tuple(fixes),
                analysis.effective.config.engine_version,
                path,
                is_whole=not failed,
                against=analysis.against.baseline.spec.text,
                parameter_of=parameter_places(analysis.effective.config, analysis.against.config, folder or Path()),
            )
        )
    verdict = report.verdict if report is not None else Verdict.COMPATIBLE
    if failed:
        verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
    open_verdict = verdict if report is None or failed else report.open_verdict
    effect = report.effect if report is not None else None
    file = file_object(path, status, reason, _baseline(analysis), verdict, open_verdict, members, effect=effect)
    return envelope(engine, verdict, (file,), _problems(analysis, path, reason if failed else None), VERSION)


def _report(analysis: Analysis) -> Report | None:
    """The report with the places that the document has: a former clause of another file has none here."""
    report = analysis.report
    if report is None or analysis.part is None:
        return report
    indexes = {placed.index for placed in analysis.findings if placed.former is not None}
    findings = (
        replace(finding, baseline=None) if index in indexes else finding
        for index, finding in enumerate(report.findings)
    )
    return replace(report, findings=tuple(findings))


def _status(analysis: Analysis) -> tuple[str, str | None]:
    """The status of the document, and the reason if it was not compared or is new."""
    if analysis.failure is not None:
        return NOT_COMPARED, f"{analysis.failure}."
    if analysis.without is not None and analysis.without.new and analysis.refusals:
        return NOT_VALID, refused(analysis.refusals)
    if analysis.without is not None and analysis.without.new and analysis.problems:
        return NOT_COMPARED, unread_of_new(len(analysis.problems))
    if analysis.without is not None:
        return "new" if analysis.without.new else NOT_COMPARED, analysis.without.sentence
    report = analysis.report
    if report is None:
        return NOT_COMPARED, "Nothing is known of it."
    if _is_untouched(analysis):
        return UNCHANGED, None
    return status_of(report)


def _is_untouched(analysis: Analysis) -> bool:
    """Return whether the command line would not analyse the text at all."""
    against, text, part = analysis.against, analysis.document.text, analysis.part
    return (
        against is not None
        and (part is None or part.current.text == part.baseline.text)
        and analysis.effective.config.is_like(against.config)
        and text == with_line_ends_of(against.text, text)
        and "keepstate:" not in text
    )


def _baseline(analysis: Analysis) -> Json:
    if analysis.against is not None:
        baseline = analysis.against.baseline
        return {"spec": baseline.spec.text, "commit": baseline.commit, "path": baseline.path}
    spec = analysis.without.spec.text if analysis.without is not None else None
    return {"spec": spec, "commit": None, "path": None}


def _problems(analysis: Analysis, path: str | None, reason: str | None) -> list[Json]:
    problems: list[Json] = []
    report, against = analysis.report, analysis.against
    if report is not None and against is not None and analysis.failure is None:
        if _is_untouched(analysis):
            return []
        problems += report_problems(report, path, analysis.document.lines, against.lines)
    elif analysis.without is not None and analysis.without.new:
        problems += refusal_problems(path, analysis.document.lines, analysis.refusals, analysis.effective.engine)
        problems += read_problems(path, analysis.document.lines, analysis.problems)
    return [problem(path, reason)] if not problems and reason is not None else problems


def _relative_path(analysis: Analysis, folder: Path | None) -> str | None:
    if analysis.document.path is None:
        return None
    path = Path(analysis.document.path)
    return (path.relative_to(folder) if folder is not None and path.is_relative_to(folder) else path).as_posix()
