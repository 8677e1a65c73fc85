"""One statement: parsed alone and independent of where it stands, so that equal texts are parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from sqlglot import exp

from keepstate.report import Problem
from keepstate.syntax.grammar.cursor import TOO_DEEP, Unparsable
from keepstate.syntax.grammar.statements import Grammar
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.tokens import Hole, Lexed, Token, TokenKind, lex
from keepstate.text import Span

_CACHED_STATEMENTS = 2048
_LARGEST_CACHED = 100_000
_LARGEST = 500_000
"""The largest statement that is read, in characters; what is larger is data, not a query."""


class ParsedStatement:
    """What one statement's text says, wherever it stands: all spans are relative to ``text``.

    Equal texts share one object, so it is compared by identity. Do not change its tree: ``copy()`` it first.
    """

    def __init__(
        self,
        text: str,
        kind: StatementKind,
        tree: exp.Expression | None,
        problems: tuple[Problem, ...] = (),
        tokens: tuple[Token, ...] = (),
        holes: tuple[Hole, ...] = (),
    ) -> None:
        self.text = text
        self.kind = kind
        self.tree = tree
        self.problems = problems
        self.tokens = tokens
        """All tokens and an ``END`` behind them; empty when the text was too large to read."""
        self.holes = holes

    def __repr__(self) -> str:
        return f"ParsedStatement({self.kind.value}, {self.text[:40]!r})"

    @cached_property
    def token_key(self) -> tuple[str, ...]:
        """The tokens without layout and comments, reserved words in upper case: equal keys mean equal statements.

        The reverse does not hold: `` `a` `` and ``a`` differ, and so do two spellings of a word that is not reserved.
        """
        if not self.tokens:
            return (self.text,)
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


def parse_statement(text: str) -> ParsedStatement:
    """Parse the text of one statement. Never raises: what cannot be read is ``BROKEN`` and has a problem."""
    if len(text) > _LARGEST_CACHED:
        return _parse(text)
    return _parse_cached(text)


def _parse(text: str) -> ParsedStatement:
    if len(text) > _LARGEST:
        problem = Problem(
            f"This statement has more than {_LARGEST:,} characters; it was not analysed.", Span(0, text.find("\n") + 1)
        )
        return ParsedStatement(text, StatementKind.BROKEN, None, (problem,))
    lexed = lex(text)
    grammar = Grammar(lexed.tokens)
    try:
        kind, tree = grammar.statement()
    except Unparsable as error:
        return _broken(text, lexed, error.message, error.token)
    except RecursionError:
        # The depth that fits depends on how deep the caller is already.
        return _broken(text, lexed, TOO_DEEP, lexed.tokens[0])
    holes = lexed.holes
    if grammar.holes:
        holes = tuple(sorted((*holes, *grammar.holes), key=lambda hole: hole.span))
    return ParsedStatement(text, kind, tree, (), lexed.tokens, holes)


_parse_cached = lru_cache(maxsize=_CACHED_STATEMENTS)(_parse)


def _broken(text: str, lexed: Lexed, message: str, token: Token) -> ParsedStatement:
    # The end of a statement has no text of its own: point at the token before it.
    if token.kind is TokenKind.END and len(lexed.tokens) > 1:
        token = lexed.tokens[-2]
    first_line = token.text.splitlines()[0] if token.text else ""
    problem = Problem(message, Span(token.start, token.start + len(first_line)))
    return ParsedStatement(text, StatementKind.BROKEN, None, (problem,), lexed.tokens, lexed.holes)
