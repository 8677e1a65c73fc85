"""Edits of sinks that count: of their keys, of what fills these, and of their columns (SNK-05, SNK-06, CFG-02)."""

from __future__ import annotations

from dataclasses import replace

from call_edits import add_aggregate, remove_aggregate
from clauses import Key
from edits import COMPATIBLE, INCOMPATIBLE, UNKNOWN, Edit
from generated_jobs import Job, Sink
from job_edits import IGNORE_SINK, rename_sink
from prepared_aggregations import two_aggregates, two_keys
from spelling import Chance

_UPSERTS = (("connector", "upsert-kafka"), ("topic", "results"), ("key.format", "json"), ("value.format", "json"))
_MATERIALIZE = "table.exec.sink.upsert-materialize"


def _keyed(job: Job, *columns: str) -> Job:
    return job.with_sink(Sink("results", _UPSERTS, primary_key=columns))


# ---- what fills the primary key


def _groups_by_one_key(job: Job, chance: Chance) -> Job:
    query = replace(job.query, keys=(Key(f"@{job.query.domain.k1}"),))
    return _keyed(job.with_query(query), "c0")


def aggregates_to_the_front(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The first column of the sink, its key, is filled by an aggregate from now on."""
    return job, job.with_query(replace(job.query, aggregates_first=True))


def _last_rows_by_id(job: Job, chance: Chance) -> Job:
    domain = job.query.domain
    shown = (domain.id, domain.k2, domain.m2)
    return _keyed(job.with_query(replace(job.query, partition=(Key(f"@{domain.id}"),), shown=shown)), "c0")


def another_column_first(job: Job, chance: Chance) -> tuple[Job, Job]:
    first, second, *rest = job.query.shown
    return job, job.with_query(replace(job.query, shown=(second, first, *rest)))


def _by_two_keys(job: Job, chance: Chance) -> Job:
    return _keyed(job.with_query(two_keys(job.query, chance)), "c0", "c1")


def change_key(job: Job, chance: Chance) -> tuple[Job, Job]:
    sink = replace(job.inserts[0].sink, touched=frozenset({"key"}))
    return job.with_sink(sink), job.with_sink(replace(sink, primary_key=sink.primary_key[:1]))


def _without_ordering(job: Job, chance: Chance) -> Job:
    """No operator orders updates where it is switched off."""
    return _groups_by_one_key(job, chance).set(_MATERIALIZE, "NONE")


# ---- sinks that count


def _counting(job: Job, chance: Chance) -> Job:
    query = two_aggregates(job.query, chance)
    return job.with_query(query).with_sink(Sink("results")).set(IGNORE_SINK, "false")


def _wider(job: Job, chance: Chance) -> tuple[Job, Job]:
    before, after = add_aggregate(job.query, chance)
    return _redeclared(job.with_query(before), job.with_query(after))


def _narrower(job: Job, chance: Chance) -> tuple[Job, Job]:
    before, after = remove_aggregate(job.query, chance)
    return _redeclared(job.with_query(before), job.with_query(after))


def _redeclared(before: Job, after: Job) -> tuple[Job, Job]:
    sink = replace(before.inserts[0].sink, touched=frozenset({"statement"}))
    return before.with_sink(sink), after.with_sink(sink)


def _ignored(job: Job, chance: Chance) -> Job:
    """An edit that sets the default."""
    return job.with_sink(Sink("results")).set(IGNORE_SINK, "true")


AGGREGATIONS = ("window-tvf", "group-window", "group-aggregate")
LAST_ROWS = ("dedup-rowtime", "dedup-proctime-desc")
EDITS = (
    Edit("aggregates-to-the-front", "SNK-06", "group-aggregate", UNKNOWN, aggregates_to_the_front,
         _groups_by_one_key, "surroundings"),
    Edit("unordered-aggregates-to-the-front", "SNK-03", "group-aggregate", COMPATIBLE, aggregates_to_the_front,
         _without_ordering, "surroundings"),
    Edit("change-sink-key", "SNK-06", "group-aggregate", UNKNOWN, change_key, _by_two_keys, "surroundings"),
    *(Edit("another-column-first", "SNK-06", kind, UNKNOWN, another_column_first, _last_rows_by_id, "surroundings")
      for kind in LAST_ROWS),
    *(Edit("wider-counted-sink", "SNK-05", kind, INCOMPATIBLE, _wider, _counting, "surroundings")
      for kind in AGGREGATIONS),
    *(Edit("narrower-counted-sink", "SNK-05", kind, INCOMPATIBLE, _narrower, _counting, "surroundings")
      for kind in AGGREGATIONS),
    *(Edit("rename-ignored-sink", "CFG-02", kind, COMPATIBLE, rename_sink, _ignored, "surroundings")
      for kind in AGGREGATIONS),
)  # fmt: skip
