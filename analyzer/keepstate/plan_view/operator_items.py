"""Operators of one side: their shown items, and the values that these are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from keepstate.engines import EngineProfile
from keepstate.engines.migration import Migration
from keepstate.explain.operator_states import OperatorState, states_of
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.operators import Operator, TableSourceScan, Values
from keepstate.plan.spelling import Spelling
from keepstate.plan_view.operator_properties import facts
from keepstate.state.state_text import field_words
from keepstate.state.stored_operators import StatePart, StoredField, StoredState
from keepstate.state.stored_queries import OFFSETS, AddedOperator, StoredQuery
from keepstate.text import Span

_MIGRATABLE = {Migration.YES: True, Migration.NO: False, Migration.UNKNOWN: None, None: None}
_VALUE = "value"
"""The form of a state that is a row and nothing else."""

Differences = Mapping[tuple[int, str], tuple[str, ...]]
"""Differences in the stored state, in sentences: by the number of the operator and the title of its stored operator."""


@dataclass(frozen=True)
class ComparableItem:
    """An item that is shown as ``text`` and compared by ``value``; ``exact`` is for another value of equal text."""

    value: object
    text: str
    exact: str
    migratable: bool | None = None


@dataclass(frozen=True)
class NodeFact:
    name: str
    items: tuple[ComparableItem, ...]
    form: ComparableItem | None = None
    one_by_one: bool = False


@dataclass(frozen=True)
class PlanNode:
    """One operator.

    ``operator`` is that of the plan, or ``None`` if only the engine plans it; then ``number`` is set only if it differs
    from the number of the operator that it is planned for. ``value`` is equal for equal operators with equal ones
    below. ``differences`` are ``None`` for an engine whose states are compared by their shown items.
    """

    id: str
    number: int | None
    operator: Operator | None
    value: object
    title: str
    facts: tuple[NodeFact, ...]
    state: tuple[NodeFact, ...]
    inputs: tuple[PlanNode, ...]
    differences: tuple[str, ...] | None = None
    span: Span | None = None
    """The clause in the script."""

    @property
    def kind(self) -> object:
        """Kind that a counterpart must share."""
        return type(self.operator) if self.operator is not None else self.title

    @property
    def bare(self) -> object:
        """The operator without its inputs."""
        if self.operator is None:
            return self.title
        return self.operator.with_inputs(tuple(Values() for _ in self.operator.inputs))

    @property
    def is_anchor(self) -> bool:
        """Return whether the comparison of the plans determines the counterpart."""
        return self.operator is not None and (self.operator.stateful or isinstance(self.operator, TableSourceScan))

    def walk(self) -> Iterator[PlanNode]:
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(node.inputs)


class NodeBuilder:
    """Sketches the plans of one side. ``letter`` begins the ids of its operators."""

    def __init__(self, letter: str, profile: EngineProfile, job: Job) -> None:
        self._letter = letter
        self._job = job
        self._numbers = count(1)
        self._profile = profile

    def node(
        self,
        pipeline: Pipeline,
        plan: Plan,
        stored_query: StoredQuery,
        spell: Spelling,
        differences: Differences | None = None,
    ) -> tuple[PlanNode, NodeFact]:
        """Return the operators of a plan of a pipeline and its output, with their state in ``stored_query``."""
        states = states_of(plan, stored_query, self._profile)
        building = _PlanNodes(self, pipeline, stored_query, states, spell, differences)
        root = building.operator(plan.root)
        return root, NodeFact("output", tuple(_shown_items(plan.output, spell)))

    def new_id(self) -> str:
        return f"{self._letter}{next(self._numbers)}"

    def span_of(self, operator: Operator, pipeline: Pipeline) -> Span | None:
        return self._job.span_of(operator.place, pipeline) if operator.place is not None else None

    def state_of(self, addition: AddedOperator) -> OperatorState:
        return OperatorState(addition.stored_operator, None, self._profile)


@dataclass(frozen=True)
class _PlanNodes:
    """The building of one plan."""

    builder: NodeBuilder
    pipeline: Pipeline
    stored_query: StoredQuery
    states: Mapping[int, OperatorState]
    spell: Spelling
    differences: Differences | None

    def operator(self, operator: Operator) -> PlanNode:
        """Return an operator and all below it, with the operators that the engine adds."""
        number = operator.number
        beside = [addition for addition in self.stored_query.added if addition.beside == number]
        above, below = ([addition for addition in beside if addition.below is is_below] for is_below in (False, True))
        ids = [self.builder.new_id() for _ in (*above, operator, *below)]
        inputs = tuple(map(self.operator, operator.inputs))
        span = self.builder.span_of(operator, self.pipeline)
        for addition in below:
            inputs = (self._added(addition, ids.pop(), inputs, span),)
        state = self.states.get(number)
        node = PlanNode(
            ids.pop(),
            number,
            operator,
            operator,
            operator.title,
            (*_node_facts(operator, state, self.spell), *self._removal(number)),
            tuple(_state_facts(state, self.spell)) if state is not None else (),
            inputs,
            self._differences(number, OFFSETS if state is None else state.stored_operator.title),
            span,
        )
        for addition in above:
            node = self._added(addition, ids.pop(), (node,), span)
        return node

    def _added(self, addition: AddedOperator, id_: str, inputs: tuple[PlanNode, ...], span: Span | None) -> PlanNode:
        stored_operator = addition.stored_operator
        return PlanNode(
            id_,
            stored_operator.number if stored_operator.number != addition.beside else None,
            None,
            (stored_operator.title, *(child.value for child in inputs)),
            stored_operator.title,
            (),
            tuple(_state_facts(self.builder.state_of(addition), self.spell)),
            inputs,
            self._differences(stored_operator.number, stored_operator.title),
            span,
        )

    def _removal(self, number: int) -> Iterator[NodeFact]:
        if number in self.stored_query.removals:
            yield _words("removed", self.stored_query.removals[number])

    def _differences(self, number: int, title: str) -> tuple[str, ...] | None:
        return self.differences.get((number, title), ()) if self.differences is not None else None


def _node_facts(operator: Operator, state: OperatorState | None, spell: Spelling) -> Iterator[NodeFact]:
    for fact in facts(operator, state.stored_operator if state is not None else None):
        if isinstance(operator, TableSourceScan) and fact.name == "table":
            # Here a rename is shown, and nowhere else.
            names = (spell.table(item) for item in fact.items if isinstance(item, str))
            yield NodeFact(fact.name, tuple(ComparableItem(name, name, name) for name in names))
        else:
            yield NodeFact(fact.name, tuple(_shown_items(fact.items, spell)))


def _shown_items(items: tuple[object, ...], spell: Spelling) -> Iterator[ComparableItem]:
    for item in items:
        yield ComparableItem(item, spell(item), spell.exact(item))


def _state_facts(state: OperatorState, spell: Spelling) -> Iterator[NodeFact]:
    stored_operator = state.stored_operator
    yield _words("state", stored_operator.summary)
    key = [_shown_field(state, StatePart.KEY, field, spell) for field in stored_operator.key]
    if stored_operator.namespace:
        window = (stored_operator.namespace, stored_operator.meaning(StatePart.WINDOW))
        migratable = _MIGRATABLE[state.migration(StatePart.WINDOW, StoredField(stored_operator.namespace))]
        key.append(ComparableItem(window, stored_operator.namespace, stored_operator.namespace, migratable))
    if key:
        yield NodeFact("key", tuple(key))
    yield from _facts_by_name(state, spell) if stored_operator.is_typed else _unnamed(state, spell)
    yield _words("until", stored_operator.until)
    if state.migration_words:
        # It follows from what stands here and above, and is no difference of its own.
        yield NodeFact("migration", (ComparableItem(None, state.migration_words, state.migration_words),))
    if stored_operator.unknown_reason:
        yield _words("unknown", stored_operator.unknown_reason)


def _unnamed(state: OperatorState, spell: Spelling) -> Iterator[NodeFact]:
    """Yield the state in an unknown format: accumulators and the like, and columns of stored rows."""
    fields = state.stored_operator.fields
    rows = [(part, field) for part, field in fields if part is StatePart.ROWS]
    for name, selection in (("keeps", [one for one in fields if one not in rows]), ("stores", rows)):
        if selection:
            items = tuple(_shown_field(state, part, field, spell) for part, field in selection)
            yield NodeFact(name, items, one_by_one=name == "keeps")


def _facts_by_name(state: OperatorState, spell: Spelling) -> Iterator[NodeFact]:
    """Each state by its name. One that stands there twice is a map, whose keys are the second one."""
    names: set[str] = set()
    for stored_state in state.stored_operator.states:
        name = f"{stored_state.name}, {stored_state.form}" if stored_state.name in names else stored_state.name
        names.add(name)
        form = _form(stored_state) if stored_state.form != _VALUE and name == stored_state.name else None
        items = tuple(_shown_field(state, stored_state.part, field, spell) for field in stored_state.fields)
        yield NodeFact(name, items, form, one_by_one=stored_state.part is StatePart.ACCUMULATORS and len(items) > 0)


def _form(state: StoredState) -> ComparableItem:
    return ComparableItem(state.form, state.form, state.form)


def _shown_field(state: OperatorState, part: StatePart, field: StoredField, spell: Spelling) -> ComparableItem:
    is_typed = state.stored_operator.is_typed
    value: object = (part, field)
    if is_typed:
        # Nothing depends on what a field holds that nothing reads.
        value = field.meaning if field.is_read else None, field.type
    words, exact = (field_words(field, each, is_typed) for each in (spell, spell.exact))
    return ComparableItem(value, words, exact, _MIGRATABLE[state.migration(part, field)])


def _words(name: str, text: str) -> NodeFact:
    return NodeFact(name, (ComparableItem(text, text, text),))
