"""Edits of aggregating queries: sections 2, 3 and 6 of the specification, and filters in front of them."""

from __future__ import annotations

from dataclasses import replace

from aggregations import (
    LEGACY,
    PLAIN_GROUPS,
    TVF,
    Aggregation,
    Changed,
)
from call_edits import (
    add_aggregate,
    add_and_remove_aggregate,
    add_distinct,
    add_first_aggregate,
    compute_argument,
    modify_aggregate,
    modify_distinct,
    move_past_distinct,
    reads_m1_and_more,
    reads_m1_only,
    remove_aggregate,
    remove_all_aggregates,
    remove_distinct,
    reorder_aggregates,
    replace_all_aggregates,
    swap_distinct,
)
from clauses import Aggregate, Condition, Key
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, UNKNOWN, Change, Edit, edit
from generated_jobs import Job
from grouping_edits import (
    add_key,
    add_offset,
    add_window_field_key,
    change_session_partition,
    change_slide,
    change_time,
    change_window_fields,
    change_window_kind,
    change_window_size,
    compute_key,
    drop_window_field_key,
    modify_key,
    move_window_keys,
    nothing_shown,
    remove_key,
    swap_keys,
)
from open_feature_edits import (
    add_grouping_sets,
    add_python_aggregate,
    add_table_function,
    add_window_aggregate,
    add_window_computation,
    add_window_filter,
    change_grouping_sets,
    keep_python_aggregate,
    keep_table_function,
    keep_window_computation,
    keep_window_filter,
    plain_two_keys,
    remove_grouping_sets,
    remove_python_aggregate,
    remove_table_function,
    remove_window_aggregate,
    remove_window_computation,
    remove_window_filter,
)
from prepared_aggregations import (
    no_aggregates,
    no_session,
    of_kind,
    one_aggregate,
    two_aggregates,
    two_distinct,
    two_keys,
    two_session_keys,
    with_distinct,
)
from spelling import Chance

IGNORE_FILTER = "table.optimizer.state-compatibility.ignore-filter"


# ---- filters


def add_filter(query: Aggregation, chance: Chance) -> Changed:
    new = Condition(f"@{query.domain.note}", "=", "'wanted'", touched=True)
    return query, replace(query, where=(*query.where, new))


def remove_filter(query: Aggregation, chance: Chance) -> Changed:
    after, before = add_filter(query, chance)
    return before, after


def change_filter(query: Aggregation, chance: Chance) -> Changed:
    old = Condition(f"@{query.domain.note}", "=", "'wanted'", touched=True)
    new = replace(old, right="'unwanted'")
    return replace(query, where=(*query.where, old)), replace(query, where=(*query.where, new))


# ---- output and registered functions


def remove_plain(query: Aggregation, chance: Chance) -> Changed:
    """A plain aggregate goes; the distinct one beside it stays as it is."""
    at = chance.pick(*(index for index, call in enumerate(query.aggregates) if not call.distinct))
    return query, replace(query, aggregates=(*query.aggregates[:at], *query.aggregates[at + 1 :]))


def hide_key(query: Aggregation, chance: Chance) -> Changed:
    hidden = chance.pick(*(key.expression for key in query.plain_keys))
    return query, replace(query, hidden_keys=(hidden,))


def bare_two_keys(query: Aggregation, chance: Chance) -> Aggregation:
    return no_aggregates(two_keys(query, chance), chance)


def first_without_condition(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, aggregates=(Aggregate("MAX", f"@{query.domain.m2}", type="INT"),))


def add_having(query: Aggregation, chance: Chance) -> Changed:
    """On an aggregate that exists anyway: a filter behind the state."""
    return query, replace(query, having=(Condition(f"MAX(@{query.domain.m2})", ">", "1"),))


def add_having_with_aggregate(query: Aggregation, chance: Chance) -> Changed:
    return query, replace(query, having=(Condition("COUNT(*)", ">", "1", touched=True),))


def add_function_as(language: str) -> Change:
    """A user-defined aggregate that is registered in the script."""

    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        registered = replace(job, functions=(f"weighted_price 'udfs.WeightedPrice' LANGUAGE {language}",))
        before, after = add_python_aggregate(job.query, chance)
        return registered.with_query(before), registered.with_query(after)

    return change


def _registered(kind: str, spec: str) -> list[Edit]:
    same = {"part": "surroundings"}
    return [
        Edit("add-java-function", "C-14", kind, PARTIAL, add_function_as("JAVA"), **same),
        Edit("add-python-function", spec, kind, UNKNOWN, add_function_as("PYTHON"), **same),
        edit("EQ-06", kind, COMPATIBLE, add_having, first_without_condition, part="aggregates"),
        edit(
            "EQ-06",
            kind,
            PARTIAL,
            add_having_with_aggregate,
            first_without_condition,
            part="aggregates",
            item="aggregates",
        ),
    ]


