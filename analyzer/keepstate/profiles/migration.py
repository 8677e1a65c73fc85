"""Which parts of a state an engine can migrate: read off the table of effects, so that it never says anything else."""

from __future__ import annotations

from enum import Enum

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.plan.expressions import AggregateCall
from keepstate.profiles.profile import EngineProfile, verdict_of
from keepstate.report import Verdict
from keepstate.state.stored import Part, StoredField


class Migration(Enum):
    """What an engine does with a part of a state when its likes come, go or change."""

    YES = "yes"
    """What stays is restored, what is new starts empty, what is gone is dropped."""
    NO = "no"
    UNKNOWN = "unknown"


class Kept(Enum):
    """What is kept, as far as engines tell it apart when they migrate; the value says it in the plural."""

    KEY = "key"
    WINDOW = "window"
    ACCUMULATOR = "accumulators"
    DISTINCT_ACCUMULATOR = "distinct accumulators"
    FOREIGN_ACCUMULATOR = "accumulators of foreign functions"
    COLUMN = "stored rows"
    MATCH = "partial matches"
    MARKER = "markers"
    """Without content: that a group exists, that a key was seen, how often a row occurred."""


_OF_PART = {
    Part.KEY: Kept.KEY,
    Part.WINDOW: Kept.WINDOW,
    Part.ACCUMULATORS: Kept.ACCUMULATOR,
    Part.ROWS: Kept.COLUMN,
    Part.ORDER: Kept.COLUMN,
    Part.CONDITION: Kept.MATCH,
    Part.KIND: Kept.MARKER,
    Part.FRAME: Kept.MARKER,
}
_TOUCHED_BY = {
    Kept.KEY: (
        K.GROUP_KEY_ADDED,
        K.GROUP_KEY_REMOVED,
        K.GROUP_KEY_CHANGED,
        K.PARTITION_KEY_ADDED,
        K.PARTITION_KEY_REMOVED,
        K.PARTITION_KEY_CHANGED,
        K.JOIN_CONDITION_CHANGED,
        K.SET_OPERATION_COLUMNS_CHANGED,
    ),
    Kept.WINDOW: (
        K.WINDOW_KIND_CHANGED,
        K.WINDOW_SIZE_CHANGED,
        K.WINDOW_TIME_ATTRIBUTE_CHANGED,
    ),
    Kept.ACCUMULATOR: (K.AGGREGATE_ADDED, K.AGGREGATE_REMOVED, K.AGGREGATE_CHANGED),
    Kept.DISTINCT_ACCUMULATOR: (
        K.DISTINCT_AGGREGATE_ADDED,
        K.DISTINCT_AGGREGATE_REMOVED,
        K.DISTINCT_AGGREGATE_CHANGED,
    ),
    Kept.FOREIGN_ACCUMULATOR: (K.PYTHON_AGGREGATE,),
    Kept.COLUMN: (
        K.RANK_INPUT_CHANGED,
        K.OVER_INPUT_CHANGED,
        K.JOIN_INPUT_CHANGED,
        K.SORT_INPUT_CHANGED,
        K.LIMIT_INPUT_CHANGED,
        K.PATTERN_INPUT_CHANGED,
    ),
    Kept.MATCH: (K.PATTERN_CHANGED, K.MEASURES_CHANGED, K.DEFINE_CHANGED, K.PATTERN_INPUT_CHANGED),
    Kept.MARKER: (),
}
"""The changes that touch nothing but what is kept of this kind. A marker has no content that could change."""


def kept_of(part: Part, field: StoredField) -> Kept:
    """What a field of a part of a state is.

    Raises:
        KeyError: no state is stored of that part.
    """
    call = field.meaning
    if part is Part.ACCUMULATORS and isinstance(call, AggregateCall) and (call.opaque or call.distinct):
        return Kept.FOREIGN_ACCUMULATOR if call.opaque else Kept.DISTINCT_ACCUMULATOR
    return _OF_PART[part]


def migration_of(profile: EngineProfile, query: QueryKind, kept: Kept) -> Migration | None:
    """Whether the engine migrates what is kept in queries of this kind; ``None`` where nothing can change."""
    changes = _TOUCHED_BY[kept]
    if not changes:
        return None
    if not profile.migrates:
        return Migration.NO
    effects = [effect for change in changes if (effect := profile.effect(query, change)) is not None]
    verdicts = {verdict_of(effect) for effect in effects}
    if Verdict.INCOMPATIBLE in verdicts:
        return Migration.NO
    return Migration.UNKNOWN if not verdicts or Verdict.UNKNOWN in verdicts else Migration.YES


def needs_a_survivor(profile: EngineProfile, query: QueryKind) -> bool:
    """Whether accumulators are migrated only as long as one of them stays."""
    effect = profile.effect(query, K.ALL_AGGREGATES_REPLACED)
    return effect is not None and verdict_of(effect) is Verdict.INCOMPATIBLE
