"""Stretches of a text that an editor can fold: statements, brackets, statement sets and comments of several lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keepstate.structure.pieces import Parts, Piece, PieceMemory
from keepstate.text import LineIndex, Span


@dataclass(frozen=True, order=True)
class Fold:
    r"""Lines that fold away, numbered from 0. The first one stays visible.

    >>> from keepstate import Draft
    >>> Draft().folds("SELECT\n  1")
    (Fold(first=0, last=1, is_comment=False),)
    """

    first: int
    last: int
    is_comment: bool = False


def folds(parts: Parts, memory: PieceMemory) -> tuple[Fold, ...]:
    r"""All folds of a text; of those that begin in the same line the longest.

    >>> memory = PieceMemory()
    >>> folds(memory.parts("SELECT a\nFROM t;"), memory)
    (Fold(first=0, last=1, is_comment=False),)
    """
    line = LineIndex(parts.text).line_at
    result: set[Fold] = set()
    opened: int | None = None
    for piece, brackets in zip(parts.pieces, memory.of_each(parts, _brackets), strict=True):
        start = piece.span.start
        words = [token.word for token in piece.tokens[:3]]
        if words[:1] in (["BEGIN"], ["EXECUTE"]) and words[1:] == ["STATEMENT", "SET"]:
            opened = start
        elif words[:1] == ["END"] and opened is not None:
            _add(result, line(opened), line(start) - 1)
            opened = None
        _add(result, line(start), line(piece.span.end))
        for span in brackets:
            # The line of the closing bracket stays visible, as that of the opening one does.
            _add(result, line(span.start + start), line(span.end + start) - 1)
    result |= set(_comments(parts, line))
    # Of folds that begin in one line, editors show one.
    return tuple({fold.first: fold for fold in sorted(result)}.values())


def _add(result: set[Fold], first: int, last: int) -> None:
    if last > first:
        result.add(Fold(first, last))


def _brackets(piece: Piece) -> tuple[Span, ...]:
    """The pairs of brackets, from the opening one to the closing one."""
    stack: list[int] = []
    brackets: list[Span] = []
    for token in piece.tokens:
        if token.word == "(":
            stack.append(token.start)
        elif token.word == ")" and stack:
            brackets.append(Span(stack.pop(), token.start))
    return tuple(brackets)


def _comments(parts: Parts, line: Callable[[int], int]) -> list[Fold]:
    """Block comments of several lines, and lines of comments that follow one another."""
    result: list[Fold] = []
    run: list[int] = []
    for comment in parts.comments:
        first, last = line(comment.span.start), line(comment.span.end)
        if comment.text.startswith("/*"):
            if last > first:
                result.append(Fold(first, last, True))
            continue
        if not parts.text[: comment.span.start].rpartition("\n")[2].strip():
            if run and run[-1] + 1 == first:
                run.append(first)
                continue
            if len(run) > 1:
                result.append(Fold(run[0], run[-1], True))
            run = [first]
    if len(run) > 1:
        result.append(Fold(run[0], run[-1], True))
    return result
