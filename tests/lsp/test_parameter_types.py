"""Parameters of a wrong type: each one of each message that the server handles.

A request is answered with InvalidParams, a notification is refused in the log, and the server goes on.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from lsprotocol import types

from keepstate_lsp.lsp.base_protocol.parameters import misfits
from keepstate_lsp.lsp.handlers import _COMMANDS, _FEATURES
from raw import INITIALIZE, RawClient, hover

INVALID_PARAMS = -32602
URI = "untitled:types.fql"
RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
DOCUMENT = {"uri": URI}
REQUESTS: dict[str, dict[str, Any]] = {
    "textDocument/hover": hover(URI),
    "textDocument/codeLens": {"textDocument": DOCUMENT},
    "textDocument/inlayHint": {"textDocument": DOCUMENT, "range": RANGE},
    "textDocument/diagnostic": {"textDocument": DOCUMENT, "previousResultId": "1"},
    "textDocument/codeAction": {"textDocument": DOCUMENT, "range": RANGE, "context": {"diagnostics": [], "only": [""]}},
    "workspace/diagnostic": {"previousResultIds": [{"uri": URI, "value": "1"}]},
    "workspace/textDocumentContent": {"uri": URI},
    "workspace/executeCommand": {"command": "keepstate.openRule", "arguments": []},
    "codeAction/resolve": {"title": "a title", "kind": "quickfix", "isPreferred": True},
}
NOTIFICATIONS: dict[str, dict[str, Any]] = {
    "textDocument/didOpen": {"textDocument": {"uri": URI, "languageId": "flink-sql", "version": 1, "text": "SELECT 1"}},
    "textDocument/didChange": {
        "textDocument": {"uri": URI, "version": 2},
        "contentChanges": [{"range": RANGE, "text": "S"}],
    },
    "textDocument/didSave": {"textDocument": DOCUMENT, "text": "SELECT 1"},
    "textDocument/didClose": {"textDocument": DOCUMENT},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": [{"uri": "file:///none", "name": "a"}], "removed": []}},
    "workspace/didChangeWatchedFiles": {"changes": [{"uri": "file:///none/a.sql", "type": 1}]},
    "$/cancelRequest": {"id": 9999},
    "window/workDoneProgress/cancel": {"token": "none"},
    "$/setTrace": {"value": "off"},
}
WITHOUT_TYPES = {
    "workspace/didChangeConfiguration": "its settings may be anything: see test_settings",
    "initialized": "it has no parameters",
    "shutdown": "it has no parameters",
    "initialize": "it is sent once: see below",
}
WRONG: tuple[Any, ...] = (5, None, ["a"], {"a": 1}, "a text", True, -1, 0.5)


def test_each_method_is_here() -> None:
    assert {*REQUESTS, *NOTIFICATIONS, *WITHOUT_TYPES} >= {*_FEATURES, "workspace/executeCommand"}


def places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all values in a JSON value, its own first."""
    yield place
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*place, key))


