"""UNION, INTERSECT and EXCEPT, from lowered queries to operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlglot import exp

from keepstate.plan.aggregation import split_by_keys
from keepstate.plan.expressions import UNITED, Call, Expr
from keepstate.plan.operators import Aggregate, Calc, GroupAggregate, Operator, SetOperation, Union
from keepstate.plan.provenance import Place
from keepstate.plan.scope import Field, Relation, filtered, sealed


@dataclass(frozen=True)
class Operand:
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
    window = first.window if all(relation.window == first.window for relation in relations) else None
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
    fields = tuple(_united([relation.fields[position] for relation in relations]) for position in range(width))
    branches = [branch for operand in operands for branch in _branches_of(operand)]
    # The inputs of a union have no order.
    branches.sort(key=lambda branch: (repr(branch.row), repr(branch.operator)))
    rows, inputs, places = zip(*branches, strict=True)
    relation = Relation(Union(inputs, rows, places, place=keyword), fields, window=window, depth=depth)
    if node.args.get("distinct"):
        keys = tuple(dict.fromkeys(column.expr for column in fields))
        select = operands[0].select
        aggregation = GroupAggregate(relation.input, keys, (), place=keyword, keys_place=select, select_place=select)
        relation = replace(relation, input=aggregation)
    return relation


def _united(columns: list[Field]) -> Field:
    """A column of a union: what all its inputs give, shown where the first one gives it."""
    first = columns[0]
    given: dict[Expr, None] = {}
    for column in columns:
        parts = column.expr.args if isinstance(column.expr, Call) and column.expr.name == UNITED else (column.expr,)
        given.update(dict.fromkeys(parts))
    if len(given) == 1:
        return first
    united = Call(UNITED, tuple(sorted(given, key=repr)), place=first.expr.place, via=first.expr.via)
    return Field(first.name, united, first.item)


def _branches_of(operand: Operand) -> list[_Branch]:
    """The operand as an input of a union; a union in a view or subquery gives its own inputs."""
    relation = operand.relation
    row = tuple(column.expr for column in relation.fields)
    inner = relation.input
    own = _Branch(row, sealed(relation), operand.place)
    if not isinstance(inner, Union):
        return [own]
    spread = []
    for branch, given, place in zip(inner.branches, inner.rows, inner.places, strict=True):
        substitution = _given_by(inner, given)
        if substitution is None:
            return [own]
        conditions = tuple(_substituted(condition, substitution) for condition in relation.filters)
        columns = tuple(_substituted(expr, substitution) for expr in row)
        spread.append(_Branch(columns, _behind(branch, conditions), place))
    return spread


def _given_by(union: Union, row: tuple[Expr, ...]) -> dict[Expr, Expr] | None:
    """What one input gives for each column of the union; ``None`` if columns cannot be told apart."""
    given: dict[Expr, Expr] = {}
    # While somebody types, inputs may give columns in different numbers.
    width = min(map(len, union.rows))
    for position, expr in enumerate(row[:width]):
        column = _united([Field("", other[position]) for other in union.rows]).expr
        if given.setdefault(column, expr) != expr:
            return None
    return given


def _substituted(expr: Expr, given: dict[Expr, Expr]) -> Expr:
    def step(node: Expr) -> Expr:
        column = given.get(node)
        return node if column is None else replace(column, place=node.place, via=(*node.via, *column.via))

    return expr.rewrite(step)


def with_filter_below(calc: Calc) -> Operator:
    """A filter over a set operation as the planner has it: in front of each input. The filter itself where nothing is
    to be moved.
    """
    operation = calc.input
    if isinstance(operation, SetOperation):
        given = _pairs(operation.left_row, operation.right_row)
        left = _behind(operation.left, calc.conditions)
        right = _behind(operation.right, tuple(_substituted(condition, given) for condition in calc.conditions))
        return replace(operation, left=left, right=right)
    if not isinstance(operation, Union):
        return calc
    branches = []
    for branch, row in zip(operation.branches, operation.rows, strict=True):
        columns = _given_by(operation, row)
        if columns is None:
            return calc
        branches.append(_behind(branch, tuple(_substituted(condition, columns) for condition in calc.conditions)))
    return replace(operation, branches=tuple(branches))


def _pairs(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> dict[Expr, Expr]:
    pairs: dict[Expr, Expr] = {}
    for ours, theirs in zip(left, right, strict=False):
        pairs.setdefault(ours, theirs)
    return pairs


def _behind(operator: Operator, conditions: tuple[Expr, ...]) -> Operator:
    """The operator behind a filter, which goes below an aggregation if it reads keys only."""
    if isinstance(operator, Aggregate):
        below, above = split_by_keys(operator, conditions)
        return filtered(replace(operator, input=filtered(operator.input, below)) if below else operator, above)
    return filtered(operator, conditions)
