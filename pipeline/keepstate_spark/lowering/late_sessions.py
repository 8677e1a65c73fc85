"""Sessions as a stream makes them of rows that come out of order.

A session is closed when the watermark reaches its last millisecond. A row that comes later begins another one, however
near it lies, and is left out if that one would be closed as well. So sessions depend on the order in which rows come,
which is why the rows of a key are gone through one by one, though only of keys where it makes a difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import TimestampNTZType

from keepstate.plan.operators import Operator, Window, WindowSyntax
from keepstate_spark import windows
from keepstate_spark.lowering import times
from keepstate_spark.lowering.frames import Frame, Lowering
from keepstate_spark.lowering.lateness import LateRows, closing, example_text, tables_below
from keepstate_spark.lowering.scalars import Text
from keepstate_spark.lowering.spark_types import quoted
from keepstate_spark.windows.clock import MICROSECONDS, WallClock, interval

_TIME, _FIRST, _KEY, _ITEMS, _ITEM = (f"__keepstate_{word}" for word in ("time", "first", "key", "items", "item"))


def sessions_in_time(
    frame: Frame,
    clock: WallClock,
    window: Window,
    gap: int,
    parts: Sequence[Column],
    operator: Operator,
    lowering: Lowering,
    names: windows.WindowColumns,
) -> DataFrame:
    """The rows of ``frame``, which has a watermark, in the sessions that a stream makes of them; those that come too
    late are left out or only counted.
    """
    lateness, mark = lowering.lateness, quoted(frame.watermark or "")
    assert lateness is not None
    time = lowering.scalars(frame).text(window.time)
    closes = _Closing(clock.zone, legacy=window.syntax is WindowSyntax.LEGACY)
    keys = [f"{_KEY}{number}" for number in range(len(parts))]
    rows = frame.rows.where(clock.shown.isNotNull())
    rows = rows.select(
        "*",
        fn.floor(clock.micros / MICROSECONDS).cast("bigint").alias(_TIME),
        *(part.alias(key) for part, key in zip(parts, keys, strict=True)),
    )
    near = f"over ({_by(keys)} order by {_TIME} range between {gap}L preceding and current row)"
    odd = rows.withColumn(_FIRST, fn.expr(f"min({_TIME}) {near} + {gap}L"))
    odd = odd.where(fn.expr(f"{closes.at(_FIRST)} <= {mark}")).select(*keys).distinct()
    plain = windows.session(frame.rows, clock, gap, parts, names=names)
    if not lateness.may_ask or odd.isEmpty():
        return plain
    odd = fn.broadcast(odd.toDF(*(f"{key}_odd" for key in keys)))
    condition = fn.expr(" and ".join(f"{key} <=> {key}_odd" for key in keys) or "true")
    gone_through = _gone_through(rows.join(odd, condition, "left_semi"), frame, keys, gap, closes)
    seen = LateRows(tables_below(operator), window.kind.value, left_out=lateness.drops)
    example = example_text(Text(f"{_ITEM}.r.{_TIME}_shown", time.type), f"{_ITEM}.r.{mark}")
    if not lateness.drops:
        lateness.look(gone_through, seen, f"{_ITEM}.s is null", example)
        return plain
    gone_through = lateness.watched(gone_through, seen, f"{_ITEM}.s is null", example)
    own = [fn.col(f"{_ITEM}.r.{quoted(name)}").alias(name) for name in frame.rows.columns]
    begin, end = (fn.timestamp_millis(fn.col(f"{_ITEM}.{bound}")).cast(TimestampNTZType()) for bound in ("s", "e"))
    found = gone_through.where(f"{_ITEM}.s is not null").select(
        *own, begin.alias(names.start), end.alias(names.end), clock.moment(end - interval(1)).alias(names.time)
    )
    calm = rows.join(odd, condition, "left_anti").select(*frame.rows.columns)
    return windows.session(calm, clock, gap, parts, names=names).unionAll(found)


class _Closing:
    """When Flink closes sessions: at the last millisecond, of those in GROUP BY not before 1970."""

    def __init__(self, zone: str | None, legacy: bool) -> None:
        self._zone = zone
        self._legacy = legacy

    def at(self, end: str) -> str:
        """The watermark that closes a session whose end is ``end``, wall-clock milliseconds as text."""
        last = f"greatest({end} - 1, 0L)" if self._legacy else f"({end} - 1)"
        if self._zone is None:
            return last
        return closing(times.of_milliseconds(last), True, self._zone)


def _by(keys: Sequence[str]) -> str:
    return f"partition by {', '.join(keys)}" if keys else ""


def _gone_through(rows: DataFrame, frame: Frame, keys: Sequence[str], gap: int, closes: _Closing) -> DataFrame:
    """A row for each of ``rows`` with the column ``_ITEM``: the row as it was, ``r``, and start and end of its session,
    ``s`` and ``e``, which are NULL for a row that came too late.
    """
    arrival, mark = quoted(frame.arrival[0]), quoted(frame.watermark or "")
    row = ", ".join([*map(quoted, frame.rows.columns), f"{times.of_milliseconds(_TIME)} as {_TIME}_shown"])
    item = f"struct({arrival} as a, {_TIME} as t, {mark} as w, struct({row}) as r)"
    groups = rows.groupBy(*keys).agg(fn.expr(f"collect_list({item})").alias(_ITEMS))
    in_order = f"array_sort({_ITEMS}, (x, y) -> case when x.a < y.a then -1 when x.a > y.a then 1 else 0 end)"
    reach = f"(x.t + {gap}L)"
    touches = f"(o.s <= {reach} and o.e >= x.t)"
    # An array of one element and its transform stand for a name that is given to a value.
    parted = (
        f"array(named_struct('still', filter(acc.open, o -> x.w is null or {closes.at('o.e')} > x.w), "
        f"'gone', filter(acc.open, o -> {closes.at('o.e')} <= x.w)))"
    )
    chosen = (
        f"array(named_struct('near', filter(p.still, o -> {touches}), 'far', filter(p.still, o -> not {touches}), "
        f"'closed', coalesce({closes.at(reach)} <= x.w, false)))"
    )
    late = "(size(q.near) = 0 and q.closed)"
    start = "least(x.t, coalesce(array_min(transform(q.near, o -> o.s)), x.t))"
    end = f"greatest({reach}, coalesce(array_max(transform(q.near, o -> o.e)), x.t))"
    members = "concat(flatten(transform(q.near, o -> o.rows)), array(x.r))"
    session = f"named_struct('s', {start}, 'e', {end}, 'rows', {members})"
    none = f"filter({_ITEMS}, x -> false)"
    no_session = f"transform({none}, x -> named_struct('s', x.t, 'e', x.t, 'rows', array(x.r)))"
    state = f"named_struct('open', {no_session}, 'done', {no_session}, 'late', transform({none}, x -> x.r))"
    after = (
        f"named_struct('open', if({late}, p.still, concat(q.far, array({session}))), "
        f"'done', if(size(p.gone) = 0, acc.done, concat(acc.done, p.gone)), "
        f"'late', if({late}, concat(acc.late, array(x.r)), acc.late))"
    )
    step = f"element_at(transform({parted}, p -> element_at(transform({chosen}, q -> {after}), 1)), 1)"
    members_of = "transform(o.rows, r -> named_struct('s', o.s, 'e', o.e, 'r', r))"
    nowhere = "transform(acc.late, r -> named_struct('s', cast(null as bigint), 'e', cast(null as bigint), 'r', r))"
    finish = f"concat(flatten(transform(concat(acc.done, acc.open), o -> {members_of})), {nowhere})"
    folded = f"aggregate({in_order}, {state}, (acc, x) -> {step}, acc -> {finish})"
    return groups.select(fn.explode(fn.expr(folded)).alias(_ITEM))
