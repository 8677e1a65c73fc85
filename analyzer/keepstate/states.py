"""The state of every operator of a plan as its engine sees it: what is kept, until when, and what can be migrated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from keepstate.diff.query_kinds import operator_kind
from keepstate.plan.expressions import AggregateCall, Expr, OverCall
from keepstate.plan.job import Plan
from keepstate.plan.layouts import PartKind, StateLayout, StatePart, layout_of
from keepstate.plan.operators import Aggregate, Operator
from keepstate.plan.parameters import STATE_TTL
from keepstate.plan.settings import Settings
from keepstate.plan.time_to_live import TimeToLive, times_to_live
from keepstate.profiles import EngineProfile
from keepstate.profiles.migration import Migration, migration_of, needs_a_survivor

_PARTS = {
    PartKind.KEY: "key",
    PartKind.WINDOW: "window",
    PartKind.ACCUMULATOR: "accumulators",
    PartKind.DISTINCT_ACCUMULATOR: "distinct accumulators",
    PartKind.FOREIGN_ACCUMULATOR: "accumulators of foreign functions",
    PartKind.COLUMN: "stored rows",
    PartKind.MATCH: "partial matches",
}


@dataclass(frozen=True)
class OperatorState:
    """``until`` is the layout's, or what the job says of the time to live of its state."""

    operator: Operator
    layout: StateLayout
    until: str
    profile: EngineProfile
    stored_by: Operator | None = None
    """An operator further up that stores results of this one, and cannot migrate them."""

    def migration(self, part: StatePart) -> Migration | None:
        """Whether the engine migrates a part of the layout; ``None`` where nothing can change."""
        own = self._own(part.kind)
        if own is Migration.YES and self.stored_by is not None:
            return Migration.NO
        return own

    def _own(self, kind: PartKind) -> Migration | None:
        if isinstance(self.operator, Aggregate) and self.operator.grouping:
            # GROUPING SETS, CUBE and ROLLUP leave everything open (spec WTVF-28).
            return None if kind is PartKind.MARKER else Migration.UNKNOWN
        return migration_of(self.profile, operator_kind(self.operator), kind)

    @cached_property
    def migration_words(self) -> str:
        """What the engine can migrate, in a few words."""
        by_answer: dict[Migration, list[str]] = {answer: [] for answer in Migration}
        for part in (*self.layout.keyed_by, *self.layout.keeps):
            answer = self.migration(part)
            if answer is not None and _PARTS[part.kind] not in by_answer[answer]:
                by_answer[answer].append(_PARTS[part.kind])
        can, cannot, open_ = (by_answer[answer] for answer in (Migration.YES, Migration.NO, Migration.UNKNOWN))
        engine = self.profile.name
        sentences = []
        if can:
            sentences.append(f"{engine} can migrate the {_listed(can)}{self._condition}")
            if cannot:
                sentences.append(f"not the {_listed(cannot)}")
        elif cannot:
            sentences.append(f"{engine} cannot migrate the {_listed(cannot)}{self._reason}")
        if open_:
            sentences.append(f"nobody can tell whether {engine} can migrate the {_listed(open_)}")
        return "; ".join(sentences)

    def words_about(self, part: StatePart) -> str:
        """What the engine can do with one part; empty where nothing can change."""
        engine = self.profile.name
        match self.migration(part):
            case Migration.YES:
                return f"{engine} can migrate it{self._condition}"
            case Migration.NO:
                return f"{engine} cannot migrate it{self._reason}"
            case Migration.UNKNOWN:
                return f"nobody can tell whether {engine} can migrate it"
        return ""

    @property
    def _condition(self) -> str:
        survivor = needs_a_survivor(self.profile, operator_kind(self.operator))
        return ", as long as an aggregate stays as it is" if survivor else ""

    @property
    def _reason(self) -> str:
        return f" ({self.stored_by.title} above stores the results)" if self.stored_by is not None else ""


def states_of(plan: Plan, settings: Settings, profile: EngineProfile) -> tuple[OperatorState | None, ...]:
    """The state of each operator of ``plan.operators``; ``None`` for one that keeps none."""
    states: list[OperatorState | None] = []
    above = _above(plan.root, ())
    for operator, higher in zip(plan.operators, above, strict=True):
        layout = layout_of(operator)
        if layout is None:
            states.append(None)
            continue
        stored_by = next((other for other in higher if _stores(other, layout, profile)), None)
        states.append(OperatorState(operator, layout, _until(layout, operator, settings), profile, stored_by))
    return tuple(states)


def _until(layout: StateLayout, operator: Operator, settings: Settings) -> str:
    ends = tuple(dict.fromkeys(map(_end, times_to_live(operator, settings))))
    if not ends:
        return layout.until
    if len(ends) == 1:
        return ends[0]
    return "; ".join(f"{side} input: {end}" for side, end in zip(("left", "right"), ends, strict=False))


def _end(ttl: TimeToLive) -> str:
    if ttl.length == 0:
        return "the job ends, unless a time to live (table.exec.state.ttl) is set outside of the script"
    assert ttl.option is not None
    said = STATE_TTL if ttl.option.key == STATE_TTL else f"hint STATE_TTL about {ttl.option.key}"
    return f"it was not written to for {ttl.words} ({said})"


def _above(operator: Operator, higher: tuple[Operator, ...]) -> Iterator[tuple[Operator, ...]]:
    """For each operator, in the order of ``Operator.walk``, those above it, the nearest first."""
    yield higher
    for child in operator.inputs:
        yield from _above(child, (operator, *higher))


def _stores(operator: Operator, layout: StateLayout, profile: EngineProfile) -> bool:
    """Whether ``operator`` keeps results of the aggregates of ``layout`` in a part that cannot be migrated."""
    results = {part.value for part in layout.keeps if isinstance(part.value, (AggregateCall, OverCall))}
    # Most layouts have none.
    higher = layout_of(operator) if results else None
    if higher is None:
        return False
    return any(
        migration_of(profile, operator_kind(operator), part.kind) is Migration.NO
        and any(node in results for node in _nodes(part))
        for part in (*higher.keyed_by, *higher.keeps)
    )


def _nodes(part: StatePart) -> Iterable[Expr]:
    return part.value.walk() if isinstance(part.value, Expr) else ()


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
