"""Values of expressions that look at several rows of a match: parts that are put together, each a function.

A row in question belongs to the variable whose condition is looked at, so navigation and aggregates of that variable
count it. Whole numbers are ``int``, times are microseconds, DECIMAL is ``Decimal``; NULL is ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

Value = Any
"""A value of a row: ``bool``, ``int``, ``float``, ``Decimal``, ``str``, or ``None`` for NULL."""

ALL = -1
"""The number of the variable that all rows of a match belong to."""

_REMEMBERED = 10_000
"""Sums that are kept; each can be computed again."""

EXACT = Context(prec=120, rounding=ROUND_HALF_UP)
_QUOTIENT = Context(prec=38, rounding=ROUND_HALF_UP)


class Look:
    """A place to look from: the ``columns`` of a partition, a run (``begins``), the ``row`` in question and the
    ``variable`` whose condition is looked at. Aggregates remember in ``sums`` how far they came.
    """

    __slots__ = ("begins", "columns", "row", "sums", "variable")

    def __init__(self, columns: Sequence[Sequence[Value]]) -> None:
        self.columns = columns
        self.begins: tuple[int, ...] = ()
        self.row = 0
        self.variable = ALL
        self.sums: dict[tuple[int, int], tuple[int, Value]] = {}

    def rows(self, variable: int) -> tuple[int, int]:
        """Return the first row of ``variable`` and the row behind its last one; equal numbers if it has none."""
        begins, row = self.begins, self.row
        begun = len(begins)
        if variable == ALL:
            return (begins[0] if begun else row), row + 1
        if variable == self.variable:
            return (begins[variable] if variable < begun else row), row + 1
        if variable >= begun:
            return row, row
        return begins[variable], begins[variable + 1] if variable + 1 < begun else row


Part = Callable[[Look], Value]
"""An expression: its value, looked at from a place."""


class NoSuchRow(Exception):
    """Error of a value that Flink makes up."""


class DivisionByZero(Exception):
    """Error at which Flink stops."""


def position(variable: int, first: bool, offset: int) -> Part:
    """The row of ``FIRST`` or ``LAST`` of a variable, ``None`` if there is no such row."""

    def found(look: Look) -> Value:
        begin, end = look.rows(variable)
        row = begin + offset if first else end - 1 - offset
        return row if begin <= row < end else None

    return found


def required(at: Part) -> Part:
    """The row ``at``, of which a column is read that is NOT NULL: Flink makes -1 or another value of it without a row.

    Raises ``NoSuchRow`` instead.
    """

    def found(look: Look) -> Value:
        row = at(look)
        if row is None:
            raise NoSuchRow("A pattern reads a column that is NOT NULL of a row that a match does not have.")
        return row

    return found


def column(index: int, at: Part) -> Part:
    """The value that column ``index`` has in the row ``at``."""

    def found(look: Look) -> Value:
        row = at(look)
        return None if row is None else look.columns[index][row]

    return found


def constant(value: Value) -> Part:
    return lambda _: value


def strict(function: Callable[..., Value], *parts: Part) -> Part:
    """A function that gives NULL for NULL."""

    def value(look: Look) -> Value:
        values = [part(look) for part in parts]
        return None if any(each is None for each in values) else function(*values)

    return value


def both(*parts: Part) -> Part:
    """AND, of three values."""

    def value(look: Look) -> Value:
        result: Value = True
        for part in parts:
            truth = part(look)
            if truth is False:
                return False
            if truth is None:
                result = None
        return result

    return value


def either(*parts: Part) -> Part:
    """OR, of three values."""

    def value(look: Look) -> Value:
        result: Value = False
        for part in parts:
            truth = part(look)
            if truth is True:
                return True
            if truth is None:
                result = None
        return result

    return value


def null_safe(one: Part, other: Part) -> Part:
    """IS NOT DISTINCT FROM: an equation in which NULL is a value."""
    return lambda look: one(look) == other(look)


def is_same(part: Part, value: Value) -> Part:
    """IS NULL, IS TRUE and IS FALSE."""
    return lambda look: part(look) is value


def matches_like(value: Value, pattern: Value) -> bool:
    """LIKE without an escape character."""
    signs = {"%": ".*", "_": "."}
    return re.fullmatch("".join(signs.get(char) or re.escape(char) for char in pattern), value, re.DOTALL) is not None


def in_one_text(*texts: Value) -> Value:
    return "".join(texts)


def choice(branches: Sequence[tuple[Part, Part]], otherwise: Part) -> Part:
    """CASE."""

    def value(look: Look) -> Value:
        for condition, result in branches:
            if condition(look) is True:
                return result(look)
        return otherwise(look)

    return value


def first_known(*parts: Part) -> Part:
    """COALESCE."""

    def value(look: Look) -> Value:
        return next((result for part in parts if (result := part(look)) is not None), None)

    return value


def wrapped(bits: int) -> Callable[[int], int]:
    """Return the function that makes a number one of a type of so many bits, as a calculation of Java does."""
    half = 1 << (bits - 1)
    return lambda number: (number + half) % (2 * half) - half


def fitted(precision: int, scale: int) -> Callable[[Value], Decimal | None]:
    """Return the function that makes a number a DECIMAL, and NULL of one that is too large."""
    unit, limit = Decimal(1).scaleb(-scale), Decimal(10) ** (precision - scale)

    def fit(number: Value) -> Decimal | None:
        rounded = Decimal(number).quantize(unit, context=EXACT)
        return rounded if rounded.copy_abs() < limit else None

    return fit


def exactly(sign: str) -> Callable[[Decimal, Decimal], Decimal]:
    """Return an operation on DECIMALs, before its result is fitted to a type."""
    operations: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
        "+": EXACT.add,
        "-": EXACT.subtract,
        "*": EXACT.multiply,
        "/": lambda one, other: _QUOTIENT.divide(one, _not_zero(other)),
        "%": lambda one, other: EXACT.remainder(one, _not_zero(other)),
    }
    operation = operations[sign]
    return lambda one, other: operation(Decimal(one), Decimal(other))


def in_whole_numbers(sign: str) -> Callable[[int, int], int]:
    """Return an operation on whole numbers, before its result is wrapped to a type."""
    operations: dict[str, Callable[[int, int], int]] = {
        "+": lambda one, other: one + other,
        "-": lambda one, other: one - other,
        "*": lambda one, other: one * other,
        "/": lambda one, other: quotient(one, _not_zero(other)),
        "%": lambda one, other: one - other * quotient(one, _not_zero(other)),
    }
    return operations[sign]


def approximately(sign: str) -> Callable[[Value, Value], float]:
    """Return an operation on DOUBLEs."""
    operations: dict[str, Callable[[float, float], float]] = {
        "+": lambda one, other: one + other,
        "-": lambda one, other: one - other,
        "*": lambda one, other: one * other,
        "/": _divided,
    }
    operation = operations[sign]
    return lambda one, other: operation(float(one), float(other))


def quotient(one: int, other: int) -> int:
    """Divide whole numbers towards zero."""
    result = abs(one) // abs(other)
    return result if (one < 0) == (other < 0) else -result


def _divided(one: float, other: float) -> float:
    if other:
        return one / other
    if one == 0 or one != one:
        return float("nan")
    negative = (one < 0) != str(other).startswith("-")
    return float("-inf") if negative else float("inf")


def _not_zero(number: Any) -> Any:
    if not number:
        raise DivisionByZero("Division by zero, at which Flink stops.")
    return number


def aggregate(
    number: int,
    variable: int,
    argument: int | None,
    step: Callable[[Value, Value], Value],
    result: Callable[..., Value],
    keeps_nulls: bool = False,
) -> Part:
    """An aggregate over the values of column ``argument`` in the rows of ``variable``, or over the rows themselves.

    ``step`` adds a value to what there is of the values before (``None`` at first); ``result`` makes the aggregate of
    it. The rows of a variable only grow while a match goes on, so only the new ones are added.
    """

    def value(look: Look) -> Value:
        begin, end = look.rows(variable)
        done, sum_ = look.sums.get((number, begin), (begin, None))
        if done > end:
            done, sum_ = begin, None
        for row in range(done, end):
            item = True if argument is None else look.columns[argument][row]
            if item is not None or keeps_nulls:
                sum_ = step(sum_, item)
        if end > begin:
            if len(look.sums) > _REMEMBERED:
                look.sums.clear()
            look.sums[(number, begin)] = end, sum_
        return result(sum_)

    return value
