"""Rows that surely change: what a sink for new rows refuses, and what goes by time as well (Flink 1.20, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Expr, WindowField, WindowPart
from keepstate.plan.job import Plan
from keepstate.plan.metadata.changelog import RANKS_AS_FIRST_ROWS, Version, updates, updating_tables
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    Correlate,
    Deduplicate,
    GroupWindowAggregate,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    WindowAggregate,
    WindowRank,
    WindowTableFunction,
    is_one_row,
)
from keepstate.plan.operators.traversal import expressions_of
from keepstate.plan.references import SubqueryValue
from keepstate.plan.types.inference import type_of
from keepstate.plan.upsert_keys import upsert_keys
from keepstate.validation.conflicts import has_keys_of_session
from keepstate.validation.times.window_emission import ONE_RESULT, WindowEmission

_OUTER = {"left": (JoinSide.RIGHT,), "right": (JoinSide.LEFT,)}
"""The side of each kind of join whose rows may be missing, and which the planner leaves out if nothing reads it."""
_MOMENTS = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})


@dataclass(frozen=True)
class Changes:
    """The rows of operators over the tables of a catalog, in Flink of the version ``flink``; ``tables`` are those that
    change rows, and ``emission`` says when windows give results.
    """

    catalog: Catalog
    tables: frozenset[str]
    flink: Version
    emission: WindowEmission = ONE_RESULT
    read_values: frozenset[Expr] = frozenset()
    """Values of queries inside of expressions that something reads; the planner leaves the others out."""

    @staticmethod
    def of(catalog: Catalog, plan: Plan, flink: Version, emission: WindowEmission = ONE_RESULT) -> Changes:
        return Changes(catalog, updating_tables(catalog), flink, emission, _values_read(plan))

    def surely(self, operator: Operator) -> bool:
        """Return whether an operator surely changes rows that it gave. A ranking of one row may not if its order may be
        a time, nor may a join whose bounds on time are not known, or that the planner may leave out.
        """
        if isinstance(operator, (Calc, OverAggregate, Correlate, WindowTableFunction, TemporalSort)):
            return self.surely(operator.input)
        if isinstance(operator, GroupWindowAggregate):
            return self.emission.changes_results_of(operator)
        if isinstance(operator, WindowAggregate) and not has_keys_of_session(operator):
            return True
        if isinstance(operator, Rank):
            return self._of_rank(operator)
        if isinstance(operator, Union):
            return any(map(self.surely, operator.inputs))
        if type(operator) is Join:
            if operator.kind == "scalar":
                # The value that a row has first is that of no row.
                return operator.subquery in self.read_values or self.surely(operator.left)
            if self._may_vanish(operator):
                return self.surely(operator.right if operator.kind == "right" else operator.left)
            kept = operator.kind not in ("inner", "semi") and not may_be_bounded(operator)
            return kept or self.surely(operator.left) or self.surely(operator.right)
        if isinstance(operator, AggregatedSubquery):
            return not is_one_row(operator.rows)
        if isinstance(operator, (Aggregate, SetOperation, Limit, TableSourceScan)):
            return updates(operator, self.tables)
        return False

    def _of_rank(self, rank: Rank) -> bool:
        if not rank.keeps_first_row or isinstance(rank, (Deduplicate, WindowRank)):
            return updates(rank, self.tables, self.flink)
        if self.surely(rank.input):
            return True
        return self.flink < RANKS_AS_FIRST_ROWS and not rank.may_deduplicate

    def _may_vanish(self, join: Join) -> bool:
        """Return whether an outer join finds one row at most for each, and nothing reads it."""
        for side in _OUTER.get(join.kind, ()):
            sides = JoinSides.of(join)
            keys = dict(zip(JoinSide, equated(join, sides), strict=True))[side]
            row = join.left_row if side is JoinSide.LEFT else join.right_row
            below = join.left if side is JoinSide.LEFT else join.right
            return set(row) <= set(keys) and upsert_keys(below, self.catalog) != frozenset()
        return False


def _values_read(plan: Plan) -> frozenset[Expr]:
    """The values of queries that the columns of a plan, or its operators, read."""
    if not any(isinstance(operator, Join) and operator.kind == "scalar" for operator in plan.operators):
        return frozenset()
    exprs = (*plan.output, *plan.row, *(expr for operator in plan.operators for expr in expressions_of(operator)))
    return frozenset(node for expr in exprs for node in expr.walk() if isinstance(node, SubqueryValue))


def may_be_bounded(join: Join) -> bool:
    """Return whether conditions of a join may bound a time of one side by one of the other from both ends."""
    sides = JoinSides.of(join)
    directions: set[object] = set()
    for condition in join.conditions:
        own = isinstance(condition, Call) and condition.name in ("<", "<=", "=")
        for first, second, sign in _comparisons(condition):
            operand_sides = [sides.read(operand) for operand in (first, second)]
            if not all(map(_may_be_moment, (first, second))) or (
                operand_sides[0] == operand_sides[1] and len(operand_sides[0]) == 1
            ):
                continue
            if not own or sign == "=" or len(operand_sides[0]) != 1:
                return True
            directions.add(operand_sides[0])
    return len(directions) > 1


def _comparisons(condition: Expr) -> Iterator[tuple[Expr, Expr, str]]:
    for node in condition.walk():
        if isinstance(node, Call) and node.name in ("<", "<=", "=") and len(node.args) == 2:
            yield node.args[0], node.args[1], node.name


def _may_be_moment(expr: Expr) -> bool:
    if isinstance(expr, WindowField) and expr.part is not WindowPart.TIME:
        return False
    type_ = type_of(expr)
    return type_ is None or type_.root in _MOMENTS
