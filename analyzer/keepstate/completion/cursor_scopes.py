"""Relations that an expression at the cursor sees.

The clauses of the query around the cursor are found by brackets and keywords, since they do not parse. Each relation
in its FROM is parsed by itself, and the validator gives its columns. So a select list has all columns of the FROM that
follows it, whatever is half-typed elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.completion.script_declarations import Declarations
from keepstate.completion.tolerant_validation import TolerantQueries
from keepstate.structure.levels import Level, Levels
from keepstate.structure.token_names import unquoted
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.validation.values.scopes import (
    OPEN_ROWS,
    FromItem,
    RelationColumn,
    RelationColumns,
    StatementRefused,
    ValidationScope,
)

_WINDOW_FUNCTIONS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_DEEPEST = 30


@dataclass(frozen=True)
class Scopes:
    """The scopes of one statement that is being written."""

    text: str
    levels: Levels
    declarations: Declarations
    memo: Memo

    def at_cursor(self) -> ValidationScope:
        """The relations of the queries around the cursor."""
        return self._scope(self.levels.current, self.levels.index)

    def common_tables(self) -> dict[str, RelationColumns]:
        """The common tables that the cursor sees, by their names; an inner one hides those outside."""
        return self._common(self.levels.current, self.levels.index, 0)

    def described(self) -> FromItem | None:
        """The relation that the window table function around the cursor reads."""
        for level in self.levels.enclosing():
            if level.owner in _WINDOW_FUNCTIONS:
                return self._data_of(level)
        return None

    def of_pattern(self) -> FromItem | None:
        """The relation whose rows MATCH_RECOGNIZE around the cursor reads."""
        for level in self.levels.enclosing():
            if level.owner == "MATCH_RECOGNIZE" and level.parent is not None:
                ranges = self.levels.relations(level.parent, level.open)
                item_range = next((each for each in ranges if each[0] <= level.open <= each[1]), None)
                if item_range is not None:
                    return self._item((item_range[0], level.open - 2), ValidationScope(), level.parent, level.open)
        return None

    # ---- scopes

    def _scope(self, level: Level, at: int) -> ValidationScope:
        """The scope of an expression at the token ``at`` in ``level``, without more than some queries around it."""
        queries: list[tuple[Level, int]] = []
        place: Level | None = level
        while place is not None and len(queries) < _DEEPEST:
            if place.is_query:
                queries.append((place, at))
            at, place = place.open, place.parent
        scope: ValidationScope | None = None
        for inner, within in reversed(queries):
            scope = self._of_query(inner, within, scope)
        return scope if scope is not None else ValidationScope()

    def _of_query(self, level: Level, at: int, parent: ValidationScope | None) -> ValidationScope:
        around = parent
        if parent is not None and level.owner != "LATERAL" and self._is_relation(level):
            # Only a lateral query sees the relations beside it.
            around = parent.parent
        scope = ValidationScope((), around)
        for item_range in self.levels.relations(level, at):
            scope = scope.with_items((self._item(item_range, scope, level, at),))
        return scope

    def _is_relation(self, level: Level) -> bool:
        """Return whether a query stands in FROM, or is a common table, and not in an expression."""
        parent = level.parent
        while parent is not None and not parent.is_query:
            level, parent = parent, parent.parent
        if parent is None:
            return False
        if level.owner == "AS":
            return True
        ranges = self.levels.relations(parent, level.open)
        return any(first <= level.open <= last for first, last in ranges)

    # ---- relations

    def _item(self, item_range: tuple[int, int], left: ValidationScope, level: Level, at: int) -> FromItem:
        """One relation, to the right of ``left``."""
        first, last = item_range
        tokens = self.levels.tokens
        text = self.text[tokens[first].start : tokens[last].end]
        item = self._parsed_item(text, left, level, at)
        if item is None:
            simple = _without_rest(tokens[first : last + 1])
            item = self._parsed_item(simple, left, level, at) if simple else None
        return item if item is not None else FromItem(_alias_of(tokens[first : last + 1]), OPEN_ROWS)

    def _parsed_item(self, text: str, left: ValidationScope, level: Level, at: int) -> FromItem | None:
        statement = self.memo.statement(f"SELECT * FROM {text}")
        tree = statement.tree
        if statement.kind is not StatementKind.QUERY or not isinstance(tree, exp.Select):
            return None
        source = tree.args.get("from_")
        if source is None or tree.args.get("joins"):
            return None
        queries = self._queries(statement, level, at)
        try:
            return queries.relations(left.parent).item(source.this, left)
        except (StatementRefused, RecursionError):
            return None

    def _queries(self, statement: ParsedStatement, level: Level, at: int, depth: int = 0) -> TolerantQueries:
        queries = TolerantQueries(statement, self.declarations.surroundings, [])
        return queries.with_common(self._common(level, at, depth))

    def _data_of(self, level: Level) -> FromItem | None:
        """The table that the arguments of a window table function name."""
        tokens, members = self.levels.tokens, level.members
        for number, member in enumerate(members):
            if tokens[member].word == "TABLE" and number + 1 < len(members):
                first = last = members[number + 1]
                while last + 2 in members and tokens[last + 1].word == ".":
                    last += 2
                if tokens[first].word == "(":
                    inner = [each for each in members if each > first]
                    last = inner[0] if inner else first
                return self._item((first, last), ValidationScope(), level, level.open)
        query = next((each for each in members if tokens[each].word == "("), None)
        closing = next((each for each in members if query is not None and each > query), None)
        if query is not None and closing is not None:
            return self._item((query, closing), ValidationScope(), level, level.open)
        return None

    # ---- common tables

    def _common(self, level: Level, at: int, depth: int) -> dict[str, RelationColumns]:
        """The common tables that a token ``at`` of ``level`` sees."""
        if depth > _DEEPEST:
            return {}
        outer: dict[str, RelationColumns] = {}
        if level.parent is not None:
            outer = self._common(level.parent, level.open, depth + 1)
        if not level.is_query:
            return outer
        tokens = self.levels.tokens
        members = level.members
        start = next((n for n, each in enumerate(members) if self._begins_common_tables(level, n)), None)
        if start is None:
            return outer
        common = outer
        number = start + 1
        while number < len(members):
            name = tokens[members[number]]
            if name.word == "RECURSIVE":
                number += 1
                continue
            if name.kind not in (TokenKind.WORD, TokenKind.NAME):
                break
            columns: tuple[str, ...] = ()
            number += 1
            if number + 1 < len(members) and tokens[members[number]].word == "(":
                columns = tuple(
                    unquoted(token)
                    for token in tokens[members[number] + 1 : members[number + 1]]
                    if token.kind in (TokenKind.WORD, TokenKind.NAME)
                )
                number += 2
            if number + 1 >= len(members) or tokens[members[number]].word != "AS":
                break
            opening = members[number + 1]
            closing = members[number + 2] if number + 2 < len(members) else len(tokens)
            if opening < at <= closing or opening >= at:
                break
            body = self.text[tokens[opening].end : tokens[closing].start] if closing < len(tokens) else ""
            common = {**common, unquoted(name): self._rows(body, common).renamed(columns)}
            number += 3
            if number < len(members) and tokens[members[number]].word != ",":
                break
            number += 1
        return common

    def _begins_common_tables(self, level: Level, number: int) -> bool:
        """Return whether a member is the WITH of a query, and not that of options."""
        member = level.members[number]
        following = self.levels.tokens[member + 1] if member + 1 < len(self.levels.tokens) else None
        return self.levels.tokens[member].word == "WITH" and following is not None and following.word != "("

    def _rows(self, body: str, common: dict[str, RelationColumns]) -> RelationColumns:
        statement = self.memo.statement(body.strip())
        if statement.kind is not StatementKind.QUERY or statement.tree is None:
            return OPEN_ROWS
        queries = TolerantQueries(statement, self.declarations.surroundings, []).with_common(common)
        try:
            return queries.query(statement.tree)
        except (StatementRefused, RecursionError):
            return OPEN_ROWS


def fields_of(column: RelationColumn) -> list[RelationColumn]:
    """The fields of a ROW, as columns."""
    if column.type is None or column.type.root != "ROW":
        return []
    return [
        RelationColumn(name, type_, caseless=True)
        for name, type_ in zip(column.type.names, column.type.elements, strict=True)
    ]


def _alias_of(tokens: tuple[Token, ...]) -> str | None:
    names = [token for token in tokens if token.kind in (TokenKind.WORD, TokenKind.NAME)]
    return unquoted(names[-1]) if names else None


def _without_rest(tokens: tuple[Token, ...]) -> str:
    """``name AS alias`` of a relation with more behind the name that cannot be read."""
    path = []
    at = 0
    while at < len(tokens) and tokens[at].kind in (TokenKind.WORD, TokenKind.NAME):
        path.append(tokens[at].text)
        at += 1
        if at >= len(tokens) or tokens[at].word != ".":
            break
        at += 1
    if not path:
        return ""
    alias = tokens[at + 1 : at + 2] if at < len(tokens) and tokens[at].word == "AS" else tokens[at : at + 1]
    alias_words = [token.text for token in alias if token.kind in (TokenKind.WORD, TokenKind.NAME)]
    return " ".join([".".join(path), *(["AS", *alias_words] if alias_words else [])])
