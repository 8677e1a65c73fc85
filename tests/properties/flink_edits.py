"""Seeded edits for open-source Flink: what was measured of such changes with real savepoints (profile ``flink``).

Keyed state is found by operator ids, by its name and by the types of what is stored, in order; what it means nobody
compares. So an edit that changes types, or the shape of what stands in front of the state, keeps the job from starting,
and one that changes neither restores numbers of another meaning. Every query here has a projection in front of its
state, since it reads only some columns of a source that gives all of them; ``without_projection`` takes that away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import aggregation_edits as grouped
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
Calls = Callable[[Any], tuple[Aggregate, ...]]


@dataclass(frozen=True)
class FlinkEdit(Edit):
    """``effects`` are what Flink was seen to do, of which any will do; the verdict follows from them."""

    effects: frozenset[Effect] = frozenset()


# ---- what aggregations are made of


def _count_note(domain: Any) -> Aggregate:
    return Aggregate("COUNT", f"@{domain.note}")


def _count_k2(domain: Any) -> Aggregate:
    return Aggregate("COUNT", f"@{domain.k2}")


def _min_m2(domain: Any) -> Aggregate:
    return Aggregate("MIN", f"@{domain.m2}", type="INT")


def _max_m2(domain: Any) -> Aggregate:
    return Aggregate("MAX", f"@{domain.m2}", type="INT")


def _of(*calls: Callable[[Any], Aggregate]) -> OnQuery:
    """An aggregation of one stream that computes just these."""

    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        return replace(_alone(query, chance), aggregates=tuple(call(query.domain) for call in calls))

    return prepare


def _alone(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, feed=replace(query.feed, others=()))


def _by(*names: str) -> OnQuery:
    """Grouped by just these columns, by role."""

    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        query = no_session(_alone(query, chance), chance)
        fields = tuple(key for key in query.keys if key.window_field)
        return replace(query, keys=(*(Key(f"@{getattr(query.domain, name)}") for name in names), *fields))

    return prepare


def _calls_become(*calls: Callable[[Any], Aggregate]) -> OnQuery:
    def change(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
        new = tuple(call(query.domain).touch() for call in calls)
        return grouped.touch_aggregates(query), replace(query, aggregates=new)

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
    return replace(_count_note(domain), condition=Condition(f"@{domain.m2}", ">", "0"))


def _max_id(domain: Any) -> Aggregate:
    return Aggregate("MAX", f"@{domain.id}", type="BIGINT")


def _sum_m1(domain: Any) -> Aggregate:
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
    """All that the source gives is read, in its order."""
    domain = query.domain
    table = query.feed.table
    names = (domain.k1, domain.m2, *((domain.rowtime,) if query.kind == TVF else ()))
    columns = tuple(table.column(name) for name in names)
    table = replace(table, columns=columns, proctime="", rowtime=domain.rowtime if query.kind == TVF else "")
    feed = replace(query.feed, table=table, free_order=False)
    return replace(query, feed=feed, where=(), aggregates=(_max_m2(domain),))


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


def _flink(
    kind: str, name: str, effects: tuple[Effect, ...], change: Change, prepare: Prepare, indirect: bool = False
) -> FlinkEdit:  # fmt: skip
    verdict = COMPATIBLE if effects == (EXACT,) else INCOMPATIBLE
    return FlinkEdit(name, "flink", kind, verdict, change, prepare, indirect=indirect, effects=frozenset(effects))


def _query(
    kind: str, name: str, effect: Effect | tuple[Effect, ...], change: OnQuery, *steps: OnQuery, indirect: bool = False
) -> FlinkEdit:  # fmt: skip
    effects = effect if isinstance(effect, tuple) else (effect,)
    return _flink(kind, name, effects, on_query(change), prepared(*steps), indirect)


def _job(kind: str, name: str, effect: Effect, change: Change, *steps: OnQuery) -> FlinkEdit:
    return _flink(kind, name, (effect,), change, prepared(*steps))


def _aggregation(kind: str) -> list[FlinkEdit]:
    """What was measured alike of TUMBLE in both syntaxes and, but for keys of one type, without windows."""
    # Another key of the same type finds nothing, or what a key of the same values kept.
    other_keys = (LOST, WRONG) if kind == PLAIN_GROUPS else (WRONG,)
    two = _of(_count_note, _min_m2)
    return [
        _query(kind, "aggregate-added", STOPS, _calls_become(_count_note, _min_m2, _count_k2), two),
        _query(kind, "aggregate-added-in-front", STOPS, _calls_become(_max_m2, _count_note, _min_m2), two),
        _query(kind, "aggregate-removed", STOPS, _calls_become(_min_m2), two),
        _query(kind, "distinct-added", STOPS, grouped.add_distinct, two),
        _query(kind, "distinct-removed", STOPS, grouped.remove_distinct, _of(_count_note, _distinct_note)),
        _query(kind, "reordered-of-one-type", WRONG, _calls_become(_max_m2, _min_m2), _of(_min_m2, _max_m2)),
        _query(kind, "counts-reordered", WRONG, _calls_become(_count_k2, _count_note), _of(_count_note, _count_k2)),
        _query(kind, "reordered-of-different-types", STOPS, _calls_become(_min_m2, _count_note), two),
        _query(kind, "another-function", WRONG, _calls_become(_count_note, _max_m2), two),
        _query(kind, "another-column-of-one-type", WRONG, _calls_become(_count_k2, _min_m2), two),
        _query(kind, "another-column-of-another-type", STOPS, _calls_become(_max_id), _of(_max_m2)),
        _query(kind, "sum-to-average", STOPS, _calls_become(_avg_m1), _of(_sum_m1)),
        _query(kind, "filter-clause", WRONG, _calls_become(_filtered, _min_m2), two),
        _query(kind, "another-distinct-column", WRONG, _calls_become(_distinct_k2), _of(_distinct_note)),
        _query(kind, "written-twice", EXACT, write_twice, two),
        _query(kind, "having-on-what-is-stored", EXACT, add_having, two),
        _query(kind, "having-on-more", STOPS, add_having_on_more, two),
        _query(kind, "keys-swapped", other_keys, _keys_become("k2", "k1"), _by("k1", "k2")),
        _query(kind, "keys-of-different-types-swapped", STOPS, _keys_become("id", "k1"), _by("k1", "id")),
        _query(kind, "key-added", STOPS, _keys_become("k1", "k2"), _by("k1")),
        _query(kind, "key-removed", STOPS, _keys_become("k1"), _by("k1", "k2")),
        _query(kind, "another-key-of-one-type", other_keys, _key_becomes("note"), _by("k1")),
        _query(kind, "another-key-of-another-type", STOPS, _key_becomes("id"), _by("k1")),
        _query(kind, "filter-added", WRONG, grouped.add_filter, _alone, no_session),
        _query(kind, "filter-changed", WRONG, grouped.change_filter, _alone, no_session),
        _query(kind, "computed-below", WRONG, grouped.compute_argument, _of(_sum_m1), indirect=True),
        _job(kind, "stateless-query-added", STOPS, add_query(False), _alone),
        _job(kind, "stateful-query-added", STOPS, add_query(True), _alone),
        _job(kind, "unread-column", EXACT, on_table(add_unread_column), _alone),
    ]


def _has(kind: str) -> OnQuery:
    def prepare(query: Any, chance: Chance) -> Any:
        return of_kind(kind)(_alone(query, chance), chance)

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
    return query, replace(query, aggregates=(*query.aggregates, replace(_sum_m1(query.domain), touched=True)))


def by_rowtime(query: Over, chance: Chance) -> Over:
    return replace(query, order=query.domain.rowtime)


def numbered(query: Ranking, chance: Chance) -> Ranking:
    return replace(query, number=True)


def told_apart_by_time(query: Ranking, chance: Chance) -> Ranking:
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
    *(_job(kind, "input-added", STOPS, add_input, _alone) for kind in (LEGACY, PLAIN_GROUPS)),
    *(_query(kind, "filter-added-without-projection", STOPS, filter_all, _by("k1"), without_projection)
      for kind in (TVF, PLAIN_GROUPS)),
    *(_query(kind, "window-field-shown", EXACT, grouped.change_window_fields, _alone) for kind in (TVF, LEGACY)),
    *(_query(kind, f"another-size-of-{window.lower()}", WRONG, grouped.change_window_size, _has(window))
      for kind, window in ((TVF, "TUMBLE"), (TVF, "HOP"), (LEGACY, "TUMBLE"), (LEGACY, "HOP"))),
    _query(TVF, "offset", WRONG, grouped.add_offset, _has("TUMBLE")),
    _query(TVF, "another-slide", WRONG, grouped.change_slide, _has("HOP")),
    _query(TVF, "another-step", WRONG, grouped.change_slide, _has("CUMULATE")),
    _query(TVF, "another-gap", WRONG, grouped.change_window_size, _has("SESSION")),
    _query(TVF, "tumble-to-hop", STOPS, _window_becomes("HOP"), _has("TUMBLE"), _of(_count_note, _min_m2)),
    _query(TVF, "tumble-to-cumulate", WRONG, _window_becomes("CUMULATE"), _has("TUMBLE")),
    _query(TVF, "tumble-to-session", STOPS, to_session, _has("TUMBLE"), _by("k1")),
    _query(TVF, "to-legacy", STOPS, grouped.to_legacy, _has("TUMBLE")),
    _query(LEGACY, "tumble-to-hop", (LOST, WRONG), _window_becomes("HOP"), _has("TUMBLE")),
    _query(LEGACY, "tumble-to-session", STOPS, to_session, _has("TUMBLE")),
    _query(LEGACY, "to-tvf", STOPS, grouped.to_tvf, _has("TUMBLE")),
    _job(TVF, "watermark", EXACT, on_table(change_delay), _alone),
    _query(W, "rank-number-dropped", EXACT, ranked.toggle_number, ranked.over_rows, numbered),
    _query(W, "another-direction", (WRONG, LOST), ranked.turn_order, ranked.over_rows),
    _query(W, "column-added", STOPS, ranked.add_shown, ranked.over_rows),
    _query(W, "column-removed", STOPS, ranked.remove_shown, ranked.over_rows),
    _query(W, "key-removed", STOPS, ranked.remove_partition_key, ranked.over_rows, ranked.two_partition_keys),
    _query(T, "rank-number-dropped", EXACT, ranked.toggle_number, numbered, told_apart_by_time),
    _query(T, "output-reordered", EXACT, ranked.reorder_output),
    _query(D, "column-added", STOPS, ranked.add_shown, last_rows),
    _query(D, "key-added", STOPS, ranked.add_partition_key, last_rows),
    _query(WD, "another-direction", WRONG, ranked.turn_order),
    _query(WD, "another-size", WRONG, below.other_size, _FIXED),
    _query(WD, "column-added", STOPS, ranked.add_shown),
    _query(O, "count-beside-sum", EXACT, count_beside_sum, sums_only, by_rowtime),
    _query(O, "another-sum", STOPS, another_sum, sums_only, by_rowtime),
    _query(O, "more-rows", WRONG, more_rows, rows_of(3), by_rowtime),
    _query(O, "column-added", STOPS, overs.add_column, by_rowtime),
    _query(R, "inner-of-left", STOPS, left_to_inner, joined.without_filters),
    _query(R, "column-added", STOPS, joined.add_column),
    _query(R, "column-removed", STOPS, joined.remove_column),
    _query(I, "column-added", STOPS, joined.add_column),
    _query(WJ, "column-added", STOPS, joined.add_column),
    _query(WJ, "another-size", WRONG, below.other_size, _FIXED),
)  # fmt: skip
