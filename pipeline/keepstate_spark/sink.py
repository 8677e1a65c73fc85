"""The columns of a sink that an INSERT fills: from its query, with the constants of PARTITION, and with NULL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Pipeline
from keepstate.plan.types.logical_types import LogicalType


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
        )
        for column in writable
    )


def _constants(insert: exp.Insert) -> dict[str, str]:
    """The texts of the constants of PARTITION, by their columns. Flink takes no others than texts and numbers there."""
    target = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
    partition = target.args.get("partition")
    entries = [entry for entry in partition.expressions if isinstance(entry, exp.EQ)] if partition else []
    return {entry.this.name: _constant(entry.expression) for entry in entries}


def _constant(value: exp.Expression) -> str:
    return f"-{value.this.name}" if isinstance(value, exp.Neg) else str(value.name)
