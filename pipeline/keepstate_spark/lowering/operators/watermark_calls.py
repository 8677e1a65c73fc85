"""CURRENT_WATERMARK: the watermark in force when a row comes, where files determine it.

Flink's operator of watermarks sends the first one behind a row that advances it by more than
``pipeline.auto-watermark-interval``, at once, and others when the clock of the job says so. Behind an operator that
keeps rows, the call has the watermark of the moment at which a row is sent out.
"""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.job import Plan
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Operator,
    TableSourceScan,
    WindowKind,
    WindowTableFunction,
    expressions_of,
)
from keepstate_spark.lowering.lowering_context import AggregationSettings
from keepstate_spark.lowering.refusals import NotLowerable

NAME = "CURRENT_WATERMARK"
"""The name of the call."""


def refuse_unknown_watermarks(plan: Plan, aggregation: AggregationSettings) -> bool:
    """Return whether ``plan`` has a call of CURRENT_WATERMARK.

    Raises ``NotLowerable`` for one over rows that do not come straight from a table.
    """
    calls = [*_calls(plan.output, plan.root)]
    for operator in plan.operators:
        calls += [call for below in operator.inputs for call in _calls(expressions_of(operator), below)]
    for call, operator in calls:
        aggregation.refuse_clock(NAME, call.place)
        if not all(map(_passes_rows_on, operator.walk())):
            raise NotLowerable(
                "CURRENT_WATERMARK is known here for rows that come straight from a table. Behind other operators it "
                "depends on when they send a row out.",
                call.place,
            )
    return bool(calls)


def _calls(exprs: tuple[Expr, ...] | Iterator[Expr], operator: Operator) -> Iterator[tuple[Call, Operator]]:
    """The calls within ``exprs`` over the rows of ``operator``, which gives some expressions as columns."""
    base = operator
    while isinstance(base, Calc):
        base = base.input
    columns = {*base.keys, *base.aggregates} if isinstance(base, Aggregate) else set()
    waiting = list(exprs)
    while waiting:
        expr = waiting.pop()
        if expr in columns:
            continue
        if isinstance(expr, Call) and expr.name == NAME:
            yield expr, operator
        waiting += expr.children()


def _passes_rows_on(operator: Operator) -> bool:
    """Return whether each row leaves ``operator`` when it comes."""
    if isinstance(operator, WindowTableFunction):
        return operator.window.kind is not WindowKind.SESSION
    return isinstance(operator, (Calc, TableSourceScan))
