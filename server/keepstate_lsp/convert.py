"""From Keepstate's values to those of the protocol and back. The only file where both meet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from lsprotocol import types
from pygls.capabilities import get_capability

from keepstate.report import Finding, IdleAcceptance, Problem
from keepstate.text import Encoding, LineIndex, Position, Span
from keepstate_lsp.actions import Offer
from keepstate_lsp.analysis import Against, Analysis, ShownFinding
from keepstate_lsp.analyzer import finding_key
from keepstate_lsp.client import ClientProfile
from keepstate_lsp.configuration import Fault
from keepstate_lsp.documents import Change, Document, uri_of
from keepstate_lsp.hover import HoverText
from keepstate_lsp.inlays import Inlay
from keepstate_lsp.lens import Lens
from keepstate_lsp.outside import baseline_entry, current_entry
from keepstate_lsp.overview import JobOverview
from keepstate_lsp.words import STALE

SOURCE = "keepstate"
NOT_ANALYSED = "not-analysed"
BASELINE_NOT_ANALYSED = "baseline-not-analysed"
NOT_COMPARED = "not-compared"
INTERNAL_ERROR = "internal-error"
IDLE_ACCEPTANCE = "idle-acceptance"
WRONG_CONFIGURATION = "wrong-configuration"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


# ------------------------------------------------------------------------------------------------ from the client


def profile(params: types.InitializeParams) -> ClientProfile:
    """What the client says of itself in ``initialize``."""
    capabilities = params.capabilities

    def has(name: str) -> bool:
        return bool(get_capability(capabilities, name, False))

    formats = get_capability(capabilities, "text_document.hover.content_format") or ()
    resolvable = get_capability(capabilities, "text_document.code_action.resolve_support.properties") or ()
    experimental = capabilities.experimental
    own = _entry(experimental, "keepstate")
    return ClientProfile(
        name=params.client_info.name if params.client_info is not None else "",
        encoding=_encoding(capabilities),
        pulls_diagnostics=capabilities.text_document is not None
        and capabilities.text_document.diagnostic is not None
        and has("workspace.diagnostics.refresh_support"),
        reads_markdown=next(iter(formats), None) == types.MarkupKind.Markdown,
        resolves_edits="edit" in resolvable and has("text_document.code_action.data_support"),
        takes_versioned_edits=has("workspace.workspace_edit.document_changes"),
        creates_files=has("workspace.workspace_edit.document_changes")
        and "create" in (get_capability(capabilities, "workspace.workspace_edit.resource_operations") or ()),
        knows_preferred_actions=has("text_document.code_action.is_preferred_support"),
        shows_documents=has("window.show_document.support"),
        shows_related=has("text_document.publish_diagnostics.related_information")
        or has("text_document.diagnostic.related_information"),
        links_codes=has("text_document.publish_diagnostics.code_description_support")
        or has("text_document.diagnostic.code_description_support"),
        refreshes_lenses=has("workspace.code_lens.refresh_support"),
        reads_baseline_scheme=capabilities.workspace is not None
        and capabilities.workspace.text_document_content is not None,
        compares="keepstate.compare" in (_entry(own, "commands") or ()),
        follows_command_links=bool(_entry(own, "commandLinks")),
        shows_lenses=has("text_document.code_lens"),
        shows_status=bool(_entry(own, "status")),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        sends_configuration=has("workspace.configuration"),
        refreshes_inlays=has("workspace.inlay_hint.refresh_support"),
        shows_progress=has("window.work_done_progress"),
        registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
    )


def plain(value: Any) -> Any:
    """Free-form JSON (settings, experimental capabilities) as dicts and lists, whatever pygls made of it."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def changes(params: types.DidChangeTextDocumentParams) -> list[Change]:
    return [
        Change(_position(change.range.start), _position(change.range.end), change.text)
        if isinstance(change, types.TextDocumentContentChangePartial)
        else Change(None, None, change.text)
        for change in params.content_changes
    ]


def position_of(params: types.HoverParams) -> Position:
    return _position(params.position)


def span_of(range_: types.Range, document: Document, encoding: Encoding) -> Span:
    start = document.lines.offset(_position(range_.start), encoding)
    return Span(start, max(start, document.lines.offset(_position(range_.end), encoding)))


# ------------------------------------------------------------------------------------------------ to the client


def position_encoding(client: ClientProfile) -> types.PositionEncodingKind:
    return types.PositionEncodingKind(client.encoding.value)


