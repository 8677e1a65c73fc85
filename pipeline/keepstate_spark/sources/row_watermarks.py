"""The watermark in force when a row came: the largest one of the rows before it, in the order of files and lines.

That is the latest watermark of a stream with one reader; up to 1970 there is none, so nothing is late there. Flink
sends it to its operators a little later, every 200 ms or when the watermark has advanced by as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import frame_column, large

_LISTED = "file:///"
_BUNCH = 5
"""Two to this power neighbouring lines are looked at as one at first."""


@dataclass(frozen=True)
class RowTimes:
    """The time of a row, and the watermark that the row gives: ``delay`` milliseconds earlier where that is constant,
    else ``None``.
    """

    time: SparkValue
    mark: SparkValue
    delay: int | None

    @property
    def mark_number(self) -> Column:
        """The watermark in milliseconds."""
        if self.delay is None:
            return time_number(self.mark)
        # To subtract from a number costs far less than to subtract from a time.
        return time_number(self.time) - large(self.delay)


def with_watermark(rows: DataFrame, arrival: str, value: Column, name: str, by_parts: bool) -> DataFrame:
    """``rows`` with the column ``name``: the largest ``value``, in milliseconds, of all rows that came before.

    ``arrival`` is the column that orders them: a structure of file (its name or number), part of the file, and line.
    Few rows are ordered as a whole, and ``by_parts`` those of large tables.
    """
    rows = rows.withColumn(name, _emitted(value))
    if not by_parts:
        before = Window.orderBy(arrival).rowsBetween(Window.unboundedPreceding, -1)
        return rows.withColumn(name, fn.max(name).over(before))
    file, part, line = (frame_column(arrival).getField(name) for name in ("file", "part", "line"))
    parts = rows.groupBy(file.alias("file"), part.alias("part")).agg(fn.max(name).alias("largest")).collect()
    marks: list[tuple[str, int, int | None]] = []
    largest: int | None = None
    for row in sorted(parts, key=lambda row: (row["file"], row["part"])):
        marks.append((row["file"], row["part"], largest))
        largest = max((mark for mark in (largest, row["largest"]) if mark is not None), default=None)
    fields = (("file", _type_of_file(rows, arrival)), ("part", LongType()), ("reached", LongType()))
    schema = StructType([StructField(f"keepstate_{field}", type_) for field, type_ in fields])
    mark_rows = fn.broadcast(rows.sparkSession.createDataFrame(marks, schema))
    rows = rows.join(mark_rows, (file == fn.col("keepstate_file")) & (part == fn.col("keepstate_part")))
    before = Window.partitionBy(file, part).orderBy(line).rowsBetween(Window.unboundedPreceding, -1)
    rows = rows.withColumn(name, fn.greatest(fn.max(name).over(before), fn.col("keepstate_reached")))
    return rows.drop("keepstate_file", "keepstate_part", "keepstate_reached")


def with_watermarks_behind(rows: DataFrame, number: str, marks: Sequence[tuple[int, int]], name: str) -> DataFrame:
    """``rows`` with the column ``name`` in the place of ``number``: the watermark in front of those rows that are
    behind it, by their numbers, and NULL for all others.
    """
    schema = StructType([StructField(f"{name}_of", LongType()), StructField(name, LongType())])
    few = fn.broadcast(rows.sparkSession.createDataFrame(list(marks), schema))
    return rows.join(few, frame_column(number) == frame_column(f"{name}_of"), "left").drop(number, f"{name}_of")


def in_batches(rows: DataFrame, name: str, between: int) -> DataFrame:
    """``rows`` with the watermarks ``name`` that are left of those of ``with_watermark`` in mini-batches: the first one
    of each stretch of ``between`` milliseconds, from the second stretch since 1970 on.
    """
    mark = frame_column(name)
    batch = fn.floor((mark + 1) / between)
    first = fn.min(mark).over(Window.partitionBy(batch))
    return rows.withColumn(name, fn.when(batch > 0, first))


def comes_by_clock(rows: DataFrame, value: Column, name: str, interval: int) -> bool:
    """Return whether a row has a watermark that Flink sends by the clock of the job, once in ``interval`` milliseconds:
    it is no further ahead of the one before. ``name`` is the column of ``with_watermark`` for ``value``.
    """
    before = fn.coalesce(fn.col(name), large(0))
    close = rows.where((value > before) & (value - before <= interval)).select(value.alias(f"{name}_close"))
    return not rows.join(close, fn.col(name) == fn.col(f"{name}_close"), "left_semi").isEmpty()


def _emitted(mark: Column) -> Column:
    """A watermark as Flink sends it: before and at 1970, where its generator begins, there is none."""
    return fn.when(mark > 0, mark)


def may_be_behind(rows: DataFrame, arrival: str, row_times: RowTimes, files: Sequence[str]) -> bool:
    """Return whether any of ``rows`` may have come behind the watermark, a millisecond in front of it, or up to 1970.

    One pass over the times of a table that sorts and shuffles none of its rows: neighbouring lines are treated as one.
    Only where most lines lie further apart than the watermark waits, a second pass looks at each row. ``files`` are the
    names that the field ``file`` of ``arrival`` takes, in their order.
    """
    place = frame_column(arrival)
    numbered = not isinstance(_type_of_file(rows, arrival), StringType)
    # A number is grouped by faster than the long name of a file.
    file = place.getField("file").cast(LongType()) if numbered else fn.xxhash64(place.getField("file"))
    if len(files) < 2:
        file = large(0)
    marks = [] if row_times.delay is not None else [row_times.mark.column.alias("mark")]
    few = rows.select(
        file.alias("file"),
        place.getField("part").alias("part"),
        place.getField("line").alias("line"),
        row_times.time.column.alias("time"),
        *marks,
    )
    parts = _parts(_in_bunches(few), row_times.delay, 0)
    if _overlap(rows, parts, [] if numbered else files):
        return True
    behind = sum(part["behind"] for part in parts)
    if 2 * behind < sum(part["lines"] for part in parts):
        return bool(behind)
    exact = few.select("file", "part", "line", "time", fn.col("time" if row_times.delay is not None else "mark"))
    parts = _parts(exact.toDF("file", "part", "line", "time", "latest"), row_times.delay, -1)
    return any(part["behind"] for part in parts)


def _type_of_file(rows: DataFrame, arrival: str) -> DataType:
    place = rows.schema[arrival].dataType
    assert isinstance(place, StructType)
    return place["file"].dataType


def _in_bunches(few: DataFrame) -> DataFrame:
    """The earliest and the latest time of each bunch of lines, the latter of the watermarks if they are given."""
    latest = "mark" if "mark" in few.columns else "time"
    groups = few.groupBy("file", "part", fn.shiftright("line", _BUNCH).alias("line"))
    return groups.agg(fn.min("time").alias("earliest"), fn.max(latest).alias("latest"))


def _parts(lines: DataFrame, delay: int | None, up_to: int) -> list[Row]:
    """A row for each part of a file: its earliest time, its largest watermark, and how many of its ``lines`` have a
    time that is behind the lines before, the line at the distance ``up_to`` included.
    """
    lines = lines.toDF("file", "part", "line", "earliest", "latest")
    # Numbers of aggregates only: to make a number of a time costs more than to read it.
    mark = time_columns.milliseconds(frame_column("latest")) - large(delay or 0)
    lines = lines.select(
        "file", "part", "line", time_columns.milliseconds(frame_column("earliest")).alias("time"), mark.alias("mark")
    )
    before = Window.partitionBy("file", "part").orderBy("line").rowsBetween(Window.unboundedPreceding, up_to)
    behind = frame_column("time") <= fn.greatest(fn.max("mark").over(before), large(0)) + 1
    parts = lines.withColumn("behind", behind).groupBy("file", "part")
    return parts.agg(
        fn.min("time").alias("earliest"),
        fn.max("mark").alias("largest"),
        fn.count_if("behind").alias("behind"),
        fn.count("time").alias("lines"),
    ).collect()


def _overlap(rows: DataFrame, parts: Sequence[Row], files: Sequence[str]) -> bool:
    """Return whether a row of a part of a file may be behind the watermark of the parts before. Without the names of
    ``files`` their numbers are their order.
    """
    several = len({part["file"] for part in parts}) > 1
    ranks = _ranks(rows, files) if files and several else {part["file"]: part["file"] for part in parts}
    if not ranks.keys() >= {part["file"] for part in parts}:
        return True
    largest = 0
    for part in sorted(parts, key=lambda part: (ranks[part["file"]], part["part"])):
        if part["earliest"] is not None and part["earliest"] <= largest + 1:
            return True
        largest = max(largest, part["largest"] or 0)
    return False


def _ranks(rows: DataFrame, files: Sequence[str]) -> Mapping[int, int]:
    """The places of files in their order by the numbers that stand for their names; none if two have the same one."""
    spellings = [(rank, spelling) for rank, name in enumerate(files) for spelling in {name, _short(name)}]
    names = rows.sparkSession.createDataFrame(spellings, "rank int, name string")
    ranks = {row["number"]: row["rank"] for row in names.select("rank", fn.xxhash64("name").alias("number")).collect()}
    return ranks if len(ranks) == len(spellings) else {}


def _short(name: str) -> str:
    """The name of a file as it stands beside rows: Spark lists files of this machine with three slashes."""
    return "file:/" + name.removeprefix(_LISTED) if name.startswith(_LISTED) else name
