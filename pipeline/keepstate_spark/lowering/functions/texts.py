"""Functions of texts."""

from __future__ import annotations

from keepstate.plan.expressions import Call, Literal
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering.casts import TEXT
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    Rule,
    Scalars,
    spark_name,
)
from keepstate_spark.lowering.spark_types import string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."


def _trimmed(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """TRIM, whose words and characters lowering keeps as arguments of their own."""
    side, values = "BOTH", []
    for arg in call.args:
        if isinstance(arg, Literal) and arg.type == "NAME":
            side = arg.value.rpartition("=")[2].upper()
        else:
            values.append(scalars.text(arg).sql)
    text, characters = (values[0], "' '") if len(values) == 1 else (values[0], values[1])
    return f"trim({side} {characters} from {text})"


def _capitalised(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """INITCAP: unlike in Spark, whatever is neither letter nor digit ends a word."""
    text = scalars.text(call.args[0]).sql
    words = f"regexp_extract_all(lower({text}), '([\\\\p{{L}}\\\\p{{N}}]+|[^\\\\p{{L}}\\\\p{{N}}]+)', 1)"
    return f"array_join(transform({words}, word -> concat(upper(left(word, 1)), substring(word, 2))), '')"


def _replaced(scalars: Scalars, call: Call, _: LogicalType) -> str:
    text, searched, put = (scalars.text(arg).sql for arg in call.args)
    replaced = f"replace({text}, {searched}, {put})"
    if isinstance(call.args[1], Literal) and call.args[1].value:
        return replaced
    # Around every character there is a place where nothing can be found.
    between = f"regexp_replace({text}, '', replace(replace({put}, '\\\\', '\\\\\\\\'), '$', '\\\\$'))"
    return f"if({searched} = '', {between}, {replaced})"


def _overlaid(scalars: Scalars, call: Call, _: LogicalType) -> str:
    args = [scalars.text(arg).sql for arg in call.args]
    length = f" for {args[3]}" if len(args) > 3 else ""
    put = f"overlay({args[0]} placing {args[1]} from {args[2]}{length})"
    return f"if({args[2]} < 1 or {args[2]} > char_length({args[0]}), {args[0]}, {put})"


def _json_query(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """JSON_QUERY of a path: objects and arrays only, NULL for all else."""
    if len(call.args) != 2 or not isinstance(call.args[1], Literal):
        raise Refused("JSON_QUERY is known with a constant path and no clauses only.", call.place)
    found = f"get_json_object({scalars.text(call.args[0]).sql}, {string(call.args[1].value)})"
    return f"if({found} rlike '^[\\\\[{{]', {found}, null)"


def _json_value(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    """JSON_VALUE of a path: scalars only, NULL for all else."""
    values = [arg for arg in call.args if not (isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE")]
    clauses = [arg for arg in call.args if isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE"]
    known = all("RETURNING" in str(clause) for clause in clauses)
    if len(values) != 2 or not known or not isinstance(values[1], Literal):
        raise Refused("JSON_VALUE is known with a constant path and RETURNING only.", call.place)
    found = f"get_json_object({scalars.text(values[0]).sql}, {string(values[1].value)})"
    scalar = f"if({found} rlike '^\\\\s*[\\\\[{{]', null, {found})"
    if type_.root in TEXT:
        return scalar
    return f"cast({scalar} as {spark_name(type_, call)})"


RULES: dict[str, Rule] = {
    "TRIM": _trimmed,
    "INITCAP": _capitalised,
    "REPLACE": _replaced,
    "OVERLAY": _overlaid,
    "JSON_QUERY": _json_query,
    "JSON_VALUE": _json_value,
}
