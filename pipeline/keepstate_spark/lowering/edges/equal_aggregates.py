"""Aggregates that are written like those of a query below: COUNT(*) of groups that COUNT(*) makes.

A plan holds each column as an expression over the source, where both are equal. A column of a frame is found by its
expression, so ``n + 1`` as a key, over the COUNT(*) ``n`` of the query below, would be COUNT(*) + 1 of both queries.
"""

from __future__ import annotations

from dataclasses import fields

from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate
from keepstate.value_class import value_class


@value_class(frozen=True)
class AggregateOfLevel(AggregateCall):
    """An aggregate that is equal only to itself at the same number of aggregations."""

    number: int = 0


def with_levels_apart(plan: Plan) -> Plan:
    """Return ``plan`` with unequal aggregates for its levels, if one of its keys computes on an aggregate that its own
    query has as well.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> below = "(SELECT buyer, COUNT(*) AS n FROM orders GROUP BY buyer)"
    >>> for key in ("n + 1", "n"):
    ...     query = f"SELECT {key}, COUNT(*) FROM {below} GROUP BY {key}"
    ...     plan = job_of(JobVersion(query)).pipelines[0].plan
    ...     with_levels_apart(plan) is plan
    False
    True
    """
    return plan.rewritten(_of_its_level) if any(map(_reads_like_below, plan.operators)) else plan


def _reads_like_below(operator: object) -> bool:
    if not isinstance(operator, Aggregate):
        return False
    own = {call: call.level for call in operator.aggregates}
    return any(
        isinstance(node, AggregateCall) and node is not key and node.level < own.get(node, 0)
        for key in operator.keys
        for node in key.walk()
    )


def _of_its_level(expr: Expr) -> Expr:
    if type(expr) is not AggregateCall:
        return expr
    values = {field.name: getattr(expr, field.name) for field in fields(expr)}
    return AggregateOfLevel(**values, number=expr.level)
