"""Output rows of operators: their columns in the order in which the planner arranges them.

An operator that stores its input row stores it in this order. The planner merges projections, so the select list of a
subquery and its order do not matter. A row has the columns of the operator below, in the order of that operator, and
then the computed columns, in the order in which the query first mentions them. Only a filter keeps the projection below
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Unresolved,
    WindowField,
    WindowPart,
    is_computed,
    sort_key,
)
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.provenance import declarations_of
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion, is_made_column

Row = tuple[Expr, ...]

_NEVER_CONSTANT = frozenset({"RAND", "RAND_INTEGER", "UNIX_TIMESTAMP"})
"""Calls that the planner does not compute although their operands are constants."""


def arranged(exprs: Iterable[Expr], operator: Operator) -> Row:
    """Return the row of ``exprs`` over the output of ``operator``.

    First come the columns of ``operator``, then columns of tables that the script does not declare, by name, then
    computed columns, in their order.

    >>> row = arranged((expr("price + 1"), expr("price"), expr("id")), root("SELECT * FROM orders"))
    >>> list(map(str, row))
    ['id', 'price', 'price + 1']
    """
    remainder: dict[Expr, Expr] = {}
    for expr in exprs:
        remainder.setdefault(expr, expr)
    passed = [remainder.pop(column) for column in output_columns(operator) if column in remainder]
    rest = list(remainder.values())
    plain = sorted((expr for expr in rest if _is_plain(expr)), key=sort_key)
    return (*passed, *plain, *(expr for expr in rest if not _is_plain(expr)))


def arranged_in_window(exprs: Iterable[Expr], operator: Operator, pinned: frozenset[Expr] | None = None) -> Row:
    """Return the row that a ranking or an OVER window stores of ``exprs``.

    The row is as ``arranged``, but expressions that the planner computes between the columns and the window stand
    behind the columns that are read. Behind ``WHERE c = 'x'`` that is ``c``, as a constant (``pinned``, unless they are
    given). It is also the definition of a computed column, where it is spelled out: only the column has a place among
    the others. Seen in the plans of Flink 2.3; aggregations, sorts and joins keep these places.

    >>> row = expr("buyer"), expr("id"), expr("price")
    >>> list(map(str, arranged_in_window(row, root("SELECT * FROM orders"))))
    ['id', 'buyer', 'price']
    >>> list(map(str, arranged_in_window(row, root("SELECT * FROM orders WHERE buyer = 'ann'"))))
    ['id', 'price', 'buyer']
    """
    row = _as_in_union(arranged(exprs, operator))
    pinned = frozenset(pinned_columns(operator)) if pinned is None else pinned
    spelled_out = frozenset(_spelled_out(row, operator))
    later = pinned | spelled_out
    return (
        *(expr for expr in row if expr not in later),
        *(expr for expr in row if expr in spelled_out),
        *(expr for expr in row if expr in pinned and expr not in spelled_out),
    )


def _as_in_union(row: Row) -> Row:
    """The columns of the only branch that is left of a UNION ALL in its order, in front of other expressions."""
    united = [expr for expr in row if isinstance(expr, Column) and expr.of_union is not None]
    return (*sorted(united, key=lambda column: column.of_union or 0), *(expr for expr in row if expr not in united))


def _spelled_out(row: Row, operator: Operator) -> Iterator[Expr]:
    """Yield the definitions of computed columns of the source below, written in place of their names."""
    while isinstance(operator, WindowTableFunction) or (isinstance(operator, Calc) and not operator.row):
        operator = operator.input
    if isinstance(operator, TableSourceScan):
        computed = frozenset(column for column in operator.columns if is_computed(column))
        yield from (expr for expr in row if expr in computed and not declarations_of(expr.via))


def pinned_among(columns: Iterable[Expr], operator: Operator, moved: bool = True) -> frozenset[Expr]:
    """The ``columns`` of a window on ``operator`` that filters right below equate with a value (``pinned_columns``)."""
    open_ = (column for column in columns if not (isinstance(column, Column) and column.of_union is not None))
    return frozenset(open_).intersection(pinned_columns(operator, moved))


def pinned_columns(operator: Operator, moved: bool = True) -> Iterator[Expr]:
    """Yield the columns that the filters right below equate with a value.

    With ``moved`` also those that are written there, but moved on in front of an aggregation.
    """
    while isinstance(operator, Calc):
        yield from _equated(operator.conditions)
        operator = operator.input
    if moved and isinstance(operator, Aggregate):
        yield from _equated(operator.pushed_conditions)


def _equated(conditions: Iterable[Expr]) -> Iterator[Expr]:
    for condition in conditions:
        if isinstance(condition, Call) and condition.name == "=":
            columns = [side for side in condition.args if isinstance(side, Column)]
            if len(columns) == 1 and any(is_constant(side) for side in condition.args):
                yield columns[0]


@asked_once
def output_columns(operator: Operator) -> Row:
    """Return the columns that an operator gives, in its order, as far as the script determines them.

    >>> list(map(str, output_columns(root("SELECT buyer, SUM(price) FROM orders GROUP BY buyer"))))
    ['buyer', 'SUM(price)']
    """
    return tuple(dict.fromkeys(_output_columns(operator)))


def _output_columns(operator: Operator) -> Iterator[Expr]:
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            yield from operator.columns
        case Calc():
            yield from operator.row or output_columns(operator.input)
        case WindowTableFunction():
            yield from output_columns(operator.input)
            yield from (WindowField(part, operator.depth) for part in WindowPart)
        case GroupWindowAggregate():
            yield from (*operator.plain_keys, *operator.aggregates)
            yield from (WindowField(part, operator.depth) for part in WindowPart)
        case Aggregate():
            yield from (*operator.keys, *operator.aggregates)
        case OverAggregate():
            yield from arranged_in_window(operator.row, operator.input)
            yield from operator.aggregates
        case Rank():
            yield from (*operator.row, operator.rank_number)
        case Union():
            yield from operator.columns
        case SetOperation():
            yield from operator.left_row
        case TemporalSort() | Limit():
            yield from operator.row
        case Join(kind="semi" | "anti"):
            yield from operator.left_fields
        case Join():
            yield from (*operator.left_fields, *operator.right_fields)
        case Correlate() | Match():
            yield from output_columns(operator.input)
        case Values() | Unsupported():
            for child in operator.inputs:
                yield from output_columns(child)
        case other:
            unhandled(other)


@asked_once
def is_constant(expr: Expr) -> bool:
    """Return whether an expression reads no column and so is the same for each row.

    >>> is_constant(expr("ABS(1)")), is_constant(expr("ABS(id)")), is_constant(expr("RAND()"))
    (True, False, False)
    """
    return all(isinstance(node, Literal) or _may_be_constant(node) for node in expr.walk())


def _may_be_constant(node: Expr) -> bool:
    """Return whether an expression that is no literal is constant if all of its operands are."""
    if isinstance(node, (AggregateCall, ColumnOfUnion)) or is_made_column(node):
        return False
    if isinstance(node, Call) and node.name in _NEVER_CONSTANT:
        return False
    return bool(node.children())


def _is_plain(expr: Expr) -> bool:
    if isinstance(expr, ColumnOfRight):
        expr = expr.column
    return isinstance(expr, (Column, Unresolved))
