"""Tests of a verdict's claim on rows: that the savepoint holds the state that the current query would have built up.

The baseline query and the current one are run over the rows before the restart, and the results of both are compared
for the parts that the verdict calls kept. The test uses rows alone, not the analyzer's plans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Expr, WindowField, WindowPart
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Calc, LookupJoin, Operator, TableSourceScan
from keepstate.restart_effects import StateUse
from keepstate_spark.jobs import Query
from keepstate_spark.lowering.operators.plan_frames import lowered
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.replay.replayed_query import (
    MetricOutcome,
    ReplayedQuery,
    calls_by_chance,
    pruned,
    reach_of,
    refuse_undivided,
)
from keepstate_spark.replay.restart_points import Arrivals, literal
from keepstate_spark.sources.kept_rows import KeptFrames
from keepstate_spark.sources.scanning import Scanner

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Claim:
    """Test of a claim.

    ``results`` counts the current query's results for the rows before the restart; the savepoint lacks ``faults`` of
    them, or has other values. Without numbers the test could not be run, and ``reason`` is a sentence with the cause.
    """

    results: int | None = None
    faults: int | None = None
    reason: str = ""


def tested(
    replayed: ReplayedQuery,
    former: Query | None,
    session: SparkSession,
    arrivals: Arrivals,
    time: datetime,
    frames: KeptFrames | None,
) -> Claim | None:
    """Return whether the savepoint of ``former`` holds the values that the verdict calls kept; ``None`` if it calls
    none kept. ``frames`` are the rows of texts that are kept.
    """
    if replayed.restart.use is not StateUse.REUSED or replayed.restart.former_conditions is not None:
        return None
    restart = replayed.restart
    if restart.baseline is not None and restart.baseline.plan == restart.pipeline.plan:
        return None
    if former is None:
        return Claim(reason="The baseline cannot be run on these rows.")
    claims = _compared_values(replayed)
    if not claims:
        return None
    try:
        sides = [
            _before(query, replayed, session, Arrivals(query, arrivals.columns), time, claims, frames)
            for query in (former, replayed.query)
        ]
    except NotLowerable as refused:
        return Claim(reason=f"The baseline cannot be compared on rows. {refused.sentence}")
    return _compared(*sides)


def _compared_values(replayed: ReplayedQuery) -> tuple[Expr, ...]:
    """Return the keys of results, and those values of the results that the verdict calls kept."""
    started = {metric.name for metric in replayed.metrics if metric.fate is not MetricOutcome.KEPT}
    plan = replayed.query.plan
    top = plan.root
    while isinstance(top, Calc):
        top = top.input
    keys = top.keys if isinstance(top, Aggregate) else ()
    exprs = [
        expr
        for expr, name in zip(plan.output, plan.names, strict=True)
        if name not in started and next(calls_by_chance((expr,)), None) is None
    ]
    return tuple(dict.fromkeys((*keys, *exprs)))


def _before(
    query: Query,
    replayed: ReplayedQuery,
    session: SparkSession,
    arrivals: Arrivals,
    time: datetime,
    exprs: tuple[Expr, ...],
    frames: KeptFrames | None,
) -> DataFrame:
    """Return the values of ``exprs`` in ``query`` for the rows before the restart, in windows that are open then."""
    refuse_undivided(query)
    root = query.plan.root
    depths = {expr.depth for expr in exprs if isinstance(expr, WindowField) and expr.part is WindowPart.END}
    if replayed.windowed and depths:
        closed, reach = (replayed.rows_at_restart.watermark or time) + _MILLISECOND, reach_of(root)
        if reach is not None:
            root = pruned(root, arrivals, closed - reach, None)
        open_ = (Call("<", (literal(closed), WindowField(WindowPart.END, depth))) for depth in sorted(depths))
        root = Calc(root, tuple(open_))
    root = _cut(root, lambda scan: arrivals.before(scan, time))
    scanner = Scanner(session, query.catalog, query.locations, keeper=frames)
    plan = Plan(root, exprs, tuple(f"c{index}" for index in range(len(exprs))))
    return lowered(
        plan, session, query.zone, scanner.scan, query.times, query.is_streaming, aggregation=query.aggregation
    ).rows


def _cut(operator: Operator, before: Callable[[TableSourceScan], Expr]) -> Operator:
    if isinstance(operator, TableSourceScan):
        return Calc(operator, (before(operator),))
    inputs = list(operator.inputs)
    for index, below in enumerate(inputs):
        if not (isinstance(operator, LookupJoin) and index == 1):
            inputs[index] = _cut(below, before)
    return operator.with_inputs(tuple(inputs))


def _compared(savepoint: DataFrame, expected: DataFrame) -> Claim:
    """Count the rows that are on one side only, as often as they are more frequent there."""
    sides = [side.withColumn("weight", fn.lit(weight)) for side, weight in ((savepoint, 1), (expected, -1))]
    columns = expected.columns
    weighed = sides[0].toDF(*columns, "weight").unionAll(sides[1].toDF(*columns, "weight"))
    # Maps cannot be grouped by; as text they can.
    texts = [fn.col(name).cast("string").alias(name) for name in columns]
    both = weighed.select(*texts, "weight").groupBy(*columns)
    groups = both.agg(fn.sum("weight").alias("more"), fn.count(fn.when(fn.col("weight") < 0, 1)).alias("wanted"))
    row = groups.agg(fn.sum("wanted"), fn.sum(fn.greatest(-fn.col("more"), fn.lit(0)))).head()
    assert row is not None
    return Claim(row[0] or 0, row[1] or 0)
