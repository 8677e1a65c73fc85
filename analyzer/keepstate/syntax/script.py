"""A script: its statements, each parsed alone, with the places of everything in the whole text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter

from keepstate.report import Problem
from keepstate.syntax.contents import Contents
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo, ReadPieces
from keepstate.syntax.namespace import DEFAULT, SessionNames
from keepstate.syntax.placeholders import Placeholder
from keepstate.syntax.splitting.recovery import missing_semicolons, statement_set_head
from keepstate.syntax.splitting.resplitting import SimilarText
from keepstate.syntax.splitting.splitter import Pieces, split
from keepstate.syntax.statement import ParsedStatement, Statement
from keepstate.syntax.tokens import Comment, lex
from keepstate.text import Span
from keepstate.value_class import value_class

__all__ = [
    "ParsedStatement",
    "Script",
    "SessionNames",
    "Statement",
    "StatementKind",
    "parse_script",
    "placed",
    "session_behind",
]

_STATEMENT_SET = re.compile(r"(?:EXECUTE|EXPLAIN|COMPILE|STATEMENT)\b", re.IGNORECASE)


@value_class(frozen=True)
class Script:
    """A parsed script. ``problems``, ``comments`` and ``placeholders`` have spans of the whole text and are in its
    order.
    """

    text: str
    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...] = ()
    comments: tuple[Comment, ...] = field(default=(), repr=False)
    placeholders: tuple[Placeholder, ...] = ()
    """Placeholders whose content a template supplies later."""
    memo: Memo = field(default_factory=Memo, compare=False, repr=False)
    """Cache of results that were computed from the statements."""
    open_ends: frozenset[Span] | None = field(default=None, compare=False, repr=False)
    """The statements behind which the text may lack a semicolon: pieces of it that are several statements. ``None``:
    any may.
    """
    parsed: tuple[tuple[Statement, ...], tuple[ParsedStatement, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """Statements, and the same without their places: where these are the statements of the script, they are known."""

    @cached_property
    def contents(self) -> Contents:
        """The statements without their places."""
        if self.parsed is not None and self.parsed[0] is self.statements:
            return self.memo.contents.of(self.parsed[1])
        return self.memo.contents.of(tuple(map(_PARSED, self.statements)))

    def statements_at(self, offset: int) -> list[Statement]:
        """The statements that a cursor touches: none, one, or the two that it stands between.

        >>> [statement.text for statement in parse_script("SELECT 1;SELECT 2").statements_at(9)]
        ['SELECT 2']
        """
        return [self.statements[index] for index in self.indexes_at(offset)]

    def indexes_at(self, offset: int) -> list[int]:
        """The indexes of these statements."""
        behind = bisect_right(self.statements, offset, key=_start)
        return [index for index in range(max(0, behind - 2), behind) if self.statements[index].span.touches(offset)]

    def of_kind(self, *kinds: StatementKind) -> tuple[Statement, ...]:
        """The statements of some kinds, in the order of the text.

        >>> script = parse_script("SET 'a' = 'b'; SELECT 1; SET 'c' = 'd'")
        >>> [statement.text for statement in script.of_kind(StatementKind.SET, StatementKind.RESET)]
        ["SET 'a' = 'b'", "SET 'c' = 'd'"]
        """
        groups = [indexes for kind in kinds if (indexes := self.contents.indexes_of(kind))]
        indexes = groups[0] if len(groups) == 1 else sorted(chain.from_iterable(groups))
        return tuple([self.statements[index] for index in indexes])


_PARSED = attrgetter("parsed")


def _start(statement: Statement) -> int:
    return statement.span.start


def parse_script(text: str, memo: Memo | None = None, session: SessionNames | None = None) -> Script:
    """Parse a whole script. Never raises, for any text.

    Statements in ``memo`` are not parsed again. Without a memo all statements are, and the script has a memo of its
    own. The script runs in ``session``, by default in a new one (``session_behind``).

    >>> script = parse_script("SELECT 1; SET 'a' = 'b'")
    >>> [(statement.span.start, statement.parsed.kind.value) for statement in script.statements]
    [(0, 'query'), (10, 'set')]
    """
    memo = memo if memo is not None else Memo()
    pieces, likeness = memo.splits.resplit(text)
    found = _Found()
    begin, reading = 0, _read_whole(text, pieces, likeness, memo)
    parsed = reading.parsed
    for index in reading.noted:
        found.statements += reading.plain(begin, index)
        statement, span, begin = reading.statements[index], pieces.statements[index], index + 1
        if statement is not None:
            found.add(_Found([statement], noted=[statement]))
            continue
        part, parsed = _read(text, span, memo), None
        broken = part.statements[0].kind is StatementKind.BROKEN
        if broken and _holds_any(span, pieces.doubtful):
            retried = split(text, span.start, wary=True)
            if _is_better(text, span, retried, memo):
                pieces, begin = _spliced(pieces, retried, span.start), len(reading.statements)
                for retried_span in retried.statements:
                    found.add(_read(text, retried_span, memo))
                break
        found.add(part)
    found.statements += reading.plain(begin, len(reading.statements))
    statements, problems, noted = found.statements, found.problems, found.noted
    if session is not None or any(each.kind is StatementKind.USE for each in noted):
        statements = noted = placed(statements, memo, session)
        parsed = None
    comments = pieces.comments
    if found.comments:
        comments = tuple(sorted({*comments, *found.comments}, key=lambda comment: comment.span))
    conflicts = list(_conflicts(text, pieces.conflicts))
    if conflicts:
        statements = noted = [_set_aside(statement, conflicts) for statement in statements]
        parsed = None
        problems += (
            Problem("This merge conflict is not resolved: the statements in it were not analysed.", conflict.marker)
            for conflict in conflicts
        )
    problems += (
        Problem(problem.message, problem.span and problem.span.shift(statement.span.start))
        for statement in noted
        for problem in statement.parsed.problems
    )
    problems.sort(key=lambda problem: problem.span or Span(0, 0))
    placeholders = tuple(
        replace(placeholder, span=placeholder.span.shift(statement.span.start))
        for statement in noted
        for placeholder in statement.parsed.placeholders
    )
    open_ends = frozenset(found.open_ends) if not conflicts else None
    in_order = tuple(statements)
    both = None if parsed is None else (in_order, parsed)
    return Script(text, in_order, tuple(problems), comments, placeholders, memo, open_ends, both)


def placed(statements: Sequence[Statement], memo: Memo, session: SessionNames | None = None) -> list[Statement]:
    """The statements with their names in the namespaces that are in force at each, if they run one after the other in
    ``session``, by default in a new one.

    >>> memo = Memo()
    >>> script = parse_script("CREATE TABLE o (a INT); USE d; CREATE TABLE o (a INT)", memo)
    >>> [statement.parsed.namespace.database for statement in script.statements]
    ['default_database', 'default_database', 'd']
    """
    state = session if session is not None else SessionNames()
    if state.namespace == DEFAULT and StatementKind.USE not in [each.parsed.kind for each in statements]:
        return list(statements)
    result: list[Statement] = []
    for statement in statements:
        result.append(_in_namespace(statement, memo, state))
        state = state.after(statement.tree)
    return result


def session_behind(statements: Iterable[Statement], session: SessionNames | None = None) -> SessionNames:
    """The session behind statements that began in ``session``, by default in a new one: what the next file of a script
    goes on with.

    >>> session_behind(parse_script("USE CATALOG c; USE d").statements).namespace
    Namespace(catalog='c', database='d')
    """
    state = session if session is not None else SessionNames()
    for statement in statements:
        state = state.after(statement.tree)
    return state


def _in_namespace(statement: Statement, memo: Memo, session: SessionNames) -> Statement:
    parsed = statement.parsed
    # A statement that a merge conflict touches is none of the memo: its text may be readable.
    if parsed.namespace == session.namespace or (parsed.kind is StatementKind.BROKEN and not parsed.problems):
        return statement
    return Statement(statement.span, memo.statement(parsed.text, session.namespace))


@dataclass(slots=True)
class _Found:
    """Contents of one or several pieces of a text, with the spans of the text."""

    statements: list[Statement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Problems that belong to no statement."""
    comments: list[Comment] = field(default_factory=list)
    """Comments that the splitter may have missed, behind an unclosed quote."""
    noted: list[Statement] = field(default_factory=list)
    """The statements that have problems or placeholders, or choose a namespace, and maybe others."""
    open_ends: list[Span] = field(default_factory=list)
    """See ``Script``."""

    def add(self, other: _Found) -> None:
        self.statements += other.statements
        self.problems += other.problems
        self.comments += other.comments
        self.noted += other.noted
        self.open_ends += other.open_ends


