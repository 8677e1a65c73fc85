"""Stored state of one operator: the type of its keys, and each state by name with the fields of its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from keepstate.plan.expressions import Expr
from keepstate.plan.provenance import Place
from keepstate.plan.spelling import Spell
from keepstate.value_class import value_class

Meaning: TypeAlias = "Expr | tuple[object, ...] | str"
"""An expression, words, or a name with its operands, its condition and whether it is about distinct values, as in
``("SUM", (x,), None, False)``.
"""
_CALLED = {"COUNT of": "COUNT", "distinct values of": "DISTINCT"}
"""Names that distinguish meanings, and the names for readers."""


class StatePart(Enum):
    """Part of an operator's state."""

    ID = "operator id"
    KEY = "key"
    WINDOW = "window"
    ACCUMULATORS = "accumulators"
    ROWS = "stored rows"
    ORDER = "sort order"
    RANGE = "range of ranks"
    FRAME = "frame"
    CONDITION = "join condition"
    KIND = "kind of operator"
    BOUNDS = "time bounds"
    FILTER = "filter of the input"
    INPUT = "input"
    WATERMARK = "watermark"


class PartKind(Enum):
    """Kind of a part of a state, as far as engines distinguish kinds when they migrate."""

    KEY = "key"
    WINDOW = "window"
    ACCUMULATOR = "accumulator"
    DISTINCT_ACCUMULATOR = "distinct accumulator"
    FOREIGN_ACCUMULATOR = "accumulator of a foreign function"
    COLUMN = "stored column"
    MATCH = "partial match"
    MARKER = "marker"
    """A fact without content: that a group exists, that a key was seen, the number of times that a row occurred."""


@value_class(frozen=True)
class StoredField:
    """One value of a stored row, or of a key.

    ``type`` distinguishes as Flink's serializers do, with NOT NULL where it belongs to the type; ``None`` if it is
    unknown. Serializers ignore the name and the meaning of a field.
    """

    meaning: Meaning
    type: str | None = None
    is_read: bool = True
    """The value matters. A field that is stored for no reader may hold any value."""
    looks_back: int | None = None
    """For a call that looks back: by how many rows. It keeps that many and the current one."""
    operands: tuple[str, ...] = ()
    """The types that it is computed from, if its own is unknown: it is the same only if they are."""
    query_meaning: Meaning | None = field(default=None, compare=False)
    """The meaning in the words of the query, where it is that of other words as well."""
    note: str = field(default="", compare=False)
    """Stored form of the value, in words: "a sum and whether there was a value"."""
    place: Place | None = field(default=None, compare=False, repr=False)
    """The clause that requires the field."""

    @property
    def words(self) -> str:
        """The meaning as its expressions write themselves: ``SUM(t.a) where t.b > 1``."""
        return self.spelled(str)

    def spelled(self, spell: Spell) -> str:
        """The meaning with its expressions as ``spell`` writes them."""
        match self.meaning if self.query_meaning is None else self.query_meaning:
            case (name, arguments, *more):
                listed = ", ".join(map(spell, arguments)) if isinstance(arguments, tuple) else str(arguments)
                condition = f" FILTER (WHERE {spell(more[0])})" if more and more[0] is not None else ""
                distinct = "DISTINCT " if more[1:] and more[1] is True else ""
                return f"{_CALLED.get(str(name), name)}({distinct}{listed or '*'}){condition}"
            case str(words):
                return words
            case meaning:
                return spell(meaning)


Fields: TypeAlias = tuple[StoredField, ...]


class RankKind(NamedTuple):
    """Form in which a ranking keeps its rows, beyond its range and its order."""

    function: str
    by_number: bool = False
    """It goes through its rows by number, and keeps those of one sort key behind the last place."""
    skipping: object = None
    """Its range, if that has an offset whose number is no output, and rows are taken back: its rows are not kept as
    any other ranking keeps them (measured with 2.3.0, with equal sort keys).
    """


@dataclass(frozen=True)
class StoredState:
    """One state, by its name in the engine; an unknown format has no names.

    ``form`` is the structure around its rows, as far as serializers distinguish structures.
    """

    name: str
    part: StatePart
    fields: Fields
    form: str = "value"


@dataclass(frozen=True)
class OperatorId:
    """The name under which a savepoint files the state of an operator; ``doubt`` is why it may be another one."""

    value: str
    doubt: str = ""


_NOWHERE = OperatorId("")


@value_class(frozen=True)
class StoredOperator:
    """Stored state of an operator.

    ``number`` is that of the operator in its plan; ``namespace`` is the type of the namespace that state has beside its
    key. ``meanings`` shape the content beyond the rows, invisibly to serializers. ``unknown_reason`` says why the
    layout is unknown.
    """

    title: str
    number: int = 0
    id: OperatorId = _NOWHERE
    key: Fields = ()
    namespace: str = ""
    states: tuple[StoredState, ...] = ()
    meanings: tuple[tuple[StatePart, object], ...] = ()
    unknown_reason: str = ""
    updating_input: bool = False
    """Its input retracts rows: without the former rows, its results are wrong and not only incomplete."""
    clause: str = field(default="", compare=False)
    """The words of the query that ask for it, where they are not those of its title (``clause_words``)."""
    summary: str = field(default="", compare=False)
    """All of it in a few words: "one row of accumulators per group"."""
    until: str = field(default="", compare=False)
    """End of the state of a key, in words."""

    def meaning(self, part: StatePart) -> object:
        return next((value for own, value in self.meanings if own is part), None)

    @property
    def is_typed(self) -> bool:
        """Return whether the format is known: then its states have names, and its fields types."""
        return any(state.name for state in self.states)

    @property
    def fields(self) -> tuple[tuple[StatePart, StoredField], ...]:
        """The fields of all states in order, each with its part of the state."""
        return tuple((state.part, one) for state in self.states for one in state.fields)
