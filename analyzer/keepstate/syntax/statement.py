"""One statement: parsed alone and independent of where it stands, so that equal texts need to be parsed only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from sqlglot import exp

from keepstate.report import Problem
from keepstate.syntax.grammar.statements import Grammar
from keepstate.syntax.grammar.token_cursor import TOO_DEEP, Leniency, TooDeep, Unparsable
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.namespace import DEFAULT, Namespace, place_names
from keepstate.syntax.placeholders import Placeholder
from keepstate.syntax.syntax_nodes import nodes_of
from keepstate.syntax.tokens import LexedStatement, Token, TokenKind, lex
from keepstate.text import Span
from keepstate.value_class import value_class

N = TypeVar("N", bound=exp.Expr)
_NUMBER = TokenKind.NUMBER
LARGEST_STATEMENT = 500_000
"""Largest statement that is parsed, in characters; a larger one is data, not a query."""
LONGEST_NUMBER = 400
"""Most characters of a number that is read: Flink takes one of more for out of range, wherever it looks at it."""
_HEAD = 1_000
"""Characters of a larger one in which its name stands."""


class ParsedStatement:
    """Content of one statement, independent of its position: all spans are relative to ``text``.

    Within one memo equal texts in one namespace share one object, and the object is compared by identity. Do not
    change its tree: ``copy()`` it first. Its nodes have no link to their parents.
    """

    def __init__(
        self,
        text: str,
        kind: StatementKind,
        tree: exp.Expression | None,
        problems: tuple[Problem, ...] = (),
        tokens: tuple[Token, ...] = (),
        placeholders: tuple[Placeholder, ...] = (),
        leniencies: tuple[Leniency, ...] = (),
        stop: int | None = None,
        beyond_limits: bool = False,
        namespace: Namespace = DEFAULT,
        nodes: Sequence[exp.Expr] = (),
    ) -> None:
        self.text = text
        self.kind = kind
        self.tree = tree
        self.problems = problems
        self.tokens = tokens
        """All tokens and an ``END`` behind them; empty when the text was too large to read."""
        self.placeholders = placeholders
        self.leniencies = leniencies
        """Text that was read although the parser of open-source Flink refuses it, up to where reading stopped."""
        self.stop = stop
        """The number of the token at which reading stopped; ``None`` for a statement that was read."""
        self.beyond_limits = beyond_limits
        """The statement is too large or too deep to be analysed, which does not say that Flink cannot read it."""
        self.namespace = namespace
        """The catalog and the database in which its names stand."""
        self.nodes = nodes
        """All nodes of the tree, level by level; none where there is no tree."""

    def __repr__(self) -> str:
        return f"ParsedStatement({self.kind.value}, {self.text[:40]!r})"

    @cached_property
    def _nodes_by_class(self) -> Mapping[type[exp.Expr], Any]:
        by_class: dict[type[exp.Expr], list[exp.Expr]] = {}
        for node in self.nodes:
            by_class.setdefault(type(node), []).append(node)
        return by_class

    def nodes_of_class(self, kind: type[N]) -> Sequence[N]:
        """The nodes of one class, level by level: one walk serves for the questions about all classes.

        >>> [node.name for node in parse_statement("SELECT a FROM t, u").nodes_of_class(exp.Table)]
        ['t', 'u']
        """
        nodes: Sequence[N] = self._nodes_by_class.get(kind, ())
        return nodes

    @property
    def stops_at_end(self) -> bool:
        """Return whether reading stopped behind the last token: more of the statement is missing."""
        return self.stop is not None and self.stop == len(self.tokens) - 1

    @property
    def head_tokens(self) -> tuple[Token, ...]:
        """The first tokens, with an ``END`` behind them, which determine the declaration of a statement. A text that
        was too large to parse has them too.
        """
        return self.tokens or lex(self.text[:_HEAD]).tokens

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


@value_class(frozen=True, slots=True)
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


def parse_statement(text: str, namespace: Namespace = DEFAULT) -> ParsedStatement:
    """Parse the text of one statement, whose names stand in ``namespace``. Never raises: an unreadable statement is
    ``BROKEN`` and has a problem.
    """
    if len(text) > LARGEST_STATEMENT:
        message = f"This statement has more than {LARGEST_STATEMENT:,} characters; it was not analysed."
        problem = Problem(message, Span(0, text.find("\n") + 1))
        return ParsedStatement(text, StatementKind.BROKEN, None, (problem,), beyond_limits=True, namespace=namespace)
    lexed = lex(text)
    grammar = Grammar(lexed.tokens)
    number = next((each for each in lexed.tokens if len(each.text) > LONGEST_NUMBER and each.kind is _NUMBER), None)
    if number is not None:
        message = f"A number of {len(number.text):,} characters is out of range."
        return _broken(text, lexed, namespace, message, number, grammar)
    try:
        kind, tree = grammar.statement()
    except Unparsable as error:
        too_deep = isinstance(error, TooDeep)
        return _broken(text, lexed, namespace, error.message, error.token, grammar, too_deep)
    except RecursionError:
        # The depth that fits depends on how deep the caller is already.
        return _broken(text, lexed, namespace, TOO_DEEP, lexed.tokens[0], grammar, too_deep=True)
    nodes = nodes_of(tree)
    _forget_parents(nodes)
    if namespace != DEFAULT:
        place_names(kind, tree, namespace)
    placeholders = lexed.placeholders
    if grammar.loose:
        placeholders = tuple(
            replace(placeholder, loose=True) if placeholder.span.start in grammar.loose else placeholder
            for placeholder in placeholders
        )
    return ParsedStatement(
        text,
        kind,
        tree,
        (),
        lexed.tokens,
        placeholders,
        tuple(grammar.leniencies),
        namespace=namespace,
        nodes=nodes,
    )


def _forget_parents(nodes: Sequence[exp.Expr]) -> None:
    """Remove the links of nodes to their parents. Nothing reads them, and without them reference counting frees a
    tree.
    """
    for node in nodes:
        node.parent = None


def _broken(
    text: str,
    lexed: LexedStatement,
    namespace: Namespace,
    message: str,
    token: Token,
    grammar: Grammar,
    too_deep: bool = False,
) -> ParsedStatement:
    stop = lexed.tokens.index(token)
    # The end of a statement has no text of its own: point at the token before it.
    if token.kind is TokenKind.END and len(lexed.tokens) > 1:
        token = lexed.tokens[-2]
    first_line = token.text.splitlines()[0] if token.text else ""
    problem = Problem(message, Span(token.start, token.start + len(first_line)))
    kind, leniencies = StatementKind.BROKEN, tuple(grammar.leniencies)
    return ParsedStatement(
        text, kind, None, (problem,), lexed.tokens, lexed.placeholders, leniencies, stop, too_deep, namespace
    )
