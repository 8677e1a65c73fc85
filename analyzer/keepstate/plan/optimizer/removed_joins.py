"""Outer joins that the planner removes, since nothing reads one of their inputs and each row finds one partner at most.

``SELECT o.id FROM orders AS o LEFT JOIN buyers AS b ON o.buyer = b.name`` is a query of orders alone, if name is the
primary key of buyers (``ProjectJoinRemoveRule``). Measured on Flink 2.3, in 68 shapes of queries.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowTableFunction,
    any_operator,
    unhandled,
)

_UNREAD = {"left": JoinSide.RIGHT, "right": JoinSide.LEFT}


def may_go(operator: Operator) -> bool:
    """Return whether an operator is an outer join, which the planner removes if nothing reads its other input.

    >>> may_go(root("SELECT id FROM orders LEFT JOIN buyers ON orders.buyer = buyers.name"))
    True
    """
    return type(operator) is Join and operator.kind_in_plan in _UNREAD


def unread_input(join: Operator, reads: Iterable[Expr]) -> JoinSide | None:
    """The input of an outer join that may go, as far as the expressions ``reads`` above it say. A right input stays
    alone only if it bears no mark: the expressions above would go on with it.

    >>> join = root("SELECT id FROM orders LEFT JOIN buyers ON orders.buyer = buyers.name")
    >>> unread_input(join, (expr("id"),)).name, unread_input(join, (expr("id"), expr("city")))
    ('RIGHT', None)
    """
    if not may_go(join):
        return None
    assert isinstance(join, Join)
    side, sides = _UNREAD[join.kind_in_plan], JoinSides.of(join)
    if any(side in sides.read(expr) or (side is JoinSide.LEFT and sides.within_right(expr) != expr) for expr in reads):
        return None
    return side


def finds_one_partner(join: Join, unread: JoinSide, below: Operator, catalog: Catalog) -> bool:
    """Return whether a row of the other input has one partner at most in ``unread``, whose rows ``below`` gives."""
    sides = JoinSides.of(join)
    left_key, right_key = equated(join, sides)
    own = frozenset(map(sides.within_right, right_key)) if unread is JoinSide.RIGHT else frozenset(left_key)
    return any(key <= own for key in unique_keys(below, catalog))


def unique_keys(operator: Operator, catalog: Catalog) -> frozenset[frozenset[Expr]]:
    """The sets of columns that identify a row, as the planner sees them before it knows of rankings. It sees none
    behind a join.

    >>> keys = unique_keys(root("SELECT name FROM buyers"), catalog())
    >>> [[str(column) for column in key] for key in keys]
    [['name']]
    """
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return _primary_key(operator, catalog)
        case Calc() | TemporalSort() | Limit() | OverAggregate():
            return unique_keys(operator.input, catalog)
        case Aggregate():
            return frozenset({frozenset(operator.keys)})
        case SetOperation():
            return frozenset() if operator.every else frozenset({frozenset(operator.left_row)})
        case Join() | Correlate() | Match() | Rank() | Union() | Unsupported() | Values() | WindowTableFunction():
            return frozenset()
        case other:
            unhandled(other)


def _primary_key(scan: TableSourceScan, catalog: Catalog) -> frozenset[frozenset[Expr]]:
    table = catalog.tables.get(scan.table)
    names = catalog.primary_key_of(table)[0] if table is not None else ()
    columns = {column.name: column for column in scan.columns if isinstance(column, Column)}
    if not names or any(name not in columns for name in names):
        return frozenset()
    return frozenset({frozenset(columns[name] for name in names)})
