"""Parts of a state that an engine can migrate. They are read from the table of effects, so that both always agree."""

from __future__ import annotations

from enum import Enum

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.engines.change_facts import KINDS
from keepstate.engines.profile import EngineProfile, verdict_of
from keepstate.plan.expressions import AggregateCall
from keepstate.report import Verdict
from keepstate.state.stored_operators import PartKind, StatePart, StoredField


class Migration(Enum):
    """Treatment of a part of a state when entries of its kind are added, removed or changed."""

    YES = "yes"
    """Entries that stay are restored, new ones start empty, removed ones are dropped."""
    NO = "no"
    UNKNOWN = "unknown"


_OF_PART = {
    StatePart.KEY: PartKind.KEY,
    StatePart.WINDOW: PartKind.WINDOW,
    StatePart.ACCUMULATORS: PartKind.ACCUMULATOR,
    StatePart.ROWS: PartKind.COLUMN,
    StatePart.ORDER: PartKind.COLUMN,
    StatePart.CONDITION: PartKind.MATCH,
    StatePart.KIND: PartKind.MARKER,
    StatePart.FRAME: PartKind.MARKER,
}
_TOUCHED_BY = {part: tuple(kind for kind, facts in KINDS.items() if part in facts.migrated) for part in PartKind}
"""The changes that touch nothing but a part of this kind. A marker has no content that could change."""


def kept_of(part: StatePart, field: StoredField) -> PartKind:
    """Return the kind of a field of a part of a state.

    >>> from keepstate.plan.expressions import Column
    >>> price = Column("orders", "price")
    >>> total = StoredField(AggregateCall("SUM", (price,)))
    >>> kept_of(StatePart.ACCUMULATORS, total).name, kept_of(StatePart.KEY, StoredField(price)).name
    ('ACCUMULATOR', 'KEY')

    Raises:
        KeyError: no state is stored of that part.
    """
    call = field.meaning
    if part is StatePart.ACCUMULATORS and isinstance(call, AggregateCall) and (call.opaque or call.distinct):
        return PartKind.FOREIGN_ACCUMULATOR if call.opaque else PartKind.DISTINCT_ACCUMULATOR
    return _OF_PART[part]


def migration_of(profile: EngineProfile, query: QueryKind, part: PartKind) -> Migration | None:
    """Return whether the engine migrates this part in queries of this kind; ``None`` where nothing can change.

    >>> from keepstate.engines import PROFILES
    >>> query, part = QueryKind.GROUP_AGGREGATE, PartKind.ACCUMULATOR
    >>> [migration_of(PROFILES[name], query, part).name for name in ("vvr", "flink")]
    ['YES', 'NO']
    """
    changes = _TOUCHED_BY[part]
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
    """Return whether accumulators are migrated only as long as one of them stays.

    >>> from keepstate.engines import PROFILES
    >>> needs_a_survivor(PROFILES["vvr"], QueryKind.GROUP_AGGREGATE)
    True
    """
    effect = profile.effect(query, K.ALL_AGGREGATES_REPLACED)
    return effect is not None and verdict_of(effect) is Verdict.INCOMPATIBLE
