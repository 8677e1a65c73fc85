"""Rows that a bounded OVER window or a sort takes, and the parts that Flink's clean-up of state divides a key into.

Flink keeps for each key the time of the last timer that went off. A row is late if it does not lie behind that time,
which is 0 (1970) where there is none: a row behind the watermark counts if no later one of its key was looked at yet.
A frame of a time also sets timers at which its state ends, one and a half lengths behind a row; one of them that is
not put off takes the rows and the last time away, and a row that comes then begins anew. So the rows of a key are gone
through one by one in the order in which they came, though only of keys with a row behind the watermark or before 1970.

A sort by a time keeps that time for all rows, and where there is none no row is late.

Seen with Flink 2.3 and 1.20, a watermark after each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate.plan.operators import Calc, Operator, OverAggregate
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import LateRows, example_text, tables_below, time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable
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
from keepstate_spark.lowering.time_columns import of_milliseconds
from keepstate_spark.lowering.windows.arrival_folds import by_arrival, struct

_TIME, _KEY, _ITEMS, _PARTS, _ITEM = (f"__keepstate_{word}" for word in ("time", "key", "items", "parts", "item"))
_SHOWN = f"{_TIME}_shown"


def over_in_time(
    frame: NamedFrame,
    time: SparkValue,
    keys: Sequence[Column],
    length: int | None,
    operator: Operator,
    lowering: Lowering,
) -> tuple[NamedFrame, list[Column]]:
    """The rows of ``frame`` that a bounded OVER window takes, and the columns that divide its keys further.

    ``length`` is that of a frame of a time, in milliseconds; ``None`` for a frame of rows, whose state does not end.
    Late rows are left out or only counted.
    """
    return _in_time(frame, time, keys, _Rule("OVER", length, 0), operator, lowering)


def sorted_in_time(frame: NamedFrame, time: SparkValue, operator: Operator, lowering: Lowering) -> NamedFrame:
    """The rows of ``frame`` that a sort by ``time`` takes."""
    sorted_frame, _ = _in_time(frame, time, (), _Rule("ORDER BY", None, None), operator, lowering)
    return sorted_frame


class _Rule(NamedTuple):
    """Parameters of an operator, ``words`` its name: the ``length`` of its frame, and the time before which its rows
    are late from the beginning, ``None`` if there is none.
    """

    words: str
    length: int | None
    start: int | None


def _in_time(
    frame: NamedFrame, time: SparkValue, keys: Sequence[Column], rule: _Rule, operator: Operator, lowering: Lowering
) -> tuple[NamedFrame, list[Column]]:
    lateness = lowering.lateness
    if frame.watermark is None or lateness is None:
        return frame, []
    mark = frame_column(frame.watermark)
    names = [f"{_KEY}{number}" for number in range(len(keys))]
    rows = frame.rows.select(
        "*", time_number(time).alias(_TIME), *(key.alias(name) for key, name in zip(keys, names, strict=True))
    )
    behind = frame_column(_TIME) <= mark
    if rule.start is not None:
        behind = behind | (frame_column(_TIME) <= large(rule.start))
    if frame.at_most:
        return replace(lateness.certain(replace(frame, rows=rows), behind, operator, rule.words), rows=frame.rows), []
    odd = rows.where(behind).select(*names).distinct()
    if not lateness.may_ask:
        return lateness.counted(frame, time, operator, rule.words), []
    if odd.isEmpty():
        return replace(frame, watermark=None), []
    if rule.length is not None and lateness.drops and _is_above_over(operator):
        raise NotLowerable(
            "The state of this OVER ends by the order in which the OVER below sends its rows out, and some are late.",
            operator.place,
        )
    odd = fn.broadcast(odd.toDF(*(f"{name}_odd" for name in names)))
    is_odd = (
        all_true(*(frame_column(name).eqNullSafe(frame_column(f"{name}_odd")) for name in names)) if names else true()
    )
    gone_through = _gone_through(rows.join(odd, is_odd, "left_semi"), frame, names, rule)
    row, part = (frame_column(_ITEM).getField(name) for name in ("r", "part"))
    late_rows = LateRows(tables_below(operator), rule.words, left_out=lateness.drops)
    example = example_text(SparkValue(row.getField(_SHOWN), time.type), row.getField(frame.watermark))
    if not lateness.drops:
        lateness.look(gone_through, late_rows, part.isNull(), example)
        return replace(frame, watermark=None), []
    gone_through = lateness.watched(gone_through, late_rows, part.isNull(), example)
    divided = lowering.name("part")
    own = [row.getField(name).alias(name) for name in frame.rows.columns]
    late_parts = gone_through.where(part.isNotNull()).select(*own, part.alias(divided))
    calm = rows.join(odd, is_odd, "left_anti").select(*frame.rows.columns, large(0).alias(divided))
    # Rows go on at the watermark that follows theirs, which the operators above do not know yet: a row that is late for
    # the watermark is late there as well.
    return replace(frame, rows=calm.unionAll(late_parts)), [frame_column(divided)]


def _is_above_over(operator: Operator) -> bool:
    """Return whether rows come from an OVER window right below, which holds them back until the watermark."""
    below = operator.inputs[0]
    while isinstance(below, Calc):
        below = below.input
    return isinstance(below, OverAggregate)


def _gone_through(rows: DataFrame, frame: NamedFrame, keys: Sequence[str], rule: _Rule) -> DataFrame:
    """A row for each of ``rows`` with the column ``_ITEM``: the row as it was, ``r``, and the number of its ``part``,
    which is NULL for a late row.
    """
    row = function_call(
        "struct", *map(frame_column, frame.rows.columns), of_milliseconds(frame_column(_TIME)).alias(_SHOWN)
    )
    # Of each row its place, its time, the watermark when it came, and itself.
    item = struct(a=frame_column(frame.arrival[0]), t=frame_column(_TIME), w=frame_column(frame.watermark or ""), r=row)
    groups = rows.groupBy(*keys).agg(function_call("collect_list", item).alias(_ITEMS))
    in_order = groups.select(fn.array_sort(frame_column(_ITEMS), by_arrival).alias(_ITEMS))

    def went_off(state: Column, timer: Column) -> Column:
        """The state behind a timer, which ends it or is the last one from now on."""
        ends = function_call("coalesce", state.getField("end") <= timer, ~true())
        return struct(
            end=choice(ends, nothing(BIGINT), state.getField("end")),
            last=choice(ends, nothing(BIGINT), timer),
            part=state.getField("part") + choice(ends, large(1), large(0)),
        )

    def step(state: Column, row: Column) -> Column:
        """The state behind ``row``: what the watermark in front of it sets off, and its own timers."""
        mark, before, timers = row.getField("w"), state.getField("mark"), state.getField("timers")
        has_moved = function_call("coalesce", mark > function_call("coalesce", before, mark - 1), ~true())
        due = fn.filter(timers, lambda timer: has_moved & (timer <= mark))
        waiting = fn.filter(timers, lambda timer: ~(has_moved & (timer <= mark)))
        initial = struct(end=state.getField("end"), last=state.getField("last"), part=state.getField("part"))
        # The constant of the type that is merged: NULL would have none.
        return let(
            fn.aggregate(function_call("sort_array", due), initial, went_off),
            lambda now: _state_after(state, row, now, waiting, rule),
        )

    no_times = fn.transform(fn.filter(frame_column(_ITEMS), lambda _: ~true()), lambda item: item.getField("t"))
    begun = struct(
        mark=nothing(BIGINT),
        timers=no_times,
        end=nothing(BIGINT),
        last=nothing(BIGINT),
        part=large(0),
        parts=no_times,
    )
    parts = fn.aggregate(frame_column(_ITEMS), begun, step, lambda state: state.getField("parts"))
    numbered = in_order.select(_ITEMS, parts.alias(_PARTS)).select(
        fn.transform(
            frame_column(_ITEMS),
            lambda item, at: struct(r=item.getField("r"), part=function_call("get", frame_column(_PARTS), at)),
        ).alias(_ITEMS)
    )
    return numbered.select(function_call("explode", frame_column(_ITEMS)).alias(_ITEM))


def _state_after(state: Column, row: Column, now: Column, waiting: Column, rule: _Rule) -> Column:
    """The state behind ``row``, which is late or sets its timers; ``now`` is what the timers in front of it left."""
    time, end = row.getField("t"), now.getField("end")
    last, length = now.getField("last"), rule.length
    if rule.start is None:
        in_time = last.isNull() | (time > last)
    else:
        in_time = time > function_call("coalesce", last, large(rule.start))
    if length is None:
        later, set_timers = end, function_call("array", time)
    else:
        # Flink's own figures: state lives for one length, and its end is put off by half a length at once.
        puts_off = function_call("coalesce", end < time + large(length + 1), true())
        ends = time + large(int(length * 1.5) + 1)
        later = choice(in_time & puts_off, ends, end)
        set_timers = choice(puts_off, function_call("array", time, ends), function_call("array", time))
    return struct(
        mark=function_call("greatest", state.getField("mark"), row.getField("w")),
        timers=choice(in_time, function_call("array_union", waiting, set_timers), waiting),
        end=later,
        last=now.getField("last"),
        part=now.getField("part"),
        parts=function_call(
            "concat",
            state.getField("parts"),
            function_call("array", choice(in_time, now.getField("part"), nothing(BIGINT))),
        ),
    )
