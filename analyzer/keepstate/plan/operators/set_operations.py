"""Operations on sets of rows that keep both inputs apart."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import Operator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class SetOperation(Operator):
    """INTERSECT or EXCEPT (``kind``), which match the whole rows of two inputs.

    Flink plans a semi or anti join and an aggregation of its result; with ``every`` (the word ALL) one aggregation that
    counts the rows of both inputs. In both cases the rows are the keys of the state.
    """

    left: Operator
    right: Operator
    kind: str
    every: bool = False
    left_row: tuple[Expr, ...] = ()
    right_row: tuple[Expr, ...] = ()
    left_place: Place | None = field(default=None, compare=False, repr=False)
    """The select list of the left query, and of the right one."""
    right_place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return with_fields(self, left=inputs[0], right=inputs[1])

    @property
    def stateful(self) -> bool:
        return True

    @property
    def words(self) -> str:
        return f"{self.kind} ALL" if self.every else self.kind

    @property
    def title(self) -> str:
        return self.words
