"""Requests about names: definition, references, highlights, rename, and the symbols of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

import keepstate
from keepstate.text import LineIndex
from keepstate_lsp.analysis.declared_names import declared_names
from keepstate_lsp.analysis.documents import Document, path_of, uri_of
from keepstate_lsp.analysis.several_files.document_parts import lines_of
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.features.renaming import Renaming, renaming
from keepstate_lsp.lsp.base_protocol.client_ranges import position_from, range_of

if TYPE_CHECKING:
    from keepstate import ScriptNames
    from keepstate_lsp.lsp.language_server import KeepstateServer
    from keepstate_lsp.lsp.session import ServerSession

_ANNOTATION = "rename"
_SYMBOL_KINDS = {
    "table": types.SymbolKind.Struct,
    "view": types.SymbolKind.Interface,
    "function": types.SymbolKind.Function,
}


def register(server: KeepstateServer) -> None:
    """Make the handlers of this module those of ``server``."""
    for method, handler in _FEATURES.items():
        server.feature(method, _OPTIONS.get(method))(handler)


async def definition(ls: KeepstateServer, params: types.DefinitionParams) -> list[Any] | None:
    question = await _names_at(ls, params)
    if question is None:
        return None
    document, names, offset = question
    profile = ls.session.profile
    if not names.definitions(offset) and (locations := await _in_other_files(ls, document, offset, "definitions")):
        return locations
    ranges = [range_of(place.span, document.lines, profile) for place in names.definitions(offset)]
    if not profile.links_definitions:
        return [types.Location(document.uri, target_range) for target_range in ranges]
    origin = next((range_of(place.span, document.lines, profile) for place in names.at(offset)), None)
    return [types.LocationLink(document.uri, target_range, target_range, origin) for target_range in ranges]


async def references(ls: KeepstateServer, params: types.ReferenceParams) -> list[types.Location] | None:
    question = await _names_at(ls, params)
    if question is None:
        return None
    document, names, offset = question
    if not names.definitions(offset) and (locations := await _in_other_files(ls, document, offset, "references")):
        return locations
    return [
        types.Location(document.uri, range_of(place.span, document.lines, ls.session.profile))
        for place in names.references(offset)
        if params.context.include_declaration or not place.is_declaration
    ]


async def _in_other_files(ls: KeepstateServer, document: Document, offset: int, kind: str) -> list[types.Location]:
    """The declarations, or all places, of a name that another file of the job declares."""
    analysis = await ls.session.analysis(document.uri)
    if analysis is None or analysis.part is None or analysis.document is not document:
        return []
    part = analysis.part
    names = await ls.session.ask(lambda service: service.composed_names(part, analysis.workspace))
    offset_in_job = part.to_job(offset)
    places = names.definitions(offset_in_job) if kind == "definitions" else names.references(offset_in_job)
    source_places = (part.current.composed.place(place.span) for place in places)
    return [
        types.Location(
            uri_of(part.root / place.file.file_path), range_of(place.span, lines_of(place.file), ls.session.profile)
        )
        for place in source_places
        if place is not None
    ]


async def highlight(ls: KeepstateServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
    question = await _names_at(ls, params)
    if question is None:
        return None
    document, names, offset = question
    return [
        types.DocumentHighlight(
            range_of(place.span, document.lines, ls.session.profile),
            types.DocumentHighlightKind.Write if place.writes else types.DocumentHighlightKind.Read,
        )
        for place in names.references(offset)
    ]


async def prepare_rename(
    ls: KeepstateServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    document = ls.session.documents.get(params.text_document.uri)
    analysis = await ls.session.last_analysis(document) if document is not None else None
    if document is None or analysis is None or not analysis.is_flink:
        return None
    offset = _offset(ls, document, params.position)
    try:
        place = await ls.session.ask(lambda service: service.renames.place(analysis, offset))
    except keepstate.RenameRefused as refused:
        raise _refusal(refused) from refused
    return types.PrepareRenamePlaceholder(range_of(place.span, document.lines, ls.session.profile), place.name.name)


async def rename(ls: KeepstateServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    document = ls.session.documents.get(params.text_document.uri)
    analysis = await ls.session.analysis(params.text_document.uri)
    if document is None or analysis is None or not analysis.is_flink:
        return None
    if analysis.document is not document:
        raise JsonRpcException("the text changed since the rename was asked for", types.LSPErrorCodes.ContentModified)
    offset = _offset(ls, document, params.position)
    try:
        opened = tuple(ls.session.documents)
        renamed, report = await ls.session.ask(
            lambda service: service.renames.rename(analysis, offset, params.new_name, opened)
        )
    except keepstate.RenameRefused as refused:
        raise _refusal(refused) from refused
    words = renaming(renamed.first, renamed.edits, analysis.report, report)
    if words.is_costly:
        # VS Code shows the changes, and their label only if they are grouped by it.
        message = f"{words.label}: {words.description}" if words.description else words.label
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
    return await _edit(words, ls.session)


async def workspace_symbol(ls: KeepstateServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    session = ls.session
    declared = session.workspace.declared if session.workspace is not None else {}
    for document in session.documents:
        script_names = await _names(session, document)
        if script_names is not None:
            declared[document.uri] = declared_names(script_names, document.lines, session.profile.encoding)
    return [
        types.SymbolInformation(
            location=types.Location(
                uri,
                types.Range(
                    types.Position(name.start.line, name.start.character),
                    types.Position(name.end.line, name.end.character),
                ),
            ),
            name=name.name,
            kind=_SYMBOL_KINDS[name.kind],
        )
        for uri, names in sorted(declared.items())
        for name in names
        if name.fits(params.query)
    ]


async def _names_at(
    ls: KeepstateServer, params: types.DefinitionParams | types.ReferenceParams | types.DocumentHighlightParams
) -> tuple[Document, ScriptNames, int] | None:
    """The version of the document that a request is about, its names, and the offset in it."""
    # A task starts before the next message is handled: this is the version that the client saw.
    document = ls.session.documents.get(params.text_document.uri)
    if document is None:
        return None
    names = await _names(ls.session, document)
    return (document, names, _offset(ls, document, params.position)) if names is not None else None


async def _names(session: ServerSession, document: Document) -> ScriptNames | None:
    """The declared names of one version of a document; ``None`` for one that holds no Flink SQL."""
    analysis = await session.last_analysis(document)
    if analysis is None or not analysis.is_flink:
        return None
    return await session.ask(lambda service: service.names(document, analysis.workspace))


def _offset(ls: KeepstateServer, document: Document, position: types.Position) -> int:
    return document.lines.offset(position_from(position), ls.session.profile.encoding)


def _refusal(refused: Exception) -> JsonRpcException:
    return JsonRpcException(str(refused), types.LSPErrorCodes.RequestFailed)


async def _edit(words: Renaming, session: ServerSession) -> types.WorkspaceEdit:
    """The edits of a rename: of open documents with their versions, of other files without."""
    client = session.profile
    changes: dict[str, list[types.TextEdit]] = {}
    for uri, edits in words.edits.items():
        lines = await _lines(session, uri)
        changes[uri] = [types.TextEdit(range_of(edit.span, lines, client), edit.new_text) for edit in edits]
    if not client.takes_versioned_edits:
        return types.WorkspaceEdit(changes=changes)
    annotated = client.annotates_changes
    documents = []
    for uri, own in changes.items():
        opened = session.documents.get(uri)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, None if opened is None else opened.version)
        noted = [types.AnnotatedTextEdit(_ANNOTATION, each.range, each.new_text) for each in own] if annotated else own
        documents.append(types.TextDocumentEdit(identifier, list(noted)))
    if not annotated:
        return types.WorkspaceEdit(document_changes=documents)
    annotation = types.ChangeAnnotation(words.label, words.is_costly, words.description or None)
    return types.WorkspaceEdit(document_changes=documents, change_annotations={_ANNOTATION: annotation})


async def _lines(session: ServerSession, uri: str) -> LineIndex:
    """The lines of a document, open or not."""
    opened, path = session.documents.get(uri), path_of(uri)
    if opened is not None or path is None:
        assert opened is not None, "a document without a file is open"
        return opened.lines
    text = await session.ask(lambda _: read_text(Path(path)))
    if not isinstance(text, str):
        raise JsonRpcException(f"{path} {text.fault}", types.LSPErrorCodes.RequestFailed)
    return LineIndex(text)


_FEATURES: dict[str, Callable[..., Any]] = {
    types.TEXT_DOCUMENT_DEFINITION: definition,
    types.TEXT_DOCUMENT_REFERENCES: references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: highlight,
    types.TEXT_DOCUMENT_PREPARE_RENAME: prepare_rename,
    types.TEXT_DOCUMENT_RENAME: rename,
    types.WORKSPACE_SYMBOL: workspace_symbol,
}
_OPTIONS: dict[str, Any] = {types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True)}
