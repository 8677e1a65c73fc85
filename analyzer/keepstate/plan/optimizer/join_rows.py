"""Rows that a join stores: the columns of either input that are read, above the join and by its own condition.

A row has the columns of its input in their order, and behind them the operands of equations that are computed from
these. Other expressions are computed above the join, from the columns. Of an input that nothing reads the first column
stays, a constant too. Seen in the plans of Flink 1.20 and 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from keepstate.plan.expressions import Call, Column, Expr, Unresolved, WindowField, WindowPart, is_spelled_out, sort_key
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import IntervalJoin, Join, TemporalJoin, WindowJoin
from keepstate.plan.references import ColumnOfRight, SubqueryValue

Row = tuple[Expr, ...]


def kept_rows(
    join: Join, reads: Iterable[Expr], is_time: Callable[[Expr], bool], by_name: bool = False
) -> tuple[Row, Row]:
    """Return the rows of the left and of the right input. ``reads`` are the expressions that the operators above the
    join read.

    With ``by_name`` a computed column is only read where its name is written, and not its definition.
    """
    sides = JoinSides.of(join)
    computed = list(_computed(join, sides))
    needs = [*reads, *(part for condition in join.conditions for part in _parts(condition, computed))]
    needs += _times(join, is_time, sides)
    # The planner writes constants above the join: no stored row has them.
    columns_read = (expr for expr in _columns(needs, sides, by_name) if expr not in join.constants)
    # Of equal expressions the first one counts, with its place.
    candidates = {expr: expr for expr in reversed(list(columns_read))}
    rows: list[Row] = []
    for side, fields in ((JoinSide.LEFT, join.left_fields), (JoinSide.RIGHT, join.right_fields)):
        columns = dict.fromkeys(candidates[expr] for expr in fields if expr in candidates)
        # An undeclared table gives its columns no order; by name, equal joins store equal rows.
        rest = sorted((expr for expr in candidates - columns.keys() if _side(expr, sides) is side), key=sort_key)
        behind = dict.fromkeys(expr for expr in computed if sides.read(expr) == {side})
        rows.append((*columns, *rest, *behind))
    return rows[0], rows[1]


def stored_rows(join: Join, rows: tuple[Row, Row]) -> tuple[Row, Row]:
    """The rows of both inputs, with the first column of one that nothing reads. A query in an expression has an answer,
    and no columns.
    """
    if join.subquery is not None:
        return rows
    return rows[0] or join.left_fields[:1], rows[1] or join.right_fields[:1]


def _computed(join: Join, sides: JoinSides) -> Iterator[Expr]:
    """Yield the operands of equations that are computed from one input: the planner computes them in front of the
    join.
    """
    for condition in join.conditions:
        if isinstance(condition, Call) and condition.name == "=":
            operands = condition.args
            if all(len(sides.read(operand)) == 1 for operand in operands) and len(sides.read(condition)) == 2:
                yield from (operand for operand in operands if not _is_column(operand, sides))


def _parts(condition: Expr, computed: list[Expr]) -> Iterator[Expr]:
    """Yield a condition, or the operands of it that are not computed below the join."""
    if any(operand in computed for operand in condition.children()):
        yield from (operand for operand in condition.children() if operand not in computed)
    else:
        yield condition


def _times(join: Join, is_time: Callable[[Expr], bool], sides: JoinSides) -> Iterator[Expr]:
    """Yield the expressions that a join of this kind reads beyond its conditions."""
    match join:
        case IntervalJoin():
            yield from (join.left_time, join.right_time)
        case WindowJoin():
            for expr in (*join.left_fields, *join.right_fields):
                field = expr.column if isinstance(expr, ColumnOfRight) else expr
                if isinstance(field, WindowField) and field.part is not WindowPart.TIME:
                    yield expr
        case TemporalJoin() if join.stateful:
            if join.as_of is not None:
                yield join.as_of
            yield from (expr for expr in join.right_fields if is_time(sides.within_right(expr)))


def _columns(exprs: Iterable[Expr], sides: JoinSides, by_name: bool) -> Iterator[Expr]:
    """Yield the columns of the inputs that occur in ``exprs``, without looking inside of a column."""
    for expr in exprs:
        if isinstance(expr, SubqueryValue) and sides.field_side(expr) is None:
            yield from (expr,) if sides.is_answered_below(expr) else _columns(sides.columns_of_value(), sides, by_name)
        elif _is_column(expr, sides) and not (by_name and is_spelled_out(expr)):
            yield expr
        elif not is_constant(expr):
            yield from _columns(expr.children(), sides, by_name)


def _is_column(expr: Expr, sides: JoinSides) -> bool:
    return sides.field_side(expr) is not None or isinstance(expr, (Column, Unresolved))


def _side(expr: Expr, sides: JoinSides) -> JoinSide:
    """Return the input that gives a column; the left one if that is undecidable."""
    return JoinSide.RIGHT if sides.read(expr) == {JoinSide.RIGHT} else JoinSide.LEFT
