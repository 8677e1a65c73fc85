"""A script: its statements, each parsed alone, with the places of everything in the whole text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from sqlglot import exp

from keepstate.report import Problem
from keepstate.syntax.grammar.cursor import Unparsable
from keepstate.syntax.grammar.statements import Grammar
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.splitter import split
from keepstate.syntax.tokens import Comment, Hole, Token, TokenKind, lex
from keepstate.text import Span

__all__ = ["ParsedStatement", "Script", "Statement", "StatementKind", "parse_script", "parse_statement"]

_CACHED_STATEMENTS = 4096
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\r\n]|\Z).*$", re.MULTILINE)
_STATEMENT_SET = re.compile(r"\A(?:EXECUTE|EXPLAIN|COMPILE|STATEMENT)\b", re.IGNORECASE)


class ParsedStatement:
    """What one statement's text says, wherever it stands: all spans are relative to ``text``.

    Equal texts share one object, so it is compared by identity. Do not change its tree: ``copy()`` it first.
    """

    def __init__(
        self,
        text: str,
        kind: StatementKind,
        tree: exp.Expression | None,
        problems: tuple[Problem, ...],
        tokens: tuple[Token, ...],
        holes: tuple[Hole, ...],
    ) -> None:
        self.text = text
        self.kind = kind
        self.tree = tree
        self.problems = problems
        self.tokens = tokens
        self.holes = holes

    def __repr__(self) -> str:
        return f"ParsedStatement({self.kind.value}, {self.text[:40]!r})"

    @cached_property
    def token_key(self) -> tuple[str, ...]:
        """The tokens without layout and comments, keywords in upper case: equal keys mean equal statements.

        The reverse does not hold (`` `a` `` and ``a``, or two spellings of a word that is not reserved).
        """
        return tuple(
            token.word if token.kind is TokenKind.WORD and token.word in RESERVED else token.text
            for token in self.tokens[:-1]
        )


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement in a script; ``span`` goes from its first token to its last, without the semicolon."""

    span: Span
    parsed: ParsedStatement

    @property
    def kind(self) -> StatementKind:
        return self.parsed.kind

    @property
    def tree(self) -> exp.Expression | None:
        return self.parsed.tree

    @property
    def text(self) -> str:
        return self.parsed.text


@dataclass(frozen=True, slots=True)
class Script:
    """A whole text. ``problems``, ``comments`` and ``holes`` have the spans of the text."""

    text: str
    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...] = ()
    comments: tuple[Comment, ...] = field(default=(), repr=False)
    holes: tuple[Hole, ...] = ()


@lru_cache(maxsize=_CACHED_STATEMENTS)
def parse_statement(text: str) -> ParsedStatement:
    """Parse the text of one statement. Never raises: what cannot be read is ``BROKEN`` and has a problem."""
    lexed = lex(text)
    grammar = Grammar(lexed.tokens)
    try:
        kind, tree = grammar.statement()
    except Unparsable as error:
        token = error.token
        # The end of the statement has no text of its own: point at its last token.
        if token.kind is TokenKind.END and len(lexed.tokens) > 1:
            token = lexed.tokens[-2]
        problem = Problem(error.message, Span(token.start, token.end))
        return ParsedStatement(text, StatementKind.BROKEN, None, (problem,), lexed.tokens, lexed.holes)
    except RecursionError:
        problem = Problem("This statement is nested too deeply; it was not analysed.", Span(0, len(text)))
        return ParsedStatement(text, StatementKind.BROKEN, None, (problem,), lexed.tokens, lexed.holes)
    return ParsedStatement(text, kind, tree, (), lexed.tokens, lexed.holes)


def parse_script(text: str) -> Script:
    """Parse a whole script. Never raises, whatever the text is."""
    pieces = split(text)
    statements: list[Statement] = []
    for span in pieces.spans:
        piece = span.of(text)
        if _STATEMENT_SET.match(piece):
            statements += _cut_statement_set(span, piece)
        else:
            statements.append(Statement(span, parse_statement(piece)))
    problems = [
        Problem(problem.message, problem.span and problem.span.shift(statement.span.start))
        for statement in statements
        for problem in statement.parsed.problems
    ]
    holes = tuple(
        Hole(hole.span.shift(statement.span.start), hole.in_string)
        for statement in statements
        for hole in statement.parsed.holes
    )
    return Script(text, tuple(statements), tuple(problems), pieces.comments, holes)


def _cut_statement_set(span: Span, piece: str) -> list[Statement]:
    """``EXECUTE STATEMENT SET BEGIN INSERT ...``: the words up to BEGIN are a statement of their own."""
    tokens = lex(piece).tokens
    for index, token in enumerate(tokens[:-3]):
        if token.word == "STATEMENT" and tokens[index + 1].word == "SET" and tokens[index + 2].word == "BEGIN":
            begin, following = tokens[index + 2], tokens[index + 3]
            head = Statement(Span(span.start, span.start + begin.end), parse_statement(piece[: begin.end]))
            if following.kind is TokenKind.END:
                return [head]
            rest = piece[following.start :]
            return [head, Statement(Span(span.start + following.start, span.end), parse_statement(rest))]
        if token.word in ("INSERT", "SELECT", "WITH", "CREATE"):
            break
    return [Statement(span, parse_statement(piece))]
