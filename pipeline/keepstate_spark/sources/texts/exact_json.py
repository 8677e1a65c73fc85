"""JSON as texts, with numbers as they are written.

From Spark 4.0 on its readers keep them. Spark 3.5 writes them anew: ``1.50`` as ``1.5``, and ``1e400`` as
``"Infinity"``. There a document is read with marked numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate_spark.lowering.functions.json.marked_numbers import has_marks, marked, without_mark, without_marks
from keepstate_spark.lowering.spark_columns import choice, function_call, let, text, unless_null, whole

Nested: TypeAlias = spark.StructType | spark.ArrayType | spark.MapType
"""Types that JSON is parsed as."""
IS_OF_SPARK = hasattr(fn, "try_parse_json")
"""The readers of Spark keep numbers."""
_STRUCTURE = r"^[\[{]"
_PAIR = r"\\uD[89AB][0-9A-F]{2}\\uD[C-F][0-9A-F]{2}"
_PAIR_LENGTH = 12


def parsed(document: Column, type_: Nested, options: Mapping[str, str]) -> Column:
    """Return ``from_json`` of ``document``, whose ``type_`` has texts in the place of single values."""
    if IS_OF_SPARK:
        return fn.from_json(document, type_, dict(options))
    return let(marked_values(document, type_, options), lambda value: unmarked(value, type_))


def marked_values(document: Column, type_: Nested, options: Mapping[str, str]) -> Column:
    """The same with marks, for a frame of which ``unmarked`` is another step."""
    return fn.from_json(marked(document), type_, dict(options))


def unmarked(value: Column, type_: spark.DataType) -> Column:
    """``value``, of ``marked_values``, without marks."""
    match type_:
        case spark.StructType():
            fields = (unmarked(value.getField(one.name), one.dataType).alias(one.name) for one in type_.fields)
            return unless_null(value, function_call("struct", *fields))
        case spark.ArrayType():
            return fn.transform(value, lambda each: unmarked(each, type_.elementType))
        case spark.MapType():
            return fn.transform_values(value, lambda _, each: unmarked(each, type_.valueType))
    # Flink too writes numbers anew in an object or a list.
    anew = function_call("get_json_object", without_marks(value), text("$"))
    structure = let(choice(has_marks(value), anew, value), _characters)
    return choice(function_call("rlike", value, text(_STRUCTURE)), structure, without_mark(value))


def _characters(document: Column) -> Column:
    """``document`` with the characters for which Spark 3.5 writes pairs of escapes."""
    pieces = function_call("split", document, text(f"(?={_PAIR})"))
    characters = function_call("array_join", fn.transform(pieces, _first_character), text(""))
    return choice(function_call("rlike", document, text(_PAIR)), characters, document)


def _first_character(piece: Column) -> Column:
    pair = function_call("substring", piece, whole(1), whole(_PAIR_LENGTH))
    listed = fn.from_json(function_call("concat", text('["'), pair, text('"]')), spark.ArrayType(spark.StringType()))
    rest = function_call("substring", piece, whole(_PAIR_LENGTH + 1))
    character = function_call("concat", function_call("get", listed, whole(0)), rest)
    return choice(function_call("rlike", piece, text(f"^{_PAIR}")), character, piece)
