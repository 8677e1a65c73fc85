"""Joins with a query for one value, which the planner begins as LEFT JOINs.

One becomes an inner join if a condition above it is never true for a row without a value. The rules are those that the
plans of Flink 2.3 show.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.plan.expressions import AggregateCall, Call, Expr
from keepstate.plan.operators import AggregatedSubquery, Join, Operator
from keepstate.plan.operators.traversal import expressions_of
from keepstate.plan.optimizer.null_rejection import is_surely_null, rejecting
from keepstate.plan.references import CorrelatedColumn, SubqueryValue

_QUANTIFIED = "ANY or ALL"


def drops_unmatched(join: Join, above: Sequence[Expr]) -> bool:
    """Return whether the planner makes an inner join of a query for a value, below the conditions ``above``.

    >>> query = "SELECT k FROM t WHERE a > (SELECT MAX(a) FROM t){}"
    >>> joins = [root(query.format(more)) for more in ("", " OR k = 1")]
    >>> [drops_unmatched(next(each for each in join.walk() if isinstance(each, Join)), ()) for join in joins]
    [True, False]
    """
    if join.kind != "scalar":
        return False
    if isinstance(join.right, AggregatedSubquery) and join.right.construct == _QUANTIFIED:
        # The smallest or largest value, with a number of rows that is never missing.
        return True
    value = join.subquery
    if any(_is_answer(condition, value) for condition in join.conditions):
        return True
    if not isinstance(value, SubqueryValue) or not value.row or not _lacks_value(value, join.right):
        return False
    return rejecting((*above, *join.conditions), lambda expr: expr == value) is not None


def _is_answer(condition: Expr, value: Expr | None) -> bool:
    """Return whether a condition is EXISTS or IN with a query alone, as HAVING has them: the rows are matched ones."""
    if isinstance(value, SubqueryValue) and not value.row:
        return condition == value
    return isinstance(condition, Call) and condition.name == "IN" and condition.args[1] == value


def reads_value(condition: Expr, join: Join) -> bool:
    """Return whether ``condition`` reads the value of the query that ``join`` gives."""
    return join.kind == "scalar" and join.subquery in set(condition.walk())


def _lacks_value(value: SubqueryValue, query: Operator) -> bool:
    """Return whether ``value`` is NULL in a row without a partner.

    A query that depends on the row around it gives groups, and its value is computed above the join: for a row without
    a group a number of rows is 0.
    """
    result = value.row[0]
    # Without a call the planner aggregates the value as it is, below the join.
    is_whole = not any(isinstance(node, AggregateCall) for node in result.walk())
    return is_whole or not _is_correlated(query) or is_surely_null(result, _is_null_without_rows)


def _is_null_without_rows(expr: Expr) -> bool:
    return isinstance(expr, AggregateCall) and expr.function != "COUNT"


def _is_correlated(query: Operator) -> bool:
    return any(
        isinstance(node, CorrelatedColumn)
        for operator in query.walk()
        for expr in expressions_of(operator)
        for node in expr.walk()
    )
