"""Comparisons, conditions and choices."""

from __future__ import annotations

from functools import partial

from keepstate.plan.common_types import NUMERIC
from keepstate.plan.expressions import Call, Literal
from keepstate.plan.logical_types import BOOLEAN, LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.casts import TEXT, cast
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    NULL_TYPE,
    Rule,
    Scalars,
)
from keepstate_spark.lowering.spark_types import spark_type, string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."


def _compared(operator: str, scalars: Scalars, call: Call, _: LogicalType) -> str:
    left, right = _comparable(scalars, call, equation=operator in ("=", "<>", "<=>"))
    return f"({left} {operator} {right})"


def _comparable(scalars: Scalars, call: Call, equation: bool) -> tuple[str, str]:
    """Both operands as values that Spark compares as Flink does."""
    one, other = (scalars.text(arg) for arg in call.args)
    if NULL_TYPE in (one.type, other.type) or one.type == other.type:
        return one.sql, other.sql
    roots = {one.type.root, other.type.root}
    if roots == {"FLOAT", "DOUBLE"}:
        raise Refused("Flink compares a FLOAT with a DOUBLE as whichever comes first. CAST one of them.", call.place)
    if roots <= NUMERIC or roots <= TEXT or len(roots) == 1:
        return one.sql, other.sql
    if roots <= {"TIMESTAMP", "TIMESTAMP_LTZ"}:
        walls = (
            times.local(text.sql, scalars.zone) if text.type.root == "TIMESTAMP_LTZ" else text.sql
            for text in (one, other)
        )
        return next(walls), next(walls)
    for text, value in ((one, other), (other, one)):
        if text.type.root in TEXT and (value.type.root in _DATETIMES or (value.type.root in NUMERIC and not equation)):
            converted = cast(text.sql, text.type, value.type, scalars.zone)
            assert converted is not None
            return (converted, other.sql) if text is one else (one.sql, converted)
    raise Refused(f"Flink does not compare {one.type} with {other.type}.", call.place)


def _joined(word: str, scalars: Scalars, call: Call, _: LogicalType) -> str:
    return "(" + f" {word} ".join(scalars.sql(arg, BOOLEAN) for arg in call.args) + ")"


def _not(scalars: Scalars, call: Call, _: LogicalType) -> str:
    return f"(not {scalars.sql(call.args[0], BOOLEAN)})"


def _is(scalars: Scalars, call: Call, _: LogicalType) -> str:
    value, what = call.args
    word = what.value.lower() if isinstance(what, Literal) and what.type in ("NULL", "BOOLEAN") else None
    if word is None:
        raise Refused(f"{call} cannot be run.", call.place)
    return f"({scalars.text(value).sql} is {word})"


def _unlike(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    return f"(not {_compared('<=>', scalars, call, type_)})"


def _like(scalars: Scalars, call: Call, _: LogicalType, escape: str = _NOTHING) -> str:
    value, pattern = call.args
    return f"({scalars.text(value).sql} like {scalars.text(pattern).sql} escape '{escape}')"


def _escaped(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    inner, escape = call.args
    if not (
        isinstance(inner, Call) and inner.name == "LIKE" and isinstance(escape, Literal) and len(escape.value) == 1
    ):
        raise Refused(f"{call} cannot be run.", call.place)
    return _like(scalars, inner, type_, "\\\\" if escape.value == "\\" else string(escape.value)[1:-1])


def _case(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    pairs = zip(call.args[:-1:2], call.args[1::2], strict=True)
    branches = (f"when {scalars.sql(when, BOOLEAN)} then {scalars.sql(then, type_)}" for when, then in pairs)
    return f"case {' '.join(branches)} else {scalars.sql(call.args[-1], type_)} end"


def _first_known(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    return f"coalesce({', '.join(scalars.sql(arg, type_) for arg in call.args)})"


def _null_if(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    left, right = _comparable(scalars, call, equation=True)
    return f"if({left} = {right}, cast(null as {spark_type(type_)}), {scalars.text(call.args[0]).sql})"


def _extreme(function: str, scalars: Scalars, call: Call, type_: LogicalType) -> str:
    if len({scalars.text(arg).type.root for arg in call.args} & {"TIMESTAMP", "TIMESTAMP_LTZ"}) > 1:
        raise Refused(
            f"{call.name} of a TIMESTAMP and a TIMESTAMP_LTZ is a time in Flink that nobody meant.", call.place
        )
    values = [scalars.sql(arg, type_) for arg in call.args]
    missing = " or ".join(f"{value} is null" for value in values)
    return f"if({missing}, null, {function}({', '.join(values)}))"


RULES: dict[str, Rule] = {
    "<>": partial(_compared, "<>"),
    "NULLSAFEEQ": partial(_compared, "<=>"),
    "NULLSAFENEQ": _unlike,
    "AND": partial(_joined, "and"),
    "OR": partial(_joined, "or"),
    "NOT": _not,
    "IS": _is,
    "LIKE": _like,
    "ESCAPE": _escaped,
    "CASE": _case,
    "COALESCE": _first_known,
    "IFNULL": _first_known,
    "NULLIF": _null_if,
    "GREATEST": partial(_extreme, "greatest"),
    "LEAST": partial(_extreme, "least"),
    **{operator: partial(_compared, operator) for operator in ("=", "<", "<=")},
}
