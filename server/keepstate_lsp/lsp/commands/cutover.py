"""The commands for cutover plans: begin, watch, cancel, open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from keepstate_lsp.analysis.cutovers.cutover_process import KIND, CutoverProcess, CutoverResult
from keepstate_lsp.analysis.cutovers.cutover_request import request_of
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.lsp.command_arguments import show, target_uri
from keepstate_lsp.lsp.commands.runs import (
    ResultPresentation,
    folder_of_run,
    refusals_told,
    run_once,
    trusted_target,
    with_staleness,
)

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer


async def cutover(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Plan the cutover to a document as it is now; with ``wait`` the answer is the plan in a sentence and its page."""
    target = await trusted_target(ls, args)
    path = target.analysis.document.path
    workspace_folder = None if path is None else ls.session.settings_for(Path(path))[1]
    with refusals_told():
        request = await ls.session.ask(lambda _: request_of(target.analysis, workspace_folder, target.options))
    process = CutoverProcess(request, await folder_of_run(ls))
    title = f"Keepstate: planning the cutover of {target.name}"
    answer = await run_once(ls, process, target, title, "Both versions are compared", _presentation(ls))
    return answer or {"folder": uri_of(request.folder)}


async def cancel_cutover(ls: KeepstateServer, *args: Any) -> bool:
    """End the planning of a document; whether there was one."""
    return ls.runs.cancel(KIND, target_uri(ls, args))


def _presentation(ls: KeepstateServer) -> ResultPresentation[CutoverResult]:
    def answer(result: CutoverResult, stale: bool) -> dict[str, Any]:
        return {
            "sentence": with_staleness(result.sentence, stale),
            "approach": result.approach,
            "exact": result.is_exact,
            "page": None if result.page is None else uri_of(result.page),
        }

    async def tell(result: CutoverResult, stale: bool) -> None:
        sentence = with_staleness(result.sentence, stale)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
        if result.page is not None:
            await show(ls, uri_of(result.page))

    return ResultPresentation(answer, tell)


CUTOVER_COMMANDS = {"keepstate.cutover": cutover, "keepstate.cancelCutover": cancel_cutover}
