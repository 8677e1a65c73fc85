"""UNION ALL with an input more or less.

A column of a union is made of what all its inputs give, so an added input would change every expression behind it. The
input is one change: before anything else is compared, both plans are written as if the union had the inputs that it has
on one side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from keepstate.plan.expressions import UNITED, Call, Expr
from keepstate.plan.job import Plan
from keepstate.plan.operators import Union, expressions_of


def with_common_inputs(baseline: Plan, current: Plan) -> tuple[Plan, Plan]:
    """Both plans, with columns of a union whose inputs came or went made equal."""
    if _inputs(baseline) == _inputs(current):
        return baseline, current
    ours, theirs = _nodes(baseline), _nodes(current)
    was = {node for node in ours - theirs if isinstance(node, Call) and node.name == UNITED}
    now = {node for node in theirs - ours if isinstance(node, Call) and node.name == UNITED}
    for_current: dict[Expr, Expr] = {}
    for united in now:
        operands = set(united.args)
        twin = next((other for other in was if set(other.args) < operands or operands < set(other.args)), None)
        single = next((operand for operand in united.args if operand in ours), None)
        if twin is not None:
            for_current[united] = twin
            was = was - {twin}
        elif single is not None:
            for_current[united] = single
    for_baseline: dict[Expr, Expr] = {}
    for united in was:
        single = next((operand for operand in united.args if operand in theirs), None)
        if single is not None:
            for_baseline[united] = single
    return baseline.rewritten(_substituting(for_baseline)), current.rewritten(_substituting(for_current))


def _substituting(twins: Mapping[Expr, Expr]) -> Callable[[Expr], Expr]:
    def step(expr: Expr) -> Expr:
        twin = twins.get(expr)
        return expr if twin is None else replace(twin, place=expr.place, via=expr.via)

    return step


def _inputs(plan: Plan) -> list[int]:
    return [len(operator.branches) for operator in plan.operators if isinstance(operator, Union)]


def _nodes(plan: Plan) -> set[Expr]:
    roots = [expr for operator in plan.operators for expr in expressions_of(operator)]
    return {node for expr in (*roots, *plan.output) for node in expr.walk()}
