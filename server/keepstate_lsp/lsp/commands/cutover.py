"""The commands for cutover plans: begin, watch, cancel, open."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from keepstate_lsp.analysis.cutovers.process import KIND, CutoverProcess, CutoverResult
from keepstate_lsp.analysis.cutovers.request import CutoverRequest, request_of
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.runs.process import RunFailed
from keepstate_lsp.analysis.runs.request import RunRefused
from keepstate_lsp.lsp.command_arguments import options_argument, show, target_analysis, target_uri
from keepstate_lsp.lsp.commands.runs import (
    Shown,
    answered,
    begin,
    failure,
    folder_of_run,
    require_trust,
    watched,
    with_staleness,
)

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer

_OPTION = re.compile(r"^--[a-z-]+: |^--|\s*Try: [^.]*--.*")
"""Names of options, and remedies of the command line, which an editor does not have."""


async def cutover(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Plan the cutover to a document as it is now; with ``wait`` the answer is the plan in a sentence and its page."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    options = options_argument(args, 1)
    require_trust(ls)
    path = analysis.document.path
    workspace_folder = None if path is None else ls.session.settings_for(Path(path))[1]
    try:
        request = await ls.session.ask(lambda _: request_of(analysis, workspace_folder, options))
    except RunRefused as refused:
        raise failure(str(refused)) from refused
    process = CutoverProcess(request, await folder_of_run(ls))
    name = analysis.document.name
    begin(ls, process, request.run.uri, name)
    work = ls.spawn(_planned(ls, request, process, f"Keepstate: planning the cutover of {name}", options))
    return await answered(ls, work, request.run, options, _shown(ls)) or {"folder": uri_of(request.folder)}


async def cancel_cutover(ls: KeepstateServer, *args: Any) -> bool:
    """End the planning of a document; whether there was one."""
    return ls.runs.cancel(KIND, target_uri(ls, args))


async def _planned(
    ls: KeepstateServer, request: CutoverRequest, process: CutoverProcess, title: str, options: dict[str, Any]
) -> CutoverResult | None:
    try:
        return await watched(ls, process, request.run.uri, title, "Both versions are compared", options)
    except RunFailed as failed:
        raise RunFailed(_OPTION.sub("", str(failed))) from failed


def _shown(ls: KeepstateServer) -> Shown[CutoverResult]:
    def answer(found: CutoverResult, stale: bool) -> dict[str, Any]:
        return {
            "sentence": with_staleness(found.sentence, stale),
            "approach": found.approach,
            "exact": found.is_exact,
            "page": None if found.page is None else uri_of(found.page),
        }

    async def tell(found: CutoverResult, stale: bool) -> None:
        said = with_staleness(found.sentence, stale)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))
        if found.page is not None:
            await show(ls, uri_of(found.page))

    return Shown(answer, tell)


CUTOVER_COMMANDS = {"keepstate.cutover": cutover, "keepstate.cancelCutover": cancel_cutover}
