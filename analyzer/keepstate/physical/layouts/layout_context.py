"""Facts beyond an operator itself that its layout depends on."""

from __future__ import annotations

from keepstate.physical.graph_options import PhysicalOptions
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.metadata.monotonicity import ChangingSources
from keepstate.plan.operators import Operator, Window
from keepstate.value_class import value_class


@value_class(frozen=True)
class LayoutContext:
    """Facts that a layout needs.

    ``keys`` are the group keys in the order of the physical plan; ``row`` is the stored row of an operator whose plan
    does not determine it.
    """

    options: PhysicalOptions
    catalog: Catalog
    sources: ChangingSources
    keys: tuple[Expr, ...] | None = None
    row: tuple[Expr, ...] | None = None
    numbered: bool = False
    """The number that a ranking gives is read."""

    @property
    def updating_tables(self) -> frozenset[str]:
        """The sources whose rows may change."""
        return frozenset(self.sources.keys)

    def updates(self, operator: Operator) -> bool:
        """Return whether an operator may change or take back rows that it gave."""
        return updates(operator, self.updating_tables, self.options.flink)


def assignment(window: Window) -> tuple[object, ...]:
    """Return how a window divides time, in either syntax. Its own partition keys are keys of the aggregation."""
    return (window.kind, window.time, window.size, window.slide, window.step, window.gap, window.offset)


def window_in(operator: Operator) -> tuple[object, ...] | None:
    """The uppermost window in an operator and those below it."""
    windows = (getattr(node, "window", None) for node in operator.walk())
    return next((assignment(window) for window in windows if isinstance(window, Window)), None)
