"""The order of DISTINCT values over OVER windows of a stream.

Flink appends a value when it comes into the frame and is not there yet, and takes it away when its last row has left.
So its place is that of the first row of a run: rows of the value each of which came while the one before was in the
frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window, WindowSpec

from keepstate_spark.lowering.spark_columns import BIGINT, choice, frame_column, function_call, large


def with_runs(
    rows: DataFrame, value: Column, keys: Sequence[Column], ordered: WindowSpec, time: Column | None,
    length: int | None, names: Sequence[str],
) -> DataFrame:  # fmt: skip
    """``rows`` with the number of the row that begins the run of its ``value``, under the last one of four ``names``.

    ``ordered`` is the window of all rows of ``keys`` in their order. A frame reaches ``length`` back, in milliseconds
    of ``time`` or in rows; ``None`` is the first row.
    """
    number, of_value, start, run = names
    at = function_call("row_number").over(ordered).cast(BIGINT)
    rows = rows.select("*", at.alias(number), value.alias(of_value))
    same = Window.partitionBy(*keys, frame_column(of_value)).orderBy(number)
    place = frame_column(number) if time is None else time
    before = function_call("lag", place).over(same)
    begins = before.isNull() if length is None else before.isNull() | (place - before > large(length))
    rows = rows.withColumn(start, choice(begins, frame_column(number)))
    up_to = same.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return rows.withColumn(run, function_call("max", frame_column(start)).over(up_to))
