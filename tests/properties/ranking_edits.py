"""Edits of rankings: sections 4, 8, 9 and 10 of the specification."""

from __future__ import annotations

from dataclasses import replace

import aggregation_edits as inner
import call_edits
import grouping_edits
import open_feature_edits
from aggregations import WINDOW_FIELDS, Aggregation, calls_of
from clauses import Condition, Key, Order
from edits import COMPATIBLE, INCOMPATIBLE, UNKNOWN, Edit, OnQuery, edit
from keepstate.report import Verdict
from prepared_aggregations import two_aggregates, two_keys, unused_calls
from rankings import Ranking, window_top_n
from spelling import Chance
from tables import Computed

Changed = tuple[Ranking, Ranking]


# ---- what a query needs for an edit


def over_aggregation(query: Ranking, chance: Chance) -> Ranking:
    """A Window Top-N whose input is an aggregation."""
    while query.below is None:
        query = window_top_n(chance)
    return query


def over_rows(query: Ranking, chance: Chance) -> Ranking:
    while query.window is None:
        query = window_top_n(chance)
    return query


def two_partition_keys(query: Ranking, chance: Chance) -> Ranking:
    plain = [key for key in query.partition if not key.window_field]
    return query if len(plain) > 1 else replace(query, partition=(*query.partition, _another_key(query)))


def _another_key(query: Ranking) -> Key:
    taken = {key.expression for key in query.partition}
    if query.below is not None:
        roles = [f"@key{index}" for index in range(len(query.below.plain_keys))] + ["@aggregate0"]
        return Key(next(role for role in roles if role not in taken))
    names = [query.domain.k2, query.domain.k1, query.domain.m2, query.domain.note]
    return Key(next(f"@{name}" for name in names if f"@{name}" not in taken))


# ---- partition, order, range


def reorder_partition(query: Ranking, chance: Chance) -> Changed:
    return query, replace(query, partition=tuple(reversed(query.partition)))


def add_partition_key(query: Ranking, chance: Chance) -> Changed:
    new = _another_key(query).touch()
    return query, replace(query, partition=(*query.partition, new), partition_touched=True)


def remove_partition_key(query: Ranking, chance: Chance) -> Changed:
    at = chance.pick(*(index for index, key in enumerate(query.partition) if not key.window_field))
    keys = query.partition
    before = replace(query, partition=(*keys[:at], keys[at].touch(), *keys[at + 1 :]), partition_touched=True)
    return before, replace(query, partition=(*keys[:at], *keys[at + 1 :]), partition_touched=True)


def modify_partition_key(query: Ranking, chance: Chance) -> Changed:
    at = chance.pick(*(index for index, key in enumerate(query.partition) if not key.window_field))
    keys = query.partition
    text = keys[at].expression
    new = Key(f"CHAR_LENGTH(CAST({text} AS STRING))", True)
    return query, replace(query, partition=(*keys[:at], new, *keys[at + 1 :]))


def compute_partition_key(query: Ranking, chance: Chance) -> Changed:
    name = query.domain.k1
    computed = Computed(name, f"TRIM(@{name})")
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def by_k1(query: Ranking, chance: Chance) -> Ranking:
    key = Key(f"@{query.domain.k1}")
    return query if key in query.partition else replace(query, partition=(*query.partition, key))


def turn_order(query: Ranking, chance: Chance) -> Changed:
    first, *rest = query.order
    new = replace(first, descending=not first.descending, touched=True)
    return query, replace(query, order=(new, *rest), order_touched=True)


def change_order_column(query: Ranking, chance: Chance) -> Changed:
    first, *rest = query.order
    column = "@key0" if query.below is not None else f"@{query.domain.m2}"
    return query, replace(query, order=(replace(first, expression=column, touched=True), *rest), order_touched=True)


def add_order_column(query: Ranking, chance: Chance) -> Changed:
    column = "@key0" if query.below is not None else f"@{query.domain.m2}"
    return query, replace(query, order=(*query.order, Order(column, True, True)), order_touched=True)


