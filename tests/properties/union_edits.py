"""Edits of unions whose branches fill the columns in their own ways (UA-01, UA-02, and the rows of what reads them).

A column of a union belongs to the rows of its branches. So another column of the other branch is another argument, key
or condition, an exchange of two filters is one of the columns that they are in front of, and a condition that moves
into another branch is another filter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aggregation_edits import IGNORE_FILTER
from aggregations import Aggregation
from clauses import Aggregate, Condition, Key, Order
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, Edit, OnQuery, edit, on_query, prepared
from generated_jobs import Job
from grouping_edits import change_window_size
from joins import Join
from keepstate.report import Verdict
from rankings import Ranking
from rows import Over
from spelling import Chance
from united import MADE, NUMBERS, Branch, United

# ---- the union of a query


def _feed(query: Any) -> United:
    feed = query.left if isinstance(query, Join) else query.below.feed if _is_stacked(query) else query.feed
    assert isinstance(feed, United)
    return feed


def _is_stacked(query: Any) -> bool:
    return isinstance(query, Ranking) and query.below is not None


def reading(query: Any, feed: United) -> Any:
    """The query over another union."""
    if isinstance(query, Join):
        return replace(query, left=feed)
    if _is_stacked(query):
        return replace(query, feed=feed, below=replace(query.below, feed=feed))
    return replace(query, feed=feed)


def _with_branches(query: Any, *branches: Branch) -> Any:
    return reading(query, replace(_feed(query), branches=branches))


def of_two_branches(query: Any, chance: Chance) -> Any:
    """Only the two branches over one table."""
    return _with_branches(query, *_feed(query).branches[:2])


def _readers_touched(query: Any) -> Any:
    """The query with the clauses touched that read what only the union has: they are good places as well."""
    if isinstance(query, Aggregation):
        calls = tuple(replace(call, touched=call.touched or _reads(call.columns)) for call in query.aggregates)
        keys = tuple(replace(key, touched=key.touched or _reads(key.columns)) for key in query.keys)
        conditions = tuple(replace(one, touched=one.touched or _reads(one.columns)) for one in query.where)
        read = replace(query, aggregates=calls, keys=keys, where=conditions)
        return _branch_filters_touched(read) if any(_reads(one.columns) for one in query.where) else read
    if isinstance(query, Ranking):
        below = query.below and _readers_touched(query.below)
        return replace(query, below=below, order_touched=True, partition_touched=_reads_any(query.partition))
    if isinstance(query, Over):
        calls = tuple(replace(call, touched=_reads(call.columns)) for call in query.aggregates)
        return replace(query, aggregates=calls, partition_touched=_reads_any(query.partition))
    if isinstance(query, Join):
        return replace(query, on=tuple(replace(one, touched=True) for one in query.on))
    return query


def _branch_filters_touched(query: Any) -> Any:
    """The query with the filters of its branches touched: a filter above empties a branch that gives NULL for its
    column, so the filter of the branch that is left is what changes.
    """
    branches = (
        replace(branch, where=tuple(replace(one, touched=True) for one in branch.where))
        for branch in _feed(query).branches
    )  # fmt: skip
    return _with_branches(query, *branches)


def _reads(columns: tuple[str, ...]) -> bool:
    return bool({*columns} & {*MADE})


def _reads_any(keys: tuple[Key, ...]) -> bool:
    return any(_reads(key.columns) for key in keys)


# ---- edits of branches


def exchange_in_all(query: Any, chance: Chance) -> tuple[Any, Any]:
    """``hits`` becomes what ``sales`` was and the other way round, in every branch."""
    after = _with_branches(query, *(_exchanged(branch, NUMBERS) for branch in _feed(query).branches))
    return query, _readers_touched(after)


def exchange_in_one(query: Any, chance: Chance) -> tuple[Any, Any]:
    first, *rest = _feed(query).branches
    return query, _readers_touched(_with_branches(query, _exchanged(first, NUMBERS), *rest))


def _exchanged(branch: Branch, columns: tuple[str, str]) -> Branch:
    one, other = columns
    return branch.with_values(**{one: branch.value(other), other: branch.value(one)})


def exchange_between(*columns: str) -> OnQuery:
    """The first two branches fill these columns as the other one did."""

    def change(query: Any, chance: Chance) -> tuple[Any, Any]:
        first, second, *rest = _feed(query).branches
        ours = first.with_values(**{column: second.value(column) for column in columns})
        theirs = second.with_values(**{column: first.value(column) for column in columns})
        return query, _readers_touched(_with_branches(query, ours, theirs, *rest))

    change.__name__ = f"exchange_{'_and_'.join(columns)}_between_branches"
    return change


def other_value(query: Any, chance: Chance) -> tuple[Any, Any]:
    """One branch computes ``hits`` otherwise."""
    feed = _feed(query)
    at = chance.pick(*range(len(feed.branches)))
    branches = list(feed.branches)
    new = chance.pick(f"@{query.domain.m2} * 3", f"@{query.domain.m2} - 1")
    branches[at] = branches[at].with_values(hits=new)
    return query, _readers_touched(_with_branches(query, *branches))


def exchange_filters(query: Any, chance: Chance) -> tuple[Any, Any]:
    first, second, *rest = _feed(query).branches
    touched = [branch.touched | {"branch"} for branch in (first, second)]
    ours = replace(first, where=second.where, touched=touched[0])
    theirs = replace(second, where=first.where, touched=touched[1])
    before = _with_branches(query, *(replace(one, touched=touched[0]) for one in (first, second)), *rest)
    return before, _readers_touched(_with_branches(query, ours, theirs, *rest))


def _more(query: Any, touched: bool = True) -> Condition:
    return Condition(f"@{query.domain.id}", ">", "7", touched=touched)


def move_condition(query: Any, chance: Chance) -> tuple[Any, Any]:
    """A condition of the first branch becomes one of the second."""
    first, second, *rest = _feed(query).branches
    before = _with_branches(query, replace(first, where=(*first.where, _more(query))), second, *rest)
    return before, _with_branches(query, first, replace(second, where=(*second.where, _more(query))), *rest)


def add_condition(query: Any, chance: Chance) -> tuple[Any, Any]:
    feed = _feed(query)
    at = chance.pick(*range(len(feed.branches)))
    branches = list(feed.branches)
    branches[at] = replace(branches[at], where=(*branches[at].where, _more(query)))
    return query, _with_branches(query, *branches)


def remove_condition(query: Any, chance: Chance) -> tuple[Any, Any]:
    after, before = add_condition(query, chance)
    return before, after


def other_constant(query: Any, chance: Chance) -> tuple[Any, Any]:
    """One branch takes rows of another kind."""
    first, *rest = _feed(query).branches
    (condition, *more) = first.where
    before = _with_branches(query, replace(first, where=(replace(condition, touched=True), *more)), *rest)
    new = replace(condition, right="'visit'", touched=True)
    return before, _with_branches(query, replace(first, where=(new, *more)), *rest)


def add_branch(query: Any, chance: Chance) -> tuple[Any, Any]:
    feed = _feed(query)
    last = feed.branches[-1]
    kind = Condition(f"@{query.domain.k3}", "=", "'gift'")
    new = replace(last, where=(kind,), touched=frozenset({"branch"}))
    at = chance.pick(*range(len(feed.branches) + 1))
    return query, _with_branches(query, *feed.branches[:at], new, *feed.branches[at:])


def remove_branch(query: Any, chance: Chance) -> tuple[Any, Any]:
    after, before = add_branch(query, chance)
    return before, after


def repeat_branch(query: Any, chance: Chance) -> tuple[Any, Any]:
    """All its rows come twice. Both are good places."""
    first, *rest = _feed(query).branches
    again = replace(first, touched=frozenset({"branch"}))
    return query, _with_branches(query, again, *rest, again)


def reorder_branches(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with_branches(query, *reversed(_feed(query).branches))


def add_unread_column(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, reading(query, replace(_feed(query), unread=(query.domain.entered, "target")))


def remove_unread_column(query: Any, chance: Chance) -> tuple[Any, Any]:
    after, before = add_unread_column(query, chance)
    return before, after


def fill_unread_otherwise(query: Any, chance: Chance) -> tuple[Any, Any]:
    """A column that the union has and nothing reads: each branch fills it in another way."""
    feed = replace(_feed(query), unread=("target",))
    branches = tuple(branch.with_values(target=f"@{query.domain.note}") for branch in feed.branches)
    return reading(query, feed), reading(query, replace(feed, branches=branches))


# ---- edits of what reads the union


def _calls(*calls: Aggregate) -> OnQuery:
    def prepare(query: Aggregation, chance: Chance) -> Aggregation:
        return replace(query, aggregates=calls)

    prepare.__name__ = "prepare"
    return prepare


_HITS, _SALES = (Aggregate("SUM", f"@{name}", type="INT") for name in NUMBERS)
_ROWS = Aggregate("COUNT", "*")
reads_hits_and_rows = _calls(_HITS, _ROWS)
reads_rows_only = _calls(_ROWS)
_COUNTED = Aggregate("COUNT", "@actor", distinct=True)


def aggregate_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """The aggregates over ``hits`` become ones over ``sales``."""
    before = tuple(call.touch() if call.argument == "@hits" else call for call in query.aggregates)
    after = tuple(replace(call, argument=call.argument.replace("hits", "sales")) for call in before)
    return replace(query, aggregates=before), replace(query, aggregates=after)


def add_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    new = replace(_SALES, touched=True)
    return query, replace(query, aggregates=(*query.aggregates, new))


def count_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    before = tuple(call.touch() if call.distinct else call for call in query.aggregates)
    after = tuple(replace(call, argument="@target") if call.distinct else call for call in before)
    return replace(query, aggregates=before), replace(query, aggregates=after)


def group_by_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    before = tuple(key.touch() if key.expression == "@actor" else key for key in query.keys)
    after = tuple(Key("@target", True) if key.expression == "@actor" else key for key in query.keys)
    return replace(query, keys=before), replace(query, keys=after)


def by_actor(query: Aggregation, chance: Chance) -> Aggregation:
    fields = tuple(key for key in query.keys if key.window_field)
    return replace(query, keys=(Key("@actor"), *fields))


def where_hits(query: Aggregation, chance: Chance) -> Aggregation:
    return replace(query, where=(Condition("@hits", ">", "1"),))


def filter_by_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    before, after = (replace(query, where=(Condition(f"@{name}", ">", "1", touched=True),)) for name in NUMBERS)
    return _branch_filters_touched(before), _branch_filters_touched(after)


def filter_clause_of_the_other(query: Aggregation, chance: Chance) -> tuple[Aggregation, Aggregation]:
    """FILTER (WHERE hits > 1) becomes FILTER (WHERE sales > 1)."""
    calls = (
        Aggregate("COUNT", "*", condition=Condition(f"@{name}", ">", "1"), touched=True) for name in NUMBERS
    )  # fmt: skip
    before, after = (replace(query, aggregates=(*query.aggregates, call)) for call in calls)
    return before, after


def rank_by_the_other(query: Ranking, chance: Chance) -> tuple[Ranking, Ranking]:
    orders = (Order(f"@{name}", query.order[0].descending, True) for name in NUMBERS)
    before, after = (replace(query, order=(order,), order_touched=True) for order in orders)
    return before, after


def shows_both(query: Ranking, chance: Chance) -> Ranking:
    """Both numbers and both names are in the row, whichever of them the ranking goes by."""
    names = {*query.shown, *MADE}
    return replace(query, shown=tuple(name for name in query.feed.columns if name in names))


def partition_by_the_other(query: Any, chance: Chance) -> tuple[Any, Any]:
    before = replace(query, partition=(Key("@actor", True),), partition_touched=True)
    return before, replace(before, partition=(Key("@target", True),))


def run_over_the_other(query: Over, chance: Chance) -> tuple[Over, Over]:
    before = replace(query, aggregates=(replace(_HITS, touched=True), _ROWS))
    return before, replace(query, aggregates=(replace(_SALES, touched=True), _ROWS))


def shows_all(query: Over, chance: Chance) -> Over:
    return replace(query, shown=(query.domain.id, *MADE))


def shows_hits(query: Over, chance: Chance) -> Over:
    return replace(query, shown=(query.domain.id, "hits", "actor"))


def join_on_the_other(query: Join, chance: Chance) -> tuple[Join, Join]:
    (on,) = query.on
    before = replace(query, on=(replace(on, touched=True),))
    return before, replace(query, on=(replace(on, left="@l__target", touched=True),))


def shows_target(query: Join, chance: Chance) -> Join:
    return replace(query, shown=(*query.shown, "l__target"))


# ---- labels


def _one(
    spec: str, kind: str, verdict: Verdict, change: OnQuery, *steps: OnQuery, name: str = "", indirect: bool = True,
    silent: bool = False, also: tuple[Verdict, ...] = (),
) -> Edit:  # fmt: skip
    name = name or change.__name__.replace("_", "-")
    return Edit(
        name, spec, kind, verdict, on_query(change), prepared(*steps), part="branches", indirect=indirect,
        silent=silent, also=frozenset(also),
    )  # fmt: skip


def _ignoring(seeded: Edit) -> Edit:
    """The same where filters are no part of the check."""

    def prepare(job: Job, chance: Chance) -> Job:
        return seeded.prepare(job, chance).set(IGNORE_FILTER, "true")

    return replace(seeded, spec="WH-02", verdict=COMPATIBLE, prepare=prepare, part="surroundings")


_UNREAD = (add_unread_column, remove_unread_column, fill_unread_otherwise)


def _of_all(kind: str, stateful: bool = True) -> list[Edit]:
    """Edits with the same effect for all readers of the union: no change, other rows, or unread columns."""
    lost = INCOMPATIBLE if stateful else COMPATIBLE
    branches = [
        _one("UA-02" if stateful else "UA-03", kind, lost, change, indirect=False)
        for change in (add_branch, remove_branch, repeat_branch)
    ]
    conditions = [
        _one("WH-01" if stateful else "WH-03", kind, lost, change, indirect=False)
        for change in (move_condition, add_condition, remove_condition, other_constant)
    ]
    ignoring = [_ignoring(one) for one in conditions] if stateful and kind != "united-join" else []
    return [
        *branches,
        *conditions,
        *ignoring,
        _one("UA-01", kind, COMPATIBLE, reorder_branches, silent=True),
        *(_one("STR-02", kind, COMPATIBLE, change, silent=True) for change in _UNREAD),
    ]


def _of_aggregations(kind: str, compute: str, modify: str, only: str, add: str, distinct: str, key: str) -> list[Edit]:
    """``compute`` and so on are the rows of the specification for this kind of aggregation."""
    compute_key = "GA-08" if kind == "united-groups" else key
    arguments = (exchange_in_all, exchange_in_one, exchange_between("hits"), other_value)
    return [
        *(_one(compute, kind, PARTIAL, change, reads_hits_and_rows) for change in arguments),
        *(_one(only, kind, INCOMPATIBLE, change, _calls(_HITS), name=f"{change.__name__.replace('_', '-')}-alone")
          for change in arguments),
        _one(compute, kind, PARTIAL, exchange_filters, of_two_branches, by_k1, reads_hits_and_rows,
             also=(INCOMPATIBLE,)),
        _one(modify, kind, PARTIAL, aggregate_the_other, reads_hits_and_rows, indirect=False),
        _one(only, kind, INCOMPATIBLE, aggregate_the_other, _calls(_HITS), indirect=False, name="the-only-one"),
        _one(add, kind, PARTIAL, add_the_other, reads_hits_and_rows, indirect=False),
        _one(modify, kind, PARTIAL, filter_clause_of_the_other, reads_hits_and_rows, indirect=False),
        _one(distinct, kind, INCOMPATIBLE, count_the_other, _calls(_ROWS, _COUNTED), indirect=False),
        _one(distinct, kind, INCOMPATIBLE, exchange_between("actor"), by_k1, _calls(_ROWS, _COUNTED),
             name="exchange-what-is-counted"),
        _one(key, kind, INCOMPATIBLE, group_by_the_other, by_actor, indirect=False),
        _one(compute_key, kind, INCOMPATIBLE, exchange_between("actor"), by_actor),
        _one("WH-01", kind, INCOMPATIBLE, exchange_in_all, reads_rows_only, where_hits, name="filtered-by-exchanged"),
        # The filter may as well be what tells the two inputs apart.
        _one("WH-01", kind, INCOMPATIBLE, filter_by_the_other, reads_rows_only),
    ]  # fmt: skip


def by_k1(query: Aggregation, chance: Chance) -> Aggregation:
    """Grouped by what all branches give alike."""
    fields = tuple(key for key in query.keys if key.window_field)
    return replace(query, keys=(Key(f"@{query.domain.k1}"), *fields))


EDITS: tuple[Edit, ...] = (
    *(one for kind in ("united-windows", "united-legacy", "united-groups", "united-window-top-n", "united-top-n",
                       "united-dedup", "united-over", "united-join") for one in _of_all(kind)),
    *_of_all("united-projection", stateful=False),
    *_of_aggregations("united-windows", "WTVF-06", "WTVF-04", "WTVF-18", "WTVF-01", "WTVF-15", "WTVF-13"),
    *_of_aggregations("united-legacy", "GWA-06", "GWA-04", "GWA-19", "GWA-01", "GWA-14", "GWA-13"),
    *_of_aggregations("united-groups", "GA-06", "GA-04", "GA-11", "GA-01", "GA-10", "GA-07"),
    edit("WTVF-11", "united-windows", INCOMPATIBLE, change_window_size, part="window"),
    *(_one("WTN-06", "united-window-top-n", INCOMPATIBLE, change)
      for change in (exchange_in_all, exchange_in_one, other_value)),
    *(_one("TN-05", "united-top-n", INCOMPATIBLE, change)
      for change in (exchange_in_all, exchange_between("hits"), other_value)),
    _one("TN-05", "united-top-n", INCOMPATIBLE, rank_by_the_other, shows_both, indirect=False),
    _one("TN-04", "united-top-n", INCOMPATIBLE, partition_by_the_other, shows_both, indirect=False),
    _one("TN-04", "united-top-n", INCOMPATIBLE, exchange_between("actor")),
    _one("DD-05", "united-dedup", INCOMPATIBLE, partition_by_the_other, shows_both, indirect=False),
    _one("DD-05", "united-dedup", INCOMPATIBLE, exchange_between("actor")),
    _one("DD-03", "united-dedup", COMPATIBLE, exchange_between("hits")),
    _one("OA-04", "united-over", PARTIAL, run_over_the_other, shows_all, indirect=False),
    _one("OA-08", "united-over", INCOMPATIBLE, partition_by_the_other, shows_all, indirect=False),
    _one("OA-08", "united-over", INCOMPATIBLE, exchange_between("actor")),
    _one("OA-04", "united-over", PARTIAL, exchange_between("hits"), shows_hits),
    _one("JR-02", "united-join", INCOMPATIBLE, join_on_the_other, shows_target, indirect=False),
    _one("JR-02", "united-join", INCOMPATIBLE, exchange_between("actor")),
    *(_one("UA-03", "united-projection", COMPATIBLE, change)
      for change in (exchange_in_all, exchange_filters, other_value)),
)  # fmt: skip
