"""Values of a drawing: operators with their facts and their state, and the differences between the two sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from keepstate.report import Effect, Problem, Verdict
from keepstate.text import Span


class Mark(Enum):
    """Relation of an item of one side to the other side. The value is the sign that is drawn."""

    SAME = " "
    CHANGED = "~"
    ADDED = "+"
    REMOVED = "-"

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class DrawnItem:
    """One item of an entry. ``mark`` is its relation to the other side."""

    text: str
    mark: Mark = Mark.SAME
    migratable: bool | None = None
    """For a part of a state: whether the engine restores it when parts of its kind come, go or change. ``None`` where
    that is not known, or where nothing can change.
    """


@dataclass(frozen=True)
class DrawnProperty:
    """A named property of an operator (``groupBy``) or of its state (``key``)."""

    name: str
    items: tuple[DrawnItem, ...]
    form: DrawnItem | None = None
    """For a state of a format that is known: the structure around its rows, as in ``map of lists by time``."""
    one_by_one: bool = False
    """Items are added and removed one by one, and so are written one below the other."""

    @property
    def text(self) -> str:
        return ", ".join(item.text for item in self.items)

    @property
    def mark(self) -> Mark:
        """The mark of all its items, and of its form, if they are alike, else ``CHANGED``."""
        marks = {item.mark for item in (*self.items, *((self.form,) if self.form else ()))} or {Mark.SAME}
        return marks.pop() if len(marks) == 1 else Mark.CHANGED


@dataclass(frozen=True)
class DrawnOperator:
    """One operator of one side. ``id`` is unique in the drawing; ids of one side count in the order of its plans.

    ``state`` is empty for a stateless operator. Its entries are ``state`` (what it is, in a few words), ``key`` (the
    parts of the state key), what is kept, ``until`` (when a key's state goes away), ``migration`` (what of all that the
    engine can migrate), ``unknown`` (why the format is not certain) and ``restart`` (what differs in the stored state,
    and what that means). What is kept is ``keeps`` and ``stores`` (accumulators and the like; columns of stored rows),
    or an entry for each state by its name where the format is known. ``inputs`` are ids. ``span`` is the clause, in the
    text of its side; ``None`` for an operator that has none.
    """

    id: str
    title: DrawnItem
    facts: tuple[DrawnProperty, ...]
    state: tuple[DrawnProperty, ...]
    inputs: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DrawnRule:
    """A finding, by the id of its rule."""

    id: str
    verdict: Verdict
    effect: Effect = field(default=Effect.EXACT, compare=False)


NodeIds = tuple[str, str]
"""The ids of an operator and of its counterpart; empty for none."""


@dataclass(frozen=True)
class DrawnNode:
    """An operator and its counterpart; one of them is ``None`` for an operator that stands alone."""

    baseline: DrawnOperator | None
    current: DrawnOperator | None
    mark: Mark
    rules: tuple[DrawnRule, ...]
    inputs: tuple[DrawnNode, ...]

    @property
    def ids(self) -> NodeIds:
        return self.baseline.id if self.baseline else "", self.current.id if self.current else ""

    def walk(self) -> Iterator[DrawnNode]:
        yield self
        for child in self.inputs:
            yield from child.walk()


@dataclass(frozen=True)
class DrawnPlan:
    """The plan of a pipeline on one side; ``root`` is the id of its topmost operator."""

    name: str
    output: DrawnProperty
    root: str


@dataclass(frozen=True)
class DrawnPipeline:
    """A pipeline on both sides, or on one.

    ``forest`` holds the operators of both sides, each beside its counterpart; it is one tree, unless an operator at the
    top has none. ``mark`` is ``SAME`` for equal plans with equal state; ``rules`` are the findings that concern no
    single operator; ``verdict`` is ``None`` where nothing was compared.
    """

    baseline: DrawnPlan | None
    current: DrawnPlan | None
    forest: tuple[DrawnNode, ...]
    mark: Mark
    verdict: Verdict | None = None
    rules: tuple[DrawnRule, ...] = ()

    @property
    def name(self) -> str:
        plan = self.current or self.baseline
        assert plan is not None
        return plan.name

    def nodes(self) -> Iterator[DrawnNode]:
        for root in self.forest:
            yield from root.walk()


@dataclass(frozen=True)
class Drawing:
    """The plans of one version of a job (``compared`` is false), or of two."""

    engine: str
    compared: bool
    pipelines: tuple[DrawnPipeline, ...]
    verdict: Verdict | None = None
    rules: tuple[DrawnRule, ...] = ()
    """The findings about the job as a whole."""
    problems: tuple[Problem, ...] = ()
    baseline_problems: tuple[Problem, ...] = ()

    @property
    def same(self) -> bool:
        """Return whether both sides have the same plans."""
        return all(pipeline.mark is Mark.SAME for pipeline in self.pipelines)
