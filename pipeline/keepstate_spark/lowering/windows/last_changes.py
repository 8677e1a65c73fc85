"""Groups on streams by their last changes: the order in which the rows of an aggregation reach what reads it."""

from __future__ import annotations

from keepstate.plan.expressions import AggregateCall, Literal
from keepstate.plan.operators import Aggregate, Calc, GroupWindowAggregate, WindowAggregate
from keepstate_spark.lowering.aggregate_columns import BY_ORDER, KEEPS_ORDER


def last_change(operator: Aggregate) -> str | None:
    """The function of the places of its rows that gives the last change of a group; ``None`` if it is not known. Where
    rows are counted, each one changes its group. Without aggregates the first one makes it.
    """
    if operator.elements or isinstance(operator, (GroupWindowAggregate, WindowAggregate)):
        return None
    if not operator.aggregates:
        return "min"
    return "max" if any(map(counts_all, operator.aggregates)) else None


def counts_all(call: AggregateCall) -> bool:
    """Return whether ``call`` counts all rows of a group."""
    has_all = not call.args or isinstance(call.args[0], Literal)
    return call.function == "COUNT" and has_all and not call.distinct and call.filter is None


def goes_by_changes(operator: Aggregate) -> bool:
    """Return whether aggregates on streams go by the last changes of groups: each of these has values of its own, so
    that Flink, which removes the first one of equal values, removes that of the group whenever it changes.
    """
    below, exprs = operator.input, [*operator.keys, *operator.aggregates]
    while isinstance(below, Calc):
        exprs += below.conditions
        below = below.input
    if not isinstance(below, Aggregate) or isinstance(below, (GroupWindowAggregate, WindowAggregate)):
        return False
    # The planner leaves out what nothing reads, and then a group changes with the rest alone.
    nodes = {node for expr in exprs for node in expr.walk()}
    if below.aggregates and not any(counts_all(call) for call in below.aggregates if call in nodes):
        return False
    calls = [call for call in operator.aggregates if call.function in BY_ORDER]
    are_own = all({*operator.keys, *call.args}.issuperset(below.plain_keys) for call in calls)
    is_known = all(call.function in KEEPS_ORDER and not call.distinct for call in calls)
    return bool(calls) and are_own and is_known
