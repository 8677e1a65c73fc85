"""Preparations of an aggregating query, so that an edit makes sense there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aggregations import TVF, Aggregation, calls_of, distinct_calls_of
from clauses import Aggregate, Key
from spelling import Chance, columns_of


def unused_calls(query: Aggregation) -> list[Aggregate]:
    present = {aggregate.signature for aggregate in query.aggregates}
    return [call for call in calls_of(query.domain) if call.signature not in present]


def two_aggregates(query: Aggregation, chance: Chance) -> Aggregation:
    if len(query.aggregates) >= 2:
        return query
    return replace(query, aggregates=(*query.aggregates, chance.pick(*unused_calls(query))))


def one_aggregate(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, aggregates=query.aggregates[:1])


def no_aggregates(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, aggregates=(), shown=query.shown or ("window_end",) if query.window else ())


def with_distinct(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, aggregates=(*query.aggregates, chance.pick(*distinct_calls_of(query.domain))))


def two_distinct(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, aggregates=(*query.aggregates, *distinct_calls_of(query.domain)[:2]))


def two_keys(query: Aggregation, chance: Chance) -> Aggregation:
    """At least two plain keys, in a window of no session (whose partition keys would move along)."""
    query = no_session(query, chance)
    plain = query.plain_keys
    wanted = (Key(f"@{query.domain.k1}"), Key(f"@{query.domain.k2}"))
    missing = tuple(key for key in wanted if key not in plain)
    return query if len(plain) >= 2 else replace(query, keys=(*query.keys, *missing))


def no_session(query: Aggregation, chance: Chance) -> Aggregation:
    if query.window is None or query.window.kind != "SESSION":
        return query
    return replace(query, window=replace(query.window, kind="TUMBLE", partition=()))


def of_kind(*kinds: str) -> Callable[[Aggregation, Chance], Aggregation]:
    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        window = query.window
        assert window is not None
        if window.kind in kinds:
            return query
        kind = chance.pick(*kinds)
        slide = {"HOP": window.size // 2, "CUMULATE": window.size // 4}.get(kind, 0)
        partition = ()
        if kind == "SESSION" and query.kind == TVF:
            partition = tuple(dict.fromkeys(columns_of(*(key.expression for key in query.plain_keys))))
            keys = tuple(key if key.window_field else Key(f"@{columns_of(key.expression)[0]}") for key in query.keys)
            query = replace(query, keys=tuple(dict.fromkeys(keys)), where=())
        return replace(query, window=replace(window, kind=kind, slide=slide, partition=partition))

    return prepare


def two_session_keys(query: Aggregation, chance: Chance) -> Aggregation:
    keys = (Key(f"@{query.domain.k1}"), Key(f"@{query.domain.k2}"))
    query = of_kind("SESSION")(replace(query, keys=(*keys, *(key for key in query.keys if key.window_field))), chance)
    assert query.window is not None
    return replace(query, window=replace(query.window, partition=(query.domain.k1, query.domain.k2)))