def mutants(method: str, params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Parameters of which one has a wrong type or is missing, with what was done, as the types of the protocol say."""
    kind = types.METHOD_TO_TYPES[method][2]
    for place in places(params):
        for wrong in WRONG:
            changed = wrong
            if place:
                changed = copy.deepcopy(params)
                within(changed, place)[place[-1]] = wrong
            if list(misfits(changed, kind)):
                yield f"{method} {place} = {wrong!r}", changed
        if place and isinstance(place[-1], str):
            changed = copy.deepcopy(params)
            del within(changed, place)[place[-1]]
            if list(misfits(changed, kind)):
                yield f"{method} {place} is missing", changed


def within(value: Any, place: tuple[str | int, ...]) -> Any:
    for key in place[:-1]:
        value = value[key]
    return value


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """One server for all tests: nothing that it is sent may cost what comes later."""
    with RawClient(tmp_path_factory.mktemp("cache")) as client:
        client.begin()
        client.notify("textDocument/didOpen", NOTIFICATIONS["textDocument/didOpen"])
        yield client


LEAST = {"textDocument/hover": 25, "textDocument/didOpen": 25, "textDocument/didChange": 50}


@pytest.mark.parametrize("method", REQUESTS)
def test_a_request_with_a_parameter_of_a_wrong_type_is_refused(server: RawClient, method: str) -> None:
    tried = list(mutants(method, REQUESTS[method]))
    assert len(tried) >= LEAST.get(method, 7)
    for what, params in tried:
        answer = server.ask(method, params)
        assert answer.get("error", {}).get("code") == INVALID_PARAMS, (what, answer)
        assert "params" in answer["error"]["message"], (what, answer)
    assert server.is_well()


@pytest.mark.parametrize("method", NOTIFICATIONS)
def test_a_notification_with_a_parameter_of_a_wrong_type_is_refused_in_the_log(server: RawClient, method: str) -> None:
    tried = list(mutants(method, NOTIFICATIONS[method]))
    assert len(tried) >= LEAST.get(method, 7)
    server.notifications.clear()
    for _, params in tried:
        # Not as `notify` does, for which no parameters are none.
        server.send({"jsonrpc": "2.0", "method": method, "params": params})
    assert server.is_well()
    said = [one["params"]["message"] for one in server.notifications if one["method"] == "window/logMessage"]
    assert len([one for one in said if one.startswith(f"{method} was not heeded")]) == len(tried), (said, tried)


def test_what_was_refused_changed_nothing(server: RawClient) -> None:
    for method in ("textDocument/didChange", "textDocument/didClose"):
        for _, params in mutants(method, NOTIFICATIONS[method]):
            server.send({"jsonrpc": "2.0", "method": method, "params": params})
    answer = server.ask("workspace/executeCommand", {"command": "keepstate.showPlan", "arguments": [URI]})
    assert "result" in answer, answer


DOCUMENTS: tuple[list[Any], ...] = ([5], [True], [["a"]], [{"uri": 5}])
ARGUMENTS: dict[str, tuple[list[Any], ...]] = {
    "keepstate.showBaseline": DOCUMENTS,
    "keepstate.showPlan": DOCUMENTS,
    "keepstate.reportDocument": DOCUMENTS,
    "keepstate.listBaselines": DOCUMENTS,
    "keepstate.replaySettings": DOCUMENTS,
    "keepstate.cancelReplay": DOCUMENTS,
    "keepstate.replay": (*DOCUMENTS, [URI, 5], [URI, ["a"]], [URI, "a"]),
    "keepstate.cancelVerify": DOCUMENTS,
    "keepstate.verify": (*DOCUMENTS, [URI, 5], [URI, ["a"]], [URI, "a"]),
    "keepstate.cancelCutover": DOCUMENTS,
    "keepstate.cutover": (*DOCUMENTS, [URI, 5], [URI, ["a"]], [URI, "a"]),
    "keepstate.compareText": (*DOCUMENTS, [URI, "1"], [URI, True], [URI, -1], [URI, 0.5], [URI, [1]]),
    "keepstate.markDeployed": (*DOCUMENTS, [URI, 5], [URI, True], [URI, ["a"]]),
    "keepstate.drawing": DOCUMENTS,
    "keepstate.select": (*DOCUMENTS, [URI, "0"], [URI, 0, 0, 0, None], [URI, [1]]),
    "keepstate.report": ([5], ["html"], [{"format": 5}], [{"format": ["html"]}]),
    "keepstate.chooseBaseline": ([5], [True], [["HEAD"]], [{"a": 1}]),
    "keepstate.openRule": ([5], [True], [["a"]], [{"a": 1}]),
}
TAKING_NONE = ("keepstate.recheckAll",)


def test_each_command_is_here() -> None:
    assert {*ARGUMENTS, *TAKING_NONE} == {*_COMMANDS}


@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_command_with_an_argument_of_a_wrong_type_is_refused(server: RawClient, command: str) -> None:
    for arguments in ARGUMENTS[command]:
        answer = server.ask("workspace/executeCommand", {"command": command, "arguments": arguments})
        assert answer.get("error", {}).get("code") == INVALID_PARAMS, (arguments, answer)
    assert server.is_well()


@pytest.mark.parametrize("place", [("processId",), ("rootUri",), ("capabilities",), ("workspaceFolders",), ("trace",)])
@pytest.mark.parametrize("wrong", ["a text", ["a"], {"a": 1}, 0.5])
def test_initialize_can_be_tried_again_after_a_wrong_type(tmp_path: Path, place: tuple[str], wrong: Any) -> None:
    params = {**INITIALIZE, place[0]: wrong}
    if not list(misfits(params, types.InitializeParams)):
        pytest.skip("it is of that type")
    with RawClient(tmp_path / "cache") as client:
        assert client.ask("initialize", params)["error"]["code"] == INVALID_PARAMS
        client.begin()
        assert client.is_well()


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({"textDocument": DOCUMENT, "position": {"line": 1.0, "character": 0}}, types.HoverParams),
        (
            {"capabilities": {"textDocument": {"hover": {"dynamicRegistration": 1}}}, "processId": None},
            types.InitializeParams,
        ),
        ({"capabilities": [], "processId": None, "rootUri": None}, types.InitializeParams),
        ({"capabilities": {"a": 1, "workspace": {"b": []}}, "processId": None, "more": 1}, types.InitializeParams),
        ({"textDocument": DOCUMENT, "context": {"diagnostics": {}}, "range": RANGE}, types.CodeActionParams),
    ],
)
def test_what_clients_send_instead_is_taken(params: dict[str, Any], kind: Any) -> None:
    """Numbers of Lua, truth values of Vim script, empty tables that may be either, members of later versions."""
    assert list(misfits(params, kind)) == []


def test_each_type_of_the_protocol_is_understood() -> None:
    for kind in types.ALL_TYPES_MAP.values():
        if isinstance(kind, type) and attrs.has(kind):
            assert list(misfits("a text", kind)), kind
            list(misfits({}, kind))
