"""A DataFrame that knows which expressions of the plan it holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.expressions import Column as TableColumn
from keepstate_spark.lowering.scalars import ColumnNames


@dataclass(frozen=True)
class NamedFrame:
    """``rows`` with the ``names`` of their columns.

    ``arrival`` are columns that order rows as they came, if that order is known; rows that compare alike otherwise take
    this order, as they do in Flink. ``watermark`` is the column with the watermark in force when a row came, in
    milliseconds, where rows may come too late. With ``at_most`` it is the largest one that may have been: the pace of
    several inputs decides. ``last_changes`` are columns that order groups by their last change, if that is known.
    ``sign`` is the column that is 1 for a row that is inserted and -1 for one that is deleted, where rows are changes.
    """

    rows: DataFrame
    names: ColumnNames = field(default_factory=ColumnNames)
    arrival: tuple[str, ...] = ()
    watermark: str | None = None
    at_most: bool = False
    last_changes: tuple[str, ...] = ()
    sign: str | None = None

    def name_of(self, expr: Expr) -> str:
        """The column that holds ``expr``, which has one."""
        name = self.names.find(expr)
        assert name is not None, expr
        return name

    def holding(self, rows: DataFrame, columns: dict[Expr, str]) -> NamedFrame:
        """The same over ``rows``, which hold ``columns`` besides."""
        return replace(self, rows=rows, names=replace(self.names, columns={**self.names.columns, **columns}))


@dataclass(frozen=True)
class SortKey:
    """One key of an order. ``of`` identifies the key: the expression, or the name of a column that orders rows."""

    of: Expr | str
    value: Column = field(compare=False)
    descending: bool
    nulls_first: bool

    @property
    def column(self) -> Column:
        if self.descending:
            return self.value.desc_nulls_first() if self.nulls_first else self.value.desc_nulls_last()
        return self.value.asc_nulls_first() if self.nulls_first else self.value.asc_nulls_last()


def given_out(expr: Expr) -> Expr:
    """The expression of ``expr`` as a result has it, which may differ from what other expressions see."""
    return Call("OUTPUT", (expr,))


def hint(expr: Expr) -> str:
    """Return a readable name for an expression in a plan of Spark."""
    return expr.name if isinstance(expr, TableColumn) else str(getattr(expr, "function", None) or expr)
