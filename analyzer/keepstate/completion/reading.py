"""Rows of queries that Flink may refuse elsewhere: the validator's own reading, which goes on behind each refusal."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax.statement import ParsedStatement
from keepstate.validation.queries import QueryCheck
from keepstate.validation.relations import Relations
from keepstate.validation.surroundings import Surroundings
from keepstate.validation.validity import Problem
from keepstate.validation.values.expressions import Expressions
from keepstate.validation.values.scopes import OPEN_ROWS, Column, Item, Refused, Rows, Scope
from keepstate.validation.values.value import UNKNOWN, Place, Value


class TolerantExpressions(Expressions):
    """Expressions of which each part that Flink refuses has an unknown value."""

    def value(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        try:
            return super().value(node, scope, place)
        except Refused:
            return UNKNOWN

    def condition(self, node: exp.Expression, scope: Scope, place: Place) -> None:
        """Take any condition: it changes no column."""


class TolerantRelations(Relations):
    """Relations of which each one that Flink refuses has unknown columns."""

    def item(self, node: exp.Expression, scope: Scope) -> Item:
        try:
            return super().item(node, scope)
        except Refused:
            return Item(node.alias_or_name or None, OPEN_ROWS)

    def _joined(self, left: Scope, right: tuple[Item, ...], join: exp.Join) -> Scope:
        try:
            return super()._joined(left, right, join)
        except Refused:
            return left.with_items(right)


class TolerantQueries(QueryCheck):
    """Queries of which only the select list and the relations are read: the rest changes no name and no type."""

    def __init__(self, statement: ParsedStatement, surroundings: Surroundings, unsure: list[Problem]) -> None:
        super().__init__(statement, surroundings, unsure)
        self.expressions = TolerantExpressions(statement, surroundings.functions, self.query, unsure)

    def query(self, node: exp.Expression, parent: Scope | None = None) -> Rows:
        try:
            return super().query(node, parent)
        except Refused:
            return OPEN_ROWS

    def _selected(self, node: exp.Select, parent: Scope | None) -> Rows:
        scope = self.relations(parent).scope(node)
        columns: list[Column] = []
        for position, item in enumerate(node.expressions):
            try:
                taken = {column.name for column in columns}
                columns += self._item(item, position, scope, Place("SELECT"), None, taken)
            except Refused:
                columns.append(Column(item.alias_or_name or f"EXPR${position}"))
        return Rows(tuple(columns), self._is_complete(node, scope))

    def relations(self, parent: Scope | None) -> TolerantRelations:
        """The FROM of a query inside of ``parent``."""
        return TolerantRelations(self, self._common, parent)

    def with_common(self, common: dict[str, Rows]) -> TolerantQueries:
        """The queries with these common tables."""
        self._common = common
        return self
