"""The jobs of two versions of a script that go together, where the cluster runs a script as several jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.provenance import Place
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.text import Span

_SIDES = ("baseline", "current")
_Node = tuple[str, int]
"""A pair of pipelines, or a job of a side, by its number."""
Matched = Sequence[tuple[Pipeline | None, Pipeline | None]]


@dataclass(frozen=True)
class JobGroup:
    """Jobs of both versions that share queries: one of each as a rule. ``pairs`` are numbers of matched pipelines."""

    pairs: tuple[int, ...]
    baseline: frozenset[int]
    current: frozenset[int]
    """The numbers of the jobs on either side (``Pipeline.unit``)."""

    @property
    def is_one_sided(self) -> bool:
        """Return whether the job is new, or is there no more: no other job has to do with its state."""
        return not self.baseline or not self.current

    @property
    def is_regrouped(self) -> bool:
        """Return whether several jobs became one, or one several: a savepoint belongs to one job."""
        return len(self.baseline) > 1 or len(self.current) > 1


def groups_of(baseline: Job, current: Job, matches: Matched) -> tuple[JobGroup, ...]:
    """The groups of the jobs of two versions, by the pairs of their pipelines (``matches``), in the order of these.

    >>> first, second = "INSERT INTO s SELECT id FROM orders;", "INSERT INTO u SELECT id FROM orders;"
    >>> was, now = job(first).pipelines, job(first + second).pipelines
    >>> matched = [(was[0], now[0]), (None, now[1])]
    >>> [group.pairs for group in groups_of(job(first), job(first + second), matched)]
    [(0, 1)]
    """
    if baseline.unit is current.unit is JobUnit.SCRIPT:
        return (JobGroup(tuple(range(len(matches))), frozenset({0}), frozenset({0})),)
    neighbours: dict[_Node, list[_Node]] = {}
    for number, both in enumerate(matches):
        for side, pipeline in enumerate(both):
            if pipeline is not None:
                pair, job = ("pair", number), (_SIDES[side], pipeline.unit)
                neighbours.setdefault(pair, []).append(job)
                neighbours.setdefault(job, []).append(pair)
    groups: list[JobGroup] = []
    seen: set[_Node] = set()
    for start in neighbours:
        waiting, nodes = [start], list[_Node]()
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                nodes.append(node)
                waiting += neighbours[node]
        if nodes:
            pairs, was, now = (sorted(number for kind, number in nodes if kind == each) for each in ("pair", *_SIDES))
            groups.append(JobGroup(tuple(pairs), frozenset(was), frozenset(now)))
    return tuple(groups)


def regrouped(baseline: Job, current: Job, groups: Sequence[JobGroup], matches: Matched) -> Iterator[Change]:
    """Yield a change for each group whose jobs became one, or several."""
    for group in groups:
        if not group.is_regrouped or group.is_one_sided:
            continue
        kind = ChangeKind.JOBS_JOINED if len(group.baseline) > 1 else ChangeKind.JOBS_SPLIT
        pairs = [matches[number] for number in group.pairs]
        sides = [both[0] if kind is ChangeKind.JOBS_JOINED else both[1] for both in pairs]
        names = [_short(one.name) for one in sides if one is not None]
        yield Change(
            kind,
            QueryKind.JOB,
            _place(current, group.current, [now for _, now in pairs if now is not None]),
            _place(baseline, group.baseline, [was for was, _ in pairs if was is not None]),
            subject=" and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more",
        )


def _short(name: str) -> str:
    """The table of an INSERT, so that two of them fit into the first words of a message."""
    return name.removeprefix("INSERT INTO ")


def _place(job: Job, units: frozenset[int], pipelines: Sequence[Pipeline]) -> Place:
    """The beginning of the statement set; without one the INSERT that runs by itself."""
    head = next((job.sets[unit] for unit in sorted(units) if unit in job.sets), None)
    if head is not None:
        return Place(head, Span(0, len(head.text)))
    last = pipelines[-1]
    if last.target is not None:
        return last.target.place
    return Place(last.statement, Span(0, len(last.statement.text)))
