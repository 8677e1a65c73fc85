"""Rows as a sink takes them: all of its columns, cast to its types, and without NULL where it takes none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window

from keepstate.plan.provenance import Place
from keepstate.plan.types.logical_types import LONGEST, LogicalType, varchar
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.operators.plan_frames import Result
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import NULL_TYPE
from keepstate_spark.lowering.spark_columns import (
    choice,
    failing,
    frame_column,
    function_call,
    nothing,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.sink import SinkColumn

_TEXT = varchar(LONGEST)
"""The type of a constant of PARTITION, as the script writes it."""
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_LTZ")


def as_sink_takes_it(
    result: Result,
    sink: Sequence[SinkColumn],
    zone: str,
    drops_null_rows: bool,
    place: Place | None,
    ordered_by: int | None = None,
) -> Result:
    """Return ``result`` with the names and types of ``sink``, as Flink casts it by itself.

    A NULL in a column that is NOT NULL ends the query, as in Flink; with ``drops_null_rows`` its row is left out.
    Of rows with one primary key the last one by the column ``ordered_by`` of the query stays; without it they end the
    query.

    Raises ``NotLowerable`` for a value that does not become one of the type of its column; ``place`` is the select
    list.
    """
    columns, types = [], []
    for index, column in enumerate(sink):
        source = _TEXT if column.source is None else result.types[column.source]
        target = column.type or source
        converted = _filled(column, source, target, zone)
        if converted is None:
            raise NotLowerable(f"A {source} does not become a {target}, the type of {column.name} in its table.", place)
        may_be_null = column.source is not None and result.nullable[column.source]
        if not column.nullable and may_be_null and not drops_null_rows:
            words = f"Column '{column.name}' is NOT NULL, and a NULL is written into it. Flink stops here."
            converted = function_call("coalesce", converted, failing(text(words)))
        columns.append(converted.alias(f"c{index}"))
        types.append(target)
    rows = result.rows.select(*columns)
    if drops_null_rows:
        for index, column in enumerate(sink):
            if not column.nullable:
                rows = rows.filter(frame_column(f"c{index}").isNotNull())
    if any(column.is_key for column in sink):
        rows = _one_of_each_key(rows, sink, ordered_by)
    names, nullable = tuple(column.name for column in sink), tuple(column.nullable for column in sink)
    return replace(result, rows=rows, names=names, types=tuple(types), nullable=nullable)


def _filled(column: SinkColumn, source: LogicalType, target: LogicalType, zone: str) -> Column | None:
    """The values of a column of the sink: of the query, the constant of PARTITION, or NULL; ``None`` for a cast that is
    not known.
    """
    if column.constant is not None:
        return cast(text(column.constant), source, target, zone)
    if column.source is None or source == NULL_TYPE:
        type_ = spark_type(target)
        return None if type_ is None else nothing(type_)
    return cast(frame_column(f"c{column.source}"), source, target, zone, strict=False)


def _one_of_each_key(rows: DataFrame, sink: Sequence[SinkColumn], ordered_by: int | None) -> DataFrame:
    """Return the rows that a sink keeps in the end: the last one of each primary key."""
    keys = [frame_column(f"c{index}") for index, column in enumerate(sink) if column.is_key]
    times = [
        frame_column(f"c{index}")
        for index, column in enumerate(sink)
        if ordered_by is not None and column.source == ordered_by and column.type is not None
        if column.type.root in _MOMENTS
    ]
    window = Window.partitionBy(*keys)
    if times:
        number = function_call("row_number").over(window.orderBy(times[0].desc()))
        return rows.withColumn("number", number).filter(frame_column("number") == whole(1)).drop("number")
    words = ", ".join(column.name for column in sink if column.is_key)
    sentence = f"Several rows have one PRIMARY KEY ({words}). Which one the sink keeps, if any, depends on their order."
    is_one = choice(function_call("count", whole(1)).over(window) > whole(1), failing(text(sentence)), true())
    return rows.withColumn("is_one", is_one).filter(frame_column("is_one")).drop("is_one")
