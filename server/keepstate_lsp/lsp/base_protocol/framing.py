"""The messages in a stream of bytes: each a header with its length, an empty line, and as many bytes of JSON.

A faulty message does not affect the messages after it. A header without a readable length, or with a length that is too
small or too large, is reported once, and reading goes on at the next header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

LARGEST = 1 << 30
"""The longest message that is read, in bytes."""
_LONGEST_HEADER = 1 << 16
_CHUNK = 1 << 16
_LONGEST_EMPTY_LINE = 256
_END = re.compile(rb"\r?\n[ \t]*\r?\n")
"""The empty line behind the last field. Some clients end lines with a bare line feed."""
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
"""A length at any place of a line: the rest of a body whose length was too small may stand before it. The names of
fields have no case, as in HTTP.
"""
_HEADER = re.compile(rb"[Cc]ontent-[Ll]ength[ \t]*:[ \t]*\d{1,10}[ \t]*\r?\n")
"""A line that no JSON can hold: a line break in a string is escaped there."""
_NAME = b"content-length"
_NAME_BEGUN = b"|".join(_NAME[:end] for end in range(len(_NAME), 0, -1))
_HEADER_BEGUN = re.compile(rb"(?:content-length[ \t]*:?[ \t]*\d{0,10}[ \t]*\r?|%b)$" % _NAME_BEGUN, re.IGNORECASE)
"""The first letters of a header, at the end of what was taken for a body."""


@dataclass(frozen=True, slots=True)
class Message:
    """The text between two headers, read from its JSON."""

    value: Any


@dataclass(frozen=True, slots=True)
class NoMessage:
    """Bytes that are no message, and why."""

    why: str


class MessageStream:
    """Reads from ``stream``, in one thread."""

    def __init__(self, stream: BinaryIO) -> None:
        # Not through a buffer, whose lock a thread that waits must not hold when Python ends.
        raw = getattr(stream, "raw", None)
        self._read: Callable[[int], bytes | None] = stream.read if raw is None else raw.read
        self._held = b""
        self._is_lost = False
        """The beginning of the next message is not known, and an error was reported."""

    def read(self) -> Message | NoMessage | None:
        """The next message, or what stands in its place; ``None`` at the end of the stream."""
        while True:
            header = self._header()
            if header is None:
                return None
            length = _length(header)
            if length is None:
                if self._is_lost or not header.strip():
                    # Already reported; or nothing but empty lines.
                    continue
                self._is_lost = True
                return NoMessage("its header tells no Content-Length that can be read")
            self._is_lost = False
            return self._body(length)

    def _header(self) -> bytes | None:
        """The lines in front of the next empty one."""
        searched = 0
        while True:
            end = _END.search(self._held, searched)
            if end is not None:
                header, self._held = self._held[: end.start()], self._held[end.end() :]
                return header
            if len(self._held) > _LONGEST_HEADER:
                # Not the header of any client. Its end may be the beginning of one.
                self._held = self._held[-_LONGEST_HEADER // 2 :]
            searched = max(0, len(self._held) - _LONGEST_EMPTY_LINE)
            if not self._fill():
                return None

    def _body(self, length: int) -> Message | NoMessage:
        searched = 0
        while len(self._held) < length:
            following = _HEADER.search(self._held, searched)
            if following is not None:
                # The length is wrong: without this, all messages up to it would be lost.
                length = following.start()
                break
            searched = max(0, len(self._held) - _LONGEST_EMPTY_LINE)
            if not self._fill():
                break
        body, self._held = self._held[:length], self._held[length:]
        try:
            return Message(json.loads(body))
        except (ValueError, RecursionError) as error:
            return self._recovered(body, error)

    def _recovered(self, body: bytes, error: Exception) -> Message | NoMessage:
        """The message of a body whose length may be wrong; surplus bytes go back."""
        try:
            text = _readable(body)
            value, end = json.JSONDecoder().raw_decode(text.lstrip())
        except (ValueError, RecursionError):
            following = _HEADER.search(body) or _HEADER_BEGUN.search(body)
            if following is not None:
                self._held = body[following.start() :] + self._held
            return NoMessage(f"its content is no JSON ({error})")
        count = len(text) - len(text.lstrip()) + end
        self._held = body[len(text[:count].encode()) :] + self._held
        return Message(value)

    def _fill(self) -> bool:
        """Take what can be had; whether there was anything."""
        more = self._read(_CHUNK)
        self._held += more or b""
        return bool(more)


def _readable(body: bytes) -> str:
    """The text up to the first byte that is no UTF-8."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        return body[: error.start].decode()


def _length(header: bytes) -> int | None:
    lengths = [int(match[1]) for match in _LENGTH.finditer(header)]
    # The last one is the nearest to the body, if others were left behind by a message that was cut off.
    return lengths[-1] if lengths and lengths[-1] <= LARGEST else None
