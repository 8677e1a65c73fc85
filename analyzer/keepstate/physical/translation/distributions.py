"""Operators that have a single task, since they read all rows together."""

from __future__ import annotations

from keepstate.plan.expressions import WindowField
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
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
    WindowAggregate,
    WindowTableFunction,
    any_operator,
    unhandled,
)


def is_single(operator: Operator) -> bool:
    """Return whether an operator has no key by which its rows could be divided among tasks."""
    operator = any_operator(operator)
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
            return not equated(operator, JoinSides.of(operator))[0]
        case TableSourceScan() | Values() | Calc() | Correlate() | Union() | SetOperation() | Unsupported():
            return False
        case other:
            unhandled(other)
