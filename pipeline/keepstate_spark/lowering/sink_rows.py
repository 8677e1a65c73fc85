"""Rows as a sink takes them: all of its columns, cast to its types, and without NULL where it takes none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column

from keepstate.plan.provenance import Place
from keepstate.plan.types.logical_types import LONGEST, LogicalType, varchar
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.operators.plan_frames import Result
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import NULL_TYPE
from keepstate_spark.lowering.spark_columns import failing, frame_column, function_call, nothing, text
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.sink import SinkColumn

_TEXT = varchar(LONGEST)
"""The type of a constant of PARTITION, as the script writes it."""


def as_sink_takes_it(
    result: Result, sink: Sequence[SinkColumn], zone: str, drops_null_rows: bool, place: Place | None
) -> Result:
    """Return ``result`` with the names and types of ``sink``, as Flink casts it by itself.

    A NULL in a column that is NOT NULL ends the query, as in Flink; with ``drops_null_rows`` its row is left out.

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
