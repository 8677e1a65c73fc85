"""Casts, arrays, maps and rows."""

from __future__ import annotations

from keepstate.plan.expressions import UNITED, Call, Literal
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering.casts import cast
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    NULL_TYPE,
    Rule,
    Scalars,
    as_type,
    spark_name,
)
from keepstate_spark.lowering.spark_types import quoted, string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."


def _cast(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    value = scalars.text(call.args[0])
    if value.type == NULL_TYPE:
        return f"cast(null as {spark_name(type_, call)})"
    found = cast(value.sql, value.type, type_, scalars.zone, strict=call.name == "CAST")
    if found is None:
        spark_name(type_, call)
        raise Refused(f"A cast from {value.type} to {type_} is not known.", call.place)
    return found


def _array(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    return f"array({', '.join(scalars.sql(arg, type_.elements[0]) for arg in call.args)})"


def _map(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    return f"map({', '.join(scalars.sql(arg, type_.elements[index % 2]) for index, arg in enumerate(call.args))})"


def _row(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    fields = zip(type_.names, call.args, strict=True)
    return f"named_struct({', '.join(f'{string(name)}, {scalars.text(arg).sql}' for name, arg in fields)})"


def _item(scalars: Scalars, call: Call, _: LogicalType) -> str:
    whole = scalars.text(call.args[0])
    index = scalars.text(call.args[1]).sql
    if whole.type.root == "MAP":
        return f"try_element_at({whole.sql}, {index})"
    return f"if({index} < 1, null, get({whole.sql}, {index} - 1))"


def _nested(scalars: Scalars, call: Call, _: LogicalType) -> str:
    whole, name = scalars.text(call.args[0]), call.args[1]
    assert isinstance(name, Literal)
    return f"{whole.sql}.{quoted(name.value.upper())}"


def _element(scalars: Scalars, call: Call, _: LogicalType) -> str:
    value = scalars.text(call.args[0]).sql
    return f"if(size({value}) > 1, raise_error('ELEMENT of more than one element'), get({value}, 0))"


def _united(scalars: Scalars, call: Call, _: LogicalType) -> str:
    raise Refused("A column of UNION cannot be told from another one.", call.place)


def _grouping_id(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    bits = (scalars.text(Call("GROUPING", (arg,), place=call.place)).sql for arg in call.args)
    count = len(call.args)
    return as_type(" + ".join(f"{bit} * {2 ** (count - 1 - index)}" for index, bit in enumerate(bits)), type_)


RULES: dict[str, Rule] = {
    "CAST": _cast,
    "TRY_CAST": _cast,
    "ARRAY": _array,
    "MAP": _map,
    "ROW": _row,
    "BRACKET": _item,
    ".": _nested,
    "ELEMENT": _element,
    "GROUPING_ID": _grouping_id,
    "GROUP_ID": _grouping_id,
    UNITED: _united,
}
