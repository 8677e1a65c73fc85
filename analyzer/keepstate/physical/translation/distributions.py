"""The tasks of operators: a single one, or rows divided by a key."""

from __future__ import annotations

from keepstate.physical.execution_nodes import EXCHANGE, ExecNode
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
    LookupJoin,
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

_SHUFFLES_LOOKUPS = (2, 0)
"""First version in which LOOKUP has ``shuffle``; earlier ones leave it alone."""


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


def shuffled(join: LookupJoin, below: ExecNode, flink: tuple[int, int]) -> ExecNode:
    """The input of a lookup join, divided by the columns that it looks up if its LOOKUP hint asks for that."""
    asks = any(option.key == "shuffle" and option.value.lower() == "true" for option in join.options)
    if not asks or flink < _SHUFFLES_LOOKUPS or is_single(join):
        return below
    return ExecNode.of(EXCHANGE, below)