def of_one_input(query: Aggregation, chance: Chance) -> Aggregation:
    """No union: the planner moves a filter into its inputs below a group window only, and so that moves as well."""
    return replace(query, feed=replace(query.feed, others=()))


def to_tvf(query: Aggregation, chance: Chance) -> Changed:
    """The same window in the other syntax."""
    assert query.window is not None
    keys = [
        one
        for key in query.keys
        for one in ((Key("window_start"), Key("window_end")) if key.expression == "window" else (key,))
    ]
    window = replace(query.window, touched=frozenset({"kind"}))
    return query, replace(query, kind=TVF, window=window, keys=tuple(keys))


def to_legacy(query: Aggregation, chance: Chance) -> Changed:
    assert query.window is not None
    window = replace(query.window, touched=frozenset({"kind"}))
    return query, replace(query, kind=LEGACY, window=window, keys=(*query.plain_keys, Key("window")))


def _ignoring(seeded: Edit) -> Edit:
    """The same where filters are no part of the check."""
    return replace(seeded, prepare=lambda job, chance: seeded.prepare(job, chance).set(IGNORE_FILTER, "true"))


def _aggregate_rows(kind: str, ids: dict[str, str]) -> list[Edit]:
    """The rules that all three kinds of aggregations share."""
    calls = {"part": "aggregates", "item": "aggregates"}
    gone = {**calls, "certain": False}
    return [
        edit(ids["add"], kind, PARTIAL, add_aggregate, **calls),
        edit(ids["remove"], kind, COMPATIBLE, remove_aggregate, two_aggregates, **calls),
        edit(ids["both"], kind, PARTIAL, add_and_remove_aggregate, two_aggregates, **calls),
        edit(ids["modify"], kind, PARTIAL, modify_aggregate, two_aggregates, **calls),
        edit(ids["reorder"], kind, COMPATIBLE, reorder_aggregates, two_aggregates, part="aggregates"),
        edit(ids["compute"], kind, PARTIAL, compute_argument, reads_m1_and_more, **calls, indirect=True),
        edit(ids["none"], kind, INCOMPATIBLE, remove_all_aggregates, **gone),
        edit(ids["replace"], kind, INCOMPATIBLE, replace_all_aggregates, **gone),
        edit(ids["only"], kind, INCOMPATIBLE, modify_aggregate, one_aggregate, name="modify-only-aggregate", **gone),
        edit(ids["only"], kind, INCOMPATIBLE, compute_argument, reads_m1_only, **gone, name="compute-only-argument",
             indirect=True),
        edit(ids["first"], kind, INCOMPATIBLE, add_first_aggregate, no_aggregates, **gone),
        edit(ids["distinct"], kind, INCOMPATIBLE, add_distinct, **calls),
        edit(ids["distinct"], kind, INCOMPATIBLE, remove_distinct, with_distinct, **calls),
        edit(ids["distinct"], kind, INCOMPATIBLE, modify_distinct, with_distinct, **calls),
        edit(ids["distinct-order"], kind, INCOMPATIBLE, swap_distinct, two_distinct, part="aggregates"),
        edit(ids["distinct-order"], kind, COMPATIBLE, move_past_distinct, with_distinct, part="aggregates"),
        edit("GWA-23", kind, COMPATIBLE, remove_plain, with_distinct, **calls),
        edit("GWA-23", kind, PARTIAL, add_aggregate, with_distinct, **calls, name="add-beside-distinct"),
        edit("GA-14", kind, COMPATIBLE, hide_key, bare_two_keys, part="surroundings"),
        edit(ids["key"], kind, INCOMPATIBLE, add_key, no_session, part="keys"),
        edit(ids["key"], kind, INCOMPATIBLE, remove_key, two_keys, part="keys"),
        edit(ids["key"], kind, INCOMPATIBLE, modify_key, no_session, part="keys"),
        edit(ids["compute-key"], kind, INCOMPATIBLE, compute_key, no_session, part="keys", indirect=True),
        edit(ids["key-order"], kind, INCOMPATIBLE, swap_keys, two_keys, part="keys"),
        edit("WH-01", kind, INCOMPATIBLE, add_filter, no_session, part="filter", item="filter"),
        edit("WH-01", kind, INCOMPATIBLE, remove_filter, no_session, part="filter", item="filter"),
        edit("WH-01", kind, INCOMPATIBLE, change_filter, no_session, part="filter", item="filter"),
        _ignoring(edit("WH-02", kind, COMPATIBLE, add_filter, no_session, part="filter", item="filter")),
        _ignoring(edit("WH-02", kind, COMPATIBLE, change_filter, no_session, part="filter", item="filter")),
    ]  # fmt: skip


