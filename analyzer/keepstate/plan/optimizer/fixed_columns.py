"""Aggregates behind filters that fix their columns, as the planner writes them (``ReduceExpressionsRule``).

``WHERE a = 3 AND d = 3`` makes ``SUM(a)`` and ``SUM(d)`` one aggregate, of the constant. Reports speak of what is
written: plans are brought into this form to be compared with each other only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.metadata.constant_columns import equated_with_constants, is_of_type, with_constants
from keepstate.plan.operators import Aggregate, Calc, Operator, OverAggregate
from keepstate.plan.predicates import reordered
from keepstate.plan.simplification.conditions import simplified_condition
from keepstate.plan.simplification.identities import simplified_value
from keepstate.plan.simplification.nullability import NULL, never_null
from keepstate.plan.simplification.operand_facts import facts_of, simplify_under
from keepstate.plan.simplification.ranges import REFERENCES
from keepstate.plan.types.inference import type_of


def fixed_aggregates(operators: Iterable[Operator]) -> Mapping[Expr, Expr]:
    """The aggregates whose arguments or filters read columns that filters fix, each with what the planner makes of it;
    none where one and the same aggregate occurs behind several filters. Of OVER, the expressions that it stores.
    """
    operators = tuple(operators)
    stateful = [operator for operator in operators if operator.stateful]
    aggregates: dict[Expr, Expr] = {}
    if len(stateful) == 1 and isinstance(stateful[0], OverAggregate):
        # Nothing else holds state, so the expression means the same wherever it stands.
        aggregates.update(_stored_expressions(stateful[0]))
    for operator in operators:
        if isinstance(operator, Aggregate):
            conditions = operator.input.conditions if isinstance(operator.input, Calc) else ()
            for call in operator.aggregates:
                planned = _planned(call, conditions)
                if aggregates.setdefault(call, planned) != planned:
                    return {}
    return {call: planned for call, planned in aggregates.items() if call != planned}


def _planned(call: AggregateCall, conditions: tuple[Expr, ...]) -> AggregateCall:
    constants = dict(_constants(conditions))
    if call.order or not conditions:
        return call
    result = call
    if constants:
        result = with_fields(result, args=tuple(_computed(each, constants) for each in call.args))
    if call.filter is not None:
        passes = simplify_under(_simple(call.filter, constants), facts_of(conditions), simplified_value)
        result = with_fields(result, filter=simplified_condition(passes))
    return result


def _stored_expressions(over: OverAggregate) -> Iterator[tuple[Expr, Expr]]:
    """The expressions that OVER aggregates, each with what the planner makes of it. They are columns of the stored row;
    a column of the input is stored as it is.
    """
    constants = dict(_constants(over.input.conditions)) if isinstance(over.input, Calc) else {}
    for argument in (each for call in over.aggregates for each in call.args if constants):
        if isinstance(argument, Call):
            yield argument, _computed(argument, constants)


def _constants(conditions: Iterable[Expr]) -> Iterator[tuple[Expr, Literal]]:
    for condition in conditions:
        is_test = isinstance(condition, Call) and condition.name == "IS" and condition.args[1] == NULL
        if is_test and isinstance(column := condition.children()[0], REFERENCES):
            yield column, NULL
    for column, value in equated_with_constants(conditions):
        if isinstance(value, Literal) and is_of_type(value, column):
            yield column, value


def _computed(argument: Expr, constants: Mapping[Expr, Expr]) -> Expr:
    """An argument with its type: a constant is cast to that of the column in whose place it stands."""
    type_, is_sure = type_of(argument), never_null(argument)
    if type_ is None:
        return argument
    words = (Literal(str(type_), "TYPE"), Literal(str(is_sure), "NAME"))
    return Call("FIXED", (_simple(argument, constants), *words))


def _simple(expr: Expr, constants: Mapping[Expr, Expr]) -> Expr:
    simple = reordered(with_constants(expr, constants))
    return simple.rewrite(lambda node: simplified_value(node) if isinstance(node, Call) else node)
