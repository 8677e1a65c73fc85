"""Effect of another filter in front of an operator: the state holds the rows of the former filter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, starmap

from keepstate.physical.layouts.fields import Filter, untyped
from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.references import ColumnOfRight
from keepstate.report import Effect
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StatePart, StoredOperator

Filters = tuple[tuple[frozenset[Filter], ...], ...]
"""The filters of each branch of each input."""
Keys = tuple[frozenset[Expr], ...]
"""The columns that make the key, of each input."""

_ONLY_WHEN_ASKED = frozenset({"GroupAggregate", "Rank", "Join", "SinkUpsertMaterializer"})
"""Operators that do nothing for a key of which no row comes any more: no timer fires."""


def filter_differences(before: StoredOperator, after: StoredOperator) -> Iterator[StateDifference]:
    """The difference that the filters make; none if they are the same."""
    was, now = before.meaning(StatePart.FILTER), after.meaning(StatePart.FILTER)
    if was == now:
        return
    if not (isinstance(was, tuple) and isinstance(now, tuple)):
        yield StateDifference(
            StatePart.FILTER, Effect.WRONG_RESULTS, "rows that passed the former filter stay in the state"
        )
        return
    if list(map(len, was)) != list(map(len, now)):
        # A union has gained or lost a branch, which is a difference of the input.
        return
    if after.title in _ONLY_WHEN_ASKED and _asks_for_less(was, now, after):
        yield StateDifference(StatePart.FILTER, Effect.EXACT, "", keys=_columns_of_more(was, now))
        return
    reason = "rows that the former filter held back are missing from the state"
    if not _only_removed(was, now):
        reason = "rows that passed the former filter stay in the state"
    yield StateDifference(StatePart.FILTER, Effect.WRONG_RESULTS, reason)


def _only_removed(before: Filters, after: Filters) -> bool:
    """Return whether conditions went and none came."""
    pairs = zip(chain.from_iterable(before), chain.from_iterable(after), strict=True)
    return all(now <= was for was, now in pairs)


def _asks_for_less(before: Filters, after: Filters, operator: StoredOperator) -> bool:
    """Return whether only conditions on keys were added or made narrower, on all inputs alike: the keys that remain
    continue unchanged.
    """
    keys = _keys(operator)
    if keys is None or len(keys) != len(after):
        return False
    if operator.title == "Join":
        if operator.meaning(StatePart.KIND) not in ("inner", "semi"):
            return False
        # Rows without a key never find a partner, whether they are stored or not.
        before, after = (tuple(starmap(_with_nulls, zip(side, keys, strict=True))) for side in (before, after))
    branches = [
        (was, now, own)
        for was_input, now_input, own in zip(before, after, keys, strict=True)
        for was, now in zip(was_input, now_input, strict=True)
    ]
    by_key = all(
        _passes_less(was, now) and all(each.columns <= own for each in now - was) for was, now, own in branches
    )
    return by_key and len({len(now - was) for was, now, _ in branches}) == 1


def _passes_less(before: frozenset[Filter], after: frozenset[Filter]) -> bool:
    """Return whether whatever passes the filters ``after`` passes those of ``before``."""
    return all(any(now.narrows(was) for now in after) for was in before - after)


def _columns_of_more(before: Filters, after: Filters) -> frozenset[Expr]:
    """The columns that the further conditions read."""
    branches = zip(chain.from_iterable(before), chain.from_iterable(after), strict=True)
    more = (each for was, now in branches for each in now - was)
    return frozenset(column for each in more for column in each.columns)


def _keys(operator: StoredOperator) -> Keys | None:
    meaning = operator.meaning(StatePart.KEY)
    if operator.title != "Join":
        plain = frozenset(field.meaning for field in operator.key if isinstance(field.meaning, Expr))
        return (plain,) if meaning is None else None
    if not isinstance(meaning, tuple):
        return None
    return tuple(frozenset(untyped(_bare(expr)) for expr in side) for side in meaning)


def _bare(expr: Expr) -> Expr:
    return expr.column if isinstance(expr, ColumnOfRight) else expr


def _with_nulls(branches: tuple[frozenset[Filter], ...], keys: frozenset[Expr]) -> tuple[frozenset[Filter], ...]:
    return tuple(
        frozenset(each for each in filters if not _says_not_null(each.condition, keys)) for filters in branches
    )


def _says_not_null(condition: Expr, keys: frozenset[Expr]) -> bool:
    match condition:
        case Call(name="NOT", args=(Call(name="IS", args=(column, Literal(value="NULL"))),)):
            return column in keys
    return False
