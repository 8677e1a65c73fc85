"""MIN and MAX of numbers among which NaN may be, and SUM of decimals that overflow: they depend on the order of rows.

Flink keeps the value that it has unless the next one is less, or larger. NaN is neither, and nothing is less or larger
than NaN. So if NaN comes first it stays, and otherwise it is left out. A sum of more than 38 digits is NULL, and the
next value begins a new one. Where Flink takes rows back, it compares numbers as Java sorts them: NaN is the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import DecimalType

from keepstate.plan.expressions import AggregateCall
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.edges.not_a_number import has_nan, nan_of, number_of
from keepstate_spark.lowering.spark_columns import DOUBLE, choice, failing, function_call, nothing, text, whole

SAFE_DIGITS = 28
"""Of decimals with no more digits, ten thousand million have a sum of 38."""
_EXACT_SCALE = 6
"""The digits behind the point up to which Spark adds two decimals of 38 digits without a loss."""
_NAN_WORDS = (
    "{} has NaN among numbers. Flink's answer depends on the order in which rows come, which is not known for these."
)
_SUM_WORDS = (
    "The values of {} may add up to more than 38 digits. Flink's answer depends on the order of rows then, which is "
    "not known for these."
)


Windowed = Callable[[Column], Column]
"""From an aggregate to one over a group, or over a frame."""


class RowIntake(Enum):
    """The way in which an aggregation takes its rows."""

    IN_ORDER = auto()
    """One after the other, in the order in which they came."""
    IN_PARTS = auto()
    """In parts, whose order is not known."""
    WITH_RETRACTION = auto()
    """One after the other, and rows are taken back."""


def depends_on_order(call: AggregateCall) -> bool:
    """Return whether the value of a MIN, a MAX, a SUM or an AVG may depend on the order of its rows."""
    type_ = type_of(call.args[0]) if call.args else None
    if type_ is None:
        return False
    if call.function in ("MIN", "MAX"):
        return has_nan(type_, call.args[0])
    return call.function in ("SUM", "SUM0", "AVG") and may_overflow(type_)


def may_overflow(type_: LogicalType) -> bool:
    """Return whether a sum of some values may have more than 38 digits."""
    return type_.root == "DECIMAL" and (type_.precision or 0) > SAFE_DIGITS


def extreme(function: str, value: Column, nan: Column, first: Callable[[Column], Column], windowed: Windowed) -> Column:
    """``min`` or ``max`` of the numbers that come one after the other. ``first`` gives the first value of a column that
    is not NULL, ``nan`` is NaN in the type of ``value``.
    """
    return choice(first(nan_of(value)), nan, windowed(function_call(function, number_of(value))))


def extreme_parts(function: str, value: Column) -> tuple[Column, Column]:
    """The extreme of all numbers, and whether NaN is beside them."""
    return function_call(function, number_of(value)), function_call("max", nan_of(value))


def extreme_of_parts(function: str, number: Column, is_beside: Column, nan: Column) -> Column:
    """The extreme of the extremes of parts, and NaN if there is nothing else; NaN beside numbers stops the query."""
    mixed = is_beside & number.isNotNull()
    words = failing(text(_NAN_WORDS.format(function.upper())))
    return choice(mixed, words, choice(is_beside, nan, number))


def sum_in_order(values: Column, type_: LogicalType, begins_anew: bool) -> Column:
    """The sum of an array of DECIMALs: NULL behind the first one that overflows, or up to the next value if it
    ``begins_anew``.
    """
    decimal_type = DecimalType(38, type_.scale or 0)
    if not begins_anew:
        zero = text("0").cast(decimal_type)
        total = fn.aggregate(values, zero, lambda total, value: (total + value).cast(decimal_type))
        return choice(function_call("size", values) > 0, total)

    def added(total: Column, value: Column) -> Column:
        return choice(total.isNull(), value.cast(decimal_type), (total + value).cast(decimal_type))

    return fn.aggregate(values, nothing(decimal_type), added)


def sum_or_stop(function: str, total: Column, size: Column, type_: LogicalType) -> Column:
    """``total``, or the end of the query if ``size``, the sum of absolute values, shows that a part may overflow."""
    least = text(f"9.99e{37 - (type_.scale or 0)}").cast(DOUBLE)
    return choice(size >= least, failing(text(_SUM_WORDS.format(function))), total)


def has_both_signs(value: Column, windowed: Windowed) -> Column:
    """Return whether some numbers are less than zero, and some are larger."""
    least, largest = (windowed(function_call(name, value)) for name in ("min", "max"))
    return (least < whole(0)) & (largest > whole(0))


def is_exact(type_: LogicalType) -> bool:
    """Return whether Spark adds two DECIMALs of this scale without a loss of digits."""
    return (type_.scale or 0) <= _EXACT_SCALE
