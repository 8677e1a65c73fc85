"""Workflow commands of GitHub Actions: annotations at the lines of a change, and folded log lines.

GitHub shows ten annotations of each kind for a step, so those that matter come first. What a job's SQL says must not
become a command: data and properties are escaped, and so is what a line of the log begins with.
"""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.report import Finding
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.formats.finding_places import current_place
from keepstate_lsp.cli.paths import RepositoryPaths, is_file
from keepstate_lsp.cli.result.advice import advice, guide_lines
from keepstate_lsp.cli.result.ci_severity import CiSeverity, ci_severity
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.not_compared import Gap, gaps
from keepstate_lsp.cli.result.real_flink.disagreements import disagreements
from keepstate_lsp.cli.result.run_result import RunResult
from keepstate_lsp.cli.result.summary import (
    STATUS_WORDS,
    job_verdict,
    nothing_compared,
    run_verdict,
    summary,
    ways_back,
)
from keepstate_lsp.cli.terminal.sanitize import one_line, visible
from keepstate_lsp.reporting.effects import with_effect

_ORDER = list(CiSeverity)


def workflow_commands(result: RunResult) -> str:
    """The workflow commands that a step writes to its log."""
    return "".join(f"{line}\n" for line in _lines(result))


def escape_data(text: str) -> str:
    """The message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """The value of one of its properties."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _lines(result: RunResult) -> Iterator[str]:
    for gap in (*gaps(result.comparisons, result.problems), *disagreements(result.comparisons)):
        yield _gap(gap, result.places)
    for notice in result.notices:
        yield _command(
            "notice", {**_file(notice.path, result.places), "title": f"Keepstate: {notice.title}"}, notice.words
        )
    entries = [
        (ci_severity(comparison, finding), comparison, finding)
        for comparison in result.comparisons
        for finding in (comparison.report.findings if comparison.report is not None else ())
    ]
    for severity, comparison, finding in sorted(entries, key=lambda entry: _ORDER.index(entry[0])):
        yield _annotation(severity, comparison, finding, result.places)
    if not result.comparisons:
        yield log_line(f"Keepstate: {nothing_compared(result.problems, result.scope)}")
        return
    verdict = run_verdict(result.comparisons, result.problems)
    yield f"Keepstate: {verdict.value}: {summary(result.comparisons)}"
    for comparison in result.comparisons:
        name = one_line(result.places.name(comparison.path)) if is_file(comparison.path) else "a pair"
        status = comparison.status
        words = job_verdict(comparison) if status is FileStatus.COMPARED else STATUS_WORDS[status]
        yield log_line(f"  {name}: {words}")
        for sentence in ways_back(comparison):
            yield log_line(f"    {sentence.format(path=name)}")
    for engine, guides in advice(result.comparisons, result.places):
        yield f"::group::{escape_data(visible(f'What to do next, on {engine}'))}"
        yield from (log_line(f"  {line}") for guide in guides for line in guide_lines(guide))
        yield "::endgroup::"


def _annotation(severity: CiSeverity, comparison: FileResult, finding: Finding, places: RepositoryPaths) -> str:
    place = current_place(comparison, finding)
    properties = _file(place.path, places) | (_where(place.lines, place.span) if is_file(place.path) else {})
    accepted = "" if finding.accepted is None else ", accepted"
    if not comparison.is_added(finding):
        accepted += ", there before this change"
    properties["title"] = f"Keepstate: {with_effect(finding.verdict.value, finding.effect)} ({finding.rule}{accepted})"
    message = "\n".join(filter(None, (finding.message, finding.recovery, finding.advice)))
    if finding.accepted is not None:
        message += f"\nAccepted: {finding.accepted.because}"
    return _command(severity.value, properties, message)


def _gap(gap: Gap, places: RepositoryPaths) -> str:
    properties = _file(gap.path, places)
    if properties and gap.place is not None:
        properties |= _where(*gap.place)
    properties["title"] = f"Keepstate: {gap.kind.replace('-', ' ')}"
    message = gap.words if gap.path is None else f"{gap.path}: {gap.words}"
    severity = CiSeverity.ERROR if gap.fails else CiSeverity.WARNING
    return _command(severity.value, properties, message)


def _file(path: str | None, places: RepositoryPaths) -> dict[str, str]:
    return {"file": places.name(path)} if is_file(path) else {}


def _where(lines: LineIndex, span: Span) -> dict[str, str]:
    start, end = lines.position(span.start), lines.position(span.end)
    place = {"line": str(start.line + 1), "endLine": str(end.line + 1)}
    if start.line == end.line:
        # GitHub takes columns within one line only.
        place |= {"col": str(start.character + 1), "endColumn": str(end.character + 1)}
    return place


def _command(name: str, properties: dict[str, str], message: str) -> str:
    # The path is as it is but for what steers a terminal: a log is read in one, and such a file GitHub does not find.
    fields = ",".join(f"{key}={escape_property(_plain(key, value))}" for key, value in properties.items())
    return f"::{name} {fields}::{escape_data(visible(message))}"


def _plain(key: str, value: str) -> str:
    """The value of a property without what steers a terminal. Line breaks are escaped, and stay in a path."""
    if key != "file":
        return visible(value)
    return "".join(char if char in "\r\n" else visible(char) for char in value)


def log_line(text: str) -> str:
    """A line that the runner takes for no command, whatever stands in it.

    It overlooks blanks in front of a command, and those of its first syntax it finds anywhere in a line.
    """
    line = visible(text).replace("##[", "## [")
    return line.replace("::", ": :", 1) if line.lstrip().startswith("::") else line
