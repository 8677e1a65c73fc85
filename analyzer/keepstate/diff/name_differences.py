"""Names of tables and functions that differ between two versions, where a change elsewhere says so already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.join_sides import is_mark, renamed_mark
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate.plan.planned.query_planning import planned_of
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement


@dataclass(frozen=True)
class TableNames:
    """Names of tables on both sides.

    ``renames`` maps the names of the baseline to those of today; ``half_declared`` are tables that only one side
    declares, each with the statements that do so. ``moves`` are names that another USE gave another meaning, as those
    of functions.
    """

    renames: Mapping[str, str]
    half_declared: Mapping[str, tuple[ParsedStatement, ...]]
    moves: Mapping[str, str]

    @property
    def are_the_same(self) -> bool:
        """Return whether no name differs, so that no pipeline has to be looked at."""
        return not (self.renames or self.half_declared or self.moves)

    def of_baseline(self, pipeline: Pipeline, memo: Memo) -> Pipeline:
        declared_pipeline = self.of_current(pipeline, memo)
        return _with_moved_functions(_with_renamed_sources(declared_pipeline, self.renames), self.moves)

    def of_current(self, pipeline: Pipeline, memo: Memo) -> Pipeline:
        """The pipeline as if its script declared what only the other one does: as long as nothing else is known of a
        catalog, its declaration is taken for the same.
        """
        tables = [name for name in self.half_declared if name in pipeline.equivalent_plan.sources]
        declarations = [statement for name in tables for statement in self.half_declared[name]]
        definitions = tuple(dict.fromkeys((*declarations, *pipeline.definitions)))
        if len(definitions) == len(pipeline.definitions):
            return pipeline
        planned = planned_of(pipeline.statement, definitions, memo)
        return replace(pipeline, definitions=definitions, planned=planned)


class NamedAlike:
    """The pipelines of the last comparison under the names of both sides. Most are the same at the next keystroke."""

    def __init__(self) -> None:
        self._names: TableNames | None = None
        self._sides: list[dict[tuple[ParsedStatement, int], tuple[Pipeline, Pipeline]]] = [{}, {}]

    @staticmethod
    def of(memo: Memo) -> NamedAlike:
        """The pipelines that a memory has."""
        return memo.of_group(NamedAlike, (), NamedAlike)

    def pipelines(
        self, names: TableNames, baseline: Sequence[Pipeline], current: Sequence[Pipeline], memo: Memo
    ) -> tuple[Sequence[Pipeline], Sequence[Pipeline]]:
        """The pipelines of both sides under the same names."""
        if names.are_the_same:
            return baseline, current
        if names != self._names:
            self._names, self._sides = names, [{}, {}]
        was = self._side(0, baseline, partial(names.of_baseline, memo=memo))
        return was, self._side(1, current, partial(names.of_current, memo=memo))

    def _side(
        self, side: int, pipelines: Sequence[Pipeline], named: Callable[[Pipeline], Pipeline]
    ) -> Sequence[Pipeline]:
        former = self._sides[side]
        pairs = {}
        for pipeline in pipelines:
            key = pipeline.statement, pipeline.number
            pair = former.get(key)
            pairs[key] = pair if pair is not None and pair[0] is pipeline else (pipeline, named(pipeline))
        self._sides[side] = pairs
        return [pairs[pipeline.statement, pipeline.number][1] for pipeline in pipelines]


def _with_renamed_sources(pipeline: Pipeline, renames: Mapping[str, str]) -> Pipeline:
    """The pipeline as if its sources had borne their new names all along: the rename is one change, not hundreds."""
    if not renames or not renames.keys() & set(pipeline.equivalent_plan.sources):
        return pipeline

    def column(expr: Expr) -> Expr:
        if isinstance(expr, Column):
            # Undeclared tables that are read twice bear a number behind their names.
            table, number, count = expr.table.partition("#")
            return replace(expr, table=renames[table] + number + count) if table in renames else expr
        return renamed_mark(expr, renames) if is_mark(expr) else expr

    def scans(node: Operator) -> Operator:
        if isinstance(node, TableSourceScan):
            return replace(node, table=renames.get(node.table, node.table))
        return node.with_inputs(tuple(scans(child) for child in node.inputs))

    return pipeline.with_plan(pipeline.plan.rewritten(column).with_roots(scans).with_ordered_unions())


def _with_moved_functions(pipeline: Pipeline, moves: Mapping[str, str]) -> Pipeline:
    """The pipeline as if its functions had stood in the database of today all along: the USE is the change."""
    if not moves:
        return pipeline

    def called(expr: Expr) -> Expr:
        if isinstance(expr, Call) and expr.name in moves:
            return replace(expr, name=moves[expr.name])
        if isinstance(expr, AggregateCall) and expr.function in moves:
            return replace(expr, function=moves[expr.function])
        return expr

    return pipeline.with_plan(pipeline.plan.rewritten(called).with_ordered_unions())
