"""Many small sets of rows through one query at once: each set is a trial, and no row meets one of another trial."""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.expressions import OF_INPUT, Call, Column, Expr
from keepstate.plan.operators import (
    Aggregate,
    Join,
    Operator,
    OverAggregate,
    Rank,
    Union,
    WindowKind,
    WindowTableFunction,
)
from keepstate_spark.lowering.refusals import Refused

TRIAL: Expr = Column("", "keepstate_trial", "INT")
"""The number of the trial that a row belongs to."""


def apart(operator: Operator) -> Operator:
    """``operator``, with the number of the trial as one more key of everything. Raises ``Refused`` where that fails."""
    inputs = tuple(map(apart, operator.inputs))
    found = operator.with_inputs(inputs) if inputs else operator
    match found:
        case Aggregate():
            elements = (*found.elements, TRIAL) if found.elements else ()
            return replace(found, keys=(*found.keys, TRIAL), elements=elements)
        case Rank():
            return replace(found, partition=(*found.partition, TRIAL))
        case OverAggregate():
            return replace(found, partition=(*found.partition, TRIAL))
        case WindowTableFunction() if found.window.kind is WindowKind.SESSION:
            return replace(found, window=replace(found.window, partition=(*found.window.partition, TRIAL)))
        case Join() if found.mark is not None:
            same = Call("=", (TRIAL, Call(OF_INPUT, (found.mark, TRIAL))))
            return replace(found, conditions=(*found.conditions, same))
        case Join():
            raise Refused("Small sets of rows cannot be told apart in this join.", found.place)
        case Union():
            return replace(found, rows=tuple((*row, TRIAL) for row in found.rows))
    return found
