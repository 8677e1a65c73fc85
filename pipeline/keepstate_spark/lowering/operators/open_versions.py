"""FOR SYSTEM_TIME AS OF a time, with rows or versions behind the watermark.

Flink keeps a row until the watermark of the join reaches its time, and then takes the last version up to there. The
watermark is the lesser one of the two inputs, so the pace decides in two cases: the version came when the watermark of
its own table had reached the time of the row; or the row came when that of its table had reached a later version, for
which Flink lets former ones go. Only rows count that have a version which meets the other
conditions of the join: the rest has none at any pace.

Measured with Flink 2.3: eight runs of one query gave three different results.
"""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import Column as SparkColumn

from keepstate.plan.operators import TemporalJoin
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.paces import pace_decides
from keepstate_spark.lowering.spark_columns import choice, frame_column, function_call, large


class VersionConditions(NamedTuple):
    """Conditions of the join on a row and a version: ``same_keys`` finds versions, ``rest`` is put to the one found."""

    same_keys: SparkColumn
    rest: SparkColumn


def refuse_open_versions(
    join: TemporalJoin, left: NamedFrame, right: NamedFrame, conditions: VersionConditions, lowering: Lowering
) -> None:
    """Refuse a join in which the pace of both inputs decides about the version of a row. Spark looks now."""
    lateness = lowering.lateness
    if lateness is None or not lateness.drops or not lateness.may_ask or join.as_of is None:
        return
    times = [expr for expr in right.names.columns if lowering.is_time(expr)]
    if len(times) != 1 or not lowering.is_time(join.as_of):
        return
    row, row_time, version_time = lowering.name("row"), lowering.name("row_time"), lowering.name("version_time")
    time = time_number(lowering.scalars(left).value(join.as_of))
    of_version = time_number(lowering.scalars(right).value(times[0]))
    rows = left.rows.select("*", time.alias(row_time), function_call("monotonically_increasing_id").alias(row))
    versions = right.rows.select("*", of_version.alias(version_time))
    holds = frame_column(version_time) <= frame_column(row_time)
    came_late = holds & (frame_column(row_time) <= _mark(right))
    is_gone = ~holds & (frame_column(version_time) <= _mark(left))
    if rows.join(versions, conditions.same_keys & (came_late | is_gone)).isEmpty():
        return
    place = function_call("struct", frame_column(version_time), *map(frame_column, right.arrival))
    of_row = rows.join(versions, conditions.same_keys).groupBy(row)
    answers = of_row.agg(
        function_call("max_by", came_late, choice(holds, place)).alias("late"),
        function_call("max", is_gone).alias("gone"),
        function_call("max", holds & conditions.rest).alias("meets"),
    )
    # A row without a version has no answer to the first question.
    is_open = frame_column("late") | (frame_column("late").isNotNull() & frame_column("gone"))
    if not answers.where(is_open & frame_column("meets")).isEmpty():
        raise pace_decides(join, join.as_of_place)


def _mark(frame: NamedFrame) -> SparkColumn:
    """The watermark when a row came; the least number where there was none."""
    least = large(-(2**62))
    return least if frame.watermark is None else function_call("coalesce", frame_column(frame.watermark), least)
