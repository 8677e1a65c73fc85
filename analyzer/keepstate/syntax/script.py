"""A script: its statements, each parsed alone, with the places of everything in the whole text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from keepstate.report import Problem
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.recovery import missing_semicolons, statement_set_head
from keepstate.syntax.splitter import Pieces, split
from keepstate.syntax.statement import ParsedStatement, Statement, parse_statement
from keepstate.syntax.tokens import Comment, Hole, lex
from keepstate.text import Span

__all__ = ["ParsedStatement", "Script", "Statement", "StatementKind", "parse_script", "parse_statement"]

_STATEMENT_SET = re.compile(r"(?:EXECUTE|EXPLAIN|COMPILE|STATEMENT)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Script:
    """A whole text. ``problems``, ``comments`` and ``holes`` have the spans of the text and stand in its order."""

    text: str
    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...] = ()
    comments: tuple[Comment, ...] = field(default=(), repr=False)
    holes: tuple[Hole, ...] = ()
    """Where templates will put text that is not known here."""


def parse_script(text: str) -> Script:
    """Parse a whole script. Never raises, whatever the text is."""
    pieces = split(text)
    statements: list[Statement] = []
    problems: list[Problem] = []
    for span in pieces.statements:
        found = _read(text, span, problems)
        if found[0].kind is StatementKind.BROKEN and any(span.touches(offset) for offset in pieces.doubtful):
            retried = split(text, span.start, wary=True)
            if _is_better(text, span, retried):
                pieces = _spliced(pieces, retried, span.start)
                for part in retried.statements:
                    statements += _read(text, part, problems)
                break
        statements += found
    conflicts = list(_conflicts(text, pieces.conflicts))
    if conflicts:
        statements = [_set_aside(statement, conflicts) for statement in statements]
        problems += (
            Problem("This merge conflict is not resolved: the statements in it were not analysed.", conflict.marker)
            for conflict in conflicts
        )
    problems += (
        Problem(problem.message, problem.span and problem.span.shift(statement.span.start))
        for statement in statements
        for problem in statement.parsed.problems
    )
    problems.sort(key=lambda problem: problem.span or Span(0, 0))
    holes = tuple(
        Hole(hole.span.shift(statement.span.start), hole.in_string)
        for statement in statements
        for hole in statement.parsed.holes
    )
    return Script(text, tuple(statements), tuple(problems), pieces.comments, holes)


def _read(text: str, span: Span, problems: list[Problem]) -> list[Statement]:
    """The statements of one piece: more than one if a statement set begins in it or a semicolon is missing."""
    piece = span.of(text)
    if _STATEMENT_SET.match(piece):
        tokens = lex(piece).tokens
        head = statement_set_head(tokens)
        if head:
            begin = Span(span.start, span.start + tokens[head - 1].end)
            statement = Statement(begin, parse_statement(begin.of(text)))
            if tokens[head].start >= len(piece):
                return [statement]
            return [statement, *_read(text, Span(span.start + tokens[head].start, span.end), problems)]
    parsed = parse_statement(piece)
    if parsed.kind is StatementKind.BROKEN and (parts := missing_semicolons(parsed)):
        statements = [Statement(part.shift(span.start), parse_statement(part.of(piece))) for part in parts]
        problems += (
            Problem("A semicolon is missing behind this statement.", Span(statement.span.end - 1, statement.span.end))
            for statement in statements[:-1]
            if statement.kind is not StatementKind.BROKEN
        )
        return statements
    return [Statement(span, parsed)]


# ---- quotes that nothing closes


def _is_better(text: str, span: Span, retried: Pieces) -> bool:
    """Whether the wary reading finds statements in what was one broken piece."""
    return any(
        parse_statement(part.of(text)).kind is not StatementKind.BROKEN
        for part in retried.statements
        if part.end <= span.end and part.start > span.start
    )


def _spliced(pieces: Pieces, retried: Pieces, start: int) -> Pieces:
    """``pieces`` up to ``start``, then ``retried`` (of which nothing is in doubt any more)."""
    return Pieces(
        (),
        (*(comment for comment in pieces.comments if comment.span.start < start), *retried.comments),
        (*(conflict for conflict in pieces.conflicts if conflict.start < start), *retried.conflicts),
    )


# ---- merge conflicts


@dataclass(frozen=True, slots=True)
class _Conflict:
    marker: Span
    """The line that opens it."""
    region: Span
    """From this line to the one that closes it; a marker that stands alone is a region of its own."""


def _conflicts(text: str, markers: tuple[Span, ...]) -> Iterator[_Conflict]:
    opened: Span | None = None
    for marker in markers:
        sign = text[marker.start]
        if sign == "<":
            if opened is not None:
                yield _Conflict(opened, opened)
            opened = marker
        elif opened is None:
            yield _Conflict(marker, marker)
        elif sign == ">":
            yield _Conflict(opened, opened.union(marker))
            opened = None
    if opened is not None:
        yield _Conflict(opened, Span(opened.start, len(text)))


def _set_aside(statement: Statement, conflicts: list[_Conflict]) -> Statement:
    """The statement, broken without a problem of its own if a merge conflict touches it."""
    before = bisect_left(conflicts, statement.span.end, key=lambda conflict: conflict.region.start)
    if not before or conflicts[before - 1].region.end <= statement.span.start:
        return statement
    parsed = statement.parsed
    broken = ParsedStatement(parsed.text, StatementKind.BROKEN, None, (), parsed.tokens, parsed.holes)
    return Statement(statement.span, broken)
