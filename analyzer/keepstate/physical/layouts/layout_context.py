"""What the layout of an operator depends on beyond the operator itself."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.physical.options import PhysicalOptions
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.operators import Operator, Window


@dataclass(frozen=True)
class Surroundings:
    """``keys`` are the group keys in the order of the physical plan; ``row`` is what an operator keeps whose plan does
    not say it.
    """

    options: PhysicalOptions
    catalog: Catalog
    updating_tables: frozenset[str]
    keys: tuple[Expr, ...] | None = None
    row: tuple[Expr, ...] | None = None
    numbered: bool = False
    """Whether anything reads the number that a ranking gives."""


def assignment(window: Window) -> tuple[object, ...]:
    """How a window cuts time, whatever the syntax; its own partition keys are keys of the aggregation."""
    return (window.kind, window.time, window.size, window.slide, window.step, window.gap, window.offset)


def window_in(operator: Operator) -> tuple[object, ...] | None:
    """The uppermost window in an operator and those below it."""
    windows = (getattr(node, "window", None) for node in operator.walk())
    return next((assignment(window) for window in windows if isinstance(window, Window)), None)
