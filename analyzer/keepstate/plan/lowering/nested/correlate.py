"""LATERAL queries: queries in FROM that are evaluated for each row before them.

The planner makes joins of them. The comparisons of the query with the row before it become the condition of the join,
and additional keys where the query aggregates. The first rows by some order for each of the DISTINCT values of the same
rows are a Top-N of these. Other comparisons and orders have no form of their own here; Flink refuses most of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.clauses.ranking import rank_depth
from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, sort_key
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.joins import join_source
from keepstate.plan.metadata.join_sides import InputMarker
from keepstate.plan.operators import (
    Calc,
    GroupAggregate,
    Join,
    Limit,
    Operator,
    Rank,
    RankRange,
    expressions_of,
)
from keepstate.plan.predicates import reordered
from keepstate.plan.references import CorrelatedColumn
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Relation, Source, filtered


@dataclass(frozen=True)
class _Comparison:
    """``inner``, of the lateral query, equals something of the row before it."""

    condition: Expr
    inner: Expr
    outer: Expr


def laterally_joined(source: Source, relation: Relation, join: exp.Join, scalars: ScalarLowering) -> Source | None:
    """Return ``source`` joined with the rows that ``relation``, lowered inside of its scope, gives for each of its
    rows; ``None`` for a query that has no form as a join.
    """
    top = _top_rows(source, relation) if not join.args.get("side") else None
    if top is not None:
        return top
    parts = _uncorrelated(relation, {expr: index for index, expr in enumerate(source.row)})
    if parts is None:
        return None
    relation, comparisons = parts
    right = Source(
        relation.input, (relation,), relation.filters, relation.window, relation.depth, relation.filtered_row
    )
    together = join_source(source, right, join, scalars)
    operator = together.input
    if type(operator) is not Join:
        return None if comparisons else together
    marker = InputMarker.between(source.input, right.input, keeps_constants=operator.kind in ("left", "full"))
    columns = tuple(column.expr for layer in (relation, *relation.beneath) for column in layer.fields)
    inner_exprs = frozenset((*columns, *(comparison.inner for comparison in comparisons)))
    conditions = [
        with_fields(reordered(marker.rewritten(one.condition, inner_exprs, _of_outer)), place=one.condition.place)
        for one in comparisons
    ]
    operator = with_fields(
        operator,
        conditions=tuple(sorted(dict.fromkeys((*operator.conditions, *conditions)), key=sort_key)),
        right_fields=tuple(dict.fromkeys(map(marker.marked, _row(relation, comparisons)))),
    )
    return with_fields(together, input=operator)


def _row(relation: Relation, comparisons: tuple[_Comparison, ...]) -> tuple[Expr, ...]:
    """Return the columns of the query that reach the join: its own, and those that the join compares.

    An aggregation whose results are all selected unchanged is not projected again: its keys come first.
    """
    columns = tuple(column.expr for column in relation.fields)
    compared = tuple(one.inner for one in comparisons)
    below = relation.input
    if isinstance(below, GroupAggregate):
        output = (*below.keys, *below.aggregates)
        if columns == tuple(column for column in output if column not in compared or column in columns):
            return output
    return (*columns, *compared)


def _uncorrelated(relation: Relation, order: Mapping[Expr, int]) -> tuple[Relation, tuple[_Comparison, ...]] | None:
    """Return ``relation`` without its comparisons with the row before it, and the comparisons, in the ``order`` of the
    columns of that row.
    """
    outer, own = _divided(relation.filters)
    relation = with_fields(relation, filters=own)
    below = relation.input
    if isinstance(below, GroupAggregate) and isinstance(below.input, Calc) and not (below.grouping or below.window):
        inner, rest = _divided(below.input.conditions)
        additions = _comparisons(inner, order)
        if additions is None:
            return None
        keys = tuple(dict.fromkeys((*below.keys, *(one.inner for one in additions))))
        bare = filtered(below.input.input, rest, below.input.row)
        relation = with_fields(relation, input=with_fields(below, input=bare, keys=keys))
        outer = (*outer, *inner)
    comparisons = _comparisons(outer, order)
    parts = (*(column.expr for column in relation.fields), *relation.filters)
    if comparisons is None or any(map(_reads_outer, parts)) or _holds_outer(relation.input):
        return None
    return relation, comparisons


def _top_rows(source: Source, relation: Relation) -> Source | None:
    """The Top-N that the first rows for each distinct value of a table are, if it is such a query."""
    distinct, limit = source.input, relation.input
    if (
        not isinstance(distinct, GroupAggregate)
        or distinct.aggregates
        or distinct.grouping
        or source.filters
        or relation.filters
        or not isinstance(limit, Limit)
        or limit.offset is not None
        or not limit.order
        or not (isinstance(limit.fetch, Literal) and limit.fetch.value.isdecimal())
        or not isinstance(limit.input, Calc)
    ):
        return None
    outer, own = _divided(limit.input.conditions)
    rows = filtered(limit.input.input, own, limit.input.row) if own else limit.input.input
    comparisons = _comparisons(outer, {})
    if distinct.input != rows or comparisons is None:
        return None
    if any(one.inner != one.outer for one in comparisons) or {one.inner for one in comparisons} != set(distinct.keys):
        return None
    relations = (*source.relations, relation)
    rank = Rank(
        rows,
        "ROW_NUMBER",
        tuple(sorted(distinct.keys, key=repr)),
        limit.order,
        RankRange(1, int(limit.fetch.value)),
        depth=rank_depth(rows) + 1,
        row=tuple(dict.fromkeys(column.expr for one in relations for column in one.fields)),
        function_place=limit.place,
        partition_place=limit.input.place,
        order_place=limit.order_place,
        range_place=limit.fetch_place,
        place=limit.place,
    )
    return Source(rank, relations, (), None, max(source.depth, relation.depth))


def _divided(conditions: Iterable[Expr]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The conditions that read the row before the query, and the others."""
    conditions = tuple(conditions)
    outer = tuple(condition for condition in conditions if _reads_outer(condition))
    return outer, tuple(condition for condition in conditions if condition not in outer)


def _comparisons(conditions: Iterable[Expr], order: Mapping[Expr, int]) -> tuple[_Comparison, ...] | None:
    """The conditions as equations of the lateral query with the row before it; ``None`` if one is none."""
    comparisons: list[_Comparison] = []
    for condition in conditions:
        if not isinstance(condition, Call) or condition.name != "=":
            return None
        outer = [operand for operand in condition.args if _reads_outer(operand)]
        inner = [operand for operand in condition.args if not _reads_outer(operand)]
        if (
            len(outer) != 1
            or not isinstance(outer[0], CorrelatedColumn)
            or isinstance(inner[0], (Literal, AggregateCall))
        ):
            return None
        comparisons.append(_Comparison(condition, inner[0], outer[0].column))
    return tuple(sorted(comparisons, key=lambda one: order.get(one.outer, len(order))))


def _reads_outer(expr: Expr) -> bool:
    return any(isinstance(node, CorrelatedColumn) for node in expr.walk())


def _holds_outer(operator: Operator) -> bool:
    return any(_reads_outer(expr) for node in operator.walk() for expr in expressions_of(node))


def _of_outer(node: Expr) -> Expr | None:
    if isinstance(node, CorrelatedColumn):
        return with_fields(node.column, place=node.place, via=node.via)
    return None
