"""Lines of text with styles, laid out and drawn: importing rich for them took as long as comparing a short job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import final

from keepstate_lsp.cli.terminal.cells import cell_len

_CODES = {
    "bold": 1,
    "dim": 2,
    "reverse": 7,
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "magenta": 35,
    "cyan": 36,
}
_WORD = re.compile(r"\s*\S+\s*")


@final
class StyledText:
    """Text in parts, each with a style: words such as ``bold red``, or none."""

    __slots__ = ("_parts",)

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts: list[tuple[str, str]] = [(text, style)]

    @classmethod
    def of(cls, *parts: str | tuple[str, str] | StyledText) -> StyledText:
        """The text of some parts, one behind the other."""
        result = cls()
        for part in parts:
            if isinstance(part, StyledText):
                result._parts += part._parts
            else:
                result._parts.append((part, "") if isinstance(part, str) else part)
        return result

    @property
    def plain(self) -> str:
        """The text without its styles."""
        return "".join(text for text, _ in self._parts)

    def append(self, text: str, style: str = "") -> StyledText:
        """Add a part at the end. Return the text."""
        self._parts.append((text, style))
        return self

    def stripped(self) -> StyledText:
        """The text without white space at its end."""
        return self._slice(0, len(self.plain.rstrip()))

    def wrapped(self, width: int) -> Iterator[StyledText]:
        """The lines of the text, each at most ``width`` cells wide. A longer word is cut."""
        start = 0
        for line in self.plain.split("\n"):
            ends = [*_breaks(line, width), len(line)]
            for begin, end in zip([0, *ends], ends, strict=False):
                yield self._slice(start + begin, start + end).stripped()
            start += len(line) + 1

    def render(self, color: bool) -> str:
        """The text, with ANSI codes for its styles if they are wanted."""
        if not color:
            return self.plain
        return "".join(f"\x1b[{_codes(style)}m{text}\x1b[0m" if style and text else text for text, style in self._parts)

    def _slice(self, start: int, end: int) -> StyledText:
        result = StyledText()
        at = 0
        for text, style in self._parts:
            inside = text[max(start - at, 0) : max(end - at, 0)]
            if inside:
                result._parts.append((inside, style))
            at += len(text)
        return result


def _codes(style: str) -> str:
    return ";".join(map(str, sorted(_CODES[word] for word in style.split())))


def _breaks(line: str, width: int) -> Iterator[int]:
    """The places in a line at which further lines begin."""
    width_used = 0
    for match in _WORD.finditer(line):
        start, word = match.start(), match[0]
        solid = word.rstrip()
        if width_used + cell_len(solid) <= width:
            width_used += cell_len(word)
            continue
        if start:
            yield start
        width_used = 0
        for offset, char in enumerate(solid):
            size = cell_len(char)
            if width_used and width_used + size > width:
                yield start + offset
                width_used = 0
            width_used += size
        width_used += len(word) - len(solid)
