"""Aggregates that Flink refuses in windows. Measured on Flink 1.20 and 2.3, with all its aggregates in each window.

A window table function that overlaps or grows puts its results together from slices; HOP takes slices off again, for
DISTINCT. Windows in GROUP BY compute each window by itself.
"""

from __future__ import annotations

from keepstate.plan.expressions import AggregateCall, FunctionOrigin
from keepstate.plan.operators import Aggregate, GroupWindowAggregate, OverAggregate, WindowAggregate, WindowKind

_FIRST_AND_LAST = frozenset({"FIRST_VALUE", "LAST_VALUE"})
_JSON = frozenset({"JSON_ARRAYAGG", "JSON_OBJECTAGG"})
_ONLY_ADD = frozenset({"SUM", "LISTAGG"})
"""Aggregates of which no value can be taken off."""
_ONLY_ADD_IN_1 = frozenset({"STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP"})
"""The same before Flink 2."""
_EXTREMES = frozenset({"MIN", "MAX"})
"""Aggregates that are the same with DISTINCT."""
_COLLECTING = frozenset({"COLLECT", "ARRAY_AGG"})
"""Aggregates that the planner of batch mode splits from no DISTINCT values."""


def refused_aggregate(
    operator: WindowAggregate | GroupWindowAggregate, flink: tuple[int, int]
) -> tuple[AggregateCall, str] | None:
    """The first aggregate that a window cannot have on a stream, and the reason; ``None``: it has none of them."""
    for call in operator.aggregates:
        if call.origin is FunctionOrigin.BUILT_IN and (reason := _reason(call, operator, flink)):
            return call, reason
    return None


def _reason(
    call: AggregateCall, operator: WindowAggregate | GroupWindowAggregate, flink: tuple[int, int]
) -> str | None:
    kind, is_function = operator.window.kind, isinstance(operator, WindowAggregate)
    overlaps_or_grows = kind is not WindowKind.TUMBLE
    if call.function in _FIRST_AND_LAST and overlaps_or_grows:
        return f"{call.function} is not supported in windows of {kind.value}."
    if call.function in _JSON and not is_function:
        return f"{call.function} is not supported in windows of GROUP BY: write the window as TABLE({kind.value}(...))."
    if call.function == "JSON_ARRAYAGG" and overlaps_or_grows:
        return f"{call.function} is not supported in windows of {kind.value}."
    only_adds = call.function in _ONLY_ADD or (flink < (2, 0) and call.function in _ONLY_ADD_IN_1)
    if call.distinct and only_adds and is_function and kind is WindowKind.HOP:
        return f"{call.function}(DISTINCT ...) is not supported in windows of HOP."
    return None


def refused_aggregate_in_batch(
    operator: WindowAggregate | GroupWindowAggregate,
) -> tuple[AggregateCall | None, str] | None:
    """The same in batch mode; without an aggregate where the window itself is refused."""
    kind = operator.window.kind
    if kind is WindowKind.SESSION:
        return None, "Batch mode has no windows of SESSION."
    if isinstance(operator, WindowAggregate):
        return None
    for call in operator.aggregates:
        if call.origin is not FunctionOrigin.BUILT_IN:
            continue
        is_merged = call.function in _FIRST_AND_LAST and (kind is WindowKind.TUMBLE or call.filter is not None)
        if call.distinct and call.function not in _EXTREMES:
            refused = "DISTINCT"
        elif is_merged or call.function in _JSON or call.function == "APPROX_COUNT_DISTINCT":
            refused = call.function
        else:
            continue
        return (
            call,
            f"Batch mode has no {refused} in windows of GROUP BY: write the window as TABLE({kind.value}(...)).",
        )
    return None


def refused_distinct_in_batch(operator: Aggregate | OverAggregate) -> tuple[AggregateCall, str] | None:
    """The first aggregate that batch mode does not plan because of DISTINCT, and the reason; ``None``: there is none.

    Over OVER windows it is one with DISTINCT. In groups, grouping sets and windows it is COLLECT or ARRAY_AGG beside
    DISTINCT of another aggregate. Measured on Flink 2.3.
    """
    calls = [call for call in operator.aggregates if call.origin is FunctionOrigin.BUILT_IN]
    distinct = next((call for call in calls if call.distinct and call.function not in _EXTREMES), None)
    if isinstance(operator, OverAggregate):
        return None if distinct is None else (distinct, "Batch mode has no DISTINCT over OVER windows.")
    refused = next((call for call in calls if call.function in _COLLECTING and not call.distinct), None)
    if distinct is None or refused is None:
        return None
    return refused, f"Batch mode plans no {refused.function} beside {distinct.function}(DISTINCT ...)."
