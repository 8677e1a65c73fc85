"""Calls and window properties of an aggregation that the operators above it read."""

from __future__ import annotations

from keepstate.plan.expressions import AggregateCall, Expr, WindowField
from keepstate.plan.operators import Aggregate, GroupWindowAggregate

Reads = tuple[Expr, ...]


def window_properties(operator: GroupWindowAggregate, exprs: Reads) -> tuple[WindowField, ...]:
    """The properties of a group window that ``exprs`` read."""
    nodes = {node for expr in exprs for node in expr.walk()}
    return tuple(
        sorted((each for each in nodes if isinstance(each, WindowField) and each.depth == operator.depth), key=repr)
    )


def translated_calls(operator: Aggregate, calls: tuple[AggregateCall, ...], reads: Reads) -> tuple[AggregateCall, ...]:
    """Return the remaining aggregates as first translated, where ``calls`` are the remaining ones by their meaning."""
    if len(operator.translated) == len(operator.aggregates):
        return calls
    nodes = (node for expr in reads for node in expr.walk())
    read_calls = {(node, node.operands) for node in nodes if isinstance(node, AggregateCall)}
    numbers = {number for number, call in enumerate(operator.translated) if (call, call.operands) in read_calls}
    identified = {operator.translated[number] for number in numbers}
    # What reads a call may not tell which one it is: then it is the first.
    first = {call: number for number, call in reversed(list(enumerate(operator.translated)))}
    numbers |= {number for call, number in first.items() if call in calls and call not in identified}
    return tuple(operator.translated[number] for number in sorted(numbers))
