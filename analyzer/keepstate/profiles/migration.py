"""Which parts of a state an engine can migrate: read off the table of effects, so that it never says anything else."""

from __future__ import annotations

from enum import Enum

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.plan.layouts import PartKind
from keepstate.profiles.profile import EngineProfile, verdict_of
from keepstate.profiles.table import KINDS
from keepstate.report import Verdict


class Migration(Enum):
    """What an engine does with a part of a state when its likes come, go or change."""

    YES = "yes"
    """What stays is restored, what is new starts empty, what is gone is dropped."""
    NO = "no"
    UNKNOWN = "unknown"


_TOUCHED_BY = {part: tuple(kind for kind, facts in KINDS.items() if part in facts.migrated) for part in PartKind}
"""The changes that touch nothing but a part of this kind. A marker has no content that could change."""


def migration_of(profile: EngineProfile, query: QueryKind, part: PartKind) -> Migration | None:
    """Whether the engine migrates parts of this kind in queries of this kind; ``None`` where nothing can change."""
    changes = _TOUCHED_BY[part]
    if not changes:
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
