"""UNION, INTERSECT and EXCEPT, from lowered queries to operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp

from keepstate.plan.clauses.aggregation import by_windows
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.hashed_value import QuickCopy, with_fields
from keepstate.plan.lowering.empty_relations import is_empty
from keepstate.plan.lowering.filter_placement import behind
from keepstate.plan.metadata.constant_columns import is_literal, literal_columns
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import Calc, GroupAggregate, Operator, SetOperation, Union
from keepstate.plan.operators.window_properties import same_windows
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfUnion
from keepstate.plan.scalars.casts import without_casts_to_common
from keepstate.plan.scalars.name_scope import Relation, sealed
from keepstate.plan.simplification.nullability import never_null
from keepstate.plan.types.common_types import common_type
from keepstate.plan.types.inference import type_of


@dataclass(frozen=True)
class Operand(QuickCopy):
    """One of the queries that are put together; ``select`` is its select list."""

    relation: Relation
    place: Place
    select: Place | None = None


class _Branch(NamedTuple):
    row: tuple[Expr, ...]
    operator: Operator
    place: Place


def operands_of(node: exp.SetOperation) -> list[exp.Expression]:
    """The operands of a chain of UNIONs as one list; INTERSECT and EXCEPT have two.

    The planner merges them: below UNION it does not matter whether duplicates stay, below UNION ALL it does.
    """
    if not isinstance(node, exp.Union):
        return [node.this, node.expression]
    operands: list[exp.Expression] = []
    waiting: list[exp.Expression] = [node.expression, node.this]
    while waiting:
        side = waiting.pop()
        inner = _without_parens(side)
        plain = isinstance(inner, exp.Union) and not any(
            inner.args.get(clause) for clause in ("with_", "order", "limit", "offset")
        )
        if plain and (node.args.get("distinct") or not inner.args.get("distinct")):
            waiting += (inner.expression, inner.this)
        else:
            operands.append(side)
    return operands


def _without_parens(node: exp.Expression) -> exp.Expression:
    while isinstance(node, exp.Subquery) and not any(node.args.get(key) for key in ("order", "limit", "offset")):
        node = node.this
    return node


def combined(node: exp.SetOperation, operands: Sequence[Operand], keyword: Place) -> Relation:
    """The relation of a set operation over its lowered ``operands``."""
    relations = [operand.relation for operand in operands]
    width = min(len(relation.fields) for relation in relations)
    first = relations[0]
    window = first.window if same_windows(relation.window for relation in relations) else None
    depth = max(relation.depth for relation in relations)
    if not isinstance(node, exp.Union):
        left, right = operands
        operator = SetOperation(
            sealed(left.relation),
            sealed(right.relation),
            type(node).__name__.upper(),
            not node.args.get("distinct"),
            tuple(column.expr for column in left.relation.fields),
            tuple(column.expr for column in right.relation.fields),
            left.select,
            right.select,
            place=keyword,
        )
        return Relation(operator, first.fields[:width], window=window, depth=depth)
    branches = _equally_wide([branch for operand in operands for branch in _branches_of(operand)])
    branches = _without_empty(branches)
    rows, inputs, places = zip(*branches, strict=True)
    rows = tuple(zip(*map(without_casts_to_common, zip(*rows, strict=True)), strict=True)) or rows
    union = Union(inputs, rows, places, tuple(range(len(inputs))), place=keyword)
    # A column is shown where the first query gives it.
    pairs = zip(first.fields, union.columns, strict=False)
    fields = tuple(
        with_fields(column, expr=with_fields(expr, place=column.expr.place, via=column.expr.via))
        for column, expr in pairs
    )
    relation = Relation(union if len(inputs) > 1 else inputs[0], fields, window=window, depth=depth)
    if node.args.get("distinct"):
        # UNION is an aggregation by all columns over UNION ALL (``UnionToDistinctRule``).
        keys = tuple(dict.fromkeys(column.expr for column in fields))
        select = operands[0].select
        plain = GroupAggregate(
            relation.input, keys, (), keys_place=select, select_place=select, words="UNION", place=keyword
        )
        relation = with_fields(relation, input=by_windows(plain, window, depth))
    return relation


def _equally_wide(branches: list[_Branch]) -> list[_Branch]:
    """The branches with as many columns as the narrowest has: Flink refuses others, but they occur while typing."""
    width = min(len(branch.row) for branch in branches)
    return [branch._replace(row=branch.row[:width]) for branch in branches]


def _without_empty(branches: list[_Branch]) -> list[_Branch]:
    """The branches without those that never have a row, which the planner leaves out of UNION ALL.

    All stay where one of these decides the type of a column, which is then cast (``PruneEmptyRules.UNION_INSTANCE``).
    """
    nonempty = [branch for branch in branches if not is_empty(branch.operator)]
    if not nonempty or len(nonempty) == len(branches):
        return branches
    columns = list(zip(*(branch.row for branch in branches), strict=True))
    new_columns = list(zip(*(branch.row for branch in nonempty), strict=True))
    types = [common_type(map(type_of, column)) for column in columns]
    if None in types or types != [common_type(map(type_of, column)) for column in new_columns]:
        return branches
    pairs = enumerate(zip(columns, new_columns, strict=True))
    planned = [_Column(*each).planned(nonempty, position) for position, each in pairs]
    return [branch._replace(row=tuple(row)) for branch, row in zip(nonempty, zip(*planned, strict=True), strict=True)]


class _Column(NamedTuple):
    """A column of a union: the expressions of all branches, and of those that are left."""

    all: tuple[Expr, ...]
    left: tuple[Expr, ...]

    def planned(self, branches: Iterable[_Branch], position: int) -> list[Expr]:
        """The column in ``branches``, those that are left, in the type of the union: it admits NULL if one of all does.

        A constant that all of these give stays a column: it was one of the union when the planner looked for constants,
        unless the others gave the same.
        """
        admits_null = not all(map(never_null, self.all))
        if len(set(self.left)) == 1 < len(set(self.all)) and all(map(_gives_constant, branches, self.left)):
            return [ColumnOfUnion((expr,), admits_null, place=expr.place, via=expr.via) for expr in self.left]
        return [
            with_fields(expr, not_null=expr.not_null and not admits_null, of_union=position)
            if isinstance(expr, Column)
            else expr
            for expr in self.left
        ]


def _gives_constant(branch: _Branch, expr: Expr) -> bool:
    return is_constant(expr) or is_literal(expr, literal_columns(branch.operator))


def _branches_of(operand: Operand) -> list[_Branch]:
    """The operand as an input of a union; a union in a view or subquery gives its own inputs."""
    relation = operand.relation
    row = tuple(
        with_fields(column.expr, via=(column.item, *column.expr.via)) if column.item is not None else column.expr
        for column in relation.fields
    )
    inner = relation.input
    own = _Branch(row, sealed(relation), operand.place)
    if not isinstance(inner, Union):
        return [own]
    spread = []
    for branch, branch_row, place in zip(inner.branches, inner.rows, inner.places, strict=True):
        # A column that stands for two expressions cannot be replaced above it: then the inner union stays.
        substitution = given_by(inner, branch_row)
        if substitution is None:
            return [own]
        conditions = tuple(substituted(condition, substitution) for condition in relation.filters)
        columns = tuple(substituted(expr, substitution) for expr in row)
        spread.append(_Branch(columns, behind(branch, conditions), place))
    return spread


def given_by(union: Union, row: tuple[Expr, ...]) -> dict[Expr, Expr] | None:
    """Map each column of the union to the expression of one input; ``None`` if one column stands for two
    expressions.

    >>> union = root("SELECT buyer FROM orders UNION ALL SELECT city FROM buyers")
    >>> [[str(expr) for expr in given_by(union, row).values()] for row in union.rows]
    [['city'], ['buyer']]
    """
    substitution: dict[Expr, Expr] = {}
    for column, expr in zip(union.columns, row, strict=False):
        if substitution.setdefault(column, expr) != expr:
            return None
    return substitution


def substituted(expr: Expr, columns: Mapping[Expr, Expr]) -> Expr:
    """Rewrite an expression over the columns of a union or set operation into one over the columns of one input.

    >>> both = "SELECT id AS n FROM orders UNION ALL SELECT 0 FROM buyers"
    >>> union, (more,) = root(both), plan(f"SELECT n + 1 FROM ({both})").output
    >>> [str(substituted(more, given_by(union, row))) for row in union.rows]
    ['0 + 1', 'id + 1']
    """

    def step(node: Expr) -> Expr:
        column = columns.get(node)
        return node if column is None else with_fields(column, place=node.place, via=(*node.via, *column.via))

    return reordered(expr.rewrite(step))


def with_filter_below(calc: Calc) -> Operator:
    """A filter over a set operation as the planner has it: in front of each input. The filter itself where nothing is
    to be moved.
    """
    operation = calc.input
    if isinstance(operation, SetOperation):
        substitution = _pairs(operation.left_row, operation.right_row)
        left = behind(operation.left, calc.conditions)
        right = behind(operation.right, tuple(substituted(condition, substitution) for condition in calc.conditions))
        return with_fields(operation, left=left, right=right)
    if not isinstance(operation, Union):
        return calc
    branches = []
    for branch, row in zip(operation.branches, operation.rows, strict=True):
        columns = given_by(operation, row)
        if columns is None:
            return calc
        branches.append(behind(branch, tuple(substituted(condition, columns) for condition in calc.conditions)))
    return with_fields(operation, branches=tuple(branches))


def _pairs(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> dict[Expr, Expr]:
    pairs: dict[Expr, Expr] = {}
    for left_expr, right_expr in zip(left, right, strict=False):
        pairs.setdefault(left_expr, right_expr)
    return pairs
