"""Materialization of time attributes: some operators turn them into plain timestamps (seen in the plans of 1.20 and
2.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Column, Expr, is_proctime
from keepstate.plan.operators import Aggregate, Join, Operator, SetOperation
from keepstate.plan.provenance import Place


@dataclass(frozen=True)
class Rowtimes:
    """The columns of tables that have a watermark: ``columns`` by table and name, ``definitions`` of computed ones."""

    columns: frozenset[tuple[str, str]] = frozenset()
    definitions: frozenset[Place] = frozenset()

    @classmethod
    def of(cls, catalog: Catalog) -> Rowtimes:
        """The event times that the tables of ``catalog`` declare.

        >>> from keepstate.plan.job import Job
        >>> from keepstate.syntax.script import parse_script
        >>> table = "CREATE TABLE t (a BIGINT, ts AS TO_TIMESTAMP_LTZ(a, 3), WATERMARK FOR ts AS ts)"
        >>> query = "SELECT u, TO_TIMESTAMP_LTZ(a, 3) FROM (SELECT ts AS u, a FROM t)"
        >>> job = Job.of(parse_script(f"{table}; {query}"), {})
        >>> [time in Rowtimes.of(job.catalog) for time in job.pipelines[0].plan.output]
        [True, False]
        """
        pairs = [(table, catalog.time_attributes_of(table)) for table in catalog.tables.values()]
        columns = frozenset((table.name, name) for table, names in pairs for name in names)
        declared = (
            column for table, names in pairs if names for column in catalog.columns_of(table)[0] if column.name in names
        )
        return cls(columns, frozenset(column.place for column in declared if column.expression is not None))

    def __contains__(self, expr: Expr) -> bool:
        """Return whether ``expr`` is one of the columns, under any name. A time that is computed in a query in the way
        of such a column is a plain timestamp.
        """
        if isinstance(expr, Column):
            return (expr.table, expr.name) in self.columns
        return not self.definitions.isdisjoint(expr.via)


def is_materialized(time: Expr, operator: Operator) -> bool:
    """Return whether ``time``, a time attribute where it was declared, is a plain timestamp behind ``operator``.

    A regular join passes no time attribute on, nor do INTERSECT and EXCEPT, nor an aggregation with the time as a key.

    >>> time = expr("rowtime")
    >>> is_materialized(time, root("SELECT * FROM orders WHERE id > 1"))
    False
    >>> is_materialized(time, root("SELECT rowtime, city FROM orders JOIN buyers ON name = buyer"))
    True
    """
    for below in _giving(operator):
        if isinstance(below, Aggregate) and isinstance(time, (Column, Call)) and time in below.keys:
            return True
        if isinstance(below, SetOperation):
            return True
        if type(below) is Join and (not is_proctime(time) or _came_through(time, below)):
            return True
    return False


def _giving(operator: Operator) -> Iterator[Operator]:
    """``operator`` and those whose columns reach it: below an aggregation there are none."""
    yield operator
    for child in operator.inputs if not isinstance(operator, Aggregate) else ():
        yield from _giving(child)


def _came_through(proctime: Expr, join: Join) -> bool:
    """Return whether a processing time was there before the join. PROCTIME() in the query around the join is a new
    one.
    """
    fields = (node for column in (*join.left_fields, *join.right_fields) for node in column.walk())
    before = [_definition(node) for node in fields if is_proctime(node)]
    defined = _definition(proctime)
    return defined is not None and any(place is not None and defined.contains(place) for place in before)


def _definition(expr: Expr) -> Place | None:
    return expr.via[-1] if expr.via else expr.place
