"""Time attributes that an operator takes as plain timestamps: a Calc in front of it casts them."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.physical.execution_nodes import ExecNode
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.metadata.time_attributes import is_materialized
from keepstate.plan.operators import Operator
from keepstate.plan.references import ColumnOfUnion


def with_plain_times(node: ExecNode, input_: Operator, reads: Iterable[Expr], catalog: Catalog) -> ExecNode:
    """Return ``node``, which gives ``reads`` of ``input_``, behind the casts of time attributes among them.

    Keys and operands of aggregations, rows of regular joins, and those of INTERSECT and EXCEPT are plain. Rankings,
    OVER windows, limits and temporal joins keep the attributes (``RelTimeIndicatorConverter``).

    >>> read = root("SELECT MAX(rowtime) FROM orders").input
    >>> with_plain_times(ExecNode.of("Source"), read, [expr("rowtime")], catalog()).kind
    'Calc'
    """
    times = tuple(expr for expr in reads if _is_time(expr, catalog))
    if node.kind == "Calc" or all(is_materialized(time, input_) for time in times):
        return node
    return ExecNode.of("Calc", node, detail=("plain times", times))


def _is_time(expr: Expr, catalog: Catalog) -> bool:
    if isinstance(expr, ColumnOfUnion):
        return all(_is_time(each, catalog) for each in expr.exprs)
    table = catalog.tables.get(expr.table) if isinstance(expr, Column) else None
    return table is not None and isinstance(expr, Column) and expr.name in catalog.time_attributes_of(table)
