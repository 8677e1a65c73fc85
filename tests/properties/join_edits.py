"""Edits of joins: sections 10 and 11 of the specification."""

from __future__ import annotations

from dataclasses import replace

from clauses import Condition
from edits import COMPATIBLE, INCOMPATIBLE, UNKNOWN, Edit, edit, prepared
from generated_jobs import Job
from joins import Join, with_window
from spelling import Chance
from tables import Computed

Changed = tuple[Join, Join]
IGNORE_FILTER = "table.optimizer.state-compatibility.ignore-filter"
TRY_RESOLVE = ("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE")


def inner(query: Join, chance: Chance) -> Join:
    return replace(query, type="JOIN")


def change_type(query: Join, chance: Chance) -> Changed:
    other = "LEFT JOIN" if query.type == "JOIN" else "JOIN"
    return replace(query, type_touched=True), replace(query, type=other, type_touched=True)


def without_filters(query: Join, chance: Chance) -> Join:
    return replace(query, filters=())


def change_equality(query: Join, chance: Chance) -> Changed:
    (on,) = query.on
    left = query.domain.k2 if on.left.endswith(query.domain.k1) else query.domain.m2
    return query, replace(query, on=(replace(on, left=f"@l__{left}", touched=True),))


def add_equality(query: Join, chance: Chance) -> Changed:
    right = "label" if query.right.table.rowtime in ("valid_from", "") else query.domain.k2
    new = Condition(f"@l__{query.domain.k2}", "=", f"@r__{right}", touched=True)
    return query, replace(query, on=(*query.on, new))


def add_filter(query: Join, chance: Chance) -> Changed:
    """On a column that the join carries anyway, so that its rows stay."""
    new = Condition(f"@l__{query.domain.note}", "<>", "'unwanted'", touched=True)
    return query, replace(query, filters=(*query.filters, new))


def with_filter(query: Join, chance: Chance) -> Join:
    return add_filter(query, chance)[1]


def change_filter(query: Join, chance: Chance) -> Changed:
    *rest, old = query.filters
    return query, replace(query, filters=(*rest, replace(old, right="'another'")))


def any_type(query: Join, chance: Chance) -> Changed:
    """Of all kinds of joins to any other one."""
    types = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
    before = replace(query, type=chance.pick(*types), type_touched=True)
    return before, replace(before, type=chance.pick(*(one for one in types if one != before.type)))


def compute_join_key(query: Join, chance: Chance) -> Changed:
    """The left column of the equality, computed in a layer below."""
    name = query.on[0].left.removeprefix("@l__")
    expression = f"@{name} + 1" if name == query.domain.id else f"TRIM(@{name})"
    return query, replace(query, left=replace(query.left, computed=(Computed(name, expression),)))


def by_processing_time(query: Join, chance: Chance) -> Changed:
    return query, replace(query, time=query.domain.proctime, time_touched=True)


def shows_note(query: Join, chance: Chance) -> Join:
    name = f"l__{query.domain.note}"
    return query if name in query.shown else replace(query, shown=(name, *query.shown))


def remove_filter(query: Join, chance: Chance) -> Changed:
    after, before = add_filter(query, chance)
    return before, after


def add_column(query: Join, chance: Chance) -> Changed:
    name = f"l__{query.domain.entered}"
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


def one_right_column(query: Join, chance: Chance) -> Join:
    left = [name for name in query.shown if name.startswith("l__")]
    return replace(query, shown=(*left, next(name for name in query.shown if name.startswith("r__"))))


def add_right_column(query: Join, chance: Chance) -> Changed:
    """One that the join does not carry yet."""
    own = [column.name for column in query.right.table.columns]
    free = [name for name in own if f"r__{name}" not in query.shown and name != query.right.table.rowtime]
    used = " ".join(f"{one.left} {one.right}" for one in (*query.on, *query.filters))
    name = f"r__{chance.pick(*(one for one in free if f'@r__{one}' not in used))}"
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


def remove_column(query: Join, chance: Chance) -> Changed:
    after, before = add_column(query, chance)
    return before, after


def change_lower(query: Join, chance: Chance) -> Changed:
    return query, replace(query, lower=query.lower + 120, interval_touched=True)


def change_upper(query: Join, chance: Chance) -> Changed:
    return query, replace(query, upper=query.upper * 2, interval_touched=True)


def change_window_size(query: Join, chance: Chance) -> Changed:
    assert query.window is not None
    return query, with_window(query, query.window.change("size", size=query.window.size * 2))


