"""Standard input as pygls reads it, with the headers of messages written in the one way that pygls knows.

The names of header fields have no case, as in HTTP, and some clients end lines with a bare line feed. pygls takes
neither for a header, and would wait for ever. A length that no message has would end the server at the attempt to read
so much.
"""

from __future__ import annotations

import re
from typing import BinaryIO

_CONTENT_LENGTH = re.compile(rb"[ \t]*content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)
_DIGITS = 10
_LARGEST = 1 << 30
"""The longest message that is read, in bytes."""
_IGNORED = b"Ignored:\r\n"


class HeaderLines:
    """The two methods of a stream that pygls calls: lines are headers, all else is read by number of bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        line = self._stream.readline()
        if line and not line.strip():
            return b"\r\n"
        match = _CONTENT_LENGTH.fullmatch(line)
        if match is None:
            return line
        digits = match[1].lstrip(b"0") or b"0"
        return b"Content-Length: %b\r\n" % digits if _is_readable(digits) else _IGNORED

    def read(self, count: int) -> bytes:
        return self._stream.read(count)


def _is_readable(digits: bytes) -> bool:
    return len(digits) <= _DIGITS and int(digits) <= _LARGEST
