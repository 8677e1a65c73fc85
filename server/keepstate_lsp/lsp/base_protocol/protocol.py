"""The protocol layer of pygls, with the rules of the protocol in front, and with document sync left to Keepstate.

pygls leaves requests without an answer that it cannot read, or that come after ``shutdown``, and knows no order of
messages. Here each message is looked at first: each request gets an answer, with the error that the protocol has for
it, and what has no place in the order (``initialize`` first and once, nothing but ``exit`` after ``shutdown``) goes no
further.

pygls also keeps the text of open documents itself and breaks lines as ``str.splitlines`` does; its store would disagree
with the client's, and fail on edits behind such a line. Here these notifications go straight to the server's handlers,
and nothing of them stays.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future
from enum import Enum
from itertools import islice
from typing import Any, Protocol, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from keepstate_lsp.lsp.base_protocol.framing import Message, NoMessage
from keepstate_lsp.lsp.base_protocol.parameters import misfits

Step = Generator[Any, Any, Any]

log = logging.getLogger(__name__)

_ATTRIBUTE = re.compile(r"@ attribute (\w+)$")
_MOST_FAULTS = 3
"""Of a message that cannot be read."""


class Phase(Enum):
    """The phase of a session."""

    NEW = "new"
    AT_WORK = "at work"
    SHUT_DOWN = "shut down"


class JsonResult(list[Any]):
    """A result that is JSON already: pygls would go through each of its thousands of values once more."""


class ProtocolServer(Protocol):
    """The server behind the protocol."""

    def declare(self, capabilities: types.ServerCapabilities) -> None: ...

    def leave(self) -> None: ...


class KeepstateProtocol(LanguageServerProtocol):
    _phase = Phase.NEW
    _is_confirmed = False

    @property
    def _served(self) -> ProtocolServer:
        return cast(ProtocolServer, self._server)

    # ------------------------------------------------------------------------------------------- every message

    def received(self, message: Message | NoMessage) -> None:
        """Handle what the client sent."""
        if isinstance(message, NoMessage):
            self._refuse(None, JsonRpcParseError(f"this is no message: {message.why}"))
            return
        content = message.value
        if not isinstance(content, dict):
            self._refuse(None, JsonRpcInvalidRequest("a message is one object"))
        elif content.get("jsonrpc") != self.VERSION:
            self._refuse(_identity(content), JsonRpcInvalidRequest(f'a message has "jsonrpc": "{self.VERSION}"'))
        elif "method" not in content:
            self._answered(content)
        elif not isinstance(content["method"], str):
            self._refuse(_identity(content), JsonRpcInvalidRequest("the name of a method is a string"))
        elif "id" not in content:
            self._notified(content["method"], content)
        elif _identity(content) is None:
            self._refuse(None, JsonRpcInvalidRequest("the id of a request is a number or a string"))
        else:
            self._requested(content["method"], content)

    def _requested(self, method: str, content: dict[str, Any]) -> None:
        try:
            self._unless_out_of_order(method)
            if not self._is_known(method):
                raise JsonRpcMethodNotFound.of(method)
            request = self._structured(method, content)
        except JsonRpcException as error:
            self._refuse(content["id"], error)
            return
        self.handle_message(request)

    def _notified(self, method: str, content: dict[str, Any]) -> None:
        # Without a session the only valid message is the exit.
        if self._phase is not Phase.AT_WORK and method != types.EXIT:
            log.info("%s came while the server was %s", method, self._phase.value)
            return
        if not self._is_known(method) and method != types.CANCEL_REQUEST:
            log.debug("there is no notification %s", method)
            return
        try:
            notification = self._structured(method, content)
        except JsonRpcException as error:
            log.warning("%s was not heeded: %s", method, error)
            return
        if method == types.INITIALIZED:
            if self._is_confirmed:
                log.warning("%s came once more", method)
                return
            self._is_confirmed = True
        self.handle_message(notification)

    def _answered(self, content: dict[str, Any]) -> None:
        """A response to a request of the server."""
        identity = content.get("id")
        if not isinstance(identity, (int, str)) or identity not in self._request_futures:
            if "result" in content or "error" in content:
                log.info("nothing was asked that this answers: %r", identity)
            else:
                self._refuse(_identity(content), JsonRpcInvalidRequest("a request has a method"))
            return
        if self._request_futures[identity].done():
            # Cancelled by the server, at its end say, while the client wrote the answer.
            del self._request_futures[identity]
            self._result_types.pop(identity, None)
            return
        if "error" in content:
            self._handle_response(identity, error=_error_of(content["error"]))
            return
        kind = self._result_types.pop(identity, None)
        try:
            result = content.get("result")
            if kind is not None:
                whole = {"jsonrpc": self.VERSION, "id": identity, "result": result}
                result = self._converter.structure(whole, kind).result
        except Exception as error:  # noqa: BLE001 - any fault fails the request
            problem = types.ResponseError(JsonRpcInvalidParams.CODE, f"the answer cannot be read: {_faults(error)}")
            self._handle_response(identity, error=problem)
            return
        self._handle_response(identity, result)

    def _unless_out_of_order(self, method: str) -> None:
        if self._phase is Phase.SHUT_DOWN:
            raise JsonRpcInvalidRequest("the server was shut down")
        if self._phase is Phase.NEW and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("the server is not initialized")
        if self._phase is Phase.AT_WORK and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is initialized already")

    def _is_known(self, method: str) -> bool:
        return method in self.fm.builtin_features or method in self.fm.features

    def _structured(self, method: str, content: dict[str, Any]) -> Any:
        """The message with its parameters as values of lsprotocol.

        Raises:
            JsonRpcInvalidParams: they are none of this method.
        """
        kind = types.METHOD_TO_TYPES[method][0]
        if method in _WITHOUT_PARAMETERS:
            # Clients send null, an empty object, or nothing.
            content = {key: entry for key, entry in content.items() if key != "params"}
        else:
            params_type = types.METHOD_TO_TYPES[method][2]
            wrong = () if params_type is None else misfits(content.get("params"), params_type)
            if sentence := "; ".join(islice(wrong, _MOST_FAULTS)):
                raise JsonRpcInvalidParams(f"{method}: {sentence}")
        try:
            return self._converter.structure(content, kind)
        except Exception as error:
            raise JsonRpcInvalidParams(f"{method}: {_faults(error)}") from error

    def _refuse(self, identity: int | str | None, error: JsonRpcException) -> None:
        log.info("request %r is refused: %s", identity, error)
        problem = error.to_response_error()
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": self._converter.unstructure(problem)})

    def _send_response(
        self, msg_id: int | str, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None or not isinstance(result, JsonResult):
            super()._send_response(msg_id, result, error)
            return
        self._result_types.pop(msg_id, None)
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result})

    # ------------------------------------------------------------------------------------------- life

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Step:
        result = yield from super().lsp_initialize(params)
        self._served.declare(result.capabilities)
        self._phase = Phase.AT_WORK
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Step:
        yield self.fm.features[types.SHUTDOWN], args, None
        own = self.msg_id
        # A future that is cancelled is forgotten at once.
        for identity, future in list(self._request_futures.items()):
            if identity != own and not future.done():
                future.cancel()
        self._phase = Phase.SHUT_DOWN

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        self._served.leave()

    # ------------------------------------------------------------------------------------------- documents

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
        finished = [number for number, noted in self._request_futures.items() if noted.done()]
        for number in finished:
            self._request_futures.pop(number, None)

    @property
    def is_shut_down(self) -> bool:
        """Return whether the client asked for a shutdown before its exit."""
        return self._phase is Phase.SHUT_DOWN


_WITHOUT_PARAMETERS = frozenset({types.SHUTDOWN, types.EXIT})


def _identity(content: Mapping[str, Any]) -> int | str | None:
    """The id of a request, if it has one that the protocol allows."""
    identity = content.get("id")
    return identity if isinstance(identity, (int, str)) and not isinstance(identity, bool) else None


def _error_of(error: Any) -> types.ResponseError:
    """The error that a client answered instead of a result, in any form."""
    if isinstance(error, dict) and isinstance(error.get("code"), int) and isinstance(error.get("message"), str):
        return types.ResponseError(error["code"], error["message"], error.get("data"))
    return types.ResponseError(JsonRpcException.CODE, f"an error that cannot be read: {error!r}"[:200])


def _faults(error: BaseException) -> str:
    """The faults of a message, with their places: ``params.position.line: invalid literal``."""
    return "; ".join(list(_faults_in(error, ()))[:_MOST_FAULTS])


def _faults_in(error: BaseException, place: tuple[str, ...]) -> Iterator[str]:
    """Faults in a group of errors: the converter raises one group for each class on the way, with the attribute in a
    note.
    """
    inner = getattr(error, "exceptions", ())
    for one in inner:
        attributes = [match[1] for note in getattr(one, "__notes__", ()) if (match := _ATTRIBUTE.search(str(note)))]
        yield from _faults_in(one, (*place, *attributes[-1:]))
    if not inner:
        fault = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        yield f"{'.'.join(place)}: {fault}" if place else fault
