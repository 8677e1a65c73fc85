"""Strategies of Flink for ranking, which determine the number of stored rows (``RankProcessStrategy`` in its
planner).
"""

from __future__ import annotations

from typing import TypedDict

from keepstate.plan.expressions import Expr
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.metadata.monotonicity import ChangingSources, ColumnMonotonicity, Monotonicity, columns_of
from keepstate.plan.operators import Deduplicate, GroupAggregate, Rank, RankStrategy


class Strategy(TypedDict):
    """Fields of a Rank with its strategy."""

    strategy: RankStrategy
    upsert_key: tuple[Expr, ...]


def ranked_how(rank: Rank, updating_tables: frozenset[str]) -> Strategy:
    """Return the strategy of ``rank``. Rows of ``updating_tables`` may change.

    >>> numbers = "ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {} DESC) AS n"
    >>> top = root(f"SELECT * FROM (SELECT id, {numbers.format('buyer', 'price')} FROM orders) WHERE n <= 3")
    >>> ranked_how(top, frozenset())["strategy"].name, ranked_how(top, frozenset({"orders"}))["strategy"].name
    ('APPEND_FAST', 'RETRACT')
    """
    if not updates(rank.input, updating_tables):
        return {"strategy": RankStrategy.APPEND_FAST, "upsert_key": ()}
    key = _upsert_key(rank, updating_tables)
    return {"strategy": RankStrategy.UPDATE_FAST if key else RankStrategy.RETRACT, "upsert_key": key}


def _upsert_key(rank: Rank, updating_tables: frozenset[str]) -> tuple[Expr, ...]:
    """The key by which rows are found again, where they only ever move up: then nothing beyond the range can come back.
    Empty for all other ranks.
    """
    below = rank.input
    match below:
        case GroupAggregate():
            kept = set(below.keys) >= set(rank.partition) and not _hides_key(rank, below)
            columns = columns_of(below, ChangingSources(dict.fromkeys(updating_tables, frozenset()))) if kept else None
            return below.keys if columns is not None and _moves_up(rank, columns) else ()
        case Rank() if not isinstance(below, Deduplicate) and below.strategy is not RankStrategy.RETRACT:
            kept = set(below.partition) >= set(rank.partition)
            return (*below.partition, below.rank_number) if kept and rank.order == below.order else ()
    return ()


def _hides_key(rank: Rank, operator: GroupAggregate) -> bool:
    """Return whether the ranked rows have a group key only as an operand of an expression: then no key is left to find
    a row by.
    """
    computed = (column for column in rank.row if column not in (*operator.keys, *operator.aggregates))
    inside = {node for column in computed for node in column.walk()}
    return any(key in inside and key not in rank.row for key in operator.keys)


def _moves_up(rank: Rank, columns: ColumnMonotonicity) -> bool:
    """Return whether updates of a row can only improve its rank."""
    for element in rank.order:
        upwards = Monotonicity.INCREASING if element.descending else Monotonicity.DECREASING
        if columns.of(element.expr) not in (Monotonicity.CONSTANT, upwards):
            return False
    return bool(rank.order)
