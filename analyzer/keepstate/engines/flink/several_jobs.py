"""Outcomes where the cluster runs a script as several jobs: each job has operator ids and savepoints of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change
from keepstate.diff.job_differences import JobDiff
from keepstate.diff.statements.job_groups import Matched, groups_of
from keepstate.engines.flink.assessment import Disagreement, FlinkAssessment
from keepstate.engines.profile import Assessment, Outcome, clause_precedence
from keepstate.plan.job import Job


@dataclass(frozen=True)
class SplitJob:
    """One job in both versions, of which ``pairs`` are the matched pipelines by their numbers."""

    pairs: tuple[int, ...]
    baseline: Job
    current: Job


def parts_of(baseline: Job, current: Job, matches: Matched) -> Iterator[SplitJob]:
    """Yield the parts of two versions that are one job each. Queries whose jobs were joined or split come one by one:
    what they are without that.
    """
    groups = groups_of(baseline, current, matches)
    if len(groups) == 1 and not groups[0].is_regrouped:
        yield SplitJob(groups[0].pairs, baseline, current)
        return
    places = tuple(_places(job) for job in (baseline, current))
    for group in groups:
        for pairs in [(number,) for number in group.pairs] if group.is_regrouped else [group.pairs]:
            was, now = (_with(job, matches, pairs, side, places[side]) for side, job in enumerate((baseline, current)))
            yield SplitJob(pairs, was, now)


def _places(job: Job) -> Mapping[int, int]:
    return {pipeline.number: place for place, pipeline in enumerate(job.pipelines)}


def _with(job: Job, matches: Matched, pairs: Sequence[int], side: int, places: Mapping[int, int]) -> Job:
    """The job with these queries alone."""
    own = sorted(places[one.number] for number in pairs if (one := matches[number][side]) is not None)
    return replace(job, pipelines=tuple(job.pipelines[place] for place in own))


@dataclass(frozen=True, eq=False)
class SeveralJobs:
    """The assessments of the jobs of a script, asked as if they were one."""

    assessments: tuple[FlinkAssessment, ...]
    owners: Mapping[int, tuple[int, int]]
    """For each pair of pipelines the number of the assessment that has it, and that of the pair there."""
    pairs: Mapping[tuple[int, int], int]
    """The numbers of pairs, by those of assessments and within these."""

    @staticmethod
    def of(diff: JobDiff) -> Assessment:
        """The assessment of a comparison."""
        parts = list(parts_of(diff.baseline, diff.current, diff.matches))
        if len(parts) <= 1:
            return FlinkAssessment.of(diff)
        assessments: list[FlinkAssessment] = []
        owners: dict[int, tuple[int, int]] = {}
        pairs: dict[tuple[int, int], int] = {}
        for place, part in enumerate(parts):
            own = tuple(diff.pairs[number] for number in part.pairs)
            assessment = FlinkAssessment.of(replace(diff, baseline=part.baseline, current=part.current, pairs=own))
            assessments.append(assessment)
            for index, number in enumerate(part.pairs):
                owners[number] = place, index
                pairs[place, index] = number
        return SeveralJobs(tuple(assessments), owners, pairs)

    @property
    def disagreements(self) -> list[Disagreement]:
        return [
            replace(each, pair=self.pairs[place, each.pair])
            for place, assessment in enumerate(self.assessments)
            for each in assessment.disagreements
        ]

    def outcome(self, change: Change, pair: int | None) -> Outcome:
        if pair is not None:
            place, number = self.owners[pair]
            return self.assessments[place].outcome(change, number)
        outcomes = [assessment.outcome(change, None) for assessment in self.assessments]
        return max(outcomes, key=lambda one: clause_precedence(one.effect))

    @property
    def beyond_diff(self) -> frozenset[int]:
        return frozenset(
            self.pairs[place, number]
            for place, assessment in enumerate(self.assessments)
            for number in assessment.beyond_diff
        )

    def further_changes(self, pair: int) -> tuple[Change, ...]:
        place, number = self.owners[pair]
        return self.assessments[place].further_changes(number)

    def foreign_changes_of(self, pair: int) -> frozenset[tuple[int, Change]]:
        place, number = self.owners[pair]
        felt = self.assessments[place].foreign_changes_of(number)
        return frozenset((self.pairs[place, other], change) for other, change in felt)

    def unpaired_outcome(self, pair: int) -> Outcome:
        place, number = self.owners[pair]
        return self.assessments[place].unpaired_outcome(number)
