"""Shadow sinks: the sinks of a job with destinations of their own, so that two versions can run side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate.plan.job import Job, Pipeline
from keepstate.quick_fixes.separate_jobs import DESTINATIONS
from keepstate.syntax.namespace import shown
from keepstate.text import Edit

SUFFIX = "_next"


@dataclass(frozen=True)
class Shadowed:
    """``edits`` give sinks other destinations; ``notes`` name the sinks for which a person has to."""

    edits: tuple[Edit, ...]
    notes: tuple[str, ...]


def shadowed(job: Job, pipelines: Sequence[Pipeline]) -> Shadowed:
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
        made = list(_edits(job, sink))
        if not made:
            notes.append(f"Give {shown(sink)} another destination by hand: its options do not say where its rows go.")
        edits |= dict.fromkeys(made)
    return Shadowed(tuple(edits), tuple(notes))


def _edits(job: Job, sink: str) -> Iterator[Edit]:
    table = job.catalog.tables.get(sink)
    if table is None:
        return
    starts = {statement.parsed: statement.span.start for statement in job.script.statements}
    for key, option in job.catalog.options_of(table).items():
        place = option.place
        if place is None or place.statement is not table.statement or place.statement not in starts:
            continue
        if key.lower().rpartition(".")[2] in DESTINATIONS or key == "path":
            value = option.value.rstrip("/")
            yield Edit(place.span.shift(starts[place.statement]), f"'{key}' = '{value}{SUFFIX}'")
