"""Handlers of help with writing: completion, signatures, the outline, folding, tokens and selections.

They answer about the text at the moment of the request, and wait for no comparison with a baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from keepstate.text import Span
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.features.outline_data import KINDS, outline_data
from keepstate_lsp.features.token_data import MODIFIERS, TYPES, token_data, token_edit
from keepstate_lsp.lsp import convert
from keepstate_lsp.lsp.base_protocol.client_ranges import position_from, range_of
from keepstate_lsp.lsp.base_protocol.protocol import JsonResult

if TYPE_CHECKING:
    from keepstate import Completion, Draft, Fold, Proposal, SignatureHelp, Symbol
    from keepstate_lsp.lsp.language_server import KeepstateServer

T = TypeVar("T")

_TRIGGERS = [".", "`", "'", "("]
_KINDS = {
    "column": types.CompletionItemKind.Field,
    "field": types.CompletionItemKind.Property,
    "table": types.CompletionItemKind.Struct,
    "view": types.CompletionItemKind.Interface,
    "common table": types.CompletionItemKind.Interface,
    "alias": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "window function": types.CompletionItemKind.Method,
    "parameter": types.CompletionItemKind.Variable,
    "keyword": types.CompletionItemKind.Keyword,
    "type": types.CompletionItemKind.TypeParameter,
    "option": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
}
_LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))


def register(server: KeepstateServer) -> None:
    """Make the handlers of this module those of ``server``."""
    features: list[tuple[str, Callable[..., Any], Any]] = [
        (types.TEXT_DOCUMENT_COMPLETION, completion, types.CompletionOptions(trigger_characters=_TRIGGERS)),
        (
            types.TEXT_DOCUMENT_SIGNATURE_HELP,
            signature_help,
            types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[")"]),
        ),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbol, None),
        (types.TEXT_DOCUMENT_FOLDING_RANGE, folding_range, None),
        (types.TEXT_DOCUMENT_SELECTION_RANGE, selection_range, None),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, tokens, _LEGEND),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, tokens_delta, _LEGEND),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, tokens_in_range, _LEGEND),
    ]
    for method, handler, options in features:
        server.feature(method, options)(handler)


async def _draft_answer(
    ls: KeepstateServer, uri: str, question: Callable[[Draft, Document], T], default: T
) -> tuple[T, Document] | None:
    """The answer about the text of a document with that text; ``None`` for one that is no Flink SQL."""
    writing = await ls.session.writing(uri)
    if writing is None:
        return None
    document = writing.document
    return await ls.session.ask_draft(writing, lambda draft: question(draft, document), default), document


# ------------------------------------------------------------------------------------------------ completion


async def completion(ls: KeepstateServer, params: types.CompletionParams) -> types.CompletionList | None:
    session = ls.session
    writing = await session.writing(params.text_document.uri)
    if writing is None:
        return None
    document = writing.document
    offset = document.lines.offset(position_from(params.position), session.profile.encoding)

    def proposals(draft: Draft) -> Completion | None:
        text, at = writing.before + document.text, len(writing.before) + offset
        return draft.complete(text, at, writing.engine, writing.engine_version)

    answer = await session.ask_draft(writing, proposals, None)
    if answer is None:
        return None
    trigger = params.context.trigger_character if params.context is not None else None
    selection = [each for each in answer.proposals if _is_wanted(each, trigger)]
    if trigger == "(" and answer.any_value:
        selection = []
    # A place in front of the document belongs to no completion in it.
    start, end = (max(0, at - len(writing.before)) for at in (answer.span.start, answer.span.end))
    place = range_of(Span(start, end), document.lines, session.profile)
    items = [_item(each, number, place, ls) for number, each in enumerate(selection)]
    return types.CompletionList(is_incomplete=False, items=items)


def _is_wanted(proposal: Proposal, trigger: str | None) -> bool:
    """Return whether a proposal may come unasked: behind a quote that closes a text or a name, none does."""
    return trigger not in ("'", "`") or proposal.insert.startswith(trigger)


def _item(proposal: Proposal, number: int, place: types.Range, ls: KeepstateServer) -> types.CompletionItem:
    profile = ls.session.profile
    snippet = proposal.snippet if profile.takes_snippets else None
    item = types.CompletionItem(
        proposal.label,
        kind=_KINDS[proposal.kind.value],
        detail=proposal.detail or None,
        documentation=proposal.meaning or None,
        sort_text=f"{proposal.group.value}{number:04}",
        filter_text=_typed(proposal),
        text_edit=types.TextEdit(place, snippet or proposal.insert),
    )
    if snippet is not None:
        item.insert_text_format = types.InsertTextFormat.Snippet
    if profile.shows_label_details and proposal.detail and "(" not in proposal.label:
        item.label_details = types.CompletionItemLabelDetails(description=proposal.detail)
    return item


def _typed(proposal: Proposal) -> str | None:
    """The text that the user types for a proposal, where that is not its label."""
    if proposal.insert[:1] in ("'", "`") and proposal.insert[1:-1] == proposal.label:
        return proposal.insert
    return proposal.label.rpartition(".")[2] if proposal.kind.value == "column" and "." in proposal.label else None


# ------------------------------------------------------------------------------------------------ signatures


async def signature_help(ls: KeepstateServer, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    session = ls.session
    writing = await session.writing(params.text_document.uri)
    if writing is None:
        return None
    document = writing.document
    offset = document.lines.offset(position_from(params.position), session.profile.encoding)

    def help_at(draft: Draft) -> SignatureHelp | None:
        text, at = writing.before + document.text, len(writing.before) + offset
        return draft.signature_help(text, at, writing.engine, writing.engine_version)

    answer = await session.ask_draft(writing, help_at, None)
    if answer is None:
        return None
    by_place = session.profile.names_parameter_places
    # A number beyond the last parameter marks none.
    active = answer.parameter if answer.parameter is not None else len(answer.forms[answer.active].parameters)
    signatures = [
        types.SignatureInformation(
            form.text,
            documentation=form.meaning,
            parameters=[
                types.ParameterInformation(place if by_place else form.text[slice(*place)]) for place in form.parameters
            ],
            # Sent as null where it is left out, which since LSP 3.18 stands for no parameter at all.
            active_parameter=active,
        )
        for form in answer.forms
    ]
    return types.SignatureHelp(signatures, answer.active, active)


# ------------------------------------------------------------------------------------------------ the text's parts


async def document_symbol(
    ls: KeepstateServer, params: types.DocumentSymbolParams
) -> JsonResult | list[types.SymbolInformation]:
    uri, profile = params.text_document.uri, ls.session.profile
    if profile.nests_symbols:
        no_data: list[dict[str, Any]] = []
        data = await _draft_answer(
            ls, uri, lambda draft, document: outline_data(draft, document.lines, profile.encoding), no_data
        )
        return JsonResult(data[0] if data is not None else ())
    nothing: tuple[Symbol, ...] = ()
    answer = await _draft_answer(ls, uri, lambda draft, document: draft.symbols(document.text), nothing)
    if answer is None:
        return []
    symbols, document = answer
    return [
        types.SymbolInformation(
            types.Location(uri, range_of(each.span, document.lines, profile)),
            each.name,
            types.SymbolKind(KINDS[each.kind.value]),
        )
        for symbol in symbols
        for each in (symbol, *symbol.children)
    ]


async def folding_range(ls: KeepstateServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    nothing: tuple[Fold, ...] = ()
    answer = await _draft_answer(
        ls, params.text_document.uri, lambda draft, document: draft.folds(document.text), nothing
    )
    return [
        types.FoldingRange(fold.first, fold.last, kind=types.FoldingRangeKind.Comment if fold.is_comment else None)
        for fold in (answer[0] if answer is not None else ())
    ]


async def selection_range(ls: KeepstateServer, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    encoding = ls.session.profile.encoding

    def around(draft: Draft, document: Document) -> list[tuple[Span, ...]]:
        offsets = (document.lines.offset(position_from(place), encoding) for place in params.positions)
        return [draft.selections(document.text, offset) for offset in offsets]

    nothing: list[tuple[Span, ...]] = []
    answer = await _draft_answer(ls, params.text_document.uri, around, nothing)
    if answer is None:
        return None
    chains, document = answer
    ranges: list[types.SelectionRange] = []
    for chain in chains:
        outer: types.SelectionRange | None = None
        for span in reversed(chain):
            outer = types.SelectionRange(range_of(span, document.lines, ls.session.profile), outer)
        assert outer is not None
        ranges.append(outer)
    return ranges


# ------------------------------------------------------------------------------------------------ semantic tokens


async def tokens(ls: KeepstateServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
    uri = params.text_document.uri
    data = await _tokens(ls, uri, None)
    return types.SemanticTokens(data, result_id=ls.session.sent_tokens.keep(uri, data))


async def tokens_delta(
    ls: KeepstateServer, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    uri = params.text_document.uri
    data = await _tokens(ls, uri, None)
    before = ls.session.sent_tokens.get(uri, params.previous_result_id)
    result_id = ls.session.sent_tokens.keep(uri, data)
    if before is None:
        return types.SemanticTokens(data, result_id=result_id)
    if before == data:
        return types.SemanticTokensDelta([], result_id=result_id)
    start, removed, new = token_edit(before, data)
    return types.SemanticTokensDelta([types.SemanticTokensEdit(start, removed, new)], result_id=result_id)


async def tokens_in_range(ls: KeepstateServer, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    return types.SemanticTokens(await _tokens(ls, params.text_document.uri, params.range))


async def _tokens(ls: KeepstateServer, uri: str, within: types.Range | None) -> list[int]:
    encoding = ls.session.profile.encoding

    def data(draft: Draft, document: Document) -> list[int]:
        span = convert.span_of(within, document, encoding) if within is not None else None
        return token_data(draft, document.lines, encoding, span)

    nothing: list[int] = []
    answer = await _draft_answer(ls, uri, data, nothing)
    return answer[0] if answer is not None else []
