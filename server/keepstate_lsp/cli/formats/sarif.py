"""SARIF 2.1.0, which code scanning and editors read.

Files are named relative to the repository (``%SRCROOT%``), columns count UTF-16 code units, and lines are broken where
Keepstate breaks them. An accepted finding is a suppressed result. A file that could not be compared is a notification
of an invocation that did not succeed: SARIF has no result for code that was not analysed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, final

import keepstate
from keepstate.report import Acceptance, Finding, Fix, Verdict
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.formats.finding_places import FindingPlace, baseline_place, current_place
from keepstate_lsp.cli.paths import RepositoryPaths, is_file, uri_path
from keepstate_lsp.cli.result.ci_severity import CiSeverity, ci_severity
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED, exit_status
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.result.fingerprints import fingerprints
from keepstate_lsp.cli.result.not_compared import Gap, gaps
from keepstate_lsp.cli.result.real_flink.disagreements import KIND, disagreements
from keepstate_lsp.cli.result.run_result import RunResult
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.result.summary import nothing_compared, run_verdict
from keepstate_lsp.config.file import DEFAULT_FAIL_ON
from keepstate_lsp.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_BASELINE = "%BASELINE%"
_LINK = re.compile(r"\[([^\[\]]*)\](?=\(\d+\))")
_NOTIFICATIONS = {"not-compared": 0, "not-valid": 2, "baseline-refused": 3, "may-be-refused": 4, KIND: 5}
"""The kinds of gaps, by their place among the notifications of the tool."""
_NO_PROSE = ("#", "*", "|", "`", ">", "Verdict:")
"""Beginnings of what stands in front of the first paragraph of a page."""
_LONGEST = 1024
_LEVELS = {CiSeverity.ERROR: "error", CiSeverity.WARNING: "warning", CiSeverity.NOTICE: "note"}

Json = dict[str, Any]


def sarif_log(result: RunResult) -> Json:
    """The whole log, with one run."""
    rules = _Rules(result)
    results = [entry for comparison in result.comparisons for entry in _results(comparison, result.places, rules)]
    missing = [*gaps(result.comparisons, result.problems), *disagreements(result.comparisons)]
    driver: Json = {"name": "Keepstate", "semanticVersion": VERSION, "rules": rules.descriptors}
    if result.docs_url is not None:
        driver["informationUri"] = result.docs_url
    driver["notifications"] = [
        {"id": "not-compared", "shortDescription": {"text": "Something could not be compared with its baseline."}},
        {"id": "left-out", "shortDescription": {"text": "A file was named that shows nothing of Flink SQL."}},
        {"id": "not-valid", "shortDescription": {"text": "Flink refuses a statement."}},
        {"id": "baseline-refused", "shortDescription": {"text": "Flink refuses a statement of the baseline."}},
        {"id": "may-be-refused", "shortDescription": {"text": "The engine may refuse a statement."}},
        {"id": KIND, "shortDescription": {"text": "A real Flink contradicts the prediction."}},
    ]
    invocation = {
        "executionSuccessful": not any(gap.stops for gap in missing),
        "exitCode": NOT_COMPARED if result.problems else exit_status(result.comparisons),
        "toolExecutionNotifications": [_notification(gap, result.places) for gap in missing],
    }
    if result.notices:
        invocation["toolConfigurationNotifications"] = [_left_out(notice, result.places) for notice in result.notices]
    run: Json = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The root of the repository."}},
            _BASELINE: {"description": {"text": "The same in the baseline that the message names."}},
        },
        "artifacts": [
            _artifact(comparison, result.places) for comparison in result.comparisons if is_file(comparison.path)
        ],
        "results": results,
        "properties": {
            "engine": result.engine,
            "verdict": run_verdict(result.comparisons, result.problems).value,
        },
    }
    if not result.comparisons:
        run["properties"]["nothingCompared"] = nothing_compared(result.problems, result.scope)
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


@final
class _Rules:
    """The rules that were found, in the order in which they were."""

    def __init__(self, result: RunResult) -> None:
        self._result = result
        kinds: dict[str, set[str]] = {}
        for comparison in result.comparisons:
            for finding in comparison.report.findings if comparison.report is not None else ():
                kinds.setdefault(finding.rule, set()).add(finding.query_kind)
        self._indices = {rule: index for index, rule in enumerate(kinds)}
        self.descriptors = [self._descriptor(rule, kinds_of_rule) for rule, kinds_of_rule in kinds.items()]

    def index(self, rule: str) -> int:
        return self._indices[rule]

    def _descriptor(self, rule: str, kinds: set[str]) -> Json:
        # One rule id may be used by several query kinds, each with a page of its own.
        infos_of_rule = [info for info in keepstate.find_rules(rule) if info.id == rule]
        infos = [info for info in infos_of_rule if info.query_kind in kinds] or infos_of_rule
        descriptor: Json = {"id": rule}
        if infos:
            page = "\n\n".join(dict.fromkeys(info.page.strip() for info in infos))
            descriptor["shortDescription"] = {"text": infos[0].title}
            descriptor["fullDescription"] = {"text": _first_words(page)}
            verdicts = [
                info.verdicts.get(self._result.engine) or Verdict.worst(info.verdicts.values()) for info in infos
            ]
            descriptor["defaultConfiguration"] = {"level": _default_level(Verdict.worst(verdicts))}
            descriptor["help"] = {"text": page, "markdown": page}
            spec = sorted({one for info in infos for one in info.spec})
            descriptor["properties"] = {"tags": ["flink-sql", "state"], "spec": spec}
        url = self._result.rule_url(rule)
        if url is not None:
            descriptor["helpUri"] = url
        return descriptor


def _first_words(page: str) -> str:
    """The first paragraph of a rule page behind its heading and tables: GitHub takes at most 1,024 characters."""
    paragraphs = (paragraph.strip() for paragraph in page.split("\n\n"))
    words = next((one for one in paragraphs if one and not one.startswith(_NO_PROSE)), page.strip())
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rpartition(' ')[0]}…"


def _default_level(verdict: Verdict) -> str:
    """The level of findings of a verdict under the default of ``--fail-on``."""
    if verdict is Verdict.COMPATIBLE:
        return "note"
    return "error" if verdict.rank >= Verdict(DEFAULT_FAIL_ON).rank else "warning"


def _results(comparison: FileResult, places: RepositoryPaths, rules: _Rules) -> Iterator[Json]:
    if comparison.report is None:
        return
    fixes = comparison.fixes or ((),) * len(comparison.report.findings)
    names = fingerprints(comparison)
    for finding, fixes_of_it, name in zip(comparison.report.findings, fixes, names, strict=True):
        # The severity without the acceptance: SARIF has a field of its own for suppressions.
        severity = ci_severity(comparison, replace(finding, accepted=None))
        entry: Json = {
            "ruleId": finding.rule,
            "ruleIndex": rules.index(finding.rule),
            "level": _LEVELS[severity],
            "message": {"text": _message(finding)},
            # GitHub recognizes a result by the second name only.
            "partialFingerprints": {"keepstate/v1": name, "primaryLocationLineHash": name},
            "properties": {
                "verdict": finding.verdict.value,
                "effect": finding.effect.value,
                "spec": list(finding.spec),
                "pipeline": finding.pipeline,
            },
        }
        place = current_place(comparison, finding)
        if is_file(place.path):
            entry["locations"] = [{"physicalLocation": _physical(place.path, place.lines, place.span, places)}]
        was = baseline_place(comparison, finding)
        if was is not None:
            entry["relatedLocations"] = [_related(was, places)]
        if fixes_of_it and is_file(comparison.path):
            entry["fixes"] = [_fix(fix, comparison, places) for fix in fixes_of_it]
        if comparison.new_findings is not None:
            entry["baselineState"] = "new" if comparison.is_added(finding) else "unchanged"
        if finding.accepted is not None:
            entry["suppressions"] = [_suppression(finding.accepted)]
        yield entry


def _message(finding: Finding) -> str:
    text = " ".join(filter(None, (f"{finding.message}.", finding.recovery, finding.advice)))
    # An array access before a parenthesised number would be a link to a related location.
    return _LINK.sub(r"\\[\1\\]", text)


def _related(was: FindingPlace, places: RepositoryPaths) -> Json:
    """The clause of the baseline, with its text: the file of that name has another text now."""
    text = was.span.of(was.lines.text)
    location: Json = {"id": 1, "message": {"text": f"In {was.name}: {' '.join(text.split())}"}}
    relative = None
    if was.path is not None:
        relative = places.relative(was.path) if Path(was.path).is_absolute() else was.path
    if relative is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri_path(relative), "uriBaseId": _BASELINE},
            "region": {**_region(was.lines, was.span), "snippet": {"text": text}},
        }
    return location


def _fix(fix: Fix, comparison: FileResult, places: RepositoryPaths) -> Json:
    by_file: dict[str, list[Json]] = {}
    for edit in fix.edits:
        place = comparison.place(edit.span)
        replacement = {
            "deletedRegion": _region(place.lines, place.span),
            "insertedContent": {"text": edit.new_text},
        }
        by_file.setdefault(place.path or "", []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _location(path, places), "replacements": replacements}
            for path, replacements in by_file.items()
        ],
    }


def _suppression(acceptance: Acceptance) -> Json:
    until = f" (until {acceptance.until.isoformat()})" if acceptance.until is not None else ""
    return {
        "kind": "inSource" if acceptance.span is not None else "external",
        "status": "accepted",
        "justification": f"{acceptance.because}{until}",
    }


def _notification(gap: Gap, places: RepositoryPaths) -> Json:
    notification: Json = {
        "descriptor": {"id": gap.kind, "index": _NOTIFICATIONS[gap.kind]},
        "level": "error" if gap.fails else "warning",
        "message": {"text": gap.words if gap.path is None else f"{gap.path}: {gap.words}"},
    }
    if is_file(gap.path):
        physical: Json = {"artifactLocation": _location(gap.path, places)}
        if gap.place is not None:
            physical = _physical(gap.path, *gap.place, places)
        notification["locations"] = [{"physicalLocation": physical}]
    return notification


def _left_out(notice: Notice, places: RepositoryPaths) -> Json:
    left_out: Json = {
        "descriptor": {"id": "left-out", "index": 1},
        "level": "note",
        "message": {"text": notice.words if notice.path is None else f"{notice.path}: {notice.words}"},
    }
    if is_file(notice.path):
        left_out["locations"] = [{"physicalLocation": {"artifactLocation": _location(notice.path, places)}}]
    return left_out


def _artifact(comparison: FileResult, places: RepositoryPaths) -> Json:
    return {
        "location": _location(comparison.path or "", places),
        "properties": {
            "status": comparison.status.value,
            "verdict": comparison.verdict.value,
            "effect": None if comparison.report is None else comparison.report.effect.value,
        },
    }


def _physical(path: str, lines: LineIndex, span: Span, places: RepositoryPaths) -> Json:
    region = _region(lines, span)
    region["snippet"] = {"text": span.of(lines.text)}
    return {"artifactLocation": _location(path, places), "region": region}


def _location(path: str, places: RepositoryPaths) -> Json:
    uri, relative = places.uri(path)
    return {"uri": uri, "uriBaseId": _ROOT} if relative else {"uri": uri}


def _region(lines: LineIndex, span: Span) -> Json:
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": end.line + 1,
        "endColumn": end.character + 1,
    }
