"""Late rows: the rows that a stream would drop, and their treatment here.

A row has come behind the watermark if its time is not later than the watermark in force when it came, which is the
largest of all rows before it. Windows drop rows that come when they are closed, which is when the watermark has reached
their last millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Operator,
    Rank,
    TableSourceScan,
    Union,
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
)
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.observing import observed
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import WALL_CLOCK, choice, frame_column, function_call, text, true, whole

_HOUR = 3_600_000


@dataclass(frozen=True)
class LateRows:
    """Rows of ``tables`` that came too late for ``operator`` (its words): ``count`` of them, once for each window that
    was closed, and ``example`` one of them.

    With ``left_out`` they are not in the result; with ``certain`` a stream would drop them.
    """

    tables: str
    operator: str
    left_out: bool
    certain: bool = True
    count: int = 0
    example: str = ""


@dataclass
class Lateness:
    """Finds late rows. With ``drops`` they are dropped, as by a stream; ``allowed`` are the milliseconds that group
    windows in GROUP BY wait behind their end.
    """

    drops: bool
    allowed: int = 0
    interval_joins: tuple[IntervalJoin, ...] = ()
    """The joins of the query by an interval of times. In its text these are joins like any other."""
    held_longer: int = 0
    """The milliseconds for which interval joins keep rows longer than they need."""
    joins_feed_times: bool = False
    """An operator that goes by time reads the rows of a join by time."""
    may_ask: bool = True
    """Spark may scan the times of rows before the query runs."""
    of_single_rows: bool = False
    """The watermark is the only effect of rows before a row on its lateness."""
    _watched: list[tuple[LateRows, Observation]] = field(default_factory=list)
    _late_rows: list[LateRows] = field(default_factory=list)

    def in_time(self, frame: NamedFrame, late: Column, time: SparkValue, operator: Operator, words: str) -> NamedFrame:
        """Return ``frame`` without the rows for which ``late`` is true, and without a watermark, since no later
        operator waits again. The rows are only counted unless late rows are dropped.
        """
        if frame.at_most:
            return self.certain(frame, late, operator, words)
        rows = self._counted(frame, late, time, operator, words, left_out=self.drops)
        if self.drops:
            rows = rows.where(~function_call("coalesce", late, ~true()))
        return replace(frame, rows=rows, watermark=None)

    def certain(self, frame: NamedFrame, late: Column, operator: Operator, words: str) -> NamedFrame:
        """``frame``, no row of which is late at any pace of the inputs of a join or union below. Spark looks now.

        Raises ``NotLowerable`` if there is a row for which ``late`` is true.
        """
        if self.drops and self.may_ask and not frame.rows.where(late).isEmpty():
            raise NotLowerable(
                f"{_meeting(operator)} of {tables_below(operator)} sends rows out behind the watermark. Whether they "
                f"come too late for {words} depends on the pace of its inputs.",
                operator.place,
            )
        return replace(frame, watermark=None)

    def counted(self, frame: NamedFrame, time: SparkValue, operator: Operator, words: str) -> NamedFrame:
        """``frame`` as it is, its rows behind the watermark counted: a stream may leave them out or not."""
        if frame.at_most:
            return frame
        late = time_number(time) <= frame_column(frame.watermark or "")
        rows = self._counted(frame, late, time, operator, words, left_out=False, certain=False)
        return replace(frame, rows=rows, watermark=None)

    def watched(self, rows: DataFrame, late_rows: LateRows, late: Column, example: Column) -> DataFrame:
        """``rows``, among which those for which ``late`` is true are counted when the query is run."""
        observation = Observation()
        self._watched.append((late_rows, observation))
        return rows.observe(observation, *_counts(late, example))

    def look(self, rows: DataFrame, late_rows: LateRows, late: Column, example: Column) -> None:
        """Count the same now, of ``rows`` that the query does not read."""
        row = rows.agg(*_counts(late, example)).head()
        assert row is not None
        self._late_rows.append(replace(late_rows, count=row["late"], example=row["example"] or ""))

    def late_rows(self) -> Iterator[LateRows]:
        """Yield the late rows, once the result has been read."""
        yield from (late for late in self._late_rows if late.count)
        for late_rows, observation in self._watched:
            row = observed(observation)
            if row is not None and row["late"]:
                yield replace(late_rows, count=row["late"], example=row["example"] or "")

    def _counted(
        self,
        frame: NamedFrame,
        late: Column,
        time: SparkValue,
        operator: Operator,
        words: str,
        left_out: bool,
        certain: bool = True,
    ) -> DataFrame:
        late_rows = LateRows(tables_below(operator), words, left_out, certain)
        return self.watched(frame.rows, late_rows, late, example_text(time, frame_column(frame.watermark or "")))


def looks_at_single_rows(operators: Iterable[Operator]) -> bool:
    """Return whether ``operators`` leave out no row but those that are behind the watermark by themselves. Sessions and
    frames of OVER depend on the rows before them, and so do joins and patterns.
    """
    for operator in operators:
        if isinstance(operator, (WindowTableFunction, WindowAggregate, GroupWindowAggregate)):
            if operator.window.kind is WindowKind.SESSION:
                return False
        elif not isinstance(operator, (TableSourceScan, Calc, Aggregate, Rank)):
            return False
    return True


def _counts(late: Column, example: Column) -> tuple[Column, Column]:
    return (
        function_call("count", choice(late, whole(1))).alias("late"),
        function_call("min", choice(late, example)).alias("example"),
    )


def time_number(time: SparkValue) -> Column:
    """A time as the number that watermarks are compared with: milliseconds since 1970, of a TIMESTAMP as if in UTC."""
    return time_columns.milliseconds(time.column)


def constant_delay(time: Expr, mark: Expr) -> int | None:
    """Return the milliseconds by which a watermark is behind the time of its row, if they are constant: then the latest
    row gives the largest watermark.
    """
    if mark == time:
        return 0
    if isinstance(mark, Call) and mark.name == "-" and mark.args[0] == time:
        length = mark.args[1]
        if isinstance(length, Literal) and length.type == "INTERVAL DAY":
            return int(float(length.value))
    return None


def example_text(time: SparkValue, watermark: Column) -> Column:
    """A late row in words; instants in UTC."""
    zone = "Z" if time.type.root == "TIMESTAMP_LTZ" else ""
    row, mark = (
        function_call(
            "regexp_replace",
            function_call("date_format", value, text("yyyy-MM-dd HH:mm:ss.SSS")),
            text("[.]?0+$"),
            text(""),
        )
        for value in (time.column.cast(WALL_CLOCK), time_columns.of_milliseconds(watermark))
    )
    return function_call("concat", row, text(f"{zone} came when the watermark was at "), mark, text(zone))


def closing(wall_clock: Column, local: bool, zone: str) -> Column:
    """The watermark at which Flink's timer for a wall-clock time goes off: of a time that comes twice the later one, of
    one that is left out the moment when the clock is put forward.
    """
    if not local:
        return time_columns.milliseconds(wall_clock)
    first, second = (
        function_call("unix_millis", time_columns.instant(time, zone))
        for time in (wall_clock, time_columns.shifted(wall_clock, "HOUR", whole(1)))
    )
    at_change = fn.when(second - first > _HOUR, second - _HOUR)
    return at_change.when(second == first, first - function_call("pmod", first, whole(_HOUR))).otherwise(first)


def _meeting(operator: Operator) -> str:
    """The place below ``operator`` where rows of several inputs meet, in words."""
    meeting = (below for below in operator.walk() if isinstance(below, (Join, Union)))
    return "A UNION ALL" if isinstance(next(meeting, None), Union) else "A join"


def tables_below(operator: Operator) -> str:
    """The names of the tables that an operator reads."""
    names = (below.table for below in operator.walk() if isinstance(below, TableSourceScan))
    return ", ".join(dict.fromkeys(names))
