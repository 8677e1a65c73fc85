"""Expressions over columns that a filter makes constants: Flink's planner computes them of the constant."""

from __future__ import annotations

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.operators import Calc, Join, Operator
from keepstate.plan.types.common_types import TEXT
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.functions.signed_zeros import is_zero, one_value_ranges, zeros
from keepstate_spark.lowering.refusals import NotLowerable


def refuse_negated_zeros(expr: Expr, operator: Operator) -> None:
    """Refuse ``-x`` behind a filter ``x = 0``. Flink's planner computes it of the constant, and zero has no minus then,
    but not if the filter is in a query below.
    """
    negated = [node.args[0] for node in expr.walk() if isinstance(node, Call) and node.name == "NEGATE"]
    while negated and (isinstance(operator, Calc) or (isinstance(operator, Join) and operator.kind == "inner")):
        if any(zero in negated for condition in operator.conditions for zero in zeros(condition)):
            raise NotLowerable("The sign of a zero that a filter makes is not known here.", expr.place)
        if isinstance(operator, Join):
            return
        operator = operator.input


def refuse_single_numbers(expr: Expr, operator: Operator) -> None:
    """Refuse CAST of ``x`` to a text behind ``x BETWEEN 0 AND 0``. Flink's planner casts the constant, in the way in
    which the filter writes it: ``0``, and not ``0.0``.
    """
    cast = {node.args[0]: node for node in expr.walk() if isinstance(node, Call) and _makes_text(node)}
    while isinstance(operator, Calc):
        for column, constant in one_value_ranges(operator.conditions):
            if column in cast:
                raise NotLowerable(
                    "The filter leaves a single number. Flink makes a text of the constant as the filter writes it.",
                    cast[column].place or expr.place,
                )
            if is_zero(constant) and constant.place is not None and "." in constant.place.text:
                raise NotLowerable("Whether -0.0 is in a range of 0.0 alone is not known here.", constant.place)
        operator = operator.input


def _makes_text(call: Call) -> bool:
    type_ = type_of(call) if call.name in ("CAST", "TRY_CAST") else None
    return type_ is not None and type_.root in TEXT
