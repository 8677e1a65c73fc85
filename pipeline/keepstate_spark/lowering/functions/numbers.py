"""Arithmetic and rounding."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import DecimalType

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, MAX_PRECISION, NUMERIC, as_decimal
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.edges.not_a_number import has_nan, is_nan
from keepstate_spark.lowering.functions.required_values import made_null
from keepstate_spark.lowering.functions.signed_zeros import is_zero, with_sign_of
from keepstate_spark.lowering.functions.time_functions import shifted, unit_of
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import (
    ColumnBuilder,
    Rule,
    SparkValue,
    as_type,
    unknown_function,
)
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    large,
    nothing,
    single,
    text,
    whole,
)

_DIGITS_WITH_SIGN = 34
"""The digits of a decimal that Spark keeps when it changes its sign: it rounds to those of 128 bits."""
_ZERO = "Division by zero, at which Flink stops."


_SIGNS: dict[str, Callable[[Column, Column], Column]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


def _calculated(sign: str, scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    if len(call.args) != 2:
        raise unknown_function(call)
    left, right = (scalars.value(arg) for arg in call.args)
    if sign == "*" and type_.root.startswith("INTERVAL"):
        if not any(number.type.root in INTEGERS for number in (left, right)):
            raise NotLowerable("Flink multiplies an INTERVAL by whole numbers only.", call.place)
        return left.column.cast(BIGINT) * right.column.cast(BIGINT)
    if type_.root not in NUMERIC:
        return shifted(sign, scalars, call, (left, right), type_)
    if type_.root == "DECIMAL":
        # Spark would count the digits of whole constants, and give their quotient fewer.
        left, right = _exact(left), _exact(right)
    if type_.root == "FLOAT":
        # Flink makes FLOATs of both before it calculates.
        left, right = (
            SparkValue((single if number.type.root in INTEGERS else _float)(number.column), type_)
            for number in (left, right)
        )
    if sign == "+" and type_.root in APPROXIMATE:
        # Flink's planner leaves such a zero out, and so -0.0 stays.
        for zero, other in ((0, right), (1, left)):
            constant = call.args[zero]
            literal = constant.args[0] if isinstance(constant, Call) and constant.name == "CAST" else constant
            if isinstance(literal, Literal) and literal.type == "DOUBLE" and is_zero(literal):
                return as_type(other.column, type_)
    if sign == "/":
        return _divided(left, right, call, type_)
    if sign == "%":
        return as_type(_checked(left.column % right.column, right, call), type_)
    return as_type(_SIGNS[sign](left.column, right.column), type_)


def _exact(number: SparkValue) -> SparkValue:
    """A whole number as the DECIMAL that holds all of its type."""
    type_ = as_decimal(number.type)
    if type_ is None or type_ == number.type:
        return number
    return SparkValue(as_type(number.column, type_), type_)


def _divided(left: SparkValue, right: SparkValue, call: Call, type_: LogicalType) -> Column:
    if type_.root in APPROXIMATE:
        one, other = left.column.cast(DOUBLE), right.column.cast(DOUBLE)
        if _not_zero(call.args[1]):
            return as_type(one / other, type_)
        by_zero = fn.when(one > 0, _double("Infinity")).when(one < 0, _double("-Infinity"))
        by_zero = by_zero.when(one.isNull(), nothing()).otherwise(_double("NaN"))
        return as_type(choice(other == 0, by_zero, one / other), type_)
    whole_numbers = type_.root in INTEGERS
    quotient = function_call("div", left.column, right.column) if whole_numbers else left.column / right.column
    return as_type(_checked(quotient, right, call), type_)


def _float(number: Column) -> Column:
    return number.cast(FLOAT)


def _double(digits: str) -> Column:
    return text(digits).cast(DOUBLE)


def _checked(quotient: Column, divisor: SparkValue, call: Call) -> Column:
    """A quotient that stops the query where its divisor is zero."""
    if _not_zero(call.args[1]):
        return quotient
    return choice(divisor.column == 0, failing(text(_ZERO)), quotient)


def _not_zero(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type in ("NUMBER", "DOUBLE") and expr.value.strip("-0.E+") != ""


def _places(call: Call) -> int:
    """The constant number of digits that ROUND and TRUNCATE leave behind the point."""
    digits = call.args[1] if len(call.args) > 1 else Literal("0", "NUMBER")
    if not (isinstance(digits, Literal) and digits.value.lstrip("-").isdecimal()):
        raise NotLowerable("ROUND and TRUNCATE need a constant number of digits.", call.place)
    return int(digits.value)


def _rounded(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """ROUND. A number that gets one digit more than a DECIMAL has is NULL; Spark stops there."""
    value, places = scalars.value(call.args[0]), _places(call)
    rounded = function_call("round", _finite(value, call, call.args[0]), whole(places))
    is_full = value.type.root == "DECIMAL" and value.type.precision == MAX_PRECISION and not value.type.scale
    if is_full and -MAX_PRECISION <= places < 0:
        least = str(10**MAX_PRECISION - 5 * 10 ** (-places - 1))
        above, below = (text(number).cast(DecimalType(MAX_PRECISION, 0)) for number in (least, f"-{least}"))
        rounded = choice((value.column >= above) | (value.column <= below), made_null(call), rounded)
    return as_type(rounded, type_)


def _finite(value: SparkValue, call: Call, expr: Expr) -> Column:
    """The column of ``value``, which ends the query at NaN and infinity: Flink makes a decimal of it."""
    if not has_nan(value.type, expr):
        return value.column
    words = text(f"{call.name} of NaN or infinity, at which Flink stops.")
    return choice(is_nan(value.column - value.column), failing(words), value.column)


def _refuse_short(call: Call, value: SparkValue) -> None:
    """Refuse functions of short whole numbers for which Flink's code assigns an int to a shorter type."""
    if value.type.root in ("TINYINT", "SMALLINT"):
        raise NotLowerable(f"Flink cannot compile {call.name} of a {value.type}.", call.place)


