r"""Text, spans, edits and positions.

Inside Keepstate every place is a :class:`Span` of Unicode code points, half-open and zero-based. Lines and
columns exist only at the protocol edge: :class:`LineIndex` converts, in any of the three LSP encodings.
Lines are broken by ``\r\n``, ``\n`` and ``\r`` only, as LSP has it (``str.splitlines`` also breaks at U+2028, form
feed and others, and would shift every later line).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from keepstate.value_class import value_class

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


@value_class(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of code points."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The piece of ``text`` that this span covers."""
        return text[self.start : self.end]

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def union(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def touches(self, offset: int) -> bool:
        """Return whether a cursor at ``offset`` is inside this span or at one of its ends."""
        return self.start <= offset <= self.end


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``new_text``; an empty span inserts."""

    span: Span
    new_text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits`` made at once (their spans refer to ``text`` and must not overlap).

    Two insertions at one offset keep the order in which they are given.

    >>> apply_edits("SELECT a", [Edit(Span(7, 8), "b")])
    'SELECT b'

    Raises:
        ValueError: edits overlap or lie outside of the text.
    """
    pieces: list[str] = []
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < end or edit.span.end > len(text):
            raise ValueError(f"edit {edit.span} overlaps another one or leaves the text")
        pieces += (text[end : edit.span.start], edit.new_text)
        end = edit.span.end
    pieces.append(text[end:])
    return "".join(pieces)


class Encoding(Enum):
    """The unit in which a client counts characters of a line (LSP ``positionEncoding``)."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def width(self, text: str) -> int:
        """The number of units that ``text`` takes."""
        if self is Encoding.UTF32 or text.isascii():
            return len(text)
        if self is Encoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(char > "\uffff" for char in text)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A zero-based line and a zero-based character in the units of an :class:`Encoding`."""

    line: int
    character: int


class LineIndex:
    """Converts between code point offsets of one text and positions."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" in text:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
        else:
            # A third of the time of the general way, and this is done for every keystroke.
            self._starts = list(accumulate([len(line) + 1 for line in text.split("\n")[:-1]], initial=0))

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def line_span(self, line: int) -> Span:
        """The span of a line without its line break."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        return Span(start, start + len(self.text[start:end].rstrip("\r\n")))

    def line(self, line: int) -> str:
        return self.line_span(line).of(self.text)

    @property
    def lines(self) -> list[str]:
        """All lines, without their line breaks."""
        if "\r" not in self.text:
            return self.text.split("\n")
        return [self.line(number) for number in range(self.line_count)]

    def line_at(self, offset: int) -> int:
        r"""The number of the line that a code point offset is in, from 0.

        >>> LineIndex("a\nb").line_at(2)
        1
        """
        return bisect_right(self._starts, max(0, min(offset, len(self.text)))) - 1

    def position(self, offset: int, encoding: Encoding = Encoding.UTF16) -> Position:
        """The position of a code point offset; an offset inside a line break belongs to the end of its line."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_at(offset)
        span = self.line_span(line)
        return Position(line, encoding.width(self.text[span.start : min(offset, span.end)]))

    def offset(self, position: Position, encoding: Encoding = Encoding.UTF16) -> int:
        """Return the code point offset of a position.

        As in LSP, a character beyond the line means its end and a line beyond the text means the end of the text; a
        character inside of a code point (half a surrogate pair) means its start.
        """
        if position.line >= len(self._starts):
            return len(self.text)
        span = self.line_span(max(0, position.line))
        text = span.of(self.text)
        if encoding is Encoding.UTF32 or text.isascii():
            return span.start + max(0, min(position.character, len(text)))
        units = 0
        for index, char in enumerate(text):
            units += encoding.width(char)
            if units > position.character:
                return span.start + index
        return span.end


def common_text(one: str, other: str) -> tuple[int, int]:
    """The lengths of the longest common start of two texts, and of the longest common end of what is left of them.

    Slices are compared, which runs in C; comparing characters would not.

    >>> common_text("SELECT a, b", "SELECT a, a, b"), common_text("ab", "ab")
    ((10, 1), (2, 0))
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    start = low
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return start, low
