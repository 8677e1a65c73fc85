"""One expression reached in two ways: spelled out, as a computed column of a table, or by the alias of a view.

An argument is what it is in the columns of the source (section 2), so none of these is a change. What Flink stores is
another matter: it puts two aggregates into one only if they have one input field when it first translates the query.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aggregations import Aggregation
from clauses import Aggregate, Key
from edits import COMPATIBLE, Edit, OnQuery, edit
from prepared_aggregations import no_session
from spelling import Chance
from tables import Column, Computed, Feed, Table

MADE = "amount_made"


def _expression(query: Any) -> str:
    return f"@{query.domain.m2} * @{query.domain.id}"


def _table(query: Any) -> Table:
    """Its table with the computed column."""
    domain = query.domain
    table: Table = query.feed.table
    column = Column(MADE, "BIGINT", computed=f"{domain.m2} * {domain.id}")
    return replace(table, columns=(*table.columns, column))


def _calls(query: Any, *arguments: str) -> tuple[Aggregate, ...]:
    sums = (Aggregate("SUM", argument, type="BIGINT") for argument in arguments)
    return (*sums, Aggregate("COUNT", "*"))


def over_declared(query: Aggregation, chance: Chance) -> Aggregation:
    """One stream whose table computes the column, and a sum over that."""
    feed = Feed(_table(query))
    return replace(no_session(query, chance), feed=feed, aggregates=_calls(query, f"@{MADE}"), where=())


def over_view(query: Aggregation, chance: Chance) -> Aggregation:
    """A layer computes the column."""
    feed = Feed(query.feed.table, computed=(Computed(MADE, _expression(query), touched=False, type="BIGINT"),))
    return replace(no_session(query, chance), feed=feed, aggregates=_calls(query, f"@{MADE}"), where=())


def spell_out(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, aggregates=_calls(query, _expression(query)))


def move_into_view(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """From the declaration of the table to a layer of the query."""
    after = over_view(replace(query, feed=replace(query.feed, table=query.domain.stream())), chance)
    return query, replace(after, keys=query.keys, window=query.window)


def write_both(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """The same sum once more, spelled otherwise."""
    return query, replace(query, aggregates=_calls(query, f"@{MADE}", _expression(query)))


def write_one(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    after, before = write_both(query, chance)
    return before, after


def cast_argument(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """To the type that it has."""
    return query, replace(query, aggregates=_calls(query, f"CAST(@{MADE} AS BIGINT)"))


def write_cast_too(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, aggregates=_calls(query, f"@{MADE}", f"CAST(@{MADE} AS BIGINT)"))


def by_computed_key(query: Aggregation, chance: Chance) -> Aggregation:
    """Grouped by a column that the table computes."""
    domain = query.domain
    table = replace(query.feed.table, columns=(
        *query.feed.table.columns, Column("short_key", "STRING", computed=f"UPPER({domain.k1})"),
    ))  # fmt: skip
    query = no_session(query, chance)
    fields = tuple(key for key in query.keys if key.window_field)
    return replace(query, feed=Feed(table), keys=(Key("@short_key"), *fields), where=())


def spell_key_out(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    keys = tuple(
        Key(f"UPPER(@{query.domain.k1})") if key.expression == "@short_key" else key for key in query.keys
    )  # fmt: skip
    return query, replace(query, keys=keys)


def _one(kind: str, change: OnQuery, *steps: OnQuery, spec: str = "EQ-05", name: str = "") -> Edit:
    made = edit(spec, kind, COMPATIBLE, change, *steps, part="surroundings", name=name)
    return replace(made, silent=True)


EDITS: tuple[Edit, ...] = tuple(
    one
    for kind, compute in (("window-tvf", "WTVF-06"), ("group-window", "GWA-06"), ("group-aggregate", "GA-06"))
    for one in (
        _one(kind, spell_out, over_declared, spec=compute, name="spell-column-out"),
        _one(kind, spell_out, over_view, spec=compute, name="spell-view-out"),
        _one(kind, move_into_view, over_declared, spec=compute),
        _one(kind, cast_argument, over_declared, spec=compute),
        _one(kind, write_both, over_declared),
        _one(kind, write_both, over_view, name="write-both-over-view"),
        _one(kind, write_one, over_declared),
        _one(kind, write_cast_too, over_declared),
        _one(kind, spell_key_out, by_computed_key, spec="STR-01"),
    )
)
