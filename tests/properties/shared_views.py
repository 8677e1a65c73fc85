"""Jobs of several INSERTs over one view: an edit of it concerns those that read what changed, and no others.

The marks of ``Insert.unrelated`` say which queries an edit has nothing to do with: nothing may be said of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import union_edits as unions
from aggregation_edits import change_filter
from aggregations import PLAIN_GROUPS, Aggregation
from clauses import Aggregate, Condition, Key, Order
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, Edit
from generated_jobs import Insert, Job, Query, Sink
from keepstate.report import Verdict
from rankings import TOP_N, Ranking
from rows import PROJECTION, Rows
from spelling import Chance
from tables import DOMAINS
from totals import Best, Picked, Regrouped, Running, Totals, unbounded, windowed
from united import United, united_feed

ROLE = "shared"
Change = Callable[[Job, Chance], tuple[Job, Job]]


def _job(queries: list[Query]) -> Job:
    names = ("results", "further_results", "last_results")
    return Job(tuple(Insert(query, Sink(name)) for query, name in zip(queries, names, strict=False)))


# ---- over a union


def _groups(feed: United, key: str, *calls: Aggregate, domain: Any) -> Aggregation:
    return Aggregation(PLAIN_GROUPS, domain, feed, None, (Key(f"@{key}"),), calls)


def shared_union(chance: Chance) -> Job:
    """The first query reads ``hits``, the second one ``sales``, the third one both or neither."""
    domain = chance.pick(*DOMAINS)
    # The rows of a view have one order for all readers.
    feed = replace(united_feed(domain, chance, free_order=False), shared=ROLE)
    rows = Aggregate("COUNT", "*")
    first = _groups(feed, domain.k1, Aggregate("SUM", "@hits", type="INT"), rows, domain=domain)
    second = _groups(feed, domain.k2, Aggregate("MAX", "@sales", type="INT"), rows, domain=domain)
    third = chance.pick(
        Rows(PROJECTION, domain, feed, (domain.id, "target")),
        _groups(feed, "target", rows, domain=domain),
        Ranking(TOP_N, domain, feed, (Key("@target"),), (Order(f"@{domain.m1}"),), 3, (domain.m1, "target")),
    )
    return _job([first, second, *([third] if chance.flip() else [])])


def _over(job: Job, *branches: Any) -> Job:
    """All queries over another union."""
    inserts = (
        replace(insert, query=replace(insert.query, feed=replace(insert.query.feed, branches=branches)))
        for insert in job.inserts
    )
    return replace(job, inserts=tuple(inserts))


def _concerning(job: Job, *numbers: int) -> Job:
    """With all other queries as ones that the edit has nothing to do with."""
    inserts = (replace(one, unrelated=number not in numbers) for number, one in enumerate(job.inserts))
    return replace(job, inserts=tuple(inserts))


def fill_hits_otherwise(job: Job, chance: Chance) -> tuple[Job, Job]:
    """Only the first query reads ``hits``."""
    before, after = unions.other_value(job.query, chance)
    both = (_over(job, *query.feed.branches) for query in (before, after))
    was, now = (_concerning(one, 0) for one in both)
    return was, now.with_query(after)


def exchange_numbers(job: Job, chance: Chance) -> tuple[Job, Job]:
    """``hits`` and ``sales`` change places: the first two queries read one of them each."""
    _, after = unions.exchange_in_all(job.query, chance)
    return _concerning(job, 0, 1), _concerning(_over(job, *after.feed.branches), 0, 1)


def filter_branch(job: Job, chance: Chance) -> tuple[Job, Job]:
    """Every query gets other rows."""
    _, after = unions.add_condition(job.query, chance)
    return job, _over(job, *after.feed.branches)


def reorder_branches(job: Job, chance: Chance) -> tuple[Job, Job]:
    return job, _over(job, *reversed(job.query.feed.branches))


def aggregate_the_other(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The first query alone."""
    before, after = unions.aggregate_the_other(job.query, chance)
    return _concerning(job.with_query(before), 0), _concerning(job.with_query(after), 0)


def filter_first(job: Job, chance: Chance) -> tuple[Job, Job]:
    before, after = change_filter(job.query, chance)
    return _concerning(job.with_query(before), 0), _concerning(job.with_query(after), 0)


# ---- over an aggregation


def shared_totals(chance: Chance) -> Job:
    """The first query reads two aggregates, the second one the second of them, a ranking the first one."""
    totals = replace(windowed(chance), shared=ROLE) if chance.flip() else replace(unbounded(chance), shared=ROLE)
    third = Aggregate("MAX", f"@{totals.below.domain.m1}", type=totals.below.domain.decimal)
    below = totals.below
    totals = replace(totals, below=replace(below, aggregates=(*below.aggregates, third)))
    first = Picked(totals, ("key0", "aggregate0", "aggregate2"))
    upper = Aggregate("SUM", "@aggregate1", type="BIGINT")
    second = Regrouped(totals, (upper, Aggregate("COUNT", "*")))
    if below.window is not None and chance.flip():
        return _job([first, Running(totals, (upper,), ("key0",))])
    return _job([first, second])


