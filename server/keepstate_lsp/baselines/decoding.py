"""From the bytes of a file or blob to text.

SQL files are UTF-8. A byte order mark is understood and taken off (editors hide it, so positions would be off by one),
UTF-16 with a mark too. Everything else is refused with a reason: guessing an encoding would move every column.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from keepstate_lsp.baselines.baseline import Reason

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes. A larger SQL job is no handwritten one, and would only fill the memory."""

_LFS = b"version https://git-lfs.github.com/spec/"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class NotText:
    """The reason why bytes are no text; ``fault`` continues a sentence that begins with the name of the file."""

    reason: Reason
    fault: str
    mend: str | None = None


def decode(data: bytes) -> str | NotText:
    r"""The text of ``data``, line ends as stored.

    >>> decode(b"SELECT 1"), decode(b"\x00\x01").reason
    ('SELECT 1', <Reason.BINARY: 'binary'>)
    """
    if data.startswith(_LFS):
        return NotText(Reason.LFS_POINTER, "is a Git LFS pointer, not the file itself.", "git lfs pull")
    mark, encoding = _mark_of(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        if b"\0" in data:
            return NotText(Reason.BINARY, "is a binary file, not SQL text.")
        line = data.count(b"\n", 0, error.start) + 1
        return NotText(
            Reason.NOT_TEXT, f"is not UTF-8 text (byte 0x{data[error.start]:02X} in line {line}): save it as UTF-8."
        )
    if "\0" in text:
        return NotText(Reason.BINARY, "is a binary file, not SQL text.")
    return text


def encoded_like(text: str, data: bytes) -> bytes:
    r"""``text`` in the encoding of ``data``, with its byte order mark.

    >>> encoded_like("b", b"\xff\xfea\x00")
    b'\xff\xfeb\x00'
    """
    mark, encoding = _mark_of(data)
    return mark + text.encode(encoding)


def _mark_of(data: bytes) -> tuple[bytes, str]:
    """The byte order mark, if there is one, and the encoding."""
    return next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
