"""Edits of OVER aggregates, patterns, sorts, limits and projections: sections 7, 12 and 13 of the specification."""

from __future__ import annotations

from dataclasses import replace

from clauses import Aggregate, Condition, Key, Order
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, UNKNOWN, edit
from rows import Over, Part, Pattern, Rows
from spelling import Chance
from tables import Computed

# ---- OVER


def _fresh(query: Over) -> list[Aggregate]:
    """Other aggregates over columns that the rows hold anyway."""
    m1, m2 = f"@{query.domain.m1}", f"@{query.domain.m2}"
    calls = (
        Aggregate("COUNT", m1), Aggregate("MIN", m1, type=query.domain.decimal), Aggregate("MAX", m2, type="INT"),
        Aggregate("COUNT", f"@{query.domain.k1}"), Aggregate("SUM", m2, type="INT"),
    )  # fmt: skip
    present = {call.signature for call in query.aggregates}
    return [call for call in calls if call.signature not in present]


def two_calls(query: Over, chance: Chance) -> Over:
    return query if len(query.aggregates) > 1 else replace(query, aggregates=(*query.aggregates, _fresh(query)[0]))


def one_call(query: Over, chance: Chance) -> Over:
    return replace(query, aggregates=query.aggregates[:1])


def add_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    return query, replace(query, aggregates=(*query.aggregates, chance.pick(*_fresh(query)).touch()))


def remove_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    at = chance.pick(*range(len(query.aggregates)))
    return query, replace(query, aggregates=(*query.aggregates[:at], *query.aggregates[at + 1 :]))


def add_and_remove_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    _, fewer = remove_call(query, chance)
    return query, replace(fewer, aggregates=(*fewer.aggregates, chance.pick(*_fresh(query)).touch()))


def modify_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    at = chance.pick(*range(len(query.aggregates)))
    calls = [call.touch() if index == at else call for index, call in enumerate(query.aggregates)]
    new = chance.pick(*_fresh(query)).touch()
    after = (*query.aggregates[:at], new, *query.aggregates[at + 1 :])
    return replace(query, aggregates=tuple(calls)), replace(query, aggregates=after)


def reorder_calls(query: Over, chance: Chance) -> tuple[Over, Over]:
    return query, replace(query, aggregates=tuple(reversed(query.aggregates)))


def replace_calls(query: Over, chance: Chance) -> tuple[Over, Over]:
    calls = tuple(call.touch() for call in query.aggregates)
    return replace(query, aggregates=calls), replace(query, aggregates=tuple(one.touch() for one in _fresh(query)[:2]))


def add_distinct_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    new = Aggregate("COUNT", f"@{query.domain.m2}", distinct=True, touched=True)
    return query, replace(query, aggregates=(*query.aggregates, new))


def remove_distinct_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    after, before = add_distinct_call(query, chance)
    return before, after


def with_distinct_call(query: Over, chance: Chance) -> Over:
    return add_distinct_call(query, chance)[1]


def modify_distinct_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    *rest, old = query.aggregates
    new = replace(old, argument=f"@{query.domain.m1}", touched=True)
    return replace(query, aggregates=(*rest, old.touch())), replace(query, aggregates=(*rest, new))


def two_distinct_calls(query: Over, chance: Chance) -> Over:
    calls = (Aggregate("COUNT", f"@{name}", distinct=True) for name in (query.domain.m1, query.domain.k1))
    return replace(query, aggregates=(*query.aggregates, *calls))


def swap_distinct_calls(query: Over, chance: Chance) -> tuple[Over, Over]:
    *rest, first, second = query.aggregates
    first, second = first.touch(), second.touch()
    return replace(query, aggregates=(*rest, first, second)), replace(query, aggregates=(*rest, second, first))


def remove_all_calls(query: Over, chance: Chance) -> tuple[Over, Over]:
    """A query without calls passes its rows on."""
    return replace(query, aggregates=tuple(call.touch() for call in query.aggregates)), replace(query, aggregates=())


def _opaque_call(query: Over) -> Aggregate:
    return Aggregate("weighted_price", f"@{query.domain.m2}, @{query.domain.m1}", touched=True, type="INT")


def add_opaque_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    return query, replace(query, aggregates=(*query.aggregates, _opaque_call(query)))


def keep_opaque_call(query: Over, chance: Chance) -> tuple[Over, Over]:
    after = replace(query, aggregates=(_opaque_call(query), *query.aggregates[1:]))
    return replace(query, aggregates=(_opaque_call(query), *query.aggregates)), after


def compute_partition_key(query: Over, chance: Chance) -> tuple[Over, Over]:
    """A key that is in the rows as well, of the same type as before."""
    computed = Computed(query.domain.k1, f"TRIM(@{query.domain.k1})")
    return query, replace(query, feed=replace(query.feed, computed=(computed,)))


