"""Spark's types for the values of Flink's types.

TIMESTAMP is ``timestamp_ntz``, TIMESTAMP_LTZ an instant (``timestamp_ltz``), TIME the milliseconds of its day: Spark
has no such type before 4.1. INTERVAL is a number of milliseconds or months. CHAR and VARCHAR are strings, whose lengths
casts enforce.

Types are objects and never text: the names of the fields of a ROW come from scripts.
"""

from __future__ import annotations

from pyspark.sql import types as spark

from keepstate.plan.types.logical_types import LogicalType

MICROSECONDS = 6
"""Digits of a second that Spark keeps."""

_SAME: dict[str, spark.DataType] = {
    "BOOLEAN": spark.BooleanType(),
    "TINYINT": spark.ByteType(),
    "SMALLINT": spark.ShortType(),
    "INT": spark.IntegerType(),
    "BIGINT": spark.LongType(),
    "FLOAT": spark.FloatType(),
    "DOUBLE": spark.DoubleType(),
    "DATE": spark.DateType(),
    "TIME": spark.IntegerType(),
    "CHAR": spark.StringType(),
    "VARCHAR": spark.StringType(),
    "BINARY": spark.BinaryType(),
    "VARBINARY": spark.BinaryType(),
    "TIMESTAMP": spark.TimestampNTZType(),
    "TIMESTAMP_LTZ": spark.TimestampType(),
    "INTERVAL SECOND": spark.LongType(),
    "INTERVAL MONTH": spark.LongType(),
}


def spark_type(type_: LogicalType) -> spark.DataType | None:
    """The Spark type for values of ``type_``; ``None`` if Spark cannot hold all of them."""
    if type_.root in ("TIMESTAMP", "TIMESTAMP_LTZ") and (type_.precision or 0) > MICROSECONDS:
        return None
    if type_.root == "DECIMAL":
        return spark.DecimalType(type_.precision or 0, type_.scale or 0)
    elements = [spark_type(element) for element in type_.elements]
    known_elements = [element for element in elements if element is not None]
    if len(known_elements) < len(elements):
        return None
    match type_.root:
        case "ARRAY":
            return spark.ArrayType(known_elements[0])
        case "MULTISET":
            return spark.MapType(known_elements[0], spark.IntegerType())
        case "MAP":
            return spark.MapType(known_elements[0], known_elements[1])
        case "ROW":
            fields = (spark.StructField(name, type_) for name, type_ in zip(type_.names, known_elements, strict=True))
            return spark.StructType(list(fields))
    return _SAME.get(type_.root)
