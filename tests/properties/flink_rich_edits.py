"""Seeded edits for open-source Flink in richer contexts: unions, readers of aggregations, sinks in another order.

As in ``flink_edits``, the labels are what Flink 2.3.0 was seen to do when it restored real savepoints of such jobs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import insert_columns as sinks
import layered_queries as layered
import open_feature_edits as features
import respelled_arguments as respelled
import source_edits as sources
import totals_edits as totals
import union_edits as unions
from aggregations import LEGACY, PLAIN_GROUPS, TVF, Aggregation
from clauses import Aggregate, Condition
from edits import OnQuery
from flink_edits import (
    EXACT,
    STOPS,
    WRONG,
    FlinkEdit,
    grouped_by,
    of_one_table,
    seen,
    seen_of_query,
)
from generated_jobs import Job
from job_edits import on_table
from keepstate.report import Effect
from rows import Over
from spelling import Chance
from totals import PRUNED

# ---- unions


def _two(query: Any, chance: Chance) -> Any:
    """Two branches over one table: each has a filter, so that each has a projection of its own."""
    return unions.of_two_branches(query, chance)


_HITS = unions.reads_hits_and_rows
_ROWS_ONLY = unions.reads_rows_only


def _union(kind: str, name: str, effect: Effect, change: OnQuery, *steps: OnQuery, indirect: bool = True) -> FlinkEdit:
    return seen_of_query(kind, name, effect, change, _two, *steps, indirect=indirect)


_RANKED = ("united-top-n", "united-dedup")


def _of_unions(kind: str) -> list[FlinkEdit]:
    """Edits for any reader of the union: other rows are wrong results, other branches are other operators."""
    return [
        *(_union(kind, f"union-{name}", STOPS, change, indirect=False)
          for name, change in (("branch-added", unions.add_branch), ("branch-removed", unions.remove_branch),
                               ("branch-repeated", unions.repeat_branch))),
        *(_union(kind, f"union-{name}", WRONG, change)
          for name, change in (("condition-moved", unions.move_condition), ("condition-added", unions.add_condition),
                               ("condition-removed", unions.remove_condition),
                               ("another-constant", unions.other_constant))),
        # Below a ranking what drops the column is an operator of its own.
        *(_union(kind, f"union-{name}", STOPS if kind in _RANKED else EXACT, change)
          for name, change in (("unread-column-added", unions.add_unread_column),
                               ("unread-column-removed", unions.remove_unread_column))),
        _union(kind, "union-unread-filled-otherwise", EXACT, unions.fill_unread_otherwise),
    ]  # fmt: skip


def _of_grouped_unions(kind: str) -> list[FlinkEdit]:
    return [
        _union(kind, "union-other-column", WRONG, unions.aggregate_the_other, _HITS, indirect=False),
        _union(kind, "union-exchanged-in-all", WRONG, unions.exchange_in_all, _HITS),
        _union(kind, "union-exchanged-between", WRONG, unions.exchange_between("hits"), _HITS),
        _union(kind, "union-filters-exchanged", WRONG, unions.exchange_filters, _HITS),
        _union(kind, "union-other-value", WRONG, unions.other_value, _HITS),
        _union(kind, "union-aggregate-added", STOPS, unions.add_the_other, _HITS, indirect=False),
        _union(kind, "union-other-key", WRONG, unions.group_by_the_other, unions.by_actor, _HITS, indirect=False),
        _union(kind, "union-key-exchanged", WRONG, unions.exchange_between("actor"), unions.by_actor, _HITS),
        _union(kind, "union-other-filter", WRONG, unions.filter_by_the_other, unions.by_k1, _ROWS_ONLY, indirect=False),
    ]


# ---- one expression reached in two ways, and sinks in another order


def _respelled(kind: str) -> list[FlinkEdit]:
    return [
        seen_of_query(kind, "respelled-column", EXACT, respelled.spell_out, respelled.over_declared),
        seen_of_query(kind, "respelled-of-a-view", EXACT, respelled.spell_out, respelled.over_view),
        seen_of_query(kind, "respelled-once-more", STOPS, respelled.write_both, respelled.over_declared),
        seen_of_query(kind, "respelled-no-more", STOPS, respelled.write_one, respelled.over_declared),
        seen_of_query(kind, "cast-to-its-type", EXACT, respelled.cast_argument, respelled.over_declared),
        seen_of_query(kind, "respelled-key", EXACT, respelled.spell_key_out, respelled.by_computed_key),
    ]


def _three(job: Job, chance: Chance) -> Job:
    """Two counts that change places unseen, and a maximum of another type."""
    return sinks.three_aggregates(job.with_query(of_one_table(job.query, chance)), chance)


def swap_counts_of_sink(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The two columns of one type change places in the declaration of the sink."""
    return sinks.declared_in(job, (1, 0, 2))


def turn_sink(job: Job, chance: Chance) -> tuple[Job, Job]:
    return sinks.declared_in(job, (2, 0, 1))


