"""Names of the columns of a join."""

from __future__ import annotations

from keepstate.plan.expressions import Column
from keepstate.plan.metadata.join_sides import tables_of
from keepstate.plan.operators import Join
from keepstate.plan.references import ColumnOfRight
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.scalars import AMBIGUOUS, ColumnNames


def names_of_both(join: Join, left: NamedFrame, right: NamedFrame) -> ColumnNames:
    """The names of both inputs, as expressions above the join write them."""
    assert join.mark is not None
    columns = dict(left.names.columns)
    marked = {**right.names.marked, **left.names.marked, join.mark: right.names}
    shared = dict.fromkeys(right.names.subqueries.keys() & left.names.subqueries.keys(), AMBIGUOUS)
    subqueries = {**right.names.subqueries, **left.names.subqueries, **shared}
    on_both_sides = not tables_of(join.left).isdisjoint(tables_of(join.right))
    for expr, name in right.names.columns.items():
        columns[ColumnOfRight(join.mark, expr)] = name
        if not on_both_sides and any(isinstance(node, Column) for node in expr.walk()):
            columns[expr] = name
    levels = {**right.names.levels, **left.names.levels} if not on_both_sides else left.names.levels
    return ColumnNames(columns, marked, subqueries, levels)
