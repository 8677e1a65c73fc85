"""Facts of the rule pages that engine profiles judge by. Their values are generated (``profiles.table``)."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.diff.changes import ChangeKind
from keepstate.diff.subjects import ItemKind
from keepstate.report import Effect
from keepstate.state.stored_operators import PartKind, StatePart


@dataclass(frozen=True)
class EffectCase:
    """One of the effects that a kind of change can have, for readers. ``when`` goes behind "if", and is empty where
    there is one case only; ``measured`` names the pair that showed it (docs/predictions.md).
    """

    effect: Effect
    when: str = ""
    measured: str = ""


@dataclass(frozen=True)
class Touch:
    """Parts of stored state that a change can concern.

    ``parts`` are those of the operator at which the change is found, and of the operators above it, which get its rows.
    ``also`` are parts that the change can concern if no other change does. ``otherwise`` is the effect of a change
    without a difference in the layouts: either the layouts show everything, or they cannot show it. ``None`` for a job
    parameter, where the value decides (``flink.settings``).
    """

    parts: frozenset[StatePart]
    also: frozenset[StatePart]
    otherwise: Effect | None


@dataclass(frozen=True)
class KindFacts:
    """Facts of a kind of change, in queries of every kind.

    ``is_name`` is true if the subject of the change is a name alone ("GroupAggregate"). ``feature`` is ``sticky`` or
    ``open`` for a construct that makes other changes of its pipeline undecidable in the profile vvr, else empty.
    ``migrated`` are the parts of a state layout that only this change concerns. ``advice`` is that of the profile flink
    if the effect alone does not determine it, else empty.
    """

    item: ItemKind
    is_name: bool
    feature: str
    migrated: tuple[PartKind, ...]
    touch: Touch
    cases: tuple[EffectCase, ...]
    advice: str


@dataclass(frozen=True)
class PageFacts:
    """Facts of one rule page. ``vvr`` is ``None`` if the profile vvr has no effect for it. ``touch`` and ``cases`` are
    those of the profile flink if queries of this kind differ from others, or the page is about no kind of change.
    """

    query_kind: str
    name: str
    kind: ChangeKind | None
    vvr: Effect | None
    touch: Touch | None
    cases: tuple[EffectCase, ...] | None
