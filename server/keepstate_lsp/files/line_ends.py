"""Line ends: git may store others than the work tree has, which is no change, and no fix may bring them along."""

from __future__ import annotations


def line_end(text: str) -> str:
    r"""The line end of a text: that of Windows if there is one.

    >>> line_end("a\r\nb") == "\r\n"
    True
    """
    return "\r\n" if "\r\n" in text else "\n"


def with_line_ends_of(text: str, other: str) -> str:
    r"""``text`` with the line ends of ``other``; lines and columns stay what they are.

    >>> with_line_ends_of("a\nb", "x\r\n").split("\r\n")
    ['a', 'b']
    """
    line_ending = line_end(other)
    return text if line_ending == line_end(text) else text.replace("\r\n", "\n").replace("\n", line_ending)
