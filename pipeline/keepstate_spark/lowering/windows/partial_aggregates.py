"""Aggregates in two steps: parts over some of the rows, and their merger over the parts.

Only aggregates with the same result to the last bit for any partition of the rows qualify: whole numbers wrap around in
any order, and decimals have digits to spare. Sums of FLOAT and DOUBLE depend on the order, and parts lose the identity
of DISTINCT values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql.types import DataType, DecimalType

from keepstate.plan.expressions import AggregateCall, FunctionOrigin
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.aggregates import Aggregates
from keepstate_spark.lowering.columns import BIGINT, called, large, whole
from keepstate_spark.lowering.scalars import as_type, known_type

_SAFE_DIGITS = 28
"""Of decimals with no more digits, ten thousand million have a sum of 38; beyond that Spark gives NULL for a part."""
_FUNCTIONS = frozenset("COUNT SUM SUM0 AVG MIN MAX".split())


@dataclass(frozen=True)
class TwoSteps:
    """``parts`` are aggregates of rows; ``merged`` makes the aggregate of all rows of the columns with the parts."""

    parts: tuple[Column, ...]
    merged: Callable[..., Column]


def mergeable(call: AggregateCall) -> bool:
    """Return whether ``call`` can be merged from parts."""
    if call.origin is not FunctionOrigin.BUILT_IN or call.distinct or call.order or call.function not in _FUNCTIONS:
        return False
    return call.function in ("COUNT", "MIN", "MAX") or _summed_as(type_of(call.args[0])) is not None


def two_steps(call: AggregateCall, aggregates: Aggregates) -> TwoSteps:
    """``call``, which is ``mergeable``, over the rows that ``aggregates`` sees."""
    if call.function == "COUNT":
        return TwoSteps((aggregates.column(call),), lambda part: called("coalesce", called("sum", part), large(0)))
    if call.function in ("MIN", "MAX"):
        extreme = call.function.lower()
        return TwoSteps((aggregates.column(call),), lambda part: called(extreme, part))
    value, type_ = aggregates.argument(call, 0), known_type(call)
    wide = _summed_as(value.type)
    assert wide is not None
    total = called("sum", value.column.cast(wide))
    if call.function == "SUM":
        return TwoSteps((total,), lambda part: as_type(called("sum", part), type_))
    if call.function == "SUM0":
        return TwoSteps((total,), lambda part: called("coalesce", as_type(called("sum", part), type_), whole(0)))

    def average(part: Column, count: Column) -> Column:
        total, count = called("sum", part), called("sum", count)
        return as_type(called("div", total, count) if wide == BIGINT else total / count.cast(DecimalType(20, 0)), type_)

    return TwoSteps((total, called("count", value.column)), average)


def _summed_as(type_: LogicalType | None) -> DataType | None:
    """The Spark type in which values of ``type_`` are summed up, if their order does not matter."""
    if type_ is None:
        return None
    if type_.root in INTEGERS:
        return BIGINT
    if type_.root == "DECIMAL" and (type_.precision or 0) <= _SAFE_DIGITS:
        return DecimalType(38, type_.scale or 0)
    return None
