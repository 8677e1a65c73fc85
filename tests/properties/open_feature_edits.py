"""Edits of features that leave the answer open: filters and computations on window fields, table functions, Python."""

from __future__ import annotations

from dataclasses import replace

from aggregations import (
    WINDOW_FIELDS,
    Aggregation,
    Changed,
)
from call_edits import add_aggregate, remove_aggregate
from clauses import Aggregate, Condition, Key
from prepared_aggregations import (
    two_keys,
)
from spelling import Chance, NothingToPick


def window_filter(query: Aggregation) -> tuple[Condition, ...]:
    return (Condition("@window_start", ">=", "TIMESTAMP '2026-01-01 00:00:00'", touched=True),)


def add_window_filter(query: Aggregation, chance: Chance) -> Changed:
    return query, replace(query, window_filter=window_filter(query))


def remove_window_filter(query: Aggregation, chance: Chance) -> Changed:
    return replace(query, window_filter=window_filter(query)), query


def keep_window_filter(query: Aggregation, chance: Chance) -> Changed:
    with_filter = replace(query, window_filter=window_filter(query))
    _, after = remove_aggregate(with_filter, chance)
    return with_filter, after


COMPUTATION = "window_start:DATE_FORMAT(@window_start, 'yyyy-MM-dd')"


def _with_computation(query: Aggregation) -> Aggregation:
    """The query over a window whose start is a text; an aggregate of the start itself has none there."""
    if any("@window_start" in aggregate.argument for aggregate in query.aggregates):
        raise NothingToPick
    return replace(query, window_computation=Key(COMPUTATION, True))


def add_window_computation(query: Aggregation, chance: Chance) -> Changed:
    return query, _with_computation(query)


def remove_window_computation(query: Aggregation, chance: Chance) -> Changed:
    return _with_computation(query), query


def keep_window_computation(query: Aggregation, chance: Chance) -> Changed:
    kept = _with_computation(query)
    _, after = add_aggregate(kept, chance)
    return kept, after


def add_table_function(query: Aggregation, chance: Chance) -> Changed:
    return query, replace(query, table_function="split_words", table_function_touched=True)


def remove_table_function(query: Aggregation, chance: Chance) -> Changed:
    after, before = add_table_function(query, chance)
    return before, after


def keep_table_function(query: Aggregation, chance: Chance) -> Changed:
    kept = replace(query, table_function="split_words", table_function_touched=True)
    _, after = add_aggregate(kept, chance)
    return kept, after


def _python(query: Aggregation) -> Aggregate:
    return Aggregate("weighted_price", f"@{query.domain.m2}, @{query.domain.id}", touched=True, type="INT")


def add_python_aggregate(query: Aggregation, chance: Chance) -> Changed:
    return query, replace(query, aggregates=(*query.aggregates, _python(query)))


def remove_python_aggregate(query: Aggregation, chance: Chance) -> Changed:
    return replace(query, aggregates=(*query.aggregates, _python(query))), query


def keep_python_aggregate(query: Aggregation, chance: Chance) -> Changed:
    kept = replace(query, aggregates=(_python(query), *query.aggregates))
    return kept, replace(query, aggregates=(_python(query), *query.aggregates[1:]))


def add_window_aggregate(query: Aggregation, chance: Chance) -> Changed:
    fields = [field for field in WINDOW_FIELDS if query.window_computation is None or field != "window_start"]
    new = Aggregate("MAX", f"@{chance.pick(*fields)}", touched=True, type="TIMESTAMP(3)")
    return query, replace(query, aggregates=(*query.aggregates, new))


def remove_window_aggregate(query: Aggregation, chance: Chance) -> Changed:
    after, before = add_window_aggregate(query, chance)
    return before, after


def plain_two_keys(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(two_keys(query, chance), shown=())


def add_grouping_sets(query: Aggregation, chance: Chance) -> Changed:
    kind = chance.pick("GROUPING SETS", "CUBE", "ROLLUP")
    return query, replace(query, grouping=kind, grouping_touched=True)


def remove_grouping_sets(query: Aggregation, chance: Chance) -> Changed:
    after, before = add_grouping_sets(query, chance)
    return before, replace(after, keys_touched=True)


def change_grouping_sets(query: Aggregation, chance: Chance) -> Changed:
    before = replace(query, grouping="CUBE", grouping_touched=True)
    return before, replace(query, grouping="ROLLUP", grouping_touched=True)
