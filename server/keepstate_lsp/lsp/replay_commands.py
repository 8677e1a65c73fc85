"""The commands for replays: begin, watch, cancel, report."""

from __future__ import annotations

import asyncio
import re
import shutil
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.replays.process import ReplayFailed, ReplayProcess
from keepstate_lsp.analysis.replays.request import ReplayRefused, ReplayRequest, identity_of
from keepstate_lsp.analysis.replays.results import ReplayResult
from keepstate_lsp.lsp.command_arguments import options_argument, show, target_analysis, target_uri

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer
    from keepstate_lsp.lsp.progress import ProgressBar

_OPEN = "Open Report"
_STALE = "This was the text as it was then; it has changed since."
_OTHER_TIME = re.compile(r"\s*Try: --restart-at '([^']+)'")


async def replay_settings(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """The settings of a replay of a document, and the missing ones."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    offer = await ls.session.ask(lambda checks: checks.replay_offer(analysis))
    uri = analysis.document.uri
    last = ls.session.replays.last(uri)
    former = last.restart_at if last is not None else None
    return {
        "restartAt": ls.replays.suggested.get(uri) or former or offer.restart_at,
        "data": dict(offer.data),
        "arrival": dict(offer.arrival),
        "missing": list(offer.missing),
        "refused": offer.refused,
    }


async def replay(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Begin a replay of a document as it is now; with ``wait`` the answer is what it found."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    options = options_argument(args, 1)
    name = analysis.document.name
    try:
        request = await ls.session.ask(lambda checks: checks.replay_request(analysis, options))
    except ReplayRefused as refused:
        raise _failure(str(refused)) from refused
    folder = await ls.session.ask(lambda checks: checks.replay_folder())
    if request.uri in ls.replays.running:
        raise _failure(f"A replay of {name} is running already; cancel it first.")
    process = ls.replays.running[request.uri] = ReplayProcess(request, folder)
    token = options.get("progressToken")
    title = f"Keepstate: replaying a restart of {name} at {request.restart_at}"
    work = ls.spawn(_replayed(ls, request, process, title, token if isinstance(token, str) else None))
    if options.get("wait"):
        try:
            return _answer(await work, await _is_stale(ls, request))
        except ReplayFailed as failed:
            raise _failure(str(failed)) from failed
    ls.spawn(_tell(ls, request, work))
    return {"restartAt": request.restart_at, "data": dict(request.data), "arrival": dict(request.arrival)}


async def cancel_replay(ls: KeepstateServer, *args: Any) -> bool:
    """End the replay of a document; whether there was one."""
    return ls.replays.cancel(target_uri(ls, args))


async def _replayed(
    ls: KeepstateServer, request: ReplayRequest, process: ReplayProcess, title: str, token: str | None
) -> ReplayResult | None:
    """The result of a replay, ``None`` after a cancellation; the client shows the progress."""
    bar: ProgressBar | None = None
    try:
        bar = await ls.show_progress(title, counts=False, token=token)
        if bar is not None:
            bar.when_cancelled(process.cancel)
            bar.say("Spark is started")
        result = await _in_thread(process, bar)
    except ReplayFailed as failed:
        raise _without_options(ls, request.uri, failed) from failed
    finally:
        ls.replays.running.pop(request.uri, None)
        if bar is not None:
            bar.end()
    if result is not None:
        ls.replays.suggested.pop(request.uri, None)
        former = ls.session.replays.keep(request.uri, result)
        if former is not None:
            shutil.rmtree(former.folder.parent, ignore_errors=True)
        if ls.session.profile.refreshes_lenses:
            ls.workspace_code_lens_refresh(None)
    return result


async def _in_thread(process: ReplayProcess, bar: ProgressBar | None) -> ReplayResult | None:
    loop = asyncio.get_running_loop()

    def heard(message: str) -> None:
        if bar is not None:
            loop.call_soon_threadsafe(bar.say, message)

    work = loop.run_in_executor(None, process.run, heard)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        # The request was cancelled, or the server ends: not before the process did.
        process.cancel()
        await asyncio.wait([work])
        raise


def _without_options(ls: KeepstateServer, uri: str, failed: ReplayFailed) -> ReplayFailed:
    """The message of a command for an editor: without options, but with a new question for the time."""
    sentence = str(failed)
    found = _OTHER_TIME.search(sentence)
    if found is None:
        return failed
    ls.replays.suggested[uri] = found[1]
    return ReplayFailed(f"{sentence[: found.start()]} Try {found[1]}.")


async def _is_stale(ls: KeepstateServer, request: ReplayRequest) -> bool:
    """Return whether the document, if it is still open, has another text by now."""
    analysis: Analysis | None = await ls.session.analysis(request.uri)
    if analysis is None:
        return False
    return analysis.comparison is None or identity_of(analysis.comparison) != request.identity


def _answer(result: ReplayResult | None, stale: bool) -> dict[str, Any]:
    if result is None:
        return {"cancelled": True}
    page = result.page
    return {
        "cancelled": False,
        "sentence": _said(result, stale),
        "restartAt": result.restart_at,
        "stale": stale,
        "page": uri_of(page) if page is not None else None,
        "folder": uri_of(result.folder),
    }


def _said(result: ReplayResult, stale: bool) -> str:
    return " ".join((result.sentence, *result.notes, *((_STALE,) if stale else ())))


async def _tell(ls: KeepstateServer, request: ReplayRequest, work: asyncio.Task[ReplayResult | None]) -> None:
    """Tell the user what a replay found, and open its report if they like."""
    try:
        result = await work
    except ReplayFailed as failed:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(failed)))
        return
    if result is None:
        return
    said = _said(result, await _is_stale(ls, request))
    page = result.page
    if page is None or not ls.session.profile.shows_documents:
        where = f" {uri_of(page)}" if page is not None else ""
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, said + where))
        return
    asked = types.ShowMessageRequestParams(types.MessageType.Info, said, [types.MessageActionItem(_OPEN)])
    try:
        chosen = await ls.window_show_message_request_async(asked)
    except JsonRpcException:
        # Some clients show messages, but have no requests with buttons.
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"{said} {uri_of(page)}"))
        return
    if chosen is not None and chosen.title == _OPEN:
        await show(ls, uri_of(page), external=True)


def _failure(sentence: str) -> JsonRpcException:
    return JsonRpcException(sentence, types.LSPErrorCodes.RequestFailed)


REPLAY_COMMANDS = {
    "keepstate.replaySettings": replay_settings,
    "keepstate.replay": replay,
    "keepstate.cancelReplay": cancel_replay,
}
