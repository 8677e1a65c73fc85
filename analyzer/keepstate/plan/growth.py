"""How large a plan may grow.

A view that reads another one twice doubles it, and thirty such views in a file of two kilobytes are a plan of a billion
operators; the same goes for columns that add themselves to themselves. No engine could run that, and no analysis may
begin with it.

What is not large may be deep: a chain of joins or of ``||``, each in the next one. Much of what walks a plan does so by
recursion, so a plan is only so deep that Python's stack holds each of these walks, whoever calls: the same job gets the
same answer from a shallow stack and from a deep one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from keepstate.plan.expressions import Expr
from keepstate.plan.operators import Operator, expressions_of
from keepstate.plan.scalars.scope import Relation
from keepstate.plan.values import asked_once

MOST_OPERATORS = 2_000
MOST_TERMS = 100_000
"""Nodes of the expression of one column, or of one condition."""
MOST_LEVELS = 120
"""Operators above one another, and below them the nodes of an expression: five frames of Python at most for each."""


class GrowsTooLarge(Exception):
    """A query is more than is looked at, once all that it reads is put in its place."""


class NestsTooDeeply(Exception):
    """A query is deeper than is looked at, once all that it reads is put in its place."""


def bounded(relation: Relation) -> Relation:
    """The relation, if it is of a size that somebody may have written.

    Raises:
        GrowsTooLarge: it is larger.
        NestsTooDeeply: it is deeper.
    """
    bounded_together((relation.input,))
    for expr in (*(column.expr for column in relation.fields), *relation.filters):
        if _has_more(expr.walk(), MOST_TERMS):
            raise GrowsTooLarge
        if _levels(expr) > MOST_LEVELS:
            raise NestsTooDeeply
    return relation


def bounded_together(operators: Iterable[Operator]) -> None:
    """See that what is about to be put together is of such a size.

    Raises:
        GrowsTooLarge: it is larger.
        NestsTooDeeply: it is deeper.
    """
    size = 0
    for operator in operators:
        size += _size(operator)
        if _height(operator) > MOST_LEVELS:
            raise NestsTooDeeply
    if size > MOST_OPERATORS:
        raise GrowsTooLarge


@asked_once
def _size(operator: Operator) -> int:
    """How many operators there are, those that stand in several places counted for each."""
    return 1 + sum(map(_size, operator.inputs))


@asked_once
def _height(operator: Operator) -> int:
    """How many levels there are from the operator to the deepest leaf of an expression."""
    below = max(map(_height, operator.inputs), default=0)
    return max(1 + below, *map(_levels, expressions_of(operator)), 0)


@asked_once
def _levels(expr: Expr) -> int:
    return 1 + max(map(_levels, expr.children()), default=0)


def _has_more(nodes: Iterator[object], most: int) -> bool:
    return next(islice(nodes, most, None), None) is not None
