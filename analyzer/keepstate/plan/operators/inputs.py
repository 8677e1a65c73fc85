"""Stateless operators: sources, filters, table functions, unions; and constructs that lowering does not support."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.catalog import Option
from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import KEPT_SORTED, Operator, UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.plan.references import united
from keepstate.value_class import value_class


@value_class(frozen=True)
class TableSourceScan(Operator):
    """A table that the job reads. Its declaration beyond its columns is compared through the catalog."""

    table: str
    columns: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns that the script declares for it, in order."""
    options: tuple[Option, ...] = field(default=(), compare=False, repr=False)
    """Options in a hint at the reading query, which override the options of the table."""


@value_class(frozen=True)
class Values(Operator):
    """Constant rows; none means a single row without columns. ``cells`` are the rows value by value, ``columns`` their
    names for the operators above.
    """

    rows: tuple[Expr, ...] = ()
    cells: tuple[tuple[Expr, ...], ...] = field(default=(), compare=False, repr=False)
    columns: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    empty: bool = False
    """There is no row at all: the planner has taken out what gives none."""


@value_class(frozen=True)
class Calc(UnaryOperator):
    """Filters in front of a stateful operator or of the sink; ``conditions`` are joined by AND and have no order. While
    a query is planned there may be none: what is left is the projection.
    """

    conditions: tuple[Expr, ...] = field(metadata=KEPT_SORTED)
    row: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns of a projection right below the filters, in its order; empty where there is none. The planner merges
    projections, but not past a filter.
    """


@value_class(frozen=True)
class Correlate(UnaryOperator):
    """A table function called for each row (LATERAL TABLE, UNNEST)."""

    function: Expr
    left: bool = False
    conditions: tuple[Expr, ...] = field(default=(), metadata=KEPT_SORTED)
    """For which of its rows a LEFT JOIN calls them matches; those of an inner join are a filter above it."""
    occurrence: int = 0
    """Number of equal calls for the rows of its input."""
    row: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """All columns that its input gives, read or not; empty if the script does not declare them all."""

    @property
    def name(self) -> str:
        """The name of its rows, which those of an equal call do not have."""
        return f"{self.function} {self.occurrence + 1}" if self.occurrence else str(self.function)


@value_class(frozen=True)
class Union(Operator):
    """UNION ALL of ``branches``; ``rows`` are the columns that each of them gives, position by position.

    SQL gives the inputs no order. ``plan.union_order`` puts them into a canonical one.
    """

    branches: tuple[Operator, ...]
    rows: tuple[tuple[Expr, ...], ...] = ()
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False)
    """The query of each input."""
    text_ranks: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The rank of each input in the text, from 0; operator ids of Flink follow it."""

    @property
    def columns(self) -> tuple[Expr, ...]:
        """Return the columns of the union. Inputs of different widths, as in half-typed text, give the first
        columns.
        """
        return tuple(map(united, zip(*self.rows, strict=False)))

    def in_order(self, columns: tuple[Expr, ...]) -> Union:
        """The union whose inputs give these columns in their order; the same one if they are not all of its own.

        >>> union = root("SELECT id, buyer FROM orders UNION ALL SELECT id, buyer FROM orders")
        >>> [[str(column) for column in row] for row in union.in_order(union.columns[::-1]).rows]
        [['buyer', 'id'], ['buyer', 'id']]
        """
        own = self.columns
        if len(columns) != len(own) or set(columns) != set(own):
            return self
        positions = [own.index(column) for column in columns]
        return with_fields(self, rows=tuple(tuple(row[position] for position in positions) for row in self.rows))

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return with_fields(self, branches=inputs)


@value_class(frozen=True)
class Unsupported(Operator):
    """A construct that lowering does not support: its state is unknown.

    ``tokens`` are its normalised tokens, so that an unchanged construct stays unchanged.
    """

    construct: str
    tokens: tuple[str, ...] = ()
    below: tuple[Operator, ...] = ()

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return with_fields(self, below=inputs)

    @property
    def stateful(self) -> bool:
        return True

    @property
    def title(self) -> str:
        return self.construct


@value_class(frozen=True)
class AggregatedSubquery(Unsupported):
    """Rows of a query in an expression, aggregated before they are joined: Flink stores what is not modelled.

    The join's result follows from ``rows``, only its state does not.
    """

    @property
    def rows(self) -> Operator:
        return self.below[0]