def ranked_totals(chance: Chance) -> Job:
    """Below a ranking every aggregate is stored, below the other reader only what it reads."""
    totals = replace(unbounded(chance), shared=ROLE)
    best = Best(totals, tuple(role for role in totals.roles if role != "aggregate1"), Order("@aggregate0"))
    return _job([best, Picked(totals, ("key0", "aggregate0"))])


def _with_totals(job: Job, totals: Totals) -> Job:
    inserts = (replace(insert, query=replace(insert.query, totals=totals)) for insert in job.inserts)
    return replace(job, inserts=tuple(inserts))


def _totals_become(at: int, new: Callable[[Any], Aggregate], *concerned: int) -> Change:
    """The aggregate at ``at`` of the view becomes another one."""

    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        totals = job.query.totals
        calls = list(totals.below.aggregates)
        versions = []
        for call in (calls[at], new(totals.below.domain)):
            calls[at] = replace(call, touched=True)
            below = replace(totals.below, aggregates=tuple(calls))
            versions.append(_concerning(_with_totals(job, replace(totals, below=below)), *concerned))
        return versions[0], versions[1]

    return change


def _min_m1(domain: Any) -> Aggregate:
    return Aggregate("MIN", f"@{domain.m1}", type=domain.decimal)


def _count_k2(domain: Any) -> Aggregate:
    return Aggregate("COUNT", f"@{domain.k2}")


def drop_what_the_ranking_stores(job: Job, chance: Chance) -> tuple[Job, Job]:
    """An aggregate that nothing reads: the ranking's own aggregation stored it, that of the other query never did."""
    totals = job.query.totals
    below = replace(totals.below, aggregates=totals.below.aggregates[:1])
    after = _with_totals(job, replace(totals, below=below))
    return _concerning(job, 0), _concerning(after, 0)


def key_below(job: Job, chance: Chance) -> tuple[Job, Job]:
    totals = job.query.totals
    first, *rest = totals.below.keys
    new = Key(f"UPPER({first.expression})", True)
    below = replace(totals.below, keys=(new, *rest))
    return job, _with_totals(job, replace(totals, below=below))


def filter_between(job: Job, chance: Chance) -> tuple[Job, Job]:
    """Between the view and the second query, which keeps state of its own."""
    first, second, *rest = job.inserts
    new = Condition("@aggregate1", ">", "5", touched=True)
    query = replace(second.query, where=(new,))
    after = replace(job, inserts=(first, replace(second, query=query), *rest))
    return _concerning(job, 1), _concerning(after, 1)


def _regroups(job: Job, chance: Chance) -> Job:
    while not isinstance(job.inserts[1].query, Regrouped):
        job = shared_totals(chance)
    return job


def _one(
    spec: str, kind: str, verdict: Verdict, change: Change, prepare: Change | None = None, name: str = "",
    indirect: bool = True, silent: bool = False,
) -> Edit:  # fmt: skip
    name = name or change.__name__.replace("_", "-")
    steps = {} if prepare is None else {"prepare": prepare}
    return Edit(
        name, spec, kind, verdict, change, part="surroundings", indirect=indirect, silent=silent, **steps
    )  # fmt: skip


JOBS: dict[str, Callable[[Chance], Job]] = {
    "shared-union": shared_union,
    "shared-totals": shared_totals,
    "shared-ranking": ranked_totals,
}
U, T, R = JOBS
EDITS: tuple[Edit, ...] = (
    _one("GA-06", U, PARTIAL, fill_hits_otherwise),
    _one("GA-06", U, PARTIAL, exchange_numbers),
    _one("WH-01", U, INCOMPATIBLE, filter_branch, indirect=False),
    _one("UA-01", U, COMPATIBLE, reorder_branches, silent=True),
    _one("GA-04", U, PARTIAL, aggregate_the_other, indirect=False),
    _one("WH-01", U, INCOMPATIBLE, filter_first, indirect=False),
    _one("CMB-02", T, PARTIAL, _totals_become(2, _min_m1, 0), name="modify-what-the-first-reads", indirect=False),
    _one("CMB-02", T, INCOMPATIBLE, _totals_become(1, _count_k2, 1), name="modify-all-that-the-second-reads",
         indirect=False),
    _one("GA-07", T, INCOMPATIBLE, key_below),
    _one("WH-01", T, INCOMPATIBLE, filter_between, _regroups, indirect=False),
    _one("GA-02", R, COMPATIBLE, drop_what_the_ranking_stores),
    _one("GA-04", R, PARTIAL, _totals_become(1, _count_k2, 0), name="modify-what-the-ranking-stores", indirect=False),
)  # fmt: skip
"""The rows of section 6 stand here; of an aggregation over windows those of section 2 say the same."""
