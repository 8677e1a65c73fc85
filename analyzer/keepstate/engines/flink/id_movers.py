"""Changes that move operator ids, in their own query and in other queries of the job."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.diff.changes import Change
from keepstate.diff.statements.table_declarations import DeclaredDifference
from keepstate.diff.subjects import ItemKind
from keepstate.engines.flink.attribution import Attribution, Scene, about, first_about, is_at
from keepstate.engines.lookup import kinds_of
from keepstate.physical.moves import Moves
from keepstate.physical.stored_query import SINK
from keepstate.report import Effect
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StatePart
from keepstate.state.stored_queries import Numbers

_OF_SOURCES = frozenset({"ChangelogNormalize", "WatermarkAssigner"})
"""Nodes behind a source that depend on the kind of the source."""
_OF_PARAMETERS = frozenset({"LocalGroupAggregate", "LocalWindowAggregate", "MiniBatchAssigner"})
_BETWEEN = frozenset({"Exchange"})
_STRUCTURE = kinds_of(ItemKind.STRUCTURE)
_IDS = frozenset({StatePart.ID})
_ANY_ID = StateDifference(StatePart.ID, Effect.DOES_NOT_START, "")


@dataclass(frozen=True)
class Movers:
    """Causes of moved ids in one pair of queries, by the operators in front of which the graph has another shape."""

    scene: Scene
    origins: tuple[Numbers, ...]
    kinds: frozenset[str]

    @staticmethod
    def of(scene: Scene, moves: Moves, pair: int) -> Movers:
        return Movers(scene, moves.origins(pair), moves.kinds(pair))

    def explanation(self) -> Attribution:
        """The changes of this query that move ids; its declarations where no change does."""
        sources, settings = self._sources(), about(self.scene.settings, _IDS)
        changes: list[Change] = []
        if self.kinds & _OF_SOURCES or self._has_new_scan():
            changes += sources
        if self.kinds & _OF_PARAMETERS or not self.origins:
            changes += settings
        if self.kinds - _OF_SOURCES - _OF_PARAMETERS - _BETWEEN or not changes:
            changes += self._own()
        changes = changes or sources or settings
        if changes:
            return Attribution(tuple(dict.fromkeys(changes)))
        return Attribution(declared=self._declared())

    def _own(self) -> list[Change]:
        """The changes at these operators, and the operators and inputs that came or went below; where there is none of
        either, the others below, then those above.
        """
        own, is_below = self.scene.own, self.scene.stored_pair.is_below
        below = [change for change in own if any(is_below(change.operators, top) for top in self.origins)]
        own_changes = [
            change
            for change in own
            if any(is_at(change, numbers) for numbers in self.origins)
            or (change.kind in _STRUCTURE and change in below)
        ]
        above = [change for change in own if any(is_below(one, change.operators) for one in self.origins)]
        at_sink = self.scene.at_sink if any(SINK in numbers for numbers in self.origins) else ()
        return first_about((own_changes, below, above, at_sink, own), _IDS)

    def _sources(self) -> list[Change]:
        tables = frozenset(table for numbers in self._tops() for table in self.scene.stored_pair.tables(numbers))
        changes = (*self.scene.sources, *(change for change in self.scene.own if change.tables))
        return about((change for change in changes if not change.tables.isdisjoint(tables)), _IDS)

    def _tops(self) -> tuple[Numbers, ...]:
        return self.origins or ((SINK, SINK),)

    def _has_new_scan(self) -> bool:
        """Return whether an operator with state stands behind a source on one side only."""
        plans = self.scene.stored_pair.plans
        return any(
            number is not None and number in plan.by_number and not plan.by_number[number].inputs
            for numbers in self.origins
            if None in numbers
            for number, plan in zip(numbers, plans, strict=True)
        )

    def _declared(self) -> tuple[DeclaredDifference, ...]:
        declarations = {one: None for numbers in self._tops() for one in self.scene.declarations(_ANY_ID, numbers)}
        return tuple(declarations)
