"""The jobs of two versions of a script that go together, where the cluster runs a script as several jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, itemgetter

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


@dataclass(frozen=True, eq=False)
class Division:
    """The groups of the jobs of two versions, in the order of their pipelines."""

    groups: tuple[JobGroup, ...]

    @cached_property
    def of_one_side(self) -> frozenset[int]:
        """The numbers of the pairs whose job is new, or is there no more."""
        return frozenset(number for group in self.groups if group.is_one_sided for number in group.pairs)

    @cached_property
    def of_both(self) -> tuple[JobGroup, ...]:
        """The groups that have jobs on both sides."""
        return tuple(group for group in self.groups if not group.is_one_sided)

    @cached_property
    def regrouped(self) -> tuple[JobGroup, ...]:
        """The groups of both sides whose jobs became one, or several."""
        return tuple(group for group in self.of_both if group.is_regrouped)

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the pairs of each job. Queries whose jobs were joined or split come one by one: what they are
        without that.
        """
        parts: list[tuple[int, ...]] = []
        for group in self.groups:
            parts += [(number,) for number in group.pairs] if group.is_regrouped else [group.pairs]
        return tuple(parts)

    @cached_property
    def owners(self) -> Mapping[int, tuple[int, int]]:
        """For each pair the number of its part, and its own number there."""
        return {number: (place, index) for place, pairs in enumerate(self.parts) for index, number in enumerate(pairs)}

    @property
    def is_whole(self) -> bool:
        """Return whether the script is one job, in both versions."""
        return len(self.groups) == 1 and not self.groups[0].is_regrouped


def division_of(baseline: Job, current: Job, matches: Matched) -> Division:
    """The jobs of two versions that go together, by the pairs of their pipelines (``matches``). Texts in which the same
    queries are one job share their division.

    >>> first, second = "INSERT INTO s SELECT id FROM orders;", "INSERT INTO u SELECT id FROM orders;"
    >>> was, now = job(first).pipelines, job(first + second).pipelines
    >>> matched = [(was[0], now[0]), (None, now[1])]
    >>> [group.pairs for group in division_of(job(first), job(first + second), matched).groups]
    [(0, 1)]
    """
    if baseline.unit is current.unit is JobUnit.SCRIPT:
        return Division((JobGroup(tuple(range(len(matches))), frozenset({0}), frozenset({0})),))
    units = (_units(map(itemgetter(0), matches)), _units(map(itemgetter(1), matches)))
    return current.script.memo.of_group(Division, units, lambda: Division(_grouped(units)))


def _units(pipelines: Iterable[Pipeline | None]) -> tuple[int | None, ...]:
    """The numbers of the jobs of pipelines; ``None`` for one that is not there."""
    side = list(pipelines)
    try:
        return tuple(map(_UNIT, side))
    except AttributeError:
        return tuple([None if one is None else one.unit for one in side])


_UNIT = attrgetter("unit")


def _grouped(units: tuple[tuple[int | None, ...], tuple[int | None, ...]]) -> tuple[JobGroup, ...]:
    neighbours: dict[_Node, list[_Node]] = {}
    for number, both in enumerate(zip(*units, strict=True)):
        for side, unit in enumerate(both):
            if unit is not None:
                pair, job = ("pair", number), (_SIDES[side], unit)
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


def regrouped(baseline: Job, current: Job, division: Division, matches: Matched) -> Iterator[Change]:
    """Yield a change for each group whose jobs became one, or several."""
    for group in division.regrouped:
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
