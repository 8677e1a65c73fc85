"""The profile of open-source Flink: what a change does follows from the layouts that it stores, not from a table."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.diff.jobs import JobDiff
from keepstate.profiles.flink.assessment import FlinkAssessment
from keepstate.profiles.flink.cases import CASES, cases_of
from keepstate.profiles.profile import Assessment, Case, EngineProfile
from keepstate.profiles.vvr import VVR


@dataclass(frozen=True)
class FlinkProfile(EngineProfile):
    """``effects`` are the loudest that each kind of change can have: for readers, who see no layouts."""

    @property
    def decides_by_kind(self) -> bool:
        return False

    def cases(self, query: QueryKind, kind: ChangeKind) -> tuple[Case, ...]:
        return cases_of(query, kind) if kind in CASES else ()

    def assessment(self, diff: JobDiff) -> Assessment:
        return FlinkAssessment.of(diff)


_TOLD_HERE_ONLY = (
    ChangeKind.OPERATOR_IDS_CHANGED,
    ChangeKind.STORED_STATE_CHANGED,
    ChangeKind.QUERY_REFUSED,
    ChangeKind.AGGREGATES_REORDERED,
    ChangeKind.RANK_COLUMN_CHANGED,
)
"""Kinds of changes that rules of the whole job speak about, as they cost something by this profile alone."""

FLINK = FlinkProfile(
    name="flink",
    title="open-source Apache Flink",
    # The changes that the one profile knows are those that there are.
    effects={
        query: {
            kind: max((case.effect for case in cases_of(query, kind)), key=lambda effect: effect.loudness)
            for kind in effects
        }
        for query, effects in {
            **VVR.effects,
            QueryKind.JOB: {
                **VVR.effects[QueryKind.JOB],
                **dict.fromkeys(_TOLD_HERE_ONLY),
            },
        }.items()
    },
    sticky=frozenset(),
    open=frozenset(),
    several_kinds_are_unknown=False,
)
