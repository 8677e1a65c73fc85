"""Edits of the keys and of the window of an aggregation."""

from __future__ import annotations

from dataclasses import replace

from aggregations import (
    LEGACY,
    WINDOW_FIELDS,
    Aggregation,
    Changed,
)
from clauses import Key
from prepared_aggregations import (
    no_session,
)
from spelling import Chance, columns_of
from tables import Computed


def add_key(query: Aggregation, chance: Chance) -> Changed:
    new = Key(chance.pick(f"@{query.domain.note}", f"LOWER(@{query.domain.note})")).touch()
    at = chance.pick(*range(len(query.keys) + 1))
    return query, replace(query, keys=(*query.keys[:at], new, *query.keys[at:]))


def remove_key(query: Aggregation, chance: Chance) -> Changed:
    at = chance.pick(*(index for index, key in enumerate(query.keys) if not key.window_field))
    before = replace(query, keys=(*query.keys[:at], query.keys[at].touch(), *query.keys[at + 1 :]), keys_touched=True)
    return before, replace(query, keys=(*query.keys[:at], *query.keys[at + 1 :]), keys_touched=True)


def modify_key(query: Aggregation, chance: Chance) -> Changed:
    at = chance.pick(*(index for index, key in enumerate(query.keys) if not key.window_field))
    expression = chance.pick(f"@{query.domain.note}", f"TRIM(@{columns_of(query.keys[at].expression)[0]})")
    new = Key(expression).touch()
    return query, replace(query, keys=(*query.keys[:at], new, *query.keys[at + 1 :]))


def compute_key(query: Aggregation, chance: Chance) -> Changed:
    name = chance.pick(*(columns_of(key.expression)[0] for key in query.plain_keys))
    computed = Computed(name, chance.pick(f"TRIM(@{name})", f"COALESCE(@{name}, '-')"))
    query = replace(query, where=tuple(one for one in query.where if f"@{name}" not in one.left))
    return query, replace(query, feed=replace(query.feed, computed=(*query.feed.computed, computed)))


def swap_keys(query: Aggregation, chance: Chance) -> Changed:
    first, second = [index for index, key in enumerate(query.keys) if not key.window_field][:2]
    keys = list(query.keys)
    keys[first], keys[second] = keys[second], keys[first]
    return query, replace(query, keys=tuple(keys), keys_touched=True)


def move_window_keys(query: Aggregation, chance: Chance) -> Changed:
    plain = query.plain_keys
    fields = [key for key in query.keys if key.window_field]
    if len(fields) > 1 and chance.flip():
        fields.reverse()
    return query, replace(query, keys=(*fields, *plain) if query.keys[0] in plain else (*plain, *fields))


def change_window_fields(query: Aggregation, chance: Chance) -> Changed:
    options = [shown for shown in ((), ("window_start",), ("window_end",), WINDOW_FIELDS) if shown != query.shown]
    if not query.aggregates:
        options = [shown for shown in options if shown or query.plain_keys]
    return query, replace(query, shown=chance.pick(*options))


def change_window_kind(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    kinds = ("TUMBLE", "HOP", "SESSION") if query.kind == LEGACY else ("TUMBLE", "HOP", "CUMULATE")
    kind = chance.pick(*(kind for kind in kinds if kind != window.kind))
    slide = {"HOP": window.size // 2, "CUMULATE": window.size // 4}.get(kind, 0)
    return query, replace(query, window=window.change("kind", kind=kind, slide=slide, partition=()))


def change_window_size(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    slide = window.slide
    size = window.size * chance.pick(2, 3)
    return query, replace(query, window=window.change("size", size=size, slide=slide))


def change_slide(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    return query, replace(query, window=window.change("slide", slide=window.slide // chance.pick(2, 3)))


def add_offset(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    return query, replace(query, window=window.change("offset", offset=chance.pick(7, 11)))


def change_time(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    return query, replace(query, window=window.change("time", time=query.domain.proctime))


def change_session_partition(query: Aggregation, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    return query, replace(query, window=window.change("partition", partition=window.partition[:1]))


def drop_window_field_key(query: Aggregation, chance: Chance) -> Changed:
    gone = chance.pick(*WINDOW_FIELDS)
    before = replace(query, keys=tuple(key.touch() if key.expression == gone else key for key in query.keys))
    after = tuple(key for key in query.keys if key.expression != gone)
    return replace(before, keys_touched=True), replace(query, keys=after, keys_touched=True)


def add_window_field_key(query: Aggregation, chance: Chance) -> Changed:
    after, before = drop_window_field_key(query, chance)
    return before, after


def nothing_shown(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(no_session(query, chance), shown=())
