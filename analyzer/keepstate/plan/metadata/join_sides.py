"""Input of a join that an expression reads.

The table of a column determines the input, unless the table is on both sides. An expression without a table's name (a
window field, COUNT(*), a rank number, the processing time) determines nothing. So every expression of the right input
that could be taken for one of the left input gets a mark when the join is made. Marks are named after the tables of the
right input, so that a join that is put in front of another one leaves the marks of the other one alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeGuard

from keepstate.plan.expressions import AggregateCall, Column, Expr, Literal, Opaque, RankNumber, Unresolved, WindowField
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.predicates import reordered
from keepstate.plan.references import ColumnOfRight, SubqueryValue
from keepstate.plan.scalars.name_scope import Field, Relation, Source

_MARK = "INPUT"
VALUES = "VALUES"
"""Stands for a table, for columns of constant rows."""


class JoinSide(Enum):
    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> JoinSide:
        return JoinSide.RIGHT if self is JoinSide.LEFT else JoinSide.LEFT


@dataclass(frozen=True)
class JoinSides:
    """Columns of the two inputs of one join, and the input that each belongs to."""

    left_fields: frozenset[Expr]
    right_fields: frozenset[Expr]
    left_tables: frozenset[str]
    right_tables: frozenset[str]
    mark: Literal | None
    value: SubqueryValue | None
    """The query whose answer the right input gives."""

    @staticmethod
    def of(join: Join) -> JoinSides:
        """The sides of ``join``, by the columns that its inputs give.

        >>> sides = JoinSides.of(root("SELECT id, city FROM orders JOIN buyers ON name = buyer"))
        >>> sorted(map(str, sides.right_fields))
        ['city', 'name']
        """
        return JoinSides(
            frozenset(join.left_fields),
            frozenset(join.right_fields),
            tables_of(join.left),
            tables_of(join.right),
            join.mark,
            join.subquery if isinstance(join.subquery, SubqueryValue) else None,
        )

    def read(self, expr: Expr) -> frozenset[JoinSide]:
        """The inputs that ``expr`` needs a row of.

        >>> sides = JoinSides.of(root("SELECT id, city FROM orders JOIN buyers ON name = buyer"))
        >>> [side.name for side in sides.read(expr("id + 1"))], len(sides.read(expr("1")))
        (['LEFT'], 0)
        """
        own = self.field_side(expr)
        if own is not None:
            return frozenset({own})
        match expr:
            case SubqueryValue():
                return frozenset({JoinSide.LEFT if self.is_answered_below(expr) else JoinSide.RIGHT})
            case ColumnOfRight() if expr.mark == self.mark:
                return frozenset({JoinSide.RIGHT})
            case Column():
                return frozenset({self._of_column(expr)})
            case Unresolved() | Opaque():
                return frozenset(JoinSide)
        sides = frozenset(side for child in expr.children() for side in self.read(child))
        if not sides and isinstance(expr, (WindowField, RankNumber, AggregateCall)):
            return frozenset({JoinSide.LEFT})
        return sides

    def field_side(self, expr: Expr) -> JoinSide | None:
        """Return the input that gives ``expr`` as a column; ``None`` for a constant, although an input may give it.

        >>> sides = JoinSides.of(root("SELECT id, city FROM orders JOIN buyers ON name = buyer"))
        >>> sides.field_side(expr("id")).name, sides.field_side(expr("id + 1"))
        ('LEFT', None)
        """
        side = JoinSide.RIGHT if expr in self.right_fields else JoinSide.LEFT if expr in self.left_fields else None
        return None if side is not None and is_constant(expr) else side

    def is_answered_below(self, query: SubqueryValue) -> bool:
        """Return whether a join below gives the answer of ``query``: queries are joined by their numbers."""
        return self.value is not None and query.number < self.value.number

    def columns_of_value(self) -> tuple[Expr, ...]:
        """The columns of the right input that are the answer of the query.

        >>> join = next(root("SELECT id FROM orders WHERE price > (SELECT MAX(price) FROM orders)").walk())
        >>> [type(column).__name__ for column in JoinSides.of(join).columns_of_value()]
        ['ColumnOfRight']
        """
        row = self.value.row if self.value is not None else ()
        return tuple(map(self._of_right, row))

    def _of_right(self, column: Expr) -> Expr:
        if column in self.right_fields or self.mark is None:
            return column
        return ColumnOfRight(self.mark, column, place=column.place, via=column.via)

    def _of_column(self, column: Column) -> JoinSide:
        suffix = _suffix(self.mark)
        if suffix:
            return JoinSide.RIGHT if column.table.endswith(suffix) else JoinSide.LEFT
        return JoinSide.RIGHT if column.table.split("#")[0] in self.right_tables else JoinSide.LEFT

    def within_right(self, expr: Expr) -> Expr:
        """``expr``, which is about the right input, as that input itself would write it.

        >>> join = root("SELECT o.id, p.id FROM orders AS o JOIN orders AS p ON o.buyer = p.buyer")
        >>> type(join.right_row[0]).__name__, type(JoinSides.of(join).within_right(join.right_row[0])).__name__
        ('ColumnOfRight', 'Column')
        """
        mark, suffix = self.mark, _suffix(self.mark)
        if mark is None:
            return expr

        def step(node: Expr) -> Expr:
            if isinstance(node, ColumnOfRight) and node.mark == mark:
                return replace(node.column, place=node.place, via=node.via)
            if suffix and isinstance(node, Column) and node.table.endswith(suffix):
                return replace(node, table=node.table.removesuffix(suffix))
            return node

        return reordered(expr.rewrite(step))


@asked_once
def tables_of(operator: Operator) -> frozenset[str]:
    """Names of the tables whose columns ``operator`` may give; table functions count as such.

    >>> sorted(tables_of(root("SELECT id, city FROM orders JOIN buyers ON name = buyer")))
    ['buyers', 'orders']
    """
    return frozenset(_own_tables(operator)).union(*map(tables_of, operator.inputs))


def _how_often(operator: Operator, tables: frozenset[str]) -> Counter[str]:
    """Return the number of times that each of ``tables`` is read."""
    if not tables:
        return Counter()
    return Counter(table for node in operator.walk() for table in _own_tables(node) if table in tables)


def _own_tables(operator: Operator) -> Iterator[str]:
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            yield operator.table
        case Correlate():
            yield operator.name
        case Match():
            yield "MATCH_RECOGNIZE"
        case Unsupported():
            yield operator.construct
        case Values() if operator.columns:
            yield VALUES
        case Calc() | WindowTableFunction() | Aggregate() | OverAggregate() | Rank() | TemporalSort() | Limit():
            pass
        case Values() | Join() | SetOperation() | Union():
            pass
        case other:
            unhandled(other)


def with_marks(left: Source, right: Source, keeps_constants: bool) -> tuple[Source, Literal | None]:
    """Return ``right`` with marks on expressions that could be taken for those of ``left``, and the mark.

    ``keeps_constants``: rows of the right input may be missing, and then so are its constants.
    """
    marker = InputMarker.between(left.input, right.input, keeps_constants)
    relations = tuple(marker.relation(relation) for relation in right.relations)
    return replace(right, relations=relations), marker.mark


@dataclass(frozen=True)
class InputMarker:
    """Marks expressions of a right input, where they need a mark."""

    mark: Literal
    everything: bool
    """A table is on both sides."""
    constants: bool = False

    @staticmethod
    def between(left: Operator, right: Operator, keeps_constants: bool = False) -> InputMarker:
        tables = sorted(tables_of(right))
        shared = _how_often(left, tables_of(left) & tables_of(right))
        name = "+".join(tables) or VALUES
        if shared:
            name = f"{name}#{max(shared.values()) + 1}"
        return InputMarker(Literal(name, _MARK), bool(shared), keeps_constants)

    def relation(self, relation: Relation) -> Relation:
        fields = tuple(self._field(field) for field in relation.fields)
        if not self.everything:
            return replace(relation, fields=fields)
        open_tables = tuple(table + _suffix(self.mark) for table in relation.open_tables)
        return replace(relation, fields=fields, open_tables=open_tables, beneath=())

    def _field(self, field: Field) -> Field:
        return replace(field, expr=self.marked(field.expr))

    def marked(self, expr: Expr) -> Expr:
        """``expr``, a column of the right input, as the join writes it."""
        if not self.everything:
            if is_constant(expr) and not self.constants:
                return expr
            if any(isinstance(node, Column) for node in expr.walk()):
                return expr
        return ColumnOfRight(self.mark, expr, place=expr.place, via=expr.via)

    def rewritten(self, expr: Expr, fields: frozenset[Expr], outer: Callable[[Expr], Expr | None]) -> Expr:
        """Return ``expr``, written within the right input over its ``fields``, as the join writes it. A replacement by
        ``outer`` stays as it is.
        """
        replacement = outer(expr)
        if replacement is not None:
            return replacement
        if expr in fields:
            return self.marked(expr)
        if isinstance(expr, Column):
            # A column of a table that the script does not declare.
            return replace(expr, table=expr.table + _suffix(self.mark)) if self.everything else expr
        children = expr.children()
        return expr.with_children(tuple(self.rewritten(child, fields, outer) for child in children))


def renamed_mark(mark: Literal, names: Mapping[str, str]) -> Literal:
    """A mark as it would be if tables had had other names.

    >>> join = root("SELECT o.id, p.id FROM orders AS o JOIN orders AS p ON o.buyer = p.buyer")
    >>> join.mark.value, renamed_mark(join.mark, {"orders": "purchases"}).value
    ('orders#2', 'purchases#2')
    """
    tables, number, count = mark.value.partition("#")
    renamed = sorted(names.get(table, table) for table in tables.split("+"))
    return replace(mark, value="+".join(renamed) + number + count)


def is_mark(expr: Expr) -> TypeGuard[Literal]:
    """Return whether an expression is the mark of a right input (``Join.mark``).

    >>> join = root("SELECT o.id, p.id FROM orders AS o JOIN orders AS p ON o.buyer = p.buyer")
    >>> is_mark(join.mark), is_mark(expr("'a'"))
    (True, False)
    """
    return isinstance(expr, Literal) and expr.type == _MARK


def _suffix(mark: Literal | None) -> str:
    """Return the suffix for names of undeclared tables where a table is on both sides."""
    if mark is None:
        return ""
    _, number, count = mark.value.rpartition("#")
    return number + count if number else ""
