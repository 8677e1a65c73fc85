"""Which kind of query an operator belongs to."""

from __future__ import annotations

from keepstate.diff.aggregations import query_kind
from keepstate.diff.changes import QueryKind
from keepstate.diff.joins import join_kind
from keepstate.diff.ranks import rank_kind
from keepstate.plan.operators import (
    Aggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TemporalSort,
)


def operator_kind(operator: Operator) -> QueryKind:
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
    return QueryKind.JOB
