"""Functions that read JSON: JSON_VALUE, JSON_QUERY, JSON_EXISTS and IS JSON.

A text is read as a VARIANT of Spark, which sorts the names of objects as Flink does. It would round numbers, so they
are read as marked texts, in the spelling that Flink gives them (that of Java's ``BigDecimal``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.logical_types import STRING, LogicalType, array
from keepstate_spark.lowering.cast_columns import TEXT
from keepstate_spark.lowering.older_versions import require_spark_4
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, Rule, held_as
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
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
    whole,
)
from keepstate_spark.lowering.spark_columns import STRING as SPARK_STRING

_STEP = re.compile(
    r"""\.([\w-]+)|\[(-?\d+)\]|\[\s*'([^'\\?]+)'\s*\]|\[\s*"([^"\\?]+)"\s*\]|(\[\*\]|\.\*)"""
    r"""|(\.\.(?:[\w-]+|\*)|\[\d+:\d+\]|\[:-?\d+\]|\[-?\d+:\]|\[-?\d+(?:,-?\d+)+\])"""
)
_MODE = re.compile(r"(lax|strict)\s+", re.IGNORECASE)

_MARK = "\x01#"
"""The beginning of a text that is a number."""
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBERS = rf'\G((?:[^"0-9-]|"(?:[^"\\]|\\.)*+")*+)({_NUMBER})(?![\w.+-])'
"""A number, behind all that is neither a number nor the inside of a text."""
_MARKED = r'"\\u0001#([^"]*)"'
_SCIENTIFIC = r'^("\\u0001#)([^"]*[eE][^"]*|-?0\.000000[^"]*|-0(?:\.0*)?)(".*)$'
_PARTS = r"^-?([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$"
_KINDS = {"": ".", "VALUE": ".", "OBJECT": "[{]", "ARRAY": r"\[", "SCALAR": '["tfn]'}
"""The first characters of JSON, by the words of IS JSON."""


class _Path(NamedTuple):
    steps: tuple[str, ...]
    """The steps of the path, as Spark writes them. ``[*]`` are all elements, ``[1:3]`` and ``[0,2]`` some of them, and
    ``..name`` values in any depth.
    """
    is_strict: bool

    @property
    def is_definite(self) -> bool:
        """Return whether the path names one value at most."""
        return not any(map(_names_several, self.steps))


def _names_several(step: str) -> bool:
    return step == "[*]" or step.startswith("..") or (step[1] not in "'\"" and not {":", ","}.isdisjoint(step))


def _path(expr: Expr, call: Call) -> _Path:
    """The constant path of ``call``. Without a mode it is strict, as in Flink."""
    path_text = expr.value.strip() if isinstance(expr, Literal) and expr.type == "STRING" else ""
    mode = _MODE.match(path_text)
    rest = path_text[mode.end() :] if mode else path_text
    steps, end = [], 1
    for match in _STEP.finditer(rest, 1):
        if match.start() != end:
            break
        name = match[1] or match[3] or match[4]
        quote = '"' if name and "'" in name else "'"
        steps.append(f"[{quote}{name}{quote}]" if name else "[*]" if match[5] else match[0])
        end = match.end()
    if "[?(" in rest:
        # A class of json-smart, which no jar of Flink has.
        raise NotLowerable("Flink stops at a filter in a path of JSON.", call.place)
    if not rest.startswith("$") or end != len(rest):
        raise NotLowerable(
            f"{call.name} needs a constant path of names, numbers and [*], like '$.a.b[0]' or '$.a[*]'.", call.place
        )
    if call.name != "JSON_VALUE" and any(step.startswith("..") for step in steps):
        raise NotLowerable(
            f"{call.name} of a path with .. takes values in the order of the text, which Spark does not keep.",
            call.place,
        )
    return _Path(tuple(steps), mode is None or mode[1].lower() == "strict")


