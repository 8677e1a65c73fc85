"""What a savepoint holds of one operator: its id, the type of its keys, and each state by name with its row types."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from keepstate.physical.fields import Fields
from keepstate.physical.graph import OperatorId


class Part(Enum):
    """What of an operator's state something is about."""

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


@dataclass(frozen=True)
class StoredState:
    """One state. ``form`` is the structure around its rows, as far as serializers tell structures apart."""

    name: str
    part: Part
    fields: Fields
    form: str = "value"


_NOWHERE = OperatorId("")


@dataclass(frozen=True)
class StoredOperator:
    """``number`` counts the operators of the plan; ``namespace`` is the type of what state is filed under beside keys.

    ``meanings`` are what shapes the content beyond the rows: no serializer knows of it. ``unknown`` says why nothing
    can be told of the layout.
    """

    title: str
    number: int = 0
    id: OperatorId = _NOWHERE
    key: Fields = ()
    namespace: str = ""
    states: tuple[StoredState, ...] = ()
    meanings: tuple[tuple[Part, object], ...] = ()
    unknown: str = ""
    updating_input: bool = False
    """Its input takes rows back: without what it saw before, its results are wrong and not only incomplete."""

    def meaning(self, part: Part) -> object:
        return next((value for own, value in self.meanings if own is part), None)
