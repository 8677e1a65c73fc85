"""A piece of source with marks under a clause, as rows of display cells.

Terminals count cells, not characters: a tab fills up to the next stop, Chinese characters and emoji take two, combining
marks none. Rows are laid out in cells here, so that marks stand under the clause for any text. Characters that would
steer the terminal or reorder the line (escape codes, bidirectional controls) are shown as a replacement character: the
text may come from an untrusted author.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.terminal.cells import cell_len
from keepstate_lsp.reporting.effects import ALARM

TAB = 4
_MOST_LINES = 5
_LINES_AT_START = 3
_CONTEXT = 12
"""Cells kept after a clause in a line that must be cropped at its start."""

_LONG = 8


@dataclass(frozen=True)
class Symbols:
    """The characters that are drawn, besides those of the source."""

    bar: str = "│"
    ellipsis: str = "…"
    unprintable: str = "\N{REPLACEMENT CHARACTER}"
    encoding: str = "utf-8"
    alarm: str = ALARM

    @staticmethod
    def for_encoding(encoding: str) -> Symbols:
        try:
            f"│…\N{REPLACEMENT CHARACTER}{ALARM}".encode(encoding)
        except UnicodeEncodeError:
            return Symbols("|", "...", "?", encoding, "!!")
        return Symbols(encoding=encoding)

    def plain(self, text: str) -> str:
        """``text`` on one line, without what the encoding lacks or what a terminal must not see."""
        return "".join(cell for cell, _ in _cells(text, self))


@dataclass(frozen=True)
class ExcerptRow:
    """One line of source. ``marks`` is the part under which the marks go, in cells of ``text``."""

    number: int
    """Counted from 1; 0 for the gap where lines were left out."""
    text: str
    marks: tuple[int, int] | None = None
    """First cell and number of cells."""


def excerpt(lines: LineIndex, span: Span, width: int, symbols: Symbols) -> list[ExcerptRow]:
    """The lines that ``span`` touches, each at most ``width`` cells wide; a long clause loses its middle lines."""
    first = lines.position(span.start).line
    last = lines.position(span.end).line
    if last > first and span.end == lines.line_span(last).start:
        # The clause ends with a line break: nothing of the next line belongs to it.
        last -= 1
    rows = [_row(lines, number, span, width, symbols) for number in _line_numbers(first, last)]
    if last - first >= _MOST_LINES:
        rows.insert(_LINES_AT_START, ExcerptRow(0, symbols.ellipsis))
    return rows


def _line_numbers(first: int, last: int) -> list[int]:
    if last - first < _MOST_LINES:
        return list(range(first, last + 1))
    return [*range(first, first + _LINES_AT_START), last]


def _row(lines: LineIndex, number: int, span: Span, width: int, symbols: Symbols) -> ExcerptRow:
    line = lines.line_span(number)
    text = line.of(lines.text)
    start = max(span.start, line.start) - line.start
    end = min(span.end, line.end) - line.start
    if number > lines.position(span.start).line:
        # Lines that continue a clause are marked from their first word on.
        start += len(text[start:end]) - len(text[start:end].lstrip())
    text = text.rstrip()
    if len(text) > _LONG * width:
        # A line of megabytes: lay out what may show, with enough on both sides that it is cropped there.
        start_column = max(start - width, 0)
        text, start, end = text[start_column : start_column + _LONG * width], start - start_column, end - start_column
    cells = _cells(text, symbols)
    edges = [0]
    for _, size in cells:
        edges.append(edges[-1] + size)
    start, end = min(start, len(cells)), max(min(end, len(cells)), min(start, len(cells)))
    if not cells and span:
        return ExcerptRow(number + 1, "")
    return _cropped(number + 1, [cell for cell, _ in cells], edges, (start, end), width, symbols.ellipsis)


def _cropped(
    number: int, cells: list[str], edges: list[int], clause: tuple[int, int], width: int, ellipsis: str
) -> ExcerptRow:
    start, end = clause
    left, right = 0, len(cells)
    before = after = ""
    if edges[-1] > width:
        if edges[end] > width - len(ellipsis):
            # The clause does not show from the line's start: leave out as much as it takes, with some cells after it.
            after_it = min(_CONTEXT, edges[-1] - edges[end])
            least_edge = min(edges[end] + after_it - (width - 2 * len(ellipsis)), edges[start])
            left = next(index for index, edge in enumerate(edges) if edge >= least_edge)
            before = ellipsis if left else ""
        limit = edges[left] + width - len(before)
        if edges[-1] > limit:
            after = ellipsis
            right = max(index for index, edge in enumerate(edges) if edge <= limit - len(after))
    shown_end = max(min(end, right), start)
    marks = (len(before) + edges[start] - edges[left], max(edges[shown_end] - edges[start], 1))
    return ExcerptRow(number, before + "".join(cells[left:right]) + after, marks)


def _cells(text: str, symbols: Symbols) -> list[tuple[str, int]]:
    """For each character what is shown for it and how many cells that takes."""
    cells = []
    column = 0
    for char in text:
        if char == "\t":
            size = TAB - column % TAB
            glyphs = " " * size
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\u200d":
            glyphs, size = symbols.unprintable, 1
        else:
            glyphs, size = char, cell_len(char)
            if symbols.encoding != "utf-8" and not _encodable(char, symbols.encoding):
                glyphs = symbols.unprintable * size
        cells.append((glyphs, size))
        column += size
    return cells


def _encodable(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