def _read(value: Column, call: Call) -> Column:
    """The VARIANT of a text of JSON, its numbers marked; NULL of anything else. Raises ``NotLowerable`` where Spark has
    no such type.
    """
    require_spark_4(call.name, call.place)
    return let(function_call("regexp_replace", value, text(_NUMBERS), text(r'$1"\\u0001#$2"')), _parsed)


def _parsed(marked: Column) -> Column:
    pieces = function_call("split", marked, text(r'(?="\\u0001#)'))
    spelt = function_call("array_join", fn.transform(pieces, _spelt), text(""))
    needs = function_call("rlike", marked, text(r'"\\u0001#(?:[^"]*[eE]|-?0\.000000|-0(?:\.0*)?")'))
    return function_call("try_parse_json", choice(needs, spelt, marked))


def _spelt(piece: Column) -> Column:
    """A piece of JSON that may begin with a marked number, which is given Flink's spelling."""
    before, number, behind = (
        function_call("regexp_extract", piece, text(_SCIENTIFIC), whole(group)) for group in (1, 2, 3)
    )
    spelt = function_call("concat", before, let(number, as_big_decimal), behind)
    return choice(number == "", piece, spelt)


def as_big_decimal(number: Column) -> Column:
    """A number as ``BigDecimal`` of Java writes it: ``1e3`` is ``1E+3``, ``1e-3`` is ``0.001``."""
    before, behind, power = (function_call("regexp_extract", number, text(_PARTS), whole(group)) for group in (1, 2, 3))
    digits_text = function_call("regexp_replace", function_call("concat", before, behind), text("^0+(?=.)"), text(""))
    fraction = function_call("length", behind) - function_call("coalesce", power.cast(BIGINT), whole(0))
    minus = function_call("startswith", number, text("-"))
    return let(digits_text, lambda digits: let(fraction, lambda scale: _signed(minus, digits, scale)))


def _signed(minus: Column, digits: Column, scale: Column) -> Column:
    """The number of these ``digits``, as many of them behind the point as ``scale`` says."""
    count = function_call("length", digits)
    exponent = count - 1 - scale
    padded = function_call("lpad", digits, function_call("greatest", count, scale + 1).cast(INT), text("0"))
    point = function_call("length", padded) - scale
    plain = choice(
        scale == 0,
        digits,
        function_call(
            "concat",
            function_call("left", padded, point.cast(INT)),
            text("."),
            function_call("substring", padded, (point + 1).cast(INT)),
        ),
    )
    rest = choice(count > 1, function_call("concat", text("."), function_call("substring", digits, whole(2))), text(""))
    sign = choice(exponent > 0, text("E+"), text("E"))
    tail = choice(exponent == 0, text(""), function_call("concat", sign, exponent.cast(SPARK_STRING)))
    scientific = function_call("concat", function_call("left", digits, whole(1)), rest, tail)
    negative = all_true(minus, function_call("rlike", digits, text("[1-9]")))
    unsigned = choice(all_true(scale >= 0, exponent >= -6), plain, scientific)
    return function_call("concat", choice(negative, text("-"), text("")), unsigned)


def _at(variant: Column, steps: Sequence[str], type_: str = "variant") -> Column:
    """The value at the end of ``steps`` of which each names one; ``[-1]`` is the last element."""
    where = next((index for index, step in enumerate(steps) if step.startswith("[-")), None)
    if where is not None:
        elements, number = _at(variant, steps[:where], "array<variant>"), whole(int(steps[where][1:-1]))
        element = function_call("get", elements, function_call("size", elements) + number)
        return _at(element, steps[where + 1 :], type_)
    return function_call("try_variant_get", variant, text("$" + "".join(steps)), text(type_))


def _json_of(variant: Column) -> Column:
    """The JSON of a VARIANT, NULL of none."""
    return function_call("regexp_replace", function_call("to_json", variant), text(_MARKED), text("$1"))


