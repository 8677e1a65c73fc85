"""Arithmetic and rounding."""

from __future__ import annotations

from functools import partial

from keepstate.plan.common_types import APPROXIMATE, INTEGERS, NUMERIC, as_decimal
from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.functions.moments import shifted, unit_of
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    Rule,
    Scalars,
    Text,
    as_type,
    unknown_function,
)
from keepstate_spark.lowering.spark_types import spark_type, string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."


def _calculated(operator: str, scalars: Scalars, call: Call, type_: LogicalType) -> str:
    if len(call.args) != 2:
        raise unknown_function(call)
    left, right = (scalars.text(arg) for arg in call.args)
    if type_.root not in NUMERIC:
        return shifted(operator, scalars, call, (left, right), type_)
    if type_.root == "DECIMAL":
        # Spark would count the digits of whole constants, and give their quotient fewer.
        left, right = _exact(left), _exact(right)
    if operator == "/":
        return _divided(left, right, call, type_)
    if operator == "%":
        return as_type(_checked(f"({left.sql} % {right.sql})", right, call, type_), type_)
    return as_type(f"({left.sql} {operator} {right.sql})", type_)


def _exact(number: Text) -> Text:
    """A whole number as the DECIMAL that holds all of its type."""
    type_ = as_decimal(number.type)
    if type_ is None or type_ == number.type:
        return number
    return Text(f"cast({number.sql} as {spark_type(type_)})", type_)


def _divided(left: Text, right: Text, call: Call, type_: LogicalType) -> str:
    if type_.root in APPROXIMATE:
        one, other = f"cast({left.sql} as double)", f"cast({right.sql} as double)"
        if _not_zero(call.args[1]):
            return as_type(f"({one} / {other})", type_)
        infinite = f"case when {one} > 0 then double('Infinity') when {one} < 0 then double('-Infinity') "
        return as_type(
            f"if({other} = 0, {infinite}when {one} is null then null else double('NaN') end, {one} / {other})", type_
        )
    operator = "div" if type_.root in INTEGERS else "/"
    return as_type(_checked(f"({left.sql} {operator} {right.sql})", right, call, type_), type_)


def _checked(quotient: str, divisor: Text, call: Call, type_: LogicalType) -> str:
    """A quotient that stops the query where its divisor is zero."""
    if _not_zero(call.args[1]):
        return quotient
    return f"if({divisor.sql} = 0, raise_error({string(_ZERO)}), {quotient})"


def _not_zero(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type in ("NUMBER", "DOUBLE") and expr.value.strip("-0.E+") != ""


def _rounded(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    value = scalars.text(call.args[0])
    digits = call.args[1] if len(call.args) > 1 else Literal("0", "NUMBER")
    if not (isinstance(digits, Literal) and digits.value.lstrip("-").isdecimal()):
        raise Refused("ROUND and TRUNCATE need a constant number of digits.", call.place)
    return as_type(f"round({value.sql}, {digits.value})", type_)


def _truncated(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    value = scalars.text(call.args[0])
    digits = call.args[1] if len(call.args) > 1 else Literal("0", "NUMBER")
    if not (isinstance(digits, Literal) and digits.value.lstrip("-").isdecimal()):
        raise Refused("ROUND and TRUNCATE need a constant number of digits.", call.place)
    exact = value.sql
    if value.type.root in APPROXIMATE:
        exact = f"cast(cast({value.sql} as string) as decimal(38,18))"
    return as_type(f"if({exact} < 0, ceil({exact}, {digits.value}), floor({exact}, {digits.value}))", type_)


def _whole(function: str, scalars: Scalars, call: Call, type_: LogicalType) -> str:
    """FLOOR and CEIL, of a number or of a time to a unit."""
    value = scalars.text(call.args[0])
    if len(call.args) == 1:
        if value.type.root in APPROXIMATE:
            # From here on a double has no digits behind the point.
            return as_type(f"if(abs({value.sql}) < 4503599627370496, {function}({value.sql}), {value.sql})", type_)
        return as_type(f"{function}({value.sql})", type_)
    unit = unit_of(call.args[1], call)
    cut = times.floored if function == "floor" else times.raised
    if unit not in times.UNITS or unit == "MICROSECOND":
        raise Refused(f"{call.name} TO {unit} cannot be run.", call.place)
    match value.type.root:
        case "TIMESTAMP":
            return cut(value.sql, unit)
        case "TIMESTAMP_LTZ":
            return times.instant(cut(times.local(value.sql, scalars.zone), unit), scalars.zone)
        case "DATE":
            return f"cast({cut(f'cast({value.sql} as timestamp_ntz)', unit)} as date)"
    raise unknown_function(call)


RULES: dict[str, Rule] = {
    "MOD": partial(_calculated, "%"),
    "ROUND": _rounded,
    "TRUNCATE": _truncated,
    "FLOOR": partial(_whole, "floor"),
    "CEIL": partial(_whole, "ceil"),
    **{operator: partial(_calculated, operator) for operator in "+-*/%"},
}
