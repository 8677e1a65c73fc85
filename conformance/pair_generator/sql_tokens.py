"""Tokens of a script, for a generator that moves text. It knows brackets, literals and comments, and no statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*(?!\+).*?\*/)"
    r"|(?P<hint>/\*\+.*?\*/)"
    r"|(?P<text>(?:[UuXxNn]&?)?'(?:[^']|'')*')"
    r"|(?P<quoted>`(?:[^`]|``)*`)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<sign><=|>=|<>|!=|=>|\|\||.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """``depth`` counts the brackets around it; a bracket stands outside of its own pair. ``word`` is in capitals."""

    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind == "word" else self.text

    @property
    def name(self) -> str:
        return self.text.strip("`")

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")


def tokens_of(script: str) -> list[Token]:
    """All tokens but space and comments."""
    found: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(script):
        text = match[0]
        depth -= text == ")"
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup or "", text, match.start(), match.end(), depth))
        depth += text == "("
    return found


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at ``opening``; the last token if none does."""
    depth = tokens[opening].depth
    for index in range(opening + 1, len(tokens)):
        if tokens[index].text == ")" and tokens[index].depth == depth:
            return index
    return len(tokens) - 1


def split_at(tokens: Sequence[Token], words: frozenset[str], depth: int) -> list[list[Token]]:
    """The parts between tokens of ``words`` at ``depth``, without these."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.depth == depth and token.word in words:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def replaced(script: str, *changes: tuple[int, int, str]) -> str:
    """The script with other text in some places, given by the places of the former one."""
    for start, end, text in sorted(changes, reverse=True):
        script = script[:start] + text + script[end:]
    return script
