"""Which parts of a state an engine can migrate: read off the table of effects, so that it never says anything else."""

from __future__ import annotations

from enum import Enum

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.plan.layouts import PartKind
from keepstate.profiles.profile import EngineProfile, verdict_of
from keepstate.report import Verdict


class Migration(Enum):
    """What an engine does with a part of a state when its likes come, go or change."""

    YES = "yes"
    """What stays is restored, what is new starts empty, what is gone is dropped."""
    NO = "no"
    UNKNOWN = "unknown"


_TOUCHED_BY = {
    PartKind.KEY: (
        K.GROUP_KEY_ADDED,
        K.GROUP_KEY_REMOVED,
        K.GROUP_KEY_CHANGED,
        K.PARTITION_KEY_ADDED,
        K.PARTITION_KEY_REMOVED,
        K.PARTITION_KEY_CHANGED,
        K.JOIN_CONDITION_CHANGED,
        K.SET_OPERATION_COLUMNS_CHANGED,
    ),
    PartKind.WINDOW: (
        K.WINDOW_KIND_CHANGED,
        K.WINDOW_SIZE_CHANGED,
        K.WINDOW_TIME_ATTRIBUTE_CHANGED,
    ),
    PartKind.ACCUMULATOR: (K.AGGREGATE_ADDED, K.AGGREGATE_REMOVED, K.AGGREGATE_CHANGED),
    PartKind.DISTINCT_ACCUMULATOR: (
        K.DISTINCT_AGGREGATE_ADDED,
        K.DISTINCT_AGGREGATE_REMOVED,
        K.DISTINCT_AGGREGATE_CHANGED,
    ),
    PartKind.FOREIGN_ACCUMULATOR: (K.PYTHON_AGGREGATE,),
    PartKind.COLUMN: (
        K.RANK_INPUT_CHANGED,
        K.OVER_INPUT_CHANGED,
        K.JOIN_INPUT_CHANGED,
        K.SORT_INPUT_CHANGED,
        K.LIMIT_INPUT_CHANGED,
        K.PATTERN_INPUT_CHANGED,
    ),
    PartKind.MATCH: (K.PATTERN_CHANGED, K.MEASURES_CHANGED, K.DEFINE_CHANGED, K.PATTERN_INPUT_CHANGED),
}
"""The changes that touch nothing but a part of this kind. A marker has no content that could change."""


def migration_of(profile: EngineProfile, query: QueryKind, part: PartKind) -> Migration | None:
    """Whether the engine migrates parts of this kind in queries of this kind; ``None`` where nothing can change."""
    changes = _TOUCHED_BY.get(part)
    if changes is None:
        return None
    effects = [effect for change in changes if (effect := profile.effect(query, change)) is not None]
    verdicts = {verdict_of(effect) for effect in effects}
    if Verdict.INCOMPATIBLE in verdicts:
        return Migration.NO
    return Migration.UNKNOWN if not verdicts or Verdict.UNKNOWN in verdicts else Migration.YES


def needs_a_survivor(profile: EngineProfile, query: QueryKind) -> bool:
    """Whether accumulators are migrated only as long as one of them stays."""
    effect = profile.effect(query, K.ALL_AGGREGATES_REPLACED)
    return effect is not None and verdict_of(effect) is Verdict.INCOMPATIBLE
