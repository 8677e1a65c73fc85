"""How Flink ranks rows, which says how many it has to keep (``RankProcessStrategy`` in its planner)."""

from __future__ import annotations

from typing import TypedDict

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, Ordering
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.operators import Calc, Deduplicate, GroupAggregate, Rank, RankStrategy


class Strategy(TypedDict):
    """The fields of a Rank that say how it ranks."""

    strategy: RankStrategy
    upsert_key: tuple[Expr, ...]


def ranked_how(rank: Rank, updating_tables: frozenset[str]) -> Strategy:
    """How ``rank`` treats its rows; those of ``updating_tables`` may change."""
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
        case GroupAggregate() if not updates(below.input, updating_tables):
            kept = set(below.keys) >= set(rank.partition) and not _hides_key(rank, below)
            return below.keys if kept and all(_moves_up(element, below) for element in rank.order) else ()
        case Rank() if not isinstance(below, Deduplicate) and below.strategy is not RankStrategy.RETRACT:
            kept = set(below.partition) >= set(rank.partition)
            return (*below.partition, below.rank_number) if kept and rank.order == below.order else ()
    return ()


def _hides_key(rank: Rank, operator: GroupAggregate) -> bool:
    """Whether the ranked rows have a group key only as an operand of something: no key is left to find them by."""
    computed = (column for column in rank.row if column not in (*operator.keys, *operator.aggregates))
    inside = {node for column in computed for node in column.walk()}
    return any(key in inside and key not in rank.row for key in operator.keys)


def _moves_up(element: Ordering, operator: GroupAggregate) -> bool:
    """Whether updates of a group can only improve its rank."""
    expr = element.expr
    if expr in operator.keys:
        return True
    if not isinstance(expr, AggregateCall) or expr.opaque:
        return False
    match expr.function:
        case "MIN":
            return not element.descending
        case "COUNT" | "MAX":
            return element.descending
        case "SUM":
            return element.descending and _is_never_negative(expr, operator)
    return False


def _is_never_negative(call: AggregateCall, operator: GroupAggregate) -> bool:
    """Whether only numbers from zero on are added up: a filter says so, or there are no others."""
    if not call.args:
        # Half typed; Flink refuses it.
        return False
    value = call.args[0]
    conditions = [call.filter] if call.filter is not None else []
    if isinstance(operator.input, Calc):
        conditions += operator.input.conditions
    return _is_natural(value) or any(_says_not_negative(condition, value) for condition in conditions)


def _is_natural(value: Expr) -> bool:
    if isinstance(value, Literal):
        return value.type == "NUMBER" and not value.value.startswith("-")
    if isinstance(value, Call) and value.name == "CASE":
        results = (*value.args[1::2], *value.args[-1:])
        return all(map(_is_natural, results))
    return False


def _says_not_negative(condition: Expr, value: Expr) -> bool:
    if not isinstance(condition, Call):
        return False
    if condition.name == "AND":
        return any(_says_not_negative(part, value) for part in condition.args)
    if condition.name not in ("<", "<=") or condition.args[-1] != value:
        return False
    least = condition.args[0]
    return isinstance(least, Literal) and least.type == "NUMBER" and not least.value.startswith("-")
