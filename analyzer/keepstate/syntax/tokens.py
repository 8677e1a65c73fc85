"""The lexer: one statement's text to tokens.

It follows the lexical rules of Flink's parser: strings in single quotes with doubled quotes inside and no backslash
escapes, names in backticks, ``--``, ``//`` and ``/* */`` comments, hints between ``/*+`` and ``*/``. It never fails:
what it cannot read becomes a ``BAD`` token, on which the parser then stops with that token's place. Holes of templates
(``${x}``, ``{{ x }}``) are names of kind ``HOLE``; Jinja blocks (``{% if x %}``) are left out like comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from keepstate.text import Span


class TokenKind(Enum):
    WORD = "word"
    """A keyword or a name without quotes."""
    NAME = "name"
    """A name in backticks."""
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    HOLE = "hole"
    """A name that has a template variable in it, or consists of one."""
    BAD = "bad"
    """An unterminated quote or comment, or a character that has no place in Flink SQL."""
    END = "end"
    """Behind the last token."""


class Token:
    """One token; ``word`` is the upper-case text of words and the text of symbols, empty for all other kinds."""

    __slots__ = ("end", "kind", "start", "text", "word")

    def __init__(self, kind: TokenKind, text: str, word: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.word = word
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Token({self.kind.value} {self.text!r} {self.start}..{self.end})"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its markers."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that a template fills before Flink sees the text, so what stands there is not known."""

    span: Span
    in_string: bool
    """Inside of a string literal: only the value is unknown, not the structure of the statement."""


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of a statement (the last one is the ``END``), its comments, and the holes of templates in it."""

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    holes: tuple[Hole, ...]


_HOLE = r"\$\{[^{}\r\n]*\}|\{\{[^{}]*\}\}"
_LEXEME = re.compile(
    rf"""
    (?P<space>     [\s\ufeff]+ )
  | (?P<comment>   --[^\r\n]* | //[^\r\n]* | /\*(?!\+)[\s\S]*?\*/ )
  | (?P<string>    [eE]'(?: [^'\\] | \\. | '' )*' | (?: [xXnN] | [uU]& | _[A-Za-z][\w:.-]* )?'[^']*(?:''[^']*)*' )
  | (?P<hole>      (?: [^\W\d] | \$(?!\{{) ) (?: \w | \$(?!\{{) )* (?: {_HOLE} ) (?: \w | \$ | {_HOLE} )*
                   | (?: {_HOLE} ) (?: \w | \$ | {_HOLE} )* )
  | (?P<word>      (?: [^\W\d] | \$ ) (?: \w | \$ )* )
  | (?P<number>    \d+(?:\.\d*)?(?:[eE][+-]?\d+)? | \.\d+(?:[eE][+-]?\d+)? )
  | (?P<name>      `[^`\r\n]*(?:``[^`\r\n]*)*` )
  | (?P<block>     \{{%[^%]*%\}} | \{{\#[^\#]*\#\}} )
  | (?P<symbol>    /\*\+ | <> | != | <= | >= | => | \|\| | -> | :: | := | [-+*/%(),.;\[\]<>=?:{{}}|&^~@\#!] )
  | (?P<bad>       '[^\r\n]* | `[^\r\n]* | "[^"\r\n]*"? | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ENOUGH_BAD = 100
_STRING_HOLE = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}")
_UNTERMINATED_COMMENT = re.compile(r"/\*(?!\+)")
_TEMPLATE_NAME = re.compile(r"\$(?!rowtime\b)[A-Za-z_]\w*\Z")


def lex(text: str) -> Lexed:
    """All tokens of ``text``."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    holes: list[Hole] = []
    add = tokens.append
    match = _LEXEME.match
    word_kind, symbol_kind = TokenKind.WORD, TokenKind.SYMBOL
    in_hint = False
    bad = 0
    start, length = 0, len(text)
    while start < length:
        found = match(text, start)
        # The last alternative takes any character, so there always is a match.
        assert found is not None
        kind = found.lastgroup
        end = found.end()
        if kind == "word":
            piece = found.group()
            add(Token(word_kind, piece, piece.upper(), start, end))
            if piece[0] == "$" and _TEMPLATE_NAME.match(piece):
                holes.append(Hole(Span(start, end), in_string=False))
        elif kind == "symbol":
            piece = found.group()
            if piece == "/" and _UNTERMINATED_COMMENT.match(text, start):
                end = length
                add(Token(TokenKind.BAD, text[start:end], "", start, end))
            else:
                if piece == "/*+":
                    in_hint = True
                elif in_hint and piece == "*" and text.startswith("/", end):
                    in_hint, piece, end = False, "*/", end + 1
                add(Token(symbol_kind, piece, piece, start, end))
        elif kind == "string":
            piece = found.group()
            add(Token(TokenKind.STRING, piece, "", start, end))
            if "{" in piece:
                holes += (
                    Hole(Span(start + hole.start(), start + hole.end()), in_string=True)
                    for hole in _STRING_HOLE.finditer(piece)
                )
        elif kind == "number":
            add(Token(TokenKind.NUMBER, found.group(), "", start, end))
        elif kind == "name":
            add(Token(TokenKind.NAME, found.group(), "", start, end))
        elif kind == "comment":
            comments.append(Comment(Span(start, end), found.group()))
        elif kind == "hole":
            add(Token(TokenKind.HOLE, found.group(), "", start, end))
            holes.append(Hole(Span(start, end), in_string=False))
        elif kind == "block":
            holes.append(Hole(Span(start, end), in_string=False))
        elif kind == "bad":
            add(Token(TokenKind.BAD, found.group(), "", start, end))
            bad += 1
            if bad == _ENOUGH_BAD:
                # No SQL at all: reading on would make a token of each byte of a binary file.
                break
        start = end
    add(Token(TokenKind.END, "", "", length, length))
    return Lexed(tuple(tokens), tuple(comments), tuple(holes))
