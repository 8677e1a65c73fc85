"""State at the borders of a query: behind a source of upserts, and in front of a sink with a primary key."""

from __future__ import annotations

from dataclasses import replace

from keepstate.physical.layouts.fields import NOT_NULL, Filter, row_of
from keepstate.physical.layouts.input_determinants import filters_of_input
from keepstate.physical.translation.scans import NormalizedSource
from keepstate.plan.catalog import Catalog, ColumnDefinition
from keepstate.plan.expressions import Column, Literal
from keepstate.plan.job import Pipeline
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.upsert_keys import sink_needs_order
from keepstate.state.stored_operators import StatePart, StoredField, StoredOperator, StoredState

_NULL = Literal("NULL", "NULL")


def normalized(scan: TableSourceScan, node: NormalizedSource, number: int, catalog: Catalog) -> StoredOperator:
    """ChangelogNormalize: the last row of every key, with the columns that the query reads."""
    row = node.row
    table = catalog.tables[scan.table]
    names = catalog.primary_key_of(table)[0]
    key = tuple(expr for expr in row if isinstance(expr, Column) and expr.name in names)
    state = StoredState("deduplicate-state", StatePart.ROWS, row_of(row))
    passed = ((frozenset(Filter.of(condition) for condition in node.conditions),),)
    return StoredOperator(
        "ChangelogNormalize",
        number,
        key=row_of(key),
        states=(state,),
        meanings=((StatePart.FILTER, passed),),
        unknown_reason=node.node.doubt,
        summary="the last row of every key of the source",
    )


def needs_order(pipeline: Pipeline, catalog: Catalog) -> bool:
    """Return whether the planner puts an operator in front of the sink that stores rows to order updates."""
    return sink_needs_order(pipeline, catalog) is True


def materialized(pipeline: Pipeline, number: int, catalog: Catalog) -> StoredOperator:
    """SinkUpsertMaterializer: all rows of every primary key, as the sink takes them."""
    filled, key = _sink(pipeline, catalog)
    definition = catalog.tables[pipeline.sink or ""]
    types = {column.name: _type(column, column.name in key) for column in catalog.columns_of(definition)[0]}
    exprs = dict(zip(filled, pipeline.plan.output, strict=False))
    # With a column list rows are still in the order of the table, and the other columns are NULL.
    row = {name: StoredField(exprs.get(name, _NULL), types.get(name)) for name in _columns(pipeline, catalog, filled)}
    keys = tuple(row[name] for name in key if name in row)
    state = StoredState("sink-upsert-materialize-state", StatePart.ROWS, tuple(row.values()), "list")
    return StoredOperator(
        "SinkUpsertMaterializer",
        number,
        key=keys,
        states=(state,),
        meanings=((StatePart.FILTER, (filters_of_input(pipeline.plan.root),)),),
        updating_input=True,
        summary="all rows of every primary key of the sink, in the order in which they came",
    )


def _type(column: ColumnDefinition, of_key: bool) -> str | None:
    """The type of a column as the sink declares it, with NOT NULL: a restart fails without it as well."""
    stored_type = column.stored_type
    required = column.not_null or of_key
    return f"{stored_type}{NOT_NULL}" if required and stored_type is not None else stored_type


def _columns(pipeline: Pipeline, catalog: Catalog, filled: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of the sink's rows, in their order."""
    target = pipeline.target
    if target is None or not target.columns:
        return filled
    return replace(target, columns=()).filled(catalog, pipeline.plan.names)


def _sink(pipeline: Pipeline, catalog: Catalog) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the sink that the query fills, and its primary key; none if it is not declared."""
    target = pipeline.target
    definition = catalog.tables.get(target.name) if target is not None else None
    if target is None or definition is None:
        return (), ()
    return target.filled(catalog, pipeline.plan.names), catalog.primary_key_of(definition)[0]
