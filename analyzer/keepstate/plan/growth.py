"""Limits for the size of a plan.

A view that reads another one twice doubles it, and thirty such views in a file of two kilobytes are a plan of a billion
operators. Columns that add themselves to themselves grow alike. No engine could run such a plan, so no analysis begins
with it.

A small plan may be deep: a chain of joins or of ``||``, each in the next one. Many walks over a plan are recursive. So
the depth of a plan is limited to what these walks can handle on Python's stack from any caller: the same job gets the
same answer from a shallow stack and from a deep one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.operators import Operator, expressions_of
from keepstate.plan.scalars.name_scope import Relation

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
    """Return the relation if its size is within the limits.

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
    """Check the size of operators that are about to be combined.

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
    """Return the number of operators. An operator in several positions counts once for each."""
    return 1 + sum(map(_size, operator.inputs))


@asked_once
def _height(operator: Operator) -> int:
    """Return the number of levels from the operator to the deepest leaf of an expression."""
    below = max(map(_height, operator.inputs), default=0)
    return max(1 + below, *map(_levels, expressions_of(operator)), 0)


@asked_once
def _levels(expr: Expr) -> int:
    return 1 + max(map(_levels, expr.children()), default=0)


def _has_more(nodes: Iterator[object], most: int) -> bool:
    return next(islice(nodes, most, None), None) is not None
