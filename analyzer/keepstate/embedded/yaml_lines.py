"""Lines of YAML by indentation, and the lexical units that may cross them: quotes, flow collections, comments.

Read by their form alone, so that a template (Helm, Jinja) between the lines is no obstacle: a line of nothing but a
template tag counts as empty.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from keepstate.embedded.text_scalars import EmbeddingError, LineBounds, lines_of

_TAG_LINE = re.compile(r"\s*(?:\{\{.*\}\}|\{%.*%\})\s*\Z")
_DOCUMENT = re.compile(r"---(?=\s|\Z)")
_END = re.compile(r"\.\.\.(?=\s|\Z)")
_PLAIN_KEY = re.compile(
    r"(?P<key>[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\r\n]*?|[-?:][^\s,\[\]{}][^\r\n]*?)[ \t]*:(?=[ \t\r\n]|\Z)"
)
_QUOTED_END = re.compile(r"[ \t]*:(?=[ \t\r\n]|\Z)")
_SINGLE = re.compile(r"'[^']*(?:''[^']*)*'")
_DOUBLE = re.compile(r'"[^"\\]*(?:\\[\s\S][^"\\]*)*"')
_PROPERTY = re.compile(r"(?:&[^\s,\[\]{}]+|!(?:<[^>\s]*>|[^\s,\[\]{}]*))(?=\s|\Z)")
_BLANKS = re.compile(r"[ \t]*")
_FLOW_KEY = re.compile(r"[^,\[\]{}\r\n]*?(?=[ \t]*(?::[\s,\[\]{}]|[,}]|\r|\n))")
_FAR = 200
"""Blanks in front of a quote, at most, behind the sign that it follows."""


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """An entry of a mapping or a sequence: its key, and the offset at which its value may begin. ``end`` is behind the
    lines that may belong to the value; ``None`` in a flow collection, whose signs tell.
    """

    key: str | int
    value: int
    end: int | None = None


class YamlLines:
    """The text of a YAML file by lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = tuple(lines_of(text))
        self._starts = [line.start for line in self.lines]
        self._behind: dict[tuple[int, int, bool, int], int] = {}
        """The ends of values, which many pointers pass."""

    @staticmethod
    @lru_cache(maxsize=1)
    def of(text: str) -> YamlLines:
        """The lines of a file, once for all of its values."""
        return YamlLines(text)

    def number(self, offset: int) -> int:
        """The number of the line, from 0, that an offset is in."""
        return bisect_right(self._starts, offset) - 1

    def documents(self) -> Iterator[tuple[int, int]]:
        """The first offset and the end of each document that holds anything."""
        start = 0
        for line in self.lines:
            if _DOCUMENT.match(self.text, line.start) or _END.match(self.text, line.start):
                if self._holds(start, line.start):
                    yield start, line.start
                start = min(line.start + 3, line.end)
        if self._holds(start, len(self.text)):
            yield start, len(self.text)

    def _holds(self, start: int, end: int) -> bool:
        return self.content(start, end) is not None

    def content(self, offset: int, end: int) -> int | None:
        """The offset of the first content at or after ``offset``: no blank, comment, directive or line of a template
        tag; ``None`` if there is none in front of ``end``.
        """
        number = self.number(offset)
        while offset < end:
            line = self.lines[number]
            at = self._after_blanks(offset)
            # An empty rest, a comment, and a tag on a line of its own hold nothing.
            is_whole = not self.text[line.start : at].strip()
            if (
                at < line.end
                and self.text[at] != "#"
                and not (is_whole and self.is_tag(line))
                and not (at == line.start and self.text[at] == "%")
            ):
                return at if at < end else None
            number += 1
            if number == len(self.lines):
                return None
            offset = self.lines[number].start
        return None

    def _after_blanks(self, offset: int) -> int:
        blanks = _BLANKS.match(self.text, offset)
        assert blanks is not None
        return blanks.end()

    def is_tag(self, line: LineBounds) -> bool:
        """Return whether a line holds nothing but a tag of a template."""
        return _TAG_LINE.match(self.text, line.start, line.end) is not None

    def is_blank(self, line: LineBounds) -> bool:
        return not self.text[line.start : line.end].strip(" \t")

    def indentation(self, line: LineBounds) -> int:
        """The number of spaces that a line begins with."""
        piece = self.text[line.start : line.end]
        return len(piece) - len(piece.lstrip(" "))

    def column(self, offset: int) -> int:
        """The column of an offset that a block collection begins at.

        Raises:
            EmbeddingError: a tab stands in front of it.
        """
        number = self.number(offset)
        start = self.lines[number].start
        if "\t" in self.text[start:offset]:
            raise EmbeddingError(f"is not read: line {number + 1} is indented with a tab")
        return offset - start

    def behind_properties(self, offset: int, end: int) -> int | None:
        """The offset of the first content behind anchors and YAML tags."""
        at = self.content(offset, end)
        while at is not None and (property_match := _PROPERTY.match(self.text, at)):
            at = self.content(property_match.end(), end)
        return at

    # ------------------------------------------------------------------------------------------- units over lines

    def quoted_end(self, offset: int) -> int:
        """The end of a scalar in quotes.

        Raises:
            EmbeddingError: it has none.
        """
        pattern = _SINGLE if self.text[offset] == "'" else _DOUBLE
        match = pattern.match(self.text, offset)
        if match is None:
            raise EmbeddingError(f"is not read: the quote in line {self.number(offset) + 1} is not closed")
        return match.end()

    def flow_end(self, offset: int) -> int:
        """The end of a flow collection that begins at ``offset``.

        Raises:
            EmbeddingError: it has none.
        """
        depth, at = 0, offset
        while at < len(self.text):
            sign = self.text[at]
            if sign in "'\"" and self._begins_flow_scalar(at):
                at = self.quoted_end(at)
                continue
            if sign == "#" and self.text[at - 1] in " \t\r\n":
                at = self.lines[self.number(at)].end
                continue
            depth += (sign in "[{") - (sign in "]}")
            at += 1
            if depth == 0:
                return at
        raise EmbeddingError(f"is not read: the bracket in line {self.number(offset) + 1} is not closed")

    def _begins_flow_scalar(self, offset: int) -> bool:
        before = self.text[max(0, offset - _FAR) : offset].rstrip(" \t\r\n")[-1:]
        return before in ("", ",", "[", "{", ":") or self.text[offset - 1] in " \t\r\n"

    def flow_entries(self, offset: int) -> Iterator[YamlEntry]:
        """The entries of a flow collection that begins at ``offset``."""
        is_mapping = self.text[offset] == "{"
        end = self.flow_end(offset) - 1
        at, index = offset + 1, 0
        while (start := self.behind_properties(at, end)) is not None:
            if self.text[start] == ",":
                at = start + 1
                continue
            behind, value, key = start, start, ""
            if self.text[start] in "'\"":
                behind = self.quoted_end(start)
                key = unquoted(self.text[start:behind])
                colon = self.content(behind, end)
                if is_mapping and colon is not None and self.text[colon] == ":":
                    value = behind = colon + 1
            elif is_mapping:
                plain = _FLOW_KEY.match(self.text, start)
                if plain is not None:
                    key = plain.group()
                    behind = plain.end()
                    colon = self.content(behind, end)
                    if colon is not None and self.text[colon] == ":":
                        value = behind = colon + 1
            yield YamlEntry(key if is_mapping else index, value)
            index += 1
            at = self._flow_entry_end(behind, end)

    def _flow_entry_end(self, offset: int, end: int) -> int:
        at = offset
        while at < end and self.text[at] != ",":
            if self.text[at] in "[{":
                at = self.flow_end(at)
            elif self.text[at] in "'\"" and self._begins_flow_scalar(at):
                at = self.quoted_end(at)
            else:
                at += 1
        return at

    # -------------------------------------------------------------------------------------------- block collections

    def key_at(self, offset: int) -> YamlEntry | None:
        """The key of an entry of a block mapping that begins at ``offset``; ``None``: none begins there."""
        line = self.lines[self.number(offset)]
        if self.text[offset] in "'\"":
            try:
                end = self.quoted_end(offset)
            except EmbeddingError:
                return None
            colon = _QUOTED_END.match(self.text, end)
            if end > line.end or colon is None:
                return None
            return YamlEntry(unquoted(self.text[offset:end]), colon.end())
        match = _PLAIN_KEY.match(self.text, offset, line.end)
        if match is None or " #" in match["key"]:
            return None
        return YamlEntry(match["key"], match.end())

    def begins_sequence(self, offset: int) -> bool:
        """Return whether an entry of a block sequence begins at ``offset``."""
        return self.text[offset] == "-" and self.text[offset + 1 : offset + 2] in (" ", "\t", "\r", "\n", "")

    def block_entries(self, offset: int, end: int) -> Iterator[YamlEntry]:
        """The entries of the block collection whose first entry begins at ``offset``.

        Raises:
            EmbeddingError: a line of it cannot be read.
        """
        column = self.column(offset)
        is_sequence = self.begins_sequence(offset)
        index = 0
        at: int | None = offset
        while at is not None and self.column(at) == column and self.begins_sequence(at) == is_sequence:
            entry = YamlEntry(index, at + 1) if is_sequence else self.key_at(at)
            if entry is None:
                raise EmbeddingError(f"is not read: line {self.number(at) + 1} is no entry of the mapping around it")
            place = entry.value, column, is_sequence, end
            if place not in self._behind:
                self._behind[place] = self._behind_value(*place)
            behind = self._behind[place]
            yield replace(entry, end=behind)
            index += 1
            at = self.content(behind, end)
        if at is not None and self.column(at) > column:
            raise EmbeddingError(f"is not read: line {self.number(at) + 1} has an indentation of its own")

    def _behind_value(self, offset: int, column: int, in_sequence: bool, end: int) -> int:
        """An offset behind the value of an entry: the start of the next line that is not a part of it."""
        number = self.number(offset)
        first = self.behind_properties(offset, self.lines[number].end)
        if first is not None and self.key_at(first) is None:
            if self.text[first] in "'\"":
                number = self.number(self.quoted_end(first))
            elif self.text[first] in "[{" and not self.text.startswith("{{", first):
                number = self.number(self.flow_end(first) - 1)
        for following in range(number + 1, len(self.lines)):
            line = self.lines[following]
            if line.start >= end:
                return end
            if self.is_blank(line) or self.is_tag(line):
                continue
            depth = self.indentation(line)
            at = line.start + depth
            if depth > column or self.text[at] == "#":
                continue
            if depth == column and not in_sequence and self.begins_sequence(at):
                # A sequence may stand at the column of its key.
                continue
            return line.start
        return end


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}
_ESCAPES |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\t": "\t"}
_HEX = {"x": 2, "u": 4, "U": 8}


def escape_at(text: str, offset: int) -> tuple[str, int]:
    """The character that an escape with a backslash stands for, and the length of the escape.

    Raises:
        EmbeddingError: there is no such escape.
    """
    sign = text[offset + 1]
    if sign in _HEX:
        digits = text[offset + 2 : offset + 2 + _HEX[sign]]
        try:
            return chr(int(digits, 16)), 2 + _HEX[sign]
        except (ValueError, OverflowError) as error:
            raise EmbeddingError(f"is not read: \\{sign}{digits} is no character") from error
    return _ESCAPES.get(sign, sign), 2


def unquoted(text: str) -> str:
    """The value of a key in quotes, which stands on one line."""
    inner = text[1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    characters, at = [], 0
    while at < len(inner):
        character, length = escape_at(inner, at) if inner[at] == "\\" else (inner[at], 1)
        characters.append(character)
        at += length
    return "".join(characters)
