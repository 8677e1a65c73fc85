"""Context of a query: the visible tables, and the query that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.expressions import Expr, Opaque
from keepstate.plan.hashed_value import QuickCopy, with_fields
from keepstate.plan.provenance import Place, place_of
from keepstate.plan.scalars.name_scope import Relation, Scope
from keepstate.syntax.script import ParsedStatement
from keepstate.value_class import value_class


@dataclass(frozen=True)
class CommonTable(QuickCopy):
    """A named query of a WITH clause, with the names that were in sight where it stands."""

    query: exp.Expression
    columns: tuple[str, ...]
    environment: Environment
    number: int
    """Identity within the plan: two queries may have a common table of the same name and text."""
    recursive: bool = False
    """The common table reads itself."""


@value_class(frozen=True)
class Environment(QuickCopy):
    """Context of a query: its statement, the visible common tables, and the query around it."""

    statement: ParsedStatement
    common_tables: Mapping[str, CommonTable] = field(default_factory=dict)
    parent: Scope | None = None
    outermost: bool = False
    """No query around this one reads its result; then the order of its rows counts."""
    select_order: tuple[int, ...] = ()
    """The positions of its select items in the order in which the planner takes them, where that is not how they are
    written (``InsertTarget.order_taken``).
    """

    def inside(self) -> Environment:
        """For a query within this one."""
        return with_fields(self, outermost=False, select_order=()) if self.outermost or self.select_order else self

    def beside(self) -> Environment:
        """For an operand of a set operation that is this query."""
        return with_fields(self, outermost=False) if self.outermost else self

    def as_taken(self, relation: Relation) -> Relation:
        """The relation of this query with its columns in the order in which the planner takes them."""
        if len(self.select_order) != len(relation.fields):
            return relation
        return with_fields(relation, fields=tuple(relation.fields[number] for number in self.select_order))

    def as_written(self, relation: Relation) -> Relation:
        """A relation whose columns are in that order with them as they are written."""
        if len(self.select_order) != len(relation.fields):
            return relation
        positions = sorted(range(len(self.select_order)), key=self.select_order.__getitem__)
        return with_fields(relation, fields=tuple(relation.fields[position] for position in positions))

    def place(self, node: exp.Expression) -> Place:
        return place_of(self.statement, node)

    def tokens(self, node: exp.Expression) -> tuple[str, ...]:
        """Return the tokens of a node, which identify a construct without a canonical form."""
        return self.place(node).words

    def opaque(self, query: exp.Expression, _: Scope) -> Expr:
        """Return a subquery without a canonical form, where rows of a subquery cannot be asked for."""
        return Opaque("QUERY", self.tokens(query))
