"""Selections that grow: from the token to its expression, item, clause, query, statement and the whole text."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.structure.levels import CLAUSES, SET_OPERATORS, Level, Levels, levels_of
from keepstate.structure.pieces import Parts, Piece
from keepstate.syntax.memo import Memo
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Span


def selections(parts: Parts, offset: int, memo: Memo) -> tuple[Span, ...]:
    """The spans around ``offset``, each inside of the next one; the last is the whole text.

    >>> from keepstate.structure.pieces import PieceMemory
    >>> parts = PieceMemory().parts("SELECT a FROM t;")
    >>> [span.of(parts.text) for span in selections(parts, 7, Memo())]
    ['a', 'SELECT a', 'SELECT a FROM t', 'SELECT a FROM t;']
    """
    whole = Span(0, len(parts.text))
    piece = next((each for each in parts.pieces if each.span.touches(offset)), None)
    around = [whole]
    if piece is not None:
        start = piece.span.start
        around += (span.shift(start) for span in _in_piece(piece, offset - start, memo))
        end = piece.span.end
        around.append(Span(start, end + 1) if parts.text[end : end + 1] == ";" else piece.span)
    around += (comment.span for comment in parts.comments if comment.span.touches(offset))
    spans: list[Span] = []
    for span in sorted({each for each in around if each.touches(offset)}, key=len):
        if len(span) and (not spans or (span.contains(spans[-1]) and span != spans[-1])):
            spans.append(span)
    return tuple(spans) or (whole,)


def _in_piece(piece: Piece, offset: int, memo: Memo) -> Iterator[Span]:
    yield Span(0, len(piece.text))
    tokens = piece.tokens
    at = next((n for n, token in enumerate(tokens) if token.start <= offset < token.end), None)
    if at is None:
        at = next((n for n, token in enumerate(tokens) if token.end == offset), None)
    if at is None:
        return
    yield from _token(tokens[at])
    statement = memo.statement(piece.text)
    if statement.tree is not None:
        for node in statement.tree.walk():
            span = node.meta.get("span")
            if span is not None:
                yield Span(*span)
    levels = levels_of(tokens, at)
    for level in levels.enclosing():
        yield from _in_level(levels, level, at, tokens)


def _token(token: Token) -> Iterator[Span]:
    yield Span(token.start, token.end)
    if token.kind in (TokenKind.STRING, TokenKind.NAME) and token.end - token.start > 2:
        yield Span(token.start + 1, token.end - 1)


def _in_level(levels: Levels, level: Level, at: int, tokens: tuple[Token, ...]) -> Iterator[Span]:
    """The item of a list, the clause, the query, and the brackets with and without what is in front of them."""
    members = [*level.members]
    inside = [n for n, member in enumerate(members) if member <= at] or [0]
    if members:
        number = inside[-1]
        first = last = number
        while first > 0 and not _ends_item(tokens, members[first - 1]):
            first -= 1
        while last + 1 < len(members) and not _ends_item(tokens, members[last + 1]):
            last += 1
        yield _span(tokens, members[first], members[last])
        first = last = number
        while first > 0 and not _begins_clause(tokens, members[first]):
            first -= 1
        while last + 1 < len(members) and not _begins_clause(tokens, members[last + 1]):
            last += 1
        yield _span(tokens, members[first], members[last])
        arm = levels.arm(level, at)
        if arm:
            yield _span(tokens, arm[0], arm[-1])
        yield _span(tokens, members[0], members[-1])
    if level.open >= 0:
        closing = min(level.close, len(tokens) - 1)
        yield _span(tokens, level.open, closing)
        if level.open > 0 and tokens[level.open - 1].kind in (TokenKind.WORD, TokenKind.NAME):
            yield _span(tokens, level.open - 1, closing)


def _span(tokens: tuple[Token, ...], first: int, last: int) -> Span:
    return Span(tokens[first].start, tokens[last].end)


def _begins_clause(tokens: tuple[Token, ...], member: int) -> bool:
    token = tokens[member]
    return token.kind is TokenKind.WORD and (token.word in CLAUSES or token.word in SET_OPERATORS)


def _ends_item(tokens: tuple[Token, ...], member: int) -> bool:
    return tokens[member].word == "," or _begins_clause(tokens, member) or tokens[member].word in ("BY", "SELECT")
