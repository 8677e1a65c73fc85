"""Queries that HAVING asks: each is joined with the groups.

For a column of the query around it Flink takes the place that the column has in FROM, and reads the same place of a
group: its keys, then its aggregates. That is the right column only where GROUP BY begins as FROM does (plans of 1.20
and 2.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.nested.subqueries import Subquery, joined_with
from keepstate.plan.operators import Aggregate, GroupWindowAggregate, Unsupported
from keepstate.plan.operators.traversal import expressions_of
from keepstate.plan.references import CorrelatedColumn
from keepstate.plan.scalars.name_scope import Field, Relation, Source

_KEEPS_TRUTH = "with TRUE in each row"
_MISREAD = "query in HAVING that reads another column"


def behind_having(
    relation: Relation, subqueries: Sequence[Subquery], conditions: Sequence[Expr], keys: Sequence[Expr]
) -> Relation:
    """Groups with the answers to the ``subqueries`` of HAVING, which stand in ``conditions``; ``keys`` are those of
    GROUP BY, in its order.

    >>> sql = "SELECT {0} FROM orders AS o GROUP BY {0} HAVING EXISTS (SELECT 1 FROM parcels AS p WHERE p.id = o.id)"
    >>> [type(root(sql.format(keys))).__name__ for keys in ("id, buyer", "buyer, id")]
    ['Join', 'Unsupported']
    """
    row = _row_of(relation.beneath)
    group = _group(relation)
    selects_groups = tuple(column.expr for column in relation.fields) == tuple(column.expr for column in group)
    # The select list is computed above the joins.
    groups = with_fields(relation, fields=group) if group else relation
    for subquery in subqueries:
        columns = tuple(_columns_around(subquery.relation))
        if selects_groups and not columns and subquery.value in conditions:
            # Without a projection above, the planner keeps the only column of EXISTS.
            subquery = replace(subquery, comparison=(_KEEPS_TRUTH,))
        joined_groups = joined_with(Source.of(groups), subquery, conditions, is_of_groups=True).input
        if row is not None and not all(_is_read(column, row, keys) for column in columns):
            words, place = subquery.place.words, subquery.place
            joined_groups = Unsupported(_MISREAD, words, (joined_groups,), place=place)
        groups = with_fields(groups, input=joined_groups, filters=())
    return with_fields(groups, fields=relation.fields)


def _group(relation: Relation) -> tuple[Field, ...]:
    """The columns of groups, but for those of group windows."""
    operator = relation.input
    if not isinstance(operator, Aggregate) or isinstance(operator, GroupWindowAggregate):
        return ()
    return tuple(Field(str(expr), expr) for expr in (*operator.keys, *operator.aggregates))


def _row_of(relations: Sequence[Relation]) -> tuple[Expr, ...] | None:
    """The columns of FROM, in order; ``None`` if the columns of a table are not known."""
    if any(relation.open_tables for relation in relations):
        return None
    return tuple(column.expr for relation in relations for column in relation.fields)


def _is_read(column: Expr, row: Sequence[Expr], keys: Sequence[Expr]) -> bool:
    """Return whether the place of a column of ``row`` is that of the same key; columns of other queries are read."""
    places = [number for number, each in enumerate(row) if each == column]
    return not places or any(number < len(keys) and keys[number] == column for number in places)


def _columns_around(relation: Relation) -> Iterator[Expr]:
    """The columns of the queries around a query that it reads."""
    exprs = [
        *relation.filters,
        *(column.expr for column in relation.fields),
        *(expr for operator in relation.input.walk() for expr in expressions_of(operator)),
    ]
    for expr in exprs:
        for node in expr.walk():
            if isinstance(node, CorrelatedColumn):
                yield node.column
