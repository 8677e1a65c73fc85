"""The commands for replays: begin, watch, cancel, report."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.replays.replay_process import KIND, ReplayProcess
from keepstate_lsp.analysis.replays.replay_request import ReplayRequest
from keepstate_lsp.analysis.replays.replay_results import ReplayResult
from keepstate_lsp.analysis.runs.command_process import RunFailed
from keepstate_lsp.lsp.command_arguments import show, target_analysis, target_uri
from keepstate_lsp.lsp.commands.runs import (
    ResultPresentation,
    answered,
    begin,
    folder_of_run,
    refresh,
    refusals_told,
    trusted_target,
    watched,
    with_staleness,
)

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer

_OPEN = "Open Report"
_OTHER_TIME = re.compile(r"\s*Try: --restart-at '([^']+)'")


async def replay_settings(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """The settings of a replay of a document, and the missing ones."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    offer = await ls.session.ask(lambda checks: checks.replay_offer(analysis))
    uri = analysis.document.uri
    last = ls.session.replays.last(uri)
    former = last.restart_at if last is not None else None
    return {
        "restartAt": ls.session.replays.suggested.get(uri) or former or offer.restart_at,
        "data": dict(offer.data),
        "arrival": dict(offer.arrival),
        "missing": list(offer.missing),
        "refused": offer.refused,
    }


async def replay(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Begin a replay of a document as it is now; with ``wait`` the answer is what it found."""
    target = await trusted_target(ls, args)
    with refusals_told():
        request = await ls.session.ask(lambda checks: checks.replay_request(target.analysis, target.options))
    process = ReplayProcess(request, await folder_of_run(ls))
    begin(ls, process, request.run.uri, target.name)
    title = f"Keepstate: replaying a restart of {target.name} at {request.restart_at}"
    work = ls.spawn(_replayed(ls, request, process, title, target.options))
    begun = {"restartAt": request.restart_at, "data": dict(request.data), "arrival": dict(request.arrival)}
    return await answered(ls, work, request.run, target.options, _presentation(ls)) or begun


async def cancel_replay(ls: KeepstateServer, *args: Any) -> bool:
    """End the replay of a document; whether there was one."""
    return ls.runs.cancel(KIND, target_uri(ls, args))


async def _replayed(
    ls: KeepstateServer, request: ReplayRequest, process: ReplayProcess, title: str, options: dict[str, Any]
) -> ReplayResult | None:
    uri = request.run.uri
    try:
        result = await watched(ls, process, uri, title, "Spark is started", options)
    except RunFailed as failed:
        raise _without_options(ls, uri, failed) from failed
    if result is not None:
        ls.session.replays.suggested.pop(uri, None)
        former = ls.session.replays.keep(uri, result)
        if former is not None:
            shutil.rmtree(former.folder.parent, ignore_errors=True)
        refresh(ls)
    return result


def _without_options(ls: KeepstateServer, uri: str, failed: RunFailed) -> RunFailed:
    """The message of a command for an editor: without options, but with a new question for the time."""
    sentence = str(failed)
    match = _OTHER_TIME.search(sentence)
    if match is None:
        return failed
    ls.session.replays.suggested[uri] = match[1]
    return RunFailed(f"{sentence[: match.start()]} Try {match[1]}.")


def _presentation(ls: KeepstateServer) -> ResultPresentation[ReplayResult]:
    async def tell(result: ReplayResult, stale: bool) -> None:
        await _tell(ls, result, _sentences(result, stale))

    return ResultPresentation(_answer, tell)


def _answer(result: ReplayResult, stale: bool) -> dict[str, Any]:
    page = result.page
    return {
        "sentence": _sentences(result, stale),
        "restartAt": result.restart_at,
        "page": uri_of(page) if page is not None else None,
        "folder": uri_of(result.folder),
    }


def _sentences(result: ReplayResult, stale: bool) -> str:
    return with_staleness(" ".join((result.sentence, *result.notes)), stale)


async def _tell(ls: KeepstateServer, result: ReplayResult, sentence: str) -> None:
    """Tell the user what a replay found, and open its report if they like."""
    page = result.page
    if page is None or not ls.session.profile.shows_documents:
        where = f" {uri_of(page)}" if page is not None else ""
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence + where))
        return
    request = types.ShowMessageRequestParams(types.MessageType.Info, sentence, [types.MessageActionItem(_OPEN)])
    try:
        answer = await ls.window_show_message_request_async(request)
    except JsonRpcException:
        # Some clients show messages, but have no requests with buttons.
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"{sentence} {uri_of(page)}"))
        return
    if answer is not None and answer.title == _OPEN:
        await show(ls, uri_of(page), external=True)


REPLAY_COMMANDS = {
    "keepstate.replaySettings": replay_settings,
    "keepstate.replay": replay,
    "keepstate.cancelReplay": cancel_replay,
}
