"""Origin of a piece of a plan.

A plan is lowered once for a set of statement texts and kept while the user types elsewhere, so it must not hold
document offsets. A :class:`Place` names a parsed statement and a span inside of the statement; the owner of the script
turns it into a document span.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.syntax.placeholders import canonical_name
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.syntax.tokens import Token
from keepstate.text import Span
from keepstate.value_class import value_class


@value_class(frozen=True, slots=True)
class Place:
    """A span within the text of one parsed statement."""

    statement: ParsedStatement
    span: Span

    @property
    def text(self) -> str:
        return self.span.of(self.statement.text)

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens here in one spelling: no comments or layout, words in upper case, names without backticks."""
        words = tuple(token.word or token.text.strip("`") for token in self._tokens())
        # Plans ask for words all the time, and few statements have placeholders.
        return tuple(map(canonical_name, words)) if self.statement.placeholders else words

    @property
    def token_text(self) -> str:
        """The tokens here without comments and layout, names with the backticks that they are written with."""
        return " ".join(token.text for token in self._tokens())

    def _tokens(self) -> Iterator[Token]:
        tokens = self.statement.tokens
        first = bisect_left(tokens, self.span.start, key=_start)
        last = bisect_left(tokens, self.span.end, first, key=_start)
        return (token for token in tokens[first:last] if token.start < token.end <= self.span.end)

    def contains(self, other: Place) -> bool:
        """Return whether ``other`` lies in this place, in the same statement.

        >>> query = statement("SELECT a FROM t WHERE a > 1")
        >>> whole, condition = Place(query, Span(0, len(query.text))), Place(query, Span(22, 27))
        >>> whole.contains(condition), condition.contains(whole), condition.token_text
        (True, False, 'a > 1')
        """
        return self.statement is other.statement and self.span.contains(other.span)

    def through(self, other: Place) -> Place:
        """From the start of this place to the end of ``other`` (in the same statement).

        >>> query = statement("SELECT a FROM t WHERE a > 1")
        >>> Place(query, Span(9, 15)).through(Place(query, Span(22, 27))).token_text
        'FROM t WHERE a > 1'
        """
        return Place(self.statement, self.span.union(other.span))

    def back_to(self, word: str) -> Place:
        """From the nearest ``word`` in front of this place to the end of it; this place if there is none.

        >>> query = statement("SELECT a FROM t WHERE a > 1")
        >>> Place(query, Span(22, 27)).back_to("WHERE").token_text
        'WHERE a > 1'
        """
        starts = [each.start for each in self.statement.tokens if each.word == word and each.start < self.span.start]
        return Place(self.statement, Span(starts[-1], self.span.end)) if starts else self


def declarations_of(via: Iterable[Place]) -> tuple[Place, ...]:
    """Return the places, among those that an expression came through, that declare columns of tables.

    A computed column is no alias of its definition: watermarks are put between.

    >>> table = "CREATE TABLE t (a INT, twice AS 2 * a)"
    >>> (column,) = plan(f"{table}; SELECT b FROM (SELECT twice AS b FROM t)").output
    >>> [place.token_text for place in column.via]
    ['twice AS b', 'twice AS 2 * a']
    >>> [place.token_text for place in declarations_of(column.via)]
    ['twice AS 2 * a']
    """
    return tuple(place for place in via if place.statement.kind is StatementKind.CREATE_TABLE)


def _start(token: Token) -> int:
    return token.start


def place_of(statement: ParsedStatement, node: exp.Expression) -> Place:
    """The place of a syntax node; a node without a span of its own stands for its statement.

    >>> query = statement("SELECT a FROM t WHERE a > 1")
    >>> place_of(query, query.tree.args["where"].this).token_text
    'a > 1'
    """
    span = span_of(node)
    return Place(statement, span if span is not None else Span(0, len(statement.text)))
