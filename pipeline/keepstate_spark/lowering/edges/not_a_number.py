"""Numbers that are none: to Flink NaN is unequal to every number, and to Spark it is equal to itself and the largest.

Only a FLOAT or a DOUBLE can be NaN. Comparisons of other types are left as they are, and so are those in which the
side that matters is a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, le, lt, ne

from pyspark.sql import Column

from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.spark_columns import choice, failing, function_call, nothing, text, true

COMPARED: dict[str, Callable[[Column, Column], Column]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    "<=>": Column.eqNullSafe,
}
"""Comparisons of Spark."""


def has_nan(type_: LogicalType, expr: Expr | None = None) -> bool:
    """Return whether values of a type may be NaN, and ``expr``, if given, is no number that is written.

    >>> has_nan(LogicalType("DOUBLE")), has_nan(LogicalType("INT"))
    (True, False)
    """
    return type_.root in APPROXIMATE and not isinstance(expr, Literal)


def compared(sign: str, left: Column, right: Column, nan: tuple[bool, bool], is_written: bool = False) -> Column:
    """``left`` and ``right`` compared by ``sign`` as Flink does, where ``nan`` says which of them may be NaN. With
    ``is_written`` the left one is a constant, which is not NULL.
    """
    plain = COMPARED[sign](left, right)
    if sign in ("=", "<>", "<=>"):
        # A number and NaN are unequal to Spark as well.
        return choice(is_nan(left) & is_nan(right), ~true() if sign != "<>" else true(), plain) if all(nan) else plain
    if not nan[1]:
        return plain
    if is_written:
        # So a file can still be asked for rows of a range.
        return plain & ~is_nan(right)
    return choice(is_nan(right) & left.isNotNull(), ~true(), plain)


def is_nan(value: Column) -> Column:
    """True for NaN, and false for numbers and NULL."""
    return function_call("isnan", value)


def number_of(value: Column) -> Column:
    """``value``, and NULL in place of NaN."""
    return choice(is_nan(value), nothing(), value)


def nan_of(value: Column) -> Column:
    """Return whether ``value`` is NaN; NULL where it is NULL."""
    return choice(value.isNotNull(), is_nan(value))


def sortable(value: Column, type_: LogicalType) -> Column:
    """``value`` as a key of an order: NaN ends the query, since the place of such a row depends on Flink's sort."""
    if not has_nan(type_):
        return value
    words = text(
        "A sort key is NaN. To Flink it is neither less nor greater than a number, and so has no certain place."
    )
    return choice(is_nan(value), failing(words), value)
