"""Outer joins that the planner removes, since nothing reads one of their inputs and each row finds one partner at most.

``SELECT o.id FROM orders AS o LEFT JOIN buyers AS b ON o.buyer = b.name`` is a query of orders alone, if name is the
primary key of buyers (``ProjectJoinRemoveRule``). Measured on Flink 2.3, in 68 shapes of queries. The rule
came with 2.2 (``optimizer/planners``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

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
from keepstate.plan.optimizer.planners import PlannerContext

_UNREAD = {"left": JoinSide.RIGHT, "right": JoinSide.LEFT}


def may_go(operator: Operator, catalog: Catalog) -> bool:
    """Return whether an operator is an outer join with a key of its other input: the planner removes it, if nothing
    reads that input.

    >>> join = "SELECT id FROM orders LEFT JOIN buyers ON orders.buyer = buyers.name"
    >>> may_go(root(join), catalog()), may_go(root(join.replace("LEFT ", "")), catalog())
    (True, False)
    """
    if not _is_outer(operator):
        return False
    return bool(unique_keys(operator.inputs[_UNREAD[operator.kind_in_plan] is JoinSide.RIGHT], catalog))


def _is_outer(operator: Operator) -> TypeGuard[Join]:
    return type(operator) is Join and operator.outer_input is not None


def unread_input(join: Operator, reads: Iterable[Expr]) -> JoinSide | None:
    """The input of an outer join that may go, as far as the expressions ``reads`` above it say. A right input stays
    alone only if it bears no mark: the expressions above would go on with it.

    >>> join = root("SELECT id FROM orders LEFT JOIN buyers ON orders.buyer = buyers.name")
    >>> unread_input(join, (expr("id"),)).name, unread_input(join, (expr("id"), expr("city")))
    ('RIGHT', None)
    """
    if not _is_outer(join):
        return None
    side, sides = _UNREAD[join.kind_in_plan], JoinSides.of(join)
    if any(side in sides.read(expr) or (side is JoinSide.LEFT and sides.within_right(expr) != expr) for expr in reads):
        return None
    return side


def remaining_input(
    join: Join, reads: Iterable[Expr], refined: tuple[Operator, Operator], planning: PlannerContext | None
) -> Operator | None:
    """The input that stays of an outer join, where the planner removes the join; ``refined`` are its inputs without
    what nothing reads.
    """
    if planning is None or not planning.planner.removes_joins or (unread := unread_input(join, reads)) is None:
        return None
    below = refined[unread is JoinSide.RIGHT]
    return join.outer_input if _finds_one_partner(join, unread, below, planning.catalog) else None


def _finds_one_partner(join: Join, unread: JoinSide, below: Operator, catalog: Catalog) -> bool:
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
    # The planner sees no key behind a watermark.
    has_key = table is not None and catalog.watermark_place_of(table) is None
    names = catalog.primary_key_of(table)[0] if table is not None and has_key else ()
    columns = {column.name: column for column in scan.columns if isinstance(column, Column)}
    if not names or any(name not in columns for name in names):
        return frozenset()
    return frozenset({frozenset(columns[name] for name in names)})
