"""Edits of sources: of what they read (SRC-10), and of what only a stateful operator could feel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from edits import COMPATIBLE, UNKNOWN, Edit
from generated_jobs import Job
from job_edits import on_table
from joins import Join
from spelling import Chance, mark
from tables import Computed, Feed, Table

OTHER_DATA = "source-data-changed"
_READS: dict[str, tuple[tuple[str, str], ...]] = {
    "topic": (("connector", "kafka"), ("format", "json")),
    "topic-pattern": (("connector", "kafka"), ("format", "json")),
    "path": (("connector", "filesystem"), ("format", "json")),
    "table-name": (("connector", "mysql-cdc"), ("hostname", "db"), ("database-name", "shop")),
    "database-name": (("connector", "mysql-cdc"), ("hostname", "db"), ("table-name", "sales")),
    "collection": (("connector", "mongodb-cdc"), ("hosts", "db"), ("database", "shop")),
}
"""The options that say which data are read, each with the other options of a connector that takes it."""
_OF_CHANGES = ("table-name", "database-name", "collection")


def _feed(job: Job) -> Feed:
    query: Any = job.query
    feed = query.left if isinstance(query, Join) else query.feed
    assert isinstance(feed, Feed)
    return feed


def _over(job: Job, table: Table) -> Job:
    query: Any = job.query
    part = "left" if isinstance(query, Join) else "feed"
    return job.with_query(replace(query, **{part: replace(_feed(job), table=table)}))


def _reads(option: str) -> Callable[[Job, Chance], Job]:
    def prepare(job: Job, chance: Chance) -> Job:
        table = _feed(job).table
        key = (table.columns[3].name,) if option in _OF_CHANGES else ()
        return _over(job, replace(table, options=(*_READS[option], (option, "first")), primary_key=key))

    return prepare


def _other(option: str) -> Callable[[Table, Chance], Table]:
    return lambda table, chance: table.with_option(option, chance.pick("second", "third"))


def _data(kind: str, option: str) -> Edit:
    return Edit(
        f"read-another-{option}", "SRC-10", kind, COMPATIBLE, on_table(_other(option), option), _reads(option),
        part="surroundings", rule=OTHER_DATA,
    )  # fmt: skip


# ---- where nothing keeps state


def calls_function(job: Job, chance: Chance) -> Job:
    """The query computes one of its columns with a function."""
    query: Any = job.query
    computed = Computed(query.domain.note, f"clean_text(@{query.domain.note})", touched=False)
    return job.with_query(replace(query, feed=replace(query.feed, computed=(computed,)), shown=_with_note(query)))


def _with_note(query: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*query.shown, query.domain.note)))


def other_class(job: Job, chance: Chance) -> tuple[Job, Job]:
    classes = (mark("'udfs.Clean'"), mark("'udfs.CleanBetter'"))
    before, after = (replace(job, functions=(f"clean_text {name} LANGUAGE JAVA",)) for name in classes)
    return before, after


def of_lines(job: Job, chance: Chance) -> Job:
    return _over(job, _feed(job).table.with_option("format", "csv"))


def to_changes(table: Table, chance: Chance) -> Table:
    return table.with_option("format", chance.pick("debezium-json", "canal-json"))


def of_database(job: Job, chance: Chance) -> Job:
    table = _feed(job).table
    options = (("connector", "mysql-cdc"), ("hostname", "db"), ("database-name", "shop"), ("table-name", table.name))
    return _over(job, replace(table, options=options, primary_key=(table.columns[3].name,), rowtime=""))


def other_key(table: Table, chance: Chance) -> Table:
    key = (table.columns[3].name, table.columns[0].name)
    return replace(table, primary_key=key, touched=table.touched | {"key"})


EDITS: tuple[Edit, ...] = (
    *(_data(kind, option) for kind in ("window-tvf", "top-n", "over", "regular-join")
      for option in _READS if option not in _OF_CHANGES),
    *(_data("group-aggregate", option) for option in _READS),
    Edit("other-class-of-a-function", "WH-03", "projection", COMPATIBLE, other_class, calls_function, "surroundings"),
    Edit("other-class-of-a-function", "OL-02", "dedup-proctime-desc", UNKNOWN, other_class, calls_function,
         "surroundings", indirect=True),
    Edit("lines-to-changes", "WH-03", "projection", COMPATIBLE, on_table(to_changes), of_lines, "surroundings"),
    Edit("other-key-of-a-source", "WH-03", "projection", COMPATIBLE, on_table(other_key), of_database, "surroundings"),
)  # fmt: skip