def diagnostics(analysis: Analysis, client: ClientProfile) -> list[types.Diagnostic]:
    """All that is to be shown of an analysis, in text order."""
    if not analysis.is_flink:
        return []
    shown = [_finding(finding, analysis, client) for finding in analysis.findings]
    # What cannot be read may be a finding too, which then says more.
    found = {finding.span for finding in analysis.findings if not finding.is_stale}
    notes = [_problem(problem, analysis, client) for problem in analysis.problems if problem.span not in found]
    notes += [_idle_acceptance(idle, span, analysis, client) for idle, span in analysis.idle_acceptances]
    notes += [_baseline_problem(problem, analysis, client) for problem in analysis.baseline_problems]
    without = analysis.without
    if without is not None and without.amiss:
        notes.append(_top_note(NOT_COMPARED, f"Not compared: {without}", analysis, client))
    if analysis.failure is not None:
        stale = f" What is shown is {STALE}." if analysis.findings else " Nothing is known about it."
        notes.append(_top_note(INTERNAL_ERROR, f"{analysis.failure}.{stale} The log has details.", analysis, client))
    everything = [diagnostic for diagnostic in shown if diagnostic is not None] + notes
    return sorted(everything, key=lambda one: (one.range.start.line, one.range.start.character))


def fault(wrong: Fault, client: ClientProfile) -> types.Diagnostic:
    """What is wrong in a configuration file, at its place there."""
    return types.Diagnostic(
        range=_range(wrong.span, LineIndex(wrong.text), client),
        message=f"{wrong.sentence[:1].upper()}{wrong.sentence[1:]}",
        severity=types.DiagnosticSeverity.Error,
        code=WRONG_CONFIGURATION,
        source=SOURCE,
    )


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


def hover(text: HoverText, document: Document, client: ClientProfile) -> types.Hover:
    kind = types.MarkupKind.Markdown if client.reads_markdown else types.MarkupKind.PlainText
    value = text.markdown if client.reads_markdown else text.plain
    return types.Hover(types.MarkupContent(kind, value), _range(text.span, document.lines, client))


def code_action(offer: Offer, analysis: Analysis, client: ClientProfile, *, with_edit: bool) -> types.CodeAction:
    document = analysis.document
    action = types.CodeAction(title=offer.title, kind=offer.kind)
    if offer.errand is not None:
        action.command = types.Command(offer.title, offer.errand.command, arguments=list(offer.errand.arguments))
        return action
    attached = [_finding(shown, analysis, client) for shown in offer.findings]
    action.diagnostics = [diagnostic for diagnostic in attached if diagnostic is not None] or None
    if client.knows_preferred_actions and offer.is_preferred:
        action.is_preferred = True
    if with_edit or offer.address is None:
        action.edit = workspace_edit(offer, document, client)
    else:
        index, number = offer.address
        action.data = {"uri": document.uri, "version": document.version, "finding": index, "fix": number}
    return action


def workspace_edit(offer: Offer, document: Document, client: ClientProfile) -> types.WorkspaceEdit:
    text_edits = [types.TextEdit(_range(edit.span, document.lines, client), edit.new_text) for edit in offer.edits]
    if not client.takes_versioned_edits:
        return types.WorkspaceEdit(changes={document.uri: text_edits})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    changes: list[types.TextDocumentEdit | types.CreateFile] = [types.TextDocumentEdit(identifier, text_edits)]
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    for path, text in offer.new_files:
        uri = uri_of(path)
        # A file that lies there by then is somebody's: the client refuses, and changes nothing.
        changes.append(types.CreateFile(uri, options=types.CreateFileOptions(overwrite=False, ignore_if_exists=False)))
        fresh = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None)
        changes.append(types.TextDocumentEdit(fresh, [types.TextEdit(start, text)]))
    return types.WorkspaceEdit(document_changes=changes)


def code_lens(lens: Lens, analysis: Analysis, client: ClientProfile) -> types.CodeLens:
    document = analysis.document
    place = _position_to(lens.offset, document.lines, client)
    target = baseline_target(analysis)
    if client.compares and target is not None:
        command = types.Command(lens.title, "keepstate.compare", arguments=[target])
    else:
        command = types.Command(lens.title, "keepstate.compareText", arguments=[document.uri, place.line])
    return types.CodeLens(types.Range(place, place), command)


def line_start(line: int | None) -> types.Range | None:
    """An empty selection at the start of a line, for a document that is shown."""
    return None if line is None else types.Range(types.Position(line, 0), types.Position(line, 0))


def status(analysis: Analysis) -> dict[str, object]:
    """The parameters of ``keepstate/status``: one document in a few words."""
    overview = JobOverview.of(analysis)
    if overview is None:
        return {"uri": analysis.document.uri, "verdict": None, "words": "", "baseline": None, "findings": 0}
    return {
        "uri": overview.uri,
        "verdict": overview.verdict.value if overview.verdict is not None else "none",
        "words": overview.words,
        "baseline": overview.baseline,
        "spec": analysis.terms.baseline,
        "findings": len(overview.findings),
        "failed": overview.failed,
    }


def inlay_hint(inlay: Inlay, document: Document, client: ClientProfile) -> types.InlayHint:
    place = _position_to(inlay.offset, document.lines, client)
    return types.InlayHint(place, inlay.label, tooltip=inlay.tooltip, padding_left=True)


