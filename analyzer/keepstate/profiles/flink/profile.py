"""The profile of open-source Flink: what a change does follows from the layouts that it stores, not from a table."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.diff.jobs import JobDiff
from keepstate.profiles.flink.assessment import FlinkAssessment
from keepstate.profiles.lookup import flink_effects
from keepstate.profiles.profile import Assessment, EngineProfile


@dataclass(frozen=True)
class FlinkProfile(EngineProfile):
    """``effects`` are the loudest that each kind of change can have: for readers, who see no layouts."""

    @property
    def decides_by_kind(self) -> bool:
        return False

    def assessment(self, diff: JobDiff) -> Assessment:
        return FlinkAssessment.of(diff)


FLINK = FlinkProfile(
    name="flink",
    title="open-source Apache Flink",
    effects=flink_effects(),
    sticky=frozenset(),
    open=frozenset(),
    several_kinds_are_unknown=False,
)
