"""Sessions as a stream makes them of rows that come out of order.

A session is closed when the watermark reaches its last millisecond. A row that comes later begins another one, however
near it lies, and is left out if that one would be closed as well. So sessions depend on the order in which rows come,
which is why the rows of a key are gone through one by one, though only of keys where it makes a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from keepstate.plan.operators import Operator, WindowSyntax
from keepstate.plan.operators import Window as FlinkWindow
from keepstate_spark import windows
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import LateRows, closing, example_text, tables_below
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    all_true,
    choice,
    frame_column,
    function_call,
    large,
    let,
    nothing,
    true,
)
from keepstate_spark.lowering.windows.arrival_folds import by_arrival, struct
from keepstate_spark.windows.clock import MICROSECONDS, WallClock, interval

_TIME, _FIRST, _KEY, _ITEMS, _ITEM = (f"__keepstate_{word}" for word in ("time", "first", "key", "items", "item"))
_SHOWN = f"{_TIME}_shown"


def sessions_in_time(
    frame: NamedFrame,
    clock: WallClock,
    window: FlinkWindow,
    gap: int,
    parts: Sequence[Column],
    operator: Operator,
    lowering: Lowering,
    names: windows.WindowColumns,
) -> DataFrame:
    """The rows of ``frame``, which has a watermark, in the sessions that a stream makes of them; those that come too
    late are left out or only counted.
    """
    lateness, mark = lowering.lateness, frame_column(frame.watermark or "")
    assert lateness is not None
    time = lowering.scalars(frame).value(window.time)
    closes = _Closing(clock.zone, legacy=window.syntax is WindowSyntax.LEGACY)
    keys = [f"{_KEY}{number}" for number in range(len(parts))]
    rows = frame.rows.where(clock.local_time.isNotNull())
    rows = rows.select(
        "*",
        function_call("floor", clock.micros / MICROSECONDS).cast(BIGINT).alias(_TIME),
        *(part.alias(key) for part, key in zip(parts, keys, strict=True)),
    )
    near = Window.partitionBy(*keys).orderBy(_TIME).rangeBetween(-gap, Window.currentRow)
    odd = rows.withColumn(_FIRST, function_call("min", frame_column(_TIME)).over(near) + large(gap))
    odd = odd.where(closes.at(frame_column(_FIRST)) <= mark).select(*keys).distinct()
    plain = windows.session(frame.rows, clock, gap, parts, names=names)
    if not lateness.may_ask or odd.isEmpty():
        return plain
    if frame.at_most:
        lateness.certain(replace(frame, rows=odd), true(), operator, window.kind.value)
        return plain
    odd = fn.broadcast(odd.toDF(*(f"{key}_odd" for key in keys)))
    condition = all_true(*(frame_column(key).eqNullSafe(frame_column(f"{key}_odd")) for key in keys))
    gone_through = _gone_through(rows.join(odd, condition, "left_semi"), frame, keys, gap, closes)
    late_rows = LateRows(tables_below(operator), window.kind.value, left_out=lateness.drops)
    row, begin, end = (frame_column(_ITEM).getField(name) for name in ("r", "s", "e"))
    example = example_text(SparkValue(row.getField(_SHOWN), time.type), row.getField(frame.watermark or ""))
    if not lateness.drops:
        lateness.look(gone_through, late_rows, begin.isNull(), example)
        return plain
    gone_through = lateness.watched(gone_through, late_rows, begin.isNull(), example)
    own = [row.getField(name).alias(name) for name in frame.rows.columns]
    bounds = [time_columns.of_milliseconds(bound) for bound in (begin, end)]
    sessions = gone_through.where(begin.isNotNull()).select(
        *own,
        bounds[0].alias(names.start),
        bounds[1].alias(names.end),
        clock.moment(bounds[1] - interval(1)).alias(names.time),
    )
    calm = rows.join(odd, condition, "left_anti").select(*frame.rows.columns)
    return windows.session(calm, clock, gap, parts, names=names).unionAll(sessions)


class _Closing:
    """Times at which Flink closes sessions: at the last millisecond; sessions in GROUP BY not before 1970."""

    def __init__(self, zone: str | None, legacy: bool) -> None:
        self._zone = zone
        self._legacy = legacy

    def at(self, end: Column) -> Column:
        """The watermark that closes a session that ends at ``end``, in milliseconds of the wall clock."""
        last = function_call("greatest", end - 1, large(0)) if self._legacy else end - 1
        if self._zone is None:
            return last
        return closing(time_columns.of_milliseconds(last), True, self._zone)


def _gone_through(rows: DataFrame, frame: NamedFrame, keys: Sequence[str], gap: int, closes: _Closing) -> DataFrame:
    """A row for each of ``rows`` with the column ``_ITEM``: the row as it was, ``r``, and start and end of its session,
    ``s`` and ``e``, which are NULL for a row that came too late.
    """
    row = function_call(
        "struct",
        *map(frame_column, frame.rows.columns),
        time_columns.of_milliseconds(frame_column(_TIME)).alias(_SHOWN),
    )
    # Of each row its place, its time, the watermark when it came, and itself.
    item = struct(a=frame_column(frame.arrival[0]), t=frame_column(_TIME), w=frame_column(frame.watermark or ""), r=row)
    groups = rows.groupBy(*keys).agg(function_call("collect_list", item).alias(_ITEMS))
    in_order = fn.array_sort(frame_column(_ITEMS), by_arrival)

    def step(state: Column, row: Column) -> Column:
        """The state behind ``row``: it joins the sessions that it touches, begins one of its own, or is late."""
        mark, reach = row.getField("w"), row.getField("t") + large(gap)

        def is_open(open_: Column) -> Column:
            return mark.isNull() | (closes.at(open_.getField("e")) > mark)

        def touches(open_: Column) -> Column:
            return (open_.getField("s") <= reach) & (open_.getField("e") >= row.getField("t"))

        def behind(parted: Column, sides: Column) -> Column:
            still, closing, near, far = (
                of.getField(name) for of, name in ((parted, "still"), (parted, "gone"), (sides, "near"), (sides, "far"))
            )
            late = (function_call("size", near) == 0) & sides.getField("closed")
            start = function_call("coalesce", function_call("array_min", _each(near, "s")), row.getField("t"))
            end = function_call("coalesce", function_call("array_max", _each(near, "e")), row.getField("t"))
            members = function_call("flatten", _each(near, "rows"))
            session = struct(
                s=function_call("least", row.getField("t"), start),
                e=function_call("greatest", reach, end),
                rows=function_call("concat", members, function_call("array", row.getField("r"))),
            )
            finished, late_before = state.getField("done"), state.getField("late")
            return struct(
                open=choice(late, still, function_call("concat", far, function_call("array", session))),
                done=choice(function_call("size", closing) == 0, finished, function_call("concat", finished, closing)),
                late=choice(
                    late, function_call("concat", late_before, function_call("array", row.getField("r"))), late_before
                ),
            )

        opened = state.getField("open")
        parted = struct(
            still=fn.filter(opened, is_open),
            gone=fn.filter(opened, lambda open_: closes.at(open_.getField("e")) <= mark),
        )

        def chosen(parted: Column) -> Column:
            sides = struct(
                near=fn.filter(parted.getField("still"), touches),
                far=fn.filter(parted.getField("still"), lambda open_: ~touches(open_)),
                closed=function_call("coalesce", closes.at(reach) <= mark, ~true()),
            )
            return let(sides, lambda sides: behind(parted, sides))

        return let(parted, chosen)

    def finished(state: Column) -> Column:
        def members(closed: Column) -> Column:
            bounds = closed.getField("s"), closed.getField("e")
            return fn.transform(closed.getField("rows"), lambda row: struct(s=bounds[0], e=bounds[1], r=row))

        sessions = function_call("concat", state.getField("done"), state.getField("open"))
        late = fn.transform(state.getField("late"), lambda row: struct(s=nothing(BIGINT), e=nothing(BIGINT), r=row))
        return function_call("concat", function_call("flatten", fn.transform(sessions, members)), late)

    # Empty arrays that have their types of the rows.
    none = fn.filter(frame_column(_ITEMS), lambda _: ~true())
    no_rows = _each(none, "r")
    no_sessions = fn.transform(
        none,
        lambda row: struct(s=row.getField("t"), e=row.getField("t"), rows=function_call("array", row.getField("r"))),
    )
    begun = struct(open=no_sessions, done=no_sessions, late=no_rows)
    return groups.select(function_call("explode", fn.aggregate(in_order, begun, step, finished)).alias(_ITEM))


def _each(structs: Column, field: str) -> Column:
    """An array with one field of each structure in an array."""
    return fn.transform(structs, lambda each: each.getField(field))
