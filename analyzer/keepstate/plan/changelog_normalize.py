"""Sources of upserts behind which Flink keeps the last row of every key (ChangelogNormalize)."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.connectors import sends_upserts
from keepstate.plan.operators import LookupJoin, Operator, TableSourceScan


def tables_with_kept_rows(pipeline: Pipeline, catalog: Catalog) -> Iterator[str]:
    """The tables behind which rows are kept, as often as the pipeline reads them. There are none where rows go straight
    into a sink with a primary key, or into one that may have one.

    >>> list(tables_with_kept_rows(pipeline("SELECT city, COUNT(*) FROM buyers GROUP BY city"), catalog()))
    ['buyers']
    >>> list(tables_with_kept_rows(pipeline("SELECT buyer, COUNT(*) FROM orders GROUP BY buyer"), catalog()))
    []
    """
    plan = pipeline.plan
    for table in _streams(plan.root):
        definition = catalog.tables.get(table)
        if definition is None or not sends_upserts(catalog.options_of(definition)):
            continue
        sink = catalog.tables.get(pipeline.sink) if pipeline.sink is not None else None
        if plan.root == TableSourceScan(table) and (sink is None or catalog.primary_key_of(sink)[0]):
            continue
        yield table


def _streams(operator: Operator) -> Iterator[str]:
    """The tables that are read as streams; one that is only looked up is none."""
    if isinstance(operator, TableSourceScan):
        yield operator.table
    for child in (operator.left,) if isinstance(operator, LookupJoin) else operator.inputs:
        yield from _streams(child)
