"""Queries inside of expressions: each row of the query around one gets a column with its answer.

EXISTS gives a truth, a query for one value this value, and the query of IN, ANY and ALL an array of its distinct rows,
each with the signs of its FLOATs and DOUBLEs: SQL's three-valued logic is that of Spark's ``exists`` and ``forall``.
The answers of a query that reads the row around it are computed for all these rows at once: both are joined, and
grouped by the row around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame

from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.lowering.nested.subqueries import SubqueryRole
from keepstate.plan.operators import (
    AggregatedSubquery,
    Calc,
    GroupAggregate,
    Join,
    Operator,
    expressions_of,
)
from keepstate.plan.references import CorrelatedColumn, SubqueryValue
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.signed_zeros import equal_signs, has_sign, sign_column
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.grouping import grouped
from keepstate_spark.lowering.operators.join_names import names_of_both
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import AMBIGUOUS, ColumnNames
from keepstate_spark.lowering.spark_columns import choice, failing, frame_column, function_call, text, true, whole

OF_NO_ROWS = frozenset({"COUNT", "SUM0", "APPROX_COUNT_DISTINCT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "COLLECT"})
"""Functions that are not NULL for no rows."""
_ZERO_OF_NO_ROWS = frozenset({"COUNT", "SUM0"})


def with_answers(join: Join, lowering: Lowering) -> NamedFrame:
    """The left rows of a join with the answer of a query, and those of such joins right below: the rows that the
    conditions on the answers let pass.
    """
    joins = [join]
    while isinstance(below := joins[-1].left, Join) and below.kind == "scalar":
        joins.append(below)
    # A row comes with the answer, and nothing orders the rows of several inputs.
    frame = replace(lowering.frame(joins[-1].left), arrival=())
    for one in reversed(joins):
        frame = _answered(one, frame, lowering)
    conditions = dict.fromkeys(condition for one in joins for condition in one.conditions if _asks(condition))
    # A stream joins by such an equation, and -0.0 is another key there than 0.0.
    of_keys = filter(None, map(equal_signs, conditions)) if lowering.streams else ()
    return lowering.filtered(frame, (*conditions, *of_keys))


def _asks(condition: Expr) -> bool:
    return any(isinstance(node, SubqueryValue) for node in condition.walk())


def _answered(join: Join, left: NamedFrame, lowering: Lowering) -> NamedFrame:
    """The left rows with the answer of the query of ``join``."""
    query = join.subquery
    if not isinstance(query, SubqueryValue):
        raise NotLowerable("A query in this place of an expression cannot be run.", join.kind_place or join.place)
    name = lowering.name("answer")
    comparisons = tuple(condition for condition in join.conditions if not _asks(condition))
    if _reads_outer(join.right):
        rows = _aggregated(join, query, left, name, lowering)
    else:
        right = lowering.frame(join.right)
        answer = _answer(join, query, right, lowering).alias(name)
        if comparisons:
            names = names_of_both(join, left, right)
            numbered, pairs, row = _paired(left, right, names, comparisons, lowering)
            rows = numbered.rows.join(pairs.rows.groupBy(row).agg(answer), row, "left").drop(row)
        else:
            answers = right.rows.agg(answer)
            if lowering.streams and _is_listed(join, query):
                # A stream joins with an aggregation of these rows, which gives no row for none.
                answers = answers.where(function_call("size", frame_column(name)) > 0)
            rows = left.rows.crossJoin(answers)
    if not query.row:
        rows = rows.withColumn(name, function_call("coalesce", frame_column(name), ~true()))
    subqueries = {**left.names.subqueries, query: AMBIGUOUS if query in left.names.subqueries else name}
    return replace(left, rows=rows, names=replace(left.names, subqueries=subqueries))


def _answer(join: Join, query: SubqueryValue, right: NamedFrame, lowering: Lowering) -> Column:
    """The answer of a query over its rows: an aggregate."""
    if not query.row:
        return function_call("count", whole(1)) > 0
    scalars = lowering.scalars(right)
    values = [scalars.column(expr) for expr in query.row]
    if _is_listed(join, query):
        fields = [value.alias(f"c{index}") for index, value in enumerate(values)]
        # To the set, -0.0 is 0.0.
        minus = [sign_column(values[at]).alias(f"s{at}") for at, expr in enumerate(query.row) if has_sign(expr)]
        return function_call("collect_set", function_call("struct", *fields, *minus))
    if len(values) > 1:
        raise NotLowerable("A query for one value gives several columns here.", join.kind_place or join.place)
    more = failing(text("A query in an expression gave more than one row."))
    return choice(function_call("count", whole(1)) > 1, more, function_call("first", values[0]))


def _is_listed(join: Join, query: SubqueryValue) -> bool:
    """Return whether the answer is all rows of the query, for IN, ANY and ALL."""
    role = join.right.construct if isinstance(join.right, AggregatedSubquery) else SubqueryRole.VALUE.value
    return bool(query.row) and role != SubqueryRole.VALUE.value


def _paired(
    left: NamedFrame, right: NamedFrame, names: ColumnNames, comparisons: Sequence[Expr], lowering: Lowering
) -> tuple[NamedFrame, NamedFrame, str]:
    """The rows around a query, numbered; its rows, each with each of those that it belongs to; the column of numbers.

    ``names`` are those of both sides, as ``comparisons`` have them.
    """
    row = lowering.name("row")
    numbered = replace(left, rows=left.rows.withColumn(row, function_call("monotonically_increasing_id")))
    pairs = numbered.rows.join(right.rows, lowering.over(names).condition(*comparisons), "inner")
    return numbered, replace(right, rows=pairs, watermark=None), row


def _aggregated(join: Join, query: SubqueryValue, left: NamedFrame, name: str, lowering: Lowering) -> DataFrame:
    """The left rows with the value of a query that aggregates the rows that belong to each of them."""
    groups, below, comparisons = _compared_rows(join)
    right = lowering.frame(below)
    names = replace(right.names, outer=left.names)
    numbered, pairs, row = _paired(left, right, names, comparisons, lowering)
    key = Literal(row, "INPUT")
    pairs = pairs.holding(pairs.rows, {key: row})

    def frame_of(operator: Operator, within: Lowering) -> NamedFrame:
        return pairs if operator is groups.input else lowering.of(operator, within)

    results = grouped(replace(groups, keys=(key,)), replace(lowering, of=frame_of))
    rows = numbered.rows.join(results.rows, row, "left").drop(row)
    for call in groups.aggregates:
        if call.function in _ZERO_OF_NO_ROWS:
            count = results.name_of(call)
            rows = rows.withColumn(count, function_call("coalesce", frame_column(count), whole(0)))
    value = lowering.over(replace(results.names, outer=left.names)).column(query.row[0])
    columns = (frame_column(column) for column in left.rows.columns)
    return rows.select(*columns, value.alias(name))


def _compared_rows(join: Join) -> tuple[GroupAggregate, Operator, tuple[Expr, ...]]:
    """The aggregation of a query that compares its rows with the row around it: with the rows below, and the
    comparisons. Raises ``NotLowerable`` for any other query that reads that row.
    """
    groups = join.right
    calc = groups.input if isinstance(groups, GroupAggregate) else None
    if (
        isinstance(groups, GroupAggregate)
        and isinstance(calc, Calc)
        and not (groups.keys or groups.elements)
        and not _reads_outer(calc.input)
        and not any(map(_is_correlated, groups.aggregates))
    ):
        for call in groups.aggregates:
            if call.function in OF_NO_ROWS - _ZERO_OF_NO_ROWS:
                raise NotLowerable(f"{call.function} of a query in an expression has a value for no rows.", call.place)
        return groups, calc.input, calc.conditions
    raise NotLowerable(
        "A query in an expression reads the row around it here in a way that cannot be run.",
        join.kind_place or join.place,
    )


def _is_correlated(expr: Expr) -> bool:
    return any(isinstance(node, CorrelatedColumn) for node in expr.walk())


def _reads_outer(operator: Operator) -> bool:
    return any(_is_correlated(expr) for node in operator.walk() for expr in expressions_of(node))
