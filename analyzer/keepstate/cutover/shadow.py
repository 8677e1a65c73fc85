"""Shadow sinks: the sinks of a job with destinations of their own, so that two versions can run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from keepstate.cutover.flaws import streams_of
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.metadata.connectors import connector_of
from keepstate.quick_fixes.separate_jobs import DESTINATIONS
from keepstate.syntax.namespace import display_name
from keepstate.text import Edit

SUFFIX = "_next"
_OF_A_WRITER = frozenset({"sink.transactional-id-prefix"})
"""Names that two jobs may not share: the second writer ends the first one."""
_OF_A_READER = frozenset({"properties.group.id", "slot.name"})
_NUMBERED = frozenset({"mysql-cdc", "mysql"})
"""Connectors whose readers have numbers that the database admits once."""


@dataclass(frozen=True)
class ShadowScript:
    """``edits`` give sinks other destinations; ``notes`` name them, and the sinks for which a person has to."""

    edits: tuple[Edit, ...]
    notes: tuple[str, ...]


def shadowed(job: Job, pipelines: Sequence[Pipeline]) -> ShadowScript:
    """The sinks of some queries of a job, with destinations that end in ``_next``.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> text = "CREATE TABLE s (n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'sums'); INSERT INTO s SELECT 1"
    >>> job = job_of(JobVersion(text))
    >>> [edit.new_text for edit in shadowed(job, job.pipelines).edits]
    ["'topic' = 'sums_next'"]
    """
    edits: dict[Edit, None] = {}
    notes: list[str] = []
    sinks = dict.fromkeys(pipeline.sink for pipeline in pipelines if pipeline.sink is not None)
    for sink in sinks:
        writer_edits = list(_edits(job, sink, _is_place))
        if writer_edits:
            places = ", ".join(edit.new_text.replace("'", "") for edit in writer_edits)
            notes.append(f"The new job fills {display_name(sink)} with {places}: make it first.")
        else:
            notes.append(
                f"Give {display_name(sink)} another destination by hand: its options do not say where its rows go."
            )
        writer_edits += _edits(job, sink, lambda key: key in _OF_A_WRITER)
        edits |= dict.fromkeys(writer_edits)
    # Beside the running job, a group of its own: else each job would see a part of the committed offsets.
    for table in dict.fromkeys(table for pipeline in pipelines for table in streams_of(pipeline)):
        edits |= dict.fromkeys(_edits(job, table, lambda key: key in _OF_A_READER))
        definition = job.catalog.tables.get(table)
        if definition is not None and connector_of(job.catalog.options_of(definition)) in _NUMBERED:
            notes.append(
                f"Give {display_name(table)} another server-id by hand: MySQL ends the connection of the running job "
                "when another reader has the same."
            )
    return ShadowScript(tuple(edits), tuple(notes))


def _is_place(key: str) -> bool:
    return key.lower().rpartition(".")[2] in DESTINATIONS or key == "path"


def _text(value: str) -> str:
    """A text as SQL writes it."""
    return "'{}'".format(value.replace("'", "''"))


def _edits(job: Job, name: str, is_asked: Callable[[str], bool]) -> Iterator[Edit]:
    """The edits that put the suffix behind the values of some options of a table."""
    table = job.catalog.tables.get(name)
    if table is None:
        return
    starts = {statement.parsed: statement.span.start for statement in job.script.statements}
    for key, option in job.catalog.options_of(table).items():
        place = option.place
        if place is None or place.statement is not table.statement or place.statement not in starts:
            continue
        if is_asked(key):
            value = option.value.rstrip("/")
            yield Edit(place.span.shift(starts[place.statement]), f"{_text(key)} = {_text(value + SUFFIX)}")
