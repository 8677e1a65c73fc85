"""The lexer: one statement's text to tokens.

The lexer follows the lexical rules of Flink's parser: strings in single quotes with doubled quotes inside and no
backslash escapes, names in backticks, ``--``, ``//`` and ``/* */`` comments, hints between ``/*+`` and ``*/``. It never
fails: unreadable text becomes a ``BAD`` token, at which the parser stops. Placeholders of templates (``${x}``, ``{{ x
}}``, see ``placeholders``) are names of kind ``PLACEHOLDER``. Jinja's tags (``{% if x %}``) are no tokens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from keepstate.syntax.placeholders import (
    ANYWHERE,
    BLOCK_START,
    IN_QUOTES,
    OPERAND_SIGNS,
    Placeholder,
    operand_end,
    region_end,
)
from keepstate.text import Span
from keepstate.value_class import value_class


class TokenKind(Enum):
    WORD = "word"
    """A keyword or a name without quotes."""
    NAME = "name"
    """A name in backticks."""
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    PLACEHOLDER = "placeholder"
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


@value_class(frozen=True, slots=True)
class LexedStatement:
    """Tokens of a statement (the last one is the ``END``), its comments, and its template placeholders."""

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    placeholders: tuple[Placeholder, ...]


_LEXEME = rf"""
    (?P<space>     [\s\ufeff]+ )
  | (?P<comment>   --[^\r\n]* | //[^\r\n]* | /\*(?!\+)[\s\S]*?\*/ )
  | (?P<string>    [eE]'(?: [^'\\] | \\. | '' )*' | (?: [xXnN] | [uU]& | _[A-Za-z][\w:.-]{{,40}} )?'[^']*(?:''[^']*)*' )
  | (?P<placeholder>
                   (?: [^\W\d] | \$(?![\{{(]) ) (?: \w | \$(?![\{{(]) )* (?: {ANYWHERE} ) (?: \w | \$ | {ANYWHERE} )*
                   | (?: {ANYWHERE} ) (?: \w | \$(?![\{{(]) | {ANYWHERE} )* )
  | (?P<word>      (?: [^\W\d] | \$ ) (?: \w | \$ )* )
  | (?P<number>    \d+(?:\.\d*)?(?:[eE][+-]?\d+)? | \.\d+(?:[eE][+-]?\d+)? )
  | (?P<name>      `[^`\r\n]*(?:``[^`\r\n]*)*` )
  | (?P<block>     {BLOCK_START} )
  | (?P<symbol>    /\*\+ | <> | != | <= | >= | => | \|\| | -> | :: | := | [-+*/%(),.;\[\]<>=?:{{}}|&^~@\#!] )
  | (?P<bad>       '[^\r\n]* | `[^\r\n]* | "[^"\r\n]*"? | . )
"""
_QUOTES = re.compile(
    r"""
    (?P<within> --[^\r\n]* | //[^\r\n]* | /\*(?!\+)[\s\S]*?\*/ | (?<![eE])'[^'\r\n]*(?:''[^'\r\n]*)*'(?!')
                | `[^`\r\n]*(?:``[^`\r\n]*)*` | [\#@$]?\{[A-Za-z_][\w.:-]*\} )
  | ['"`{] | /\*(?!\+) | \*/[*/] | <[A-Za-z_][\w .:/]*(?://|--)
    """,
    re.VERBOSE,
)
"""Text that may hide a quote, ``within`` a line or a comment, and text of which only tokens can tell."""
_ENOUGH_BAD = 100
_UNTERMINATED_COMMENT = re.compile(r"/\*(?!\+)")
_TEMPLATE_NAME = re.compile(r"\$(?!rowtime\b)[A-Za-z_]\w*\Z")


@cache
def _lexeme() -> re.Pattern[str]:
    """The pattern of one token. Its compilation would be a fortieth of a command that reads no statement."""
    return re.compile(_LEXEME, re.VERBOSE | re.DOTALL)


def lex(text: str) -> LexedStatement:
    """All tokens of ``text``.

    >>> [token.text for token in lex("SELECT a.b -- c").tokens]
    ['SELECT', 'a', '.', 'b', '']
    """
    tokens: list[Token] = []
    comments: list[Comment] = []
    placeholders: list[Placeholder] = []
    add = tokens.append
    match = _lexeme().match
    word_kind, symbol_kind = TokenKind.WORD, TokenKind.SYMBOL
    in_hint = False
    bad = 0
    unclosed: set[str] = set()
    start, length = 0, len(text)
    while start < length:
        token_match = match(text, start)
        # The last alternative takes any character, so there always is a match.
        assert token_match is not None
        kind = token_match.lastgroup
        end = token_match.end()
        if kind == "word":
            piece = token_match.group()
            if piece[0] == "$" and _TEMPLATE_NAME.match(piece):
                add(Token(TokenKind.PLACEHOLDER, piece, "", start, end))
                placeholders.append(Placeholder(Span(start, end), in_string=False))
            else:
                add(Token(word_kind, piece, piece.upper(), start, end))
        elif kind == "symbol":
            piece = token_match.group()
            if piece[0] in OPERAND_SIGNS and (placeholder_end := _placeholder_end(text, start, tokens)):
                end = placeholder_end
                add(Token(TokenKind.PLACEHOLDER, text[start:end], "", start, end))
                placeholders.append(Placeholder(Span(start, end), in_string=False))
            elif piece == "/" and _UNTERMINATED_COMMENT.match(text, start):
                end = length
                add(Token(TokenKind.BAD, text[start:end], "", start, end))
            else:
                if piece == "/*+":
                    in_hint = True
                elif in_hint and piece == "*" and text.startswith("/", end):
                    in_hint, piece, end = False, "*/", end + 1
                add(Token(symbol_kind, piece, piece, start, end))
        elif kind == "string":
            piece = token_match.group()
            add(Token(TokenKind.STRING, piece, "", start, end))
            if "{" in piece:
                placeholders += _placeholders_in(piece, start, in_string=True)
        elif kind == "number":
            add(Token(TokenKind.NUMBER, token_match.group(), "", start, end))
        elif kind == "name":
            piece = token_match.group()
            add(Token(TokenKind.NAME, piece, "", start, end))
            if "{" in piece:
                placeholders += _placeholders_in(piece, start, in_string=False)
        elif kind == "comment":
            comments.append(Comment(Span(start, end), token_match.group()))
        elif kind == "placeholder":
            add(Token(TokenKind.PLACEHOLDER, token_match.group(), "", start, end))
            placeholders.append(Placeholder(Span(start, end), in_string=False))
        elif kind == "block":
            closing = f"{text[start + 1]}}}"
            last = text.find(closing, end) if closing not in unclosed else -1
            if last < 0:
                # Nor does any later one have an end: do not look for it again and again.
                unclosed.add(closing)
                end = start + 1
                add(Token(symbol_kind, "{", "{", start, end))
            else:
                end = last + 2
            if last >= 0 and closing == "%}":
                region, is_value = region_end(text, start)
                end = region or end
                if is_value:
                    add(Token(TokenKind.PLACEHOLDER, text[start:end], "", start, end))
                placeholders.append(Placeholder(Span(start, end), in_string=False, loose=not is_value))
        elif kind == "bad":
            add(Token(TokenKind.BAD, token_match.group(), "", start, end))
            bad += 1
            if bad == _ENOUGH_BAD:
                # No SQL at all: reading on would make a token of each byte of a binary file.
                break
        start = end
    add(Token(TokenKind.END, "", "", length, length))
    return LexedStatement(tuple(tokens), tuple(comments), tuple(placeholders))


def stays_in_lines(text: str) -> bool:
    r"""Return whether surely no token of ``text`` goes over several lines. Comments may.

    This is a scan for quotes, some ten times as fast as the tokens; where it cannot tell, the answer is False.

    >>> stays_in_lines("SELECT 'a', /* 1\n */ `b`\nFROM t"), stays_in_lines("SELECT 'a\n'")
    (True, False)
    """
    return all(match["within"] is not None for match in _QUOTES.finditer(text))


def _placeholder_end(text: str, start: int, tokens: list[Token]) -> int:
    """The end of the placeholder at ``start``, if one stands there and not an operator."""
    if not tokens:
        return operand_end(text, start, "", after_operand=False)
    before = tokens[-1]
    if before.kind is TokenKind.STRING and text[start] == "%":
        # A text is no operand of a division, so the sign begins a placeholder for more options.
        return operand_end(text, start, "", after_operand=False)
    return operand_end(text, start, before.word, before.kind not in (TokenKind.WORD, TokenKind.SYMBOL))


def _placeholders_in(piece: str, start: int, in_string: bool) -> list[Placeholder]:
    """The placeholders of a string or of a name in backticks that begins at ``start``."""
    return [
        Placeholder(Span(start + match.start(), start + match.end()), in_string=in_string)
        for match in IN_QUOTES.finditer(piece)
    ]
