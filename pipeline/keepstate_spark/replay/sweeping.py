"""Many restarts at once, with the damage of each, as a basis for the time of a deployment.

Every row goes to the restarts that it may matter to, and from there on each restart is separate: one plan, one job, for
any number of restarts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate

from pyspark.sql import Column as SparkColumn
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Column, Expr, Literal
from keepstate.plan.operators import TableSourceScan
from keepstate.restart_effects import QueryRestart, conditions_below
from keepstate_spark.errors import NoTimes, PipelineError
from keepstate_spark.jobs import Query
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lowering_context import Lowering, Scan
from keepstate_spark.lowering.operators.plan_frames import scanning
from keepstate_spark.lowering.spark_columns import frame_column, function_call, large, whole
from keepstate_spark.replay.replayed_query import lowered_scenarios, reach_of, refuse_undivided
from keepstate_spark.replay.restart_points import Arrivals, RowsAtRestart, look_through, scans_of
from keepstate_spark.replay.result_differences import AFTERWARDS, differences
from keepstate_spark.replay.scenario_plan import Moment
from keepstate_spark.replay.scenario_rewrite import ScenarioRewrite
from keepstate_spark.replay.trials import apart

_MOST_RESTARTS = 5_000
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1)
RESTART: Expr = Column("", "keepstate_restart", "TIMESTAMP(3)")
"""Time of the restart that a row belongs to, on the wall clock."""
CLOSED: Expr = Column("", "keepstate_closed", "TIMESTAMP(3)")
"""The time up to which windows are closed at that restart."""


@dataclass(frozen=True)
class SweepPoint:
    """One restart at ``time``, on the wall clock: results that the state had to do with, and those that would be wrong
    in each scenario, with the sums of their sizes and of their absolute errors.
    """

    time: datetime
    results: int
    wrong: Mapping[str, int]
    wrong_keys: Mapping[str, int]
    expected: float | None
    error: Mapping[str, float | None]


def sweep(
    query: Query,
    restart: QueryRestart,
    session: SparkSession,
    scan: Scan,
    arrivals: Arrivals,
    every: timedelta,
) -> list[SweepPoint]:
    """Replay restarts at all times from the first row to the last that are ``every`` apart, on a round clock.

    Raises ``PipelineError`` for too many restarts, and ``NotLowerable`` for a query whose scenarios are undecidable.
    """
    refuse_undivided(query)
    tables = scanning(session, query.zone, scan)
    spans = look_through(query, scans_of(query.plan.root), arrivals, every, tables)
    if not spans.marks:
        raise NoTimes(query.name)
    if len(spans.marks) < 2:
        raise PipelineError(f"The rows of {query.name} span less than {every}.", "Try a shorter time between restarts.")
    if len(spans.marks) > _MOST_RESTARTS:
        raise PipelineError(
            f"There would be {len(spans.marks):,} restarts; no more than {_MOST_RESTARTS:,} are tried.",
            "Try a longer time between restarts.",
        )
    # The first row is no restart: nothing came before it.
    starts = sorted(spans.marks)
    moments = [start + every for start in starts[:-1]]
    watermarks = list(accumulate((spans.marks[start] for start in starts), max))
    closed = [mark + _MILLISECOND for mark in watermarks[:-1]]
    return _sweep_points(query, restart, session, arrivals, _Restarts(moments, closed, every, scan, arrivals))


@dataclass(frozen=True)
class _Restarts:
    """Restarts that are ``every`` apart, each with the time up to which windows are closed then."""

    moments: list[datetime]
    closed: list[datetime]
    every: timedelta
    rows: Scan
    arrivals: Arrivals

    def scan(self, reach: timedelta | None) -> Scan:
        """Reads each table with its rows once for each restart that they may matter to: no farther than ``reach``."""

        def scan(operator: TableSourceScan, lowering: Lowering) -> NamedFrame:
            frame = self.rows(operator, lowering)
            if operator not in scans_of(operator):
                return frame
            clock = Call("CAST", (self.arrivals.of(operator), Literal("TIMESTAMP(3)", "TYPE")))
            millis = time_columns.milliseconds(lowering.scalars(frame).column(clock))
            number, restart, closed = (lowering.name(name) for name in ("number", "restart", "closed"))
            low, high = self._numbers(millis, reach)
            # Most rows matter to no restart.
            rows = frame.rows if reach is None else frame.rows.where(low <= high)
            rows = rows.withColumn(number, function_call("explode", function_call("sequence", low, high)))
            moments, marks = (_array(values) for values in (self.moments, self.closed))
            rows = rows.withColumn(restart, function_call("element_at", moments, frame_column(number) + 1))
            rows = rows.withColumn(closed, function_call("element_at", marks, frame_column(number) + 1)).drop(number)
            return frame.holding(rows, {RESTART: restart, CLOSED: closed})

        return scan

    def _numbers(self, millis: SparkColumn, reach: timedelta | None) -> tuple[SparkColumn, SparkColumn]:
        """The numbers of the first and the last restart that a row may matter to."""
        first, last = whole(0), whole(len(self.moments) - 1)
        if reach is None:
            return first, last
        begin, step, far = _millis(self.moments[0]), self.every // _MILLISECOND, reach // _MILLISECOND
        earliest = function_call("ceil", (millis - large(far + begin)) / large(step)).cast("int")
        latest = function_call("floor", (millis + large(far - begin)) / large(step)).cast("int")
        return function_call("greatest", first, earliest), function_call("least", last, latest)


def _sweep_points(
    query: Query, restart: QueryRestart, session: SparkSession, arrivals: Arrivals, restarts: _Restarts
) -> list[SweepPoint]:
    plan = query.plan
    keys = (RESTART, CLOSED)
    root = apart(plan.root, keys)
    output = (*plan.output, RESTART)
    tried = replace(query, plan=replace(plan, root=root, output=output, names=(*plan.names, str(RESTART))))

    def arrival(scan: TableSourceScan) -> Expr:
        return Call("CAST", (arrivals.of(scan), Literal("TIMESTAMP(3)", "TYPE")))

    moment = Moment(
        arrival,
        lambda scan: Call("<=", (RESTART, arrival(scan))),
        CLOSED,
        RESTART if not arrivals.columns else None,
        query.times,
    )
    scenario_plan = ScenarioRewrite(restart, moment, conditions_below(plan)).of(root)
    reach = reach_of(plan.root) if scenario_plan.window is not None else None
    lowered = lowered_scenarios(tried, restart, session, restarts.scan(reach), scenario_plan, RowsAtRestart())
    column = next(key.column for key in lowered.keys if key.name == str(RESTART))
    own = tuple(key for key in lowered.keys if key.name not in (str(RESTART), str(CLOSED)))
    rows = differences(replace(lowered, keys=own), [column])
    columns = [fn.count(fn.lit(1)).alias("results"), fn.sum(fn.abs("expected_number")).alias("expected")]
    for scenario in AFTERWARDS:
        name = scenario.value
        wrong = fn.col(f"{name}_change") != "same"
        columns += [
            fn.count(fn.when(wrong, 1)).alias(f"wrong_{name}"),
            fn.countDistinct(fn.when(wrong, fn.col("key"))).alias(f"keys_{name}"),
            fn.sum(f"{name}_error").alias(f"error_{name}"),
        ]
    found_rows = {row[column]: row for row in rows.groupBy(column).agg(*columns).collect()}
    points = []
    for time in restarts.moments:
        row = found_rows.get(time)
        points.append(
            SweepPoint(
                time,
                row["results"] if row else 0,
                {scenario.value: row[f"wrong_{scenario.value}"] if row else 0 for scenario in AFTERWARDS},
                {scenario.value: row[f"keys_{scenario.value}"] if row else 0 for scenario in AFTERWARDS},
                row["expected"] if row else None,
                {scenario.value: row[f"error_{scenario.value}"] if row else None for scenario in AFTERWARDS},
            )
        )
    return points


def _array(values: list[datetime]) -> SparkColumn:
    return fn.transform(fn.lit([_millis(value) for value in values]), time_columns.of_milliseconds)


def _millis(time: datetime) -> int:
    return (time - _EPOCH) // _MILLISECOND
