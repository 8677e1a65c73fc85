"""ORDER BY, LIMIT, OFFSET and FETCH, from their syntax to operators.

An order that Flink's planner drops has no operator (seen in the plans of 1.20 and 2.3). In a subquery, a common table
or an operand of UNION an order without a limit has no effect. The order of a view has no effect on a query that
aggregates, joins, ranks or sorts its rows again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from sqlglot import exp

from keepstate.plan.expressions import AggregateCall, Column, Expr, Literal, Opaque, Ordering, RankNumber, is_computed
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    TemporalSort,
    Union,
    Values,
    WindowRank,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place, declarations_of
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation, Scope, filtered, sealed
from keepstate.plan.scalars.over_windows import is_taken_apart


def orderings(order: exp.Expression | None, fields: tuple[Field, ...], scalars: ScalarLowering) -> tuple[Ordering, ...]:
    """Return the sort keys of a query with these output columns.

    A name means the output column first, then a column of FROM; a number means the output column of that position. A
    repeated key has no effect.
    """
    if order is None:
        return ()
    scope = Scope((Relation(Values(), fields), *scalars.scope.relations), scalars.scope.parent)
    lowering = with_fields(scalars, scope=scope, subquery=lambda *_: Opaque("QUERY", scalars.place(order).words))
    keys: dict[Expr, Ordering] = {}
    for key in lowering.orderings(order):
        key = _by_position(key, fields)
        keys.setdefault(key.expr, key)
    return tuple(keys.values())


def _by_position(key: Ordering, fields: tuple[Field, ...]) -> Ordering:
    number = key.expr
    if not (isinstance(number, Literal) and number.type == "NUMBER" and number.value.isdecimal()):
        return key
    if number.place is not None and not number.place.token_text.strip("() ").isdecimal():
        return key  # ``1 + 1`` is a constant.
    index = int(number.value) - 1
    if not 0 <= index < len(fields) or number.place is None:
        return key
    return with_fields(key, expr=fields[index].expr.used_at(number.place, fields[index].item))


def ordered(
    node: exp.Expression, relation: Relation, order: tuple[Ordering, ...], scalars: ScalarLowering, outermost: bool
) -> Relation:
    """Return the relation behind ORDER BY, LIMIT, OFFSET and FETCH of ``node``. ``outermost`` is true if no other query
    reads it, so that an order without a limit counts.
    """
    fetch, fetch_place = _rows(node.args.get("limit"), scalars)
    offset, offset_place = _rows(node.args.get("offset"), scalars)
    if offset == Literal("0", "NUMBER"):
        offset = None
    order_node = node.args.get("order")
    order_place = scalars.place(order_node) if order_node is not None else None
    row = tuple(column.expr for column in relation.fields)
    operator: Operator
    if fetch is not None or offset is not None:
        place = next(place for place in (fetch_place, offset_place) if place is not None)
        operator = Limit(
            sealed(relation), fetch, offset, order, row, fetch_place, offset_place, order_place, place=place
        )
    elif order and outermost:
        operator = TemporalSort(sealed(relation), order, row, place=order_place)
    else:
        return relation
    return with_fields(relation, input=operator, filters=())


def _rows(clause: exp.Expression | None, scalars: ScalarLowering) -> tuple[Expr | None, Place | None]:
    """The number of rows in LIMIT, OFFSET or FETCH, and the clause; FETCH without a number means one row."""
    if clause is None:
        return None, None
    count = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.expression
    place = scalars.place(clause)
    return (scalars.lower(count) if count is not None else Literal("1", "NUMBER", place=place)), place


def unordered(operator: Operator) -> Operator:
    """Return ``operator`` without the orders that its consumer ignores."""
    match operator:
        case TemporalSort():
            return unordered(operator.input)
        case Calc():
            below = unordered(operator.input)
            return operator if below is operator.input else filtered(below, operator.conditions)
        case WindowTableFunction():
            below = unordered(operator.input)
            return operator if below is operator.input else with_fields(operator, input=below)
    return operator


def ordered_row(operator: TemporalSort | Limit, reads: Iterable[Expr]) -> tuple[Expr, ...]:
    """The columns that reach a sort or a limit: the select list of its query and the sort keys, without aggregates
    that nothing reads. If a sort gives all its keys or stands on a filter or a union, a column that the list has twice
    comes twice. Else right over an aggregation these are its keys and its aggregates (seen in plans).
    """
    keys = tuple(key.expr for key in operator.order)
    nodes = {node for expr in (*reads, *keys) for node in expr.walk()}

    def is_read(expr: Expr) -> bool:
        return not any(isinstance(node, AggregateCall) and node not in nodes for node in expr.walk())

    below = operator.input
    if isinstance(below, Aggregate) and not gives_keys(operator, operator.row):
        output = (*below.keys, *below.aggregates)
        if set(keys) <= set(output):
            return tuple(expr for expr in output if is_read(expr))
    if gives_keys(operator, operator.row):
        return tuple(filter(is_read, operator.row))
    row = tuple(filter(is_read, operator.row))
    if isinstance(operator, TemporalSort) and isinstance(below, (Calc, Union)):
        return (*row, *(key for key in keys if key not in row))
    return tuple(dict.fromkeys((*row, *keys)))


def gives_keys(operator: TemporalSort | Limit, exprs: Collection[Expr]) -> bool:
    """Return whether a sort without a limit has all its keys in its select list: then that is the projection below.

    >>> sort = root("SELECT id FROM orders ORDER BY rowtime")
    >>> gives_keys(sort, plan("SELECT id, rowtime FROM orders").output)
    True
    >>> gives_keys(sort, plan("SELECT id FROM orders").output)
    False
    """
    return isinstance(operator, TemporalSort) and all(key.expr in exprs for key in operator.order)


def row_below_projection(
    operator: TemporalSort | Limit, row: tuple[Expr, ...], is_time: Callable[[Expr], bool]
) -> tuple[Expr, ...]:
    """``row`` as open-source Flink stores it: right above a source with computed columns and a watermark, projections
    go behind the sort, and the columns that they read take their place (``SortProjectTransposeRule``). They stay where
    they are if a sort key is constant, or computed and no column of the table, and where a sort without a limit gives
    all its keys.

    For example ``SELECT a * b AS c, d FROM t ORDER BY ts`` stores ``a, b, d, ts``.
    """
    scan = operator.input
    if not isinstance(scan, TableSourceScan) or all(isinstance(column, Column) for column in scan.columns):
        return row
    if gives_keys(operator, operator.row):
        return row
    times = tuple(column for column in scan.columns if isinstance(column, Column) and is_time(column))
    keys = tuple(key.expr for key in operator.order)
    if not times or not all(_is_column(key) and not is_constant(key) for key in keys):
        return row
    parts = (part for expr in (*operator.row, *keys) for part in _columns(expr))
    return tuple(dict.fromkeys((*parts, *times)))


def row_behind_ranking(below: Operator, columns: tuple[Expr, ...], listed: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The columns that reach a sort or a limit of the ``listed`` ones if ``below`` gives ``columns``: all of these, but
    behind a ranking, or an OVER window whose list computes, those of the list. Behind a ranking a computed one is
    computed behind the sort, and the columns that it reads come with the number of the row (plans of 2.3).

    >>> number = "ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY price DESC) AS n"
    >>> top = root(f"SELECT id, price FROM (SELECT id, price, {number} FROM orders) WHERE n = 1")
    >>> [len(row_behind_ranking(top, (expr("id"), expr("price")), (expr(item),))) for item in ("id", "price + 1")]
    [1, 2]
    """
    is_listed = all(each in columns or isinstance(each, RankNumber) for each in listed)
    if isinstance(below, OverAggregate):
        return listed if is_listed and any(map(is_taken_apart, below.aggregates)) else columns
    if not isinstance(below, Rank) or isinstance(below, WindowRank):
        return columns
    if is_listed:
        return listed
    nodes = {node for expr in listed for node in expr.walk()}
    return (*(column for column in columns if column in nodes), below.rank_number)


def _is_column(expr: Expr) -> bool:
    return not is_computed(expr) or bool(declarations_of(expr.via))


def _columns(expr: Expr) -> Iterator[Expr]:
    """The columns that an expression reads, computed columns of tables as they are."""
    if _is_column(expr) and not is_constant(expr):
        yield expr
    elif not is_constant(expr):
        for child in expr.children():
            yield from _columns(child)
