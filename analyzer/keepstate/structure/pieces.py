"""The statements of a text with their tokens, of which a keystroke changes one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

from keepstate.syntax.splitting.resplitting import SimilarText, Splits
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
        self._splits = Splits()
        self._lexed: dict[str, LexedStatement] = {}
        self._results: dict[Hashable, dict[str, object]] = {}

    def parts(self, text: str) -> Parts:
        """The statements of ``text``."""
        if self._last is not None and self._last.text == text:
            return self._last
        split_text, likeness = self._splits.resplit(text)
        lexed: dict[str, LexedStatement] = {}
        pieces = []
        for span, former in zip(split_text.statements, self._former(likeness, len(split_text.statements)), strict=True):
            if former is not None:
                piece = former if former.span is span else Piece(span, former.text, former.lexed)
            else:
                words = span.of(text)
                tokens = lexed.get(words) or self._lexed.get(words)
                piece = Piece(span, words, tokens if tokens is not None else lex(words))
            lexed[piece.text] = piece.lexed
            pieces.append(piece)
        self._lexed = lexed
        self._last = Parts(text, tuple(pieces), split_text.comments)
        return self._last

    def _former(self, likeness: SimilarText | None, count: int) -> list[Piece | None]:
        """For each of ``count`` pieces of a new text that of the last text which has the same words."""
        if likeness is None or self._last is None or likeness.text != self._last.text:
            return [None] * count
        former = self._last.pieces
        behind = former[len(former) - likeness.last :] if likeness.last else ()
        return [*former[: likeness.first], *[None] * (count - likeness.first - likeness.last), *behind]

    def of_each(self, parts: Parts, function: Callable[[Piece], T], name: Hashable = None) -> list[T]:
        """``function`` of each statement, a pure function of its text. The results are known by ``name``, by default
        the function.
        """
        key = function if name is None else name
        earlier = cast("dict[str, T]", self._results.get(key, {}))
        by_text: dict[str, T] = {}
        results: list[T] = []
        for piece in parts.pieces:
            if piece.text not in by_text:
                by_text[piece.text] = earlier[piece.text] if piece.text in earlier else function(piece)
            results.append(by_text[piece.text])
        self._results[key] = cast("dict[str, object]", by_text)
        return results
