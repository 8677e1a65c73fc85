"""Rows of queries that Flink may refuse elsewhere: the validator's own reading, which goes on behind each refusal."""

from __future__ import annotations

from sqlglot import exp

from keepstate.syntax.statement import ParsedStatement
from keepstate.validation.queries import QueryCheck
from keepstate.validation.relations import RelationCheck
from keepstate.validation.statement_context import StatementContext
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import (
    OPEN_ROWS,
    FromItem,
    RelationColumn,
    RelationColumns,
    StatementRefused,
    ValidationScope,
)
from keepstate.validation.values.value import UNKNOWN, ExpressionContext, ValueFacts


class TolerantExpressions(ExpressionCheck):
    """Expressions of which each part that Flink refuses has an unknown value."""

    def value(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        try:
            return super().value(node, scope, place)
        except StatementRefused:
            return UNKNOWN

    def condition(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> None:
        """Take any condition: it changes no column."""


class TolerantRelations(RelationCheck):
    """Relations of which each one that Flink refuses has unknown columns."""

    def item(self, node: exp.Expression, scope: ValidationScope) -> FromItem:
        try:
            return super().item(node, scope)
        except StatementRefused:
            return FromItem(node.alias_or_name or None, OPEN_ROWS)

    def _join_scope(self, left: ValidationScope, right: tuple[FromItem, ...], join: exp.Join) -> ValidationScope:
        try:
            return super()._join_scope(left, right, join)
        except StatementRefused:
            return left.with_items(right)


class TolerantQueries(QueryCheck):
    """Queries of which only the select list and the relations are read: the rest changes no name and no type."""

    def __init__(
        self, statement: ParsedStatement, surroundings: StatementContext, unsure: list[ValidityProblem]
    ) -> None:
        super().__init__(statement, surroundings, unsure)
        self.expressions = TolerantExpressions(statement, surroundings.functions, self.query, unsure)

    def query(self, node: exp.Expression, parent: ValidationScope | None = None) -> RelationColumns:
        try:
            return super().query(node, parent)
        except StatementRefused:
            return OPEN_ROWS

    def _selected(self, node: exp.Select, parent: ValidationScope | None) -> RelationColumns:
        scope = self.relations(parent).scope(node)
        columns: list[RelationColumn] = []
        for position, item in enumerate(node.expressions):
            try:
                taken_names = {column.name for column in columns}
                columns += self._item(item, position, scope, ExpressionContext("SELECT"), None, taken_names)
            except StatementRefused:
                columns.append(RelationColumn(item.alias_or_name or f"EXPR${position}"))
        return RelationColumns(tuple(columns), self._is_complete(node, scope))

    def relations(self, parent: ValidationScope | None) -> TolerantRelations:
        """The FROM of a query inside of ``parent``."""
        return TolerantRelations(self, self._common, parent)

    def with_common(self, common: dict[str, RelationColumns]) -> TolerantQueries:
        """The queries with these common tables."""
        self._common = common
        return self
