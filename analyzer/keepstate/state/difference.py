"""One difference between what two versions of an operator store, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.expressions import Expr
from keepstate.report import Effect
from keepstate.state.stored import Fields, Part


@dataclass(frozen=True)
class Difference:
    """``fields`` are those of the part in the savepoint and in the job, where it is a row of fields that differs."""

    part: Part
    effect: Effect
    reason: str
    fields: tuple[Fields, Fields] = ((), ())
    keys: frozenset[Expr] = frozenset()
    """For keys of which no row comes any more, while all others go on as they are: the columns that tell them."""
