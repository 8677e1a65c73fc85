"""The jobs that the cluster runs a script as, in both versions, and those of them that nothing has reached."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter

from keepstate.diff.job_differences import JobDiff
from keepstate.diff.statements.job_groups import Division, Matched, division_of
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.plan.job import Job, Pipeline
from keepstate.syntax.contents import differing


@dataclass(frozen=True)
class SplitJob:
    """One job in both versions, of which ``pairs`` are the matched pipelines by their numbers."""

    pairs: tuple[int, ...]
    baseline: Job
    current: Job


def parts_of(baseline: Job, current: Job, matches: Matched) -> Iterator[SplitJob]:
    """Yield the parts of two versions that are one job each."""
    division = division_of(baseline, current, matches)
    if division.is_whole:
        yield SplitJob(division.parts[0], baseline, current)
        return
    for pairs in division.parts:
        yield split_job(baseline, current, matches, pairs)


def split_job(baseline: Job, current: Job, matches: Matched, pairs: tuple[int, ...]) -> SplitJob:
    """The job of some matched pipelines."""
    was, now = (_with(job, matches, pairs, side) for side, job in enumerate((baseline, current)))
    return SplitJob(pairs, was, now)


def _with(job: Job, matches: Matched, pairs: Sequence[int], side: int) -> Job:
    """The job with these queries alone."""
    numbers = sorted(one.number for number in pairs if (one := matches[number][side]) is not None)
    places = [bisect_left(job.pipelines, number, key=_NUMBER) for number in numbers]
    return replace(job, pipelines=tuple([job.pipelines[place] for place in places]))


_NUMBER = attrgetter("number")
_VERSIONS = 4
"""So many comparisons are kept: that of a text, and those of texts that its fixes make."""


@dataclass(frozen=True, eq=False)
class _Compared:
    """A comparison, and the options of its quiet parts by their numbers."""

    division: Division
    engine_versions: tuple[str | None, str | None]
    sides: tuple[Sequence[Pipeline | None], Sequence[Pipeline | None]]
    quiet: Mapping[int, PhysicalOptions]


class QuietParts:
    """The parts of the last comparisons in which all queries find their state, under the same ids, as it was. They stay
    so while the same queries are compared.
    """

    def __init__(self) -> None:
        self._last: list[_Compared] = []

    @staticmethod
    def of(diff: JobDiff) -> QuietParts:
        """The quiet parts that the memory of a comparison has."""
        return diff.current.script.memo.of_group(QuietParts, (), QuietParts)

    def of_former(self, diff: JobDiff, division: Division) -> dict[int, PhysicalOptions]:
        """The quiet parts of a comparison as far as they are known, by their numbers, with the options of the job."""
        if not _depends_on_queries(diff):
            return {}
        versions, sides = _engine_versions(diff), _sides(diff)
        alike = [one for one in self._last if one.division is division and one.engine_versions == versions]
        if not alike:
            return {}
        both = [(one, _differing(one.sides, sides)) for one in alike]
        former, touched = min(both, key=lambda each: len(each[1]))
        quiet = dict(former.quiet)
        for number in (*touched, *diff.touched):
            quiet.pop(division.owners[number][0], None)
        return quiet

    def keep(self, diff: JobDiff, division: Division, quiet: Mapping[int, PhysicalOptions]) -> None:
        """Keep the quiet parts of a comparison."""
        if _depends_on_queries(diff):
            self._last = [_Compared(division, _engine_versions(diff), _sides(diff), quiet), *self._last][:_VERSIONS]


def _depends_on_queries(diff: JobDiff) -> bool:
    """Return whether a query brings along all that it reads: no declaration counts by its place in the script."""
    return diff.baseline.catalog.unambiguous and diff.current.catalog.unambiguous


def _engine_versions(diff: JobDiff) -> tuple[str | None, str | None]:
    return diff.baseline.engine_version, diff.current.engine_version


def _sides(diff: JobDiff) -> tuple[Sequence[Pipeline | None], Sequence[Pipeline | None]]:
    return list(map(itemgetter(0), diff.matches)), list(map(itemgetter(1), diff.matches))


def _differing(was: Iterable[Sequence[object]], now: Iterable[Sequence[object]]) -> set[int]:
    return {number for one, other in zip(was, now, strict=True) for number in differing(one, other)}