def shows_m2(query: Ranking, chance: Chance) -> Ranking:
    """The other order column is in the row already."""
    names = {*query.shown, query.domain.m2}
    if query.below is not None:
        return query
    shown = tuple(column.name for column in query.feed.table.columns if column.name in names)
    return replace(query, shown=(*shown, *(name for name in query.shown if name.startswith("window"))))


def compute_order(query: Ranking, chance: Chance) -> Changed:
    computed = Computed(query.domain.m1, f"@{query.domain.m1} - @{query.domain.m2}")
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def change_bound(query: Ranking, chance: Chance) -> Changed:
    bound = chance.pick(query.bound + 2, query.bound * 4 + 1)
    return replace(query, bound_touched=True), replace(query, bound=bound, bound_touched=True)


# ---- the row


def add_shown(query: Ranking, chance: Chance) -> Changed:
    name = query.domain.entered
    return query, replace(query, shown=_in_order(query, {*query.shown, name}), shown_touched=(name,))


def remove_shown(query: Ranking, chance: Chance) -> Changed:
    after, before = add_shown(query, chance)
    return before, after


def _in_order(query: Ranking, names: set[str]) -> tuple[str, ...]:
    columns = tuple(column.name for column in query.feed.table.columns if column.name in names)
    return (*columns, *(name for name in query.shown if name.startswith("window")))


def compute_shown(query: Ranking, chance: Chance) -> Changed:
    """A column that is in the output only, of the same type as before."""
    computed = Computed(query.domain.note, f"TRIM(@{query.domain.note})")
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def compute_shown_of_another_type(query: Ranking, chance: Chance) -> Changed:
    computed = Computed(query.domain.note, f"CHAR_LENGTH(@{query.domain.note})", type="INT")
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def shows_note(query: Ranking, chance: Chance) -> Ranking:
    return replace(query, shown=_in_order(query, {*query.shown, query.domain.note}))


def toggle_number(query: Ranking, chance: Chance) -> Changed:
    return query, replace(query, number=not query.number)


def toggle_window_field(query: Ranking, chance: Chance) -> Changed:
    name = chance.pick(*WINDOW_FIELDS)
    rest = tuple(one for one in query.shown if one != name)
    return query, replace(query, shown=rest if name in query.shown else (*rest, name))


def drop_partition_key_from_output(query: Ranking, chance: Chance) -> Changed:
    """The ranking reads it anyway (C-22)."""
    return query, replace(query, shown=tuple(name for name in query.shown if name != query.domain.k1))


def reorder_output(query: Ranking, chance: Chance) -> Changed:
    """The order of the outermost list is no order of the rows."""
    return query, replace(query, shown=tuple(reversed(query.shown)))


# ---- windows below


def change_window_size(query: Ranking, chance: Chance) -> Changed:
    if query.below is not None:
        return _below(grouping_edits.change_window_size)(query, chance)
    assert query.window is not None
    return query, replace(query, window=query.window.change("size", size=query.window.size * 2))


