"""Seeded edits: what is done to a job, and what the specification says of it.

An edit prepares a query so that the edit makes sense there, and then changes it. Both versions come back with the
clauses marked that a finding must touch: the new clause in the current version, a removed one in the baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from generated_jobs import Job
from keepstate.report import Verdict
from spelling import Chance

COMPATIBLE, PARTIAL, UNKNOWN, INCOMPATIBLE = (
    Verdict.COMPATIBLE, Verdict.PARTIAL, Verdict.UNKNOWN, Verdict.INCOMPATIBLE
)  # fmt: skip

Prepare = Callable[[Job, Chance], Job]
Change = Callable[[Job, Chance], tuple[Job, Job]]
OnQuery = Callable[[Any, Chance], Any]


@dataclass(frozen=True)
class Edit:
    """``part`` names what of the job is edited: edits of different parts can be combined (section 17).

    ``item`` is the kind of item of OL-03. ``sticky`` says that the verdict wins over all others of the pipeline,
    ``opens`` that it does over all but a ``certain`` loss (CMB-01).
    """

    name: str
    spec: str
    kind: str
    verdict: Verdict
    change: Change
    prepare: Prepare = field(default=lambda job, chance: job)
    part: str = ""
    item: str = ""
    sticky: bool = False
    also: frozenset[Verdict] = field(default=frozenset(), kw_only=True)
    """Verdicts between which and ``verdict`` the specification leaves the choice: two of its rows tell the edit."""
    silent: bool = field(default=False, kw_only=True)
    """No finding at all is allowed, not even a compatible one."""
    rule: str = field(default="", kw_only=True)
    """The rule that has to report, where the edit is compatible and has to be reported nevertheless."""
    shape: str = ""
    """The shape of the query; edits that ask for different shapes cannot be combined."""
    indirect: bool = False
    """The edit is below the clause that it changes. Where that clause is spelled anew as well, both are good places."""
    opens: bool = False
    certain: bool = True

    @property
    def id(self) -> str:
        return f"{self.spec}-{self.kind}-{self.name}"


def on_query(change: OnQuery) -> Change:
    """An edit of a job from an edit of its query."""

    def apply(job: Job, chance: Chance) -> tuple[Job, Job]:
        before, after = change(job.query, chance)
        return job.with_query(before), job.with_query(after)

    return apply


def prepared(*steps: Callable[[Any, Chance], Any]) -> Prepare:
    def prepare(job: Job, chance: Chance) -> Job:
        for step in steps:
            job = job.with_query(step(job.query, chance))
        return job

    return prepare


def edit(
    spec: str, kind: str, verdict: Verdict, change: OnQuery, *steps: Callable[[Any, Chance], Any], part: str,
    item: str = "", name: str = "", sticky: bool = False, shape: str = "", indirect: bool = False,
    opens: bool = False, certain: bool = True,
) -> Edit:  # fmt: skip
    """An edit of the query, after the ``steps`` that prepare it."""
    name = name or change.__name__.replace("_", "-")
    facts = (part, item, sticky, shape, indirect, opens, certain)
    return Edit(name, spec, kind, verdict, on_query(change), prepared(*steps), *facts)


def said_of_pipelines(first: Edit, second: Edit) -> Verdict:
    """The verdict of edits of two pipelines of one job."""
    worst = max((first.verdict, second.verdict), key=lambda verdict: verdict.rank)
    items = {edit.item for edit in (first, second) if edit.item}
    return UNKNOWN if len(items) > 1 and worst is not INCOMPATIBLE else worst


def said_of(first: Edit, second: Edit) -> Verdict:
    """The verdict of two edits of different parts of one pipeline."""
    edits = (first, second)
    if any(edit.sticky for edit in edits):
        return UNKNOWN
    worst = max((edit.verdict for edit in edits), key=lambda verdict: verdict.rank)
    if any(edit.opens for edit in edits):
        # A condition beside one on a window field is part of one filter.
        one_filter = any(edit.spec == "WTVF-24" for edit in edits) and any(edit.part == "filter" for edit in edits)
        return worst if all(edit.certain for edit in edits) and not one_filter else UNKNOWN
    items = {edit.item for edit in edits if edit.item}
    if len(items) > 1 and worst is not INCOMPATIBLE:
        return UNKNOWN
    return worst
