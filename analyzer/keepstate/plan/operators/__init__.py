"""The relational plan: operators under the names that Flink's planner gives them.

Operators are frozen values; equal operators mean the same. Stateless projections do not appear: every expression of
an operator is already traced to source columns, and ``Calc`` holds only filters. ``place`` is the clause that a
person would point at for the operator.
"""

from __future__ import annotations

from keepstate.plan.operators.aggregates import (
    Aggregate,
    GroupAggregate,
    GroupWindowAggregate,
    WindowAggregate,
)
from keepstate.plan.operators.base import Operator, UnaryOperator
from keepstate.plan.operators.inputs import (
    AggregatedSubquery,
    Calc,
    Correlate,
    TableSourceScan,
    Union,
    Unsupported,
    Values,
)
from keepstate.plan.operators.joins import IntervalJoin, Join, LookupJoin, TemporalJoin, WindowJoin
from keepstate.plan.operators.operator_kinds import AnyOperator, any_operator, is_one_row, unhandled
from keepstate.plan.operators.ordering import Limit, TemporalSort
from keepstate.plan.operators.over import OverAggregate
from keepstate.plan.operators.patterns import Definition, Match, MatchPlaces
from keepstate.plan.operators.ranks import Deduplicate, Rank, RankRange, RankStrategy, WindowDeduplicate, WindowRank
from keepstate.plan.operators.set_operations import SetOperation
from keepstate.plan.operators.traversal import expressions_of, mapped, rewritten
from keepstate.plan.operators.windows import Window, WindowKind, WindowSyntax, WindowTableFunction

__all__ = [
    "Aggregate",
    "AggregatedSubquery",
    "AnyOperator",
    "Calc",
    "Correlate",
    "Deduplicate",
    "Definition",
    "GroupAggregate",
    "GroupWindowAggregate",
    "IntervalJoin",
    "Join",
    "Limit",
    "LookupJoin",
    "Match",
    "MatchPlaces",
    "Operator",
    "OverAggregate",
    "Rank",
    "RankRange",
    "RankStrategy",
    "SetOperation",
    "TableSourceScan",
    "TemporalJoin",
    "TemporalSort",
    "UnaryOperator",
    "Union",
    "Unsupported",
    "Values",
    "Window",
    "WindowAggregate",
    "WindowDeduplicate",
    "WindowJoin",
    "WindowKind",
    "WindowRank",
    "WindowSyntax",
    "WindowTableFunction",
    "any_operator",
    "expressions_of",
    "is_one_row",
    "mapped",
    "rewritten",
    "unhandled",
]
