"""The commands for restarts on a real Flink: begin, watch, cancel, report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from keepstate_lsp.analysis.runs.process import RunFailed
from keepstate_lsp.analysis.runs.request import RunRefused
from keepstate_lsp.analysis.verifications.process import KIND, VerifyProcess
from keepstate_lsp.analysis.verifications.request import VerifyRequest, request_of
from keepstate_lsp.analysis.verifications.results import Verification
from keepstate_lsp.lsp.command_arguments import options_argument, target_analysis, target_uri
from keepstate_lsp.lsp.commands.runs import (
    Shown,
    answered,
    begin,
    failure,
    folder_of_run,
    refresh,
    require_trust,
    watched,
    with_staleness,
)

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer

_OPTION = re.compile(r"\s*Try: [^.]*--.*")
"""Remedies of the command line, which an editor does not have."""


async def verify(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Restart a document as it is now on a real Flink; with ``wait`` the answer is what was measured."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    options = options_argument(args, 1)
    require_trust(ls)
    try:
        request = request_of(analysis, options)
    except RunRefused as refused:
        raise failure(str(refused)) from refused
    process = VerifyProcess(request, await folder_of_run(ls))
    name = analysis.document.name
    begin(ls, process, request.run.uri, name)
    work = ls.spawn(_verified(ls, request, process, f"Keepstate: restarting {name} on a real Flink", options))
    begun = {"flink": request.flink, "generate": request.generates}
    return await answered(ls, work, request.run, options, _shown(ls)) or begun


async def cancel_verify(ls: KeepstateServer, *args: Any) -> bool:
    """End the rehearsal of a document; whether there was one."""
    return ls.runs.cancel(KIND, target_uri(ls, args))


async def _verified(
    ls: KeepstateServer, request: VerifyRequest, process: VerifyProcess, title: str, options: dict[str, Any]
) -> Verification | None:
    try:
        found = await watched(ls, process, request.run.uri, title, "Flink is started", options)
    except RunFailed as failed:
        raise RunFailed(_OPTION.sub("", str(failed))) from failed
    if found is not None:
        ls.session.verifications.keep(found)
        refresh(ls)
    return found


def _shown(ls: KeepstateServer) -> Shown[Verification]:
    def answer(found: Verification, stale: bool) -> dict[str, Any]:
        return {"sentence": with_staleness(found.sentence, stale)}

    async def tell(found: Verification, stale: bool) -> None:
        said = with_staleness(found.sentence, stale)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))

    return Shown(answer, tell)


VERIFY_COMMANDS = {"keepstate.verify": verify, "keepstate.cancelVerify": cancel_verify}