def _all_at(variant: Column, steps: Sequence[str]) -> Column:
    """Return the JSON of all values that a path names, as an array of texts; of none it is empty."""
    where = next(index for index, step in enumerate(steps) if _names_several(step))
    nodes, rest = _at(variant, steps[:where]), steps[where + 1 :]
    elements = _members(nodes) if steps[where] == "[*]" else _some(nodes, steps[where])
    if any(map(_names_several, rest)):
        parts = function_call("flatten", fn.transform(elements, lambda element: _all_at(element, rest)))
    else:
        texts = fn.transform(elements, lambda element: _json_of(_at(element, rest)))
        parts = fn.filter(texts, lambda part: part.isNotNull())
    return function_call("coalesce", parts, function_call("array").cast(ArrayType(SPARK_STRING)))


def _members(node: Column) -> Column:
    """All elements of an array, or the value of an object that has one."""
    words = text("[*] of an object takes its values in the order of the text, which Spark does not keep.")
    members = function_call("map_values", _at(node, (), "map<string,variant>"))
    several = function_call("size", members) > 1
    return function_call("coalesce", _at(node, (), "array<variant>"), choice(several, failing(words), members))


def _some(node: Column, step: str) -> Column:
    """The elements of an array that ``[1:3]`` or ``[0,2]`` names."""
    elements, numbers = _at(node, (), "array<variant>"), step[1:-1]
    size = function_call("size", elements)

    def place(number: str) -> Column:
        return size + whole(int(number)) if number.startswith("-") else whole(int(number))

    if "," in numbers:
        single = (fn.filter(elements, _is_at(place(number))) for number in numbers.split(","))
        return function_call("concat", *single)
    first, end = numbers.split(":")
    if end:
        elements = fn.filter(elements, lambda _, index: index < place(end))
    return fn.filter(elements, lambda _, index: index >= place(first)) if first else elements


def _is_at(place: Column) -> Callable[[Column, Column], Column]:
    return lambda _, index: index == place


def _json_at(variant: Column, path: _Path) -> Column:
    """The JSON of what a path names, NULL of nothing."""
    if path.is_definite:
        return _json_of(_at(variant, path.steps))
    listed = function_call("array_join", _all_at(variant, path.steps), text(","))
    whole_list = function_call("concat", text("["), listed, text("]"))
    if not path.is_strict:
        return unless_null(variant, whole_list)
    where = next(index for index, step in enumerate(path.steps) if _names_several(step))
    type_ = "variant" if path.steps[where] == "[*]" else "array<variant>"
    is_there = _at(variant, path.steps[:where], type_).isNotNull()
    for index, step in enumerate(path.steps[:where]):
        if step[1:-1].lstrip("-").isdecimal():
            # An element that there is not is no error where the path may name several values.
            array_there = _at(variant, path.steps[:index], "array<variant>").isNotNull()
            is_there = is_there | (array_there & _at(variant, path.steps[: index + 1]).isNull())
    return choice(is_there, whole_list)


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
    path, clauses = _path(call.args[1], call), _clauses(call)
    document = scalars.column(call.args[0])
    empty, error = (_otherwise(scalars, call, behavior, type_) for behavior in (clauses.empty, clauses.error))
    other = error if path.is_strict else _missing(document, empty, error)
    if not path.is_definite:
        return unless_null(document, other)

    def scalar(variant: Column) -> Column:
        json_text = function_call("to_json", _at(variant, path.steps))
        is_scalar = function_call("rlike", json_text, text('^["tf]'))
        return choice(is_scalar, _as(_at(variant, path.steps, "string"), json_text, type_), other)

    return unless_null(document, let(_read(document, call), scalar))


def _missing(document: Column, empty: Column, error: Column) -> Column:
    """The value of a lax path that finds nothing. In the document ``null`` that is an error."""
    return choice(function_call("rlike", document, text(r"^\s*null\s*$")), error, empty)


