"""Conversion of Keepstate's values to those of the protocol and back; diagnostics have a module of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from lsprotocol import types
from pygls.capabilities import get_capability

from keepstate.plan_view.drawing import Drawing
from keepstate.text import Encoding, LineIndex, Position, Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import ContentChange, Document, uri_of
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.features.acceptance_fix import FileAddition, OpenPoint
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.features.hover import HoverText
from keepstate_lsp.features.inlays import Inlay
from keepstate_lsp.features.lens import Lens
from keepstate_lsp.lsp.actions import Offer
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.base_protocol.client_ranges import position_at, position_from, range_of
from keepstate_lsp.lsp.diagnostics import finding_diagnostic

# ------------------------------------------------------------------------------------------------ from the client


def profile(params: types.InitializeParams) -> ClientProfile:
    """The capabilities that the client declares in ``initialize``."""
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
        annotates_changes=has("workspace.workspace_edit.document_changes")
        and get_capability(capabilities, "workspace.workspace_edit.change_annotation_support", None) is not None,
        prepares_renames=has("text_document.rename.prepare_support"),
        links_definitions=has("text_document.definition.link_support"),
        # Resource operations stand in documentChanges and nowhere else: Neovim announces the former alone.
        creates_files="create" in (get_capability(capabilities, "workspace.workspace_edit.resource_operations") or ()),
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
        plans_cutovers="keepstate.planCutover" in (_entry(own, "commands") or ()),
        follows_command_links=bool(_entry(own, "commandLinks")),
        shows_lenses=has("text_document.code_lens"),
        shows_status=bool(_entry(own, "status")),
        is_untrusted=bool(_entry(own, "untrusted")),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        sends_configuration=has("workspace.configuration"),
        refreshes_inlays=has("workspace.inlay_hint.refresh_support"),
        shows_progress=has("window.work_done_progress"),
        takes_snippets=has("text_document.completion.completion_item.snippet_support"),
        shows_label_details=has("text_document.completion.completion_item.label_details_support"),
        names_parameter_places=has(
            "text_document.signature_help.signature_information.parameter_information.label_offset_support"
        ),
        nests_symbols=has("text_document.document_symbol.hierarchical_document_symbol_support"),
        refreshes_tokens=has("workspace.semantic_tokens.refresh_support"),
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


def changes(params: types.DidChangeTextDocumentParams) -> list[ContentChange]:
    return [
        ContentChange(position_from(change.range.start), position_from(change.range.end), change.text)
        if isinstance(change, types.TextDocumentContentChangePartial)
        else ContentChange(None, None, change.text)
        for change in params.content_changes
    ]


def position_of(params: types.HoverParams) -> Position:
    return position_from(params.position)


def span_of(range_: types.Range, document: Document, encoding: Encoding) -> Span:
    start = document.lines.offset(position_from(range_.start), encoding)
    return Span(start, max(start, document.lines.offset(position_from(range_.end), encoding)))


# ------------------------------------------------------------------------------------------------ to the client


def position_encoding(client: ClientProfile) -> types.PositionEncodingKind:
    return types.PositionEncodingKind(client.encoding.value)


def hover(text: HoverText, document: Document, client: ClientProfile) -> types.Hover:
    kind = types.MarkupKind.Markdown if client.reads_markdown else types.MarkupKind.PlainText
    value = text.markdown if client.reads_markdown else text.plain
    return types.Hover(types.MarkupContent(kind, value), range_of(text.span, document.lines, client))


def code_action(offer: Offer, analysis: Analysis, client: ClientProfile, *, with_edit: bool) -> types.CodeAction:
    document = analysis.document
    action = types.CodeAction(title=with_arrows(offer.title), kind=offer.kind)
    if offer.command is not None:
        action.command = types.Command(action.title, offer.command.command, arguments=list(offer.command.arguments))
        return action
    if offer.open_point is not None and client.shows_documents:
        # Behind the edit: a client applies that first.
        action.command = _selecting(offer.open_point, client)
    attached = [finding_diagnostic(placed, analysis, client) for placed in offer.findings]
    action.diagnostics = [diagnostic for diagnostic in attached if diagnostic is not None] or None
    if client.knows_preferred_actions and offer.is_preferred:
        action.is_preferred = True
    if with_edit or offer.address is None:
        action.edit = workspace_edit(offer, document, client)
    else:
        index, number = offer.address
        action.data = {"uri": document.uri, "version": document.version, "finding": index, "fix": number}
    return action


def _selecting(point: OpenPoint, client: ClientProfile) -> types.Command:
    place = range_of(point.span, LineIndex(point.text), client)
    ends = [{"line": end.line, "character": end.character} for end in (place.start, place.end)]
    return types.Command("Select what is to be written", "keepstate.select", arguments=[point.uri, *ends])


def workspace_edit(offer: Offer, document: Document, client: ClientProfile) -> types.WorkspaceEdit:
    if offer.addition is not None:
        return _file_edit(offer.addition, client)
    text_edits = [types.TextEdit(range_of(edit.span, document.lines, client), edit.new_text) for edit in offer.edits]
    if not client.takes_versioned_edits and not offer.new_files:
        return types.WorkspaceEdit(changes={document.uri: text_edits})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    changes: list[types.TextDocumentEdit | types.CreateFile] = [types.TextDocumentEdit(identifier, text_edits)]
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    for path, text in offer.new_files:
        uri = uri_of(path)
        # An existing file is not overwritten: the client refuses, and changes nothing.
        changes.append(types.CreateFile(uri, options=types.CreateFileOptions(overwrite=False, ignore_if_exists=False)))
        fresh = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None)
        changes.append(types.TextDocumentEdit(fresh, [types.TextEdit(start, text)]))
    return types.WorkspaceEdit(document_changes=changes)


def _file_edit(addition: FileAddition, client: ClientProfile) -> types.WorkspaceEdit:
    uri = uri_of(addition.path)
    place = Span(addition.place, addition.place)
    edits = [types.TextEdit(range_of(place, LineIndex(addition.before or ""), client), addition.text)]
    if not client.takes_versioned_edits and addition.before is not None:
        return types.WorkspaceEdit(changes={uri: edits})
    changes: list[types.TextDocumentEdit | types.CreateFile] = []
    if addition.before is None:
        changes.append(types.CreateFile(uri, options=types.CreateFileOptions(overwrite=False, ignore_if_exists=False)))
    changes.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None), edits))
    return types.WorkspaceEdit(document_changes=changes)


def code_lens(lens: Lens, analysis: Analysis, client: ClientProfile) -> types.CodeLens:
    document = analysis.document
    place = position_at(lens.offset, document.lines, client)
    target, title = baseline_target(analysis), with_arrows(lens.title)
    if client.compares and target is not None:
        command = types.Command(title, "keepstate.compare", arguments=[target])
    else:
        command = types.Command(title, "keepstate.compareText", arguments=[document.uri, place.line])
    return types.CodeLens(types.Range(place, place), command)


def line_start(line: int | None) -> types.Range | None:
    """An empty selection at the start of a line, for a document that is shown."""
    return None if line is None else types.Range(types.Position(line, 0), types.Position(line, 0))


def status(analysis: Analysis) -> dict[str, object]:
    """The parameters of ``keepstate/status``: one document in a few words."""
    job_overview = JobOverview.of(analysis)
    overview = None if job_overview is None else job_overview.together
    if overview is None:
        return {"uri": analysis.document.uri, "verdict": None, "words": "", "baseline": None, "findings": 0}
    return {
        "uri": overview.uri,
        "verdict": overview.verdict.value if overview.verdict is not None else "none",
        "effect": overview.effect.value if overview.effect is not None else None,
        "words": overview.words,
        "baseline": overview.baseline,
        "spec": analysis.effective.baseline,
        "findings": len(overview.findings),
        "failed": overview.failed,
    }


def inlay_hint(inlay: Inlay, document: Document, client: ClientProfile) -> types.InlayHint:
    place = position_at(inlay.offset, document.lines, client)
    return types.InlayHint(place, inlay.label, tooltip=inlay.tooltip, padding_left=True)


def baseline_target(analysis: Analysis) -> dict[str, str] | None:
    """The values that a client needs to compare a document with its baseline."""
    against = analysis.against
    if against is None or against.uri is None:
        return None
    name = analysis.document.name
    title = f"{name}: {against.baseline.words} and now"
    return {"uri": analysis.document.uri, "baselineUri": against.uri, "title": title}


def drawn_plan(drawing: Drawing, analysis: Analysis, client: ClientProfile) -> dict[str, Any]:
    """The plan of a document, with places as the client counts them."""
    part, against = analysis.part, analysis.against

    def place_of(span: Span | None, lines: LineIndex | None) -> dict[str, Any] | None:
        if span is None or lines is None:
            return None
        ends = range_of(span, lines, client)
        named_ends = (("start", ends.start), ("end", ends.end))
        return {name: {"line": end.line, "character": end.character} for name, end in named_ends}

    # Loads the analyzer, which the answer to ``initialize`` does not wait for.
    from keepstate_lsp.features.plan_drawing import drawn_plan

    return drawn_plan(
        drawing,
        analysis,
        lambda span: place_of(span if part is None else part.to_document(span), analysis.document.lines),
        # A baseline of several files is no one document.
        lambda span: place_of(span if part is None else None, against.lines if against is not None else None),
    )


def command_link(command: str, *arguments: object) -> str:
    """The link of a hover for a client that runs commands by links."""
    return f"command:{command}?{quote(json.dumps(arguments, ensure_ascii=False), safe='')}"


# ------------------------------------------------------------------------------------------------ within


def _encoding(capabilities: types.ClientCapabilities) -> Encoding:
    offered: Iterable[str] = get_capability(capabilities, "general.position_encodings") or ()
    encodings = {encoding.value: encoding for encoding in Encoding}
    names = (str(getattr(kind, "value", kind)) for kind in offered)
    return next((encodings[name] for name in names if name in encodings), Encoding.UTF16)


def _entry(value: Any, name: str) -> Any:
    value = plain(value)
    return value.get(name) if isinstance(value, dict) else None
