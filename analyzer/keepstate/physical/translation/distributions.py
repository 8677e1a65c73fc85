"""Operators that have a single task, since they read all rows together."""

from __future__ import annotations

from keepstate.plan.expressions import WindowField
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import Sides
from keepstate.plan.operators import (
    Aggregate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    TemporalSort,
    WindowAggregate,
    WindowTableFunction,
)


def is_single(operator: Operator) -> bool:
    """Return whether an operator has no key by which its rows could be divided among tasks."""
    match operator:
        case Limit() | TemporalSort():
            return True
        case GroupWindowAggregate() | WindowAggregate():
            return not operator.plain_keys
        case Aggregate():
            return not operator.keys
        case Rank() | OverAggregate() | Match():
            return all(isinstance(key, WindowField) for key in operator.partition)
        case WindowTableFunction():
            return not operator.window.partition
        case Join():
            return not equated(operator, Sides.of(operator))[0]
    return False
