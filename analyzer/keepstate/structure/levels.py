"""Brackets and clauses of a broken statement: the query around the cursor, as far as its tokens show it."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepstate.syntax.tokens import Token, TokenKind

CLAUSES = frozenset("WITH SELECT FROM WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH".split())
SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_BEHIND_FROM = frozenset("WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH".split()) | SET_OPERATORS
_CLOSERS = frozenset("FROM WHERE GROUP HAVING LIMIT UNION EXCEPT INTERSECT MINUS".split())
"""Words that close brackets which are no queries: a bracket is missing in front of them."""
_TAKES_FROM = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "MATCH_RECOGNIZE"})
_QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES"})


@dataclass(eq=False)
class Level:
    """A pair of brackets with the tokens between them, or the whole statement.

    ``members`` are the numbers of the tokens directly in it, those of inner brackets left out. The brackets themselves
    belong to the level around them.
    """

    open: int = -1
    close: int = 0
    """The number of the token behind the last one."""
    parent: Level | None = None
    owner: str = ""
    """The word in front of the bracket, in upper case."""
    members: list[int] = field(default_factory=list)
    is_query: bool = False


@dataclass(frozen=True)
class Levels:
    """All brackets of a statement."""

    tokens: tuple[Token, ...]
    index: int
    current: Level
    """The level of the cursor."""

    def enclosing(self) -> list[Level]:
        """The level of the cursor and those around it, outwards."""
        levels, level = [], self.current
        while True:
            levels.append(level)
            if level.parent is None:
                return levels
            level = level.parent

    def arm(self, level: Level, at: int) -> list[int]:
        """The members of the query in which the token ``at`` stands: those between two set operators."""
        arm: list[int] = []
        for member in level.members:
            if self.tokens[member].word in SET_OPERATORS:
                if member >= at:
                    break
                arm = []
            else:
                arm.append(member)
        return arm

    def clause(self, level: Level, at: int) -> tuple[str, int]:
        """The word that begins the clause in which a token ``at`` of ``level`` stands, and its number."""
        clause = ("", level.open)
        for member in self.arm(level, at):
            if member >= at:
                break
            if self._begins_clause(member):
                clause = self.tokens[member].word, member
        return clause

    def _begins_clause(self, member: int) -> bool:
        """Return whether a word begins a clause: not the WITH of options, nor the FROM of IS DISTINCT FROM."""
        token = self.tokens[member]
        if token.word not in CLAUSES or token.kind is not TokenKind.WORD:
            return False
        if token.word == "WITH":
            return member + 1 >= len(self.tokens) or self.tokens[member + 1].word != "("
        return token.word != "FROM" or not member or self.tokens[member - 1].word != "DISTINCT"

    def relations(self, level: Level, at: int) -> list[tuple[int, int]]:
        """The relations in the FROM of the query around the token ``at``: from which token to which, in their order.

        Conditions and the words of joins are left out.
        """
        arm = self.arm(level, at)
        start = next(
            (n for n, member in enumerate(arm) if self.tokens[member].word == "FROM" and self._begins_clause(member)),
            None,
        )
        if start is None:
            return []
        ranges: list[tuple[int, int]] = []
        first: int | None = None
        last = -1
        in_condition = False
        for member in arm[start + 1 :]:
            word = self.tokens[member].word if self.tokens[member].kind is not TokenKind.NAME else ""
            if word in _BEHIND_FROM:
                break
            if word in (",", "JOIN") and not (word == "," and in_condition):
                if first is not None:
                    ranges.append((first, last))
                first, in_condition = None, False
            elif word in ("ON", "USING") and first is not None:
                ranges.append((first, last))
                first, in_condition = None, True
            elif in_condition or (word in _JOIN_WORDS and self._joins(member)):
                continue
            else:
                first = member if first is None else first
                last = member
        if first is not None:
            ranges.append((first, last))
        return ranges

    def _joins(self, member: int) -> bool:
        """Return whether a word such as LEFT stands in front of JOIN."""
        while member < len(self.tokens) and self.tokens[member].word in _JOIN_WORDS:
            member += 1
        return member < len(self.tokens) and self.tokens[member].word == "JOIN"


_JOIN_WORDS = frozenset("LEFT RIGHT FULL INNER OUTER CROSS NATURAL".split())


def levels_of(tokens: tuple[Token, ...], index: int) -> Levels:
    """The brackets of a statement, those that nothing closes included; ``index`` is the place of the cursor.

    >>> from keepstate.syntax.tokens import lex
    >>> tokens = lex("SELECT ROUND(a, ").tokens
    >>> [(level.open, level.close) for level in levels_of(tokens, 5).enclosing()]
    [(2, 6), (-1, 6)]
    """
    root = Level(close=len(tokens), is_query=True)
    stack = [root]
    current = root
    for number, token in enumerate(tokens):
        if number == index:
            current = stack[-1]
        word = token.word if token.kind in (TokenKind.WORD, TokenKind.SYMBOL) else ""
        if word in _CLOSERS:
            while len(stack) > 1 and not stack[-1].is_query and not _takes(stack[-1], word, tokens, number):
                stack.pop().close = number
        if word in (")", "]"):
            if len(stack) > 1:
                stack.pop().close = number
            stack[-1].members.append(number)
            continue
        stack[-1].members.append(number)
        if word in ("(", "["):
            owner = tokens[number - 1] if number else None
            name = owner.text.strip("`").upper() if owner is not None else ""
            stack.append(Level(number, len(tokens), stack[-1], name))
        elif word in _QUERY_STARTS and len(stack[-1].members) == 1:
            stack[-1].is_query = True
    if index >= len(tokens):
        current = stack[-1]
    return Levels(tokens, index, current)


def _takes(level: Level, word: str, tokens: tuple[Token, ...], number: int) -> bool:
    """Return whether ``word`` may stand inside of brackets that are no query."""
    if word == "FROM":
        return level.owner in _TAKES_FROM or (number > 0 and tokens[number - 1].word in ("DISTINCT", "METADATA"))
    return word == "WHERE" and level.owner == "FILTER"
