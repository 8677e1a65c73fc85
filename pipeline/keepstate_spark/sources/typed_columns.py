"""Columns that have types of Spark (Parquet, Delta, DataFrames), as values of Flink's types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column
from pyspark.sql import types as spark

from keepstate.plan.catalog import ColumnDefinition
from keepstate.plan.types.logical_types import LogicalType, timestamp, timestamp_ltz
from keepstate_spark.errors import PipelineError
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.spark_columns import WALL_CLOCK
from keepstate_spark.lowering.spark_types import spark_type

TypedColumn = tuple[ColumnDefinition, LogicalType]


def typed_columns(
    table: str,
    place: str,
    fields: Mapping[str, Column],
    types: Mapping[str, spark.DataType],
    typed: Sequence[TypedColumn],
    zone: str,
) -> dict[str, Column]:
    """The columns of ``table`` by their names, of rows at ``place`` with these ``fields`` of these ``types``.

    Raises ``PipelineError`` for a column that is missing there, or has a type with other values.
    """
    names = [column.metadata or column.name for column, _ in typed]
    require_columns(table, place, names, list(types))
    columns = {}
    for (column, type_), name in zip(typed, names, strict=True):
        value = _from_spark(fields[name], types[name], type_, zone)
        if value is None:
            spark_type_name = types[name].simpleString()
            raise PipelineError(
                f"The column {name} of {table} is a {type_}, and in {place} it is a {spark_type_name}.",
                "Declare the type that is there.",
            )
        columns[column.name] = value
    return columns


def require_columns(table: str, place: str, names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise ``PipelineError`` unless ``columns``, those at ``place``, have all ``names`` that a table reads."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise PipelineError(
            f"The table {table} has {'a column' if len(missing) == 1 else 'columns'} {', '.join(missing)} that "
            f"{place} has not; there are {', '.join(columns)}.",
            "Mend the CREATE TABLE, or name other rows.",
        )


def require_single(table: str, typed: Sequence[TypedColumn], columns: Sequence[str]) -> None:
    """Raise ``PipelineError`` if two of ``columns``, those of a DataFrame, have a name that a table reads."""
    doubled = [name for column, _ in typed if columns.count(name := column.metadata or column.name) > 1]
    if doubled:
        raise PipelineError(
            f"The DataFrame of {table} has {columns.count(doubled[0])} columns {doubled[0]}, and it is not clear which "
            "one is meant.",
            "Drop or rename the others.",
        )


_INTEGERS: tuple[type[spark.DataType], ...] = (spark.ByteType, spark.ShortType, spark.IntegerType, spark.LongType)


def _from_spark(value: Column, source: spark.DataType, type_: LogicalType, zone: str) -> Column | None:
    """A column of the Spark type ``source`` as a value of ``type_``, if all of its values are such; else ``None``."""
    target = spark_type(type_)
    if target is None:
        return None
    if isinstance(source, _INTEGERS) and isinstance(target, _INTEGERS) and type_.root != "TIME":
        fits = _INTEGERS.index(type(source)) <= _INTEGERS.index(type(target))
        return value.cast(target) if fits else None
    if isinstance(source, spark.TimestampType) and type_.root == "TIMESTAMP_LTZ":
        return cast(value, timestamp_ltz(6), type_, zone)
    if isinstance(source, (spark.TimestampType, spark.TimestampNTZType)):
        # Writers that know no other type put wall-clock times into files as instants in UTC.
        return cast(value.cast(WALL_CLOCK), timestamp(6), type_, zone) if type_.root == "TIMESTAMP" else None
    if isinstance(source, spark.DecimalType) and type_.root == "DECIMAL":
        digits = source.precision - source.scale
        fits = digits <= (type_.precision or 0) - (type_.scale or 0) and source.scale <= (type_.scale or 0)
        return value.cast(target) if fits else None
    same = source == target or (isinstance(source, spark.FloatType) and isinstance(target, spark.DoubleType))
    return value.cast(target) if same or (type_.elements and _same_shape(source, target)) else None


def _same_shape(source: spark.DataType, target: spark.DataType) -> bool:
    """Return whether two types are equal apart from the names of fields and nullability."""
    match source, target:
        case spark.ArrayType(), spark.ArrayType():
            return _same_shape(source.elementType, target.elementType)
        case spark.MapType(), spark.MapType():
            return _same_shape(source.keyType, target.keyType) and _same_shape(source.valueType, target.valueType)
        case spark.StructType(), spark.StructType():
            return len(source.fields) == len(target.fields) and all(
                _same_shape(one.dataType, other.dataType)
                for one, other in zip(source.fields, target.fields, strict=True)
            )
    return source == target