def by_k1(query: Over, chance: Chance) -> Over:
    return replace(query, partition=(Key(f"@{query.domain.k1}"),))


def two_partition_keys(query: Over, chance: Chance) -> Over:
    return replace(query, partition=(Key(f"@{query.domain.k1}"), Key(f"@{query.domain.m2}")))


def reorder_partition(query: Over, chance: Chance) -> tuple[Over, Over]:
    return query, replace(query, partition=tuple(reversed(query.partition)))


def add_partition_key(query: Over, chance: Chance) -> tuple[Over, Over]:
    new = Key(f"@{query.domain.m2}", True)
    return query, replace(query, partition=(*query.partition, new), partition_touched=True)


def remove_partition_key(query: Over, chance: Chance) -> tuple[Over, Over]:
    before = replace(query, partition_touched=True)
    return before, replace(before, partition=query.partition[:-1])


def change_partition_key(query: Over, chance: Chance) -> tuple[Over, Over]:
    new = Key(f"@{query.domain.m2}", True)
    return query, replace(query, partition=(*query.partition[:-1], new), partition_touched=True)


def change_order(query: Over, chance: Chance) -> tuple[Over, Over]:
    other = query.domain.proctime if query.order == query.domain.rowtime else query.domain.rowtime
    return query, replace(query, order=other, order_touched=True)


def rows_frame(query: Over, chance: Chance) -> Over:
    return replace(query, frame="ROWS BETWEEN 10 PRECEDING AND CURRENT ROW")


def change_frame(query: Over, chance: Chance) -> tuple[Over, Over]:
    frame = chance.pick(
        "ROWS BETWEEN 20 PRECEDING AND CURRENT ROW", "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"
    )
    return replace(query, frame_touched=True), replace(query, frame=frame, frame_touched=True)


def add_column(query: Over, chance: Chance) -> tuple[Over, Over]:
    name = next(one for one in (query.domain.note, query.domain.k3) if one not in query.shown)
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


def remove_column(query: Over, chance: Chance) -> tuple[Over, Over]:
    after, before = add_column(query, chance)
    return before, after


def add_filter(query: Over, chance: Chance) -> tuple[Over, Over]:
    new = Condition(f"@{query.domain.k1}", "=", "'wanted'", touched=True)
    return query, replace(query, where=(new,))


O = "over"  # noqa: E741
_CALLS = {"part": "aggregates", "item": "aggregates"}
OVER_EDITS = [
    edit("OA-01", O, PARTIAL, add_call, **_CALLS),
    edit("OA-02", O, COMPATIBLE, remove_call, two_calls, **_CALLS),
    edit("OA-03", O, PARTIAL, add_and_remove_call, two_calls, **_CALLS),
    edit("OA-04", O, PARTIAL, modify_call, two_calls, **_CALLS),
    edit("OA-05", O, COMPATIBLE, reorder_calls, two_calls, part="aggregates"),
    edit("OA-06", O, COMPATIBLE, reorder_partition, two_partition_keys, part="partition"),
    edit("OA-07", O, INCOMPATIBLE, add_column, part="output"),
    edit("OA-07", O, INCOMPATIBLE, remove_column, part="output"),
    edit("OA-08", O, INCOMPATIBLE, add_partition_key, part="partition"),
    edit("OA-08", O, INCOMPATIBLE, remove_partition_key, two_partition_keys, part="partition"),
    edit("OA-08", O, INCOMPATIBLE, change_partition_key, part="partition"),
    edit("OA-09", O, INCOMPATIBLE, change_order, part="order"),
    edit("OA-10", O, INCOMPATIBLE, change_frame, rows_frame, part="frame"),
    edit("OA-11", O, INCOMPATIBLE, add_distinct_call, **_CALLS),
    edit("OA-11", O, INCOMPATIBLE, remove_distinct_call, **_CALLS),
    edit("OA-11", O, INCOMPATIBLE, modify_distinct_call, with_distinct_call, **_CALLS),
    edit("C-27", O, INCOMPATIBLE, swap_distinct_calls, two_distinct_calls, part="aggregates"),
    edit("GA-13", O, UNKNOWN, add_opaque_call, part="aggregates", sticky=True),
    edit("GA-13", O, UNKNOWN, keep_opaque_call, two_calls, part="aggregates", sticky=True),
    edit("OA-08", O, INCOMPATIBLE, compute_partition_key, by_k1, part="partition", indirect=True),
    edit("OA-12", O, INCOMPATIBLE, remove_all_calls, **_CALLS),
    edit("OA-12", O, INCOMPATIBLE, replace_calls, **_CALLS),
    edit("OA-12", O, INCOMPATIBLE, modify_call, one_call, name="modify-only-call", **_CALLS),
    edit("WH-01", O, INCOMPATIBLE, add_filter, part="filter", item="filter"),
]


