"""The watermark in force when a row came: the largest one of the rows before it, in the order of files and lines.

That is the latest watermark of a stream with one reader; up to 1970 there is none, so nothing is late there. Flink
sends it to its operators a little later, every 200 ms or when the watermark has advanced by as much.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import LongType, StringType, StructField, StructType

from keepstate_spark.lowering.columns import held

_REACHED = StructType(
    [
        StructField("keepstate_file", StringType()),
        StructField("keepstate_part", LongType()),
        StructField("keepstate_reached", LongType()),
    ]
)
_NARROW = 4
"""Two to this power lines are looked at as one, where it is only asked whether any row is behind."""


def with_watermark(rows: DataFrame, arrival: str, value: Column, name: str, large: bool) -> DataFrame:
    """``rows`` with the column ``name``: the largest ``value``, in milliseconds, of all rows that came before.

    ``arrival`` is the column that orders them: a structure of file, part of the file, and line. Few rows are ordered as
    a whole, ``large`` tables part by part.
    """
    rows = rows.withColumn(name, _sent(value))
    if not large:
        before = Window.orderBy(arrival).rowsBetween(Window.unboundedPreceding, -1)
        return rows.withColumn(name, fn.max(name).over(before))
    file, part, line = (held(arrival).getField(name) for name in ("file", "part", "line"))
    parts = rows.groupBy(file.alias("file"), part.alias("part")).agg(fn.max(name).alias("largest")).collect()
    marks: list[tuple[str, int, int | None]] = []
    largest: int | None = None
    for row in sorted(parts, key=lambda row: (row["file"], row["part"])):
        marks.append((row["file"], row["part"], largest))
        largest = max((mark for mark in (largest, row["largest"]) if mark is not None), default=None)
    mark_rows = fn.broadcast(rows.sparkSession.createDataFrame(marks, _REACHED))
    rows = rows.join(mark_rows, (file == fn.col("keepstate_file")) & (part == fn.col("keepstate_part")))
    before = Window.partitionBy(file, part).orderBy(line).rowsBetween(Window.unboundedPreceding, -1)
    rows = rows.withColumn(name, fn.greatest(fn.max(name).over(before), fn.col("keepstate_reached")))
    return rows.drop("keepstate_file", "keepstate_part", "keepstate_reached")


def _sent(mark: Column) -> Column:
    """A watermark as Flink sends it: before and at 1970, where its generator begins, there is none."""
    return fn.when(mark > 0, mark)


def may_be_behind(rows: DataFrame, arrival: str, time: Column, value: Column) -> bool:
    """Return whether any of ``rows`` may have come behind the watermark, or a millisecond in front of it.

    One pass over the times of a large table, without sorting its rows: a few neighbouring lines are treated as one.
    """
    place = [held(arrival).getField(name).alias(name) for name in ("file", "part", "line")]
    few = rows.select(*place, time.alias("time"), value.alias("mark"))
    bunch = fn.shiftright("line", _NARROW).alias("bunch")
    bunches = few.groupBy("file", "part", bunch).agg(fn.min("time").alias("time"), fn.max("mark").alias("mark"))
    up_to = Window.partitionBy("file", "part").orderBy("bunch").rowsBetween(Window.unboundedPreceding, 0)
    behind = fn.col("time") <= fn.max("mark").over(up_to) + 1
    bunches = bunches.withColumn("behind", behind)
    parts = bunches.groupBy("file", "part").agg(
        fn.min("time"), fn.max("mark"), fn.coalesce(fn.max("behind"), fn.lit(False))
    )
    largest: int | None = None
    for _, _, earliest, mark, inside in sorted(parts.collect(), key=lambda row: (row[0], row[1])):
        if inside or (largest is not None and earliest is not None and earliest <= largest + 1):
            return True
        largest = max((bound for bound in (largest, mark) if bound is not None), default=None)
    return False