def change_window_kind(query: Ranking, chance: Chance) -> Changed:
    if query.below is not None:
        return _below(grouping_edits.change_window_kind)(query, chance)
    window = query.window
    assert window is not None
    kind = chance.pick(*(kind for kind in ("TUMBLE", "HOP", "CUMULATE") if kind != window.kind))
    slide = {"HOP": window.size // 2, "CUMULATE": window.size // 4}.get(kind, 0)
    return query, replace(query, window=window.change("kind", kind=kind, slide=slide))


def _below(change: OnQuery) -> OnQuery:
    def apply(query: Ranking, chance: Chance) -> Changed:
        before, after = change(query.below, chance)
        return _over(query, before, query), _over(query, after, query)

    apply.__name__ = change.__name__
    return apply


def _over(query: Ranking, below: Aggregation, other: Ranking) -> Ranking:
    """The ranking over a changed aggregation; the output follows as far as its columns are there."""
    aggregates = [f"aggregate{index}" for index in range(len(below.aggregates))]
    keys = [f"key{index}" for index in range(len(below.plain_keys))]
    fields = [name for name in query.shown if name.startswith("window")]
    return replace(other, below=below, shown=(*keys, *aggregates, *fields))


def _on_below(prepare: OnQuery) -> object:
    def apply(query: Ranking, chance: Chance) -> Ranking:
        query = over_aggregation(query, chance)
        # The partition must outlive every edit of the keys.
        fields = tuple(key for key in query.partition if key.window_field)
        query = replace(query, partition=fields)
        below = prepare(query.below, chance)
        return _over(query, below, query)

    return apply


def _add_last(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    new = chance.pick(*unused_calls(query)).touch()
    return query, replace(query, aggregates=(*query.aggregates, new))


def _remove_last(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    last = len(query.aggregates) - 1
    return call_edits.touch_aggregates(query, last), replace(query, aggregates=query.aggregates[:-1])


def _modify_last(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    new = call_edits.modified_call(query.aggregates[-1], query, chance)
    before = call_edits.touch_aggregates(query, len(query.aggregates) - 1)
    return before, replace(query, aggregates=(*query.aggregates[:-1], new))


def _swap_last(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    first, *rest = query.aggregates
    swapped = (first, *(call.touch() for call in reversed(rest)))
    return call_edits.touch_aggregates(query), replace(query, aggregates=swapped)


def _window_keys_moved(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    before, after = grouping_edits.move_window_keys(query, chance)
    return before, replace(after, keys_touched=True)


def _keep(query: Aggregation, chance: Chance) -> Aggregation:
    return query


def _three(query: Aggregation, chance: Chance) -> Aggregation:
    calls = calls_of(query.domain)
    return replace(query, aggregates=calls[:3])


W = "window-top-n"


def _inner(
    spec: str, verdict: Verdict, change: OnQuery, prepare: OnQuery = _keep, part: str = "below", **more: object
) -> Edit:  # fmt: skip
    name = f"inner-{change.__name__.strip('_').replace('_', '-')}"
    steps = _on_below(prepare)
    return edit(spec, W, verdict, _below(change), steps, part=part, name=name, shape="below", **more)


WINDOW_TOP_N_EDITS = [
    edit("WTN-01", W, COMPATIBLE, toggle_window_field, part="output"),
    edit("WTN-02", W, COMPATIBLE, toggle_number, part="output"),
    edit("WTN-03", W, COMPATIBLE, reorder_partition, part="partition"),
    edit("WTN-04", W, INCOMPATIBLE, change_window_size, part="window"),
    edit("WTN-04", W, INCOMPATIBLE, change_window_kind, part="window"),
    edit("WTN-06", W, INCOMPATIBLE, add_shown, over_rows, part="output", shape="rows"),
    edit("WTN-06", W, INCOMPATIBLE, remove_shown, over_rows, part="output", shape="rows"),
    edit("WTN-07", W, INCOMPATIBLE, add_partition_key, over_rows, part="partition", shape="rows"),
    edit("WTN-07", W, INCOMPATIBLE, remove_partition_key, two_partition_keys, part="partition"),
    edit("WTN-07", W, INCOMPATIBLE, modify_partition_key, two_partition_keys, part="partition"),
    edit("WTN-07", W, INCOMPATIBLE, compute_partition_key, over_rows, by_k1, part="partition", shape="rows",
         indirect=True),
    edit("WTN-08", W, INCOMPATIBLE, turn_order, part="order"),
    edit("WTN-08", W, INCOMPATIBLE, change_order_column, shows_m2, part="order"),
    edit("WTN-08", W, INCOMPATIBLE, add_order_column, shows_m2, part="order"),
    edit("WTN-08", W, INCOMPATIBLE, compute_order, over_rows, part="order", shape="rows", indirect=True),
    edit("WTN-09", W, INCOMPATIBLE, change_bound, part="bound"),
    _inner("WTN-05", INCOMPATIBLE, grouping_edits.add_key),
    _inner("WTN-05", INCOMPATIBLE, grouping_edits.remove_key, two_keys),
    _inner("WTN-05", INCOMPATIBLE, grouping_edits.modify_key),
    _inner("WTN-05", INCOMPATIBLE, grouping_edits.compute_key, indirect=True),
    _inner("WTN-06", INCOMPATIBLE, _add_last),
    _inner("WTN-06", INCOMPATIBLE, _remove_last, two_aggregates),
    _inner("WTN-06", INCOMPATIBLE, _modify_last, two_aggregates),
    _inner("WTN-06", INCOMPATIBLE, _swap_last, _three),
    _inner("WTN-06", INCOMPATIBLE, call_edits.add_distinct),
    _inner("WTN-06", INCOMPATIBLE, call_edits.compute_argument, call_edits.reads_m1_and_more, indirect=True),
    _inner("WTN-10", INCOMPATIBLE, _window_keys_moved),
    _inner("WTN-11", INCOMPATIBLE, grouping_edits.swap_keys, two_keys),
    _inner("WTN-13", UNKNOWN, open_feature_edits.add_window_filter, opens=True),
    _inner("WTN-13", UNKNOWN, open_feature_edits.add_table_function, sticky=True),
    _inner("WTN-13", UNKNOWN, open_feature_edits.add_python_aggregate, sticky=True),
    # It is a column more in the ranked rows, which is a certain loss.
    _inner("WTN-06", INCOMPATIBLE, open_feature_edits.add_window_aggregate),
    _inner("WH-01", INCOMPATIBLE, inner.add_filter, item="filter"),
]  # fmt: skip

T = "top-n"
TOP_N_EDITS = [
    edit("TN-01", T, COMPATIBLE, reorder_partition, two_partition_keys, part="partition"),
    edit("TN-02", T, COMPATIBLE, toggle_number, part="output"),
    edit("TN-04", T, INCOMPATIBLE, add_partition_key, part="partition"),
    edit("TN-04", T, INCOMPATIBLE, remove_partition_key, two_partition_keys, part="partition"),
    edit("TN-04", T, INCOMPATIBLE, modify_partition_key, part="partition"),
    edit("TN-04", T, INCOMPATIBLE, compute_partition_key, by_k1, part="partition", indirect=True),
    edit("TN-05", T, INCOMPATIBLE, turn_order, part="order"),
    edit("TN-05", T, INCOMPATIBLE, change_order_column, shows_m2, part="order"),
    edit("TN-05", T, INCOMPATIBLE, add_order_column, shows_m2, part="order"),
    edit("TN-05", T, INCOMPATIBLE, compute_order, part="order", indirect=True),
    edit("TN-06", T, INCOMPATIBLE, change_bound, part="bound"),
    edit("TN-07", T, INCOMPATIBLE, add_shown, part="output"),
    edit("TN-07", T, INCOMPATIBLE, remove_shown, part="output"),
    edit("C-22", T, COMPATIBLE, drop_partition_key_from_output, by_k1, part="output"),
    edit("C-22", T, COMPATIBLE, reorder_output, part="output"),
]


G = "top-n-of-groups"


def keys_only_below(query: Ranking, chance: Chance) -> Ranking:
    """No partition key, so that any group key may go."""
    return replace(query, partition=())


def _grouped(
    spec: str, verdict: Verdict, change: OnQuery, prepare: OnQuery = _keep, indirect: bool = False, item: str = ""
) -> Edit:  # fmt: skip
    name = f"inner-{change.__name__.strip('_').replace('_', '-')}"

    def prepared(query: Ranking, chance: Chance) -> Ranking:
        query = keys_only_below(query, chance)
        return _over(query, prepare(query.below, chance), query)

    return edit(spec, G, verdict, _below(change), prepared, part="below", name=name, indirect=indirect, item=item)


GROUPED_EDITS = [
    edit("TN-01", G, COMPATIBLE, reorder_partition, two_partition_keys, part="partition"),
    edit("TN-02", G, COMPATIBLE, toggle_number, part="output"),
    edit("TN-05", G, INCOMPATIBLE, turn_order, part="order"),
    edit("TN-06", G, INCOMPATIBLE, change_bound, part="bound"),
    _grouped("TN-07", INCOMPATIBLE, _add_last),
    _grouped("TN-07", INCOMPATIBLE, _remove_last, two_aggregates),
    _grouped("TN-07", INCOMPATIBLE, _modify_last, two_aggregates),
    _grouped("TN-03", INCOMPATIBLE, grouping_edits.add_key),
    _grouped("TN-03", INCOMPATIBLE, grouping_edits.remove_key, two_keys),
    _grouped("TN-03", INCOMPATIBLE, grouping_edits.modify_key),
    _grouped("TN-07", INCOMPATIBLE, call_edits.compute_argument, call_edits.reads_m1_and_more, indirect=True),
    _grouped("WH-01", INCOMPATIBLE, inner.add_filter, item="filter"),
]


def _deduplication(kind: str) -> list[Edit]:
    rows_stored = kind != "dedup-proctime-asc"
    schema = INCOMPATIBLE if rows_stored else COMPATIBLE
    spec = "DD-02" if rows_stored else "DD-01"
    same_row = "DD-03" if rows_stored else "DD-01"
    return [
        edit(spec, kind, schema, add_shown, part="output"),
        edit(spec, kind, schema, remove_shown, part="output"),
        edit(same_row, kind, COMPATIBLE, compute_shown, shows_note, part="output"),
        edit(spec, kind, schema, compute_shown_of_another_type, shows_note, part="output", indirect=True),
        edit("DD-04", kind, COMPATIBLE, reorder_partition, two_partition_keys, part="partition"),
        edit("DD-05", kind, INCOMPATIBLE, add_partition_key, part="partition"),
        edit("DD-05", kind, INCOMPATIBLE, remove_partition_key, two_partition_keys, part="partition"),
        edit("DD-05", kind, INCOMPATIBLE, modify_partition_key, part="partition"),
        edit("DD-05", kind, INCOMPATIBLE, compute_partition_key, by_k1, part="partition", indirect=True),
        edit("DD-06", kind, INCOMPATIBLE, turn_order, part="order"),
        edit("DD-06", kind, INCOMPATIBLE, change_time, part="order"),
        edit("DD-07", kind, INCOMPATIBLE, change_bound, part="bound"),
        edit("WH-01", kind, INCOMPATIBLE, add_filter, part="filter", item="filter"),
    ]


def change_time(query: Ranking, chance: Chance) -> Changed:
    (order,) = query.order
    time = query.domain.proctime if order.expression == f"@{query.domain.rowtime}" else query.domain.rowtime
    return query, replace(query, order=(replace(order, expression=f"@{time}", touched=True),), order_touched=True)


def add_filter(query: Ranking, chance: Chance) -> Changed:
    new = Condition(f"@{query.domain.note}", "=", "'wanted'", touched=True)
    return query, replace(query, feed=replace(query.feed, where=(new,)))


D = "window-dedup"
WINDOW_DEDUPLICATION_EDITS = [
    edit("WD-01", D, INCOMPATIBLE, add_partition_key, part="partition"),
    edit("WD-01", D, INCOMPATIBLE, remove_partition_key, two_partition_keys, part="partition"),
    edit("WD-01", D, INCOMPATIBLE, modify_partition_key, part="partition"),
    edit("WD-01", D, INCOMPATIBLE, turn_order, part="order"),
    edit("WD-01", D, INCOMPATIBLE, change_window_size, part="window"),
    edit("WD-01", D, INCOMPATIBLE, change_window_kind, part="window"),
    edit("WD-01", D, INCOMPATIBLE, change_bound, part="bound"),
    edit("WD-01", D, INCOMPATIBLE, add_shown, part="output"),
    edit("WD-01", D, INCOMPATIBLE, remove_shown, part="output"),
    edit("WD-01", D, INCOMPATIBLE, compute_partition_key, by_k1, part="partition", indirect=True),
    edit("WD-02", D, COMPATIBLE, reorder_partition, part="partition"),
    edit("WH-01", D, INCOMPATIBLE, add_filter, part="filter", item="filter"),
]
ALL = (
    *WINDOW_TOP_N_EDITS,
    *TOP_N_EDITS,
    *GROUPED_EDITS,
    *_deduplication("dedup-proctime-asc"),
    *_deduplication("dedup-proctime-desc"),
    *_deduplication("dedup-rowtime"),
    *WINDOW_DEDUPLICATION_EDITS,
)
