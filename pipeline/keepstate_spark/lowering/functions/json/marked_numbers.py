"""Documents of JSON with each number as a marked text, so that Spark keeps the number as it is written."""

from __future__ import annotations

from pyspark.sql import Column

from keepstate_spark.lowering.spark_columns import choice, function_call, text, whole

MARK = "\x01#"
"""The beginning of a text that is a number."""
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBERS = rf'\G((?:[^"0-9-]|"(?:[^"\\]|\\.)*+")*+)({_NUMBER})(?![\w.+-])'
"""A number, behind all that is neither a number nor the inside of a text."""
_MARKED = r'"\\u0001#([^"]*)"'


def marked(document: Column) -> Column:
    """``document`` with marked numbers."""
    return function_call("regexp_replace", document, text(_NUMBERS), text(r'$1"\\u0001#$2"'))


def has_marks(document: Column) -> Column:
    """Return whether Spark wrote ``document`` of a part of a marked document with numbers."""
    return function_call("rlike", document, text(_MARKED))


def without_marks(document: Column) -> Column:
    """JSON that Spark wrote of a part of a marked document, with its numbers again."""
    return function_call("regexp_replace", document, text(_MARKED), text("$1"))


def is_number(value: Column) -> Column:
    """Return whether ``value``, a text in a marked document, is a number."""
    return function_call("startswith", value, text(MARK))


def without_mark(value: Column) -> Column:
    """``value``, a text in a marked document that may be a number, without the mark."""
    return choice(is_number(value), function_call("substring", value, whole(len(MARK) + 1)), value)
