"""One compared file in the JSON format, version 1: the same from the command line, the editor and the browser.

A contract that other programs build on: extend it, never bend it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from keepstate.report import Acceptance, Effect, Finding, Fix, Problem, Refusal, Report, Verdict
from keepstate.reporting.accept_command import AcceptCommand
from keepstate.reporting.file_status import refusal_words
from keepstate.reporting.new_names import name_beside
from keepstate.reporting.next_steps import next_steps
from keepstate.text import LineIndex, Span

FORMAT_VERSION = 1

Json = dict[str, Any]


def parameter_without_files(finding: Finding) -> Json | None:
    """The parameter outside of the SQL that a finding is about, where no configuration file sets one.

    >>> from keepstate import JobVersion, check
    >>> query = "SELECT b, SUM(a) FROM t GROUP BY b"
    >>> days = [JobVersion(query, parameters={"table.exec.state.ttl": f"{days} d"}) for days in (1, 7)]
    >>> [parameter_without_files(finding) for finding in check(*days).findings]
    [{'key': 'table.exec.state.ttl', 'current': None, 'baseline': None}]
    """
    external = finding.external
    return None if external is None else {"key": external.key, "current": None, "baseline": None}


@dataclass(frozen=True)
class ComparedReport:
    """A report and the facts of its comparison."""

    report: Report
    current: LineIndex
    baseline: LineIndex
    fixes: tuple[tuple[Fix, ...], ...] = ()
    """Fixes of each finding of the report; empty if not asked for."""
    engine_version: str | None = None
    path: str | None = None
    """The path as an argument of ``keepstate``."""
    is_whole: bool = True
    """All statements of both texts could be read: if not, mend that first."""
    against: str | None = None
    """The spec of the baseline; ``None`` for two files that are compared with one another."""
    options: tuple[str, ...] = ()
    """The options of the command line that set the configuration."""
    more_fixes: Sequence[Json] = ()
    """Fixes that change no SQL, behind those of each finding."""
    parameter_of: Callable[[Finding], Json | None] = parameter_without_files
    """The parameter outside of the SQL that a finding is about, with its places in configuration files."""
    file_of: Callable[[Span], str | None] | None = None
    """The file of a place of the current text; ``None`` for a job of one file."""

    def file(self, span: Span) -> str | None:
        """The path of the file of a place."""
        return self.path if self.file_of is None else self.file_of(span)


def report_members(compared: ComparedReport) -> Json:
    """The members of a file's object that come from its report.

    >>> from keepstate import JobVersion, check
    >>> report = check(JobVersion("SELECT a FROM t"), JobVersion("SELECT a FROM t"))
    >>> sorted(report_members(ComparedReport(report, LineIndex("SELECT a FROM t"), LineIndex("SELECT a FROM t"))))[:2]
    ['findings', 'idle_acceptances']
    """
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
                compared.engine_version,
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
    are_new: Sequence[bool] | None = None,
    job_files: Json | None = None,
) -> Json:
    """One entry of ``files``. ``members`` are those of the report, ``effect`` is that of the job; ``are_new`` has for
    each finding whether it is new, if there is a second baseline. ``job_files`` are members about the files of a job of
    several.

    >>> unknown = Verdict.UNKNOWN
    >>> entry = file_object("jobs/a.sql", "not-compared", "No baseline.", None, unknown, unknown, NO_REPORT)
    >>> entry["path"], entry["verdict"], entry["findings"]
    ('jobs/a.sql', 'unknown', [])
    """
    findings: list[Json] = members["findings"]
    if are_new is not None:
        findings = [{**finding, "added": answer} for finding, answer in zip(findings, are_new, strict=True)]
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
    tool_version: str,
    notices: Sequence[Json] = (),
    nothing_compared: str | None = None,
) -> Json:
    """The whole document. ``tool_version`` is that of Keepstate, ``notices`` are the files left out on purpose;
    ``nothing_compared`` is, without files, the scope of the run. The last two members are absent if empty.

    >>> envelope("vvr", Verdict.COMPATIBLE, [], [], "1.0")["verdict"]
    'compatible'
    """
    document: Json = {
        "version": FORMAT_VERSION,
        "tool": {"name": "keepstate", "version": tool_version},
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
    """Something that could not be compared; ``range`` lies in the text of ``side``.

    >>> problem("a.sql", "It cannot be read.")
    {'path': 'a.sql', 'message': 'It cannot be read.', 'range': None, 'side': 'current'}
    """
    return {"path": path, "message": message, "range": place, "side": side}


def read_problems(path: str | None, lines: LineIndex, problems: Sequence[Problem], side: str = "current") -> list[Json]:
    """Problems of one text.

    >>> problems = [Problem("It ends early.", Span(0, 6))]
    >>> [each["message"] for each in read_problems("a.sql", LineIndex("SELECT"), problems)]
    ['It ends early.']
    """
    return [
        problem(path, entry.message, None if entry.span is None else text_range(lines, entry.span), side)
        for entry in problems
    ]


def refusal_problems(
    path: str | None, lines: LineIndex, refusals: Sequence[Refusal], engine: str, side: str = "current"
) -> list[Json]:
    """Refused statements of one text, as problems with the check that refused them.

    >>> refusal = Refusal("unknown-table", "No table t is declared above.", Span(0, 6))
    >>> [each["check"] for each in refusal_problems("a.sql", LineIndex("SELECT"), [refusal], "flink")]
    ['unknown-table']
    """
    return [
        {**problem(path, refusal_words(refusal, engine), text_range(lines, refusal.span), side), "check": refusal.rule}
        for refusal in refusals
    ]


def report_problems(report: Report, path: str | None, current: LineIndex, baseline: LineIndex) -> list[Json]:
    """The refused statements of a report and what of both texts could not be read, for a job of one file.

    >>> from keepstate import JobVersion, check
    >>> report = check(JobVersion("SELECT FROM"), JobVersion("SELECT a FROM t"))
    >>> lines = LineIndex("SELECT FROM"), LineIndex("SELECT a FROM t")
    >>> [each["side"] for each in report_problems(report, "a.sql", *lines)]
    ['current']
    """
    return [
        *refusal_problems(path, current, report.refusals, report.engine),
        *refusal_problems(path, baseline, report.former_refusals, report.engine, "baseline"),
        *read_problems(path, current, report.problems),
        *read_problems(path, baseline, report.baseline_problems, "baseline"),
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
    r"""A span as an LSP range.

    >>> text_range(LineIndex("SELECT a\nFROM t"), Span(9, 13))
    {'start': {'line': 1, 'character': 0}, 'end': {'line': 1, 'character': 4}}
    """
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def _finding(finding: Finding, fixes: Sequence[Fix], compared: ComparedReport) -> Json:
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
        "parameter": compared.parameter_of(finding),
        "key": finding.key,
        "accepted": _accepted(finding.accepted),
        "fixes": [fix_json(fix, compared) for fix in fixes] + list(compared.more_fixes),
    }


def fix_json(fix: Fix, compared: ComparedReport) -> Json:
    """A fix with the places of its edits.

    >>> from keepstate import JobVersion, analyse
    >>> was, now = (f"SELECT b, {each}(a) FROM t GROUP BY b" for each in ("SUM", "MAX"))
    >>> analysis = analyse(JobVersion(now), JobVersion(was))
    >>> compared = ComparedReport(analysis.report(), LineIndex(now), LineIndex(was))
    >>> fix = fix_json(analysis.fixes(0)[0], compared)
    >>> fix["title"], fix["edits"][0]["new_text"]
    ('Restore `SUM(a)` (compatible)', 'SUM')
    """
    return {
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
            {"name": name_beside(_last_name(compared.path or "job.sql"), new.suffix), "text": new.text}
            for new in fix.new_files
        ],
    }


def _accepted(acceptance: Acceptance | None) -> Json | None:
    if acceptance is None:
        return None
    return {
        "because": acceptance.because,
        "until": None if acceptance.until is None else acceptance.until.isoformat(),
        "by": "comment" if acceptance.span is not None else "ledger",
    }


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