# ---- patterns


def change_pattern(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    options = [text for text in ("a b+ c", "a b* c", "a b{2} c", "a b? c") if text != query.pattern.text]
    before = replace(query, pattern=replace(query.pattern, touched=True))
    return before, replace(query, pattern=Part(chance.pick(*options), True))


def greedy(query: Pattern, chance: Chance) -> Pattern:
    return replace(query, pattern=Part("a b c"))


def change_measure(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    new = Part(f"a.@{query.domain.k2}", True)
    measures = (*query.measures[:-1], new)
    before = (*query.measures[:-1], replace(query.measures[-1], touched=True))
    return replace(query, measures=before), replace(query, measures=measures)


def add_measure(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    return query, replace(query, measures=(*query.measures, Part(f"c.@{query.domain.k2}", True)))


def change_after(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    texts = ("AFTER MATCH SKIP PAST LAST ROW", "AFTER MATCH SKIP TO NEXT ROW", "AFTER MATCH SKIP TO LAST c")
    options = [text for text in texts if text != query.after.text]
    before = replace(query, after=replace(query.after, touched=True))
    return before, replace(query, after=Part(chance.pick(*options), True))


def add_pattern_key(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    return query, replace(query, partition=(*query.partition, query.domain.id), partition_touched=True)


def two_pattern_keys(query: Pattern, chance: Chance) -> Pattern:
    return replace(query, partition=(query.domain.k1, query.domain.k3))


def remove_pattern_key(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    before = replace(query, partition_touched=True)
    return before, replace(before, partition=query.partition[:1])


def change_pattern_key(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    return query, replace(query, partition=(*query.partition[:-1], query.domain.k2), partition_touched=True)


def compute_pattern_key(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    name = query.partition[0]
    return query, replace(query, feed=replace(query.feed, computed=(Computed(name, f"TRIM(@{name})"),)))


def show_all_rows(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    before = replace(query, each=replace(query.each, touched=True))
    return before, replace(query, each=Part("ALL ROWS PER MATCH", True))


def change_pattern_order(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    return query, replace(query, order=Part(f"@{query.domain.proctime}", True))


def change_define(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    name, part = query.define[1]
    new = (name, Part(f"b.@{query.domain.m2} > 20", True))
    before = (query.define[0], (name, replace(part, touched=True)), *query.define[2:])
    return replace(query, define=before), replace(query, define=(query.define[0], new, *query.define[2:]))


def change_within(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    return replace(query, within_touched=True), replace(query, within=query.within * 2, within_touched=True)


def with_within(query: Pattern, chance: Chance) -> Pattern:
    return query if query.within else replace(query, within=3600)


def pattern_filter(query: Pattern, chance: Chance) -> tuple[Pattern, Pattern]:
    new = Condition(f"@{query.domain.note}", "<>", "'x'", touched=True)
    return query, replace(query, feed=replace(query.feed, where=(new,)))


P = "pattern"
PATTERN_EDITS = [
    edit("PR-01", P, INCOMPATIBLE, change_pattern, part="pattern"),
    edit("PR-02", P, INCOMPATIBLE, change_measure, part="measures"),
    edit("PR-02", P, INCOMPATIBLE, add_measure, part="measures"),
    edit("PR-03", P, INCOMPATIBLE, change_after, greedy, part="after"),
    edit("PR-04", P, INCOMPATIBLE, add_pattern_key, part="partition"),
    edit("PR-04", P, INCOMPATIBLE, remove_pattern_key, two_pattern_keys, part="partition"),
    edit("PR-04", P, INCOMPATIBLE, change_pattern_key, part="partition"),
    edit("PR-04", P, INCOMPATIBLE, compute_pattern_key, part="partition", indirect=True),
    edit("PR-05", P, INCOMPATIBLE, change_pattern_order, part="order"),
    edit("PR-06", P, INCOMPATIBLE, change_define, part="define"),
    edit("PR-06", P, INCOMPATIBLE, change_within, with_within, part="within"),
    edit("PR-06", P, INCOMPATIBLE, show_all_rows, part="rows"),
    edit("WH-01", P, INCOMPATIBLE, pattern_filter, part="filter", item="filter"),
]


# ---- sorts, limits, projections


def add_item(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    name = next(one for one in (query.domain.note, query.domain.k3) if one not in query.shown)
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


def remove_item(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    after, before = add_item(query, chance)
    return before, after


def shows_sort_key(query: Rows, chance: Chance) -> Rows:
    return replace(query, shown=(*query.shown, query.domain.rowtime))


def drop_sort_key(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    return query, replace(query, shown=tuple(name for name in query.shown if name != query.domain.rowtime))


def change_sort_time(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    first, *rest = query.order
    domain = query.domain
    time = domain.proctime if first.expression == f"@{domain.rowtime}" else domain.rowtime
    return query, replace(query, order=(replace(first, expression=f"@{time}"), *rest), order_touched=True)


def add_sort_key(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """By a column that is in the rows anyway."""
    return query, replace(query, order=(*query.order, Order(f"@{query.domain.id}")), order_touched=True)


def turn_second_key(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    first, second, *_ = query.order
    return query, replace(query, order=(first, replace(second, descending=False)), order_touched=True)


def one_sort_key(query: Rows, chance: Chance) -> Rows:
    return replace(query, order=query.order[:1])


def two_sort_keys(query: Rows, chance: Chance) -> Rows:
    return replace(query, order=(query.order[0], Order(f"@{query.domain.id}")))


def change_limit(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    return replace(query, limit_touched=True), replace(query, limit=query.limit * 2, limit_touched=True)


def change_offset(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    return replace(query, offset_touched=True), replace(query, offset=query.offset + 7, offset_touched=True)


def with_offset(query: Rows, chance: Chance) -> Rows:
    return query if query.offset else replace(query, offset=5)


def turn_first_key(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    first, *rest = query.order
    return query, replace(query, order=(replace(first, descending=not first.descending), *rest), order_touched=True)


def change_first_key(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    """To a column that is in the rows anyway."""
    first, *rest = query.order
    return query, replace(query, order=(replace(first, expression=f"@{query.domain.id}"), *rest), order_touched=True)


def filter_rows(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    new = Condition(f"@{query.domain.id}", ">", "7", touched=True)
    return query, replace(query, where=(*query.where, new))


def _union(query: Rows, chance: Chance) -> Rows:
    return replace(query, feed=replace(query.feed, others=((query.domain.stream("others"), False),)))


def add_input(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    others = (*query.feed.others, (query.domain.stream("more"), True))
    return query, replace(query, feed=replace(query.feed, others=others))


def remove_input(query: Rows, chance: Chance) -> tuple[Rows, Rows]:
    after, before = add_input(query, chance)
    return before, after


SR, SP, L, SL, N = "sort-rowtime", "sort-proctime", "limit", "sort-limit", "projection"
ROW_EDITS = [
    edit("TS-01", SP, COMPATIBLE, add_item, one_sort_key, part="output"),
    edit("TS-01", SP, COMPATIBLE, remove_item, one_sort_key, part="output"),
    edit("TS-02", SR, COMPATIBLE, drop_sort_key, shows_sort_key, part="output"),
    edit("TS-03", SR, INCOMPATIBLE, add_item, part="output"),
    edit("TS-03", SR, INCOMPATIBLE, remove_item, part="output"),
    edit("TS-04", SR, INCOMPATIBLE, change_sort_time, part="order"),
    edit("TS-04", SP, INCOMPATIBLE, change_sort_time, part="order"),
    edit("TS-04", SR, INCOMPATIBLE, add_sort_key, part="order"),
    edit("TS-04", SR, INCOMPATIBLE, turn_second_key, two_sort_keys, part="order"),
    edit("WH-01", SR, INCOMPATIBLE, filter_rows, part="filter", item="filter"),
    edit("LM-01", L, INCOMPATIBLE, change_limit, part="limit"),
    edit("LM-02", L, INCOMPATIBLE, change_offset, with_offset, part="offset"),
    edit("LM-03", L, INCOMPATIBLE, add_item, part="output"),
    edit("LM-03", L, INCOMPATIBLE, remove_item, part="output"),
    edit("WH-01", L, INCOMPATIBLE, filter_rows, part="filter", item="filter"),
    edit("LM-01", SL, INCOMPATIBLE, change_limit, part="limit"),
    edit("LM-02", SL, INCOMPATIBLE, change_offset, with_offset, part="offset"),
    edit("LM-03", SL, INCOMPATIBLE, add_item, part="output"),
    edit("LM-03", SL, INCOMPATIBLE, remove_item, part="output"),
    edit("LM-03", SL, INCOMPATIBLE, turn_first_key, part="order"),
    edit("LM-03", SL, INCOMPATIBLE, change_first_key, part="order"),
    edit("LM-03", SL, INCOMPATIBLE, add_sort_key, part="order"),
    edit("WH-01", SL, INCOMPATIBLE, filter_rows, part="filter", item="filter"),
    edit("WH-03", N, COMPATIBLE, filter_rows, part="filter"),
    edit("WH-03", N, COMPATIBLE, add_item, part="output"),
    edit("UA-03", N, COMPATIBLE, add_input, _union, part="inputs"),
    edit("UA-03", N, COMPATIBLE, remove_input, part="inputs"),
]
ALL = (*OVER_EDITS, *PATTERN_EDITS, *ROW_EDITS)
