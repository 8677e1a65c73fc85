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
    let,
    text,
    unless_null,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.sources.texts import exact_json
from keepstate_spark.sources.texts.forms import (
    TextForm,
    approximate,
    boolean,
    bytes_of,
    day,
    decimal,
    in_place,
    instant,
    is_decimal,
    time_of_day,
    wall_clock,
    whole_number,
)

_LEAST_PLACES, _MOST_DOUBLED = 16, 16
"""The places of the smallest table of hashes, and how often it may double."""
_WHOLE = r"^\s*[+-]?\d+(\.0*)?\s*$"
_DAY = r"^\d{4}-\d{2}-\d{2}$"
_LOCAL = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$"
_OBJECT = r"^\s*\{"


def read(raw: Column, type_: LogicalType, words: tuple[str, ...], form: TextForm) -> Column | None:
    """Return ``raw``, a string column, as a value of ``type_``; ``None`` if values of that type cannot be read.

    ``words`` are the declared type, whose field names JSON uses. In a tolerant table an invalid value within a value is
    NULL.
    """
    held_in = spark_type(type_)
    if held_in is None:
        return None
    if type_.root in ("CHAR", "VARCHAR"):
        return raw
    if type_.elements:
        if not form.is_json or type_.root == "MULTISET":
            return None
        schema = _spelled(type_, iter(_names(type_)), list(words))
        assert isinstance(schema, (spark.ArrayType, spark.MapType, spark.StructType))
        texts = exact_json.parsed(raw, schema, {"mode": "PERMISSIVE" if form.tolerant else "FAILFAST"})
        if form.tolerant and type_.root == "ROW":
            # Spark makes a row of NULLs of what is no object.
            texts = choice(_fits(raw, _OBJECT), texts)
        # In each place where it stands, a text would be parsed again.
        value = let(texts, lambda one: _inner(one, type_, schema, form)).cast(held_in)
    else:
        scalar = _scalar(raw, type_, held_in, form)
        if scalar is None:
            return None
        value = scalar
    return in_place(raw, value, held_in) if form.is_json and form.tolerant else value


def _scalar(raw: Column, type_: LogicalType, held_in: spark.DataType, form: TextForm) -> Column | None:
    """The same of a type without elements that is no text."""
    precision = type_.precision or 0
    match type_.root:
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return whole_number(raw, held_in, form)
        case "BOOLEAN":
            return boolean(raw, form)
        case "DECIMAL":
            return decimal(raw, held_in, form)
        case "FLOAT" | "DOUBLE":
            return approximate(raw, held_in)
        case "DATE":
            return day(raw, form)
        case "TIME":
            return time_of_day(raw, form)
        case "TIMESTAMP":
            return time_columns.truncated(wall_clock(raw, form), precision, WALL_CLOCK)
        case "TIMESTAMP_LTZ":
            return time_columns.truncated(instant(raw, form), precision, INSTANT)
        case "BINARY" | "VARBINARY":
            return bytes_of(raw, form)
    return None


def folder_value(raw: Column, type_: LogicalType) -> Column:
    """``raw``, a part of the name of a folder, as a value of ``type_``."""
    held_in = spark_type(type_)
    assert held_in is not None
    match type_.root:
        case "CHAR" | "VARCHAR":
            return raw
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return choice(_fits(raw, _WHOLE), raw.cast(held_in))
        case "BOOLEAN":
            return function_call("lower", function_call("trim", raw)) == text("true")
        case "DATE":
            return choice(_fits(raw, _DAY), try_cast(raw, DATE))
        case "TIMESTAMP":
            value = choice(_fits(raw, _LOCAL), try_cast(raw, WALL_CLOCK))
            return time_columns.truncated(value, type_.precision or 0, WALL_CLOCK)
    return raw.cast(held_in)


def csv_value(raw: Column, type_: LogicalType, null: str | None) -> Column:
    """A text of CSV: nothing is an empty one, and ``null`` is NULL."""
    text_value = function_call("coalesce", raw, text(""))
    return text_value if null is None else function_call("nullif", text_value, text(null))


def is_invalid(raw: Column, value: Column, type_: LogicalType, form: TextForm) -> Column:
    """Return whether ``raw``, read as ``value``, is no value of ``type_``. A DECIMAL that is too large is one: NULL."""
    invalid = raw.isNotNull() & value.isNull()
    return invalid & ~is_decimal(raw, form) if type_.root == "DECIMAL" else invalid


def standard_hint(raw: Column, type_: LogicalType, form: TextForm) -> Column:
    """Words about the option with which ``raw``, no time of JSON in its ``form``, is one; else an empty text."""
    read_time = {"TIMESTAMP": wall_clock, "TIMESTAMP_LTZ": instant}.get(type_.root)
    if read_time is None or not form.is_json:
        return text("")
    other = TextForm(is_json=True, iso=not form.iso)
    standard = "ISO-8601" if other.iso else "SQL"
    words = text(f" (which it is where the format has 'timestamp-format.standard' = '{standard}')")
    return choice(read_time(raw, other).isNotNull(), words, text(""))


def _inner(texts: Column, type_: LogicalType, schema: spark.DataType, form: TextForm) -> Column:
    """A value within JSON, of ``texts`` in the place of single values."""
    match schema:
        case spark.StructType():
            fields = (
                _inner(texts.getField(field.name), element, field.dataType, form).alias(field.name)
                for field, element in zip(schema.fields, type_.elements, strict=True)
            )
            return unless_null(texts, function_call("struct", *fields))
        case spark.ArrayType():
            return fn.transform(texts, lambda each: _inner(each, type_.elements[0], schema.elementType, form))
        case spark.MapType():
            element = type_.elements[1]
            return fn.transform_values(_hashed(texts), lambda _, each: _inner(each, element, schema.valueType, form))
    if type_.root in ("FLOAT", "DOUBLE"):
        # Spark puts the name of what is too large in quotes.
        texts = function_call("translate", texts, text('"'), text(""))
    value, held_in = read(texts, type_, (), form), spark_type(type_)
    if value is None or held_in is None:
        return texts
    if form.tolerant or type_.root in ("CHAR", "VARCHAR"):
        return value
    # Its row cannot be identified, and so the run ends.
    problem = function_call("concat", text(f"no {type_}: "), texts)
    return choice(is_invalid(texts, value, type_, form), failing(problem).cast(held_in), value)


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
