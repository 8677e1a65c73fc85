"""Common base of all operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from keepstate.plan.catalog import Option
from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import HashedValue, with_fields
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class

KEPT_SORTED = {"kept sorted": True}
"""Metadata of fields whose expressions have no order of their own: they stand in the order of ``sort_key``."""
UNNUMBERED = -2_000_000
"""The number of an operator that is in no plan."""


@value_class(frozen=True)
class Operator(HashedValue):
    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    ttl_hints: tuple[Option | None, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """The entries of STATE_TTL hints about its inputs, if there are any: how long state lives is no part of a plan."""
    unread_columns: tuple[Expr, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """The columns and calls that it keeps although nothing reads them (``plan/held_columns``)."""
    number: int = field(default=UNNUMBERED, compare=False, repr=False, kw_only=True)
    """Its identity in its plan, which no rewriting changes (``operators/numbering``): equal operators may stand in
    several places.
    """

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return self

    @property
    def stateful(self) -> bool:
        """Return whether Flink keeps keyed or operator state for the operator. The offsets of a source do not count."""
        return False

    @property
    def title(self) -> str:
        """The operator's name as Flink prints it."""
        return type(self).__name__

    @property
    def asked_by(self) -> str:
        """The words of the query that ask for the operator, where they are not those that its class has for readers."""
        return ""

    def walk(self) -> Iterator[Operator]:
        """Yield the operator and all below it, from the top."""
        # Not by recursion: a chain of joins is deep, and each level would hand on all that is below it.
        pending: list[Operator] = [self]
        while pending:
            operator = pending.pop()
            yield operator
            pending += reversed(operator.inputs)


@value_class(frozen=True)
class UnaryOperator(Operator):
    input: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return with_fields(self, input=inputs[0])