_WINDOW = {"part": "window"}
_STICKY = {"part": "feature", "sticky": True}
_STICKY_CALL = {"part": "aggregates", "sticky": True}
_OPEN = {"part": "feature", "opens": True}
_OPEN_CALL = {"part": "aggregates", "opens": True}

TVF_EDITS = [
    *_aggregate_rows(TVF, {
        "add": "WTVF-01", "remove": "WTVF-02", "both": "WTVF-03", "modify": "WTVF-04", "reorder": "WTVF-05",
        "compute": "WTVF-06", "none": "WTVF-16", "replace": "WTVF-19", "only": "WTVF-18", "first": "WTVF-17",
        "distinct": "WTVF-15", "distinct-order": "C-27", "key": "WTVF-13", "compute-key": "WTVF-13",
        "key-order": "WTVF-14",
    }),
    edit("WTVF-07", TVF, COMPATIBLE, change_window_fields, part="output"),
    edit("WTVF-08", TVF, COMPATIBLE, change_window_fields, no_aggregates, part="aggregates", name="no-aggregates"),
    edit("WTVF-09", TVF, COMPATIBLE, move_window_keys, no_session, part="keys"),
    edit("WTVF-10", TVF, INCOMPATIBLE, change_window_kind, **_WINDOW),
    edit("WTVF-11", TVF, INCOMPATIBLE, change_window_size, **_WINDOW),
    edit("WTVF-12", TVF, INCOMPATIBLE, change_time, **_WINDOW),
    edit("WTVF-20", TVF, INCOMPATIBLE, add_window_computation, nothing_shown, part="feature"),
    edit("WTVF-20", TVF, INCOMPATIBLE, remove_window_computation, nothing_shown, part="feature"),
    edit("WTVF-21", TVF, INCOMPATIBLE, drop_window_field_key, nothing_shown, part="window keys"),
    edit("WTVF-21", TVF, INCOMPATIBLE, add_window_field_key, nothing_shown, part="window keys"),
    edit("WTVF-22", TVF, INCOMPATIBLE, add_grouping_sets, plain_two_keys, part="keys"),
    edit("WTVF-22", TVF, INCOMPATIBLE, remove_grouping_sets, plain_two_keys, part="keys"),
    edit("WTVF-23", TVF, UNKNOWN, keep_window_computation, nothing_shown, **_OPEN_CALL),
    edit("WTVF-24", TVF, UNKNOWN, add_window_filter, no_session, **_OPEN),
    edit("WTVF-24", TVF, UNKNOWN, remove_window_filter, no_session, **_OPEN),
    edit("WTVF-24", TVF, UNKNOWN, keep_window_filter, lambda q, c: two_aggregates(no_session(q, c), c), **_OPEN_CALL),
    edit("WTVF-25", TVF, UNKNOWN, add_table_function, no_session, **_STICKY),
    edit("WTVF-25", TVF, UNKNOWN, remove_table_function, no_session, **_STICKY),
    edit("WTVF-25", TVF, UNKNOWN, keep_table_function, no_session, **_STICKY_CALL),
    edit("WTVF-26", TVF, UNKNOWN, add_python_aggregate, **_STICKY_CALL),
    edit("WTVF-26", TVF, UNKNOWN, remove_python_aggregate, **_STICKY_CALL),
    edit("WTVF-26", TVF, UNKNOWN, keep_python_aggregate, two_aggregates, **_STICKY_CALL),
    edit("WTVF-27", TVF, UNKNOWN, add_window_aggregate, **_OPEN_CALL),
    edit("WTVF-27", TVF, UNKNOWN, remove_window_aggregate, **_OPEN_CALL),
    edit("WTVF-28", TVF, UNKNOWN, change_grouping_sets, plain_two_keys, **_OPEN),
    *_registered(TVF, "WTVF-26"),
    edit("WTVF-30", TVF, UNKNOWN, to_legacy, of_kind("TUMBLE", "HOP"), of_one_input, part="surroundings"),
    edit("WTVF-29", TVF, INCOMPATIBLE, change_slide, of_kind("HOP", "CUMULATE"), **_WINDOW),
    edit("WTVF-29", TVF, INCOMPATIBLE, add_offset, of_kind("TUMBLE", "HOP", "CUMULATE"), **_WINDOW),
    edit("WTVF-29", TVF, INCOMPATIBLE, change_window_size, of_kind("SESSION"), name="change-gap", **_WINDOW),
    edit("WTVF-29", TVF, INCOMPATIBLE, change_session_partition, two_session_keys, **_WINDOW),
]  # fmt: skip