def _of_sinks(kind: str) -> list[FlinkEdit]:
    return [
        seen(kind, "insert-list-and-query-reordered", (EXACT,), sinks.reorder_list_and_query, _three, decided=True),
        seen(kind, "insert-list-written-out", (EXACT,), sinks.spell_list_out, _three, decided=True),
        seen(kind, "sink-of-one-type-reordered", (WRONG,), swap_counts_of_sink, _three, indirect=True),
        seen(kind, "sink-of-other-types-reordered", (STOPS,), turn_sink, _three, indirect=True),
    ]


# ---- grouping sets, keys, window fields


def fewer_sets(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return features.change_grouping_sets(query, chance)


def more_sets(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    after, before = features.change_grouping_sets(query, chance)
    return before, after


def filter_key(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """The groups that go are read no more, and the others are what they were."""
    new = Condition(f"@{query.domain.k1}", "<>", "'b'", touched=True)
    return query, replace(query, where=(*query.where, new))


def filtered(query: Aggregation, chance: Chance) -> Aggregation:
    """There is a filter, and so a projection, in any case."""
    return replace(query, where=(Condition(f"@{query.domain.m2}", ">", "-100"),))


# ---- LAG


def _lag(*arguments: str) -> OnQuery:
    def prepare(query: Over, chance: Chance) -> Over:
        call = Aggregate("LAG", ", ".join((f"@{query.domain.m2}", *arguments)), type="INT", touched=True)
        shown = (query.domain.k1, query.domain.m2)
        return replace(query, aggregates=(call,), frame="", order=query.domain.rowtime, shown=shown, where=())

    return prepare


def _lag_becomes(*arguments: str) -> OnQuery:
    def change(query: Over, chance: Chance) -> tuple[Over, Over]:
        return query, _lag(*arguments)(query, chance)

    return change


# ---- the edits

B, W, L, E = "totals-best", "totals-best-of-windows", "totals-latest", "enriched"
_UNREAD = (
    ("unread-added", totals.add_unread), ("unread-removed", totals.remove_unread),
    ("unread-distinct-added", totals.add_unread_distinct), ("unread-distinct-removed", totals.remove_unread_distinct),
)  # fmt: skip
EDITS: tuple[FlinkEdit, ...] = (
    # Of a union in the call of a window function itself, Flink 1.20 and 2.3 read the first input only.
    *(one for kind in ("united-legacy", "united-groups", "united-top-n", "united-dedup", "united-over", "united-join")
      for one in _of_unions(kind)),
    *(one for kind in ("united-legacy", "united-groups") for one in _of_grouped_unions(kind)),
    *(seen_of_query(kind, name, EXACT, change, totals.of_one_table) for kind in PRUNED for name, change in _UNREAD),
    *(seen_of_query(kind, name, STOPS, change, totals.of_one_table, *steps)
      for kind in (B, W) for suffix, steps in (("", ()), ("-of-listed", (totals.lists_columns,)))
      for name, change in ((f"{name}{suffix}", change) for name, change in _UNREAD)),
    *(seen_of_query(L, name, STOPS, change, totals.of_one_table) for name, change in _UNREAD),
    *(seen_of_query(kind, f"{name}-of-computed", EXACT, change, totals.computes)
      for kind in (B, W) for name, change in _UNREAD),
    *(one for kind in (TVF, LEGACY, PLAIN_GROUPS) for one in (*_respelled(kind), *_of_sinks(kind))),
    seen_of_query(TVF, "grouping-set-removed", WRONG, fewer_sets, of_one_table, features.plain_two_keys),
    seen_of_query(TVF, "grouping-set-added", WRONG, more_sets, of_one_table, features.plain_two_keys),
    seen_of_query(PLAIN_GROUPS, "grouping-set-removed", EXACT, fewer_sets, of_one_table, features.plain_two_keys),
    seen_of_query(PLAIN_GROUPS, "grouping-set-added", WRONG, more_sets, of_one_table, features.plain_two_keys),
    seen_of_query(PLAIN_GROUPS, "key-filtered", EXACT, filter_key, grouped_by("k1"), filtered),
    seen_of_query(E, "left-lookup-to-inner", WRONG, layered.change_join_type),
    seen_of_query(E, "another-lookup-key", WRONG, layered.change_join_key),
    seen_of_query("over", "lag-further-by-two", WRONG, _lag_becomes("3"), _lag("1")),
    seen_of_query("over", "lag-further-by-one", EXACT, _lag_becomes("2"), _lag("1")),
    seen_of_query("over", "lag-nearer", EXACT, _lag_becomes("1"), _lag("3")),
    seen_of_query(B, "rank-number-shown", EXACT, totals.show_number, totals.ranks_sums, totals.without_number),
    seen("projection", "other-class-of-a-function", (EXACT,), sources.other_class, sources.calls_function,
         decided=True),
    seen("projection", "lines-to-changes", (EXACT,), on_table(sources.to_changes), sources.of_lines, decided=True),
    seen("projection", "other-key-of-a-source", (EXACT,), on_table(sources.other_key), sources.of_database,
         decided=True),
)  # fmt: skip
