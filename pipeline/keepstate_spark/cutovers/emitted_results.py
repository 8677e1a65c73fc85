"""Queries that are stopped at a boundary: of their results those that came out until then.

That is a condition on operators of the plan, below the columns that are written. No guard takes part in it, so a wrong
guard shows when its results are held against these.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from keepstate.cutover.emission import Emission, emission_of
from keepstate.cutover.times import Order
from keepstate.plan.expressions import Call, Expr, Literal, WindowField, WindowPart
from keepstate.plan.operators import Calc, Operator, Union
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import Query

_EPOCH = datetime(1970, 1, 1)
_ON_CLOCK = Literal("TIMESTAMP(3)", "TYPE")


def stopped(query: Query, wall: int) -> Query:
    """The query with those results that come out until the watermark has reached ``wall``, in milliseconds of the wall
    clock. Its rows shall be those that came until then: a row that comes too late for a window counts for OVER.

    >>> from pathlib import Path
    >>> from keepstate_spark.jobs import prepared
    >>> table = "CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
    >>> hours = "FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY window_start, window_end"
    >>> text = f"{table} INSERT INTO s SELECT window_end, SUM(a) {hours}"
    >>> (query,) = prepared(text, "job.sql", Path(), needs_rows=False).queries
    >>> [str(condition) for condition in stopped(query, 3_600_000).plan.root.conditions]
    ["window_end <= TIMESTAMP '1970-01-01 01:00:00'"]

    Raises:
        PipelineError: its results come out in no order of time, or more than once.
    """
    emission = emission_of(query.pipeline, query.catalog)
    if not isinstance(emission, Emission):
        raise PipelineError(f"The results of {query.name} come out in no order of time. {emission.reason}")
    if emission.is_early:
        raise PipelineError(f"{query.name} has early or late results, of which Spark computes the last ones only.")
    if emission.order is Order.WINDOW_END:
        time: Expr = WindowField(WindowPart.END, emission.depth)
    else:
        time = Call("CAST", (emission.time, _ON_CLOCK))
    boundary = Literal((_EPOCH + timedelta(milliseconds=wall)).isoformat(" "), "TIMESTAMP")
    condition = Call("<=", (time, boundary))
    return replace(query, plan=replace(query.plan, root=_filtered(query.plan.root, condition)))


def _filtered(operator: Operator, condition: Expr) -> Operator:
    """``operator`` behind a condition. The inputs of a union have windows of their own, so each gets it."""
    if isinstance(operator, Calc) and isinstance(operator.input, (Calc, Union)):
        return operator.with_inputs((_filtered(operator.input, condition),))
    if isinstance(operator, Union):
        return operator.with_inputs(tuple(_filtered(branch, condition) for branch in operator.branches))
    return Calc(operator, (condition,))
