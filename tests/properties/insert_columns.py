"""INSERT with a list of columns, and sinks that declare their columns in another order.

Which column of the query fills which column of the sink is the same before and after all of these edits but the last
one, so to the ``vvr`` profile nothing changes. Flink brings the query into the order of the sink before it plans it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aggregations import Aggregation
from clauses import Aggregate
from edits import COMPATIBLE, Edit
from generated_jobs import Job, Sink
from spelling import Chance

AGGREGATIONS = ("window-tvf", "group-window", "group-aggregate", "united-windows", "united-groups")


def three_aggregates(job: Job, chance: Chance) -> Job:
    """A query with several values, two of them of one type, in a declared sink."""
    domain = job.query.domain  # type: ignore[attr-defined]
    calls = (
        Aggregate("COUNT", f"@{domain.note}"),
        Aggregate("COUNT", "*"),
        Aggregate("MAX", f"@{domain.m2}", type="INT"),
    )
    job = job.with_query(replace(job.query, aggregates=calls, aggregates_first=False))
    return listed(job.with_sink(Sink(job.inserts[0].sink.name or "results")), range(len(job.query.types)))


def listed(job: Job, numbers: Any) -> Job:
    first, *rest = job.inserts
    return replace(job, inserts=(replace(first, listed=tuple(numbers)), *rest))


def _keys(query: Aggregation) -> int:
    return len(query.types) - len(query.aggregates)


def reorder_list_and_query(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The same values go into the same columns of the sink, in another order of the text."""
    query = job.query
    assert isinstance(query, Aggregation)
    keys = _keys(query)
    order = chance.pick((1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1))
    calls = tuple(query.aggregates[at] for at in order)
    after = job.with_query(replace(query, aggregates=calls))
    return job, listed(after, (*range(keys), *(keys + at for at in order)))


def declared_in(job: Job, order: tuple[int, ...]) -> tuple[Job, Job]:
    """The sink declares the columns of the three aggregates in another order, under an INSERT that names them."""
    keys = len(job.query.types) - len(order)
    sink = replace(job.inserts[0].sink, touched=frozenset({"statement"}))
    return job.with_sink(sink), job.with_sink(replace(sink, order=(*range(keys), *(keys + at for at in order))))


def reorder_sink(job: Job, chance: Chance) -> tuple[Job, Job]:
    return declared_in(job, chance.pick((1, 0, 2), (2, 1, 0)))


def spell_list_out(job: Job, chance: Chance) -> tuple[Job, Job]:
    return listed(job, ()), job


def reorder_sink_and_query(job: Job, chance: Chance) -> tuple[Job, Job]:
    """Without a list the query follows the sink."""
    query = job.query
    assert isinstance(query, Aggregation)
    before = listed(job, ())
    first, second, third = query.aggregates
    after = before.with_query(replace(query, aggregates=(second, first, third)))
    return before, after


def _one(spec: str, kind: str, change: Any, silent: bool) -> Edit:
    name = change.__name__.replace("_", "-")
    return Edit(
        name, spec, kind, COMPATIBLE, change, three_aggregates, part="surroundings", silent=silent
    )  # fmt: skip


EDITS: tuple[Edit, ...] = tuple(
    one
    for kind in AGGREGATIONS
    for one in (
        _one("STR-02", kind, reorder_list_and_query, silent=True),
        _one("SNK-03", kind, reorder_sink, silent=False),
        _one("STR-02", kind, spell_list_out, silent=True),
        _one("GA-05", kind, reorder_sink_and_query, silent=False),
    )
)
