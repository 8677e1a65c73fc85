"""``*`` of tables that no script declares, whose columns are unknown.

Two versions of a query are compared as if such a table had just the columns that either version names. That is the
mildest case: a difference there exists for every table. Then the versions are compared once more as if the table had
another column. A difference found only then depends on the declaration, so it is undecidable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Column
from keepstate.plan.job import Pipeline, Plan, PlanningInputs, plan_of
from keepstate.plan.operators import expressions_of
from keepstate.syntax.memo import Memo

_ANOTHER = "*"
"""The name of the column that a table may have besides."""

Prepared = Callable[[Pipeline], Pipeline]
"""Rewrites a pipeline of the baseline for the comparison: with the current names of tables."""


@dataclass(frozen=True)
class AssumedColumns:
    """Columns of undeclared tables by the current name of the table; ``renames`` gives current names by former ones."""

    columns: Mapping[str, tuple[str, ...]]
    renames: Mapping[str, str]
    memo: Memo = field(compare=False, repr=False)
    """Plans are kept here."""

    @staticmethod
    def about(
        was: Pipeline, now: Pipeline, renames: Mapping[str, str], catalogs: tuple[Catalog, Catalog], memo: Memo
    ) -> AssumedColumns:
        """``was`` is under current names already; no columns where ``*`` stands for declared ones on both sides."""
        starred = dict.fromkeys((*(renames.get(name, name) for name in was.plan.starred), *now.plan.starred))
        tables = {*was.plan.sources, *now.plan.sources}
        columns = {name: _columns(name, was, now, renames, catalogs) for name in starred if name in tables}
        return AssumedColumns(columns, renames, memo)

    def with_another_column(self, tables: frozenset[str]) -> AssumedColumns:
        """The same with one more column in ``tables``, and so in front that it is within the width of a union."""
        return replace(
            self,
            columns={table: (_ANOTHER, *names) if table in tables else names for table, names in self.columns.items()},
        )

    def of_current(self, pipeline: Pipeline) -> Pipeline:
        return self._planned(pipeline, self.columns)

    def of_baseline(self, pipeline: Pipeline, prepared: Prepared) -> Pipeline:
        former = {now: was for was, now in self.renames.items()}
        columns = {former.get(table, table): names for table, names in self.columns.items()}
        return prepared(self._planned(pipeline, columns))

    def _planned(self, pipeline: Pipeline, columns: Mapping[str, tuple[str, ...]]) -> Pipeline:
        context = PlanningInputs(pipeline.definitions, tuple(sorted(columns.items())))
        return pipeline.with_plan(plan_of(pipeline.statement, context, self.memo))


def open_changes(certain: Iterable[Change], all_changes: Iterable[Change], tables: Iterable[str]) -> Iterator[Change]:
    """Yield the differences that exist only if a table has another column, as changes that depend on its
    declaration.
    """
    identities = {_identity(change) for change in certain}
    reported: set[object] = set()
    for change in all_changes:
        if _identity(change) in identities:
            continue
        opened = replace(
            change,
            kind=ChangeKind.SOURCE_COLUMNS_UNKNOWN,
            query=QueryKind.SOURCE,
            presence=None,
            subject=" and ".join(tables),
            baseline_text="",
            current_text="",
        )
        if (place := (opened.current, opened.baseline)) not in reported:
            reported.add(place)
            yield opened


def _identity(change: Change) -> tuple[object, ...]:
    return change.kind, change.query, change.current, change.baseline, change.removed


def _columns(
    table: str, was: Pipeline, now: Pipeline, renames: Mapping[str, str], catalogs: tuple[Catalog, Catalog]
) -> tuple[str, ...]:
    """The columns of ``table`` that are declared on either side, or else that the queries name: in the order of the one
    that names more of them.
    """
    former = next((name for name, other in renames.items() if other == table), table)
    declared = [
        tuple(column.name for column in catalog.columns_of(definition)[0])
        for catalog, name in zip(catalogs, (former, table), strict=True)
        if (definition := catalog.tables.get(name)) is not None
    ]
    name_lists = sorted((_column_names(table, pipeline.plan) for pipeline in (was, now)), key=len, reverse=True)
    return tuple(dict.fromkeys(name for names in (*declared, *name_lists) for name in names))


def _column_names(table: str, plan: Plan) -> tuple[str, ...]:
    roots = (*plan.output, *(expr for operator in plan.operators for expr in expressions_of(operator)))
    columns = (node for expr in roots for node in expr.walk() if isinstance(node, Column))
    # A table that is read twice bears a number behind its name.
    return tuple(dict.fromkeys(column.name for column in columns if column.table.partition("#")[0] == table))
