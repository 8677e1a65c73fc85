"""The columns that an INSERT fills, with the names and types of its sink."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Pipeline
from keepstate.plan.types.logical_types import LogicalType


@dataclass(frozen=True)
class SinkColumn:
    """A column of a sink. ``type`` is ``None`` where the declaration does not tell it."""

    name: str
    type: LogicalType | None
    nullable: bool


def sink_columns(pipeline: Pipeline, catalog: Catalog, names: tuple[str, ...]) -> tuple[SinkColumn, ...]:
    """Return the columns of the sink in the order in which the query of ``pipeline`` fills them; none for a query
    that is no INSERT, and for a sink that ``catalog`` does not declare whole. ``names`` are those of the query.

    A primary key makes its columns NOT NULL.
    """
    target = pipeline.target
    if target is None or not isinstance(pipeline.statement.tree, exp.Insert) or target.name not in catalog.tables:
        return ()
    table = catalog.tables[target.name]
    declared, whole = catalog.columns_of(table)
    keys = frozenset(catalog.primary_key_of(table)[0])
    columns = {
        column.name: SinkColumn(
            column.name,
            LogicalType.declared(column.type) if column.type else None,
            not column.not_null and column.name not in keys,
        )
        for column in declared
    }
    filled = target.filled(catalog, names)
    if not whole or len(filled) != len(names) or not columns.keys() >= set(filled):
        return ()
    return tuple(columns[name] for name in filled)
