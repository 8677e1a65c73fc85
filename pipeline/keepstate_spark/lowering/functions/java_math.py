"""EXP, POWER and logarithms with the last digit that Flink gives.

Flink calls ``java.lang.Math``, and Spark ``StrictMath``, which gives one in ten powers another last digit. ``reflect``
of Spark calls methods of Java, at the cost of a text for each number. To Spark its value may change with each call, so
it stands in projections and filters alone; other operators take a column of its values. A platform may forbid it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Call, Expr, Ordering
from keepstate_spark.lowering.plain_functions import Function, logarithm_to
from keepstate_spark.lowering.spark_columns import DOUBLE, all_true, choice, text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CLASS = "java.lang.Math"


def _method(name: str) -> Function:
    def of(*args: Column) -> Column:
        doubles = (arg.cast(DOUBLE) for arg in args)
        return choice(
            all_true(*(arg.isNotNull() for arg in args)), fn.reflect(text(_CLASS), text(name), *doubles).cast(DOUBLE)
        )

    return of


_LOG = _method("log")
_FUNCTIONS: dict[str, Function] = {
    "EXP/1": _method("exp"),
    "POWER/2": _method("pow"),
    "LN/1": _LOG,
    "LOG/1": _LOG,
    "LOG/2": lambda base, value: logarithm_to(base, value, _LOG),
    "LOG2/1": lambda value: logarithm_to(text("2"), value, _LOG),
    "LOG10/1": _method("log10"),
}
"""By ``NAME/count`` of arguments."""


def java_function(call: Call) -> Function | None:
    """Return the function that computes ``call`` in Java; ``None`` if Spark's own one has the same digits."""
    return _FUNCTIONS.get(f"{call.name}/{len(call.args)}")


def calls_java(expr: Expr) -> bool:
    """Return whether ``expr`` has such a call."""
    return any(isinstance(node, Call) and java_function(node) is not None for node in expr.walk())


def values_of_java(exprs: Iterable[Expr]) -> Iterator[Expr]:
    """The values among ``exprs``, and among the arguments of aggregates, that have such a call."""
    for expr in map(_sorted_value, exprs):
        parts = expr.children() if isinstance(expr, AggregateCall) else (expr,)
        yield from filter(calls_java, map(_sorted_value, parts))


def _sorted_value(expr: Expr) -> Expr:
    return expr.expr if isinstance(expr, Ordering) else expr


def may_call_java(session: SparkSession) -> bool:
    """Return whether the platform of ``session`` allows ``reflect``."""
    try:
        _ = session.range(0).select(_LOG(text("1"))).schema
    except PySparkException:
        return False
    return True
