"""Positions at which the planner puts a projection below an operator."""

from __future__ import annotations

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import AggregateCall, Column, Expr, is_spelled_out
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupAggregate,
    Join,
    Operator,
    TableSourceScan,
    WindowAggregate,
    WindowTableFunction,
)
from keepstate.plan.optimizer.held_columns import is_column_of

Row = tuple[Expr, ...]

_GIVES_ITS_COLUMNS = (TableSourceScan, Join, GroupAggregate, WindowTableFunction)
"""Operators on which an aggregation can stand as they are."""


def stands_on_input(operator: Aggregate, calls: tuple[AggregateCall, ...], catalog: Catalog) -> bool:
    """Return whether an aggregation of which ``calls`` are left has no projection below it.

    The operands of dropped calls are gone, and ``AggregateProjectMergeRule`` merges a choice of columns into the
    aggregation.
    """
    conditions, below = filters_and_input(operator.input)
    if conditions or not isinstance(below, _GIVES_ITS_COLUMNS):
        return False
    if isinstance(below, TableSourceScan) and (below.table not in catalog.tables or waits(below, catalog)):
        return False
    keys = operator.plain_keys if isinstance(operator, WindowAggregate) else operator.keys

    def is_column(expr: Expr) -> bool:
        # Whatever is projected below a window table function is a column to what stands on it.
        is_named = isinstance(below, WindowTableFunction) and not is_constant(expr)
        return not is_spelled_out(expr) if is_named else is_column_of(expr, below)

    arguments = [arg for call in calls for arg in call.children()]
    computed = [expr for expr in operator.operands if expr not in arguments and not is_column(expr)]
    return bool(computed) and all(map(is_column, (*keys, *arguments)))


def doubt_of_removal(operator: Aggregate, keys: Row, catalog: Catalog) -> str:
    """Return the reason why an aggregation may be absent, or an empty string: the planner drops one whose groups are
    single rows.
    """
    below = filters_and_input(operator.input)[1]
    unique: Row = ()
    if isinstance(below, Aggregate):
        unique = below.keys
    elif isinstance(below, TableSourceScan) and below.table in catalog.tables:
        names = catalog.primary_key_of(catalog.tables[below.table])[0]
        unique = tuple(expr for expr in below.columns if isinstance(expr, Column) and expr.name in names)
    single = bool(unique) and set(unique) <= set(keys)
    return "Flink drops an aggregation whose groups are single rows, if it can" if single else ""


def waits(scan: TableSourceScan, catalog: Catalog) -> bool:
    """Return whether the script declares a watermark for a source."""
    table = catalog.tables.get(scan.table)
    return table is not None and bool(catalog.time_attributes_of(table))


def is_plain(scan: TableSourceScan) -> bool:
    """Return whether the source has no computed columns."""
    return all(isinstance(column, Column) for column in scan.columns)


def filters_and_input(operator: Operator) -> tuple[tuple[Expr, ...], Operator]:
    """The filters right above an operator, and that operator."""
    conditions: list[Expr] = []
    while isinstance(operator, Calc):
        conditions += operator.conditions
        operator = operator.input
    return tuple(conditions), operator