def baseline_target(analysis: Analysis) -> dict[str, str] | None:
    """What a client needs for comparing a document with its baseline."""
    against = analysis.against
    if against is None or against.uri is None:
        return None
    name = analysis.document.name
    title = f"{name}: {against.baseline.words} and now"
    return {"uri": analysis.document.uri, "baselineUri": against.uri, "title": title}


def command_link(command: str, *arguments: object) -> str:
    """What a hover links to where the client runs commands that way."""
    return f"command:{command}?{quote(json.dumps(arguments, ensure_ascii=False), safe='')}"


# ------------------------------------------------------------------------------------------------ within


def _finding(shown: ShownFinding, analysis: Analysis, client: ClientProfile) -> types.Diagnostic | None:
    finding = shown.finding
    terms = analysis.terms
    loudness = analysis.settings.loudness(finding, terms.preset, terms.severity)
    if loudness == "off":
        return None
    if finding.accepted is not None:
        # Somebody decided that it may stand: it is told, but nobody is called.
        loudness = "hint"
    diagnostic = types.Diagnostic(
        range=_range(shown.span, analysis.document.lines, client),
        message=_message(shown),
        severity=_SEVERITIES[loudness],
        code=finding.rule,
        source=SOURCE,
        data={"rule": finding.rule, "finding": finding_key(finding), "stale": shown.is_stale},
    )
    page = analysis.pages.get(finding.rule)
    if client.links_codes and page is not None:
        diagnostic.code_description = types.CodeDescription(page)
    if finding.baseline is not None and analysis.against is not None:
        text = " ".join(finding.baseline.text.split())
        message = f"in {analysis.against.baseline.words}: {text if len(text) <= 200 else text[:200] + ' ...'}"
        diagnostic.related_information = _related(finding.baseline.span, message, analysis.against, client)
    if client.shows_related and finding.outside is not None:
        told = list(_told_outside(finding, analysis, client))
        diagnostic.related_information = [*(diagnostic.related_information or ()), *told] or None
    return diagnostic


def _told_outside(
    finding: Finding, analysis: Analysis, client: ClientProfile
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The lines of configuration files that set what a finding is about, now and in the baseline."""
    now = current_entry(finding, analysis.terms.told)
    if now is not None:
        text = f"now in {now.source.path.name}: {now.text}"
        message = f"not set any more in {now.source.path.name}" if finding.removed else text
        location = types.Location(uri_of(now.source.path), _range(now.span, now.source.lines, client))
        yield types.DiagnosticRelatedInformation(location, message)
    against = analysis.against
    was = baseline_entry(finding, against.told) if against is not None else None
    if was is not None and against is not None and against.told_uri is not None:
        location = types.Location(against.told_uri, _range(was.span, was.source.lines, client))
        yield types.DiagnosticRelatedInformation(location, f"in {was.source.shown}: {was.text}")


def _message(shown: ShownFinding) -> str:
    finding = shown.finding
    notes = [STALE] if shown.is_stale else []
    if finding.accepted is not None:
        until = f" until {finding.accepted.until}" if finding.accepted.until is not None else ""
        notes.append(f"accepted{until}: {finding.accepted.because}")
    return f"{finding.message} ({'; '.join(notes)})" if notes else finding.message


def _idle_acceptance(idle: IdleAcceptance, span: Span, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    what = f"The acceptance of {idle.acceptance.rule}" if idle.acceptance.rule else "This acceptance"
    return types.Diagnostic(
        range=_range(span, analysis.document.lines, client),
        message=f"{what} accepts nothing: {idle.reason}.",
        severity=types.DiagnosticSeverity.Information,
        code=IDLE_ACCEPTANCE,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary],
    )


def _problem(problem: Problem, analysis: Analysis, client: ClientProfile) -> types.Diagnostic:
    note = _top_note(NOT_ANALYSED, f"Not analysed: {problem.message}", analysis, client)
    if problem.span is not None:
        note.range = _range(problem.span, analysis.document.lines, client)
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
        range=_range(lines.line_span(0), lines, client),
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
    location = types.Location(against.uri, _range(span, against.lines, client))
    return [types.DiagnosticRelatedInformation(location, message)]


def _encoding(capabilities: types.ClientCapabilities) -> Encoding:
    offered: Iterable[str] = get_capability(capabilities, "general.position_encodings") or ()
    known = {encoding.value: encoding for encoding in Encoding}
    names = (str(getattr(kind, "value", kind)) for kind in offered)
    return next((known[name] for name in names if name in known), Encoding.UTF16)


def _range(span: Span, lines: LineIndex, client: ClientProfile) -> types.Range:
    return types.Range(_position_to(span.start, lines, client), _position_to(span.end, lines, client))


def _position_to(offset: int, lines: LineIndex, client: ClientProfile) -> types.Position:
    place = lines.position(offset, client.encoding)
    return types.Position(place.line, place.character)


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


def _entry(value: Any, name: str) -> Any:
    value = plain(value)
    return value.get(name) if isinstance(value, dict) else None
