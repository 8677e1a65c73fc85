"""The watermarks that tables declare, as expressions over their columns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.expressions import Expr
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.from_clause import FromLowering
from keepstate.plan.lowering.queries import QueryLowering
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Scope


def watermarks_of(table: TableDefinition, catalog: Catalog) -> Mapping[Expr, Expr]:
    """The watermark of each time attribute of ``table``, own or taken over by LIKE; both over its columns.

    >>> declared = catalog()
    >>> [(str(time), str(mark)) for time, mark in watermarks_of(declared.tables["orders"], declared).items()]
    [('rowtime', 'rowtime - 5 seconds')]
    """
    rows = FromLowering(QueryLowering(catalog), Environment(table.statement)).declared(
        TableSourceScan(table.name), table
    )
    watermarks: dict[Expr, Expr] = {}
    declaring: TableDefinition | None = table
    bearing = catalog.time_attributes_of(table)
    while declaring is not None and bearing:
        scalars = ScalarLowering(declaring.statement, Scope((rows,)), catalog, Environment(declaring.statement).opaque)
        for constraint in declaring.statement.nodes_of_class(exp.WatermarkColumnConstraint):
            time = rows.find(constraint.this.name)
            if time is not None and constraint.this.name in bearing:
                watermarks.setdefault(time.expr, scalars.lower(constraint.args["expression"]))
        base = catalog.tables.get(declaring.like) if declaring.like is not None else None
        declaring = base if base is not declaring else None
    return watermarks
