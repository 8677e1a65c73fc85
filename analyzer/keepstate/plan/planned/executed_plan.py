"""The plan by which a query computes its rows."""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.catalog import Catalog
from keepstate.plan.operators import Operator, OverAggregate, Rank, TemporalSort
from keepstate.plan.planned.query_plan import Plan
from keepstate.plan.planned.query_planning import written_plan
from keepstate.syntax.script import ParsedStatement

_DROPPED = (OverAggregate, Rank, TemporalSort)
"""Operators that go where nothing reads what they compute, or the order that they give."""


def executed_plan(statement: ParsedStatement, catalog: Catalog, planned: Plan) -> Plan:
    """Return the plan of a statement's query as written, without the OVER windows, rankings and sorts that the planner
    leaves out of ``planned``, its plan of the query: they hold back no rows and drop no late ones. Of a view that is
    read several times they stay if the planner has any of them.

    >>> one = pipeline("SELECT id FROM (SELECT id, SUM(price) OVER (ORDER BY rowtime) AS total FROM orders)")
    >>> catalog = Catalog.of(one.definitions)
    >>> [operator.title for operator in written_plan(one.statement, catalog).operators]
    ['OverAggregate', 'TableSourceScan']
    >>> [operator.title for operator in executed_plan(one.statement, catalog, one.plan).operators]
    ['TableSourceScan']

    Raises:
        NestsTooDeeply, RecursionError, GrowsTooLarge: as ``written_plan`` does.
    """
    plan = written_plan(statement, catalog)
    places = [operator.place for operator in planned.operators if isinstance(operator, _DROPPED)]

    def read(operator: Operator) -> Operator:
        inputs = tuple(map(read, operator.inputs))
        may_go = isinstance(operator, _DROPPED) and not (isinstance(operator, Rank) and operator.range is not None)
        if may_go and operator.place not in places:
            return inputs[0]
        return operator if inputs == operator.inputs else operator.with_inputs(inputs)

    return replace(plan, root=read(plan.root))
