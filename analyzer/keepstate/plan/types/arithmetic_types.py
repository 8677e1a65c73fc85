"""The types of ``+ - * / %``, by the formulas of Flink's ``LogicalTypeMerging``."""

from __future__ import annotations

from keepstate.plan.types.common_types import (
    DATETIMES,
    INTEGERS,
    MAX_PRECISION,
    NUMERIC,
    TypeMergeRule,
    as_decimal,
    common_type,
)
from keepstate.plan.types.logical_types import LogicalType, decimal

OPERATORS = frozenset({"+", "-", "*", "/", "%"})
_COMMUTATIVE = frozenset({"+", "*"})
_INTERVALS = frozenset({"INTERVAL SECOND", "INTERVAL MONTH"})
_LEAST_SCALE = 6
"""Digits behind the point that a result keeps when it needs more digits than a number can have."""


def arithmetic_type(operator: str, left: LogicalType | None, right: LogicalType | None) -> LogicalType | None:
    """The type of ``left operator right``; ``None`` when an operand is unknown or the operator does not take them.

    >>> whole, money = LogicalType.parse("INT"), LogicalType.parse("DECIMAL(10, 2)")
    >>> str(arithmetic_type("*", whole, money)), arithmetic_type("+", whole, None)
    ('DECIMAL(21,2)', None)
    """
    if left is None or right is None:
        return None
    if left.root in NUMERIC and right.root in NUMERIC:
        return _number(operator, left, right)
    return _time(operator, left, right)


def rounded(number: LogicalType, digits: int) -> LogicalType:
    """The type of ROUND and TRUNCATE to ``digits`` behind the point."""
    if number.root != "DECIMAL" or digits >= (number.scale or 0):
        return number
    scale = max(digits, 0)
    return decimal(min(1 + (number.precision or 0) - (number.scale or 0) + scale, MAX_PRECISION), scale)


def _time(operator: str, left: LogicalType, right: LogicalType) -> LogicalType | None:
    if operator in ("+", "-"):
        if left.root in DATETIMES and right.root in _INTERVALS:
            return left
        if left.root in _INTERVALS and right.root in DATETIMES and operator == "+":
            return right
        return left if left == right and left.root in _INTERVALS else None
    if left.root in _INTERVALS and right.root in NUMERIC and operator in ("*", "/"):
        return left
    return right if right.root in _INTERVALS and left.root in NUMERIC and operator == "*" else None


def _number(operator: str, left: LogicalType, right: LogicalType) -> LogicalType | None:
    one, other = as_decimal(left), as_decimal(right)
    if operator == "%":
        # Only exact numbers have one; of whole numbers it is as large as the divisor.
        if one is None or other is None:
            return None
        return right if not one.scale and not other.scale else _exact(operator, one, other)
    if one is None or other is None or (left.root in INTEGERS and right.root in INTEGERS):
        return common_type(
            (left, right), TypeMergeRule.UNORDERED if operator in _COMMUTATIVE else TypeMergeRule.IN_ORDER
        )
    return _exact(operator, one, other)


def _exact(operator: str, left: LogicalType, right: LogicalType) -> LogicalType:
    p1, s1, p2, s2 = left.precision or 0, left.scale or 0, right.precision or 0, right.scale or 0
    match operator:
        case "*":
            return _fitted(p1 + p2 + 1, s1 + s2)
        case "/":
            scale = max(_LEAST_SCALE, s1 + p2 + 1)
            return _fitted(p1 - s1 + s2 + scale, scale)
        case "%":
            scale = max(s1, s2)
            return _fitted(min(p1 - s1, p2 - s2) + scale, scale)
    scale = max(s1, s2)
    return _fitted(max(p1 - s1, p2 - s2) + scale + 1, scale)


def _fitted(precision: int, scale: int) -> LogicalType:
    """Return DECIMAL(precision, scale), with a smaller scale if the digits exceed the maximum of a number."""
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    whole = precision - scale
    return decimal(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, _LEAST_SCALE)))
