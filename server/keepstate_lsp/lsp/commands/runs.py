"""Restarts tried beside the server, as all commands for them do it: begun, shown, ended with the server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.runs.command_process import CommandProcess, RunFailed
from keepstate_lsp.analysis.runs.run_request import RunRefused, RunRequest, identity_of
from keepstate_lsp.lsp.command_arguments import options_argument, target_analysis, target_uri

if TYPE_CHECKING:
    from keepstate_lsp.lsp.client_progress import ProgressBar
    from keepstate_lsp.lsp.language_server import KeepstateServer

R = TypeVar("R")

_OPTION = re.compile(r"^--[a-z-]+: |^--|\s*Try: [^.]*--.*")
"""Names of options, and remedies of the command line, which an editor does not have."""
STALE = "This was the text as it was then; it has changed since."


def require_trust(ls: KeepstateServer) -> None:
    """Refuse to run anything over files that the user of the client does not trust."""
    if ls.session.profile.is_untrusted:
        raise failure("This workspace is not trusted, so nothing is run over its files.")


async def folder_of_run(ls: KeepstateServer) -> Path:
    """A folder for a run, not yet made."""
    return await ls.session.ask(lambda checks: checks.run_folder())


def begin(ls: KeepstateServer, process: CommandProcess[Any], uri: str, name: str) -> None:
    """Note a process before it runs; there is one of its kind for a document at a time."""
    if not ls.runs.begin(uri, process):
        raise failure(f"A {process.kind} of {name} is running already; cancel it first.")


async def watched(
    ls: KeepstateServer, process: CommandProcess[R], uri: str, title: str, first: str, options: dict[str, Any]
) -> R | None:
    """The result of a process, ``None`` after a cancellation; the client shows the progress, ``first`` at once.

    Raises:
        RunFailed: there is none.
    """
    bar: ProgressBar | None = None
    token = options.get("progressToken")
    try:
        bar = await ls.show_progress(title, counts=False, token=token if isinstance(token, str) else None)
        if bar is not None:
            bar.when_cancelled(process.cancel)
            bar.say(first)
        return await _in_thread(process, bar)
    finally:
        ls.runs.end(uri, process)
        if bar is not None:
            bar.end()


def refresh(ls: KeepstateServer) -> None:
    """Have the client ask for the lines above queries again."""
    if ls.session.profile.refreshes_lenses:
        ls.workspace_code_lens_refresh(None)


async def is_stale(ls: KeepstateServer, request: RunRequest) -> bool:
    """Return whether the document, if it is still open, has another text by now."""
    analysis: Analysis | None = await ls.session.analysis(request.uri)
    if analysis is None:
        return False
    return analysis.comparison is None or identity_of(analysis.comparison) != request.identity


def with_staleness(sentence: str, stale: bool) -> str:
    """A message to the user, with a remark if the text has changed since."""
    return f"{sentence} {STALE}" if stale else sentence


def failure(sentence: str) -> JsonRpcException:
    """The error of a request whose message is for a person."""
    return JsonRpcException(sentence, types.LSPErrorCodes.RequestFailed)


async def _in_thread(process: CommandProcess[R], bar: ProgressBar | None) -> R | None:
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


@dataclass(frozen=True)
class ResultPresentation(Generic[R]):
    """The forms of a result: the members of an ``answer`` to the client, and what the user is shown by ``tell``. Both
    get the result, and whether the text has changed since.
    """

    answer: Callable[[R, bool], dict[str, Any]]
    tell: Callable[[R, bool], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class RunTarget:
    """The analysis of the document that a command is about, in a workspace that the user trusts, and its options."""

    analysis: Analysis
    options: dict[str, Any]

    @property
    def name(self) -> str:
        return self.analysis.document.name


async def trusted_target(ls: KeepstateServer, args: tuple[Any, ...]) -> RunTarget:
    """The target of a command; the workspace has to be trusted."""
    analysis = await target_analysis(ls, target_uri(ls, args))
    options = options_argument(args, 1)
    require_trust(ls)
    return RunTarget(analysis, options)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Turn the refusal of a request into the error of the command."""
    try:
        yield
    except RunRefused as refused:
        raise failure(str(refused)) from refused


async def run_once(
    ls: KeepstateServer,
    process: CommandProcess[R],
    target: RunTarget,
    title: str,
    first: str,
    display: ResultPresentation[R],
    keep: Callable[[R], None] = lambda _: None,
) -> dict[str, Any] | None:
    """Begin a process for a target, watched under ``title`` with the step ``first``; ``keep`` gets its result before
    the user does. The answer is that of ``answered``.
    """
    run = process.request
    begin(ls, process, run.uri, target.name)

    async def found() -> R | None:
        try:
            result = await watched(ls, process, run.uri, title, first, target.options)
        except RunFailed as failed:
            raise RunFailed(_OPTION.sub("", str(failed))) from failed
        if result is not None:
            keep(result)
        return result

    return await answered(ls, ls.spawn(found()), run, target.options, display)


async def answered(
    ls: KeepstateServer,
    work: asyncio.Task[R | None],
    run: RunRequest,
    options: dict[str, Any],
    display: ResultPresentation[R],
) -> dict[str, Any] | None:
    """The answer to a command that began ``work``: what it found, if the client waits for it. Else ``None`` at once,
    and the user is shown the result when it is there.
    """
    if not options.get("wait"):
        ls.spawn(_tell_result(ls, work, run, display))
        return None
    try:
        result = await work
    except RunFailed as failed:
        raise failure(str(failed)) from failed
    if result is None:
        return {"cancelled": True}
    stale = await is_stale(ls, run)
    return {"cancelled": False, **display.answer(result, stale), "stale": stale}


async def _tell_result(
    ls: KeepstateServer, work: asyncio.Task[R | None], run: RunRequest, display: ResultPresentation[R]
) -> None:
    try:
        result = await work
    except RunFailed as failed:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(failed)))
        return
    if result is not None:
        await display.tell(result, await is_stale(ls, run))
