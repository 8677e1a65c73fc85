"""Queries with a layer that keeps state of its own: operators that come and go (OL-04), and joins with a dimension
below an aggregation (JL-02).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aggregations import group_aggregation
from clauses import Aggregate
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, UNKNOWN, Edit, edit
from generated_jobs import Query
from joins import Join, TimedJoin, lookup_join, regular_join
from rankings import top_n
from rows import projection
from spelling import Chance, Writer, mark
from tables import Domain, Table


@dataclass(frozen=True)
class Distinct:
    """The rows of a query; each of them once, if ``distinct``."""

    below: Query
    distinct: bool = False
    touched: bool = False

    @property
    def domain(self) -> Domain:
        return self.below.domain  # type: ignore[attr-defined, no-any-return]

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.below.tables

    @property
    def types(self) -> tuple[str, ...]:
        return self.below.types

    def select(self, writer: Writer) -> str:
        text = writer.layer("found", lambda: self.below.select(writer))
        alias = "" if text.isidentifier() else f" AS {writer.name('d', 'AL-02')}"
        return mark(f"SELECT {'DISTINCT ' if self.distinct else ''}*\nFROM {text}{alias}", self.touched)


@dataclass(frozen=True)
class Enriched:
    """An aggregation of rows that a lookup join made wider: by a column of the dimension."""

    join: TimedJoin
    key: str
    aggregates: tuple[Aggregate, ...]
    key_touched: bool = False

    @property
    def domain(self) -> Domain:
        return self.join.domain

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.join.tables

    @property
    def types(self) -> tuple[str, ...]:
        return ("STRING", *(call.type for call in self.aggregates))

    def select(self, writer: Writer) -> str:
        columns = [self.key, *(name for call in self.aggregates for name in call.columns)]
        both, text = replace(self.join, shown=tuple(dict.fromkeys(columns))).rows(writer)
        key = both.sql(f"@{self.key}")
        calls = [f"{call.sql(both, writer.chance)} AS {writer.name('total')}" for call in self.aggregates]
        return f"SELECT {', '.join([key, *calls])}\nFROM {text}\nGROUP BY {mark(key, self.key_touched)}"


# ---- random queries


def layered(chance: Chance) -> Distinct:
    return Distinct(chance.pick(projection, top_n, regular_join, group_aggregation)(chance))


def enriched(chance: Chance) -> Enriched:
    join = lookup_join(chance)
    assert isinstance(join, TimedJoin)
    own = Aggregate("SUM", f"@l__{join.domain.m2}", type="INT")
    theirs = Aggregate("MAX", "@r__label", type="STRING")
    return Enriched(join, "r__zone", chance.pick((own, theirs), (theirs, own)))


# ---- edits


def each_row_once(query: Distinct, chance: Chance) -> tuple[Distinct, Distinct]:
    return replace(query, touched=True), replace(query, distinct=True, touched=True)


def every_row(query: Distinct, chance: Chance) -> tuple[Distinct, Distinct]:
    after, before = each_row_once(query, chance)
    return before, after


def of_rows_that_repeat(query: Distinct, chance: Chance) -> Distinct:
    """Groups are left out: each is there once, and DISTINCT of them keeps no state."""
    return replace(query, below=chance.pick(projection, top_n, regular_join)(chance))


def of_groups(query: Distinct, chance: Chance) -> Distinct:
    return replace(query, below=group_aggregation(chance))


def of_a_stateful_query(query: Distinct, chance: Chance) -> Distinct:
    return replace(query, below=chance.pick(top_n, regular_join)(chance))


def by_another_column(query: Enriched, chance: Chance) -> tuple[Enriched, Enriched]:
    return query, replace(query, key="r__label", key_touched=True)


def aggregate_another_column(query: Enriched, chance: Chance) -> tuple[Enriched, Enriched]:
    new = Aggregate("COUNT", "@r__zone", touched=True)
    return query, replace(query, aggregates=(*query.aggregates, new))


def change_join_type(query: Enriched, chance: Chance) -> tuple[Enriched, Enriched]:
    other = "LEFT JOIN" if query.join.type == "JOIN" else "JOIN"
    return query, replace(query, join=replace(query.join, type=other))


def change_join_key(query: Enriched, chance: Chance) -> tuple[Enriched, Enriched]:
    join: Join = query.join
    (on,) = join.on
    return query, replace(query, join=replace(join, on=(replace(on, left=f"@l__{query.domain.k2}"),)))


D, E = "layered", "enriched"
EDITS: tuple[Edit, ...] = (
    edit("OL-04", D, INCOMPATIBLE, each_row_once, of_rows_that_repeat, part="layer"),
    edit("OL-04", D, COMPATIBLE, each_row_once, of_groups, part="layer", name="each-group-once"),
    edit("NONE-07", D, UNKNOWN, every_row, of_a_stateful_query, part="layer"),
    edit("JL-02", E, INCOMPATIBLE, by_another_column, part="keys"),
    edit("JL-02", E, PARTIAL, aggregate_another_column, part="aggregates", item="aggregates"),
    edit("JL-01", E, COMPATIBLE, change_join_type, part="join"),
    edit("JL-01", E, COMPATIBLE, change_join_key, part="join"),
)
"""The fate of a savepoint with more state than the query has is in no row of the specification (NONE-07)."""
