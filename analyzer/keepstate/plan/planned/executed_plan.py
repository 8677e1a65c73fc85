"""The plan by which a query computes its rows."""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.catalog import Catalog
from keepstate.plan.operators import Operator, OverAggregate, Rank
from keepstate.plan.planned.query_plan import Plan
from keepstate.plan.planned.query_planning import written_plan
from keepstate.syntax.script import ParsedStatement


def executed_plan(statement: ParsedStatement, catalog: Catalog, held: Plan) -> Plan:
    """Return the plan of a statement's query as written, without the OVER windows and rankings that the planner leaves
    out of ``held``, its plan of the query: nothing reads them, so they hold back no rows and drop no late ones. Of a
    view that is read several times the windows stay if any of them is held.

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
    places = [operator.place for operator in held.operators if isinstance(operator, (OverAggregate, Rank))]

    def read(operator: Operator) -> Operator:
        inputs = tuple(map(read, operator.inputs))
        is_window = isinstance(operator, OverAggregate) or (isinstance(operator, Rank) and operator.range is None)
        if is_window and operator.place not in places:
            return inputs[0]
        return operator if inputs == operator.inputs else operator.with_inputs(inputs)

    return replace(plan, root=read(plan.root))
