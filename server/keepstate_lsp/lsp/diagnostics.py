"""Diagnostics as the protocol has them: of documents, and of the files that these obey."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs
from lsprotocol import types

from keepstate.report import Finding, Problem, Refusal, UnusedAcceptance
from keepstate.reporting.file_status import refusal_words
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.config_diagnostics import ClientRange, ConfigDiagnostic, RelatedPlace
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, PlacedFinding
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.labels import STALE, clipped, count
from keepstate_lsp.analysis.several_files.document_parts import OutsidePlace, lines_of
from keepstate_lsp.analysis.several_files.other_file_findings import MOST_JOBS, ClauseFindings, former_place
from keepstate_lsp.analyzer import finding_key
from keepstate_lsp.config.external_settings import baseline_entry, current_entry
from keepstate_lsp.config.severity import INVALID_SQL
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.base_protocol.client_ranges import range_of
from keepstate_lsp.reporting.effects import alarm
from keepstate_lsp.reporting.finding_groups import leaders

SOURCE = "keepstate"
_MOST_RELATED = 50
_OPENING = re.compile(r"\s*INSERT\s+(?:INTO|OVERWRITE)\s+[^\s(]+", re.IGNORECASE)
"""The part of an added statement that is underlined."""
NOT_ANALYSED = "not-analysed"
BASELINE_INVALID = "baseline-invalid"
BASELINE_NOT_ANALYSED = "baseline-not-analysed"
NOT_COMPARED = "not-compared"
INTERNAL_ERROR = "internal-error"
UNUSED_ACCEPTANCE = "idle-acceptance"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def diagnostics(
    analysis: Analysis, client: ClientProfile, clauses: Sequence[ClauseFindings] = ()
) -> list[types.Diagnostic]:
    """All diagnostics of a document, in text order; ``clauses`` are those at which other files have findings. What
    several jobs find at one place stands there once, with all of them.
    """
    alone = [(_title(each), one) for each in analysis.every for one in _of_job(each, client)]
    if not clauses and not analysis.others:
        return [one for _, one in alone]
    by_place: dict[tuple[int, int, int, int, str, str], list[tuple[str, types.Diagnostic]]] = {}
    for job, one in alone:
        by_place.setdefault(_place_of(one), []).append((job, one))
    merged: list[types.Diagnostic] = []
    for clause in clauses:
        one = clause_diagnostic(clause, analysis.document.lines, client)
        same = by_place.pop(_place_of(one), None)
        merged.append(one if same is None else _of_several(same, client, clause))
    for same in by_place.values():
        merged += [_of_several(same, client)] if analysis.others else [one for _, one in same]
    return sorted(merged, key=lambda one: (one.range.start.line, one.range.start.character))


def _title(analysis: Analysis) -> str:
    return analysis.document.name if analysis.part is None else analysis.part.title


def _place_of(one: types.Diagnostic) -> tuple[int, int, int, int, str, str]:
    """The identity of what a diagnostic says; of a finding, its clause and its rule."""
    start, end = one.range.start, one.range.end
    words = "" if _is_finding(one) else one.message
    return start.line, start.character, end.line, end.character, str(one.code), words


def _is_finding(one: types.Diagnostic) -> bool:
    return isinstance(one.data, dict) and "finding" in one.data


def _of_several(
    same: Sequence[tuple[str, types.Diagnostic]], client: ClientProfile, clause: ClauseFindings | None = None
) -> types.Diagnostic:
    """One diagnostic of what several jobs of a document find at one place; ``clause`` has what jobs elsewhere find."""
    ordered = sorted(same, key=lambda each: (each[1].severity or types.DiagnosticSeverity.Hint).value)
    first = ordered[0][1]
    if not _is_finding(first):
        return first
    jobs = list(dict.fromkeys((*(job for job, _ in ordered), *(() if clause is None else clause.jobs))))
    related: list[types.DiagnosticRelatedInformation] = []
    for _, one in ordered[:MOST_JOBS]:
        related += (place for place in one.related_information or () if place not in related)
    if clause is not None and client.shows_related:
        related += (_related_place(place) for place in clause.places)
    level = first.severity if clause is None else _worse(first.severity, _SEVERITIES[clause.level])
    return attrs.evolve(
        first,
        message=f"{first.message} (in {jobs[0]})" if len(jobs) == 1 else f"{first.message} (in {len(jobs)} jobs)",
        severity=level,
        data={**(first.data if isinstance(first.data, dict) else {}), "jobs": jobs},
        related_information=related or None,
    )


def _worse(one: types.DiagnosticSeverity | None, other: types.DiagnosticSeverity) -> types.DiagnosticSeverity:
    return other if one is None or other.value < one.value else one


def _of_job(analysis: Analysis, client: ClientProfile) -> list[types.Diagnostic]:
    """All diagnostics of one job of a document, in text order."""
    if not analysis.is_flink:
        return []
    placed = [
        finding_diagnostic(finding, analysis, client, following) for finding, following in _by_cause(analysis.findings)
    ]
    # An unreadable statement may have a finding as well, which has more to say.
    spans = {finding.span for finding in analysis.findings if not finding.is_stale}
    notes = [_problem(problem, analysis, client) for problem in analysis.problems if problem.span not in spans]
    for refusal in analysis.refusals:
        level = analysis.severity_of_refusal(refusal)
        if level != "off":
            notes.append(_refusal(refusal, _SEVERITIES[level], analysis, client))
    notes += [_obstacle(outside, reason, analysis, client) for outside, reason in analysis.obstacles[:1]]
    notes += [_baseline_refusal(refusal, analysis, client) for refusal in analysis.baseline_refusals[:1]]
    notes += [_unused_acceptance(unused, span, analysis, client) for unused, span in analysis.unused_acceptances]
    notes += [_baseline_problem(problem, analysis, client) for problem in analysis.baseline_problems]
    without = analysis.without
    if without is not None and without.amiss:
        yet = " yet" if analysis.is_waiting else ""
        stale = f" What is shown is {STALE}." if analysis.findings else ""
        notes.append(_top_note(NOT_COMPARED, f"Not compared{yet}: {without}{stale}", analysis, client))
    if analysis.failure is not None:
        stale = f" What is shown is {STALE}." if analysis.findings else " Nothing is known about it."
        notes.append(_top_note(INTERNAL_ERROR, f"{analysis.failure}.{stale} The log has details.", analysis, client))
    everything = [diagnostic for diagnostic in placed if diagnostic is not None] + notes
    return sorted(everything, key=lambda one: (one.range.start.line, one.range.start.character))


def config_diagnostic(entry: ConfigDiagnostic, client: ClientProfile) -> types.Diagnostic:
    """A diagnostic in a configuration file or a ledger."""
    diagnostic = types.Diagnostic(
        range=_protocol_range(entry.client_range),
        message=with_arrows(entry.message),
        severity=_SEVERITIES[entry.level],
        code=entry.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if entry.unneeded else None,
    )
    if client.links_codes and entry.page is not None:
        diagnostic.code_description = types.CodeDescription(entry.page)
    if client.shows_related and entry.places:
        diagnostic.related_information = [_related_place(place) for place in entry.places]
    return diagnostic


def clause_diagnostic(clause: ClauseFindings, lines: LineIndex, client: ClientProfile) -> types.Diagnostic:
    """The findings of one rule at a clause that other files read, as one diagnostic."""
    first = clause.first
    message = with_arrows(alarm(first.effect) + clause.message)
    diagnostic = types.Diagnostic(
        range=range_of(clause.span, lines, client),
        message=f"{message} ({STALE})" if clause.is_stale else message,
        severity=_SEVERITIES[clause.level],
        code=first.rule,
        source=SOURCE,
        data={"rule": first.rule, "finding": first.key, "stale": clause.is_stale, "jobs": list(clause.jobs)},
    )
    if client.links_codes and first.page is not None:
        diagnostic.code_description = types.CodeDescription(first.page)
    if client.shows_related and clause.places:
        diagnostic.related_information = [_related_place(place) for place in clause.places]
    return diagnostic


def _related_place(place: RelatedPlace) -> types.DiagnosticRelatedInformation:
    return types.DiagnosticRelatedInformation(
        types.Location(place.uri, _protocol_range(place.client_range)), place.words
    )


def _protocol_range(client_range: ClientRange) -> types.Range:
    ends = (types.Position(place.line, place.character) for place in (client_range.start, client_range.end))
    return types.Range(*ends)


def workspace_report(
    results: Iterable[tuple[str, str, Sequence[object] | None]],
) -> types.WorkspaceDiagnosticReport:
    """URI, result id and diagnostics (``None``: unchanged) of closed files."""
    items: list[types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport] = []
    for uri, result_id, diagnostics_ in results:
        if diagnostics_ is None:
            items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id))
        else:
            full = list(diagnostics_)
            items.append(
                types.WorkspaceFullDocumentDiagnosticReport(uri, full, result_id=result_id)  # type: ignore[arg-type]
            )
    return types.WorkspaceDiagnosticReport(items)


def _by_cause(findings: Sequence[PlacedFinding]) -> Iterator[tuple[PlacedFinding, list[PlacedFinding]]]:
    """The findings that stand for themselves, each with those that it stands for."""
    leading = leaders([placed.finding for placed in findings])
    for number, placed in enumerate(findings):
        if leading[number] == number:
            yield placed, [other for other, leader in zip(findings, leading, strict=True) if leader == number][1:]


def finding_diagnostic(
    placed: PlacedFinding, analysis: Analysis, client: ClientProfile, following: Sequence[PlacedFinding] = ()
) -> types.Diagnostic | None:
    """The diagnostic of a finding; ``following`` are the findings that it stands for."""
    finding = placed.finding
    severity = analysis.severity_of(finding)
    if severity == "off":
        return None
    diagnostic = types.Diagnostic(
        range=range_of(_head(placed), analysis.document.lines, client),
        message=_message(placed, len(following)),
        severity=_SEVERITIES[severity],
        code=finding.rule,
        source=SOURCE,
        data={"rule": finding.rule, "finding": finding_key(finding), "stale": placed.is_stale},
    )
    page = analysis.pages.get(finding.rule)
    if client.links_codes and page is not None:
        diagnostic.code_description = types.CodeDescription(page)
    if placed.outside is not None or placed.former is not None:
        diagnostic.related_information = list(_other_files(placed, analysis, client)) or None
    elif finding.baseline is not None and analysis.against is not None:
        text = " ".join(finding.baseline.text.split())
        message = f"in {analysis.against.baseline.words}: {clipped(text)}"
        diagnostic.related_information = _related(finding.baseline.span, message, analysis.against, client)
    if client.shows_related and (felt := _query_information(placed, analysis, client)) is not None:
        diagnostic.related_information = [*(diagnostic.related_information or ()), felt]
    if client.shows_related and following:
        uri, lines = analysis.document.uri, analysis.document.lines
        places = (
            types.DiagnosticRelatedInformation(
                types.Location(uri, range_of(other.span, lines, client)),
                with_arrows(f"the same for {other.finding.change}"),
            )
            for other in following[:_MOST_RELATED]
        )
        diagnostic.related_information = [*(diagnostic.related_information or ()), *places]
    if client.shows_related and finding.external is not None:
        external = list(_external_entries(finding, analysis, client))
        diagnostic.related_information = [*(diagnostic.related_information or ()), *external] or None
    return diagnostic


def _other_files(
    placed: PlacedFinding, analysis: Analysis, client: ClientProfile
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The changed clause in its file, and the former one in another file than the document was."""
    if not client.shows_related or analysis.part is None:
        return
    if placed.outside is not None:
        place = placed.outside.place
        location = types.Location(
            uri_of(analysis.part.root / place.file.file_path), range_of(place.span, lines_of(place.file), client)
        )
        text = " ".join(place.span.of(place.file.text).split())
        yield types.DiagnosticRelatedInformation(location, f"changed in {place.path}: {clipped(text)}")
    former = former_place(placed, analysis, client.encoding)
    if former is not None:
        location = types.Location(former.uri, _protocol_range(former.client_range))
        yield types.DiagnosticRelatedInformation(location, former.words)


