"""Profile of open-source Flink: effects follow from the stored layouts, not from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from keepstate.diff.jobs import JobDiff
from keepstate.engines.flink.assessment import stored_differences
from keepstate.engines.flink.several_jobs import SeveralJobs, parts_of
from keepstate.engines.lookup import flink_effects
from keepstate.engines.profile import Assessment, EngineProfile
from keepstate.physical.comparison import pairs_of
from keepstate.physical.described import described
from keepstate.physical.job import StoredJob
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.state.queries import StoredPair, StoredQuery
from keepstate.syntax.script import Statement


@dataclass(frozen=True)
class FlinkProfile(EngineProfile):
    """``effects`` are the loudest that each kind of change can have: for readers, who see no layouts."""

    @property
    def decides_by_kind(self) -> bool:
        return False

    @property
    def migrates(self) -> bool:
        return False

    def stored(self, job: Job) -> tuple[StoredQuery, ...]:
        found: dict[Statement, StoredQuery] = {}
        for unit in dict.fromkeys(pipeline.unit for pipeline in job.pipelines):
            own = replace(job, pipelines=tuple(one for one in job.pipelines if one.unit == unit))
            for pipeline, stored in zip(own.pipelines, StoredJob.of(own).pipelines, strict=True):
                found[pipeline.statement] = described(pipeline, stored)
        return tuple(found[pipeline.statement] for pipeline in job.pipelines)

    def stored_pairs(
        self, baseline: Job, current: Job, matched: Sequence[tuple[Pipeline | None, Pipeline | None]]
    ) -> tuple[StoredPair, ...]:
        found: dict[int, StoredPair] = {}
        for part in parts_of(baseline, current, matched):
            own = [matched[number] for number in part.pairs]
            found.update(zip(part.pairs, self._stored_pairs(part.baseline, part.current, own), strict=True))
        return tuple(found[number] for number in range(len(matched)))

    def _stored_pairs(
        self, baseline: Job, current: Job, matched: Sequence[tuple[Pipeline | None, Pipeline | None]]
    ) -> tuple[StoredPair, ...]:
        jobs = pairs_of(baseline, current, matched)
        found: list[StoredPair] = []
        for (was, now), (first, second), pair in zip(matched, jobs.numbers, jobs.pairs, strict=True):
            before = described(was, jobs.before.pipelines[first]) if was is not None and first is not None else None
            after = described(now, jobs.after.pipelines[second]) if now is not None and second is not None else None
            if pair is None:
                found.append(StoredPair(before, after))
                continue
            counterparts = tuple((one.number, other.number) for one, other in pair.operators if one and other)
            found.append(StoredPair(before, after, counterparts, tuple(stored_differences(pair))))
        return tuple(found)

    def assessment(self, diff: JobDiff) -> Assessment:
        return SeveralJobs.of(diff)


FLINK = FlinkProfile(
    name="flink",
    title="open-source Apache Flink",
    effects=flink_effects(),
    undecidable=frozenset(),
    open=frozenset(),
    jobs=JobUnit.EACH_INSERT,
    several_kinds_are_unknown=False,
)