_REMEMBERED = 4
"""Long texts of which the statements are kept: a keystroke need not ask for each of hundreds of them again."""


def _read_whole(text: str, pieces: Pieces, likeness: SimilarText | None, memo: Memo) -> ReadPieces:
    """The statement that each piece is, as nearly all are; ``None`` where it takes more to say."""
    spans = pieces.statements
    earlier = None
    if likeness is not None:
        earlier = next((reading for reading in memo.readings if reading.text == likeness.text), None)
    if likeness is None or earlier is None:
        reading = _reading(text, spans, 0, memo)
    else:
        first, last = likeness.first, len(spans) - likeness.last
        moved = len(spans) - len(earlier.statements)
        middle = _reading(text, spans[first:last], first, memo)
        before = bisect_left(earlier.noted, first)
        behind = bisect_left(earlier.noted, last - moved)
        reading = ReadPieces(
            text,
            (
                *earlier.statements[:first],
                *middle.statements,
                *[
                    statement if statement is None or statement.span is span else Statement(span, statement.parsed)
                    for statement, span in zip(earlier.statements[last - moved :], spans[last:], strict=True)
                ],
            ),
            (*earlier.noted[:before], *middle.noted, *[index + moved for index in earlier.noted[behind:]]),
            None
            if earlier.parsed is None or middle.parsed is None
            else (*earlier.parsed[:first], *middle.parsed, *earlier.parsed[last - moved :]),
        )
    if likeness is not None:
        memo.readings = [reading, *(each for each in memo.readings if each.text != text)][:_REMEMBERED]
    return reading


