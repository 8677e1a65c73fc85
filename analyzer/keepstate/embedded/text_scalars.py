"""Scalars: values of YAML and HCL files that are texts, by the pieces of the file that they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from keepstate.text import Span

LARGEST_HOST = 1_000_000
"""Characters of a file that is read for a value."""
BREAK = re.compile(r"\r\n|\n|\r")


class EmbeddingError(Exception):
    """A pointer gives no SQL. The message goes on after the pointer, without a full stop."""


class NothingThereError(EmbeddingError):
    """The file has no value under the pointer."""


class Style(Enum):
    """The ways to write a scalar."""

    LINES = "lines"
    """A block scalar with ``|``, or a heredoc: line by line."""
    FOLDED = "folded"
    PLAIN = "plain"
    SINGLE = "single"
    """In single quotes, which are doubled inside."""
    DOUBLE = "double"
    """In double quotes, with escapes."""


@dataclass(frozen=True, slots=True)
class ScalarPiece:
    """A part of a file and the text that it stands for."""

    span: Span
    value: str


@dataclass(frozen=True)
class Scalar:
    """A value that is a text. ``indent`` is what a further line of it begins with."""

    pieces: tuple[ScalarPiece, ...]
    style: Style
    indent: str = ""

    @property
    def value(self) -> str:
        return "".join(piece.value for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class LineBounds:
    """A line of a file: its first offset, its end, and the first offset of the next one."""

    start: int
    end: int
    next: int


def lines_of(text: str) -> Iterator[LineBounds]:
    """The lines of a text, the last one also if it is empty."""
    start = 0
    for line_break in BREAK.finditer(text):
        yield LineBounds(start, line_break.start(), line_break.end())
        start = line_break.end()
    yield LineBounds(start, len(text), len(text))


def literal(text: str, spans: Sequence[tuple[Span, int]]) -> tuple[ScalarPiece, ...]:
    """Lines that stand for themselves; each one is given with the offset behind its line break."""
    pieces = []
    for span, after in spans:
        pieces.append(ScalarPiece(span, span.of(text)))
        if after > span.end:
            pieces.append(ScalarPiece(Span(span.end, after), "\n"))
    return tuple(pieces)


def folded(text: str, spans: Sequence[Span], keeps_indented: bool = False) -> Iterator[ScalarPiece]:
    """Lines of which a single break stands for a space, and each further one for a line break. With
    ``keeps_indented``, as in block scalars, breaks beside a line that begins with a blank stay.
    """
    last: Span | None = None
    empty = 0
    for span in spans:
        if not span.of(text).strip(" \t"):
            empty += 1
            continue
        if last is not None:
            keeps = keeps_indented and (text[last.start] in " \t" or text[span.start] in " \t")
            line_break = "\n" * (empty + 1) if keeps else "\n" * empty or " "
            yield ScalarPiece(Span(last.end, span.start), line_break)
        yield ScalarPiece(span, span.of(text))
        last, empty = span, 0


def check_host(text: str) -> None:
    """See that a file can be read for a value in a moment.

    Raises:
        EmbeddingError: it is too large, or holds NUL.
    """
    if len(text) > LARGEST_HOST:
        raise EmbeddingError(f"is not read: the file has more than {LARGEST_HOST:,} characters")
    if "\0" in text:
        raise EmbeddingError("is not read: the file holds the character NUL, so it is no text")
