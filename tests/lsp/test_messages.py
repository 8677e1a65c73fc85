"""Messages in a stream of bytes: what is none costs none of those behind it."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstate_lsp.lsp.base_protocol.framing import LARGEST, Message, MessageStream, NoMessage

FIRST = {"jsonrpc": "2.0", "id": 1, "method": "first", "params": {"text": 'Content-Length: 5\r\n\r\n{"a": "ü🛒"}'}}
SECOND = {"jsonrpc": "2.0", "id": 2, "method": "second"}


class Trickle(io.RawIOBase):
    """Gives some bytes at a time, as a pipe does."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes or [1 << 20]
        self._number = 0

    def readable(self) -> bool:
        return True

    def read(self, count: int = -1) -> bytes:
        size = self._sizes[self._number % len(self._sizes)]
        self._number += 1
        taken, self._data = self._data[: min(size, count)], self._data[min(size, count) :]
        return taken


def framed(value: object) -> bytes:
    body = json.dumps(value, ensure_ascii=False).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read(data: bytes, sizes: list[int] | None = None) -> list[Message | NoMessage]:
    stream = MessageStream(Trickle(data, sizes or []))  # type: ignore[arg-type]
    found = []
    while (message := stream.read()) is not None:
        found.append(message)
    return found


def values(found: list[Message | NoMessage]) -> list[object]:
    return [one.value for one in found if isinstance(one, Message)]


FRAGMENTS = st.sampled_from(
    [
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"\0",
        b"\xff",
        b"{",
        b"}",
        b"[",
        b'"',
        b"1",
        b"{}",
        b'{"a": 1}',
        b"Content-Length",
        b"Content-Length:",
        b"content-length: ",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 1\r\n\r\n",
        b"Content-Length: 3\r\n\r\n",
        b"Content-Length: 17\r\n\r\n",
        b"Content-Length: 40\r\n\r\n",
        b"Content-Length: 500\r\n\r\n",
        b"Content-Length: 99999999\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: abc\r\n\r\n",
        b"Content-Length: 9999999999999999\r\n\r\n",
        b"Content-Type: x\r\n",
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n",
    ]
)


@given(st.lists(st.integers(1, 40), max_size=6))
def test_messages_come_as_they_were_sent(sizes: list[int]) -> None:
    assert read(framed(FIRST) + framed(SECOND) + framed([]), sizes) == [Message(FIRST), Message(SECOND), Message([])]


@given(st.lists(FRAGMENTS, max_size=8).map(b"".join), st.lists(st.integers(1, 40), max_size=6))
def test_whatever_stands_before_messages(garbage: bytes, sizes: list[int]) -> None:
    found = values(read(garbage + framed(SECOND) + framed(FIRST), sizes))
    assert found[-2:] == [SECOND, FIRST]


@given(st.binary(max_size=60), st.lists(st.integers(1, 40), max_size=6))
def test_any_bytes_before_messages(garbage: bytes, sizes: list[int]) -> None:
    assert values(read(garbage + framed(SECOND) + framed(FIRST), sizes))[-2:] == [SECOND, FIRST]


@given(st.integers(-200, 400), st.lists(st.integers(1, 40), max_size=6))
def test_a_wrong_length_costs_one_message_at_most(by: int, sizes: list[int]) -> None:
    body = json.dumps(FIRST).encode()
    wrong = b"Content-Length: %d\r\n\r\n%b" % (max(0, len(body) + by), body)
    found = read(wrong + framed(SECOND) + framed(SECOND), sizes)
    assert values(found)[-2:] == [SECOND, SECOND]
    assert by < 0 or values(found)[0] == FIRST


@given(st.lists(FRAGMENTS, max_size=8).map(b"".join))
def test_a_stream_that_ends_anywhere(data: bytes) -> None:
    for found in read(data):
        assert isinstance(found, (Message, NoMessage))


def test_what_is_lost_is_reported_once() -> None:
    found = read(b"Content-Length: abc\r\n\r\n{}\r\n\r\nx\r\n\r\n" + framed(SECOND))
    assert [type(one) for one in found] == [NoMessage, Message]
    assert isinstance(found[0], NoMessage) and "Content-Length" in found[0].why


@pytest.mark.parametrize("length", [LARGEST + 1, 10**9 * 9])
def test_a_length_that_no_message_has(length: int) -> None:
    found = read(b"Content-Length: %d\r\n\r\n" % length + framed(SECOND))
    assert values(found) == [SECOND]


def test_a_large_message_in_small_pieces() -> None:
    """A length is found once, however large its message is."""
    text = "x" * 3_000_000
    assert values(read(framed([text]), [1000])) == [[text]]
