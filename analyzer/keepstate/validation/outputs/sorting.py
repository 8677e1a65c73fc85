"""Values that Flink cannot sort, in ORDER BY of a query, of OVER and of a pattern."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.types.logical_types import LogicalType
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.families import without_order


def check_sort(ordered: exp.Expression, type_: LogicalType | None, expressions: ExpressionCheck) -> None:
    """Refuse an item of ORDER BY with a MAP, a MULTISET or a VARIANT in it."""
    other = without_order(type_)
    if other is not None:
        message = f"Flink sorts no values of type {other}: order by a part of them."
        expressions.later.refuse("order-type", expressions.span(ordered), message)
