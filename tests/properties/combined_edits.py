"""Two edits at once, of one query or of two: which go together, and what section 17 says of them."""

from __future__ import annotations

from dataclasses import dataclass

from catalogue_of_edits import EDITS
from edits import Edit, said_of, said_of_pipelines
from generated_jobs import Insert, Job, Sink
from keepstate.report import Verdict
from kinds import QUERIES, job_of
from pending import PENDING_EDITS
from spelling import PLAIN, Chance, NothingToPick

_ALONE = ("surroundings", "engine", "settings")


def _is_plain(edit: Edit) -> bool:
    """Return whether one verdict is expected of the edit, and the product is not known to give another one."""
    return not edit.also and edit.id not in PENDING_EDITS


_OF_QUERIES = [edit for edit in EDITS if edit.kind in QUERIES and edit.part not in _ALONE and _is_plain(edit)]
KINDS = sorted({edit.kind for edit in _OF_QUERIES})
COMBINABLE = {kind: [edit for edit in _OF_QUERIES if edit.kind == kind] for kind in KINDS}
KINDS_OF_TWO = [kind for kind in KINDS if len({edit.part for edit in COMBINABLE[kind]}) > 1]


@dataclass(frozen=True)
class Combined:
    edits: tuple[Edit, Edit]
    verdict: Verdict
    before: Job
    after: Job

    @property
    def label(self) -> str:
        return f"{self.edits[0].id} and {self.edits[1].id}: {self.verdict.value}"


def edits_of_one_query(chance: Chance, kind: str | None = None) -> Combined | None:
    """Two edits of different parts of a query, or ``None`` if the drawn ones need different baselines."""
    kind = kind or chance.pick(*KINDS_OF_TWO)
    edits = COMBINABLE[kind]
    first = chance.pick(*edits)
    second = chance.pick(*(edit for edit in edits if _go_together(first, edit)))
    job = second.prepare(first.prepare(job_of(kind, chance), chance), chance)
    try:
        before, between = first.change(job, chance)
        middle, after = second.change(between, chance)
    except NothingToPick:
        # What prepared the second edit undid what the first one needs.
        return None
    if middle.script(PLAIN).text != between.script(PLAIN).text:
        return None
    return Combined((first, second), said_of(first, second), before, after)


def _go_together(first: Edit, second: Edit) -> bool:
    """Different parts of a query of one shape; an open question together with a lost source has no specified result."""
    parts = {first.part, second.part}
    if len(parts) == 1 or {first.shape, second.shape} == {"rows", "below"} or parts == {"below", "partition"}:
        return False
    return not (parts & {"source", "sink"} and (first.sticky or second.sticky))


def edits_of_two_queries(chance: Chance) -> Combined | None:
    """An edit in each of two queries, or ``None`` where one of them is about more than its query."""
    first, second = (chance.pick(*COMBINABLE[chance.pick(*KINDS)]) for _ in range(2))
    if any(edit.part in ("source", "sink") for edit in (first, second)):
        return None
    befores, afters = [], []
    for edit, name in ((first, "results"), (second, "further_results")):
        job = edit.prepare(Job((Insert(QUERIES[edit.kind](chance), Sink(name)),)), chance)
        before, after = edit.change(job, chance)
        # Settings hold for both queries.
        if before.settings or after.settings:
            return None
        befores.append(before.inserts[0])
        afters.append(after.inserts[0])
    before, after = Job(tuple(befores)), Job(tuple(afters))
    if any(declares_twice(job) for job in (before, after)):
        return None
    return Combined((first, second), said_of_pipelines(first, second), before, after)


def declares_twice(job: Job) -> bool:
    """Return whether two queries need one table in two forms."""
    declared = {table.name: table for insert in job.inserts for table in insert.query.tables}
    return any(declared[table.name] != table for insert in job.inserts for table in insert.query.tables)
