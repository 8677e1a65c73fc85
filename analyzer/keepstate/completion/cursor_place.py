"""The place at which a text is being written: the word under the cursor, and the tokens of its statement around it.

The statement at the cursor is broken nearly always, so nothing here parses. The text in front of the cursor and the
text behind it are read apart: a quote that is open at the cursor takes nothing of what follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from keepstate.syntax.splitting.recovery import starts_statement
from keepstate.syntax.splitting.splitter import split
from keepstate.syntax.tokens import Comment, Token, TokenKind, lex
from keepstate.text import Span

_FURTHEST = 20_000
"""Characters behind the cursor that are looked at for the rest of the statement."""
_WORD_REST = re.compile(r"[\w$]*")
_NAME_REST = re.compile(r"[^`\r\n]*`|[\w$]*")
_STRING_REST = re.compile(r"[^'\r\n]*(?=')|")


_WRAPPERS = frozenset({"COMPILE", "EXECUTE", "EXPLAIN"})
_WRAPPED = frozenset({"INSERT", "SELECT", "WITH"})
_LITERALS = (TokenKind.NUMBER, TokenKind.PLACEHOLDER, TokenKind.STRING, TokenKind.NAME)


@dataclass(frozen=True)
class Cursor:
    """A place in a text, and the statement around it without the word at that place."""

    text: str
    offset: int
    start: int
    """The offset at which the pieces of the text end that stand in front of this statement."""
    tokens: tuple[Token, ...]
    """Tokens of the statement without the one at the cursor, with offsets of the whole text."""
    index: int
    """The number of tokens in front of the cursor."""
    span: Span
    """The characters that a proposal replaces, with opening quotes and closing ones."""
    prefix: str = ""
    """Written characters of the word, without quotes."""
    quote: str = ""
    """The quote that is open at the cursor: a backtick or an apostrophe."""
    closed: bool = False
    """True if that quote is closed behind the cursor."""
    in_literal: bool = False
    """True behind a number, a placeholder, or a text that is closed: nothing completes these."""

    @property
    def before(self) -> tuple[Token, ...]:
        return self.tokens[: self.index]

    def back(self, count: int) -> Token:
        """The token at ``count`` places in front of the cursor; one without a word if there is none."""
        return self.tokens[self.index - count] if count <= self.index else NOTHING

    @property
    def following(self) -> Token:
        """The token behind the cursor; one without a word at the end."""
        return self.tokens[self.index] if self.index < len(self.tokens) else NOTHING


NOTHING = Token(TokenKind.END, "", "", 0, 0)


def cursor_at(text: str, offset: int) -> Cursor | None:
    """The cursor at ``offset``; ``None`` inside of comments and of texts of several lines.

    >>> cursor = cursor_at("SELECT 1; SELECT ab, c FROM t", 18)
    >>> cursor.prefix, [token.text for token in cursor.before], cursor.following.text
    ('a', ['SELECT'], ',')
    """
    head = text[:offset]
    # One more character makes a piece of code of what is in front of the cursor, whatever that is.
    pieces = split(f"{head}x", wary=True)
    if not pieces.statements or pieces.statements[-1].end != offset + 1:
        return None
    start = pieces.statements[-1].start
    lexed = lex(head[start:])
    if _in_comment(lexed.comments, offset - start):
        return None
    before = list(lexed.tokens[:-1])
    quote = prefix = ""
    first = offset
    in_literal = bool(before) and before[-1].end == offset - start and before[-1].kind in _LITERALS
    if before and before[-1].end == offset - start:
        last = before[-1]
        if last.kind is TokenKind.WORD:
            prefix, first = before.pop().text, start + last.start
        elif last.kind is TokenKind.BAD and last.text[0] in "'`":
            before.pop()
            quote, prefix, first = last.text[0], last.text[1:], start + last.start
        elif last.kind is TokenKind.BAD:
            return None
    if any(token.kind is TokenKind.BAD and token.text[0] in "'/" for token in before):
        return None
    rest = {"": _WORD_REST if prefix else None, "`": _NAME_REST, "'": _STRING_REST}[quote]
    match = rest.match(text, offset) if rest is not None else None
    end = match.end() if match is not None else offset
    closed = False
    if quote == "`":
        closed = text[offset:end].endswith("`")
    elif quote == "'" and text[end : end + 1] == "'":
        closed, end = True, end + 1
    tokens = _last_statement([_shifted_token(token, start) for token in before], text)
    behind = _rest_of_statement(text, end)
    name = prefix.replace("``", "`")
    span = Span(first, end)
    return Cursor(text, offset, start, (*tokens, *behind), len(tokens), span, name, quote, closed, in_literal)


def _in_comment(comments: tuple[Comment, ...], end: int) -> bool:
    return bool(comments) and comments[-1].span.end == end and not comments[-1].text.startswith("/*")


def _shifted_token(token: Token, by: int) -> Token:
    return Token(token.kind, token.text, token.word, token.start + by, token.end + by)


def _last_statement(tokens: list[Token], text: str) -> list[Token]:
    """The tokens of the last statement, be there a semicolon in front of it or not, without an EXPLAIN around it."""
    for index in range(len(tokens) - 1, 0, -1):
        following = tokens[index + 1] if index + 1 < len(tokens) else NOTHING
        if starts_statement(text, tokens[index], following, tokens[index - 1]):
            return tokens[index:]
    if tokens and tokens[0].word in _WRAPPERS:
        wrapped = (index for index, token in enumerate(tokens) if token.word in _WRAPPED)
        return tokens[next(wrapped, 0) :]
    return tokens


def _rest_of_statement(text: str, start: int) -> list[Token]:
    """The tokens from ``start`` to the semicolon, or to the first one that begins another statement."""
    pieces = split(f"x {text[start : start + _FURTHEST]}", wary=True).statements
    piece = text[start : start + pieces[0].end - 2] if pieces else ""
    result: list[Token] = []
    tokens = lex(piece).tokens
    for index, token in enumerate(tokens[:-1]):
        token = _shifted_token(token, start)
        before = result[-1] if result else NOTHING
        if starts_statement(text, token, tokens[index + 1], before):
            break
        result.append(token)
    return result
