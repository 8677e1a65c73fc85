"""The width of text in cells of a terminal."""

from __future__ import annotations


def cell_len(text: str) -> int:
    """The number of cells that a text takes; a wide character takes two.

    >>> cell_len("HEAD"), cell_len("\u6771\u4eac")
    (4, 4)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    # Most text has no wide characters, and needs no table of them.
    from rich.cells import cell_len as measured

    return measured(text)
