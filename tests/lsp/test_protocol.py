"""The rules of the protocol: each request gets an answer, and the one that the protocol has for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from keepstate_lsp.lsp.handlers import _COMMANDS, _FEATURES
from raw import INITIALIZE, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RawClient, code, hover

NOT_INITIALIZED, CANCELLED, INTERNAL = -32002, -32800, -32603
JOB = "INSERT INTO daily SIZE 10 KEYS a,b;\n"
URI = "untitled:job.fql"
OPENED = {"textDocument": {"uri": URI, "languageId": "flink-sql", "version": 1, "text": JOB}}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[RawClient]:
    with RawClient(tmp_path / "cache") as client:
        yield client


@pytest.fixture
def begun(client: RawClient) -> RawClient:
    client.begin()
    return client


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """One server for all tests: nothing that it is sent may cost what comes later."""
    with RawClient(tmp_path_factory.mktemp("cache")) as client:
        client.begin()
        yield client


# ------------------------------------------------------------------------------------------------ the order


def test_nothing_is_answered_before_initialize(client: RawClient) -> None:
    for method, params in (("textDocument/hover", hover(URI)), ("shutdown", None), ("no/such", {}), ("$/such", {})):
        assert code(client.ask(method, params)) == NOT_INITIALIZED, method
    client.notify("textDocument/didOpen", OPENED)
    client.notify("initialized", {})
    client.begin()
    assert client.is_well()
    assert client.notifications == []


def test_initialize_comes_once(begun: RawClient) -> None:
    assert code(begun.ask("initialize", INITIALIZE)) == INVALID_REQUEST
    assert begun.is_well()


@pytest.mark.parametrize("params", [{}, [], "x", {"capabilities": 5}])
def test_initialize_can_be_tried_again(client: RawClient, params: object) -> None:
    assert code(client.ask("initialize", params)) == INVALID_PARAMS
    assert code(client.ask("shutdown")) == NOT_INITIALIZED
    client.begin()
    assert client.is_well()


@pytest.mark.parametrize("response", [{"result": [{}]}, {"error": {"code": 1, "message": "x"}}])
def test_an_answer_that_comes_after_the_shutdown(client: RawClient, response: dict[str, Any]) -> None:
    capabilities = {"workspace": {"configuration": True}}
    assert code(client.ask("initialize", {**INITIALIZE, "capabilities": capabilities})) is None
    client.notify("initialized", {})
    asked = client.asked("workspace/configuration")
    assert code(client.ask("shutdown")) is None
    client.send({"jsonrpc": "2.0", "id": asked["id"], **response})
    assert code(client.ask("textDocument/hover", hover(URI))) == INVALID_REQUEST
    assert "Traceback" not in json.dumps(client.notifications)


def test_nothing_but_exit_after_shutdown(begun: RawClient) -> None:
    assert code(begun.ask("shutdown")) is None
    for method, params in (("textDocument/hover", hover(URI)), ("shutdown", None), ("initialize", INITIALIZE)):
        assert code(begun.ask(method, params)) == INVALID_REQUEST, method
    begun.notify("textDocument/didOpen", OPENED)
    begun.notify("exit")
    assert begun.ended() == 0
    assert not [said for said in begun.notifications if said["method"].startswith("textDocument/")]


@pytest.mark.parametrize("params", [None, {}, []])
def test_shutdown_takes_whatever_clients_send(begun: RawClient, params: object) -> None:
    assert code(begun.ask("shutdown", params)) is None
    begun.notify("exit", params)
    assert begun.ended() == 0


def test_exit_without_shutdown(begun: RawClient) -> None:
    begun.notify("exit")
    assert begun.ended() == 1


def test_exit_before_initialize(client: RawClient) -> None:
    client.notify("exit")
    assert client.ended() == 1


@pytest.mark.parametrize("after_shutdown", [True, False])
def test_a_stream_that_ends(begun: RawClient, after_shutdown: bool) -> None:
    if after_shutdown:
        begun.ask("shutdown")
    begun.close()
    assert begun.ended() == (0 if after_shutdown else 1)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_it_as_the_end_of_the_stream_does(tmp_path: Path, number: str) -> None:
    with RawClient(tmp_path / "cache") as client:
        client.begin()
        client.signal(signal.Signals[number])
        assert client.ended() == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.usefixtures("default_signals")
def test_under_nohup_it_outlives_its_terminal_and_ends_when_killed(tmp_path: Path) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with RawClient(tmp_path / "cache") as client:
        client.begin()
        client.signal(signal.SIGHUP)
        assert client.is_well()
        client.signal(signal.SIGTERM)
        assert client.ended() == 1


@pytest.mark.parametrize("is_confirmed", [True, False], ids=["initialized", "before"])
@pytest.mark.parametrize("is_waited_for", [True, False], ids=["gone", "a zombie"])
def test_the_process_that_started_it_ends(tmp_path: Path, is_confirmed: bool, is_waited_for: bool) -> None:
    """The stream stays open, as if another process held its other end."""
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor,
        RawClient(tmp_path / "cache", poll_seconds=0.05) as client,
    ):
        client.ask("initialize", {**INITIALIZE, "processId": editor.pid})
        if is_confirmed:
            client.notify("initialized", {})
            assert client.is_well()
        editor.kill()
        if is_waited_for:
            editor.wait()
        assert client.ended() == 1


@pytest.mark.parametrize("process", [None, 0, -1, 2**31 - 1])
def test_a_process_that_cannot_be_seen_is_not_missed(tmp_path: Path, process: int | None) -> None:
    with RawClient(tmp_path / "cache", poll_seconds=0.01) as client:
        client.ask("initialize", {**INITIALIZE, "processId": process})
        client.notify("initialized", {})
        for _ in range(20):
            assert client.is_well()


def test_what_runs_at_shutdown_is_cancelled_and_answered(begun: RawClient) -> None:
    waiting = begun.request("workspace/diagnostic", {"previousResultIds": []})
    begun.answer(begun.request("shutdown"))
    # A client that does not pull is answered at once.
    assert code(begun.answer(waiting)) in (CANCELLED, None)


# ------------------------------------------------------------------------------------------------ requests


def test_methods_that_are_not_there(lasting: RawClient) -> None:
    for params in (None, {}, [], "x", 5):
        for method in ("no/such", "$/no/such", "textDocument/declaration", "", "exit/"):
            assert code(lasting.ask(method, params)) == METHOD_NOT_FOUND, method
        lasting.notify("no/such", params)
        lasting.notify("$/no/such", params)
    assert lasting.is_well()


MALFORMED: tuple[object, ...] = (
    [],
    [1],
    "text",
    5,
    True,
    {},
    {"textDocument": None},
    {"textDocument": {}},
    {"textDocument": {"uri": 5}, "position": {"line": 0, "character": 0}},
    {"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}},
    {"textDocument": {"uri": URI}, "position": {"line": 1 << 40, "character": 0}},
    {"textDocument": {"uri": URI}, "position": {"line": "0", "character": 0}},
    {"textDocument": {"uri": URI}, "position": [0, 0]},
    {"textDocument": {"uri": URI}, "range": {"start": 1}, "context": {}},
    {"previousResultIds": [{"uri": 1}]},
    {"uri": "file://[/x"},
    {"command": 5},
    {"command": "keepstate.report", "arguments": {}},
)


def takes_requests(method: str) -> bool:
    return "id" in types.METHOD_TO_TYPES[method][0].__annotations__


@pytest.mark.parametrize(
    "method", sorted(method for method in [*_FEATURES, types.WORKSPACE_EXECUTE_COMMAND] if takes_requests(method))
)
def test_parameters_that_are_none(lasting: RawClient, method: str) -> None:
    """Each is answered, and nothing of it is an internal error."""
    if method in (types.INITIALIZE, types.SHUTDOWN):
        pytest.skip("tested with the order of messages")
    codes = [code(lasting.ask(method, params)) for params in (None, *MALFORMED)]
    assert INTERNAL not in codes, list(zip((None, *MALFORMED), codes, strict=True))
    assert codes[:6] == [INVALID_PARAMS] * 6, codes
    assert lasting.is_well()


@pytest.mark.parametrize("method", sorted(method for method in _FEATURES if not takes_requests(method)))
def test_notifications_that_are_none(lasting: RawClient, method: str) -> None:
    """Faulty notifications have no answer, and do no harm to later messages."""
    lasting.notify("textDocument/didOpen", OPENED)
    for params in (None, *MALFORMED):
        lasting.notify(method, params)
    if method == "textDocument/didOpen":
        lasting.notify(method, {"textDocument": {"uri": URI}})
    if method == "textDocument/didChange":
        lasting.notify(
            method, {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5, "text": 1}]}
        )
    lasting.notify("textDocument/didOpen", OPENED)
    lenses = lasting.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})
    assert lenses["result"][0]["command"]["title"].startswith("No baseline"), lenses
    assert not [said for said in lasting.notifications if "internal error" in json.dumps(said)]


@pytest.mark.parametrize(
    "arguments",
    [
        [5],
        [None],
        [[]],
        [{}],
        [{"uri": 5}],
        ["file://[/x"],
        ["file:///a%00b"],
        ["no uri at all"],
        ["untitled:x"],
        [URI, 5],
        [URI, {}],
        [URI, [], []],
        [{"format": 5}],
        [{"format": "no such"}],
        ["x" * 5000],
    ],
)
def test_arguments_of_commands(lasting: RawClient, arguments: list[object]) -> None:
    for command in sorted(_COMMANDS):
        answer = lasting.ask("workspace/executeCommand", {"command": command, "arguments": arguments})
        assert code(answer) != INTERNAL, (command, arguments, answer)
    assert not [said for said in lasting.notifications if "internal error" in json.dumps(said)]


@pytest.mark.parametrize(
    "data", [None, 5, "x", [], {}, {"uri": URI}, {"uri": 5, "version": 1, "finding": 0, "fix": 0}, {"version": 1}]
)
def test_a_code_action_of_somebody_else(lasting: RawClient, data: object) -> None:
    lasting.notify("textDocument/didOpen", OPENED)
    assert code(lasting.ask("codeAction/resolve", {"title": "x", "data": data})) in (None, INVALID_PARAMS)
    whole = {"uri": URI, "version": 1, "finding": "x", "fix": {}}
    assert code(lasting.ask("codeAction/resolve", {"title": "x", "data": whole})) == INVALID_PARAMS


@pytest.mark.parametrize(
    "uri", ["", "x", "file://[/x", "file:///a%00b", "file:///%ff", "file:", "//", "a b", "x" * 9999]
)
def test_documents_with_any_uri(lasting: RawClient, uri: str) -> None:
    lasting.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "flink-sql", "version": 1, "text": JOB}}
    )
    assert code(lasting.ask("textDocument/hover", hover(uri))) is None
    assert code(lasting.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})) is None
    assert not [said for said in lasting.notifications if "internal error" in json.dumps(said)]


def test_positions_behind_the_end(lasting: RawClient) -> None:
    lasting.notify("textDocument/didOpen", OPENED)
    far = {"line": 2**31 - 1, "character": 2**31 - 1}
    for position in (far, {"line": 0, "character": 2**31 - 1}, {"line": 99, "character": 0}):
        assert code(lasting.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": position})) is None
        change = {"range": {"start": position, "end": far}, "text": ""}
        document = {"uri": URI, "version": 2}
        lasting.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert lasting.is_well()
