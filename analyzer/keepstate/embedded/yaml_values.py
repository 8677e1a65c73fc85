"""Values of YAML files: the scalar that a pointer names.

Only the path to the value is read, so the rest of the file may be a template. Aliases and merge keys are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from keepstate.embedded.pointers import SEARCHED_PARTS, FilePointer, escaped
from keepstate.embedded.text_scalars import (
    BREAK,
    EmbeddingError,
    LineBounds,
    NothingThereError,
    Scalar,
    ScalarPiece,
    Style,
    check_host,
    folded,
    literal,
)
from keepstate.embedded.yaml_lines import YamlEntry, YamlLines, escape_at
from keepstate.text import Span

_BLOCK = re.compile(r"(?P<style>[|>])(?:(?P<depth>[1-9])?[+-]?|[+-](?P<depth2>[1-9]))[ \t]*(?:[ \t]#.*)?\Z")
_BEHIND = r"[ \t]*(?:[,\]}].*|[ \t]#.*)?(?:\r?\n|\Z)"
_OF_OTHER_TYPES = {
    "null": re.compile(rf"(?:~|null|Null|NULL){_BEHIND}"),
    "a number": re.compile(rf"[-+]?[\d.][\d_.]*(?:[eE][-+]?\d+)?{_BEHIND}"),
    "a truth value": re.compile(rf"(?:true|True|TRUE|false|False|FALSE){_BEHIND}"),
}
"""Scalars without quotes that are no texts, by YAML 1.2."""
_COMMENT = re.compile(r"[ \t]#")
_FLOW_SIGNS = re.compile(r"[,\[\]{}]|:(?=[\s,\[\]{}])")


def yaml_scalar(text: str, pointer: FilePointer) -> Scalar:
    """The scalar under a pointer.

    Raises:
        EmbeddingError: there is none, there are several, or it is no text.
    """
    check_host(text)
    lines = YamlLines.of(text)
    documents = list(lines.documents())
    if pointer.document is not None:
        if pointer.document > len(documents):
            raise NothingThereError(f"names nothing: the file has {_count(len(documents), 'document')}")
        return _Search(lines, documents[pointer.document - 1][1]).scalar(documents[pointer.document - 1][0], pointer)
    scalars: list[tuple[int, Scalar]] = []
    failure: EmbeddingError | None = None
    for number, (start, end) in enumerate(documents, start=1):
        try:
            scalars.append((number, _Search(lines, end).scalar(start, pointer)))
        except NothingThereError as error:
            failure = failure or error
    if len(scalars) > 1:
        numbers = " and ".join(str(number) for number, _ in scalars[:2])
        raise EmbeddingError(f"names a value in documents {numbers}: write the number of one of them behind #")
    if scalars:
        return scalars[0][1]
    raise failure or NothingThereError("names nothing: the file is empty")


def yaml_texts(text: str, file: str) -> Iterator[tuple[FilePointer, str]]:
    """The texts of a file, each under its pointer, in the order of the file. What cannot be read is left out.

    Raises:
        EmbeddingError: the file is too large, or no text.
    """
    check_host(text)
    lines = YamlLines(text)
    documents = list(lines.documents())
    for number, (start, end) in enumerate(documents, start=1):
        for parts, scalar in _Search(lines, end).scalars(start):
            yield FilePointer(file, parts, number if len(documents) > 1 else None), scalar.value


def yaml_scalars(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    r"""All scalars of a file, numbers and truth values as they are written, each with its document (from 1), its keys
    and positions. Empty values and ``null`` are left out.

    Raises:
        EmbeddingError: the file is too large, or a part of it cannot be read.

    >>> list(yaml_scalars("a: {b: 1}\nc: [x, null]\n"))
    [(1, ('a', 'b'), '1'), (1, ('c', '0'), 'x')]
    """
    check_host(text)
    lines = YamlLines(text)
    for number, (start, end) in enumerate(lines.documents(), start=1):
        for parts, scalar in _Search(lines, end, reads_all=True).scalars(start):
            yield number, parts, scalar.value


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


class _Search:
    """The way to a value in one document."""

    def __init__(self, lines: YamlLines, end: int, *, reads_all: bool = False) -> None:
        self._lines = lines
        self._text = lines.text
        self._end = end
        self._reads_all = reads_all
        """Numbers and truth values are scalars as well, and what cannot be read is an error."""

    def scalar(self, start: int, pointer: FilePointer) -> Scalar:
        offset, end, parent, in_flow = start, self._end, -1, False
        for number, part in enumerate(pointer.parts):
            at = self._lines.behind_properties(offset, end)
            around = "".join(f"/{escaped(each)}" for each in pointer.parts[:number]) or "the document"
            if at is None:
                raise NothingThereError(f"names nothing: {around} is empty")
            if self._text[at] == "*":
                raise EmbeddingError(f"leads through an alias ({around}); name the value at its anchor")
            level = self._level(at, parent, in_flow)
            if level is None:
                raise NothingThereError(f"names nothing: {around} has no entries")
            entries, parent, in_flow = level
            entry = self._choose(list(entries), part, around)
            offset, end = entry.value, end if entry.end is None else entry.end
        return self._read(offset, end, parent, in_flow)

    def _level(self, at: int, parent: int, in_flow: bool) -> tuple[Iterator[YamlEntry], int, bool] | None:
        """The entries of the collection at ``at``, its column, and whether it is a flow one; ``None``: it is none."""
        if self._text[at] in "[{" and not self._text.startswith("{{", at):
            return self._lines.flow_entries(at), parent, True
        if not in_flow and (self._lines.begins_sequence(at) or self._lines.key_at(at) is not None):
            return self._lines.block_entries(at, self._end), self._lines.column(at), False
        return None

    def scalars(self, start: int) -> Iterator[tuple[tuple[str, ...], Scalar]]:
        """The texts of the document that begins at ``start``, each with its keys and numbers."""
        waiting: list[tuple[tuple[str, ...], int, int, int, bool]] = [((), start, self._end, -1, False)]
        while waiting:
            parts, offset, end, parent, in_flow = waiting.pop()
            # Aliases, lists without an end, tabs: no pointer leads there either.
            with suppress(NothingThereError if self._reads_all else EmbeddingError):
                at = self._lines.behind_properties(offset, end)
                level = None if at is None or len(parts) == SEARCHED_PARTS else self._level(at, parent, in_flow)
                if level is None:
                    yield parts, self._read(offset, end, parent, in_flow)
                    continue
                entries, parent, in_flow = level
                below = [
                    ((*parts, str(entry.key)), entry.value, end if entry.end is None else entry.end, parent, in_flow)
                    for entry in entries
                ]
                waiting += reversed(below)

    def _choose(self, entries: Sequence[YamlEntry], part: str, around: str) -> YamlEntry:
        matches = [entry for entry in entries if str(entry.key) == part]
        if len(matches) > 1:
            raise EmbeddingError(f"names several values: {part} stands more than once in {around}")
        if not matches:
            is_list = bool(entries) and isinstance(entries[0].key, int)
            has = f"is a list of {len(entries)}" if is_list else f"has no {part}"
            raise NothingThereError(f"names nothing: {around} {has}")
        return matches[0]

    def _read(self, offset: int, end: int, parent: int, in_flow: bool) -> Scalar:
        at = self._lines.behind_properties(offset, end)
        if at is None:
            raise NothingThereError("names nothing: the value is empty")
        line = self._lines.lines[self._lines.number(at)]
        sign = self._text[at]
        if not in_flow and (header := _BLOCK.match(self._text, at, line.end)):
            depth = header["depth"] or header["depth2"]
            return self._block(line, parent, header["style"], None if depth is None else max(parent, 0) + int(depth))
        if sign in "|>":
            raise EmbeddingError(f"is not read: line {self._lines.number(at) + 1} is no header of a block scalar")
        if sign == "*":
            raise EmbeddingError("names an alias; name the value at its anchor")
        if self._text.startswith(("{{", "{%"), at):
            raise EmbeddingError("names a value that a template fills in")
        if sign in "[{":
            raise EmbeddingError(f"names a {'list' if sign == '[' else 'mapping'}, not a text")
        if not in_flow and self._lines.begins_sequence(at):
            raise EmbeddingError("names a list, not a text")
        if not in_flow and self._lines.key_at(at) is not None:
            # `a: b: c` is no YAML; behind a line break it is a mapping.
            raise EmbeddingError("names a mapping, not a text")
        column = max(parent + 1, 1)
        indent = " " * max(column, 1)
        if sign in "'\"":
            if not in_flow and self._lines.number(at) == self._lines.number(offset):
                indent = " " * (parent + 2)
            closed = self._lines.quoted_end(at)
            return Scalar(tuple(_quoted(self._text, at, closed)), Style.SINGLE if sign == "'" else Style.DOUBLE, indent)
        if sign in "@`%,]}":
            raise EmbeddingError(f"is not read: no value begins with {sign}")
        for type_name, pattern in _OF_OTHER_TYPES.items():
            if pattern.match(self._text, at, self._end):
                if not self._reads_all:
                    raise EmbeddingError(f"names {type_name}, not a text")
                if type_name == "null":
                    raise NothingThereError("names null, not a text")
        return Scalar(tuple(self._plain(at, parent, in_flow)), Style.PLAIN, indent)

    def _block(self, header: LineBounds, parent: int, style: str, depth: int | None) -> Scalar:
        """A block scalar behind its header."""
        body: list[LineBounds] = []
        count = 0
        for number in range(self._lines.number(header.start) + 1, len(self._lines.lines)):
            line = self._lines.lines[number]
            if line.start >= self._end:
                break
            if not self._text[line.start : line.end].strip(" "):
                body.append(line)
                continue
            indentation = self._lines.indentation(line)
            if indentation < (parent + 1 if depth is None else depth):
                if not self._lines.is_tag(line):
                    break
                # A tag at another column is a part of the value if more of it follows.
                body.append(line)
                continue
            if depth is None:
                depth = indentation
            body.append(line)
            count = len(body)
        spans = []
        for line in body[:count]:
            start = min(line.start + (depth or 0), line.end)
            if self._lines.indentation(line) < (depth or 0):
                start = line.start + self._lines.indentation(line)
            spans.append((Span(start, line.end), line.next))
        indent = " " * (depth if depth is not None else parent + 2)
        if style == "|":
            return Scalar(literal(self._text, spans), Style.LINES, indent)
        return Scalar(tuple(folded(self._text, [span for span, _ in spans], keeps_indented=True)), Style.FOLDED, indent)

    def _plain(self, offset: int, parent: int, in_flow: bool) -> Iterator[ScalarPiece]:
        """A scalar without quotes, which may go on in further lines."""
        spans = []
        number = self._lines.number(offset)
        start = offset
        while True:
            line = self._lines.lines[number]
            end, is_last = min(line.end, self._end), False
            for pattern in (_COMMENT, *((_FLOW_SIGNS,) if in_flow else ())):
                if match := pattern.search(self._text, start, end):
                    end, is_last = match.start(), True
            spans.append(Span(start, start + len(self._text[start:end].rstrip(" \t"))))
            number += 1
            if is_last or number == len(self._lines.lines) or self._lines.lines[number].start >= self._end:
                break
            following = self._lines.lines[number]
            if self._lines.is_blank(following):
                start = following.end
                continue
            start = following.start + self._lines.indentation(following)
            if self._text[start] == "#" or (not in_flow and start - following.start <= parent):
                break
            if not in_flow and self._lines.key_at(start) is not None:
                raise EmbeddingError(f"is not read: line {number + 1} is no part of a text without quotes")
        yield from folded(self._text, spans)


def _quoted(text: str, start: int, end: int) -> Iterator[ScalarPiece]:
    """The pieces of a scalar in quotes."""
    is_single = text[start] == "'"
    at, last = start + 1, end - 1
    begin = at
    while at < last:
        sign = text[at]
        if sign in "\r\n":
            # Blanks around a single break are no part of the value.
            stop = begin + len(text[begin:at].rstrip(" \t"))
            if stop > begin:
                yield ScalarPiece(Span(begin, stop), text[begin:stop])
            behind = at
            while behind < last and text[behind] in " \t\r\n":
                behind += 1
            breaks = len(BREAK.findall(text, at, behind))
            yield ScalarPiece(Span(stop, behind), "\n" * (breaks - 1) or " ")
            at = begin = behind
        elif (is_single and sign == "'") or (not is_single and sign == "\\"):
            if at > begin:
                yield ScalarPiece(Span(begin, at), text[begin:at])
            if is_single:
                value, length = "'", 2
            elif line_break := BREAK.match(text, at + 1):
                behind = line_break.end()
                while behind < last and text[behind] in " \t":
                    behind += 1
                value, length = "", behind - at
            else:
                value, length = escape_at(text, at)
            yield ScalarPiece(Span(at, at + length), value)
            at = begin = at + length
        else:
            at += 1
    if last > begin:
        yield ScalarPiece(Span(begin, last), text[begin:last])
