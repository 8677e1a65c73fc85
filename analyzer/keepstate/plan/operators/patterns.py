"""Pattern recognition."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepstate.plan.expressions import Expr, Measure
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import KEPT_SORTED, UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class Definition(Expr):
    """The condition of a row to be matched to a pattern variable."""

    variable: str
    condition: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.condition,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, condition=children[0])

    def __str__(self) -> str:
        return f"{self.variable} AS {self.condition}"


@dataclass(frozen=True)
class MatchPlaces:
    """The clauses of a MATCH_RECOGNIZE, each with its keywords; ``input`` is the relation that it reads."""

    input: Place | None = None
    partition: Place | None = None
    order: Place | None = None
    measures: Place | None = None
    rows: Place | None = None
    after: Place | None = None
    pattern: Place | None = None
    within: Place | None = None
    subsets: Place | None = None
    define: Place | None = None


@value_class(frozen=True)
class Match(UnaryOperator):
    """MATCH_RECOGNIZE. ``partition`` is a set kept sorted; ``pattern`` and ``after`` are in canonical spelling; a
    variable without a condition matches every row and has no place in ``define``.

    The operator stores its input rows whole: ``row`` are all columns of the input, even unread ones; ``undeclared`` is
    true if there are more, of a table that the script does not declare.
    """

    partition: tuple[Expr, ...] = field(metadata=KEPT_SORTED)
    order: tuple[Expr, ...]
    measures: tuple[Measure, ...]
    rows: str
    after: str
    pattern: str
    within: Expr | None = None
    subsets: tuple[str, ...] = ()
    define: tuple[Definition, ...] = ()
    row: tuple[Expr, ...] = ()
    undeclared: bool = False
    places: MatchPlaces = field(default=MatchPlaces(), compare=False, repr=False)

    @property
    def stateful(self) -> bool:
        return True

    def reads(self) -> tuple[Expr, ...]:
        """The expressions over its input rows."""
        return (*self.partition, *self.order, *self.measures, *self.define)
