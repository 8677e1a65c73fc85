"""Rows of tables of changes without those that are deleted later.

A row is deleted by the values of the columns that a query reads: of several equal ones the first one is. Lists take a
value back in the same way, by the keys of their group and the value alone: so the rows that remain are looked for right
in front of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Column, Expr
from keepstate.plan.operators import Aggregate, Calc, GroupAggregate, TableSourceScan
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.aggregate_columns import BY_ORDER
from keepstate_spark.lowering.functions.map_keys import has_map
from keepstate_spark.lowering.functions.signed_zeros import sign_column
from keepstate_spark.lowering.spark_columns import choice, failing, frame_column, function_call, text

_BALANCE, _TURN, _GONE = "__keepstate_balance", "__keepstate_turn", "__keepstate_gone"


def told_apart_by(operator: Aggregate) -> tuple[Expr, ...] | None:
    """Return the keys and the value by which lists of ``operator`` take the changes of a table back. ``None`` where
    it makes no list of such rows, or lists of several values, or reads more of them.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> def keys_of(query):
    ...     found = told_apart_by(job_of(JobVersion(query)).pipelines[0].plan.root)
    ...     return None if found is None else [key.name for key in found]
    >>> keys_of("SELECT k, LISTAGG(s), COUNT(*) FROM t WHERE v > 1 GROUP BY k")
    ['k', 's']
    >>> keys_of("SELECT k, LISTAGG(s), SUM(v) FROM t GROUP BY k")
    >>> keys_of("SELECT k, COUNT(s) FROM t GROUP BY k")
    """
    below = operator.input
    while isinstance(below, Calc):
        below = below.input
    if not isinstance(below, TableSourceScan) or not isinstance(operator, GroupAggregate) or operator.elements:
        return None
    lists = [call for call in operator.aggregates if call.function in BY_ORDER]
    values = {call.args[0] for call in lists}
    if len(values) != 1 or any(call.distinct for call in lists):
        return None
    apart = (*operator.keys, *values)
    others = [call for call in operator.aggregates if call not in lists]
    exprs = [*others, *(call.filter for call in lists if call.filter is not None)]
    return apart if _columns(exprs) <= {expr for expr in apart if isinstance(expr, Column)} else None


def _columns(exprs: Iterable[Expr | AggregateCall]) -> set[Expr]:
    return {node for expr in exprs for node in expr.walk() if isinstance(node, Column)}


def remaining(
    rows: DataFrame, values: Sequence[tuple[SparkColumn, LogicalType]], sign: str, place: str, table: str
) -> DataFrame:
    """The inserted ``rows`` that are not deleted later, without the column ``sign``. ``place`` orders them.

    A row is deleted by its ``values``: of several equal ones the first one is. The query stops at a deletion of a row
    that is not there, since the results of Flink depend on its operators then.
    """
    keys = []
    for value, type_ in values:
        keys.append(function_call("to_json", function_call("struct", value)) if has_map(type_) else value)
        if type_.root in APPROXIMATE:
            # To Flink, -0.0 and 0.0 are two values.
            keys.append(sign_column(value))
    key = Window.partitionBy(*keys)
    up_to_row = key.orderBy(frame_column(place)).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    number = frame_column(sign)
    is_new = number > 0
    counted = rows.select(
        "*",
        fn.sum(number).over(up_to_row).alias(_BALANCE),
        fn.sum(is_new.cast("int")).over(up_to_row).alias(_TURN),
        fn.sum((~is_new).cast("int")).over(key).alias(_GONE),
    )
    words = text(
        f"A line of {table} updates or deletes a row that is not there. Flink's result is no certain one then."
    )
    stays = is_new & (frame_column(_TURN) > frame_column(_GONE))
    rows_left = counted.where(choice(frame_column(_BALANCE) < 0, failing(words).cast("boolean"), stays))
    return rows_left.drop(sign, _BALANCE, _TURN, _GONE)
