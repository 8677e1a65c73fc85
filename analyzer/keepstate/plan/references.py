"""Expressions that stand for a result of another part of the plan: an input of a union or a join, a query, a template.

None of them is a function: a function of a user may have any name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.value_class import value_class


@value_class(frozen=True)
class ColumnOfUnion(Expr):
    """A column of UNION ALL: ``exprs[n]`` is the expression of the ``n``-th input (``united``).

    One with a single expression is a constant of the only input that filters leave: the planner replaced columns by
    constants while the union had others.
    """

    exprs: tuple[Expr, ...]
    admits_null: bool = field(default=False, compare=False, repr=False)
    """An input that a filter empties gives NULLs, although those that are left do not."""

    def children(self) -> tuple[Expr, ...]:
        return self.exprs

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return replace(self, exprs=children)

    def __str__(self) -> str:
        return " | ".join(dict.fromkeys(map(str, self.exprs)))


def united(exprs: Sequence[Expr]) -> Expr:
    """The column of a UNION ALL whose inputs give ``exprs``, in the order of its inputs.

    Each operand belongs to the rows of one input, with the filters of that input: ``SUM(v | 0)`` and ``SUM(0 | v)`` are
    two sums. A column that all inputs give alike is that column.

    >>> united([expr("id"), expr("id")]) == expr("id")
    True
    >>> print(united([expr("id"), expr("0")]))
    id | 0
    """
    first = exprs[0]
    if all(expr == first for expr in exprs):
        return first
    return ColumnOfUnion(tuple(exprs), place=first.place, via=first.via)


def with_plain_constants(expr: Expr) -> Expr:
    """An operand of an aggregate with the constants themselves where it reads columns of a single input."""
    return expr.rewrite(_plain)


def with_compared_constants(condition: Expr) -> Expr:
    """A condition of a filter with the constants themselves where it compares columns of a single input with literals:
    the planner applies such a comparison to that input.
    """

    def step(node: Expr) -> Expr:
        plain = tuple(map(_plain, node.children()))
        if not isinstance(node, Call) or node.args == plain or not all(map(_is_constant, node.args)):
            return node
        return node.with_children(plain)

    return condition.rewrite(step)


def is_made_column(expr: Expr) -> bool:
    """Return whether an expression is a column of VALUES or UNNEST, which no table has.

    >>> is_made_column(expr("LOWER('a')")), is_made_column(root("SELECT a FROM (VALUES (1)) AS v (a)").columns[0])
    (False, True)
    """
    return isinstance(expr, Call) and expr.name == "COLUMN"


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Literal) or (isinstance(expr, ColumnOfUnion) and len(expr.exprs) == 1)


def _plain(node: Expr) -> Expr:
    if isinstance(node, ColumnOfUnion) and len(node.exprs) == 1 and not node.admits_null:
        return replace(node.exprs[0], place=node.place, via=node.via)
    return node


@value_class(frozen=True)
class ColumnOfRight(Expr):
    """A column of the right input of a join, distinguished from an equal one of the left input by the ``mark`` of the
    join.
    """

    mark: Expr
    column: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.mark, self.column)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        mark, column = children
        return replace(self, mark=mark, column=column)

    def __str__(self) -> str:
        return str(self.column)


@value_class(frozen=True)
class SubqueryValue(Expr):
    """A query inside of an expression: the ``number``-th of its query, with the columns that it gives."""

    number: int
    row: tuple[Expr, ...] = ()

    def children(self) -> tuple[Expr, ...]:
        return self.row

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return replace(self, row=children)

    def __str__(self) -> str:
        return f"SUBQUERY({', '.join(map(str, (self.number, *self.row)))})"


@value_class(frozen=True)
class CorrelatedColumn(Expr):
    """Inside of such a query, a column of the query around it."""

    column: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.column,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return replace(self, column=children[0])

    def __str__(self) -> str:
        return str(self.column)


@value_class(frozen=True)
class SetCondition(Expr):
    """A condition on the keys that each of several grouping sets leaves, as a filter: none of a column of the input."""

    condition: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.condition,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return replace(self, condition=children[0])

    def __str__(self) -> str:
        return str(self.condition)


@value_class(frozen=True)
class TemplateValue(Expr):
    """Value of a template or of a parameter. ``placeholder`` is its name, the same for every row."""

    placeholder: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.placeholder,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return replace(self, placeholder=children[0])

    def __str__(self) -> str:
        return str(self.placeholder)
