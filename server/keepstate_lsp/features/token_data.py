"""Semantic tokens as the protocol sends them: five numbers for each token, relative to the one before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from keepstate.text import Encoding, LineIndex, Span

if TYPE_CHECKING:
    from keepstate import MeantToken

TYPES = (
    "namespace struct property variable function parameter type keyword string number comment operator macro".split()
)
MODIFIERS = ("declaration", "defaultLibrary")
_NUMBERS = {name: number for number, name in enumerate(TYPES)}


class SentTokens:
    """The numbers that the client has of each document, to which the next answer is an edit."""

    def __init__(self) -> None:
        self._sent: dict[str, tuple[str, list[int]]] = {}
        self._count = 0

    def get(self, uri: str, result_id: str) -> list[int] | None:
        """The numbers of an answer; ``None`` if a later one took its place."""
        last_id, data = self._sent.get(uri, ("", []))
        return data if last_id == result_id else None

    def keep(self, uri: str, data: list[int]) -> str:
        """Keep an answer; the id by which the client asks for its next edit."""
        self._count += 1
        self._sent[uri] = str(self._count), data
        return str(self._count)

    def forget(self, uri: str) -> None:
        """Let go of the answer about a document that was closed."""
        self._sent.pop(uri, None)


def token_data(
    tokens: Iterable[MeantToken], lines: LineIndex, encoding: Encoding, within: Span | None = None
) -> list[int]:
    """The numbers of the tokens that touch ``within``; one of several lines is one for each line.

    >>> from keepstate.structure.pieces import PieceMemory
    >>> from keepstate.structure.token_meanings import meant_tokens
    >>> memory = PieceMemory()
    >>> tokens = meant_tokens(memory.parts("SELECT a"), memory)
    >>> token_data(tokens, LineIndex("SELECT a"), Encoding.UTF16)[:3]
    [0, 0, 6]
    """
    data: list[int] = []
    last_line = last_start = 0
    for token in tokens:
        if within is not None and (token.span.end < within.start or token.span.start > within.end):
            continue
        for line, start, length in _lines_of(token.span, lines, encoding):
            behind = start - last_start if line == last_line else start
            modifiers = token.declares | token.built_in << 1
            data += (line - last_line, behind, length, _NUMBERS[token.meaning.value], modifiers)
            last_line, last_start = line, start
    return data


def _lines_of(span: Span, lines: LineIndex, encoding: Encoding) -> Iterator[tuple[int, int, int]]:
    """Line, first character and length of a span, for each of its lines that is not empty."""
    text = span.of(lines.text)
    place = lines.position(span.start, encoding)
    if "\n" not in text and "\r" not in text:
        yield place.line, place.character, encoding.width(text)
        return
    for line in range(place.line, lines.position(span.end, encoding).line + 1):
        whole = lines.line_span(line)
        first = max(whole.start, span.start)
        part = Span(first, max(first, min(whole.end, span.end)))
        if len(part):
            start = lines.position(part.start, encoding)
            yield line, start.character, encoding.width(part.of(lines.text))


def token_edit(before: list[int], after: list[int]) -> tuple[int, int, list[int]]:
    """The one edit that makes ``after`` of ``before``: where it begins, how many numbers go, and those that come.

    >>> token_edit([0, 1, 5], [0, 2, 5])
    (1, 1, [2])
    """
    start = 0
    most = min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, len(before) - start - end, after[start : len(after) - end]