def _as(raw: Column, json_text: Column, type_: LogicalType) -> Column:
    """A scalar, with or without its mark, as the type of RETURNING."""
    is_number = function_call("startswith", raw, text(_MARK))
    value = choice(is_number, function_call("substring", raw, whole(3)), raw)
    if type_.root in TEXT:
        return value
    fits = {
        "INT": all_true(is_number, function_call("rlike", value, text("^-?[0-9]+$")), value.cast(INT).isNotNull()),
        "DOUBLE": all_true(is_number, function_call("rlike", value, text("[.E]"))),
        "BOOLEAN": function_call("rlike", json_text, text("^[tf]")),
    }[type_.root]
    words = text(f" is no {type_} that JSON_VALUE returns, and so Flink stops.")
    return choice(fits, value.cast(_SPARK_TYPES[type_.root]), failing(value, words))


_SPARK_TYPES = {"INT": INT, "DOUBLE": DOUBLE, "BOOLEAN": BOOLEAN}


def _json_query(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """JSON_QUERY of a path: objects and arrays, and with a wrapper anything, in an array."""
    if type_ not in (STRING, array(STRING)):
        raise NotLowerable(f"JSON_QUERY does not return {type_} here.", call.place)
    path, clauses = _path(call.args[1], call), _clauses(call)
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

    node = function_call("nullif", let(_read(document, call), lambda variant: _json_at(variant, path)), text("null"))
    value = let(node, result)
    json_text = unless_null(document, let(value, lambda value: choice(value.isNotNull(), value, other)))
    if type_ == STRING:
        return json_text
    if "EMPTY OBJECT" in (clauses.empty, clauses.error):
        raise NotLowerable("EMPTY OBJECT is no array, which JSON_QUERY returns here.", call.place)
    texts = let(_read(json_text, call), _texts)
    if clauses.error == "NULL":
        return texts
    instead = function_call("array").cast(ArrayType(SPARK_STRING))
    if clauses.error == "ERROR":
        instead = failing(text("JSON_QUERY found no array, and ERROR ON ERROR stops the query."))
    return choice(all_true(json_text.isNotNull(), texts.isNull()), instead, texts)


def _texts(variant: Column) -> Column:
    """The elements of an array of JSON as texts, scalars without quotes; NULL of anything else."""
    return fn.transform(_at(variant, (), "array<variant>"), _element_text)


def _element_text(element: Column) -> Column:
    is_scalar = function_call("rlike", function_call("to_json", element), text('^["tf]'))
    scalar = let(_at(element, (), "string"), _unmarked)
    return choice(is_scalar, scalar, function_call("nullif", _json_of(element), text("null")))


def _unmarked(raw: Column) -> Column:
    return choice(function_call("startswith", raw, text(_MARK)), function_call("substring", raw, whole(3)), raw)


def _json_exists(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """JSON_EXISTS of a path: not of one whose value is null. A strict path of nothing, or of null, is an error."""
    path, behavior = _path(call.args[1], call), _clauses(call, "FALSE").error
    value = scalars.column(call.args[0])
    if behavior == "ERROR" and path.is_strict:
        missing = failing(text("JSON_EXISTS found nothing, and ERROR ON ERROR stops the query."))
    else:
        missing = (
            {"TRUE": true(), "UNKNOWN": nothing(BOOLEAN)}.get(str(behavior), ~true()) if path.is_strict else ~true()
        )
    item = let(_read(value, call), lambda variant: _json_at(variant, path))
    return unless_null(value, choice(function_call("coalesce", item, text("null")) == "null", missing, true()))


def is_json(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """IS JSON, which is false of NULL; ``call`` has the value and the words behind IS."""
    value, words = call.args
    assert isinstance(words, Call)
    kind = words.args[0].value.removeprefix("this=") if words.args and isinstance(words.args[0], Literal) else ""
    json_text = function_call("to_json", _read(scalars.column(value), call))
    return function_call("coalesce", function_call("rlike", json_text, text(f"^{_KINDS[kind]}")), ~true())


RULES: dict[str, Rule] = {
    "JSON_EXISTS": _json_exists,
    "JSON_QUERY": _json_query,
    "JSON_VALUE": _json_value,
}
