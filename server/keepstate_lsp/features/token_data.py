"""Semantic tokens as the protocol sends them: five numbers for each token, relative to the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from keepstate.text import Encoding, LineIndex, Span

if TYPE_CHECKING:
    from keepstate import Draft, MeantToken

TYPES = (
    "namespace struct property variable function parameter type keyword string number comment operator macro".split()
)
MODIFIERS = ("declaration", "defaultLibrary")
_SLICE = 1024
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


@dataclass(frozen=True)
class PartNumbers:
    """The numbers of a part of a text as if it stood alone, and where its last token begins."""

    data: tuple[int, ...] = ()
    last_line: int = 0
    last_start: int = 0


@cache
def numbers_in(encoding: Encoding) -> Callable[[str, tuple[MeantToken, ...]], PartNumbers]:
    """The function that numbers the tokens of a part of a text in an encoding."""

    def numbers(text: str, tokens: tuple[MeantToken, ...]) -> PartNumbers:
        lines = LineIndex(text)
        data: list[int] = []
        last_line = last_start = 0
        for token in tokens:
            for line, start, length in _lines_of(token.span, lines, encoding):
                behind = start - last_start if line == last_line else start
                modifiers = token.declares | token.built_in << 1
                data += (line - last_line, behind, length, _NUMBERS[token.meaning.value], modifiers)
                last_line, last_start = line, start
        return PartNumbers(tuple(data), last_line, last_start)

    return numbers


def token_data(draft: Draft, lines: LineIndex, encoding: Encoding, within: Span | None = None) -> list[int]:
    """The numbers of the tokens that touch ``within``; one of several lines is one for each line.

    >>> from keepstate import Draft
    >>> token_data(Draft(), LineIndex("SELECT a"), Encoding.UTF16)[:3]
    [0, 0, 6]
    """
    numbers = numbers_in(encoding)
    parts: Iterable[tuple[int, PartNumbers]] = draft.tokens_of_each(lines.text, numbers)
    if within is not None:
        touched = draft.tokens_of_each(lines.text, _as_they_are)
        parts = (
            (start, one if _is_inside(start, text, within) else numbers(text, _touching(start, tokens, within)))
            for (start, one), (_, (text, tokens)) in zip(parts, touched, strict=True)
            if within.start <= start + len(text) and start <= within.end
        )
    data: list[int] = []
    last_line = last_start = 0
    for start, part in parts:
        if not part.data:
            continue
        place = lines.position(start, encoding)
        line = place.line + part.data[0]
        character = part.data[1] if part.data[0] else place.character + part.data[1]
        data += (line - last_line, character - last_start if line == last_line else character)
        data += part.data[2:]
        last_line = place.line + part.last_line
        last_start = part.last_start if part.last_line else place.character + part.last_start
    return data


def _as_they_are(text: str, tokens: tuple[MeantToken, ...]) -> tuple[str, tuple[MeantToken, ...]]:
    return text, tokens


def _is_inside(start: int, text: str, within: Span) -> bool:
    return within.start <= start and start + len(text) <= within.end


def _touching(start: int, tokens: tuple[MeantToken, ...], within: Span) -> tuple[MeantToken, ...]:
    """The tokens of a part at ``start`` that touch a span of the text."""
    places = ((each, each.span.shift(start)) for each in tokens)
    return tuple(each for each, place in places if place.end >= within.start and place.start <= within.end)


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
    most = min(len(before), len(after))
    start = _common(before, after, most)
    end = _common(before[: start - len(before) - 1 : -1], after[: start - len(after) - 1 : -1], most - start)
    return start, len(before) - start - end, after[start : len(after) - end]


def _common(one: list[int], other: list[int], most: int) -> int:
    """The length of the common beginning of two lists, at most ``most``."""
    place = 0
    while place < most:
        # By slices, for all but the last of which no number is looked at by itself.
        behind = min(place + _SLICE, most)
        if one[place:behind] != other[place:behind]:
            return next(at for at in range(place, behind) if one[at] != other[at])
        place = behind
    return most
