"""Aggregations over aggregations, and what edits of the lower one do to both (CMB-02, C-30)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import aggregation_edits as lower
import call_edits
import grouping_edits
from aggregations import Aggregation, calls_of, window_aggregation
from clauses import Aggregate
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, Edit, OnQuery, edit
from keepstate.report import Verdict
from spelling import Chance, Relation, Writer
from tables import Domain, Table


@dataclass(frozen=True)
class Stacked:
    """``below`` is grouped again by its first key; ``aggregates`` read its columns by their roles."""

    below: Aggregation
    aggregates: tuple[Aggregate, ...]

    @property
    def domain(self) -> Domain:
        return self.below.domain

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.below.tables

    @property
    def types(self) -> tuple[str, ...]:
        return ("STRING", *(aggregate.type for aggregate in self.aggregates))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        names: dict[str, str] = {}

        def body() -> str:
            text, roles = self.below.block(writer, alias_all=True)
            names.update(roles)
            return text

        rows = writer.read(Relation(writer.layer("totals", body), names), "t")
        key = rows.column("key0")
        calls = [f"{call.sql(rows, chance)} AS {writer.name('total')}" for call in self.aggregates]
        return f"SELECT {', '.join([key, *calls])}\nFROM {rows.text}\nGROUP BY {key}"


def stacked(chance: Chance) -> Stacked:
    below = window_aggregation(chance, sessions=False)
    # What is below is summed, too: numbers only.
    numbers = (call for call in calls_of(below.domain) if call.type != "STRING" and not call.condition)
    calls = [call for call in numbers if call.function in ("SUM", "MAX", "MIN")]
    below = replace(below, aggregates=chance.shuffled(calls)[:2])
    first, second = below.aggregates
    outer = (
        Aggregate(chance.pick("SUM", "MIN"), "@aggregate0", type=first.type),
        Aggregate(chance.pick("MAX", "SUM"), "@aggregate1", type=second.type),
    )
    return Stacked(below, outer)


def _below(change: OnQuery) -> OnQuery:
    def apply(query: Stacked, chance: Chance) -> tuple[Stacked, Stacked]:
        before, after = change(query.below, chance)
        return replace(query, below=before), replace(query, below=after)

    return apply


def modify_last(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    last = len(query.aggregates) - 1
    new = Aggregate("AVG", f"@{query.domain.m2}", touched=True, type="INT")
    return call_edits.touch_aggregates(query, last), replace(query, aggregates=(*query.aggregates[:-1], new))


def add_unread(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, aggregates=(*query.aggregates, Aggregate("COUNT", f"@{query.domain.k2}")))


def reads_first_only(query: Stacked, chance: Chance) -> Stacked:
    """Nothing reads the second aggregate, so the planner drops it."""
    return replace(query, aggregates=(*query.aggregates[:1], Aggregate("COUNT", "*")))


def modify_first(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    new = Aggregate("AVG", f"@{query.domain.m2}", touched=True, type="INT")
    return call_edits.touch_aggregates(query, 0), replace(query, aggregates=(new, *query.aggregates[1:]))


def add_outer(query: Stacked, chance: Chance) -> tuple[Stacked, Stacked]:
    return query, replace(query, aggregates=(*query.aggregates, Aggregate("COUNT", "*", touched=True)))


def _lower(spec: str, verdict: Verdict, change: OnQuery, *steps: OnQuery, part: str, item: str = "") -> Edit:
    name = f"below-{change.__name__.replace('_', '-')}"
    return edit(spec, "stacked", verdict, _below(change), *steps, part=part, item=item, name=name)


EDITS = (
    _lower("CMB-02", PARTIAL, modify_last, part="aggregates", item="aggregates"),
    _lower("C-30", COMPATIBLE, add_unread, part="aggregates"),
    _lower("C-30", INCOMPATIBLE, modify_first, reads_first_only, part="aggregates", item="aggregates"),
    _lower("WTVF-11", INCOMPATIBLE, grouping_edits.change_window_size, part="window"),
    _lower("WTVF-10", INCOMPATIBLE, grouping_edits.change_window_kind, part="window"),
    _lower("WH-01", INCOMPATIBLE, lower.add_filter, part="filter", item="filter"),
    edit("GA-01", "stacked", PARTIAL, add_outer, part="outer", item="aggregates"),
)
