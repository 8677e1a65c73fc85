"""Arguments of ``workspace/executeCommand``: resolve the target document and show the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.lsp import convert

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer


async def target_analysis(ls: KeepstateServer, uri: str) -> Analysis:
    analysis = await ls.session.analysis(uri)
    if analysis is None:
        # An empty answer would look like an all-clear.
        raise JsonRpcException(f"nothing is known of {uri}", types.LSPErrorCodes.RequestFailed)
    return analysis


def target_uri(ls: KeepstateServer, args: tuple[Any, ...]) -> str:
    argument = convert.plain(args[0]) if args else None
    uri = argument.get("uri") if isinstance(argument, dict) else argument
    uri = uri or ls.session.last_touched
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("which document? None is open")
    return uri


async def show(ls: KeepstateServer, uri: str, *, external: bool = False, line: int | None = None) -> None:
    if ls.session.profile.shows_documents:
        placed = types.ShowDocumentParams(uri, external=external, take_focus=True, selection=convert.line_start(line))
        await ls.window_show_document_async(placed)
    else:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, uri))
