"""Edits of the aggregates of a query: added, removed, modified, reordered, with DISTINCT and without."""

from __future__ import annotations

from dataclasses import replace

from aggregations import (
    Aggregation,
    Changed,
    calls_of,
    distinct_calls_of,
)
from clauses import Aggregate, Condition
from prepared_aggregations import (
    no_aggregates,
    unused_calls,
)
from spelling import Chance
from tables import Computed


def add_aggregate(query: Aggregation, chance: Chance) -> Changed:
    new = chance.pick(*unused_calls(query)).touch()
    at = chance.pick(*range(len(query.aggregates) + 1))
    return query, replace(query, aggregates=(*query.aggregates[:at], new, *query.aggregates[at:]))


def remove_aggregate(query: Aggregation, chance: Chance) -> Changed:
    at = chance.pick(*range(len(query.aggregates)))
    return query, replace(query, aggregates=(*query.aggregates[:at], *query.aggregates[at + 1 :]))


def add_and_remove_aggregate(query: Aggregation, chance: Chance) -> Changed:
    _, smaller = remove_aggregate(query, chance)
    new = chance.pick(*unused_calls(query)).touch()
    return query, replace(smaller, aggregates=(*smaller.aggregates, new))


def modified_call(aggregate: Aggregate, query: Aggregation, chance: Chance) -> Aggregate:
    """The same column, another computation."""
    taken = {one.signature for one in query.aggregates}
    m1 = f"@{query.domain.m1}"
    options = (
        Aggregate("MIN", m1, type=query.domain.decimal),
        Aggregate("COUNT", m1),
        Aggregate("COUNT", f"@{query.domain.k2}"),
        Aggregate("MAX", f"@{query.domain.m2}", type="INT"),
        Aggregate("COUNT", "*", condition=Condition(f"@{query.domain.m2}", "<", "50")),
    )
    return chance.pick(*(one for one in options if one.signature not in taken)).touch()


def modify_aggregate(query: Aggregation, chance: Chance) -> Changed:
    at = chance.pick(*range(len(query.aggregates)))
    new = modified_call(query.aggregates[at], query, chance)
    before = touch_aggregates(query, at)
    return before, replace(query, aggregates=(*query.aggregates[:at], new, *query.aggregates[at + 1 :]))


def touch_aggregates(query: Aggregation, *positions: int) -> Aggregation:
    chosen = positions or tuple(range(len(query.aggregates)))
    calls = tuple(call.touch() if index in chosen else call for index, call in enumerate(query.aggregates))
    return replace(query, aggregates=calls)


def reorder_aggregates(query: Aggregation, chance: Chance) -> Changed:
    first, second, *rest = query.aggregates
    return query, replace(query, aggregates=(second, first, *rest), aggregates_first=chance.flip())


def remove_all_aggregates(query: Aggregation, chance: Chance) -> Changed:
    return touch_aggregates(query), no_aggregates(query, chance)


def replace_all_aggregates(query: Aggregation, chance: Chance) -> Changed:
    number = chance.pick(2, 3)
    fresh = tuple(call.touch() for call in chance.shuffled(unused_calls(query))[:number])
    return touch_aggregates(query), replace(query, aggregates=fresh)


def compute_argument(query: Aggregation, chance: Chance) -> Changed:
    """Another computation of the column that some of the aggregates read, in a layer below."""
    computed = Computed(query.domain.m1, chance.pick(f"@{query.domain.m1} * 2", f"ABS(@{query.domain.m1})"))
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def reads_m1_and_more(query: Aggregation, chance: Chance) -> Aggregation:
    """One aggregate reads the first measure, another one does not, and nothing else reads it."""
    calls = calls_of(query.domain)
    where = tuple(one for one in query.where if f"@{query.domain.m1}" not in (one.left, one.right))
    rest = tuple(call for call in query.aggregates if f"@{query.domain.m1}" not in call.argument) or (calls[1],)
    return replace(query, aggregates=(*rest, calls[0]), where=where)


def reads_m1_only(query: Aggregation, chance: Chance) -> Aggregation:
    where = tuple(one for one in query.where if f"@{query.domain.m1}" not in (one.left, one.right))
    return replace(query, aggregates=calls_of(query.domain)[:1], where=where)


def add_distinct(query: Aggregation, chance: Chance) -> Changed:
    present = {call.signature for call in query.aggregates}
    new = chance.pick(*(call for call in distinct_calls_of(query.domain) if call.signature not in present)).touch()
    return query, replace(query, aggregates=(*query.aggregates, new))


def remove_distinct(query: Aggregation, chance: Chance) -> Changed:
    at = next(index for index, call in enumerate(query.aggregates) if call.distinct)
    before = touch_aggregates(query, at)
    return before, replace(query, aggregates=(*query.aggregates[:at], *query.aggregates[at + 1 :]))


def modify_distinct(query: Aggregation, chance: Chance) -> Changed:
    at = next(index for index, call in enumerate(query.aggregates) if call.distinct)
    call = query.aggregates[at]
    fresh = f"@{query.domain.k2}"
    new = chance.pick(
        replace(call, argument=fresh, function="COUNT", type="BIGINT"), replace(call, distinct=False)
    ).touch()
    before = touch_aggregates(query, at)
    return before, replace(query, aggregates=(*query.aggregates[:at], new, *query.aggregates[at + 1 :]))


def swap_distinct(query: Aggregation, chance: Chance) -> Changed:
    first, second = (index for index, call in enumerate(query.aggregates) if call.distinct)
    calls = list(query.aggregates)
    calls[first], calls[second] = calls[second].touch(), calls[first].touch()
    return touch_aggregates(query, first, second), replace(query, aggregates=tuple(calls))


def move_past_distinct(query: Aggregation, chance: Chance) -> Changed:
    plain = tuple(call for call in query.aggregates if not call.distinct)
    distinct = tuple(call for call in query.aggregates if call.distinct)
    return query, replace(query, aggregates=(*distinct, *plain))


def add_first_aggregate(query: Aggregation, chance: Chance) -> Changed:
    new = chance.pick(*calls_of(query.domain)[:3]).touch()
    return query, replace(query, aggregates=(*query.aggregates, new))
