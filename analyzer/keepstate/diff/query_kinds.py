"""Kind of query that an operator belongs to."""

from __future__ import annotations

from keepstate.diff.changes import QueryKind
from keepstate.diff.operators.aggregations import query_kind
from keepstate.diff.operators.joins import join_kind
from keepstate.diff.operators.ranks import rank_kind
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


def operator_kind(operator: Operator) -> QueryKind:
    """The kind of query that an operator makes of a job; ``JOB`` for operators without state.

    >>> operator_kind(root("SELECT SUM(price) FROM orders GROUP BY buyer")).name
    'GROUP_AGGREGATE'
    >>> operator_kind(root("SELECT id FROM orders WHERE id > 1")).name
    'JOB'
    """
    operator = any_operator(operator)
    match operator:
        case Aggregate():
            return query_kind(operator)
        case Rank():
            return rank_kind(operator)
        case OverAggregate():
            return QueryKind.OVER_AGGREGATE
        case Join():
            return join_kind(operator)
        case Match():
            return QueryKind.PATTERN
        case TemporalSort():
            return QueryKind.SORT
        case Limit():
            return QueryKind.LIMIT
        case SetOperation():
            return QueryKind.SET_OPERATION
        case TableSourceScan() | Values() | Calc() | Correlate() | WindowTableFunction() | Union() | Unsupported():
            return QueryKind.JOB
        case other:
            unhandled(other)
