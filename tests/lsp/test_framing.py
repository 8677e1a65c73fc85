"""Messages and headers of a stream, well-formed and broken, to a real server process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raw import INITIALIZE, INVALID_REQUEST, PARSE_ERROR, RawClient, code, framed, hover

URI = "untitled:job.fql"
HOVER = {"jsonrpc": "2.0", "method": "textDocument/hover", "params": hover(URI)}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[RawClient]:
    with RawClient(tmp_path / "cache") as client:
        yield client


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """One server for all tests: nothing that it is sent may cost what comes later."""
    with RawClient(tmp_path_factory.mktemp("cache")) as client:
        client.begin()
        yield client


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
