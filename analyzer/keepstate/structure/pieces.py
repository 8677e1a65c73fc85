"""The statements of a text with their tokens, of which a keystroke changes one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

from keepstate.syntax.splitting.splitter import split
from keepstate.syntax.tokens import Comment, LexedStatement, Token, lex
from keepstate.text import Span

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Piece:
    """One statement; its tokens have offsets of its own text, and an ``END`` behind them."""

    span: Span
    text: str
    lexed: LexedStatement

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.lexed.tokens[:-1]


@dataclass(frozen=True, eq=False)
class Parts:
    """All statements and comments of a text."""

    text: str
    pieces: tuple[Piece, ...]
    comments: tuple[Comment, ...]


class PieceMemory:
    """Results about statements by their texts. Those of the last text are kept, and no others.

    >>> memory = PieceMemory()
    >>> [piece.text for piece in memory.parts("SELECT 1; SELECT 2").pieces]
    ['SELECT 1', 'SELECT 2']
    """

    def __init__(self) -> None:
        self._last: Parts | None = None
        self._lexed: dict[str, LexedStatement] = {}
        self._results: dict[Hashable, dict[str, object]] = {}

    def parts(self, text: str) -> Parts:
        """The statements of ``text``."""
        if self._last is not None and self._last.text == text:
            return self._last
        script_pieces = split(text)
        lexed: dict[str, LexedStatement] = {}
        pieces = []
        for span in script_pieces.statements:
            piece = span.of(text)
            tokens = lexed.get(piece) or self._lexed.get(piece)
            lexed[piece] = tokens if tokens is not None else lex(piece)
            pieces.append(Piece(span, piece, lexed[piece]))
        self._lexed = lexed
        self._last = Parts(text, tuple(pieces), script_pieces.comments)
        return self._last

    def of_each(self, parts: Parts, function: Callable[[Piece], T]) -> list[T]:
        """``function`` of each statement, a pure function of its text."""
        earlier = cast("dict[str, T]", self._results.get(function, {}))
        by_text: dict[str, T] = {}
        results: list[T] = []
        for piece in parts.pieces:
            if piece.text not in by_text:
                by_text[piece.text] = earlier[piece.text] if piece.text in earlier else function(piece)
            results.append(by_text[piece.text])
        self._results[function] = cast("dict[str, object]", by_text)
        return results
