"""Many sets of rows through one query at once: each set is a trial, and no row meets one of another trial."""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.expressions import Call, Column, Expr
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowKind,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.references import ColumnOfRight
from keepstate_spark.lowering.refusals import NotLowerable

TRIAL: Expr = Column("", "keepstate_trial", "INT")
"""The number of the trial that a row belongs to."""


def apart(operator: Operator, by: tuple[Expr, ...] = (TRIAL,)) -> Operator:
    """``operator``, with ``by`` as further keys of everything. Raises ``NotLowerable`` where that fails."""
    inputs = tuple(apart(below, by) for below in operator.inputs)
    bare = any_operator(operator.with_inputs(inputs) if inputs else operator)
    match bare:
        case Aggregate():
            elements = (*bare.elements, *by) if bare.elements else ()
            return replace(bare, keys=(*bare.keys, *by), elements=elements)
        case Rank():
            return replace(bare, partition=(*bare.partition, *by))
        case OverAggregate():
            return replace(bare, partition=(*bare.partition, *by))
        case WindowTableFunction():
            if bare.window.kind is not WindowKind.SESSION:
                return bare
            return replace(bare, window=replace(bare.window, partition=(*bare.window.partition, *by)))
        case Join():
            if bare.mark is None:
                raise NotLowerable("Small sets of rows cannot be told apart in this join.", bare.place)
            same = (Call("=", (key, ColumnOfRight(bare.mark, key))) for key in by)
            return replace(bare, conditions=(*bare.conditions, *same))
        case Union():
            return replace(bare, rows=tuple((*row, *by) for row in bare.rows))
        case TableSourceScan() | Values() | Calc() | Correlate() | TemporalSort():
            return bare
        case Limit() | Match() | SetOperation() | Unsupported():
            # Single rows are not divided there (``dividing``), so none is tried.
            return bare
        case other:
            unhandled(other)
