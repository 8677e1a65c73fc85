"""The order of the aggregates of an OVER window, as the SELECT above its own reads them.

The planner makes one projection of two SELECTs without anything in between, and takes the calls of the window in the
order in which the upper one names them. Measured on Flink 1.20 and 2.3, in 48 shapes of queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.select_lists import is_starred
from keepstate.plan.operators import OverAggregate
from keepstate.plan.scalars.name_scope import Source

_BETWEEN = ("where", "qualify")
"""Clauses that keep the projections apart."""


def with_reading_order(source: Source, node: exp.Select, environment: Environment) -> Source:
    """``source`` with the aggregates of the OVER window right below ``node`` in the order in which it reads them.

    >>> calls = "SELECT id, MAX(price) OVER (ORDER BY rowtime) AS m, MIN(id) OVER (ORDER BY rowtime) AS n FROM orders"
    >>> [[str(each) for each in root(f"SELECT {read} FROM ({calls})").aggregates] for read in ("m, n", "id, n + m")]
    [['MAX(price)', 'MIN(id)'], ['MIN(id)', 'MAX(price)']]
    """
    operator = source.input
    apart = source.filters or len(source.relations) != 1 or any(node.args.get(clause) for clause in _BETWEEN)
    if not isinstance(operator, OverAggregate) or len(operator.aggregates) < 2 or apart:
        return source
    if any(item.find(exp.Window, exp.Query) for item in node.expressions):
        return source
    # Each one with its own place and name, whatever an equal one above it has.
    numbers = {each: number for number, each in enumerate(operator.aggregates)}
    reads: dict[int, None] = {}
    for expr in _reads(source, node, environment):
        results = {numbers[each] for each in expr.walk() if isinstance(each, AggregateCall) and each in numbers}
        reads.update(dict.fromkeys(sorted(results)))
    reads.update(dict.fromkeys(range(len(numbers))))
    ordered = tuple(operator.aggregates[number] for number in reads)
    if ordered == operator.aggregates:
        return source
    return with_fields(source, input=with_fields(operator, aggregates=ordered))


def _reads(source: Source, node: exp.Select, environment: Environment) -> Iterator[Expr]:
    """Yield the columns of the only relation that ``node`` reads: those of keys, of its items, and of HAVING."""
    (relation,) = source.relations
    columns = {field.name: field.expr for field in relation.fields}
    group, having = node.args.get("group"), node.args.get("having")
    items = node.expressions
    if len(environment.select_order) == len(items):
        items = [items[number] for number in environment.select_order]
    keys = group.expressions if group is not None else ()
    for item in (*keys, *items, *((having,) if having is not None else ())):
        if is_starred(item):
            yield from (field.expr for field in relation.fields)
        else:
            yield from (columns[name] for name in _names(item, environment) if name in columns)


def _names(item: exp.Expression, environment: Environment) -> Iterable[str]:
    """The names of columns in an item, in the order of the text."""
    columns = sorted(item.find_all(exp.Column), key=lambda column: environment.place(column).span.start)
    return [column.name for column in columns]
