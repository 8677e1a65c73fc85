"""Stretches of a text that an editor can fold: statements, brackets, statement sets and comments of several lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keepstate.structure.pieces import Parts, Piece, PieceMemory
from keepstate.text import LineIndex


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
    # Of folds that begin in one line, editors show one.
    longest: dict[int, tuple[int, bool]] = {}
    opened: int | None = None
    for piece, inner in zip(parts.pieces, memory.of_each(parts, _lines_in), strict=True):
        first = line(piece.span.start)
        words = [token.word for token in piece.tokens[:3]]
        if words[:1] in (["BEGIN"], ["EXECUTE"]) and words[1:] == ["STATEMENT", "SET"]:
            opened = first
        elif words[:1] == ["END"] and opened is not None:
            _add(longest, opened, first - 1)
            opened = None
        for begin, end in inner:
            _add(longest, first + begin, first + end)
    for begin, end in _comments(parts, line):
        _add(longest, begin, end, True)
    return tuple([Fold(first, last, is_comment) for first, (last, is_comment) in sorted(longest.items())])


def _add(longest: dict[int, tuple[int, bool]], first: int, last: int, is_comment: bool = False) -> None:
    if last > first and (last, is_comment) > longest.get(first, (first, False)):
        longest[first] = last, is_comment


def _lines_in(piece: Piece) -> tuple[tuple[int, int], ...]:
    """The first and last lines of a statement, and of each pair of brackets in it, counted from its first line."""
    line = LineIndex(piece.text).line_at
    stack: list[int] = []
    lines = [(0, line(len(piece.text)))]
    for token in piece.tokens:
        if token.word == "(":
            stack.append(token.start)
        elif token.word == ")" and stack:
            # The line of the closing bracket stays visible, as that of the opening one does.
            lines.append((line(stack.pop()), line(token.start) - 1))
    return tuple((first, last) for first, last in lines if last > first)


def _comments(parts: Parts, line: Callable[[int], int]) -> list[tuple[int, int]]:
    """Block comments of several lines, and lines of comments that follow one another."""
    result: list[tuple[int, int]] = []
    run: list[int] = []
    for comment in parts.comments:
        first, last = line(comment.span.start), line(comment.span.end)
        if comment.text.startswith("/*"):
            result.append((first, last))
            continue
        if not parts.text[parts.text.rfind("\n", 0, comment.span.start) + 1 : comment.span.start].strip():
            if run and run[-1] + 1 == first:
                run.append(first)
                continue
            if run:
                result.append((run[0], run[-1]))
            run = [first]
    if run:
        result.append((run[0], run[-1]))
    return result
