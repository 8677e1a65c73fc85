"""Variances and deviations as Flink adds them up: one value after another, in DOUBLE."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.scalars import as_type
from keepstate_spark.lowering.spark_columns import BIGINT, DOUBLE, choice, function_call, large, text, whole

MOMENTS = {
    "STDDEV": "stddev_samp",
    "STDDEV_SAMP": "stddev_samp",
    "STDDEV_POP": "stddev_pop",
    "VARIANCE": "var_samp",
    "VAR_SAMP": "var_samp",
    "VAR_POP": "var_pop",
}
"""Flink's names, and Spark's functions."""


def deviation(values: Column, function: str) -> Column:
    """Return the variance or deviation of an array of DOUBLE, NULL where it has too few.

    Flink cuts the result to the type of the values, so its last bit counts: the steps are Flink's (Welford's), and the
    array has to be in the order in which rows came. A variance that overflowed to less than zero is NULL.
    """
    zero = text("0").cast(DOUBLE)
    start = function_call("struct", large(0).alias("count"), zero.alias("mean"), zero.alias("squares"))
    size = _count if function.endswith("_POP") else _count_less_one

    def finished(state: Column) -> Column:
        divisor = size(state)
        variance = choice(divisor > 0, state.getField("squares") / divisor)
        known_variance = choice(variance >= 0, variance)
        return function_call("sqrt", known_variance) if is_root(function) else known_variance

    return fn.aggregate(values, start, _with_one_more, finished)


def _with_one_more(state: Column, value: Column) -> Column:
    count, mean = state.getField("count") + 1, state.getField("mean")
    distance = value - mean
    new_mean = mean + distance / count
    squares = state.getField("squares") + distance * (value - new_mean)
    return function_call("struct", count.cast(BIGINT).alias("count"), new_mean.alias("mean"), squares.alias("squares"))


def _count(state: Column) -> Column:
    return state.getField("count")


def _count_less_one(state: Column) -> Column:
    return state.getField("count") - whole(1)


def spread(squares: Column, total: Column, count: Column, function: str, type_: LogicalType) -> Column:
    """Return the variance or deviation over an OVER window, of the sums of squares and of values, and their number: as
    Flink's planner writes it, so that each step has the ``type_`` of the values.
    """

    def quotient(number: Column, divisor: Column) -> Column:
        return as_type(function_call("div", number, divisor) if type_.root in INTEGERS else number / divisor, type_)

    mean = quotient(as_type(total * total, type_), as_type(count, type_))
    size = as_type(count, type_) if function.endswith("_POP") else choice(count > 1, count - large(1))
    variance = quotient(as_type(squares - mean, type_), size)
    return function_call("power", variance.cast(DOUBLE), text("0.5").cast(DOUBLE)) if is_root(function) else variance


def is_root(function: str) -> bool:
    """Return whether ``function`` is a deviation, the root of a variance.

    >>> is_root("STDDEV_POP"), is_root("VAR_POP")
    (True, False)
    """
    return function.startswith("STDDEV")


def multiset(values: Column) -> Column:
    """Return the map from each value of an array to the number of its occurrences."""
    different = fn.array_distinct(values)

    def occurrences(value: Column) -> Column:
        return function_call("size", fn.filter(values, lambda other: other == value))

    return function_call("map_from_arrays", different, fn.transform(different, occurrences))
