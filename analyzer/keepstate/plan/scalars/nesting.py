"""Aggregates that are written like those of the group keys: COUNT(*) of groups that COUNT(*) of a query below makes.

An expression is written over source columns, so without a number both would be one column to all that is above.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.expressions import AggregateCall, Expr


def nesting_of(function: str, keys: Iterable[Expr]) -> int:
    """Return the ``nesting`` of a call of ``function`` in a query with these group ``keys``.

    >>> count = AggregateCall("COUNT")
    >>> nesting_of("COUNT", [count]), nesting_of("SUM", [count]), nesting_of("COUNT", [])
    (1, 0, 0)
    """
    calls = (node for key in keys for node in key.walk() if isinstance(node, AggregateCall))
    return max((1 + call.nesting for call in calls if call.function == function), default=0)
