"""Profile of open-source Flink: effects follow from the stored layouts, not from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepstate.diff.jobs import JobDiff
from keepstate.engines.flink.assessment import FlinkAssessment, stored_differences
from keepstate.engines.lookup import flink_effects
from keepstate.engines.profile import Assessment, EngineProfile
from keepstate.physical.comparison import pairs_of
from keepstate.physical.described import described
from keepstate.physical.job import StoredJob
from keepstate.plan.job import Job, Pipeline
from keepstate.state.queries import StoredPair, StoredQuery


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
        return tuple(map(described, job.pipelines, StoredJob.of(job).pipelines))

    def stored_pairs(
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
        return FlinkAssessment.of(diff)


FLINK = FlinkProfile(
    name="flink",
    title="open-source Apache Flink",
    effects=flink_effects(),
    undecidable=frozenset(),
    open=frozenset(),
    several_kinds_are_unknown=False,
)
