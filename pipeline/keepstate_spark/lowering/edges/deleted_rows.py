"""Rows of tables of changes without those that are deleted later.

A row is deleted by the values of the columns that a query reads: of several equal ones the first one is. Lists take a
value back in the same way, by the keys of their group and the value alone. So the rows that remain are looked for right
in front of them, and if they are others for other aggregates, they are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr
from keepstate.plan.operators import Aggregate, Calc, GroupAggregate, TableSourceScan
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.aggregate_columns import BY_ORDER
from keepstate_spark.lowering.functions.map_keys import has_map
from keepstate_spark.lowering.functions.signed_zeros import has_number, sign_column
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import choice, failing, frame_column, function_call, text

_BALANCE, _TURN, _GONE = "__keepstate_balance", "__keepstate_turn", "__keepstate_gone"
_STAYS = "__keepstate_stays"


def told_apart(operator: Aggregate) -> dict[AggregateCall, tuple[Expr, ...]] | None:
    """Return by which values each aggregate of ``operator`` takes back the rows of a table of changes: a list by its
    keys and its value, any other one by all columns that it reads. ``None`` where no list is made of such rows, and
    where it is not known how Flink takes a value out of one.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> def names_of(query):
    ...     apart = told_apart(job_of(JobVersion(query)).pipelines[0].plan.root)
    ...     return None if apart is None else [[expr.name for expr in exprs] for exprs in apart.values()]
    >>> names_of("SELECT k, LISTAGG(s), COUNT(*), SUM(v) FROM t WHERE x > 1 GROUP BY k")
    [['k', 's'], ['k', 's'], ['k', 'v']]
    >>> names_of("SELECT k, COUNT(s) FROM t GROUP BY k")
    >>> names_of("SELECT k, LISTAGG(DISTINCT s) FROM t GROUP BY k")
    """
    below = operator.input
    while isinstance(below, Calc):
        below = below.input
    if not isinstance(below, TableSourceScan) or not isinstance(operator, GroupAggregate) or operator.elements:
        return None
    lists = {
        call: tuple(dict.fromkeys((*operator.keys, call.args[0], *(() if call.filter is None else (call.filter,)))))
        for call in operator.aggregates
        if call.function in BY_ORDER
    }
    if not lists or any(call.distinct or _shows_no_sign(call) for call in lists):
        return None
    return {call: lists.get(call) or _apart_by_columns(call, operator, lists.values()) for call in operator.aggregates}


def _shows_no_sign(call: AggregateCall) -> bool:
    """Return whether a list has -0.0 as 0.0: of both, a deletion takes the first one out."""
    type_ = type_of(call.args[0])
    return call.function == "JSON_ARRAYAGG" and (type_ is None or has_number(type_))


def _apart_by_columns(
    call: AggregateCall, operator: Aggregate, of_lists: Iterable[tuple[Expr, ...]]
) -> tuple[Expr, ...]:
    """The keys and columns that ``call`` reads, or those of a list among which they are: one order of rows for both."""
    columns = dict.fromkeys(node for node in call.walk() if isinstance(node, Column))
    return next((exprs for exprs in of_lists if columns.keys() <= set(exprs)), (*operator.keys, *columns))


def marked_calls(operator: Aggregate, names: ColumnNames) -> tuple[AggregateCall, ...]:
    """Return the aggregates of ``operator``, each over the rows that are left of it where rows are marked for that."""
    apart = told_apart(operator)
    if apart is None or names.find(mark_of(0)) is None:
        return operator.aggregates
    numbers = {exprs: number for number, exprs in enumerate(dict.fromkeys(apart.values()))}
    return tuple(_where(call, mark_of(numbers[apart[call]])) for call in operator.aggregates)


def mark_of(number: int) -> Column:
    """The condition on rows that are left when they are distinguished by the ``number``-th values of ``told_apart``."""
    return Column("changes", f"stays {number}", "BOOLEAN")


def _where(call: AggregateCall, mark: Column) -> AggregateCall:
    return replace(call, filter=mark if call.filter is None else Call("AND", (call.filter, mark)))


def remaining(
    rows: DataFrame, values: Sequence[tuple[SparkColumn, LogicalType]], sign: str, place: str, table: str
) -> DataFrame:
    """The inserted ``rows`` that are not deleted later, without the column ``sign``. ``place`` orders them.

    A row is deleted by its ``values``: of several equal ones the first one is. The query stops at a deletion of a row
    that is not there, since the results of Flink depend on its operators then.
    """
    marked = with_mark(rows, values, sign, place, table, _STAYS)
    return marked.where(frame_column(_STAYS)).drop(sign, _STAYS)


def with_mark(
    rows: DataFrame, values: Sequence[tuple[SparkColumn, LogicalType]], sign: str, place: str, table: str, name: str
) -> DataFrame:
    """``rows`` with the column ``name``, which is true for those that ``remaining`` gives."""
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
    checked = choice(frame_column(_BALANCE) < 0, failing(words).cast("boolean"), stays)
    return counted.withColumn(name, checked).drop(_BALANCE, _TURN, _GONE)
