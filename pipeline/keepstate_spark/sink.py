"""The columns of a sink that an INSERT fills: from its query, with the constants of PARTITION, and with NULL.

A sink with a primary key keeps one row of each. Window Top-N give rows of the same key for each window.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import WindowField, WindowPart
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Operator,
    Rank,
    SetOperation,
    WindowAggregate,
    WindowKind,
    WindowRank,
    WindowTableFunction,
)
from keepstate.plan.types.logical_types import LogicalType
from keepstate.validation.conflicts import is_told_apart

_GROUPING = (Aggregate, Rank, SetOperation)
"""Operators whose keys are those of their rows; others only pass on what a source declares."""
_KEEPING_ONE = frozenset(
    """upsert-kafka jdbc elasticsearch-6 elasticsearch-7 elasticsearch-8 mongodb hbase-1.4 hbase-2.2""".split()
)
"""Connectors whose tables keep one row of each primary key. A print connector shows all of them."""


@dataclass(frozen=True)
class SinkColumn:
    """A column of a sink. ``type`` is ``None`` where the declaration does not tell it.

    ``source`` is the column of the query that fills it, from 0. One without is filled with ``constant``, as the script
    writes it in PARTITION; without that with NULL.
    """

    name: str
    type: LogicalType | None
    nullable: bool
    source: int | None = None
    constant: str | None = None
    is_key: bool = False
    """It is a column of the primary key of a sink that keeps one row of each."""


def sink_columns(pipeline: Pipeline, catalog: Catalog, names: tuple[str, ...]) -> tuple[SinkColumn, ...]:
    """Return the columns of the sink in its order, as Flink writes them; none for a query that is no INSERT, and for a
    sink that ``catalog`` does not declare whole. ``names`` are those of the query.

    A primary key makes its columns NOT NULL.
    """
    target = pipeline.target
    if target is None or not isinstance(pipeline.statement.tree, exp.Insert) or target.name not in catalog.tables:
        return ()
    table = catalog.tables[target.name]
    declared, whole = catalog.columns_of(table)
    keys = frozenset(catalog.primary_key_of(table)[0])
    keeps_one = connector_of(catalog.options_of(table)) in _KEEPING_ONE and not _is_unlike_by_key(pipeline, catalog)
    filled = {name: number for number, name in enumerate(target.filled(catalog, names))}
    writable = [column for column in declared if column.expression is None and not column.virtual]
    if not whole or len(filled) != len(names) or not {column.name for column in writable} >= filled.keys():
        return ()
    constants = _constants(pipeline.statement.tree)
    return tuple(
        SinkColumn(
            column.name,
            LogicalType.declared(column.type) if column.type else None,
            not column.not_null and column.name not in keys,
            filled.get(column.name),
            constants.get(column.name),
            keeps_one and column.name in keys,
        )
        for column in writable
    )


def column_of_last_rows(pipeline: Pipeline) -> int | None:
    """Return the output column of a query by which rows of one key come one after another: the time of the window of a
    Top-N. ``None`` where their order is not known.
    """
    rank = _below_projections(pipeline.plan.root)
    insert = pipeline.statement.tree
    if not isinstance(rank, WindowRank) or insert is None or insert.args.get("conflict") is not None:
        return None
    kinds = {each.window.kind for each in rank.walk() if isinstance(each, (WindowAggregate, WindowTableFunction))}
    parts = {WindowPart.END}
    if kinds <= {WindowKind.TUMBLE, WindowKind.HOP}:
        parts.add(WindowPart.START)
    if not kinds <= {WindowKind.TUMBLE, WindowKind.HOP, WindowKind.CUMULATE}:
        return None
    times = (
        number
        for number, expr in enumerate(pipeline.plan.output)
        if expr in rank.partition and isinstance(expr, WindowField) and expr.part in parts
    )
    return next(times, None)


def _is_unlike_by_key(pipeline: Pipeline, catalog: Catalog) -> bool:
    """Return whether each row of a result has a primary key of its own, as far as its last operator tells."""
    operator, target = _below_projections(pipeline.plan.root), pipeline.target
    if target is None or isinstance(operator, WindowRank) or not isinstance(operator, _GROUPING):
        return False
    table = catalog.tables[target.name]
    return is_told_apart(pipeline.plan, catalog, table, target.filled(catalog, pipeline.plan.names))


def _below_projections(operator: Operator) -> Operator:
    while isinstance(operator, Calc):
        operator = operator.input
    return operator


def _constants(insert: exp.Insert) -> dict[str, str]:
    """The texts of the constants of PARTITION, by their columns. Flink takes no others than texts and numbers there."""
    target = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
    partition = target.args.get("partition")
    entries = [entry for entry in partition.expressions if isinstance(entry, exp.EQ)] if partition else []
    return {entry.this.name: _constant(entry.expression) for entry in entries}


def _constant(value: exp.Expression) -> str:
    return f"-{value.this.name}" if isinstance(value, exp.Neg) else str(value.name)
