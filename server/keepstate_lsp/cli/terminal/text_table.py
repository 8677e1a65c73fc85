"""Rows of text in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows as lines; all cells of a column but the last are as wide as the widest of them."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join(cells).rstrip()
