"""One difference between the stored states of two versions of an operator, and its effect."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.expressions import Expr
from keepstate.report import Effect
from keepstate.state.stored_operators import Fields, StatePart


@dataclass(frozen=True)
class StateDifference:
    """``fields`` are those of the part in the savepoint and in the job, where it is a row of fields that differs."""

    part: StatePart
    effect: Effect
    reason: str
    fields: tuple[Fields, Fields] = ((), ())
    rows: tuple[Fields, Fields] = ((), ())
    """Both rows as a whole, where the words of a difference depend on the change that brings it."""
    keys: frozenset[Expr] = frozenset()
    """Columns of keys that get no rows any more, while all other keys continue unchanged."""
