"""Joins by an interval of times whose rows came behind the watermark.

Flink keeps the rows of each side by key. The watermark of the join is the lesser one of its two inputs, so the pace at
which these come decides when a row is let go: by a timer of its key, or when a row of the other side with that key
comes. Until then a row behind the watermark is joined. Up to 1970 the watermark of the join counts as 0.

Here two rows belong together if they do at any pace, or do not if they do not at any pace. All else is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Expr
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import IntervalJoin, Join, Operator, Union
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.join_names import names_of_both
from keepstate_spark.lowering.operators.paces import epoch, pace_decides
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import choice, frame_column, function_call, large

_FACTS = ("time", "mark", "floor", "before", "earliest", "latest", "odd")
"""Columns of a row: its time; the largest and the least watermark that may have been in force when it came; that of the
row before it with its key; the earliest time of a row of its key, and the latest one so far; whether its key has a row
up to 1970 that is kept, with which Flink forgets others."""


@dataclass(frozen=True)
class _Side:
    """One side of a join: its rows with a column for each of ``_FACTS``, by the name in ``facts``.

    A row waits ``reach`` milliseconds behind its time for partners, and ``extra`` more before a timer lets it go.
    """

    frame: NamedFrame
    reach: int
    extra: int
    facts: Mapping[str, str]

    def __getitem__(self, fact: str) -> Column:
        return frame_column(self.facts[fact])

    @property
    def end(self) -> Column:
        """The time up to which partners may come."""
        return self["time"] + large(self.reach)


@dataclass(frozen=True)
class DecidedPairs:
    """The frames of both sides. ``condition`` leaves out pairs that Flink does not join, ``watermark`` is the largest
    one that may be in force behind the join when it sends a row out. ``None`` stands for nothing that is known.
    """

    left: NamedFrame
    right: NamedFrame
    condition: Column | None = None
    watermark: Column | None = None


def decided_pairs(join: Join, left: NamedFrame, right: NamedFrame, lowering: Lowering) -> DecidedPairs:
    """Decide which rows belong together where some came late. Spark looks now.

    Raises ``NotLowerable`` where the pace of both inputs decides.
    """
    lateness, interval = lowering.lateness, _interval_join(join, lowering)
    if interval is None or lateness is None:
        return DecidedPairs(left, right)
    names, (left_keys, right_keys) = names_of_both(join, left, right), equated(interval, JoinSides.of(interval))
    scalars = lowering.over(names)
    some_late = any(
        _some_late(frame, time_number(scalars.value(time)))
        for frame, time in ((left, interval.left_time), (right, interval.right_time))
    )
    if not some_late and not lateness.joins_feed_times:
        return DecidedPairs(left, right)
    rows = _Rows(names, lowering)
    lower, upper, extra = int(interval.lower.value), int(interval.upper.value), lateness.held_longer
    first = rows.side(left, join.left, interval.left_time, left_keys, -lower, extra)
    second = rows.side(right, join.right, interval.right_time, right_keys, upper, extra)
    leaves_out = False
    if some_late:
        outer = [side for side, kind in ((first, "left"), (second, "right")) if join.kind in (kind, "full")]
        if any(not side.frame.rows.where(side["odd"]).isEmpty() for side in outer):
            raise pace_decides(join)
        condition = scalars.condition(*join.conditions, *interval.conditions, *interval.time_conditions)
        always = _always(first, second) & _always(second, first)
        pairs = first.frame.rows.join(second.frame.rows, condition & ~always)
        answers = pairs.select(_is_never(first, second).alias("never")).distinct().collect()
        if any(not row["never"] for row in answers):
            raise pace_decides(join)
        leaves_out = bool(answers)
    if not leaves_out and not lateness.joins_feed_times:
        return DecidedPairs(left, right)
    behind = _watermark_behind(first, second) if lateness.joins_feed_times else None
    return DecidedPairs(first.frame, second.frame, ~_is_never(first, second) if leaves_out else None, behind)


def _some_late(frame: NamedFrame, time: Column) -> bool:
    """Return whether a row came behind the watermark or lies up to 1970. Spark looks now."""
    if frame.watermark is None:
        return False
    return not frame.rows.where((time <= frame_column(frame.watermark)) | (time <= epoch())).isEmpty()


def _interval_join(join: Join, lowering: Lowering) -> IntervalJoin | None:
    lateness = lowering.lateness
    if lateness is None or not lateness.drops or not lateness.may_ask or join.kind in ("semi", "anti"):
        return None
    return next((each for each in lateness.interval_joins if each.mark == join.mark), None)


@dataclass(frozen=True)
class _Rows:
    """Looks at the rows of both sides of a join, whose columns have ``names``."""

    names: ColumnNames
    lowering: Lowering

    def side(
        self,
        frame: NamedFrame,
        operator: Operator,
        time: Expr,
        keys: Sequence[Expr],
        reach: int,
        extra: int,
    ) -> _Side:
        """The rows of ``frame`` with what is known about the state of their keys."""
        facts = {fact: self.lowering.name(fact) for fact in _FACTS}
        scalars = self.lowering.over(self.names)
        number = time_number(scalars.value(time))
        # A row that is not late came in front of its own time.
        own = (
            number - 1 if frame.watermark is None else function_call("coalesce", frame_column(frame.watermark), epoch())
        )
        mark = function_call("greatest", own, epoch())
        is_exact = frame.watermark is not None and not frame.at_most and not _unites(operator)
        rows = frame.rows.select(
            "*",
            number.alias(facts["time"]),
            mark.alias(facts["mark"]),
            (mark if is_exact else epoch()).alias(facts["floor"]),
        )
        of_key = Window.partitionBy(*map(scalars.column, keys))
        at, marked = frame_column(facts["time"]), frame_column(facts["mark"])
        if frame.arrival:
            in_order = of_key.orderBy(*map(frame_column, frame.arrival))
            before = fn.lag(marked).over(in_order)
            so_far = of_key.orderBy(*map(frame_column, frame.arrival)).rowsBetween(Window.unboundedPreceding, 0)
        else:
            before, so_far = fn.max(marked).over(of_key), of_key
        is_odd = (at <= epoch()) & (at + large(reach) > epoch())
        rows = rows.select(
            "*",
            function_call("coalesce", before, epoch()).alias(facts["before"]),
            fn.min(at).over(of_key).alias(facts["earliest"]),
            fn.max(at).over(so_far).alias(facts["latest"]),
            fn.max(is_odd).over(of_key).alias(facts["odd"]),
        )
        return _Side(replace(frame, rows=rows), reach, extra, facts)


def _unites(operator: Operator) -> bool:
    """Return whether several tables stand behind a side, each with a watermark of its own."""
    return any(isinstance(below, Union) for below in operator.walk())


def _always(first: _Side, second: _Side) -> Column:
    """Return whether a row of ``first`` is still there when one of ``second`` comes behind it, at any pace."""
    mark = second["mark"]
    is_kept = function_call("least", first["mark"], mark) < first.end
    is_looked_for = mark <= second.end + large(first.reach)
    timer = function_call("greatest", first.end + 1, first["earliest"] + large(first.reach + first.extra + 1))
    return is_kept & is_looked_for & (mark < timer) & (second["before"] <= first.end) & ~first["odd"]


def _is_never(first: _Side, second: _Side) -> Column:
    """Return whether two rows are not joined at any pace."""
    return _never(first, second) & _never(second, first)


def _never(first: _Side, second: _Side) -> Column:
    """Return whether a row of ``first`` is gone, or was never kept, when one of ``second`` comes behind it."""
    timer = first["latest"] + large(first.reach + first.extra + 1)
    is_gone = function_call("least", first["floor"], second["floor"]) >= timer
    return (is_gone & ~first["odd"]) | (first.end <= epoch())


def _watermark_behind(first: _Side, second: _Side) -> Column:
    """The largest watermark behind the join when it sends a row out. The join holds it back by its longer reach.

    A row without a partner goes out when a timer of its key lets it go.
    """
    first_alone, second_alone = (
        function_call("greatest", side["latest"] + large(side.reach + side.extra), side["mark"])
        for side in (first, second)
    )
    both = function_call("greatest", first["mark"], second["mark"])
    mark = choice(second["time"].isNull(), first_alone, choice(first["time"].isNull(), second_alone, both))
    return mark - large(max(first.reach, second.reach))
