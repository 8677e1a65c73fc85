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
from raw import INITIALIZE, RawClient, framed, hover

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, INTERNAL = -32002, -32800, -32603
JOB = "INSERT INTO daily SIZE 10 KEYS a,b;\n"
URI = "untitled:job.fql"
OPENED = {"textDocument": {"uri": URI, "languageId": "flink-sql", "version": 1, "text": JOB}}
HOVER = {"jsonrpc": "2.0", "method": "textDocument/hover", "params": hover(URI)}


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


def code(answer: dict[str, Any]) -> int | None:
    """The code of an error, which has words and no traceback; ``None`` for a result."""
    error = answer.get("error")
    assert answer["jsonrpc"] == "2.0" and "id" in answer and (error is None) == ("result" in answer), answer
    if error is None:
        return None
    assert error["message"] and "Traceback" not in json.dumps(error), error
    return int(error["code"])


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


# ------------------------------------------------------------------------------------------------ messages


@pytest.mark.parametrize(
    ("message", "identity", "expected"),
    [
        ([], None, INVALID_REQUEST),
        ([{**HOVER, "id": 7}], None, INVALID_REQUEST),
        (5, None, INVALID_REQUEST),
        ("text", None, INVALID_REQUEST),
        (None, None, INVALID_REQUEST),
        ({}, None, INVALID_REQUEST),
        ({"id": 7, "method": "shutdown"}, 7, INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": 7, "method": "shutdown"}, 7, INVALID_REQUEST),
        ({"jsonrpc": 2.0, "id": "a", "method": "shutdown"}, "a", INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "shutdown"}, None, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": [1], "method": "shutdown"}, None, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": True, "method": "shutdown"}, None, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}, None, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 7, "method": 5}, 7, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 7, "method": None}, 7, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 7}, 7, INVALID_REQUEST),
        ({**HOVER, "id": "text"}, "text", None),
        ({**HOVER, "id": 0}, 0, None),
        ({**HOVER, "id": -1}, -1, None),
        ({**HOVER, "id": ""}, "", None),
    ],
)
def test_what_is_no_request(lasting: RawClient, message: object, identity: object, expected: int | None) -> None:
    lasting.send(message)
    assert code(lasting.answer(identity)) == expected
    assert lasting.is_well()


def test_parameters_that_look_like_a_message(client: RawClient) -> None:
    """Only what stands alone is one."""
    inner = {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {}, "error": 5, "result": {}}
    answer = client.ask("initialize", {**INITIALIZE, "initializationOptions": {"x": inner}})
    assert code(answer) is None
    client.notify("initialized", {})
    assert client.is_well()


@pytest.mark.parametrize(
    "response",
    [
        {"id": "no such", "result": None},
        {"id": "no such", "error": {"code": 1, "message": "x"}},
        {"id": None, "result": {}},
        {"result": {}},
        {"error": None},
        {"id": [], "error": 5},
    ],
)
def test_answers_to_what_nobody_asked(lasting: RawClient, response: dict[str, Any]) -> None:
    lasting.send({"jsonrpc": "2.0", **response})
    assert lasting.is_well()


@pytest.mark.parametrize(
    "response", [{"result": 5}, {"result": {}}, {"result": None}, {}, {"error": 5}, {"error": {}}, {"error": None}]
)
def test_answers_that_cannot_be_read(client: RawClient, response: dict[str, Any]) -> None:
    """The client was asked for its settings; whatever it answers, checks begin."""
    capabilities = {"workspace": {"configuration": True}}
    assert code(client.ask("initialize", {**INITIALIZE, "capabilities": capabilities})) is None
    client.notify("initialized", {})
    asked = client.asked("workspace/configuration")
    client.send({"jsonrpc": "2.0", "id": asked["id"], **response})
    assert client.is_well()


def test_cancelling(lasting: RawClient) -> None:
    for params in ({"id": 99}, {"id": "x"}, {}, None, [], {"id": None}, {"id": {}}):
        lasting.notify("$/cancelRequest", params)
    assert lasting.is_well()


# ------------------------------------------------------------------------------------------------ the stream

REQUEST = json.dumps({**HOVER, "id": "lost"}, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "length",
    ["abc", "-5", "+5", "", " ", "1e3", "0x10", "5.0", "9" * 40, "10 20", "0", "1", "-0", "٣", "12abc"],
)
@pytest.mark.parametrize("body", [REQUEST, b"", b"{}", b"\r\n\r\n", b"this is no JSON\nat all\n"])
def test_lengths_that_are_none(lasting: RawClient, length: str, body: bytes) -> None:
    lasting.write(f"Content-Length: {length}\r\n\r\n".encode() + body)
    assert lasting.is_well()
    assert lasting.is_well()


@pytest.mark.parametrize("by", [-40, -2, -1, 1, 2, 20, 60, 500, 10_000_000])
def test_lengths_that_are_wrong(lasting: RawClient, by: int) -> None:
    """The next request is answered at the latest once the one behind it has come."""
    lasting.write(b"Content-Length: %d\r\n\r\n%b" % (len(REQUEST) + by, REQUEST))
    lasting.send({**HOVER, "id": "next"})
    lasting.send({**HOVER, "id": "last"})
    assert code(lasting.answer("next")) is None
    assert code(lasting.answer("last")) is None
    if by < 0:
        assert code(lasting.answer(None)) == PARSE_ERROR
    else:
        assert code(lasting.answer("lost")) is None


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"X: y\r\n\r\n",
        b"\r\n",
        b"\r\n\r\n\r\n",
        b"\xff\xfe\0\0\r\n\r\n",
        b"Content-Length 5\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"x" * 200_000,
        b"x\n" * 100_000,
    ],
)
def test_headers_without_a_length(lasting: RawClient, header: bytes) -> None:
    lasting.write(header)
    assert lasting.is_well()


@pytest.mark.parametrize(
    "header",
    [
        "content-length: {}\r\n\r\n",
        "CONTENT-LENGTH:{}\r\n\r\n",
        "Content-Length:\t{} \r\n\r\n",
        "Content-Length: {}\n\n",
        "Content-Length: 000{}\r\n\r\n",
        "Content-Type: x\r\nContent-Length: {}\r\n\r\n",
        "Content-Length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\nX-Other: 5\r\n\r\n",
        "Content-Length: 7\r\nContent-Length: {}\r\n\r\n",
        "\r\n\r\nContent-Length: {}\r\n\r\n",
    ],
)
def test_headers_that_are_understood(lasting: RawClient, header: str) -> None:
    lasting.write(header.format(len(REQUEST)).encode() + REQUEST)
    assert code(lasting.answer("lost")) is None


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"not JSON",
        b'{"jsonrpc":"2.0","id":1,"method":"shutdown"',
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"\xff\xfe\xfd",
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b"\0" * 50,
        b"9" * 5000,
    ],
)
def test_bodies_that_are_no_json(lasting: RawClient, body: bytes) -> None:
    lasting.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert code(lasting.answer(None)) in (PARSE_ERROR, INVALID_REQUEST)
    assert lasting.is_well()


def test_bytes_one_by_one(lasting: RawClient) -> None:
    for byte in framed({**HOVER, "id": "slow"}):
        lasting.write(bytes((byte,)))
    assert code(lasting.answer("slow")) is None


def test_many_at_once(lasting: RawClient) -> None:
    asked = [framed({**HOVER, "id": n}) for n in range(500)]
    lasting.write(b"".join(asked))
    for number in range(500):
        assert code(lasting.answer(number)) is None
