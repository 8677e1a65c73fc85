"""Rows as a sink takes them: cast to its types, and without NULL where it takes none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.plan.provenance import Place
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.operators.plan_frames import Result
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import NULL_TYPE
from keepstate_spark.lowering.spark_columns import failing, frame_column, function_call, nothing, text
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.sink import SinkColumn


def as_sink_takes_it(
    result: Result, sink: Sequence[SinkColumn], zone: str, drops_null_rows: bool, place: Place | None
) -> Result:
    """Return ``result`` with the names and types of ``sink``, as Flink casts it by itself.

    A NULL in a column that is NOT NULL ends the query, as in Flink; with ``drops_null_rows`` its row is left out.

    Raises ``NotLowerable`` for a value that does not become one of the type of its column; ``place`` is the select
    list.
    """
    columns, types = [], []
    for index, (column, source) in enumerate(zip(sink, result.types, strict=True)):
        target = column.type or source
        value = frame_column(f"c{index}")
        converted = nothing(spark_type(target)) if source == NULL_TYPE else cast(value, source, target, zone, False)
        if converted is None:
            raise NotLowerable(f"A {source} does not become a {target}, the type of {column.name} in its table.", place)
        if not column.nullable and result.nullable[index] and not drops_null_rows:
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
