"""What the layout of an operator depends on beyond the operator itself."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.physical.options import PhysicalOptions
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.metadata.monotonicity import ChangingSources
from keepstate.plan.operators import Operator, Window


@dataclass(frozen=True)
class Surroundings:
    """``keys`` are the group keys in the order of the physical plan; ``row`` is what an operator keeps whose plan does
    not say it.
    """

    options: PhysicalOptions
    catalog: Catalog
    sources: ChangingSources
    keys: tuple[Expr, ...] | None = None
    row: tuple[Expr, ...] | None = None
    numbered: bool = False
    """Whether anything reads the number that a ranking gives."""

    @property
    def updating_tables(self) -> frozenset[str]:
        """The sources whose rows may change."""
        return frozenset(self.sources.keys)

    def updates(self, operator: Operator) -> bool:
        """Whether an operator may change or take back rows that it gave."""
        return updates(operator, self.updating_tables, self.options.flink)


def assignment(window: Window) -> tuple[object, ...]:
    """How a window cuts time, whatever the syntax; its own partition keys are keys of the aggregation."""
    return (window.kind, window.time, window.size, window.slide, window.step, window.gap, window.offset)


def window_in(operator: Operator) -> tuple[object, ...] | None:
    """The uppermost window in an operator and those below it."""
    windows = (getattr(node, "window", None) for node in operator.walk())
    return next((assignment(window) for window in windows if isinstance(window, Window)), None)
