"""PERCENTILE, whose values between two others have the last digits of Flink, and not those of Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    DOUBLE,
    INT,
    all_true,
    choice,
    function_call,
    let,
    nothing,
    whole,
)

Ranked = Callable[[Column], Column]
"""Gives the value at a rank, from 0 on."""


def percentile(
    number: Column, shares: Sequence[Column], frequency: Column | None, collected: Callable[[Column], Column]
) -> list[Column]:
    """Return the value of each of ``shares``, from 0 to 1; NULL where there is no number.

    Args:
        number: The numbers, DOUBLE.
        shares: The percentages, DOUBLE.
        frequency: How often each number counts, BIGINT, from 1 on; ``None``: once.
        collected: Makes an array of all values of a column but NULL.
    """
    if frequency is None:
        return [let(function_call("sort_array", collected(number)), _of_numbers(share)) for share in shares]
    counted = function_call("struct", number.alias("number"), frequency.alias("count"))
    counts = all_true(number.isNotNull(), frequency > whole(0))
    pairs = collected(choice(counts, counted))
    return [let(function_call("sort_array", pairs), _of_pairs(share)) for share in shares]


def _of_numbers(share: Column) -> Callable[[Column], Column]:
    return lambda numbers: _between(
        share, function_call("size", numbers), lambda rank: function_call("get", numbers, rank.cast(INT))
    )


def _of_pairs(share: Column) -> Callable[[Column], Column]:
    def result(pairs: Column) -> Column:
        count = fn.aggregate(pairs, whole(0).cast(BIGINT), lambda total, pair: total + pair["count"])
        return let(count, lambda total: _between(share, total, lambda rank: _number_at(pairs, rank)))

    return result


def _number_at(pairs: Column, rank: Column) -> Column:
    """The number at a rank among pairs of a number and its frequency."""
    start = function_call("struct", whole(0).cast(BIGINT).alias("seen"), nothing(DOUBLE).alias("number"))

    def further(state: Column, pair: Column) -> Column:
        ahead = function_call("struct", (state["seen"] + pair["count"]).alias("seen"), pair["number"].alias("number"))
        return choice(state["seen"] > rank, state, ahead)

    return fn.aggregate(pairs, start, further)["number"]


def _between(share: Column, count: Column, at: Ranked) -> Column:
    """The value at ``share`` of the way through ``count`` numbers, between the two that are next to it. Places count
    from 1, which makes the last digits those of Flink.
    """

    def value(place: Column) -> Column:
        lower, upper = function_call("floor", place), function_call("ceil", place)
        ends = function_call("array", at(lower - whole(1)), at(upper - whole(1)))
        between = let(ends, lambda ends: _mixed(ends[0], ends[1], upper - place, place - lower))
        return choice(count > whole(0), between)

    return let((count - whole(1)) * share + whole(1), value)


def _mixed(low: Column, high: Column, of_low: Column, of_high: Column) -> Column:
    return choice(low == high, low, of_low * low + of_high * high)
