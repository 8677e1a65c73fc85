"""Diagnostics as the protocol has them: of documents, and of the files that these obey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types

from keepstate.report import Finding, Problem, UnusedAcceptance
from keepstate.text import Span
from keepstate_lsp.analysis.config_diagnostics import ClientRange, ConfigDiagnostic
from keepstate_lsp.analysis.document_analysis import Against, Analysis, PlacedFinding
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.labels import STALE
from keepstate_lsp.analyzer import finding_key
from keepstate_lsp.config.external_settings import baseline_entry, current_entry
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.base_protocol.ranges import range_of
from keepstate_lsp.reporting.effects import alarm

SOURCE = "keepstate"
NOT_ANALYSED = "not-analysed"
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


def diagnostics(analysis: Analysis, client: ClientProfile) -> list[types.Diagnostic]:
    """All diagnostics of an analysis, in text order."""
    if not analysis.is_flink:
        return []
    placed = [finding_diagnostic(finding, analysis, client) for finding in analysis.findings]
    # An unreadable statement may have a finding as well, which has more to say.
    found = {finding.span for finding in analysis.findings if not finding.is_stale}
    notes = [_problem(problem, analysis, client) for problem in analysis.problems if problem.span not in found]
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
        message=entry.message,
        severity=_SEVERITIES[entry.level],
        code=entry.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if entry.unneeded else None,
    )
    if client.links_codes and entry.page is not None:
        diagnostic.code_description = types.CodeDescription(entry.page)
    if client.shows_related and entry.places:
        diagnostic.related_information = [
            types.DiagnosticRelatedInformation(
                types.Location(place.uri, _protocol_range(place.client_range)), place.words
            )
            for place in entry.places
        ]
    return diagnostic


def _protocol_range(client_range: ClientRange) -> types.Range:
    ends = (types.Position(place.line, place.character) for place in (client_range.start, client_range.end))
    return types.Range(*ends)


def workspace_report(
    found: Iterable[tuple[str, str, Sequence[object] | None]],
) -> types.WorkspaceDiagnosticReport:
    """URI, result id and diagnostics (``None``: unchanged) of closed files."""
    items: list[types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport] = []
    for uri, result_id, diagnostics_ in found:
        if diagnostics_ is None:
            items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id))
        else:
            full = list(diagnostics_)
            items.append(
                types.WorkspaceFullDocumentDiagnosticReport(uri, full, result_id=result_id)  # type: ignore[arg-type]
            )
    return types.WorkspaceDiagnosticReport(items)


def finding_diagnostic(placed: PlacedFinding, analysis: Analysis, client: ClientProfile) -> types.Diagnostic | None:
    finding = placed.finding
    severity = analysis.severity_of(finding)
    if severity == "off":
        return None
    diagnostic = types.Diagnostic(
        range=range_of(placed.span, analysis.document.lines, client),
        message=_message(placed),
        severity=_SEVERITIES[severity],
        code=finding.rule,
        source=SOURCE,
        data={"rule": finding.rule, "finding": finding_key(finding), "stale": placed.is_stale},
    )
    page = analysis.pages.get(finding.rule)
    if client.links_codes and page is not None:
        diagnostic.code_description = types.CodeDescription(page)
    if finding.baseline is not None and analysis.against is not None:
        text = " ".join(finding.baseline.text.split())
        message = f"in {analysis.against.baseline.words}: {text if len(text) <= 200 else text[:200] + ' ...'}"
        diagnostic.related_information = _related(finding.baseline.span, message, analysis.against, client)
    if client.shows_related and finding.external is not None:
        external = list(_external_entries(finding, analysis, client))
        diagnostic.related_information = [*(diagnostic.related_information or ()), *external] or None
    return diagnostic


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


def _message(placed: PlacedFinding) -> str:
    finding = placed.finding
    notes = [STALE] if placed.is_stale else []
    if finding.accepted is not None:
        until = f" until {finding.accepted.until}" if finding.accepted.until is not None else ""
        notes.append(f"accepted{until}: {finding.accepted.because}")
    message = alarm(finding.effect) + finding.message
    return f"{message} ({'; '.join(notes)})" if notes else message


def _unused_acceptance(
    unused: UnusedAcceptance, span: Span, analysis: Analysis, client: ClientProfile
) -> types.Diagnostic:
    what = f"The acceptance of {unused.acceptance.rule}" if unused.acceptance.rule else "This acceptance"
    return types.Diagnostic(
        range=range_of(span, analysis.document.lines, client),
        message=f"{what} accepts nothing: {unused.reason}.",
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
    span: Span, message: str, against: Against, client: ClientProfile
) -> list[types.DiagnosticRelatedInformation] | None:
    if not client.shows_related or against.uri is None:
        return None
    location = types.Location(against.uri, range_of(span, against.lines, client))
    return [types.DiagnosticRelatedInformation(location, message)]
