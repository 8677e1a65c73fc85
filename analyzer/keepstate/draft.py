"""The text of a document that is being written: help for the place at which it is, and the parts that it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from keepstate.completion.completing import complete
from keepstate.completion.completion_proposal import Completion
from keepstate.completion.signature_help import SignatureHelp, signature_help
from keepstate.plan.engine_version import EngineVersion
from keepstate.structure.folds import Fold, folds
from keepstate.structure.outline import OutlineEntry, Symbol, outline, symbols
from keepstate.structure.pieces import Piece, PieceMemory
from keepstate.structure.selections import selections
from keepstate.structure.token_meanings import MeantToken, meant_tokens, tokens_of_each
from keepstate.syntax.memo import Memo
from keepstate.text import Span
from keepstate.validation.statement_context import NEWEST, Dialect

T = TypeVar("T")
_LEFT_OVER = 512
"""Statements and fragments of former texts that may gather before they are let go of."""


class Draft:
    """The memory of one document for answers about its text alone, without a baseline.

    Nothing here waits for a comparison, and nothing needs a text that can be read. Pass each version of the text; the
    declarations that a keystroke leaves alone are not read again. Not for several threads.

    >>> draft = Draft()
    >>> text = "CREATE TABLE t (a INT); SELECT  FROM t"
    >>> [each.label for each in draft.complete(text, 31).proposals][:2]
    ['a', 't']
    """

    def __init__(self) -> None:
        self._memo = Memo()
        self._pieces = PieceMemory()
        self._most = _LEFT_OVER

    def complete(self, text: str, offset: int, engine: str = "flink", engine_version: str | None = None) -> Completion:
        """The proposals at ``offset``, for the engine that runs the job."""
        self._tidy(text)
        return complete(text, offset, self._memo, _dialect(engine, engine_version))

    def signature_help(
        self, text: str, offset: int, engine: str = "flink", engine_version: str | None = None
    ) -> SignatureHelp | None:
        """The call around ``offset``, and its argument there."""
        self._tidy(text)
        return signature_help(text, offset, self._memo, _dialect(engine, engine_version))

    def symbols(self, text: str) -> tuple[Symbol, ...]:
        """The outline."""
        self._tidy(text)
        return symbols(self._pieces.parts(text), self._pieces, self._memo)

    def outline(self, text: str, content: Callable[[str, Symbol], T]) -> tuple[OutlineEntry[T], ...]:
        """The outline by its statements: ``content`` of the text of each, and of its symbol as it stands in it. What a
        pure function gave for a text is kept.
        """
        self._tidy(text)
        return outline(self._pieces.parts(text), self._pieces, self._memo, content)

    def folds(self, text: str) -> tuple[Fold, ...]:
        """The lines that can be folded."""
        return folds(self._pieces.parts(text), self._pieces)

    def meant_tokens(self, text: str) -> list[MeantToken]:
        """The tokens with their meanings."""
        return meant_tokens(self._pieces.parts(text), self._pieces)

    def tokens_of_each(self, text: str, function: Callable[[str, tuple[MeantToken, ...]], T]) -> list[tuple[int, T]]:
        """``function`` of each statement and each comment between statements, with its offset: of its text, and of its
        tokens as they stand in it. What a pure function gave for a text is kept.
        """
        return tokens_of_each(self._pieces.parts(text), self._pieces, function)

    def selections(self, text: str, offset: int) -> tuple[Span, ...]:
        """The selections that grow from ``offset``."""
        self._tidy(text)
        return selections(self._pieces.parts(text), offset, self._memo)

    def _tidy(self, text: str) -> None:
        if self._memo.size > self._most:
            # What is read again at the next keystroke: the declarations, which fragments of queries would push out.
            self._memo.keep(
                self._memo.statement(piece.text) for piece in self._pieces.parts(text).pieces if _declares(piece)
            )
            self._most = self._memo.size + _LEFT_OVER


def _declares(piece: Piece) -> bool:
    return bool(piece.tokens) and piece.tokens[0].word == "CREATE"


def _dialect(engine: str, engine_version: str | None) -> Dialect:
    version = EngineVersion.of(engine_version) if engine_version else None
    return Dialect(version.flink if version is not None and version.flink else NEWEST, engine == "flink")
