"""The commands for restarts on a real Flink: begin, watch, cancel, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from keepstate_lsp.analysis.verifications.verify_process import KIND, VerifyProcess
from keepstate_lsp.analysis.verifications.verify_request import request_of
from keepstate_lsp.analysis.verifications.verify_results import VerificationResult
from keepstate_lsp.lsp.command_arguments import target_uri
from keepstate_lsp.lsp.commands.runs import (
    ResultPresentation,
    folder_of_run,
    refresh,
    refusals_told,
    run_once,
    trusted_target,
    with_staleness,
)

if TYPE_CHECKING:
    from keepstate_lsp.lsp.language_server import KeepstateServer


async def verify(ls: KeepstateServer, *args: Any) -> dict[str, Any]:
    """Restart a document as it is now on a real Flink; with ``wait`` the answer is what was measured."""
    target = await trusted_target(ls, args)
    with refusals_told():
        request = request_of(target.analysis, target.options)
    process = VerifyProcess(request, await folder_of_run(ls))
    title = f"Keepstate: restarting {target.name} on a real Flink"

    def keep(verification: VerificationResult) -> None:
        ls.session.verifications.keep(verification)
        refresh(ls)

    answer = await run_once(ls, process, target, title, "Flink is started", _presentation(ls), keep)
    return answer or {"flink": request.flink, "generate": request.generates}


async def cancel_verify(ls: KeepstateServer, *args: Any) -> bool:
    """End the rehearsal of a document; whether there was one."""
    return ls.runs.cancel(KIND, target_uri(ls, args))


def _presentation(ls: KeepstateServer) -> ResultPresentation[VerificationResult]:
    def answer(verification: VerificationResult, stale: bool) -> dict[str, Any]:
        return {"sentence": with_staleness(verification.sentence, stale)}

    async def tell(verification: VerificationResult, stale: bool) -> None:
        sentence = with_staleness(verification.sentence, stale)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))

    return ResultPresentation(answer, tell)


VERIFY_COMMANDS = {"keepstate.verify": verify, "keepstate.cancelVerify": cancel_verify}
