"""Functions that need no more than their arguments, by name and number of arguments.

A function that depends on types or on constants has a rule in one of the other modules. A query with any other function
is refused. Flink's own answers were recorded: ``tests/spark/flink/values.tsv``.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.spark_columns import (
    BINARY,
    DOUBLE,
    INSTANT,
    STRING,
    all_true,
    choice,
    function_call,
    nothing,
    text,
    true,
    unless_null,
    whole,
)

Function = Callable[..., Column]
"""From columns to a column."""

_SAME = """
CHAR_LENGTH/1       char_length
REVERSE/1           reverse
REPEAT/2            repeat
CONCAT/*            concat
CONCAT_WS/*         concat_ws
||/2                concat
LTRIM/1             ltrim
RTRIM/1             rtrim
BTRIM/1             trim
INSTR/2             instr
LOCATE/2            locate
POSITION/2          locate
STARTSWITH/2        startswith
ENDSWITH/2          endswith
REGEXP_COUNT/2      regexp_count
UUID/0              uuid
MD5/1               md5
SHA1/1              sha1
SHA2/2              sha2
HEX/1               hex
BIN/1               bin
URL_ENCODE/1        url_encode
URL_DECODE/1        try_url_decode
POWER/2             power
SQRT/1              sqrt
EXP/1               exp
SIN/1               sin
COS/1               cos
TAN/1               tan
COT/1               cot
ASIN/1              asin
ACOS/1              acos
ATAN/1              atan
ATAN2/2             atan2
SINH/1              sinh
COSH/1              cosh
TANH/1              tanh
DEGREES/1           degrees
RADIANS/1           radians
PI/0                pi
E/0                 e
ARRAY_JOIN/2        array_join
ARRAY_JOIN/3        array_join
ARRAY_DISTINCT/1    array_distinct
ARRAY_REVERSE/1     reverse
ARRAY_POSITION/2    array_position
ARRAY_MAX/1         array_max
ARRAY_MIN/1         array_min
ARRAY_APPEND/2      array_append
ARRAY_PREPEND/2     array_prepend
ARRAY_CONCAT/*      concat
ARRAY_UNION/2       array_union
ARRAY_EXCEPT/2      array_except
ARRAY_INTERSECT/2   array_intersect
ENCODE/2            encode
DECODE/2            decode
MAP_FROM_ARRAYS/2   map_from_arrays
MAP_UNION/2         map_concat
"""
"""``NAME/count`` (``*`` for any number) and the function of Spark that takes the same arguments."""


def replacement(value: Column) -> Column:
    """A text that stands for itself where a regular expression is replaced."""
    escaped = function_call("replace", value, text("\\"), text("\\\\"))
    return function_call("replace", escaped, text("$"), text("\\$"))


def split(value: Column, separator: Column) -> Column:
    """The parts of a text between separators, which are no regular expressions."""
    return function_call("split", value, function_call("concat", text("\\Q"), separator, text("\\E")))


def _end(function: str) -> Function:
    def taken(value: Column, length: Column) -> Column:
        return choice(length <= 0, unless_null(value, text("")), function_call(function, value, length))

    return taken


def _trimmed(function: str) -> Function:
    return lambda value, characters: function_call(function, characters, value)


def _replaced(value: Column, pattern: Column, substitute: Column) -> Column:
    return function_call("regexp_replace", value, pattern, replacement(substitute))


def _from(value: Column, start: Column) -> Column:
    before = start < -function_call("char_length", value)
    return choice(before, text(""), function_call("substring", value, start))


def _part(value: Column, start: Column, length: Column) -> Column:
    before = start < -function_call("char_length", value)
    return choice(
        length < 0, nothing(STRING), choice(before, text(""), function_call("substring", value, start, length))
    )


def _hash(bits: int) -> Function:
    return lambda value: function_call("sha2", value, whole(bits))


def _in_case(function: str) -> Function:
    """UPPER and LOWER. Spark leaves the inner one of both out, though ``ß`` and others do not come back."""
    return lambda value: function_call(function, function_call("concat", value, text("")))


def _all_of(characters: str) -> Function:
    return lambda value: function_call("coalesce", function_call("rlike", value, text(characters)), ~true())


def _logarithm(function: str) -> Function:
    def of(value: Column) -> Column:
        infinite, no_number = (text(word).cast("double") for word in ("-Infinity", "NaN"))
        return choice(value == 0, infinite, choice(value < 0, no_number, function_call(function, value)))

    return of


def logarithm_to(base: Column, value: Column, ln: Function) -> Column:
    """The logarithm of ``value`` to any ``base``, by natural ones. Division by zero is that of Java."""
    number, of_base = ln(value), ln(base)
    infinite = choice(number == 0, text("NaN").cast(DOUBLE), number * text("Infinity").cast(DOUBLE))
    return choice(of_base == 0, infinite, number / of_base)


def _holding(array: Column, element: Column) -> Column:
    """ARRAY_CONTAINS, which finds NULL as well."""
    return unless_null(array, fn.exists(array, lambda each: each.eqNullSafe(element)))


def _located(part: Column, value: Column, start: Column) -> Column:
    """LOCATE from a place on; places in front of the text are its beginning."""
    position = function_call("locate", part, value, function_call("greatest", start, whole(1)))
    return choice(part == "", unless_null(value, unless_null(start, whole(1))), unless_null(start, position))


def _translated(value: Column, characters: Column, substitutes: Column) -> Column:
    """TRANSLATE: NULL stands for no character."""
    none = text("")
    return function_call(
        "translate", value, function_call("coalesce", characters, none), function_call("coalesce", substitutes, none)
    )


def _now() -> Column:
    return time_columns.truncated(function_call("current_timestamp"), 3, INSTANT)


def _sliced(array: Column, start: Column, end: Column | None = None) -> Column:
    """ARRAY_SLICE: from one place to another, counted from 1, or from the end by negative numbers."""
    size = function_call("size", array)

    def place(index: Column) -> Column:
        counted = choice(index < 0, size + 1 + index, index)
        return choice(counted == 0, whole(1), counted)

    first = function_call("greatest", place(start), whole(1))
    last = size if end is None else function_call("least", place(end), size)
    part = function_call("slice", array, first, function_call("greatest", last - first + 1, whole(0)))
    are_known = all_true(array.isNotNull(), start.isNotNull(), last.isNotNull() if end is None else end.isNotNull())
    return choice(are_known, part)


_COMPOSED: dict[str, Function] = {
    "LEFT/2": _end("left"),
    "UPPER/1": _in_case("upper"),
    "LOWER/1": _in_case("lower"),
    "RIGHT/2": _end("right"),
    "LTRIM/2": _trimmed("ltrim"),
    "RTRIM/2": _trimmed("rtrim"),
    "BTRIM/2": _trimmed("trim"),
    "REGEXP_REPLACE/3": _replaced,
    "SUBSTRING/2": _from,
    "SUBSTRING/3": _part,
    **{f"SHA{bits}/1": _hash(bits) for bits in (224, 256, 384, 512)},
    "TO_BASE64/1": lambda value: function_call("base64", value.cast(BINARY)),
    # Flink asks each half of a character that takes two.
    "IS_ALPHA/1": _all_of(r"^[\p{L}&&[\x{0}-\x{FFFF}]]+\z"),
    "IS_DIGIT/1": _all_of(r"^[\p{Nd}&&[\x{0}-\x{FFFF}]]+\z"),
    "CHR/1": lambda number: choice(number < 0, text(""), function_call("chr", number % 256)),
    "LN/1": _logarithm("ln"),
    "LOG/1": _logarithm("ln"),
    "LOG/2": lambda base, value: logarithm_to(base, value, _logarithm("ln")),
    "LOG2/1": _logarithm("log2"),
    "LOG10/1": _logarithm("log10"),
    "CARDINALITY/1": lambda collection: unless_null(collection, function_call("size", collection)),
    "ARRAY_CONTAINS/2": _holding,
    "ARRAY_REMOVE/2": lambda array, element: fn.filter(array, lambda each: ~each.eqNullSafe(element)),
    "LOCATE/3": _located,
    "TRANSLATE/3": _translated,
    "ARRAY_SLICE/2": _sliced,
    "ARRAY_SLICE/3": _sliced,
    **dict.fromkeys(("CURRENT_TIMESTAMP/0", "CURRENT_ROW_TIMESTAMP/0", "PROCTIME/0"), _now),
}


def _plain(name: str) -> Function:
    return lambda *args: function_call(name, *args)


PLAIN: dict[str, Function] = {
    **{name: _plain(function) for name, function in (line.split() for line in _SAME.strip().splitlines())},
    **_COMPOSED,
}
"""Functions that make a column of the arguments, by ``NAME/count`` (``*`` for any number)."""


def plain_function(name: str, count: int) -> Function | None:
    """Return the function that makes a column of the ``count`` arguments of a call of ``name``; ``None`` if there is
    none.
    """
    return PLAIN.get(f"{name}/{count}") or PLAIN.get(f"{name}/*")
