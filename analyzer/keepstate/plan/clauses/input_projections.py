"""Projections below aggregations, of the columns that keys and operands read (``SqlToRelConverter``)."""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.operators import Aggregate, Calc, Join, Operator, TableSourceScan
from keepstate.plan.scalars.name_scope import Source


def is_unprojected(source: Source, keys: Sequence[Expr], calls: Sequence[AggregateCall], catalog: Catalog) -> bool:
    """Return whether the planner aggregates what FROM gives without a projection, as it does if the keys and then the
    operands take all columns in their order. A select list in FROM is a projection of its own, except right above a
    GROUP BY. Seen in the plans of 2.3 and 1.20.
    """
    reads = dict.fromkeys((*keys, *(operand for call in calls for operand in call.children())))
    # A FILTER is computed below, and so are the columns of USING.
    if tuple(reads) != source.row or source.common or any(call.filter is not None for call in calls):
        return False
    if len(source.relations) > 1:
        return isinstance(_below_conditions(source.input), Join)
    (relation,) = source.relations
    match _below_conditions(source.input):
        case TableSourceScan(table=name):
            table = catalog.tables.get(name)
            return not relation.beneath and table is not None and not table.is_projected
        case Aggregate() as below:
            return _gives(below, source.row) and not any(
                _gives(_below_conditions(each.input), source.row) for each in relation.beneath
            )
    return False


def _gives(operator: Operator, row: tuple[Expr, ...]) -> bool:
    """Return whether an aggregation gives these columns in their order."""
    return isinstance(operator, Aggregate) and row == (*operator.keys, *operator.aggregates)


def _below_conditions(operator: Operator) -> Operator:
    """The operator below filters, IN and EXISTS."""
    while isinstance(operator, Calc) or (isinstance(operator, Join) and operator.kind in ("semi", "anti")):
        operator = operator.inputs[0]
    return operator