def _query_information(
    placed: PlacedFinding, analysis: Analysis, client: ClientProfile
) -> types.DiagnosticRelatedInformation | None:
    """The query that feels a change, if it is in another file of the script, or in one of several jobs."""
    part, query = analysis.part, placed.query
    if part is None or query is None or placed.outside is not None:
        return None
    uri = uri_of(part.root / query.file.file_path)
    if uri == analysis.document.uri:
        return None
    words = f"felt by {placed.finding.pipeline or 'this job'} in {part.title}"
    return types.DiagnosticRelatedInformation(
        types.Location(uri, range_of(query.span, lines_of(query.file), client)), words
    )


def _external_entries(
    finding: Finding, analysis: Analysis, client: ClientProfile
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The lines of configuration files that set what a finding is about, now and in the baseline."""
    now = current_entry(finding, analysis.effective.config)
    if now is not None:
        text = f"now in {now.source.path.name}: {now.text}"
        message = f"not set any more in {now.source.path.name}" if finding.removed else text
        location = types.Location(uri_of(now.source.path), range_of(now.span, now.source.lines, client))
        yield types.DiagnosticRelatedInformation(location, message)
    against = analysis.against
    was = baseline_entry(finding, against.config) if against is not None else None
    if was is not None and against is not None and against.config_uri is not None:
        location = types.Location(against.config_uri, range_of(was.span, was.source.lines, client))
        yield types.DiagnosticRelatedInformation(location, f"in {was.source.display_name}: {was.text}")


def _head(placed: PlacedFinding) -> Span:
    """The underlined text: the clause, and the first line of a whole statement that was added."""
    if placed.finding.rule != "pipeline-added" or placed.is_stale or placed.outside is not None:
        return placed.span
    line = placed.finding.current.text.split("\n", 1)[0].rstrip()
    head = _OPENING.match(line)
    return Span(placed.span.start, placed.span.start + len(line if head is None else head[0]))


def _message(placed: PlacedFinding, following: int) -> str:
    finding = placed.finding
    notes = [STALE] if placed.is_stale else []
    if following:
        notes.append(f"and {count(following, 'aggregate')} more")
    if finding.accepted is not None:
        until = f" until {finding.accepted.until}" if finding.accepted.until is not None else ""
        notes.append(f"accepted{until}: {finding.accepted.because}")
    message = with_arrows(alarm(finding.effect) + finding.message)
    return f"{message} ({'; '.join(notes)})" if notes else message


def _unused_acceptance(
    unused: UnusedAcceptance, span: Span, analysis: Analysis, client: ClientProfile
) -> types.Diagnostic:
    subject = f"The acceptance of {unused.acceptance.rule}" if unused.acceptance.rule else "This acceptance"
    return types.Diagnostic(
        range=range_of(span, analysis.document.lines, client),
        message=f"{subject} accepts nothing: {unused.reason}.",
        severity=types.DiagnosticSeverity.Information,
        code=UNUSED_ACCEPTANCE,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary],
    )


def _problem(problem: Problem, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    note = _top_note(NOT_ANALYSED, f"Not analysed: {problem.message}", analysis, client)
    if problem.span is not None:
        note.range = range_of(problem.span, analysis.document.lines, client)
    return note


def _obstacle(outside: OutsidePlace, reason: str, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    """A statement of another file without which the job cannot be compared, at the name that reads it."""
    stale = f" What is shown is {STALE}." if analysis.findings else ""
    note = _top_note(NOT_ANALYSED, f"Not analysed: {outside.place.path}: {reason}{stale}", analysis, client)
    note.range = range_of(outside.use.span, analysis.document.lines, client)
    if client.shows_related and analysis.part is not None:
        place = outside.place
        location = types.Location(
            uri_of(analysis.part.root / place.file.file_path), range_of(place.span, lines_of(place.file), client)
        )
        note.related_information = [types.DiagnosticRelatedInformation(location, reason)]
    return note


def _refusal(
    refusal: Refusal, severity: types.DiagnosticSeverity, analysis: Analysis, client: ClientProfile
) -> types.Diagnostic:
    lines = analysis.document.lines
    diagnostic = types.Diagnostic(
        range=range_of(refusal.span, lines, client),
        message=refusal.message if refusal.certain else refusal_words(refusal, analysis.effective.engine),
        severity=severity,
        code=INVALID_SQL,
        source=SOURCE,
        data={"rule": INVALID_SQL, "check": refusal.rule},
    )
    if client.shows_related and refusal.related:
        diagnostic.related_information = [
            types.DiagnosticRelatedInformation(
                types.Location(analysis.document.uri, range_of(related.span, lines, client)), related.message
            )
            for related in refusal.related
        ]
    return diagnostic


def _baseline_refusal(refusal: Refusal, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    against = analysis.against
    words = against.baseline.words if against is not None else "the baseline"
    note = _top_note(BASELINE_INVALID, f"Flink refuses {words}: {refusal.message}", analysis, client)
    note.severity = types.DiagnosticSeverity.Information
    if against is not None:
        note.related_information = _related(refusal.span, refusal.message, against, client)
    return note


def _baseline_problem(problem: Problem, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    against = analysis.against
    words = against.baseline.words if against is not None else "the baseline"
    note = _top_note(BASELINE_NOT_ANALYSED, f"Not analysed in {words}: {problem.message}", analysis, client)
    if problem.span is not None and against is not None:
        note.related_information = _related(problem.span, problem.message, against, client)
    return note


def _top_note(code: str, message: str, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    """A warning about the file as a whole, shown at its first line."""
    lines = analysis.document.lines
    return types.Diagnostic(
        range=range_of(lines.line_span(0), lines, client),
        message=message,
        severity=types.DiagnosticSeverity.Warning,
        code=code,
        source=SOURCE,
    )


def _related(
    span: Span, message: str, against: BaselineText, client: ClientProfile
) -> list[types.DiagnosticRelatedInformation] | None:
    if not client.shows_related or against.uri is None:
        return None
    location = types.Location(against.uri, range_of(span, against.lines, client))
    return [types.DiagnosticRelatedInformation(location, message)]
