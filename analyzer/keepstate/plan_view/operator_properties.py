"""Properties of an operator as names and values, read from the fields of the operator itself.

So an operator that is new to the plan is drawn with all of its fields. The module only replaces names that read badly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from keepstate.physical.layouts.fields import untyped
from keepstate.plan.expressions import Expr
from keepstate.plan.operators import Calc, Join, Operator, RankRange, Window
from keepstate.state.stored_operators import StoredOperator

_NAMES = {"keys": "groupBy", "partition": "partitionBy", "order": "orderBy"}
_NAMES_OF = {(Calc, "conditions"): "where", (Join, "conditions"): "on"}
_HIDDEN = frozenset({"depth"})
"""A number by which the plan counts windows, of no use to readers."""
_STORED = frozenset({"row", "left_row", "right_row"})
"""The columns that reach an operator: the layout of its state shows them, where it stores them."""


@dataclass(frozen=True)
class OperatorProperty:
    """``items`` are values of the plan: expressions, texts, or tuples of these."""

    name: str
    items: tuple[object, ...]


def facts(operator: Operator, stored_operator: StoredOperator | None) -> Iterator[OperatorProperty]:
    """Yield the facts of an operator, in the order of its fields. An empty or false field is no fact."""
    for spec in fields(operator):
        value = getattr(operator, spec.name)
        if not spec.compare or spec.name in _HIDDEN or _is_nothing(value) or _is_input(value):
            continue
        if spec.name in _STORED and stored_operator is not None and _shown_by(stored_operator, value):
            continue
        yield OperatorProperty(_name(operator, spec.name), tuple(_items(value)))


def _name(operator: Operator, field: str) -> str:
    """The name of a fact in the spelling of Flink's plans: ``leftRow``."""
    for (kind, name), label in _NAMES_OF.items():
        if isinstance(operator, kind) and name == field:
            return label
    first, *other_words = field.split("_")
    return _NAMES.get(field) or first + "".join(word.capitalize() for word in other_words)


def _is_nothing(value: object) -> bool:
    return value is None or value is False or value in ("", ())


def _is_input(value: object) -> bool:
    return isinstance(value, Operator) or (
        isinstance(value, tuple) and any(isinstance(item, Operator) for item in value)
    )


def _shown_by(stored_operator: StoredOperator, row: object) -> bool:
    fields = (*stored_operator.key, *(field for _, field in stored_operator.fields))
    meanings = {untyped(field.meaning) for field in fields if isinstance(field.meaning, Expr)}
    return isinstance(row, tuple) and all(isinstance(column, Expr) and untyped(column) in meanings for column in row)


def _items(value: object) -> Iterator[object]:
    match value:
        case Window():
            yield value.kind
            for name in ("time", "size", "slide", "step", "gap", "offset"):
                part = getattr(value, name)
                if part is not None:
                    yield (name, part)
            yield from (("key", key) for key in value.partition)
        case RankRange():
            yield f"{value.start}..{value.end if value.end is not None else ''}"
            yield from value.other
        case tuple() if not any(isinstance(item, str) for item in value):
            yield from value
        case _:
            yield value
