"""Window assignment."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from keepstate.plan.expressions import Expr
from keepstate.plan.operators.base import UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


class WindowKind(Enum):
    TUMBLE = "TUMBLE"
    HOP = "HOP"
    CUMULATE = "CUMULATE"
    SESSION = "SESSION"


class WindowSyntax(Enum):
    """As a table-valued function in FROM, or as a function in GROUP BY."""

    TVF = "table-valued function"
    LEGACY = "group window function"


@value_class(frozen=True)
class Window:
    """A window assignment. Lengths are canonical intervals (constant ones in milliseconds).

    ``size`` is the maximum size of CUMULATE; ``partition`` are SESSION's own keys; an offset that shifts by whole
    windows is none.
    """

    kind: WindowKind
    time: Expr
    size: Expr | None = None
    slide: Expr | None = None
    step: Expr | None = None
    gap: Expr | None = None
    offset: Expr | None = None
    partition: tuple[Expr, ...] = ()
    syntax: WindowSyntax = field(default=WindowSyntax.TVF, compare=False)
    place: Place | None = field(default=None, compare=False, repr=False)
    partition_place: Place | None = field(default=None, compare=False, repr=False)

    def assigns_as(self, other: Window) -> bool:
        """Return whether another window assigns the same windows, by another column of time."""
        tables = self.syntax is other.syntax is WindowSyntax.TVF
        lengths = ("kind", "size", "slide", "step", "gap", "offset")
        return tables and all(getattr(self, name) == getattr(other, name) for name in lengths)

    def exprs(self) -> tuple[Expr, ...]:
        lengths = (self.size, self.slide, self.step, self.gap, self.offset)
        return (self.time, *(length for length in lengths if length is not None), *self.partition)


@value_class(frozen=True)
class WindowTableFunction(UnaryOperator):
    """Assigns rows to windows; keeps no state itself."""

    window: Window
    depth: int = 1
