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
from keepstate_spark.lowering.spark_columns import DATE, INSTANT, WALL_CLOCK, choice, function_call, text
from keepstate_spark.lowering.spark_types import spark_type

_WHOLE = r"^\s*[+-]?\d+(\.0*)?\s*$"
_LOCAL = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$"
_INSTANT = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$"
_DAY = r"^\d{4}-\d{2}-\d{2}$"


def read(raw: Column, type_: LogicalType, words: tuple[str, ...], nested: bool) -> Column | None:
    """Return ``raw``, a string column, as a value of ``type_``; ``None`` if values of that type cannot be read.

    ``words`` are the declared type, whose field names JSON uses; ``nested`` is true if values may be JSON.
    """
    held_in = spark_type(type_)
    precision = type_.precision or 0
    match type_.root:
        case _ if held_in is None:
            return None
        case "CHAR" | "VARCHAR":
            return raw
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return choice(_fits(raw, _WHOLE), raw.cast(held_in))
        case "BOOLEAN":
            word = function_call("lower", function_call("trim", raw))
            return fn.when(word == "true", True).when(word == "false", False)
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
            # A value that cannot be read in there ends the run, since its row cannot be identified.
            return fn.from_json(raw, schema, {"mode": "FAILFAST"}).cast(held_in)
    return None


def _fits(raw: Column, pattern: str) -> Column:
    return function_call("rlike", raw, text(pattern))


def _names(type_: LogicalType) -> Iterator[str]:
    """The names of fields in a type, in the order in which they are written."""
    for index, element in enumerate(type_.elements):
        if type_.names:
            yield type_.names[index]
        yield from _names(element)


def _spelled(type_: LogicalType, names: Iterator[str], words: list[str]) -> spark.DataType:
    """The type of Spark, names of fields as they are declared: canonical types have them in upper case."""
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
            key, value = (_spelled(element, names, words) for element in type_.elements)
            return spark.MapType(key, value)
    return spark_type(type_) or spark.StringType()


def declared_words(text: str) -> tuple[str, ...]:
    """The words and names of a column as it is written."""
    words = re.findall(r"`(?:[^`]|``)+`|[\w$]+", text)
    return tuple(word[1:-1].replace("``", "`") if word.startswith("`") else word for word in words)
