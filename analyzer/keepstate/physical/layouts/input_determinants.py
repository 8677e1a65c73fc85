"""Determinants of the rows that reach an operator with state: filters, inputs, and joins without state."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.physical.layouts.fields import Filter, untyped
from keepstate.physical.layouts.layout_context import assignment
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Plan
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Limit,
    LookupJoin,
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
    WindowAggregate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
    any_operator,
    expressions_of,
    unhandled,
)
from keepstate.plan.upsert_keys import keys_of_right


def _between(operator: Operator) -> Iterator[Operator]:
    """The operators below, down to the next ones with state."""
    for below in operator.inputs:
        yield below
        if not below.stateful:
            yield from _between(below)


def filters(operator: Operator) -> tuple[tuple[frozenset[Filter], ...], ...]:
    """The conditions that rows passed on their way: for each input, and there for each branch of a UNION ALL.

    A condition belongs to its branch: the same ones at other branches let other rows through.
    """
    own = operator.filters_of_sets if isinstance(operator, Aggregate) else ()
    return tuple(filters_of_input(below, own) for below in operator.inputs)


def filters_of_input(below: Operator, own: tuple[Expr, ...] = ()) -> tuple[frozenset[Filter], ...]:
    """The conditions that rows of ``below`` passed behind the next state or source, and ``own``, for each branch."""
    return tuple(frozenset(Filter.of(condition) for condition in (*conditions, *own)) for conditions in _ways(below))


def _ways(operator: Operator) -> Iterator[tuple[Expr, ...]]:
    """The conditions on each way from ``operator`` down to the next state or source."""
    if operator.stateful or not operator.inputs:
        yield ()
        return
    own = operator.conditions if isinstance(operator, Calc) else ()
    # What a lookup join asks for is no input.
    below = operator.inputs[:1] if isinstance(operator, LookupJoin) else operator.inputs
    for input_ in below:
        for conditions in _ways(input_):
            yield (*own, *conditions)


def inputs(operator: Operator, idle: frozenset[int]) -> tuple[object, ...]:
    """Return the other determinants of the input rows. ``idle`` are the numbers of lookup joins that decide nothing."""
    parts: list[object] = []
    cuts_time = isinstance(operator, (WindowAggregate, WindowRank, WindowJoin))
    for node in _between(operator):
        node = any_operator(node)
        match node:
            case TableSourceScan():
                parts.append(node.table)
            case Correlate():
                parts.append((node.function, node.left, node.conditions))
            case Union():
                parts.append(len(node.branches))
            case WindowTableFunction() if not node.stateful and not cuts_time:
                # To whatever does not close windows itself, their ends are columns like others.
                parts.append(assignment(node.window))
            case WindowTableFunction() | Calc():
                pass
            case LookupJoin() if node.number not in idle:
                conditions = frozenset(untyped(condition) for condition in node.conditions)
                parts.append((node.title, node.kind, conditions))
            case Aggregate() | OverAggregate() | Rank() | Match() | TemporalSort() | Limit() | Join() | SetOperation():
                parts.append(node.title)
            case Values() | Unsupported():
                parts.append(node.title)
            case other:
                unhandled(other)
    return tuple(parts)


def idle_lookups(plan: Plan, catalog: Catalog) -> frozenset[int]:
    """Return the numbers of lookup joins that neither add nor remove rows, and of whose columns none is read: a LEFT
    JOIN with at most one row for each.
    """
    lookups = [operator for operator in plan.operators if isinstance(operator, LookupJoin) and operator.kind == "left"]
    return frozenset(lookup.number for lookup in lookups if _finds_one(lookup, catalog) and not _is_read(lookup, plan))


def _finds_one(lookup: LookupJoin, catalog: Catalog) -> bool:
    """Return whether the columns of a lookup's condition hold a primary key."""
    sides = JoinSides.of(lookup)
    keys = equated(lookup, sides)[1]
    return any(key.issubset(keys) for key in keys_of_right(lookup, sides, catalog) or ())


def _is_read(lookup: LookupJoin, plan: Plan) -> bool:
    below = {operator.number for operator in lookup.walk()}
    above = (expr for operator in plan.operators if operator.number not in below for expr in expressions_of(operator))
    columns = frozenset(lookup.right_fields)
    return any(node in columns for expr in (*plan.output, *above) for node in expr.walk())
