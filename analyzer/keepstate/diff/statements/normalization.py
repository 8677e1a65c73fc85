"""Rows that Flink keeps behind a source of upserts (ChangelogNormalize): they have the columns that a query reads."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.pipelines import PipelineDiff
from keepstate.plan.catalog import Catalog
from keepstate.plan.changelog_normalize import tables_with_kept_rows
from keepstate.plan.expressions import Column
from keepstate.plan.job import Pipeline
from keepstate.plan.operators import expressions_of
from keepstate.plan.provenance import Place


def kept_row_changes(diff: PipelineDiff, baseline: Catalog, current: Catalog) -> Iterator[Change]:
    """Columns of sources of upserts that the pipeline reads on one side only, or in another type."""
    if diff.baseline.plan == diff.current.plan:
        return
    baseline_rows, current_rows = _stored_columns(diff.baseline, baseline), _stored_columns(diff.current, current)
    for table in sorted(baseline_rows.keys() & current_rows.keys()):
        was, now = baseline_rows[table], current_rows[table]
        for name in (*now, *(name for name in was if name not in now)):
            before, after = was.get(name), now.get(name)
            if before is not None and after is not None and before.type == after.type:
                continue
            removed = after is None
            place = diff.current.plan.output_place if after is None else _clause_at(after.place, diff.changes)
            description = (
                "not read any more" if removed else "read as well" if before is None else "read as another type"
            )
            yield Change(
                ChangeKind.UPSERT_SOURCE_ROW_CHANGED,
                QueryKind.SOURCE,
                place,
                before.place if before is not None else None,
                removed=removed,
                subject=f"column {name} of {table} is {description}",
                tables=frozenset({table}),
                columns=frozenset({name}),
            )


def _clause_at(place: Place | None, changes: tuple[Change, ...]) -> Place | None:
    """The clause of a change that the use of a column is part of, so that both are one finding."""
    if place is None:
        return None
    clauses = (change.current for change in changes if change.current is not None and not change.removed)
    return next((clause for clause in clauses if clause.contains(place)), place)


def _stored_columns(pipeline: Pipeline, catalog: Catalog) -> dict[str, dict[str, Column]]:
    """The columns that a pipeline reads of each of its sources of upserts behind which rows are kept."""
    tables: dict[str, dict[str, Column]] = {}
    plan = pipeline.plan
    for table in tables_with_kept_rows(pipeline, catalog):
        roots = (*(expr for operator in plan.operators for expr in expressions_of(operator)), *plan.output)
        columns: dict[str, Column] = {}
        for node in (node for expr in reversed(roots) for node in expr.walk()):
            if isinstance(node, Column) and node.table.partition("#")[0] == table:
                columns[node.name] = node
        tables[table] = dict(sorted(columns.items()))
    return tables
