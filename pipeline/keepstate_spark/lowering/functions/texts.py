"""Functions of texts."""

from __future__ import annotations

import re

from keepstate.plan.common_types import INTEGERS
from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering.casts import TEXT
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    Rule,
    Scalars,
    spark_name,
    unknown_function,
)
from keepstate_spark.lowering.spark_types import string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."
_ONE_VALUE = re.compile(r"\$(\.[\w-]+|\[\d+\]|\['[^'\\]+'\])*")
_RETURNING = re.compile("RETURNING")
_NULL_CLAUSE = re.compile(r"NULL\W+ON\W+(EMPTY|ERROR)")


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
    if len(call.args) != 2:
        raise Refused("JSON_QUERY is known with a constant path and no clauses only.", call.place)
    found = f"get_json_object({scalars.text(call.args[0]).sql}, {_path(call.args[1], call)})"
    return f"if({found} rlike '^[\\\\[{{]', {found}, null)"


def _json_value(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    """JSON_VALUE of a path: scalars only, NULL for all else."""
    values = [arg for arg in call.args if not (isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE")]
    clauses = [arg for arg in call.args if isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE"]
    known = all(_RETURNING.search(str(clause)) or _NULL_CLAUSE.search(str(clause)) for clause in clauses)
    if len(values) != 2 or not known:
        raise Refused(
            "JSON_VALUE is known with a constant path, RETURNING, and NULL ON EMPTY or ERROR only.", call.place
        )
    found = f"get_json_object({scalars.text(values[0]).sql}, {_path(values[1], call)})"
    scalar = f"if({found} rlike '^\\\\s*[\\\\[{{]', null, {found})"
    if type_.root in TEXT:
        return scalar
    return f"cast({scalar} as {spark_name(type_, call)})"


def _json_exists(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """JSON_EXISTS of a path: not of one whose value is null."""
    if len(call.args) != 2:
        raise Refused("JSON_EXISTS is known with a constant path and no clauses only.", call.place)
    text = scalars.text(call.args[0]).sql
    return f"if({text} is null, null, get_json_object({text}, {_path(call.args[1], call)}) is not null)"


def _path(expr: Expr, call: Call) -> str:
    """A constant JSON path that names one value: there Flink and Spark agree, lax or strict."""
    path = re.sub(r"^(lax|strict)\s+", "", expr.value) if isinstance(expr, Literal) else ""
    if not _ONE_VALUE.fullmatch(path):
        raise Refused(f"{call.name} needs a constant path of names and numbers, like '$.a.b[0]'.", call.place)
    return string(path)


def _hashed(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """HASH_CODE: that of Java, of a text without its sign."""
    value = scalars.text(call.args[0])
    match value.type.root:
        case "CHAR" | "VARCHAR":
            hexadecimal = f"hex(encode({value.sql}, 'UTF-16BE'))"
            units = f"regexp_extract_all({hexadecimal}, '(.{{4}})', 1)"
            code = "cast(conv(unit, 16, 10) as int)"
            return f"abs(if({value.sql} is null, null, aggregate({units}, 0, (sum, unit) -> sum * 31 + {code})))"
        case "TINYINT" | "SMALLINT" | "INT":
            return f"cast({value.sql} as int)"
        case "BIGINT":
            return f"cast({value.sql} ^ shiftrightunsigned({value.sql}, 32) as int)"
        case "BOOLEAN":
            return f"if({value.sql}, 1231, if({value.sql} is null, null, 1237))"
    raise Refused(f"HASH_CODE of a {value.type} cannot be run.", call.place)


def _similar(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """SIMILAR TO a constant pattern: a regular expression, but for % and _."""
    text, pattern = call.args
    if not (isinstance(pattern, Literal) and pattern.type == "STRING") or re.search(r"\\|\[:|[\^$]", pattern.value):
        raise Refused("SIMILAR TO needs a constant pattern without escapes and classes of characters.", call.place)
    parts = re.split(r"(\[[^\]]*\])", pattern.value)
    java = "".join(part if part.startswith("[") else part.replace("_", ".").replace("%", ".*") for part in parts)
    return f"({scalars.text(text).sql} rlike {string(f'^(?:{java})' + chr(92) + 'z')})"


def _part(scalars: Scalars, call: Call, _: LogicalType) -> str:
    """SPLIT_INDEX, counted from zero; the separator may be the number of a character."""
    if len(call.args) != 3:
        raise unknown_function(call)
    text, separator, index = (scalars.text(arg) for arg in call.args)
    by = f"chr({separator.sql})" if separator.type.root in INTEGERS else separator.sql
    parts = f"split({text.sql}, concat('\\\\Q', {by}, '\\\\E'))"
    return f"if({text.sql} = '' or {index.sql} < 0, null, get({parts}, {index.sql}))"


RULES: dict[str, Rule] = {
    "SPLIT_INDEX": _part,
    "JSON_EXISTS": _json_exists,
    "HASH_CODE": _hashed,
    "SIMILARTO": _similar,
    "TRIM": _trimmed,
    "INITCAP": _capitalised,
    "REPLACE": _replaced,
    "OVERLAY": _overlaid,
    "JSON_QUERY": _json_query,
    "JSON_VALUE": _json_value,
}
