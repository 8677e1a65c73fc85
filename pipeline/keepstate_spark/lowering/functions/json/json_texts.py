"""Functions that read JSON: JSON_VALUE, JSON_QUERY, JSON_EXISTS and IS JSON."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.logical_types import STRING, LogicalType, array
from keepstate_spark.lowering.cast_columns import TEXT
from keepstate_spark.lowering.functions.json.json_paths import path_of
from keepstate_spark.lowering.functions.json.json_values import json_at, json_of, read_json, value_at
from keepstate_spark.lowering.functions.json.marked_numbers import is_number, without_mark
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, Rule, held_as
from keepstate_spark.lowering.spark_columns import (
    BOOLEAN,
    DOUBLE,
    INT,
    all_true,
    choice,
    failing,
    function_call,
    let,
    nothing,
    text,
    true,
    unless_null,
)
from keepstate_spark.lowering.spark_columns import STRING as SPARK_STRING

_KINDS = {"": ".", "VALUE": ".", "OBJECT": "[{]", "ARRAY": r"\[", "SCALAR": '["tfn]'}
"""The first characters of JSON, by the words of IS JSON."""


class _Clauses(NamedTuple):
    words: frozenset[str]
    empty: Expr | str
    """The result ON EMPTY: an expression, or the words in front of ON."""
    error: Expr | str


def _clauses(call: Call, otherwise: str = "NULL") -> _Clauses:
    words: set[str] = set()
    answers: dict[str, Expr | str] = {"EMPTY": otherwise, "ERROR": otherwise}
    for clause in call.args[2:]:
        assert isinstance(clause, Call) and isinstance(clause.args[0], Literal)
        clause_words = clause.args[0].value.removeprefix("this=")
        action, _, when = clause_words.rpartition(" ON ")
        if when in answers:
            answers[when] = clause.args[1] if action == "DEFAULT" else action
        else:
            words.add(clause_words)
    return _Clauses(frozenset(words), answers["EMPTY"], answers["ERROR"])


def _otherwise(scalars: ColumnBuilder, call: Call, behavior: Expr | str, type_: LogicalType) -> Column:
    """The value of ON EMPTY or ON ERROR."""
    match behavior:
        case "NULL":
            return nothing(held_as(type_, call))
        case "ERROR":
            return failing(text(f"{call.name} found no value, and ON EMPTY or ON ERROR stops the query."))
        case "EMPTY ARRAY" | "EMPTY OBJECT":
            return text("[]" if behavior == "EMPTY ARRAY" else "{}")
        case str():
            raise NotLowerable(f"{behavior} of {call.name} cannot be run.", call.place)
    if not isinstance(behavior, Literal) or type_.root == "DOUBLE":
        raise NotLowerable(f"The DEFAULT of {call.name} is a plain constant here, and none of a DOUBLE.", call.place)
    value = scalars.value(behavior)
    if type_.root in TEXT and behavior.type in ("NUMBER", "BOOLEAN"):
        return text(behavior.value.lower())
    if value.type != type_ and not {value.type.root, type_.root} <= TEXT:
        raise NotLowerable(f"DEFAULT of {call.name} is a {value.type}, and its result a {type_}.", call.place)
    return value.column


def _json_value(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """JSON_VALUE of a path: a scalar, or the value of ON EMPTY or ON ERROR."""
    if type_.root not in ("VARCHAR", "INT", "DOUBLE", "BOOLEAN"):
        raise NotLowerable(f"JSON_VALUE does not return {type_}.", call.place)
    path, clauses = path_of(call.args[1], call), _clauses(call)
    document = scalars.column(call.args[0])
    empty, error = (_otherwise(scalars, call, behavior, type_) for behavior in (clauses.empty, clauses.error))
    other = error if path.is_strict else _missing(document, empty, error)
    if not path.is_definite:
        return unless_null(document, other)

    def scalar(variant: Column) -> Column:
        json_text = function_call("to_json", value_at(variant, path.steps))
        is_scalar = function_call("rlike", json_text, text('^["tf]'))
        return choice(is_scalar, _as(value_at(variant, path.steps, "string"), json_text, type_), other)

    return unless_null(document, let(read_json(document, call), scalar))


def _missing(document: Column, empty: Column, error: Column) -> Column:
    """The value of a lax path that finds nothing. In the document ``null`` that is an error."""
    return choice(function_call("rlike", document, text(r"^\s*null\s*$")), error, empty)


def _as(raw: Column, json_text: Column, type_: LogicalType) -> Column:
    """A scalar, with or without its mark, as the type of RETURNING."""
    value, of_number = without_mark(raw), is_number(raw)
    if type_.root in TEXT:
        return value
    fits = {
        "INT": all_true(of_number, function_call("rlike", value, text("^-?[0-9]+$")), value.cast(INT).isNotNull()),
        "DOUBLE": all_true(of_number, function_call("rlike", value, text("[.E]"))),
        "BOOLEAN": function_call("rlike", json_text, text("^[tf]")),
    }[type_.root]
    words = text(f" is no {type_} that JSON_VALUE returns, and so Flink stops.")
    return choice(fits, value.cast(_SPARK_TYPES[type_.root]), failing(value, words))


_SPARK_TYPES = {"INT": INT, "DOUBLE": DOUBLE, "BOOLEAN": BOOLEAN}


def _json_query(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """JSON_QUERY of a path: objects and arrays, and with a wrapper anything, in an array."""
    if type_ not in (STRING, array(STRING)):
        raise NotLowerable(f"JSON_QUERY does not return {type_} here.", call.place)
    path, clauses = path_of(call.args[1], call), _clauses(call)
    wrapper = " ".join(word for word in clauses.words if "WRAPPER" in word)
    document = scalars.column(call.args[0])
    empty, error = (_otherwise(scalars, call, behavior, STRING) for behavior in (clauses.empty, clauses.error))
    other = error if path.is_strict else _missing(document, empty, error)

    def result(json_text: Column) -> Column:
        wrapped = function_call("concat", text("["), json_text, text("]"))
        if "CONDITIONAL" in wrapper and "UNCONDITIONAL" not in wrapper:
            return choice(function_call("startswith", json_text, text("[")), json_text, wrapped)
        if wrapper and "WITHOUT" not in wrapper:
            return wrapped
        return choice(function_call("rlike", json_text, text(r"^[\[{]")), json_text)

    node = function_call(
        "nullif", let(read_json(document, call), lambda variant: json_at(document, variant, path)), text("null")
    )
    value = let(node, result)
    json_text = unless_null(document, let(value, lambda value: choice(value.isNotNull(), value, other)))
    if type_ == STRING:
        return json_text
    if "EMPTY OBJECT" in (clauses.empty, clauses.error):
        raise NotLowerable("EMPTY OBJECT is no array, which JSON_QUERY returns here.", call.place)
    texts = let(read_json(json_text, call), _texts)
    if clauses.error == "NULL":
        return texts
    instead = function_call("array").cast(ArrayType(SPARK_STRING))
    if clauses.error == "ERROR":
        instead = failing(text("JSON_QUERY found no array, and ERROR ON ERROR stops the query."))
    return choice(all_true(json_text.isNotNull(), texts.isNull()), instead, texts)


def _texts(variant: Column) -> Column:
    """The elements of an array of JSON as texts, scalars without quotes; NULL of anything else."""
    return fn.transform(value_at(variant, (), "array<variant>"), _element_text)


def _element_text(element: Column) -> Column:
    is_scalar = function_call("rlike", function_call("to_json", element), text('^["tf]'))
    scalar = let(value_at(element, (), "string"), without_mark)
    return choice(is_scalar, scalar, function_call("nullif", json_of(element), text("null")))


def _json_exists(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """JSON_EXISTS of a path: not of one whose value is null. A strict path of nothing, or of null, is an error."""
    path, behavior = path_of(call.args[1], call), _clauses(call, "FALSE").error
    value = scalars.column(call.args[0])
    if behavior == "ERROR" and path.is_strict:
        missing = failing(text("JSON_EXISTS found nothing, and ERROR ON ERROR stops the query."))
    else:
        missing = (
            {"TRUE": true(), "UNKNOWN": nothing(BOOLEAN)}.get(str(behavior), ~true()) if path.is_strict else ~true()
        )
    item = let(read_json(value, call), lambda variant: json_at(value, variant, path))
    return unless_null(value, choice(function_call("coalesce", item, text("null")) == "null", missing, true()))


def is_json(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """IS JSON, which is false of NULL; ``call`` has the value and the words behind IS."""
    value, words = call.args
    assert isinstance(words, Call)
    kind = words.args[0].value.removeprefix("this=") if words.args and isinstance(words.args[0], Literal) else ""
    json_text = function_call("to_json", read_json(scalars.column(value), call))
    return function_call("coalesce", function_call("rlike", json_text, text(f"^{_KINDS[kind]}")), ~true())


RULES: dict[str, Rule] = {
    "JSON_EXISTS": _json_exists,
    "JSON_QUERY": _json_query,
    "JSON_VALUE": _json_value,
}
