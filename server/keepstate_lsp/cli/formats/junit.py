"""JUnit XML: one test suite for each file, one test case for each of its pipelines.

A case fails when a finding of its pipeline is at or above ``--fail-on``, and is in error when it was not compared; what
is new or deleted was skipped. A file that does not pass the gate always has a case that does not pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.etree import ElementTree

from keepstate.report import Finding
from keepstate.text import Encoding
from keepstate_lsp.cli.formats.finding_places import current_place
from keepstate_lsp.cli.paths import RepositoryPaths, is_file
from keepstate_lsp.cli.result.advice import advice_in_short
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.not_compared import Gap, file_gaps, run_gaps
from keepstate_lsp.cli.result.real_flink.disagreements import disagreements
from keepstate_lsp.cli.result.run_result import RunResult
from keepstate_lsp.cli.result.summary import nothing_compared
from keepstate_lsp.cli.terminal.sanitize import one_line, visible
from keepstate_lsp.reporting.effects import headline

_JOB = "job"
"""The case of what belongs to no pipeline."""


@dataclass
class _Case:
    name: str
    failures: list[str] = field(default_factory=list)
    verdict: str = ""
    """The worst of the failures."""
    errors: list[Gap] = field(default_factory=list)
    skipped: str = ""
    """Reason why the case was skipped; empty if it was not."""
    notes: list[str] = field(default_factory=list)
    """Findings that do not fail the case."""


def junit_xml(result: RunResult) -> bytes:
    """The whole document, well-formed whatever the SQL holds."""
    root = ElementTree.Element("testsuites", name="keepstate")
    broken = list(run_gaps(result.problems))
    if broken:
        _suite(root, "keepstate", None, [_Case("run", errors=broken)], "")
    lines = [notice.words if notice.path is None else f"{notice.path}: {notice.words}" for notice in result.notices]
    if not result.comparisons:
        lines.append(nothing_compared(result.problems, result.scope))
    if lines and not broken:
        _suite(root, "keepstate", None, [], "")
    if lines:
        # A suite without a case fails nothing, and is there to be read.
        ElementTree.SubElement(root[0], "system-out").text = visible("\n".join(lines))
    for comparison in result.comparisons:
        name = result.places.name(comparison.path) if is_file(comparison.path) else "a pair"
        path = name if is_file(comparison.path) else None
        _suite(
            root, name, path, _cases(comparison, result.places), "\n".join(advice_in_short([comparison], result.places))
        )
    # The schema of Jenkins has no number of what was skipped here; each suite has its own.
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n".encode()


def _cases(comparison: FileResult, places: RepositoryPaths) -> list[_Case]:
    if comparison.report is None:
        match comparison.status:
            case FileStatus.NEW:
                skipped = "New: it has no baseline, and so no state to lose."
            case FileStatus.DELETED:
                skipped = "Deleted: nothing is left to compare."
            case _:
                skipped = ""
        return [_Case(_JOB, errors=list(file_gaps(comparison)), skipped=skipped)]
    findings = comparison.report.findings
    in_pipelines = {index for pipeline in comparison.report.pipelines for index in pipeline.findings}
    groups = [
        (pipeline.name, [findings[index] for index in pipeline.findings]) for pipeline in comparison.report.pipelines
    ]
    rest = [finding for index, finding in enumerate(findings) if index not in in_pipelines]
    if rest or not groups or comparison.status.failed or comparison.refusals:
        groups.append((_JOB, rest))
    cases = [_case(comparison, name, group, places) for name, group in groups]
    for gap in (*file_gaps(comparison), *disagreements([comparison])):
        _enter(cases[-1], gap, comparison)
    if comparison.at_or_above_fail_on and not any(case.failures or case.errors for case in cases):
        # The job as a whole may be worse than each finding.
        verdict = comparison.open_verdict.value
        cases.append(_Case(_JOB, [f"The job as a whole is {verdict}."], verdict))
    return cases


def _enter(case: _Case, gap: Gap, comparison: FileResult) -> None:
    """Enter a gap: as an error if there is no verdict for it, else as a failure or a note."""
    if gap.stops:
        case.errors.append(gap)
    elif gap.fails:
        case.failures.append(f"{gap.where}: {gap.words}")
        case.verdict = case.verdict or comparison.open_verdict.value
    else:
        case.notes.append(f"{gap.where}: {gap.words}")


def _case(comparison: FileResult, name: str, findings: Iterable[Finding], places: RepositoryPaths) -> _Case:
    case = _Case(name)
    for finding in sorted(findings, key=lambda finding: (-finding.verdict.rank, -finding.effect.precedence)):
        if comparison.settings.reaches_fail_on(comparison.verdict_at_gate(finding)):
            case.failures.append(_words(comparison, finding, places))
            case.verdict = case.verdict or finding.verdict.value
        else:
            case.notes.append(_words(comparison, finding, places))
    return case


def _words(comparison: FileResult, finding: Finding, places: RepositoryPaths) -> str:
    place = current_place(comparison, finding)
    position = place.lines.position(place.span.start, Encoding.UTF32)
    name = places.name(place.path) if is_file(place.path) else place.name
    where = f"{name}:{position.line + 1}:{position.character + 1}"
    accepted = "" if finding.accepted is None else f" Accepted: {finding.accepted.because}."
    if not comparison.is_added(finding):
        accepted += " It was there before this change."
    words = f"{where}: {headline(finding)}: {finding.message}.{accepted}"
    return "\n".join(filter(None, (words, finding.recovery, finding.advice)))


def _suite(root: ElementTree.Element, name: str, path: str | None, cases: list[_Case], steps: str) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=one_line(name))
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for case in cases:
        counts["tests"] += 1
        element = ElementTree.SubElement(suite, "testcase", name=one_line(case.name), classname=one_line(name))
        if path is not None:
            element.set("file", one_line(path))
        if case.errors:
            counts["errors"] += 1
            words = [gap.words if gap.path is None else f"{gap.where}: {gap.words}" for gap in case.errors]
            error = ElementTree.SubElement(element, "error", message=one_line(words[0]), type=case.errors[0].kind)
            error.text = visible("\n".join(words))
        elif case.failures:
            counts["failures"] += 1
            first = case.failures[0].partition("\n")[0]
            failure = ElementTree.SubElement(element, "failure", message=one_line(first), type=case.verdict)
            failure.text = visible("\n\n".join(filter(None, (*case.failures, steps))))
            case.failures = []
        elif case.skipped:
            counts["skipped"] += 1
            ElementTree.SubElement(element, "skipped", message=case.skipped)
        # A case is in error or fails, not both; the output has everything else.
        lines = [*case.failures, *case.notes]
        if lines:
            ElementTree.SubElement(element, "system-out").text = visible("\n\n".join(lines))
    for key, count in counts.items():
        suite.set(key, str(count))
