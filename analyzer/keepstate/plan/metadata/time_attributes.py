"""Materialization of time attributes: some operators turn them into plain timestamps (seen in the plans of 1.20 and
2.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.expressions import Call, Column, Expr, is_proctime
from keepstate.plan.operators import Aggregate, Join, Operator, SetOperation
from keepstate.plan.provenance import Place


def is_materialized(time: Expr, operator: Operator) -> bool:
    """Return whether ``time``, a time attribute where it was declared, is a plain timestamp behind ``operator``.

    A regular join passes no time attribute on, nor do INTERSECT and EXCEPT, nor an aggregation with the time as a key.

    >>> time = expr("rowtime")
    >>> is_materialized(time, root("SELECT * FROM orders WHERE id > 1"))
    False
    >>> is_materialized(time, root("SELECT rowtime, city FROM orders JOIN buyers ON name = buyer"))
    True
    """
    for below in _giving(operator):
        if isinstance(below, Aggregate) and isinstance(time, (Column, Call)) and time in below.keys:
            return True
        if isinstance(below, SetOperation):
            return True
        if type(below) is Join and (not is_proctime(time) or _came_through(time, below)):
            return True
    return False


def _giving(operator: Operator) -> Iterator[Operator]:
    """``operator`` and those whose columns reach it: below an aggregation there are none."""
    yield operator
    for child in operator.inputs if not isinstance(operator, Aggregate) else ():
        yield from _giving(child)


def _came_through(proctime: Expr, join: Join) -> bool:
    """Return whether a processing time was there before the join. PROCTIME() in the query around the join is a new
    one.
    """
    fields = (node for column in (*join.left_fields, *join.right_fields) for node in column.walk())
    before = [_definition(node) for node in fields if is_proctime(node)]
    defined = _definition(proctime)
    return defined is not None and any(place is not None and defined.contains(place) for place in before)


def _definition(expr: Expr) -> Place | None:
    return expr.via[-1] if expr.via else expr.place
