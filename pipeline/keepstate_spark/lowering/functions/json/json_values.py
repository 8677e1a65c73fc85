"""Values in a text of JSON: read as a VARIANT of Spark, which sorts the names of objects as Flink does.

A VARIANT would round numbers, so they are read as marked texts, in the spelling that Flink gives them (that of Java's
``BigDecimal``). A path that names all values of an object takes them in the order of the text, which stays beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType

from keepstate.plan.expressions import Call
from keepstate_spark.lowering.functions.json.json_paths import JsonPath, names_several
from keepstate_spark.lowering.functions.json.marked_numbers import marked, without_marks
from keepstate_spark.lowering.older_versions import require_spark_4
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    INT,
    STRING,
    all_true,
    choice,
    function_call,
    let,
    text,
    unless_null,
    whole,
)

_SCIENTIFIC = r'^("\\u0001#)([^"]*[eE][^"]*|-?0\.000000[^"]*|-0(?:\.0*)?)(".*)$'
_PARTS = r"^-?([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$"


def read_json(value: Column, call: Call) -> Column:
    """The VARIANT of a text of JSON, its numbers marked; NULL of anything else. Raises ``NotLowerable`` where Spark has
    no such type.
    """
    require_spark_4(call.name, call.place)
    return let(marked(value), _parsed)


def _parsed(document: Column) -> Column:
    pieces = function_call("split", document, text(r'(?="\\u0001#)'))
    spelt = function_call("array_join", fn.transform(pieces, _spelt), text(""))
    needs = function_call("rlike", document, text(r'"\\u0001#(?:[^"]*[eE]|-?0\.000000|-0(?:\.0*)?")'))
    return function_call("try_parse_json", choice(needs, spelt, document))


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
    tail = choice(exponent == 0, text(""), function_call("concat", sign, exponent.cast(STRING)))
    scientific = function_call("concat", function_call("left", digits, whole(1)), rest, tail)
    negative = all_true(minus, function_call("rlike", digits, text("[1-9]")))
    unsigned = choice(all_true(scale >= 0, exponent >= -6), plain, scientific)
    return function_call("concat", choice(negative, text("-"), text("")), unsigned)


def value_at(variant: Column, steps: Sequence[str], type_: str = "variant") -> Column:
    """The value at the end of ``steps`` of which each names one; ``[-1]`` is the last element."""
    where = next((index for index, step in enumerate(steps) if step.startswith("[-")), None)
    if where is not None:
        elements = value_at(variant, steps[:where], "array<variant>")
        return value_at(_element(elements, int(steps[where][1:-1])), steps[where + 1 :], type_)
    return function_call("try_variant_get", variant, text("$" + "".join(steps)), text(type_))


def json_of(variant: Column) -> Column:
    """The JSON of a VARIANT, NULL of none."""
    return without_marks(function_call("to_json", variant))


class _Node(NamedTuple):
    """A value in a document: as a VARIANT, and as the text that has the names of objects in their order."""

    variant: Column
    text: Column

    def below(self, steps: Sequence[str]) -> _Node:
        """The value at the end of ``steps``, of which each names one."""
        json_text = self.text
        for step in steps:
            name = step[1:-1]
            if name[0] in "'\"":
                json_text = _last_text(_entries(json_text), text(name[1:-1]))
            else:
                json_text = _element_text(json_text, int(name))
        return _Node(value_at(self.variant, steps), json_text)


def _elements(json_text: Column) -> Column:
    """The texts of the elements of an array."""
    return function_call("from_json", json_text, text("array<string>"))


def _element(elements: Column, number: int) -> Column:
    """An element of an array; ``-1`` is the last one."""
    place = whole(number) if number >= 0 else function_call("size", elements) + whole(number)
    return function_call("get", elements, place)


def _element_text(json_text: Column, number: int) -> Column:
    return let(_elements(json_text), lambda elements: _element(elements, number))


def _entries(json_text: Column) -> Column:
    """The names of an object with the texts of their values, in the order of the text."""
    return function_call("map_entries", function_call("from_json", json_text, text("map<string,string>")))


def _last_text(entries: Column, name: Column) -> Column:
    """The text of a name's value: of a name that occurs twice, the last one."""
    same = fn.filter(entries, lambda entry: entry["key"] == name)
    return function_call("get", same, function_call("size", same) - whole(1))["value"]


def _all_at(node: _Node, steps: Sequence[str]) -> Column:
    """Return the JSON of all values that a path names, as an array of texts; of none it is empty."""
    where = next(index for index, step in enumerate(steps) if names_several(step))
    nodes, rest = node.below(steps[:where]), steps[where + 1 :]
    goes_on = any(map(names_several, rest))
    if steps[where] == "[*]":
        elements, texts = _members(nodes)
    else:
        elements, texts = _some(nodes, steps[where])
    if goes_on:

        def below(element: Column, index: Column) -> Column:
            return _all_at(_Node(element, function_call("get", texts, index)), rest)

        parts = function_call("flatten", fn.transform(elements, below))
    else:
        members = fn.transform(elements, lambda element: json_of(value_at(element, rest)))
        parts = fn.filter(members, lambda part: part.isNotNull())
    return function_call("coalesce", parts, function_call("array").cast(ArrayType(STRING)))


def _members(node: _Node) -> tuple[Column, Column]:
    """All elements of an array, or all values of an object in the order of the text; and their texts. Of a name that
    occurs twice the last value counts, at the place of the first.
    """
    listed = value_at(node.variant, (), "array<variant>")
    by_name = value_at(node.variant, (), "map<string,variant>")
    entries = _entries(node.text)
    names = function_call("array_distinct", fn.transform(entries, lambda entry: entry["key"]))
    members = fn.transform(names, lambda name: function_call("element_at", by_name, name))
    return (
        function_call("coalesce", listed, choice(by_name.isNotNull(), members)),
        choice(listed.isNotNull(), _elements(node.text), fn.transform(names, lambda name: _last_text(entries, name))),
    )


def _some(node: _Node, step: str) -> tuple[Column, Column]:
    """The elements of an array that ``[1:3]`` or ``[0,2]`` names; and their texts."""
    elements = value_at(node.variant, (), "array<variant>")
    texts = choice(elements.isNotNull(), _elements(node.text))
    return _slice(elements, step), _slice(texts, step)


def _slice(elements: Column, step: str) -> Column:
    """The elements that ``[1:3]`` or ``[0,2]`` names."""
    numbers = step[1:-1]
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


def json_at(document: Column, variant: Column, path: JsonPath) -> Column:
    """The JSON of what a path names, NULL of nothing."""
    if path.is_definite:
        return json_of(value_at(variant, path.steps))
    listed = function_call("array_join", _all_at(_Node(variant, document), path.steps), text(","))
    whole_list = function_call("concat", text("["), listed, text("]"))
    if not path.is_strict:
        return unless_null(variant, whole_list)
    where = next(index for index, step in enumerate(path.steps) if names_several(step))
    type_ = "variant" if path.steps[where] == "[*]" else "array<variant>"
    is_there = value_at(variant, path.steps[:where], type_).isNotNull()
    for index, step in enumerate(path.steps[:where]):
        if step[1:-1].lstrip("-").isdecimal():
            # An element that there is not is no error where the path may name several values.
            array_there = value_at(variant, path.steps[:index], "array<variant>").isNotNull()
            is_there = is_there | (array_there & value_at(variant, path.steps[: index + 1]).isNull())
    return choice(is_there, whole_list)
