"""Seeded edits for open-source Flink, with effects measured with real savepoints (profile ``flink``).

Flink finds keyed state by operator ids, by its name and by the stored types, in order; its meaning is not compared. So
an edit that changes types, or the shape of the operators in front of the state, keeps the job from starting, and one
that changes neither restores numbers of another meaning.

Every query here has a projection in front of its state, since it reads only some columns of its source;
``without_projection`` takes that away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import aggregation_edits as grouped
import call_edits as on_calls
import grouping_edits as grouping
import join_edits as joined
import ranking_edits as ranked
import row_edits as overs
import windows_below as below
from aggregations import LEGACY, PLAIN_GROUPS, TVF, Aggregation, distinct_calls_of
from clauses import Aggregate, Condition, Key, Order
from edits import COMPATIBLE, INCOMPATIBLE, Change, Edit, OnQuery, Prepare, on_query, prepared
from job_edits import add_input, add_query, add_unread_column, change_delay, on_table
from joins import Join
from keepstate.report import Effect
from prepared_aggregations import no_session, of_kind
from rankings import Ranking
from rows import Over
from spelling import Chance

EXACT, LOST, STOPS, WRONG = Effect.EXACT, Effect.STATE_LOST, Effect.DOES_NOT_START, Effect.WRONG_RESULTS
NOT_NEUTRAL_ON_FLINK = frozenset({"UA-01", "order", "EQ-05", "mirrored"})
"""Ids of operators follow from the order of inputs and of INSERTs, COUNT(1) over a window stores its constant, and the
sign of a comparison decides whether groups may go.
"""
Calls = Callable[[Any], tuple[Aggregate, ...]]


@dataclass(frozen=True)
class FlinkEdit(Edit):
    """``effects`` are what Flink was seen to do, of which any will do; the verdict follows from them."""

    effects: frozenset[Effect] = frozenset()
    decided: bool = False
    """An unknown verdict is a mistake: the label needs no fact that only the planner knows."""


# ---- what aggregations are made of


def count_note(domain: Any) -> Aggregate:
    return Aggregate("COUNT", f"@{domain.note}")


def count_k2(domain: Any) -> Aggregate:
    return Aggregate("COUNT", f"@{domain.k2}")


def min_m2(domain: Any) -> Aggregate:
    return Aggregate("MIN", f"@{domain.m2}", type="INT")


def max_m2(domain: Any) -> Aggregate:
    return Aggregate("MAX", f"@{domain.m2}", type="INT")


def of_calls(*calls: Callable[[Any], Aggregate]) -> OnQuery:
    """An aggregation of one stream that computes just these."""

    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        return replace(of_one_table(query, chance), aggregates=tuple(call(query.domain) for call in calls))

    return prepare


def of_one_table(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, feed=replace(query.feed, others=()))


def grouped_by(*names: str) -> OnQuery:
    """Grouped by just these columns, by role."""

    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        query = no_session(of_one_table(query, chance), chance)
        fields = tuple(key for key in query.keys if key.window_field)
        return replace(query, keys=(*(Key(f"@{getattr(query.domain, name)}") for name in names), *fields))

    return prepare


def calls_become(*calls: Callable[[Any], Aggregate]) -> OnQuery:
    def change(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
        new = tuple(call(query.domain).touch() for call in calls)
        return on_calls.touch_aggregates(query), replace(query, aggregates=new)

    return change


def _key_becomes(role: str) -> OnQuery:
    def change(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
        first, *rest = query.keys
        new = Key(f"@{getattr(query.domain, role)}", True)
        return replace(query, keys=(first.touch(), *rest)), replace(query, keys=(new, *rest))

    return change


def _keys_become(*roles: str) -> OnQuery:
    def change(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
        fields = tuple(key for key in query.keys if key.window_field)
        new = tuple(Key(f"@{getattr(query.domain, role)}") for role in roles)
        before = replace(query, keys_touched=True)
        return before, replace(before, keys=(*new, *fields))

    return change


def _filtered(domain: Any) -> Aggregate:
    return replace(count_note(domain), condition=Condition(f"@{domain.m2}", ">", "0"))


def _max_id(domain: Any) -> Aggregate:
    return Aggregate("MAX", f"@{domain.id}", type="BIGINT")


def sum_m1(domain: Any) -> Aggregate:
    return Aggregate("SUM", f"@{domain.m1}", type="DECIMAL(38, 2)" if "DECIMAL" in domain.decimal else "DOUBLE")


def _avg_m1(domain: Any) -> Aggregate:
    return Aggregate("AVG", f"@{domain.m1}", type="DECIMAL(38, 6)" if "DECIMAL" in domain.decimal else "DOUBLE")


def _distinct_note(domain: Any) -> Aggregate:
    return distinct_calls_of(domain)[1]


def _distinct_k2(domain: Any) -> Aggregate:
    return replace(_distinct_note(domain), argument=f"@{domain.k2}")


def write_twice(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, aggregates=(*query.aggregates, query.aggregates[0]))


def add_having(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, having=(Condition(f"COUNT(@{query.domain.note})", ">", "1"),))


def add_having_on_more(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, having=(Condition(f"COUNT(@{query.domain.k2})", ">", "1", touched=True),))


def without_projection(query: Aggregation, chance: Chance) -> Aggregation:
    """A query that reads all columns of the source, in their order."""
    domain = query.domain
    table = query.feed.table
    names = (domain.k1, domain.m2, *((domain.rowtime,) if query.kind == TVF else ()))
    columns = tuple(table.column(name) for name in names)
    table = replace(table, columns=columns, proctime="", rowtime=domain.rowtime if query.kind == TVF else "")
    feed = replace(query.feed, table=table, free_order=False)
    return replace(query, feed=feed, where=(), aggregates=(max_m2(domain),))


def filter_all(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    return query, replace(query, where=(Condition(f"@{query.domain.m2}", ">", "0", touched=True),))


def to_session(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    assert query.window is not None
    partition = (query.domain.k1,) if query.kind == TVF else ()
    return query, replace(query, window=query.window.change("kind", kind="SESSION", partition=partition))


def _window_becomes(kind: str) -> OnQuery:
    def change(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
        assert query.window is not None
        slide = query.window.size // {"HOP": 2, "CUMULATE": 4}[kind]
        return query, replace(query, window=query.window.change("kind", kind=kind, slide=slide))

    return change


# ---- the edits


def seen(
    kind: str, name: str, effects: tuple[Effect, ...], change: Change, prepare: Prepare, indirect: bool = False,
    decided: bool = False,
) -> FlinkEdit:  # fmt: skip
    """An edit of a job, with what Flink was seen to do."""
    verdict = COMPATIBLE if effects == (EXACT,) else INCOMPATIBLE
    return FlinkEdit(
        name, "flink", kind, verdict, change, prepare, indirect=indirect, effects=frozenset(effects), decided=decided
    )  # fmt: skip


def seen_of_query(
    kind: str, name: str, effect: Effect | tuple[Effect, ...], change: OnQuery, *steps: OnQuery, indirect: bool = False,
    decided: bool = False,
) -> FlinkEdit:  # fmt: skip
    effects = effect if isinstance(effect, tuple) else (effect,)
    return seen(kind, name, effects, on_query(change), prepared(*steps), indirect, decided)


def seen_of_job(
    kind: str, name: str, effect: Effect | tuple[Effect, ...], change: Change, *steps: OnQuery
) -> FlinkEdit:
    effects = effect if isinstance(effect, tuple) else (effect,)
    return seen(kind, name, effects, change, prepared(*steps))


def _aggregation(kind: str) -> list[FlinkEdit]:
    """Edits with the same measured effect on TUMBLE in both syntaxes and without windows.

    Another key of the same type finds the state of a key of the same values: only without equal values, it finds
    nothing.
    """
    two = of_calls(count_note, min_m2)
    return [
        seen_of_query(kind, "aggregate-added", STOPS, calls_become(count_note, min_m2, count_k2), two),
        seen_of_query(kind, "aggregate-added-in-front", STOPS, calls_become(max_m2, count_note, min_m2), two),
        seen_of_query(kind, "aggregate-removed", STOPS, calls_become(min_m2), two),
        seen_of_query(kind, "distinct-added", STOPS, on_calls.add_distinct, two),
        seen_of_query(kind, "distinct-removed", STOPS, on_calls.remove_distinct, of_calls(count_note, _distinct_note)),
        seen_of_query(kind, "reordered-of-one-type", WRONG, calls_become(max_m2, min_m2), of_calls(min_m2, max_m2)),
        seen_of_query(
            kind, "counts-reordered", WRONG, calls_become(count_k2, count_note), of_calls(count_note, count_k2)
        ),
        seen_of_query(kind, "reordered-of-different-types", STOPS, calls_become(min_m2, count_note), two),
        seen_of_query(kind, "another-function", WRONG, calls_become(count_note, max_m2), two),
        seen_of_query(kind, "another-column-of-one-type", WRONG, calls_become(count_k2, min_m2), two),
        seen_of_query(kind, "another-column-of-another-type", STOPS, calls_become(_max_id), of_calls(max_m2)),
        seen_of_query(kind, "sum-to-average", STOPS, calls_become(_avg_m1), of_calls(sum_m1)),
        seen_of_query(kind, "filter-clause", WRONG, calls_become(_filtered, min_m2), two),
        seen_of_query(kind, "another-distinct-column", WRONG, calls_become(_distinct_k2), of_calls(_distinct_note)),
        seen_of_query(kind, "written-twice", EXACT, write_twice, two),
        seen_of_query(kind, "having-on-what-is-stored", EXACT, add_having, two),
        seen_of_query(kind, "having-on-more", STOPS, add_having_on_more, two),
        seen_of_query(kind, "keys-swapped", WRONG, _keys_become("k2", "k1"), grouped_by("k1", "k2")),
        seen_of_query(kind, "keys-of-different-types-swapped", STOPS, _keys_become("id", "k1"), grouped_by("k1", "id")),
        seen_of_query(kind, "key-added", STOPS, _keys_become("k1", "k2"), grouped_by("k1")),
        seen_of_query(kind, "key-removed", STOPS, _keys_become("k1"), grouped_by("k1", "k2")),
        seen_of_query(kind, "another-key-of-one-type", WRONG, _key_becomes("note"), grouped_by("k1")),
        seen_of_query(kind, "another-key-of-another-type", STOPS, _key_becomes("id"), grouped_by("k1")),
        seen_of_query(kind, "filter-added", WRONG, grouped.add_filter, of_one_table, no_session),
        seen_of_query(kind, "filter-changed", WRONG, grouped.change_filter, of_one_table, no_session),
        seen_of_query(kind, "computed-below", WRONG, on_calls.compute_argument, of_calls(sum_m1), indirect=True),
        seen_of_job(kind, "stateless-query-added", STOPS, add_query(False), of_one_table),
        # Where nothing is filtered, the new query has an operator of its own, and the ids of the others stay.
        seen_of_job(kind, "stateful-query-added", (STOPS, Effect.STARTS_EMPTY), add_query(True), of_one_table),
        seen_of_job(kind, "unread-column", EXACT, on_table(add_unread_column), of_one_table),
    ]


def in_window(kind: str) -> OnQuery:
    def prepare(query: Any, chance: Chance) -> Any:
        return of_kind(kind)(of_one_table(query, chance), chance)

    return prepare


def rows_of(number: int) -> OnQuery:
    def prepare(query: Over, chance: Chance) -> Over:
        return replace(query, frame=f"ROWS BETWEEN {number} PRECEDING AND CURRENT ROW")

    return prepare


def more_rows(query: Over, chance: Chance) -> tuple[Over, Over]:
    return replace(query, frame_touched=True), replace(rows_of(5)(query, chance), frame_touched=True)


def sums_only(query: Over, chance: Chance) -> Over:
    return replace(query, aggregates=(Aggregate("SUM", f"@{query.domain.m2}", type="INT"),))


def count_beside_sum(query: Over, chance: Chance) -> tuple[Over, Over]:
    """A sum is stored with the number of its rows."""
    return query, replace(query, aggregates=(*query.aggregates, Aggregate("COUNT", f"@{query.domain.m2}")))


def another_sum(query: Over, chance: Chance) -> tuple[Over, Over]:
    return query, replace(query, aggregates=(*query.aggregates, replace(sum_m1(query.domain), touched=True)))


def by_rowtime(query: Over, chance: Chance) -> Over:
    return replace(query, order=query.domain.rowtime)


def numbered(query: Ranking, chance: Chance) -> Ranking:
    return replace(query, number=True)


def not_numbered(query: Ranking, chance: Chance) -> Ranking:
    return replace(query, number=False)


def of_three(query: Ranking, chance: Chance) -> Ranking:
    """Enough rows that each partition has more of them."""
    return replace(query, bound=3)


def distinguished_by_time(query: Ranking, chance: Chance) -> Ranking:
    """Of rows with equal sort keys a ranking with numbers keeps others than one without."""
    return replace(query, order=(*query.order[:1], Order(f"@{query.domain.rowtime}", False)))


def last_rows(query: Ranking, chance: Chance) -> Ranking:
    return replace(query, order=tuple(replace(one, descending=True) for one in query.order))


def left_to_inner(query: Join, chance: Chance) -> tuple[Join, Join]:
    before = replace(query, type="LEFT JOIN", type_touched=True)
    return before, replace(before, type="JOIN")


T, D, W, WD = "top-n", "dedup-rowtime", "window-top-n", "window-dedup"
R, I, WJ, O = "regular-join", "interval-join", "window-join", "over"  # noqa: E741
_FIXED = below.of_kind("TUMBLE", "HOP", "CUMULATE")
EDITS: tuple[FlinkEdit, ...] = (
    *(one for kind in (TVF, LEGACY, PLAIN_GROUPS) for one in _aggregation(kind)),
    # Of a union in the call of a window function itself, Flink 1.20 and 2.3 read the first input only.
    *(seen_of_job(kind, "input-added", STOPS, add_input, of_one_table) for kind in (LEGACY, PLAIN_GROUPS)),
    *(seen_of_query(kind, "filter-added-without-projection", STOPS, filter_all, grouped_by("k1"), without_projection)
      for kind in (TVF, PLAIN_GROUPS)),
    *(seen_of_query(kind, "window-field-shown", EXACT, grouping.change_window_fields, of_one_table)
      for kind in (TVF, LEGACY)),
    *(seen_of_query(kind, f"another-size-of-{window.lower()}", WRONG, grouping.change_window_size, in_window(window))
      for kind, window in ((TVF, "TUMBLE"), (TVF, "HOP"), (LEGACY, "TUMBLE"), (LEGACY, "HOP"))),
    seen_of_query(TVF, "offset", WRONG, grouping.add_offset, in_window("TUMBLE")),
    seen_of_query(TVF, "another-slide", WRONG, grouping.change_slide, in_window("HOP")),
    seen_of_query(TVF, "another-step", WRONG, grouping.change_slide, in_window("CUMULATE")),
    seen_of_query(TVF, "another-gap", WRONG, grouping.change_window_size, in_window("SESSION")),
    seen_of_query(TVF, "tumble-to-hop", STOPS, _window_becomes("HOP"), in_window("TUMBLE"),
                  of_calls(count_note, min_m2)),
    seen_of_query(TVF, "tumble-to-cumulate", WRONG, _window_becomes("CUMULATE"), in_window("TUMBLE")),
    seen_of_query(TVF, "tumble-to-session", STOPS, to_session, in_window("TUMBLE"), grouped_by("k1")),
    seen_of_query(TVF, "to-legacy", STOPS, grouped.to_legacy, in_window("TUMBLE")),
    seen_of_query(LEGACY, "tumble-to-hop", (LOST, WRONG), _window_becomes("HOP"), in_window("TUMBLE")),
    seen_of_query(LEGACY, "tumble-to-session", STOPS, to_session, in_window("TUMBLE")),
    seen_of_query(LEGACY, "to-tvf", STOPS, grouped.to_tvf, in_window("TUMBLE")),
    seen_of_job(TVF, "watermark", EXACT, on_table(change_delay), of_one_table),
    seen_of_query(W, "rank-number-dropped", EXACT, ranked.toggle_number, ranked.over_rows, numbered),
    seen_of_query(W, "another-direction", (WRONG, LOST), ranked.turn_order, ranked.over_rows),
    seen_of_query(W, "column-added", STOPS, ranked.add_shown, ranked.over_rows),
    seen_of_query(W, "column-removed", STOPS, ranked.remove_shown, ranked.over_rows),
    seen_of_query(W, "key-removed", STOPS, ranked.remove_partition_key, ranked.over_rows, ranked.two_partition_keys),
    # With numbers, one row more than the ranking gives is kept; without them, that one is never taken out again.
    seen_of_query(T, "rank-number-dropped", WRONG, ranked.toggle_number, numbered, distinguished_by_time, of_three),
    seen_of_query(T, "rank-number-shown", EXACT, ranked.toggle_number, not_numbered, distinguished_by_time),
    seen_of_query(T, "output-reordered", EXACT, ranked.reorder_output),
    seen_of_query(D, "column-added", STOPS, ranked.add_shown, last_rows),
    seen_of_query(D, "key-added", STOPS, ranked.add_partition_key, last_rows),
    seen_of_query(WD, "another-direction", WRONG, ranked.turn_order),
    seen_of_query(WD, "another-size", WRONG, below.other_size, _FIXED),
    seen_of_query(WD, "column-added", STOPS, ranked.add_shown),
    seen_of_query(O, "count-beside-sum", EXACT, count_beside_sum, sums_only, by_rowtime),
    seen_of_query(O, "another-sum", STOPS, another_sum, sums_only, by_rowtime),
    seen_of_query(O, "more-rows", WRONG, more_rows, rows_of(3), by_rowtime),
    # Whole rows wait for the watermark where nothing is computed below: then the new column is in them already.
    seen_of_query(O, "column-added", (STOPS, EXACT), overs.add_column, by_rowtime),
    seen_of_query(R, "inner-of-left", STOPS, left_to_inner, joined.without_filters),
    seen_of_query(R, "column-added", STOPS, joined.add_column),
    seen_of_query(R, "column-removed", STOPS, joined.remove_column),
    seen_of_query(I, "column-added", STOPS, joined.add_column),
    seen_of_query(WJ, "column-added", STOPS, joined.add_column),
    seen_of_query(WJ, "another-size", WRONG, below.other_size, _FIXED),
)  # fmt: skip
