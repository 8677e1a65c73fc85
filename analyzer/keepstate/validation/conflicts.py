"""Rows that replace one another in a sink, and not in the query: from version 2.3 on Flink wants ON CONFLICT.

The planner derives upsert keys of the query and follows them through the casts to the columns of the sink. Rows come
in the order of a key of the sink if an upsert key lies within it. Measured on Flink 2.3.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.clauses.grouping_sets import sets_of
from keepstate.plan.expressions import Call, Expr, Literal, WindowPart, is_proctime
from keepstate.plan.job import Plan
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Limit,
    Operator,
    TemporalJoin,
    WindowAggregate,
)
from keepstate.plan.references import is_made_column
from keepstate.plan.types.builtin_functions import BY_CHANCE, BY_THE_CLOCK
from keepstate.plan.types.common_types import INTEGERS, TEXT
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LONGEST, LogicalType
from keepstate.plan.upsert_keys import Keys, upsert_keys

_TIMESTAMPS = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})
_SHARING_TEXTS = frozenset({"DECIMAL"})
"""Types whose casts to a text are taken to give one text for several values."""


def is_told_apart(plan: Plan, catalog: Catalog, table: TableDefinition, columns: tuple[str, ...]) -> bool:
    """Return whether an upsert key of the query lies within the primary key of ``table``, or may do so.

    ``columns`` are those that the query fills.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> sink = "CREATE TABLE o (b INT, n BIGINT, PRIMARY KEY ({}) NOT ENFORCED) WITH ('connector' = 'jdbc')"
    >>> query = "INSERT INTO o SELECT b, COUNT(*) FROM t GROUP BY b"
    >>> jobs = [job_of(JobVersion(f"{sink.format(key)};{query}")) for key in ("b", "n")]
    >>> [is_told_apart(job.pipelines[0].plan, job.catalog, job.source("o"), ("b", "n")) for job in jobs]
    [True, False]
    """
    keys = _keys(plan.root, catalog)
    if keys is None or len(columns) != len(plan.output):
        return True
    if _is_of_windows(plan.root):
        return False
    primary = catalog.primary_key_of(table)[0]
    declared, _ = catalog.columns_of(table)
    types = {column.name: LogicalType.declared(column.type) if column.type else None for column in declared}
    exprs: dict[Expr, None] = {}
    for name, expr in zip(columns, plan.output, strict=True):
        if name in primary:
            exprs |= dict.fromkeys(_distinguishable(expr, types.get(name)))
    return any(all(_is_constant(expr) or expr in exprs for expr in key) for key in keys)


def _keys(operator: Operator, catalog: Catalog) -> Keys | None:
    """The upsert keys that the planner derives of the rows in front of a sink; ``None`` if they are not known."""
    while isinstance(operator, Calc):
        operator = operator.input
    if isinstance(operator, Limit) and operator.order:
        # A key tells the rows apart only if it holds all that they are sorted by.
        sorted_by = {each.expr for each in operator.order}
        keys = _keys(operator.input, catalog)
        return keys if keys is None else frozenset(key for key in keys if sorted_by <= key)
    if isinstance(operator, GroupWindowAggregate):
        # Each property of the window tells it from the others.
        parts = [replace(field, part=part) for field in operator.window_keys[:1] for part in WindowPart]
        return frozenset(frozenset((*operator.plain_keys, field)) for field in parts)
    if isinstance(operator, Aggregate) and len(sets_of(operator.elements)) > 1:
        return frozenset()
    if isinstance(operator, (TemporalJoin, Correlate)):
        below = operator.left if isinstance(operator, TemporalJoin) else operator.input
        return frozenset() if _keys(below, catalog) == frozenset() else None
    return upsert_keys(operator, catalog)


def _is_of_windows(operator: Operator) -> bool:
    """Return whether the rows are those of window table-valued functions, of which the planner derives no key."""
    while isinstance(operator, Calc):
        operator = operator.input
    return isinstance(operator, WindowAggregate) and has_keys_of_session(operator)


def has_keys_of_session(operator: WindowAggregate) -> bool:
    """Return whether the planner computes windows of a table-valued function: it computes those of SESSION only if
    they are grouped by the partition keys of the function. Otherwise it groups the rows one by one.
    """
    window = operator.window
    if window.kind.value != "SESSION":
        return True
    return set(window.partition) == set(operator.plain_keys)


def _distinguishable(expr: Expr, target: LogicalType | None) -> tuple[Expr, ...]:
    """The values of a query that a column of type ``target`` still tells apart, from the outermost inwards."""
    if not _keeps(type_of(expr), target):
        return ()
    exprs = [expr]
    while isinstance(expr, Call) and expr.name == "CAST" and isinstance(expr.args[1], Literal):
        inner = expr.args[0]
        if not _keeps(type_of(inner), LogicalType.declared(expr.args[1].value)):
            break
        expr = inner
        exprs.append(expr)
    return tuple(exprs)


def _keeps(source: LogicalType | None, target: LogicalType | None) -> bool:
    """Return whether a cast tells as many values apart, or may do so."""
    if source is None or target is None or source == target:
        return True
    if source.root in TEXT:
        return target.root in TEXT and (target.length or LONGEST) >= (source.length or LONGEST)
    if target.root in TEXT:
        return source.root not in _SHARING_TEXTS
    if source.root in INTEGERS and target.root in INTEGERS:
        return INTEGERS.index(source.root) <= INTEGERS.index(target.root)
    if {source.root, target.root} == _TIMESTAMPS:
        return source.precision == target.precision
    return False


def _is_constant(expr: Expr) -> bool:
    """Return whether an expression has one value in all rows; the present time has many."""
    return all(
        isinstance(node, (Call, Literal)) and not is_made_column(node) and not _is_called_again(node)
        for node in expr.walk()
    )


def _is_called_again(expr: Expr) -> bool:
    return isinstance(expr, Call) and (expr.name in BY_THE_CLOCK | BY_CHANCE or is_proctime(expr))
