"""The operators of one side: of each what will be shown of it, and what that is compared by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from keepstate.drawing.facts import facts
from keepstate.plan.job import Plan
from keepstate.plan.layouts import PartKind, StateLayout, StatePart
from keepstate.plan.operators import Operator, TableSourceScan, Values
from keepstate.plan.settings import Settings
from keepstate.plan.spelling import Spell, exact, spelling_of
from keepstate.profiles import EngineProfile
from keepstate.profiles.migration import Migration
from keepstate.states import OperatorState, states_of

_MIGRATABLE = {Migration.YES: True, Migration.NO: False, Migration.UNKNOWN: None, None: None}


@dataclass(frozen=True)
class Told:
    """Something that is shown as ``text`` and compared by ``value``; ``exact`` is for another value of equal text."""

    value: object
    text: str
    exact: str
    migratable: bool | None = None


@dataclass(frozen=True)
class ToldFact:
    name: str
    items: tuple[Told, ...]


@dataclass(frozen=True)
class Sketch:
    """One operator. ``operator`` is what it is compared by; ``number`` is its place in ``Plan.operators``."""

    id: str
    number: int
    operator: Operator
    title: str
    facts: tuple[ToldFact, ...]
    state: tuple[ToldFact, ...]
    inputs: tuple[Sketch, ...]

    @property
    def bare(self) -> Operator:
        """The operator without what is below it."""
        return self.operator.with_inputs(tuple(Values() for _ in self.operator.inputs))

    def walk(self) -> Iterator[Sketch]:
        pending = [self]
        while pending:
            sketch = pending.pop()
            yield sketch
            pending += reversed(sketch.inputs)


class Sketcher:
    """Sketches the plans of one side. ``letter`` begins the ids of its operators."""

    def __init__(self, letter: str, profile: EngineProfile) -> None:
        self._letter = letter
        self._numbers = count(1)
        self._profile = profile

    def sketch(self, shown: Plan, compared: Plan, settings: Settings) -> tuple[Sketch, ToldFact]:
        """The operators of a plan and its output. ``compared`` is the same plan in the words of the other side: in it
        renamed sources bear their new names.
        """
        if [type(one) for one in shown.operators] != [type(one) for one in compared.operators]:
            # Inputs of a union are lined up by what they read: under other names that may be another order, and then
            # each operator is compared under its own.
            compared = shown
        spell = spelling_of(shown.operators)
        states = [states_of(plan, settings, self._profile) for plan in (shown, compared)]
        given = zip(shown.operators, compared.operators, *states, strict=True)
        root = self._operator(enumerate(given), spell)
        return root, ToldFact("output", tuple(_told(shown.output, compared.output, spell)))

    def _operator(
        self,
        given: Iterator[tuple[int, tuple[Operator, Operator, OperatorState | None, OperatorState | None]]],
        spell: Spell,
    ) -> Sketch:
        """The next operator and all below it."""
        number, (operator, compared, state, compared_state) = next(given)
        layouts = [one.layout if one is not None else None for one in (state, compared_state)]
        return Sketch(
            f"{self._letter}{next(self._numbers)}",
            number,
            compared,
            operator.title,
            tuple(_told_facts(operator, compared, layouts[0], layouts[1], spell)),
            tuple(_told_state(state, compared_state, spell))
            if state is not None and compared_state is not None
            else (),
            tuple(self._operator(given, spell) for _ in operator.inputs),
        )


def _told_facts(
    operator: Operator, compared: Operator, layout: StateLayout | None, other: StateLayout | None, spell: Spell
) -> Iterator[ToldFact]:
    if isinstance(operator, TableSourceScan):
        # Here a rename is shown, and nowhere else.
        compared = operator
    for shown, by in zip(facts(operator, layout), facts(compared, other), strict=True):
        yield ToldFact(shown.name, tuple(_told(shown.items, by.items, spell)))


def _told(shown: tuple[object, ...], compared: tuple[object, ...], spell: Spell) -> Iterator[Told]:
    for item, value in zip(shown, compared, strict=True):
        yield Told(value, spell(item), exact(item))


def _told_state(state: OperatorState, compared: OperatorState, spell: Spell) -> Iterator[ToldFact]:
    ours, theirs = state.layout, compared.layout
    yield _words("state", ours.title)
    if ours.keyed_by:
        keys = zip(ours.keyed_by, theirs.keyed_by, strict=True)
        yield ToldFact("key", tuple(_told_parts(state, keys, spell)))
    parts = tuple(zip(ours.keeps, theirs.keeps, strict=True))
    columns = [pair for pair in parts if pair[0].kind is PartKind.COLUMN]
    for name, pairs in (("keeps", [pair for pair in parts if pair not in columns]), ("stores", columns)):
        if pairs:
            yield ToldFact(name, tuple(_told_parts(state, pairs, spell)))
    yield _words("until", state.until)
    if state.migration_words:
        # It follows from what stands here and above, and is no difference of its own.
        yield ToldFact("migration", (Told(None, state.migration_words, state.migration_words),))


def _told_parts(state: OperatorState, pairs: Iterable[tuple[StatePart, StatePart]], spell: Spell) -> Iterator[Told]:
    for part, by in pairs:
        yield Told(by, part.spelled(spell), part.spelled(exact), _MIGRATABLE[state.migration(part)])


def _words(name: str, text: str) -> ToldFact:
    return ToldFact(name, (Told(text, text, text),))
