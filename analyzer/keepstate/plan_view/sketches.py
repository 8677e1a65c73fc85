"""The operators of one side: of each what will be shown of it, and what that is compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from keepstate.engines import EngineProfile
from keepstate.engines.migration import Migration
from keepstate.explain.operator_states import OperatorState, states_of
from keepstate.plan.job import Plan
from keepstate.plan.operators import Operator, TableSourceScan, Values
from keepstate.plan.spelling import Spelling
from keepstate.plan_view.facts import facts
from keepstate.state.queries import OFFSETS, AddedOperator, StoredQuery
from keepstate.state.stored import Part, StoredField, StoredState
from keepstate.state.words import field_words

_MIGRATABLE = {Migration.YES: True, Migration.NO: False, Migration.UNKNOWN: None, None: None}
_VALUE = "value"
"""The form of a state that is a row and nothing else."""

Differences = Mapping[tuple[int, str], tuple[str, ...]]
"""What differs in the stored state, in sentences: by the number of the operator and the title of what stores it."""


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
    form: Told | None = None
    one_by_one: bool = False


@dataclass(frozen=True)
class Sketch:
    """One operator.

    ``operator`` is that of the plan, ``None`` for one that only the engine plans, which has a ``number`` only if that
    is not the one of what it is planned for. ``value`` is equal for equal operators with equal ones below.
    ``differences`` are ``None`` for an engine whose states are compared by what is shown of them.
    """

    id: str
    number: int | None
    operator: Operator | None
    value: object
    title: str
    facts: tuple[ToldFact, ...]
    state: tuple[ToldFact, ...]
    inputs: tuple[Sketch, ...]
    differences: tuple[str, ...] | None = None

    @property
    def kind(self) -> object:
        """What its counterpart is as well."""
        return type(self.operator) if self.operator is not None else self.title

    @property
    def bare(self) -> object:
        """The operator without what is below it."""
        if self.operator is None:
            return self.title
        return self.operator.with_inputs(tuple(Values() for _ in self.operator.inputs))

    @property
    def is_anchor(self) -> bool:
        """Whether the comparison of the plans says which its counterpart is."""
        return self.operator is not None and (self.operator.stateful or isinstance(self.operator, TableSourceScan))

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

    def sketch(
        self, plan: Plan, stored: StoredQuery, spell: Spelling, differences: Differences | None = None
    ) -> tuple[Sketch, ToldFact]:
        """The operators of a plan and its output, with what is ``stored`` of it."""
        states = states_of(plan, stored, self._profile)
        sketching = _Sketching(self, stored, states, spell, differences)
        root = sketching.operator(plan.root)
        return root, ToldFact("output", tuple(_told(plan.output, spell)))

    def new_id(self) -> str:
        return f"{self._letter}{next(self._numbers)}"

    def state_of(self, added: AddedOperator) -> OperatorState:
        return OperatorState(added.stored, None, self._profile)


@dataclass(frozen=True)
class _Sketching:
    """The sketching of one plan."""

    sketcher: Sketcher
    stored: StoredQuery
    states: Mapping[int, OperatorState]
    spell: Spelling
    differences: Differences | None

    def operator(self, operator: Operator) -> Sketch:
        """An operator and all below it, with what the engine adds to it."""
        number = operator.number
        beside = [added for added in self.stored.added if added.beside == number]
        above, below = ([added for added in beside if added.below is is_below] for is_below in (False, True))
        ids = [self.sketcher.new_id() for _ in (*above, operator, *below)]
        inputs = tuple(map(self.operator, operator.inputs))
        for added in below:
            inputs = (self._added(added, ids.pop(), inputs),)
        state = self.states.get(number)
        sketch = Sketch(
            ids.pop(),
            number,
            operator,
            operator,
            operator.title,
            tuple(_told_facts(operator, state, self.spell)),
            tuple(_told_state(state, self.spell)) if state is not None else (),
            inputs,
            self._differences(number, OFFSETS if state is None else state.stored.title),
        )
        for added in above:
            sketch = self._added(added, ids.pop(), (sketch,))
        return sketch

    def _added(self, added: AddedOperator, id_: str, inputs: tuple[Sketch, ...]) -> Sketch:
        stored = added.stored
        return Sketch(
            id_,
            stored.number if stored.number != added.beside else None,
            None,
            (stored.title, *(child.value for child in inputs)),
            stored.title,
            (),
            tuple(_told_state(self.sketcher.state_of(added), self.spell)),
            inputs,
            self._differences(stored.number, stored.title),
        )

    def _differences(self, number: int, title: str) -> tuple[str, ...] | None:
        return self.differences.get((number, title), ()) if self.differences is not None else None


def _told_facts(operator: Operator, state: OperatorState | None, spell: Spelling) -> Iterator[ToldFact]:
    for fact in facts(operator, state.stored if state is not None else None):
        if isinstance(operator, TableSourceScan) and fact.name == "table":
            # Here a rename is shown, and nowhere else.
            names = map(spell.table, map(str, fact.items))
            yield ToldFact(fact.name, tuple(Told(name, name, name) for name in names))
        else:
            yield ToldFact(fact.name, tuple(_told(fact.items, spell)))


def _told(items: tuple[object, ...], spell: Spelling) -> Iterator[Told]:
    for item in items:
        yield Told(item, spell(item), spell.exact(item))


def _told_state(state: OperatorState, spell: Spelling) -> Iterator[ToldFact]:
    stored = state.stored
    yield _words("state", stored.summary)
    key = [_told_field(state, Part.KEY, field, spell) for field in stored.key]
    if stored.namespace:
        window = (stored.namespace, stored.meaning(Part.WINDOW))
        migratable = _MIGRATABLE[state.migration(Part.WINDOW, StoredField(stored.namespace))]
        key.append(Told(window, stored.namespace, stored.namespace, migratable))
    if key:
        yield ToldFact("key", tuple(key))
    yield from _named(state, spell) if stored.is_typed else _unnamed(state, spell)
    yield _words("until", stored.until)
    if state.migration_words:
        # It follows from what stands here and above, and is no difference of its own.
        yield ToldFact("migration", (Told(None, state.migration_words, state.migration_words),))
    if stored.unknown:
        yield _words("unknown", stored.unknown)


def _unnamed(state: OperatorState, spell: Spelling) -> Iterator[ToldFact]:
    """What is kept in a format that is not known: accumulators and the like, and columns of stored rows."""
    fields = state.stored.fields
    rows = [(part, field) for part, field in fields if part is Part.ROWS]
    for name, chosen in (("keeps", [one for one in fields if one not in rows]), ("stores", rows)):
        if chosen:
            told = tuple(_told_field(state, part, field, spell) for part, field in chosen)
            yield ToldFact(name, told, one_by_one=name == "keeps")


def _named(state: OperatorState, spell: Spelling) -> Iterator[ToldFact]:
    """Each state by its name. One that stands there twice is a map, whose keys are the second one."""
    known: set[str] = set()
    for kept in state.stored.states:
        name = f"{kept.name}, {kept.form}" if kept.name in known else kept.name
        known.add(name)
        form = _form(kept) if kept.form != _VALUE and name == kept.name else None
        told = tuple(_told_field(state, kept.part, field, spell) for field in kept.fields)
        yield ToldFact(name, told, form, one_by_one=kept.part is Part.ACCUMULATORS and len(told) > 0)


def _form(state: StoredState) -> Told:
    return Told(state.form, state.form, state.form)


def _told_field(state: OperatorState, part: Part, field: StoredField, spell: Spelling) -> Told:
    is_typed = state.stored.is_typed
    value: object = (part, field)
    if is_typed:
        # Nothing depends on what a field holds that nothing reads.
        value = field.meaning if field.read else None, field.type
    words, exact = (field_words(field, each, is_typed) for each in (spell, spell.exact))
    return Told(value, words, exact, _MIGRATABLE[state.migration(part, field)])


def _words(name: str, text: str) -> ToldFact:
    return ToldFact(name, (Told(text, text, text),))
