"""Arguments of ``workspace/executeCommand``: resolve the target document and show the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

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
    target = convert.plain(args[0]) if args else None
    # An empty table of Lua becomes an empty list.
    uri = (target or {}).get("uri") if isinstance(target, dict) or target == [] else target
    if uri is not None and not isinstance(uri, str):
        raise JsonRpcInvalidParams("the first argument is the URI of a document, or an object with one")
    uri = uri or ls.session.last_touched
    if uri is None:
        raise JsonRpcInvalidParams("which document? None is open")
    return uri


def text_argument(args: tuple[Any, ...], number: int, subject: str) -> str | None:
    """An argument of a command that is a text; ``None`` where there is none, or an empty one.

    Raises:
        JsonRpcInvalidParams: it is something else; ``subject`` says in words what it has to be.
    """
    argument = convert.plain(args[number]) if len(args) > number else None
    if argument is not None and not isinstance(argument, str):
        raise JsonRpcInvalidParams(f"argument {number + 1} is {subject}")
    return (argument or "").strip() or None


def options_argument(args: tuple[Any, ...], number: int) -> dict[str, Any]:
    """An argument of a command that is an object; empty where there is none.

    Raises:
        JsonRpcInvalidParams: it is something else.
    """
    argument = convert.plain(args[number]) if len(args) > number else None
    # An empty table of Lua becomes an empty list.
    if argument is None or argument == []:
        return {}
    if not isinstance(argument, dict):
        raise JsonRpcInvalidParams(f"argument {number + 1} is an object")
    return argument


def position_argument(args: tuple[Any, ...], number: int) -> types.Position:
    """An argument of a command that is a position.

    Raises:
        JsonRpcInvalidParams: it is something else, or left out.
    """
    argument = convert.plain(args[number]) if len(args) > number else None
    place = argument if isinstance(argument, dict) else {}
    line, character = place.get("line"), place.get("character")
    if not (_is_count(line) and _is_count(character)):
        raise JsonRpcInvalidParams(f"argument {number + 1} is a position")
    return types.Position(line, character)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


async def show(ls: KeepstateServer, uri: str, *, external: bool = False, selection: types.Range | None = None) -> None:
    if ls.session.profile.shows_documents:
        placed = types.ShowDocumentParams(uri, external=external, take_focus=True, selection=selection)
        await ls.window_show_document_async(placed)
    else:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, uri))
