"""The protocol layer of pygls, with document sync left to Keepstate.

pygls keeps the text of open documents itself and breaks lines as ``str.splitlines`` does; its store would disagree with
the client's, and fail on edits behind such a line. Here these notifications go straight to the server's handlers, and
nothing of them stays.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from keepstate_lsp.server import KeepstateServer

Step = Generator[Any, Any, Any]


class KeepstateProtocol(LanguageServerProtocol):
    _server: KeepstateServer

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Step:
        result = yield from super().lsp_initialize(params)
        self._server.declare(result.capabilities)
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)

    def _check_handler_result(self, future: Future[Any]) -> None:
        super()._check_handler_result(future)
        # pygls notes a future for every notification that is handled in steps, and forgets those of requests only.
        done = [number for number, noted in self._request_futures.items() if noted.done()]
        for number in done:
            self._request_futures.pop(number, None)

    @property
    def is_shut_down(self) -> bool:
        """Whether the client asked for a shutdown, so that an exit is what it wants."""
        return self._shutdown
