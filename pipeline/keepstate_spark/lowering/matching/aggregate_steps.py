"""Steps of the aggregates over rows of a match: how a value is added, and what becomes of the values in the end."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal

from keepstate_spark.lowering.matching.evaluation import EXACT, Value


def counted(sum_: Value, _: Value) -> Value:
    return (sum_ or 0) + 1


def add(sum_: Value, value: Value) -> Value:
    """Add to a sum, and count: ``(sum, count)``."""
    if sum_ is None:
        return value, 1
    return (EXACT.add(sum_[0], value) if isinstance(value, Decimal) else sum_[0] + value), sum_[1] + 1


def least(sum_: Value, value: Value) -> Value:
    return value if sum_ is None or value < sum_ else sum_


def greatest(sum_: Value, value: Value) -> Value:
    return value if sum_ is None or value > sum_ else sum_


def earliest(sum_: Value, value: Value) -> Value:
    return value if sum_ is None else sum_


def latest(_: Value, value: Value) -> Value:
    return value


def text_joiner(separator: str) -> Callable[[Value, Value], Value]:
    """Return the step that writes a text behind those before."""
    return lambda sum_, value: value if sum_ is None else f"{sum_}{separator}{value}"


def moments(fit: Callable[[Value], Value]) -> Callable[[Value, Value], Value]:
    """Return the step that adds a value to ``(count, sum, sum of squares)``; ``fit`` makes a number one of their
    type.
    """

    def step(sum_: Value, value: Value) -> Value:
        count, total, squares = sum_ or (0, 0, 0)
        return count + 1, fit(_plus(total, value)), fit(_plus(squares, fit(_times(value, value))))

    return step


def variance(
    fit: Callable[[Value], Value], divide: Callable[[Value, Value], Value], is_sample: bool
) -> Callable[[Value], Value]:
    """Return the function that makes a variance of what ``moments`` has added up, NULL of too few values.

    In a pattern Flink subtracts the square of the sum, and divides as the type of the values does: of whole numbers
    each step is a whole number, and of equal DOUBLEs the result may lie below zero.
    """

    def result(sum_: Value) -> Value:
        if sum_ is None:
            return None
        count, total, squares = sum_
        divisor = count - 1 if is_sample else count
        rest = _plus(squares, -divide(fit(_times(total, total)), count))
        return divide(rest, divisor) if divisor else None

    return result


def root(value: Value) -> float:
    """Return the square root, which is no number below zero."""
    number = float(value)
    return math.nan if number < 0 else number**0.5


def _plus(one: Value, other: Value) -> Value:
    return EXACT.add(one, other) if isinstance(other, Decimal) else one + other


def _times(one: Value, other: Value) -> Value:
    return EXACT.multiply(one, other) if isinstance(one, Decimal) else one * other


def single(number: Value) -> float:
    """Return the FLOAT that is nearest to a number.

    >>> single(0.1), single(1e39)
    (0.10000000149011612, inf)
    """
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def add_single(sum_: Value, value: Value) -> Value:
    """Add FLOATs as FLOATs, and count."""
    return (value, 1) if sum_ is None else (single(sum_[0] + value), sum_[1] + 1)


def append_value(sum_: Value, value: Value) -> Value:
    """Put a value behind those before."""
    if sum_ is None:
        return [value]
    sum_.append(value)
    return sum_


def counts(values: Value) -> dict[Value, int]:
    """Return how often each of ``values`` is there: a MULTISET."""
    result: dict[Value, int] = {}
    for value in values or ():
        result[value] = result.get(value, 0) + 1
    return result


def percentiles(shares: Sequence[float], is_list: bool) -> Callable[[Value], Value]:
    """Return the function that gives the values at ``shares`` of the way through the sorted values, or the only one."""

    def result(values: Value) -> Value:
        if values is None:
            return None
        numbers = sorted(map(float, values))
        results = [_at_share(numbers, share) for share in shares]
        return results if is_list else results[0]

    return result


def _at_share(numbers: Sequence[float], share: float) -> float:
    # Places count from 1, which makes the last digits those of Flink.
    place = (len(numbers) - 1) * share + 1
    lower, upper = math.floor(place), math.ceil(place)
    low, high = numbers[lower - 1], numbers[upper - 1]
    return low if low == high else (upper - place) * low + (place - lower) * high
