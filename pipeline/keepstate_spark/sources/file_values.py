"""Values of files as columns of Spark: from the texts of JSON and CSV to Flink's types.

A column is NULL for an invalid value, so that such a row can be distinguished from one without a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.older_versions import try_cast
from keepstate_spark.lowering.spark_columns import (
    DATE,
    INSTANT,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    text,
    unless_null,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type

_WHOLE = r"^\s*[+-]?\d+(\.0*)?\s*$"
_NUMBER = r"^\s*[+-]?\d+(\.\d*)?\s*$"
_LOCAL = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$"
_INSTANT = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$"
_LEAST_PLACES, _MOST_DOUBLED = 16, 16
"""The places of the smallest table of hashes, and how often it may double."""
_DAY = r"^\d{4}-\d{2}-\d{2}$"


def read(
    raw: Column, type_: LogicalType, words: tuple[str, ...], nested: bool, tolerant: bool = False
) -> Column | None:
    """Return ``raw``, a string column, as a value of ``type_``; ``None`` if values of that type cannot be read.

    ``words`` are the declared type, whose field names JSON uses; ``nested`` is true if values may be JSON. In a
    ``tolerant`` table an invalid value within a value is NULL.
    """
    held_in = spark_type(type_)
    precision = type_.precision or 0
    match type_.root:
        case _ if held_in is None:
            return None
        case "CHAR" | "VARCHAR":
            return raw
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            # Flink cuts the fraction of a number of JSON.
            return choice(_fits(raw, _NUMBER if nested else _WHOLE), raw.cast(held_in))
        case "BOOLEAN":
            # As Java, Flink takes each other text for FALSE.
            return function_call("lower", function_call("trim", raw)) == "true"
        case "DECIMAL" | "FLOAT" | "DOUBLE":
            return raw.cast(held_in)
        case "DATE":
            return choice(_fits(raw, _DAY), try_cast(raw, DATE))
        case "TIME":
            return time_columns.parsed_time(raw)
        case "TIMESTAMP":
            return time_columns.truncated(choice(_fits(raw, _LOCAL), try_cast(raw, WALL_CLOCK)), precision, WALL_CLOCK)
        case "TIMESTAMP_LTZ":
            return time_columns.truncated(choice(_fits(raw, _INSTANT), try_cast(raw, INSTANT)), precision, INSTANT)
        case "BINARY" | "VARBINARY":
            return function_call("try_to_binary", raw, text("base64"))
        case "ARRAY" | "MAP" | "ROW" if nested and held_in is not None:
            schema = _spelled(type_, iter(_names(type_)), list(words))
            assert isinstance(schema, (spark.ArrayType, spark.MapType, spark.StructType))
            texts = fn.from_json(raw, schema, {"mode": "PERMISSIVE" if tolerant else "FAILFAST"})
            if tolerant and type_.root == "ROW":
                # Spark makes a row of NULLs of what is no object.
                texts = choice(_fits(raw, r"^\s*\{"), texts)
            return _inner(texts, type_, schema, tolerant).cast(held_in)
    return None


def csv_value(raw: Column, type_: LogicalType, null: str | None) -> Column:
    """A value of CSV: nothing is an empty text, FALSE, and NULL for all other types, where Flink stops. So is the text
    ``null``.
    """
    if type_.root not in ("CHAR", "VARCHAR", "BOOLEAN"):
        text_value = function_call("nullif", function_call("trim", raw), text(""))
    else:
        text_value = function_call("coalesce", raw, text(""))
    return text_value if null is None else function_call("nullif", text_value, text(null))


def is_invalid(raw: Column, value: Column, type_: LogicalType) -> Column:
    """Return whether ``raw``, read as ``value``, is no value of ``type_``. A DECIMAL that is too large is one: NULL."""
    number = raw.cast("double") if type_.root == "DECIMAL" else value
    return raw.isNotNull() & number.isNull()


def _inner(texts: Column, type_: LogicalType, schema: spark.DataType, tolerant: bool) -> Column:
    """A value within JSON, of ``texts`` in the place of single values."""
    match schema:
        case spark.StructType():
            fields = (
                _inner(texts.getField(field.name), element, field.dataType, tolerant).alias(field.name)
                for field, element in zip(schema.fields, type_.elements, strict=True)
            )
            return unless_null(texts, function_call("struct", *fields))
        case spark.ArrayType():
            return fn.transform(texts, lambda each: _inner(each, type_.elements[0], schema.elementType, tolerant))
        case spark.MapType():
            element = type_.elements[1]
            return fn.transform_values(
                _hashed(texts), lambda _, each: _inner(each, element, schema.valueType, tolerant)
            )
    value, held_in = read(texts, type_, (), nested=True), spark_type(type_)
    if value is None or held_in is None:
        return texts
    if tolerant or type_.root in ("CHAR", "VARCHAR"):
        return value
    # Its row cannot be identified, and so the run ends.
    problem = function_call("concat", text(f"no {type_}: "), texts)
    return choice(is_invalid(texts, value, type_), failing(problem).cast(held_in), value)


def _hashed(texts: Column) -> Column:
    """A MAP with its entries in the order of the table of hashes in which Flink's reader of JSON puts them: by their
    places in a table of at least 16, of which no more than three quarters are taken, and in one place as they came.
    """
    size = fn.size(texts)
    places = whole(_LEAST_PLACES)
    for doubled in range(_MOST_DOUBLED):
        entries = whole((_LEAST_PLACES * 3 // 4) << doubled)
        places = choice(size > entries, whole(_LEAST_PLACES << (doubled + 1)), places)

    def place(entry: Column, index: Column) -> Column:
        hashed = fn.hash(entry.getField("key"))
        spread = hashed.bitwiseXOR(function_call("shiftrightunsigned", hashed, whole(16)))
        return function_call("struct", spread.bitwiseAND(places - 1).alias("place"), index.alias("index"))

    entries = function_call("map_entries", texts)
    order = function_call("sort_array", fn.transform(entries, place))
    in_order = fn.transform(order, lambda one: function_call("get", entries, one.getField("index")))
    return choice(size > 1, function_call("map_from_entries", in_order), texts)


def _fits(raw: Column, pattern: str) -> Column:
    return function_call("rlike", raw, text(pattern))


def _names(type_: LogicalType) -> Iterator[str]:
    """The names of fields in a type, in the order in which they are written."""
    for index, element in enumerate(type_.elements):
        if type_.names:
            yield type_.names[index]
        yield from _names(element)


def _spelled(type_: LogicalType, names: Iterator[str], words: list[str]) -> spark.DataType:
    """The type of Spark with texts as single values. Its names of fields are those of the declaration, since canonical
    types have them in upper case.
    """
    match type_.root:
        case "ROW":
            fields = []
            for element in type_.elements:
                name = next(names)
                position = next((index for index, word in enumerate(words) if word.upper() == name), None)
                if position is not None:
                    name = words[position]
                    del words[: position + 1]
                fields.append(spark.StructField(name, _spelled(element, names, words)))
            return spark.StructType(fields)
        case "ARRAY":
            return spark.ArrayType(_spelled(type_.elements[0], names, words))
        case "MAP":
            # Flink takes texts alone as keys.
            return spark.MapType(spark.StringType(), _spelled(type_.elements[1], names, words))
    return spark.StringType()


def declared_words(text: str) -> tuple[str, ...]:
    """The words and names of a column as it is written."""
    words = re.findall(r"`(?:[^`]|``)+`|[\w$]+", text)
    return tuple(word[1:-1].replace("``", "`") if word.startswith("`") else word for word in words)
