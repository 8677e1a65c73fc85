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
    found = any_operator(operator.with_inputs(inputs) if inputs else operator)
    match found:
        case Aggregate():
            elements = (*found.elements, *by) if found.elements else ()
            return replace(found, keys=(*found.keys, *by), elements=elements)
        case Rank():
            return replace(found, partition=(*found.partition, *by))
        case OverAggregate():
            return replace(found, partition=(*found.partition, *by))
        case WindowTableFunction():
            if found.window.kind is not WindowKind.SESSION:
                return found
            return replace(found, window=replace(found.window, partition=(*found.window.partition, *by)))
        case Join():
            if found.mark is None:
                raise NotLowerable("Small sets of rows cannot be told apart in this join.", found.place)
            same = (Call("=", (key, ColumnOfRight(found.mark, key))) for key in by)
            return replace(found, conditions=(*found.conditions, *same))
        case Union():
            return replace(found, rows=tuple((*row, *by) for row in found.rows))
        case TableSourceScan() | Values() | Calc() | Correlate() | TemporalSort():
            return found
        case Limit() | Match() | SetOperation() | Unsupported():
            # Single rows are not divided there (``dividing``), so none is tried.
            return found
        case other:
            unhandled(other)
