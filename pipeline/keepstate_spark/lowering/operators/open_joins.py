"""Rows behind the watermark in joins by time.

Flink joins such a row as long as it keeps the partners, and the watermark of a join is the lesser one of its two
inputs: so the pace at which these come decides.

Measured with Flink 2.3: four runs of one query gave 54, 49, 49 and 44 rows.
"""

from __future__ import annotations

from pyspark.sql import Column as SparkColumn

from keepstate.plan.operators import IntervalJoin, Join, TemporalJoin
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import tables_below, time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.join_names import names_of_both
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import frame_column, function_call, large


def refuse_open_pairs(join: Join, lowering: Lowering) -> None:
    """Refuse a join by an interval of times in which a row that came late has a partner that Flink may have dropped.

    Spark looks now. A row of the right side is kept up to ``upper`` behind its time, one of the left side up to
    ``lower`` in front of it.
    """
    interval = _interval_join(join, lowering)
    if interval is None:
        return
    left, right = lowering.frame(join.left), lowering.frame(join.right)
    if left.watermark is None and right.watermark is None:
        return
    names = names_of_both(join, left, right)
    scalars = lowering.over(names)
    condition = scalars.condition(*join.conditions, *interval.conditions, *interval.time_conditions)
    left_time, right_time = (time_number(scalars.value(time)) for time in (interval.left_time, interval.right_time))
    left_mark, right_mark = _mark(left), _mark(right)
    left_end, right_end = left_time - large(int(interval.lower.value)), right_time + large(int(interval.upper.value))
    came_late = (left_time <= left_mark) | (right_time <= right_mark)
    is_held = (left_mark <= right_end) & (right_mark <= left_end) & (right_mark < right_end) & (left_mark < left_end)
    if not left.rows.join(right.rows, condition & came_late & ~is_held).isEmpty():
        raise NotLowerable(_sentence(join), join.place)


def _interval_join(join: Join, lowering: Lowering) -> IntervalJoin | None:
    lateness = lowering.lateness
    if lateness is None or not lateness.drops or not lateness.may_ask:
        return None
    return next((each for each in lateness.interval_joins if each.mark == join.mark), None)


def refuse_open_versions(join: TemporalJoin, left: NamedFrame, right: NamedFrame, lowering: Lowering) -> None:
    """Refuse FOR SYSTEM_TIME AS OF where a version came behind the watermark of a row that it holds for, or a row
    behind that of a later version. Spark looks now.
    """
    lateness = lowering.lateness
    if lateness is None or not lateness.drops or not lateness.may_ask or join.as_of is None:
        return
    times = [expr for expr in right.names.columns if lowering.is_time(expr)]
    if len(times) != 1 or not lowering.is_time(join.as_of):
        return
    row_time = time_number(lowering.scalars(left).value(join.as_of))
    version_time = time_number(lowering.scalars(right).value(times[0]))
    is_open = ((version_time <= row_time) & (row_time <= _mark(right))) | (
        (row_time < version_time) & (version_time <= _mark(left))
    )
    keys = lowering.over(names_of_both(join, left, right)).condition(*join.conditions)
    if not left.rows.join(right.rows, keys & is_open).isEmpty():
        raise NotLowerable(_sentence(join), join.as_of_place or join.place)


def _mark(frame: NamedFrame) -> SparkColumn:
    """The watermark when a row came; the least number where there was none."""
    least = large(-(2**62))
    return least if frame.watermark is None else function_call("coalesce", frame_column(frame.watermark), least)


def _sentence(join: Join) -> str:
    tables = dict.fromkeys(", ".join(map(tables_below, join.inputs)).split(", "))
    return (
        f"Rows of {', '.join(tables)} come behind the watermark. Whether Flink joins them depends on the pace of both "
        "inputs."
    )