LEGACY_EDITS = [
    *_aggregate_rows(LEGACY, {
        "add": "GWA-01", "remove": "GWA-02", "both": "GWA-03", "modify": "GWA-04", "reorder": "GWA-05",
        "compute": "GWA-06", "none": "GWA-15", "replace": "GWA-20", "only": "GWA-19", "first": "GWA-18",
        "distinct": "GWA-14", "distinct-order": "C-27", "key": "GWA-13", "compute-key": "GWA-13",
        "key-order": "GWA-17",
    }),
    edit("GWA-07", LEGACY, COMPATIBLE, change_window_fields, part="output"),
    edit("GWA-09", LEGACY, COMPATIBLE, change_window_fields, no_aggregates, part="aggregates", name="no-aggregates"),
    edit("GWA-08", LEGACY, COMPATIBLE, move_window_keys, part="keys"),
    edit("GWA-10", LEGACY, INCOMPATIBLE, change_window_kind, **_WINDOW),
    edit("GWA-11", LEGACY, INCOMPATIBLE, change_window_size, **_WINDOW),
    edit("GWA-12", LEGACY, INCOMPATIBLE, change_time, **_WINDOW),
    edit("GWA-22", LEGACY, UNKNOWN, add_python_aggregate, **_STICKY_CALL),
    edit("GWA-22", LEGACY, UNKNOWN, keep_python_aggregate, two_aggregates, **_STICKY_CALL),
    *_registered(LEGACY, "GWA-22"),
    edit("WTVF-30", LEGACY, UNKNOWN, to_tvf, of_kind("TUMBLE", "HOP"), of_one_input, part="surroundings"),
    edit("GWA-24", LEGACY, INCOMPATIBLE, change_slide, of_kind("HOP"), **_WINDOW),
    edit("GWA-24", LEGACY, INCOMPATIBLE, change_window_size, of_kind("SESSION"), name="change-gap", **_WINDOW),
]  # fmt: skip

# Of grouping sets without windows the specification has no row (NONE-08); they are taken as those over windows are.
GROUP_EDITS = [
    *_aggregate_rows(PLAIN_GROUPS, {
        "add": "GA-01", "remove": "GA-02", "both": "GA-03", "modify": "GA-04", "reorder": "GA-05",
        "compute": "GA-06", "none": "GA-11", "replace": "GA-11", "only": "GA-11", "first": "GA-11",
        "distinct": "GA-10", "distinct-order": "GA-09", "key": "GA-07", "compute-key": "GA-08",
        "key-order": "GA-12",
    }),
    *_registered(PLAIN_GROUPS, "GA-13"),
    edit("NONE-08", PLAIN_GROUPS, INCOMPATIBLE, add_grouping_sets, plain_two_keys, part="keys"),
    edit("NONE-08", PLAIN_GROUPS, INCOMPATIBLE, remove_grouping_sets, plain_two_keys, part="keys"),
    edit("NONE-08", PLAIN_GROUPS, UNKNOWN, change_grouping_sets, plain_two_keys, **_OPEN),
    edit("GA-13", PLAIN_GROUPS, UNKNOWN, add_python_aggregate, **_STICKY_CALL),
    edit("GA-13", PLAIN_GROUPS, UNKNOWN, keep_python_aggregate, two_aggregates, **_STICKY_CALL),
]  # fmt: skip


def _emit(option: str, on: bool, change: str) -> Edit:
    key = f"table.exec.emit.{option}.enabled"

    def apply(job: Job, chance: Chance) -> tuple[Job, Job]:
        if change == "add":
            return job, job.set(key, "true", touched=True)
        if change == "remove":
            return job.set(key, "true", touched=True), job
        if change == "off":
            return job, job.set(key, "false")
        before, after = remove_aggregate(job.query, chance)
        kept = job.set(key, "true", touched=True)
        return kept.with_query(before), kept.with_query(after)

    spec = {"add": "GWA-16", "remove": "GWA-16", "off": "CFG-03", "keep": "GWA-21"}[change]
    verdict = COMPATIBLE if change == "off" else INCOMPATIBLE

    def prepare(job: Job, chance: Chance) -> Job:
        """The delay alone switches nothing on, but nothing can be switched on without it."""
        query = two_aggregates(of_kind("TUMBLE", "HOP")(job.query, chance), chance)
        return job.with_query(query).set(f"table.exec.emit.{option}.delay", "10 s")

    return Edit(f"{change}-{option}", spec, LEGACY, verdict, apply, prepare, part="settings")


EMIT_EDITS = [
    _emit(option, True, change) for option in ("early-fire", "late-fire") for change in ("add", "remove", "off", "keep")
]
ALL = (*TVF_EDITS, *LEGACY_EDITS, *GROUP_EDITS, *EMIT_EDITS)