def _sign(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    value = scalars.value(call.args[0])
    _refuse_short(call, value)
    return as_type(function_call("sign", value.column), type_)


def _truncated(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    value, digits = scalars.value(call.args[0]), whole(_places(call))
    _refuse_short(call, value)
    exact = value.column
    if value.type.root in APPROXIMATE:
        exact = _finite(value, call, call.args[0])
        decimal = exact.cast(STRING).cast(DecimalType(38, 18))
        words = text(f"{call.name} of a number with more than 20 digits in front of the point, at which Flink stops.")
        exact = choice(exact.isNotNull(), function_call("coalesce", decimal, failing(words)))
    return as_type(
        choice(exact < 0, function_call("ceil", exact, digits), function_call("floor", exact, digits)), type_
    )


def _whole(function: str, scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """FLOOR and CEIL, of a number or of a time to a unit."""
    value = scalars.value(call.args[0])
    if len(call.args) == 1:
        rounded = function_call(function, value.column)
        if value.type.root in APPROXIMATE:
            # From here on a double has no digits behind the point.
            number = choice(function_call("abs", value.column) < large(2**52), rounded.cast(DOUBLE), value.column)
            return as_type(with_sign_of(value.column, number), type_)
        return as_type(rounded, type_)
    unit = unit_of(call.args[1], call)
    rounded_time = time_columns.floored if function == "floor" else time_columns.raised

    def to_unit(time: Column, unit: str) -> Column:
        result = rounded_time(time, unit)
        depends = unit in ("WEEK", "QUARTER", *time_columns.YEARS)
        return time_columns.of_this_calendar(time, result) if depends else result

    if unit not in (*time_columns.UNITS, *time_columns.YEARS) or unit == "MICROSECOND":
        raise NotLowerable(f"{call.name} TO {unit} cannot be run.", call.place)
    match value.type.root:
        case "TIMESTAMP":
            return to_unit(value.column, unit)
        case "TIMESTAMP_LTZ":
            wall = time_columns.local(value.column, scalars.zone)
            return time_columns.shift_instant(value.column, wall, to_unit(wall, unit))
        case "TIME" if unit in ("HOUR", "MINUTE", "SECOND"):
            return _time_of_day(function, value.column, time_columns.MILLISECONDS[unit]).cast(INT)
        case "DATE" if unit == "DAY":
            # Flink's CEIL brings every date to the next one.
            return function_call("date_add", value.column, whole(1)) if function == "ceil" else value.column
        case "DATE":
            return to_unit(value.column.cast(WALL_CLOCK), unit).cast(DATE)
    raise unknown_function(call)


def _time_of_day(function: str, time: Column, length: int) -> Column:
    """FLOOR and CEIL of a TIME, in milliseconds of the day."""
    if function == "floor":
        return time - function_call("pmod", time, whole(length))
    later = time + function_call("pmod", -time, whole(length))
    midnight = failing(text("CEIL brings a TIME to 24:00:00, and so Flink stops")).cast(INT)
    return choice(later == 86_400_000, midnight, later)


def _random(seeds: int, scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """RAND and RAND_INTEGER; ``seeds`` is the number of arguments of a call with a seed."""
    if len(call.args) == seeds:
        raise NotLowerable(f"{call.name} with a seed counts on with each row that a task of Flink reads.", call.place)
    number = function_call("rand")
    return as_type(number if seeds == 1 else function_call("floor", number * scalars.column(call.args[0])), type_)


def _negated(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    number = scalars.value(call.args[0]).column
    if not _has_more_digits(type_):
        return -number
    digits = number.cast(STRING)
    is_below = function_call("startswith", digits, text("-"))
    negated = choice(is_below, function_call("ltrim", text("-"), digits), function_call("concat", text("-"), digits))
    return as_type(negated, type_)


def _absolute(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    number = scalars.value(call.args[0]).column
    if not _has_more_digits(type_):
        return function_call("abs", number)
    return as_type(function_call("ltrim", text("-"), number.cast(STRING)), type_)


def _has_more_digits(type_: LogicalType) -> bool:
    """Return whether numbers have more digits than Spark keeps where it changes a sign."""
    return type_.root == "DECIMAL" and (type_.precision or 0) > _DIGITS_WITH_SIGN


RULES: dict[str, Rule] = {
    "NEGATE": _negated,
    "ABS": _absolute,
    "RAND": partial(_random, 1),
    "RAND_INTEGER": partial(_random, 2),
    "SIGN": _sign,
    "MOD": partial(_calculated, "%"),
    "ROUND": _rounded,
    "TRUNCATE": _truncated,
    "FLOOR": partial(_whole, "floor"),
    "CEIL": partial(_whole, "ceil"),
    **{sign: partial(_calculated, sign) for sign in "+-*/%"},
}
