"""Values of HCL files (Terraform): the heredoc or quoted text that a pointer names.

A part of a pointer is the type of a block, one of its labels, the name of an attribute, a key of an object or a number
in a list. Expressions are not computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from keepstate.embedded.pointers import SEARCHED_PARTS, FilePointer
from keepstate.embedded.text_scalars import (
    EmbeddingError,
    NothingThereError,
    Scalar,
    ScalarPiece,
    Style,
    check_host,
    literal,
)
from keepstate.text import Span

_SPACE = re.compile(r"(?:[ \t\ufeff]+|\r\n|\n|\r|(?:#|//)[^\r\n]*|/\*[\s\S]*?\*/)+")
_SAME_LINE = re.compile(r"(?:[ \t]+|/\*[\s\S]*?\*/)*")
_NAME = re.compile(r"[^\W\d][\w-]*")
_OTHER = re.compile(r"[^\s\"<{}\[\]()#/=:,]+")
_HEREDOC = re.compile(r"<<-?(?P<mark>[^\W\d][\w-]*)[ \t]*(?:\r\n|\n|\r)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_HEX = {"u": 4, "U": 8}
_MOST_NESTED = 50
"""Templates in quoted texts in templates."""


def hcl_scalar(text: str, pointer: FilePointer) -> Scalar:
    """The scalar under a pointer.

    Raises:
        EmbeddingError: there is none, there are several, or it is no text.
    """
    check_host(text)
    reader = _Reader(text)
    values = list(reader.in_body(0, pointer.parts))
    if len(values) > 1:
        lines = " and ".join(str(text.count("\n", 0, offset) + 1) for offset in values[:2])
        raise EmbeddingError(f"names several values, in lines {lines}")
    if not values:
        raise NothingThereError("names nothing: the file has no block or attribute of these names")
    return reader.scalar(values[0])


def hcl_texts(text: str, file: str) -> Iterator[tuple[FilePointer, str]]:
    """The texts of a file, each under its pointer, in the order of the file. What cannot be read is left out.

    Raises:
        EmbeddingError: the file is too large, or no text.
    """
    check_host(text)
    reader = _Reader(text)
    for parts, offset in reader.below_body(0):
        with suppress(EmbeddingError):
            yield FilePointer(file, parts), reader.scalar(offset).value


@dataclass(frozen=True, slots=True)
class _Item:
    """An attribute with the offset of its expression, or a block with its labels and the offset of its body."""

    name: str
    labels: tuple[str, ...] | None
    start: int


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    # ----------------------------------------------------------------------------------------------- lexical units

    def _spaces(self, offset: int) -> int:
        space = _SPACE.match(self._text, offset)
        return offset if space is None else space.end()

    def _unread(self, part: str, offset: int) -> EmbeddingError:
        return EmbeddingError(f"is not read: {part} in line {self._text.count(chr(10), 0, offset) + 1} is not closed")

    def _step(self, offset: int, nested: int = 0) -> int:
        """The offset behind the lexical unit at ``offset``, which may be a single sign."""
        sign = self._text[offset]
        if sign == '"':
            return self._quoted_end(offset, nested)
        if sign == "<" and (heredoc := _HEREDOC.match(self._text, offset)):
            return self._heredoc(heredoc)[1]
        if step := _SPACE.match(self._text, offset) or _OTHER.match(self._text, offset):
            return step.end()
        return offset + 1

    def _quoted_end(self, offset: int, nested: int = 0) -> int:
        if nested > _MOST_NESTED:
            raise EmbeddingError("is not read: templates of the file are nested too deeply")
        at = offset + 1
        while at < len(self._text):
            sign = self._text[at]
            if sign == '"':
                return at + 1
            if sign in "\r\n":
                break
            if sign == "\\" or self._text.startswith(("$${", "%%{"), at):
                at += 2 if sign == "\\" else 3
            elif self._text.startswith(("${", "%{"), at):
                at = self._braces_end(at + 1, nested + 1)
            else:
                at += 1
        raise self._unread("the quote", offset)

    def _braces_end(self, offset: int, nested: int = 0) -> int:
        """The offset behind the bracket that closes the one at ``offset``."""
        depth, at = 0, offset
        while at < len(self._text):
            sign = self._text[at]
            depth += (sign in "{[(") - (sign in "}])")
            at = self._step(at, nested)
            if depth == 0:
                return at
        raise self._unread("the bracket", offset)

    def _heredoc(self, begin: re.Match[str]) -> tuple[tuple[tuple[Span, int], ...], int]:
        """The lines of a heredoc, and the offset behind its end mark."""
        lines: list[tuple[Span, int]] = []
        at = begin.end()
        while at < len(self._text):
            # One line at a time: a file may hold many heredocs.
            stop = re.compile(r"[^\r\n]*").match(self._text, at)
            assert stop is not None
            end = stop.end()
            if self._text[at:end].strip() == begin["mark"]:
                return tuple(lines), end
            after = end + (2 if self._text.startswith("\r\n", end) else 1)
            lines.append((Span(at, end), min(after, len(self._text))))
            at = after
        raise self._unread("the heredoc", begin.start())

    def _expression_end(self, offset: int) -> int:
        """The offset of the line break or bracket behind an expression."""
        at = offset
        while at < len(self._text):
            sign = self._text[at]
            if sign in "}])\r\n,":
                return at
            if sign in "{[(":
                at = self._braces_end(at)
            elif same := _SAME_LINE.match(self._text, at):
                if same.end() > at:
                    at = same.end()
                elif sign == "#" or self._text.startswith("//", at):
                    return at
                else:
                    at = self._step(at)
        return at

    # ------------------------------------------------------------------------------------------------------ bodies

    def _items(self, offset: int) -> Iterator[_Item]:
        """The items of the body that begins at ``offset``."""
        at = self._spaces(offset)
        while at < len(self._text) and self._text[at] != "}":
            name = _NAME.match(self._text, at)
            if name is None:
                at = self._spaces(self._step(at))
                continue
            at = self._after(name.end())
            labels: list[str] = []
            while at < len(self._text) and self._text[at] not in "={\r\n":
                label = _NAME.match(self._text, at)
                end = label.end() if label is not None else self._step(at)
                labels.append(self._text[at:end].strip('"'))
                at = self._after(end)
            if self._text.startswith("{", at):
                yield _Item(name.group(), tuple(labels), at + 1)
                at = self._braces_end(at)
            elif self._text.startswith("=", at) and not labels:
                yield _Item(name.group(), None, at + 1)
                at = self._expression_end(at + 1)
            at = self._spaces(at)
            if self._text.startswith(",", at):
                at = self._spaces(at + 1)

    def _after(self, offset: int) -> int:
        blank = _SAME_LINE.match(self._text, offset)
        assert blank is not None
        return blank.end()

    def in_body(self, offset: int, parts: Sequence[str]) -> Iterator[int]:
        """The offsets of the values under ``parts`` in the body that begins at ``offset``."""
        for item in self._items(offset):
            if not parts or item.name != parts[0]:
                continue
            if item.labels is None:
                yield from self._in_value(self._after(item.start), parts[1:])
            elif item.labels == tuple(parts[1 : 1 + len(item.labels)]):
                yield from self.in_body(item.start, parts[1 + len(item.labels) :])

    def below_body(self, start: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """The offsets of all values below the body that begins at ``start``, each with its names."""
        waiting: list[tuple[tuple[str, ...], int, bool]] = [((), start, True)]
        while waiting:
            parts, offset, is_body = waiting.pop()
            with suppress(EmbeddingError):
                below: list[tuple[tuple[str, ...], int, bool]] = []
                if is_body:
                    for item in self._items(offset):
                        names = (*parts, item.name, *(item.labels or ()))
                        begin = self._after(item.start) if item.labels is None else item.start
                        below.append((names, begin, item.labels is not None))
                elif self._text.startswith(("{", "["), offset):
                    below = [((*parts, key), begin, False) for key, begin in self._entries(offset)]
                else:
                    yield parts, offset
                waiting += reversed([each for each in below if len(each[0]) <= SEARCHED_PARTS])

    def _in_value(self, offset: int, parts: Sequence[str]) -> Iterator[int]:
        if not parts:
            yield offset
        elif self._text.startswith(("{", "["), offset):
            for key, start in self._entries(offset):
                if key == parts[0]:
                    yield from self._in_value(start, parts[1:])

    def _entries(self, offset: int) -> Iterator[tuple[str, int]]:
        """The keys of an object, or the numbers of a list, with the offsets of the values."""
        is_list, index = self._text[offset] == "[", 0
        at = self._spaces(offset + 1)
        while at < len(self._text) and self._text[at] not in "}]":
            key = str(index)
            if not is_list:
                begin = at
                at = self._step(at)
                key = self._text[begin:at].strip('"')
                at = self._spaces(at)
                if not self._text.startswith(("=", ":"), at):
                    # A key that is computed, or a `for`: no name leads there.
                    at = self._spaces(self._expression_end(at) + 1)
                    continue
                at = self._after(at + 1)
            yield key, at
            index += 1
            at = self._spaces(self._expression_end(at))
            if self._text.startswith(",", at):
                at = self._spaces(at + 1)
            elif self._text.startswith(")", at):
                return

    # ------------------------------------------------------------------------------------------------------ scalars

    def scalar(self, offset: int) -> Scalar:
        """The text at ``offset``.

        Raises:
            EmbeddingError: there is another expression.
        """
        text = self._text
        heredoc = _HEREDOC.match(text, offset)
        is_quoted = text.startswith('"', offset)
        if heredoc is None and not is_quoted:
            begin = " ".join(text[offset : self._expression_end(offset)].split())[:40]
            raise EmbeddingError(f"names an expression, not a text: {begin}")
        if heredoc is not None:
            lines, end = self._heredoc(heredoc)
            texts = [text[span.start : span.end] for span, _ in lines if span.of(text).strip()]
            indent = min((len(line) - len(line.lstrip(" \t")) for line in texts), default=0)
            is_indented = text.startswith("<<-", offset)
            if is_indented:
                lines = tuple((_inner(text, span, indent), after) for span, after in lines)
            first = texts[0] if texts else ""
            scalar = Scalar(literal(text, lines), Style.LINES, first[:indent])
        else:
            end = self._quoted_end(offset)
            scalar = Scalar(tuple(self._quoted(offset, end)), Style.DOUBLE)
        behind = self._after(end)
        if behind < len(text) and text[behind] not in "\r\n,}])#" and not text.startswith("//", behind):
            raise EmbeddingError("names an expression, not a text alone")
        return scalar

    def _quoted(self, start: int, end: int) -> Iterator[ScalarPiece]:
        text, at, last = self._text, start + 1, end - 1
        begin = at
        while at < last:
            if text[at] != "\\":
                at = self._braces_end(at + 1, 1) if text.startswith(("${", "%{"), at) else at + 1
                continue
            if at > begin:
                yield ScalarPiece(Span(begin, at), text[begin:at])
            value, length = self._escape(at)
            yield ScalarPiece(Span(at, at + length), value)
            at = begin = at + length
        if last > begin:
            yield ScalarPiece(Span(begin, last), text[begin:last])

    def _escape(self, offset: int) -> tuple[str, int]:
        sign = self._text[offset + 1]
        if sign in _HEX:
            digits = self._text[offset + 2 : offset + 2 + _HEX[sign]]
            try:
                return chr(int(digits, 16)), 2 + _HEX[sign]
            except (ValueError, OverflowError) as error:
                raise EmbeddingError(f"is not read: \\{sign}{digits} is no character") from error
        if sign not in _ESCAPES:
            raise EmbeddingError(f"is not read: there is no escape \\{sign}")
        return _ESCAPES[sign], 2


def _inner(text: str, span: Span, indent: int) -> Span:
    """A line without the indentation that ``<<-`` takes away."""
    blank = len(span.of(text)) - len(span.of(text).lstrip(" \t"))
    return Span(span.start + min(indent, blank), span.end)
