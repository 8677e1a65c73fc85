"""Places of the entries of a TOML text, which ``tomllib`` does not give.

``tomllib`` has read the text before, so it is valid; a form that this module does not know is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepstate.text import Span

TomlPath = tuple[str | int, ...]
"""The keys down to an entry, with an index behind the name of an array of tables."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}\r\n#]*[^,\]}\r\n# \t]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")


def toml_places(text: str) -> dict[TomlPath, Span]:
    """The spans of all entries (``key = value``) and of the headers of tables, by their paths.

    >>> text = 'engine = "flink"'
    >>> {path: span.of(text) for path, span in toml_places(text).items()}
    {('engine',): 'engine = "flink"'}
    """
    return dict(_Scanner(text).entries())


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._arrays: dict[TomlPath, int] = {}
        """The number of tables so far in an array of tables."""

    def entries(self) -> Iterator[tuple[TomlPath, Span]]:
        table: TomlPath = ()
        while self._skip_blank() < len(self._text):
            start = self._at
            if self._text[start] == "[":
                table = self._header()
                yield table, Span(start, self._at)
                continue
            yield from self._entry(table)
            if self._at == start:
                return

    def _header(self) -> TomlPath:
        array = self._text.startswith("[[", self._at)
        self._at += 2 if array else 1
        self._skip_blank()
        names = self._keys()
        path: TomlPath = ()
        for number, name in enumerate(names, start=1):
            path = (*path, name)
            if array and number == len(names):
                self._arrays[path] = self._arrays.get(path, 0) + 1
            if path in self._arrays:
                path = (*path, self._arrays[path] - 1)
        end = self._text.find("]", self._at)
        self._at = min(end + (2 if array else 1), len(self._text)) if end >= 0 else len(self._text)
        return path

    def _entry(self, table: TomlPath) -> Iterator[tuple[TomlPath, Span]]:
        start = self._at
        path = (*table, *self._keys())
        self._skip_blank()
        if not self._text.startswith("=", self._at):
            self._at = start
            return
        self._at += 1
        self._skip_blank()
        inner = list(self._value(path))
        yield path, Span(start, self._at)
        yield from inner

    def _value(self, path: TomlPath) -> Iterator[tuple[TomlPath, Span]]:
        """Go behind a value; the entries of an inline table are found on the way."""
        match self._text[self._at : self._at + 1]:
            case "{":
                yield from self._members("}", path)
            case "[":
                yield from self._members("]", None)
            case _:
                match = _STRING.match(self._text, self._at) or _PLAIN.match(self._text, self._at)
                self._at = match.end() if match is not None else self._at

    def _members(self, end: str, table: TomlPath | None) -> Iterator[tuple[TomlPath, Span]]:
        self._at += 1
        while self._skip_blank() < len(self._text) and not self._text.startswith(end, self._at):
            before = self._at
            if self._text[self._at] == ",":
                self._at += 1
            elif table is None:
                # Entries of tables within an array have no path that is asked for.
                for _ in self._value(()):
                    pass
            else:
                yield from self._entry(table)
            if self._at == before:
                return
        self._at = min(self._at + 1, len(self._text))

    def _keys(self) -> list[str]:
        names: list[str] = []
        while (match := _KEY.match(self._text, self._at)) is not None:
            names.append(_name(match[0]))
            self._at = match.end()
            dot = _DOT.match(self._text, self._at)
            if dot is None:
                break
            self._at = dot.end()
        return names

    def _skip_blank(self) -> int:
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at
        return self._at


def _name(text: str) -> str:
    if text[0] == "'":
        return text[1:-1]
    if text[0] != '"':
        return text
    return _ESCAPE.sub(lambda code: chr(int(code[1] or code[2], 16)) if code[1] or code[2] else code[3], text[1:-1])
