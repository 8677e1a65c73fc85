"""An expression in the type of another that it is equal to."""

from __future__ import annotations

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType


def as_type(operand: Expr, target: LogicalType | None) -> Expr | None:
    """``operand``, cast if its type is another; ``None`` if a type is unknown, and for a literal of another type.

    >>> from keepstate.plan.expressions import Column
    >>> print(as_type(Column("t", "d", "INT"), LogicalType.declared("BIGINT")))
    CAST(d AS BIGINT)
    """
    own = type_of(operand)
    if own is None or target is None:
        return None
    if own == target:
        return operand
    return None if isinstance(operand, Literal) else Call("CAST", (operand, Literal(str(target), "TYPE")))
