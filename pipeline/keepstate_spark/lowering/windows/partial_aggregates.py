"""Aggregates in two steps: parts over some of the rows, and their merger over the parts.

Only aggregates with the same result to the last bit for any partition of the rows qualify: whole numbers wrap around in
any order, and decimals have digits to spare. Sums of FLOAT and DOUBLE depend on the order, and parts lose the identity
of DISTINCT values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column
from pyspark.sql.types import DataType, DecimalType

from keepstate.plan.expressions import AggregateCall, Expr, FunctionOrigin
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import BOOLEAN, LogicalType
from keepstate_spark.lowering.aggregate_columns import Aggregates
from keepstate_spark.lowering.edges.extremes import extreme_of_parts, extreme_parts, may_overflow
from keepstate_spark.lowering.edges.not_a_number import has_nan
from keepstate_spark.lowering.frames import hint
from keepstate_spark.lowering.scalars import as_type, held_as, known_type
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    choice,
    frame_column,
    function_call,
    large,
    text,
    true,
    whole,
)

_MOST_SIDES = 2
"""Conditions by which rows are divided: each may double the number of parts."""
_FUNCTIONS = frozenset("COUNT SUM SUM0 AVG MIN MAX".split())


@dataclass(frozen=True)
class TwoSteps:
    """``parts`` are aggregates of rows; ``merged`` makes the aggregate of all rows of the columns with the parts."""

    parts: tuple[Column, ...]
    merged: Callable[..., Column]


@dataclass(frozen=True)
class PartialAggregates:
    """Aggregates of one query in two steps: ``parts`` over rows that are also grouped by ``sides``, columns of rows by
    the names that they get; ``merged`` over the parts.
    """

    sides: tuple[Column, ...]
    side_names: tuple[str, ...]
    parts: tuple[Column, ...]
    merged: tuple[Column, ...]


def sides_of(calls: Sequence[AggregateCall]) -> tuple[Expr, ...]:
    """The FILTERs that divide rows so that equal aggregates with different ones share their parts; none if no two of
    ``calls`` are equal but for them.
    """
    conditions = tuple(dict.fromkeys(call.filter for call in calls if call.filter is not None))
    shares = len({replace(call, filter=None) for call in calls}) < len(set(calls))
    return conditions if shares and len(conditions) <= _MOST_SIDES else ()


def partial_aggregates(
    calls: Sequence[AggregateCall], aggregates: Aggregates, name: Callable[[str], str]
) -> PartialAggregates:
    """``calls``, all of them ``mergeable``; ``name`` gives unused names."""
    side_names = {condition: name("side") for condition in sides_of(calls)}
    parts: dict[AggregateCall, list[str]] = {}
    columns: list[Column] = []
    merged: list[Column] = []
    for call in calls:
        side = side_names.get(call.filter) if call.filter is not None else None
        bare = call if side is None else replace(call, filter=None)
        steps = two_steps(bare, aggregates)
        if bare not in parts:
            parts[bare] = [name(f"part_of_{hint(call)}") for _ in steps.parts]
            columns += [part.alias(of) for part, of in zip(steps.parts, parts[bare], strict=True)]
        values = [frame_column(of) for of in parts[bare]]
        merged.append(steps.merged(*(value if side is None else choice(frame_column(side), value) for value in values)))
    sides = [
        function_call("coalesce", aggregates.scalars.column(condition, BOOLEAN), ~true()).alias(of)
        for condition, of in side_names.items()
    ]
    return PartialAggregates(tuple(sides), tuple(side_names.values()), tuple(columns), tuple(merged))


def mergeable(call: AggregateCall) -> bool:
    """Return whether ``call`` can be merged from parts."""
    if call.origin is not FunctionOrigin.BUILT_IN or call.distinct or call.order or call.function not in _FUNCTIONS:
        return False
    return call.function in ("COUNT", "MIN", "MAX") or _summed_as(type_of(call.args[0])) is not None


def two_steps(call: AggregateCall, aggregates: Aggregates) -> TwoSteps:
    """``call``, which is ``mergeable``, over the rows that ``aggregates`` sees."""
    if call.function == "COUNT":
        return TwoSteps(
            (aggregates.column(call),), lambda part: function_call("coalesce", function_call("sum", part), large(0))
        )
    if call.function in ("MIN", "MAX"):
        extreme = call.function.lower()
        of_numbers = aggregates.argument(call, 0)
        if has_nan(of_numbers.type, call.args[0]):
            nan = text("NaN").cast(held_as(of_numbers.type, call))

            def merged(number: Column, is_beside: Column) -> Column:
                return extreme_of_parts(extreme, function_call(extreme, number), function_call("max", is_beside), nan)

            return TwoSteps(extreme_parts(extreme, of_numbers.column), merged)
        return TwoSteps((aggregates.column(call),), lambda part: function_call(extreme, part))
    value, type_ = aggregates.argument(call, 0), known_type(call)
    wide = _summed_as(value.type)
    assert wide is not None
    total = function_call("sum", value.column.cast(wide))
    if call.function == "SUM":
        return TwoSteps((total,), lambda part: as_type(function_call("sum", part), type_))
    if call.function == "SUM0":
        return TwoSteps(
            (total,), lambda part: function_call("coalesce", as_type(function_call("sum", part), type_), whole(0))
        )

    def average(part: Column, count: Column) -> Column:
        total, count = function_call("sum", part), function_call("sum", count)
        return as_type(
            function_call("div", total, count) if wide == BIGINT else total / count.cast(DecimalType(20, 0)), type_
        )

    return TwoSteps((total, function_call("count", value.column)), average)


def _summed_as(type_: LogicalType | None) -> DataType | None:
    """The Spark type in which values of ``type_`` are summed up, if their order does not matter."""
    if type_ is None:
        return None
    if type_.root in INTEGERS:
        return BIGINT
    if type_.root == "DECIMAL" and not may_overflow(type_):
        return DecimalType(38, type_.scale or 0)
    return None
