"""How large a plan may grow.

A view that reads another one twice doubles it, and thirty such views in a file of two kilobytes are a plan of a billion
operators; the same goes for columns that add themselves to themselves. No engine could run that, and no analysis may
begin with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from keepstate.plan.operators import Operator
from keepstate.plan.scope import Relation
from keepstate.plan.values import asked_once

MOST_OPERATORS = 2_000
MOST_TERMS = 100_000
"""Nodes of the expression of one column, or of one condition."""


class GrowsTooLarge(Exception):
    """A query is more than is looked at, once all that it reads is put in its place."""


def bounded(relation: Relation) -> Relation:
    """The relation, if it is of a size that somebody may have written.

    Raises:
        GrowsTooLarge: it is not.
    """
    bounded_together((relation.input,))
    for expr in (*(column.expr for column in relation.fields), *relation.filters):
        if _has_more(expr.walk(), MOST_TERMS):
            raise GrowsTooLarge
    return relation


def bounded_together(operators: Iterable[Operator]) -> None:
    """See that what is about to be put together is of such a size.

    Raises:
        GrowsTooLarge: it is not.
    """
    if sum(map(_size, operators)) > MOST_OPERATORS:
        raise GrowsTooLarge


@asked_once
def _size(operator: Operator) -> int:
    """How many operators there are, those that stand in several places counted for each."""
    return 1 + sum(map(_size, operator.inputs))


def _has_more(nodes: Iterator[object], most: int) -> bool:
    return next(islice(nodes, most, None), None) is not None
