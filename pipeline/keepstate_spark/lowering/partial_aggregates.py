"""Aggregates in two steps: parts over some of the rows, and their merger over the parts.

Only what is the same to the last bit whichever way the rows are parted: whole numbers wrap around in any order, and
decimals have digits to spare. Sums of FLOAT and DOUBLE depend on the order, DISTINCT values are not told by parts.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.common_types import INTEGERS
from keepstate.plan.expressions import AggregateCall, Origin
from keepstate.plan.inference import type_of
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering.aggregates import Aggregates
from keepstate_spark.lowering.scalars import known_type
from keepstate_spark.lowering.spark_types import spark_type

_SAFE_DIGITS = 28
"""Of decimals with no more digits, ten thousand million have a sum of 38; beyond that Spark gives NULL for a part."""
_FUNCTIONS = frozenset("COUNT SUM SUM0 AVG MIN MAX".split())


@dataclass(frozen=True)
class TwoSteps:
    """``parts`` are aggregates of rows; ``merged`` is the aggregate of all rows, over columns ``{0}``, ``{1}`` with the
    parts.
    """

    parts: tuple[str, ...]
    merged: str


def mergeable(call: AggregateCall) -> bool:
    """Whether ``call`` can be put together from parts."""
    if call.origin is not Origin.BUILT_IN or call.distinct or call.order or call.function not in _FUNCTIONS:
        return False
    return call.function in ("COUNT", "MIN", "MAX") or _summed_as(type_of(call.args[0])) is not None


def two_steps(call: AggregateCall, aggregates: Aggregates) -> TwoSteps:
    """``call``, which is ``mergeable``, over the rows that ``aggregates`` sees."""
    if call.function == "COUNT":
        return TwoSteps((aggregates.text(call),), "coalesce(sum({0}), 0L)")
    if call.function in ("MIN", "MAX"):
        return TwoSteps((aggregates.text(call),), f"{call.function.lower()}({{0}})")
    value, type_ = aggregates.argument(call, 0), spark_type(known_type(call))
    wide = _summed_as(value.type)
    total = f"sum(cast({value.sql} as {wide}))"
    match call.function:
        case "SUM":
            return TwoSteps((total,), f"cast(sum({{0}}) as {type_})")
        case "SUM0":
            return TwoSteps((total,), f"coalesce(cast(sum({{0}}) as {type_}), 0)")
    count = "sum({1})" if wide == "bigint" else "cast(sum({1}) as decimal(20,0))"
    divided = "div" if wide == "bigint" else "/"
    return TwoSteps((total, f"count({value.sql})"), f"cast(sum({{0}}) {divided} {count} as {type_})")


def _summed_as(type_: LogicalType | None) -> str | None:
    """The Spark type in which values of ``type_`` are summed up, if their order does not matter."""
    if type_ is None:
        return None
    if type_.root in INTEGERS:
        return "bigint"
    if type_.root == "DECIMAL" and (type_.precision or 0) <= _SAFE_DIGITS:
        return f"decimal(38,{type_.scale or 0})"
    return None
