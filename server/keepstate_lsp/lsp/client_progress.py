"""The progress that a client shows of a long check."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer


class ProgressBar:
    """A work-done progress that the client may cancel."""

    def __init__(self, server: LanguageServer, token: str) -> None:
        self._server = server
        self._token = token
        self._percentage = 0

    @staticmethod
    async def begin(
        server: LanguageServer, title: str, *, counts: bool = True, token: str | None = None
    ) -> ProgressBar:
        """Ask the client for a progress bar, unless it gave a ``token`` of its own, and show it; ``counts``: how much
        there is to be done is known.

        Raises:
            JsonRpcException: the client refuses.
        """
        progress = server.work_done_progress
        if token is None:
            token = f"keepstate-{uuid.uuid4().hex[:12]}"
            await progress.create_async(token)
        percentage = 0 if counts else None
        progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=percentage))
        return ProgressBar(server, token)

    @property
    def cancelled(self) -> bool:
        token = self._server.work_done_progress.tokens.get(self._token)
        return token is not None and token.cancelled()

    def report(self, count: int, total: int) -> None:
        """Show that ``count`` of ``total`` files are checked; a client hears of it a hundred times at most."""
        percentage = 100 * count // max(total, 1)
        if percentage != self._percentage:
            self._percentage = percentage
            value = types.WorkDoneProgressReport(message=f"{count} of {total} files", percentage=percentage)
            self._server.work_done_progress.report(self._token, value)

    def say(self, message: str) -> None:
        """Show what is being done."""
        self._server.work_done_progress.report(self._token, types.WorkDoneProgressReport(message=message))

    def when_cancelled(self, call: Callable[[], None]) -> None:
        """Have ``call`` made if the client cancels."""

        def settled(token: Future[Any]) -> None:
            if token.cancelled():
                call()

        self._server.work_done_progress.tokens[self._token].add_done_callback(settled)

    def end(self) -> None:
        self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
        self._server.work_done_progress.tokens.pop(self._token, None)
