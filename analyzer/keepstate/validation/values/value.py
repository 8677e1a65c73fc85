"""Values of expressions as far as they are known, and the places where expressions stand."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from keepstate.plan.expressions import Expr, Unresolved
from keepstate.plan.types.logical_types import LogicalType
from keepstate.text import Span
from keepstate.validation.values.scopes import TimeRole, ValidationScope
from keepstate.value_class import value_class


@value_class(frozen=True, slots=True)
class ValueFacts:
    """Known facts about the value of an expression."""

    type: LogicalType | None = None
    time: TimeRole = TimeRole.NONE
    null: bool = False
    """A bare NULL, which has no type."""
    constant: bool = False
    expr: Expr = field(default_factory=lambda: Unresolved(""))
    """A literal in canonical form, for functions whose type follows from one."""
    nullable: bool | None = None


UNKNOWN = ValueFacts()


PATTERN = "MATCH_RECOGNIZE"
WINDOW = "a window"
"""The clause of the arguments of a window table function."""

NULL_TEST = "IS NULL"
"""The place of a value that IS NULL asks about, in WHERE and ON."""


@dataclass
class ExpressionContext:
    """Place of an expression, as far as it decides what the expression may hold."""

    clause: str = "SELECT"
    aggregates: bool = True
    """True if aggregates may stand here."""
    windows: bool = True
    """True if OVER may stand here."""
    within: Span | None = None
    """The aggregate around it."""
    grouped: bool = False
    """True in SELECT and HAVING of a query with GROUP BY."""
    group_windows: frozenset[Hashable] = frozenset()
    """The group windows of its query, by what they mean."""


class OverCheck(Protocol):
    """The check of an OVER window."""

    def check(self, node: exp.Window, name: str, scope: ValidationScope, place: ExpressionContext) -> None: ...


CAST_NULL = "A bare NULL has no type here: cast it."


def type_names(types: list[LogicalType | None]) -> str:
    """The known types in words, each once."""
    return ", ".join(dict.fromkeys(str(type_) for type_ in types if type_ is not None))