def _reading(text: str, spans: Sequence[Span], first: int, memo: Memo) -> ReadPieces:
    """The statements of some pieces of a text, the ``first`` of which has that number."""
    statements = tuple([_whole(text, span, memo) for span in spans])
    noted = [index for index, each in enumerate(statements, first) if each is None or _is_noted(each.parsed)]
    parsed = tuple([each.parsed for each in statements if each is not None])
    return ReadPieces(text, statements, tuple(noted), parsed if len(parsed) == len(statements) else None)


def _is_noted(parsed: ParsedStatement) -> bool:
    return bool(parsed.problems or parsed.placeholders) or parsed.kind is StatementKind.USE


def _whole(text: str, span: Span, memo: Memo) -> Statement | None:
    piece = text[span.start : span.end]
    if _STATEMENT_SET.match(piece):
        return None
    parsed = memo.statement(piece)
    return Statement(span, parsed) if parsed.kind is not StatementKind.BROKEN else None


def _read(text: str, span: Span, memo: Memo, in_set: bool = False) -> _Found:
    """The statements of one piece: more than one if a statement set begins in it or a semicolon is missing. Within a
    set (``in_set``) none begins.
    """
    piece = span.of(text)
    if not in_set and _STATEMENT_SET.match(piece):
        tokens = lex(piece).tokens
        head = statement_set_head(tokens)
        if head:
            begin = Span(span.start, span.start + tokens[head - 1].end)
            opening = [Statement(begin, memo.statement(begin.of(text)))]
            found = _Found(opening, noted=[*opening], open_ends=[begin])
            if tokens[head].start < len(piece):
                found.add(_read(text, Span(span.start + tokens[head].start, span.end), memo, in_set=True))
            return found
    parsed = memo.statement(piece)
    if parsed.kind is StatementKind.BROKEN and (parts := missing_semicolons(parsed)):
        statements = [Statement(part.shift(span.start), memo.statement(part.of(piece))) for part in parts]
        problems = [
            Problem("A semicolon is missing behind this statement.", Span(statement.span.end - 1, statement.span.end))
            for statement in statements[:-1]
            if statement.kind is not StatementKind.BROKEN
        ]
        comments = [Comment(comment.span.shift(span.start), comment.text) for comment in lex(piece).comments]
        open_ends = [each.span for each in statements[:-1]]
        return _Found(statements, problems, comments, [*statements], open_ends)
    statement = Statement(span, parsed)
    return _Found([statement], noted=[statement])


# ---- quotes that nothing closes


def _holds_any(span: Span, offsets: tuple[int, ...]) -> bool:
    index = bisect_left(offsets, span.start)
    return index < len(offsets) and offsets[index] < span.end


def _is_better(text: str, span: Span, retried: Pieces, memo: Memo) -> bool:
    """Return whether the wary reading parses statements in a piece that was broken as a whole."""
    return any(
        memo.statement(part.of(text)).kind is not StatementKind.BROKEN
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
    broken = ParsedStatement(parsed.text, StatementKind.BROKEN, None, (), parsed.tokens, parsed.placeholders)
    return Statement(statement.span, broken)