def change_window_kind(query: Join, chance: Chance) -> Changed:
    window = query.window
    assert window is not None
    kind = chance.pick(*(kind for kind in ("TUMBLE", "HOP", "CUMULATE") if kind != window.kind))
    slide = {"HOP": window.size // 2, "CUMULATE": window.size // 4}.get(kind, 0)
    return query, with_window(query, window.change("kind", kind=kind, slide=slide))


def _ignoring(edit_: Edit) -> Edit:
    def prepare(job: Job, chance: Chance) -> Job:
        return edit_.prepare(job, chance).set(IGNORE_FILTER, "true")

    return replace(edit_, prepare=prepare)


def _join(kind: str, ids: tuple[str, str, str]) -> list[Edit]:
    type_, condition, row = ids
    return [
        edit(type_, kind, INCOMPATIBLE, change_type, part="type"),
        edit(condition, kind, INCOMPATIBLE, change_equality, part="condition"),
        edit(row, kind, INCOMPATIBLE, add_column, part="output"),
        edit(row, kind, INCOMPATIBLE, remove_column, part="output"),
    ]


def lookup_made_stateful() -> Edit:
    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        before, after = add_right_column(job.query, chance)
        kept = job.set(*TRY_RESOLVE, touched=True)
        return kept.with_query(before), kept.with_query(after)

    return Edit(
        "lookup-with-try-resolve", "JL-03", "lookup-join", UNKNOWN, change, prepared(one_right_column), "output"
    )


def asynchronous(query: Join, chance: Chance) -> Join:
    return replace(query, right=replace(query.right, table=query.right.table.with_option("async", "true")))


def ask_asynchronously(query: Join, chance: Chance) -> Changed:
    return query, asynchronous(query, chance)


R, I, T, L, W = "regular-join", "interval-join", "temporal-join", "lookup-join", "window-join"  # noqa: E741
ALL = (
    *_join(R, ("JR-01", "JR-02", "JR-03")),
    edit("JR-02", R, INCOMPATIBLE, add_equality, part="condition"),
    edit("JR-03", R, INCOMPATIBLE, add_right_column, one_right_column, part="output"),
    edit("JR-05", R, INCOMPATIBLE, add_filter, inner, shows_note, part="filter", item="filter"),
    edit("JR-05", R, INCOMPATIBLE, remove_filter, inner, shows_note, part="filter", item="filter"),
    _ignoring(edit("JR-04", R, COMPATIBLE, add_filter, inner, shows_note, part="filter", item="filter")),
    _ignoring(edit("JR-04", R, COMPATIBLE, remove_filter, inner, shows_note, part="filter", item="filter")),
    edit("JR-01", R, INCOMPATIBLE, any_type, without_filters, part="type"),
    edit("JR-02", R, INCOMPATIBLE, compute_join_key, part="condition", indirect=True),
    edit("JR-05", R, INCOMPATIBLE, change_filter, inner, shows_note, with_filter, part="filter", item="filter"),
    _ignoring(edit("JR-04", R, COMPATIBLE, change_filter, inner, shows_note, with_filter, part="filter",
                   item="filter")),
    *_join(I, ("JI-01", "JI-02", "JI-04")),
    edit("JI-02", I, INCOMPATIBLE, add_equality, part="condition"),
    edit("JI-03", I, INCOMPATIBLE, change_lower, part="interval"),
    edit("JI-03", I, INCOMPATIBLE, change_upper, part="interval"),
    edit("JI-04", I, INCOMPATIBLE, add_right_column, one_right_column, part="output"),
    edit("JI-02", I, INCOMPATIBLE, add_filter, inner, shows_note, part="filter", item="filter"),
    edit("JI-02", I, INCOMPATIBLE, change_filter, inner, shows_note, with_filter, part="filter", item="filter"),
    edit("JI-02", I, INCOMPATIBLE, compute_join_key, part="condition", indirect=True),
    _ignoring(edit("JI-06", I, COMPATIBLE, add_filter, inner, shows_note, part="filter", item="filter")),
    _ignoring(edit("JI-06", I, COMPATIBLE, change_filter, inner, shows_note, with_filter, part="filter",
                   item="filter")),
    *_join(T, ("JT-01", "JT-02", "JT-03")),
    edit("JT-02", T, INCOMPATIBLE, add_filter, shows_note, part="filter"),
    edit("JT-02", T, INCOMPATIBLE, compute_join_key, part="condition", indirect=True),
    edit("JT-02", T, INCOMPATIBLE, by_processing_time, part="time"),
    edit("JT-03", T, INCOMPATIBLE, add_right_column, one_right_column, part="output"),
    edit("JL-01", L, COMPATIBLE, change_type, part="type"),
    edit("JL-01", L, COMPATIBLE, change_equality, part="condition"),
    edit("JL-01", L, COMPATIBLE, add_column, part="output"),
    edit("JL-01", L, COMPATIBLE, add_right_column, one_right_column, part="output"),
    lookup_made_stateful(),
    edit("JL-03", L, UNKNOWN, add_right_column, one_right_column, asynchronous, part="output",
         name="add-column-while-asynchronous"),
    edit("JL-03", L, UNKNOWN, ask_asynchronously, part="surroundings"),
    edit("JL-01", L, COMPATIBLE, compute_join_key, part="condition"),
    edit("WJ-01", W, INCOMPATIBLE, add_equality, part="condition"),
    edit("WJ-01", W, INCOMPATIBLE, compute_join_key, part="condition", indirect=True),
    *_join(W, ("WJ-01-type", "WJ-01-condition", "WJ-01-row")),
    edit("WJ-01", W, INCOMPATIBLE, change_window_size, part="window"),
    edit("WJ-01", W, INCOMPATIBLE, change_window_kind, part="window"),
)  # fmt: skip
