"""Profile of open-source Flink: effects follow from the stored layouts, not from a table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from keepstate.diff.job_differences import JobDiff
from keepstate.engines.flink.assessment import stored_differences
from keepstate.engines.flink.several_jobs import SeveralJobs
from keepstate.engines.flink.split_jobs import parts_of
from keepstate.engines.lookup import flink_effects
from keepstate.engines.profile import Assessment, EngineProfile
from keepstate.physical.readable_state import described
from keepstate.physical.stored_job import StoredJob
from keepstate.physical.stored_pairing import pairs_of
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.settings import Settings
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.state.stored_queries import StoredPair, StoredQuery
from keepstate.syntax.memo import Memo


@dataclass(frozen=True)
class FlinkProfile(EngineProfile):
    """``effects`` are the loudest that each kind of change can have: for readers, who see no layouts."""

    @property
    def decides_by_kind(self) -> bool:
        return False

    @property
    def migrates(self) -> bool:
        return False

    def stored_of(self, job: Job, pipelines: Sequence[Pipeline]) -> tuple[StoredQuery, ...]:
        queries: dict[int, StoredQuery] = {}
        # Ids, and with them the layouts that two queries share, are those of a whole unit.
        units: dict[int, list[Pipeline]] = {pipeline.unit: [] for pipeline in pipelines}
        for pipeline in job.pipelines:
            if pipeline.unit in units:
                units[pipeline.unit].append(pipeline)
        for own in units.values():
            stored_job = StoredJob.of(replace(job, pipelines=tuple(own)), with_places=True)
            for place, pipeline in enumerate(own):
                queries[pipeline.number] = _described(pipeline, stored_job, place, job.script.memo)
        return tuple(queries[pipeline.number] for pipeline in pipelines)

    def stored_pairs(
        self, baseline: Job, current: Job, matches: Sequence[tuple[Pipeline | None, Pipeline | None]]
    ) -> tuple[StoredPair, ...]:
        pairs: dict[int, StoredPair] = {}
        for part in parts_of(baseline, current, matches):
            own = [matches[number] for number in part.pairs]
            pairs.update(zip(part.pairs, self._stored_pairs(part.baseline, part.current, own), strict=True))
        return tuple(pairs[number] for number in range(len(matches)))

    def _stored_pairs(
        self, baseline: Job, current: Job, matches: Sequence[tuple[Pipeline | None, Pipeline | None]]
    ) -> tuple[StoredPair, ...]:
        jobs = pairs_of(baseline, current, matches)
        pairs: list[StoredPair] = []
        for (was, now), (first, second), pair in zip(matches, jobs.numbers, jobs.pairs, strict=True):
            before = _read(was, jobs.before, first) if was is not None and first is not None else None
            after = _read(now, jobs.after, second) if now is not None and second is not None else None
            if pair is None:
                pairs.append(StoredPair(before, after))
                continue
            counterparts = tuple((one.number, other.number) for one, other in pair.operators if one and other)
            pairs.append(StoredPair(before, after, counterparts, tuple(stored_differences(pair))))
        return tuple(pairs)

    def assessment(self, diff: JobDiff) -> Assessment:
        return SeveralJobs.of(diff)


def _described(pipeline: Pipeline, job: StoredJob, place: int, memo: Memo) -> StoredQuery:
    """A query of a stored job in words, kept in ``memo`` for the next version of the job."""
    key = _Stored(pipeline.plan, pipeline.settings, job.identity_of(place))
    return memo.get_or_compute(_Stored, pipeline.statement, key, lambda: _read(pipeline, job, place))


def _read(pipeline: Pipeline, job: StoredJob, place: int) -> StoredQuery:
    return described(pipeline, job.pipelines[place], PlannerGeneration.of(job.options.flink))


@dataclass(frozen=True, eq=False)
class _Stored:
    """A stored query as a key of a cache: ``identity`` is that of what it stores, and of the ids."""

    plan: Plan
    settings: Settings
    identity: Hashable

    def __hash__(self) -> int:
        # Each statement has the few results of its own.
        return 0

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Stored)
            and other.plan is self.plan
            and other.identity == self.identity
            and other.settings == self.settings
        )


FLINK = FlinkProfile(
    name="flink",
    title="open-source Apache Flink",
    effects=flink_effects(),
    undecidable=frozenset(),
    open=frozenset(),
    jobs=JobUnit.EACH_INSERT,
    several_kinds_are_unknown=False,
)
