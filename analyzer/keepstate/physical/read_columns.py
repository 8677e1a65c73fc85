"""Columns of tables that a query reads, and stored states that follow from no other ones."""

from __future__ import annotations

from collections.abc import Hashable

from keepstate.physical.translation.scans import gives_whole_rows
from keepstate.physical.translation.sources import Abilities
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Column
from keepstate.plan.job import Plan
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Join,
    LookupJoin,
    TableSourceScan,
    Union,
    Values,
    WindowTableFunction,
)


def columns_of(scan: TableSourceScan) -> list[Hashable]:
    """The columns of a scan with all that a declaration says of them; an expression is no column.

    >>> columns_of(plan("SELECT id FROM orders").scans[0])[0][0]
    'id'
    """
    return [
        (each.name, each.type, each.metadata, each.not_null, each.written_type) if isinstance(each, Column) else each
        for each in scan.columns
    ]


def declared_columns(name: str, catalog: Catalog) -> list[Hashable] | None:
    """The columns that a table is declared with; ``None`` if some are computed, or not known.

    >>> declared_columns("elsewhere", catalog()) is None
    True
    """
    table = catalog.tables.get(name)
    columns, is_complete = catalog.columns_of(table) if table is not None else ((), False)
    if table is None or not is_complete or any(each.expression is not None for each in columns):
        return None
    keys = table.primary_key
    return [
        (each.name, each.type, each.metadata, each.not_null or each.name in keys, each.written_type) for each in columns
    ]


_OF_READ_COLUMNS = (TableSourceScan, Calc, Aggregate, Join, Union, Values, WindowTableFunction)
"""Operators that store columns which are read, and no whole rows of a table."""


def keeps_read_columns(plan: Plan, catalog: Catalog) -> bool:
    """Return whether nothing that Flink stores for a plan follows from the columns that its query does not read.

    >>> queries = "SELECT COUNT(*) FROM orders", "SELECT id FROM orders ORDER BY rowtime"
    >>> [keeps_read_columns(plan(query), catalog()) for query in queries]
    [True, False]
    """
    if plan.storage_root is not None or plan.older_roots:
        return False
    if not all(isinstance(each, _OF_READ_COLUMNS) for each in plan.operators):
        return False
    if any(isinstance(each, LookupJoin) for each in plan.operators):
        return False
    tables = (catalog.tables.get(name) for name in plan.sources)
    return catalog.unambiguous and all(
        table is not None and gives_whole_rows(Abilities.of(catalog.options_of(table))) for table in tables
    )
