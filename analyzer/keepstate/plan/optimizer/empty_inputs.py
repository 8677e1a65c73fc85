"""Operators without input rows, which the planner takes out of a plan (``PruneEmptyRules``)."""

from __future__ import annotations

from keepstate.plan.lowering.empty_relations import gives_no_row
from keepstate.plan.operators import (
    Aggregate,
    Join,
    Operator,
    SetOperation,
    Union,
    Unsupported,
    Values,
    any_operator,
)
from keepstate.plan.predicates import FALSE


def without_empty_inputs(operator: Operator) -> Operator:
    """``operator`` without the parts that give no row: constant rows, of which there are none, take their place.

    An anti join with nothing is its left input. Where versions of Flink differ, the operator is ``Unsupported``: an
    outer join, EXCEPT and an aggregation without keys are dissolved by 2.3, and stay in 1.20.

    >>> rows = without_empty_inputs(root("SELECT buyer, SUM(price) FROM orders WHERE 1 = 0 GROUP BY buyer"))
    >>> rows.title, rows.empty
    ('Values', True)
    """
    inputs = tuple(map(without_empty_inputs, operator.inputs))
    if isinstance(operator, Union) and not all(map(_has_no_row, inputs)):
        # The lowering has left out each empty branch but those that decide the type of a column.
        inputs = tuple(was if _has_no_row(now) else now for was, now in zip(operator.inputs, inputs, strict=True))
    same = all(before is after for before, after in zip(operator.inputs, inputs, strict=True))
    operator = any_operator(operator if same else operator.with_inputs(inputs))
    if gives_no_row(operator, _has_no_row):
        return operator if _has_no_row(operator) else Values(empty=True, place=operator.place)
    if isinstance(operator, Join) and _is_decided_without_rows(operator):
        if operator.kind == "anti":
            return operator.left
        return _of_unknown_state(f"{operator.kind.upper()} JOIN with no rows", operator)
    if isinstance(operator, SetOperation) and _has_no_row(operator.right):
        return _of_unknown_state(f"{operator.words} with no rows", operator)
    if isinstance(operator, Aggregate) and _has_no_row(operator.input):
        return _of_unknown_state("aggregation of no rows", operator)
    return operator


def _is_decided_without_rows(join: Join) -> bool:
    """Return whether an outer or anti join, or one with a scalar, has an input or matches without rows."""
    return FALSE in join.conditions or any(map(_has_no_row, join.inputs))


def _has_no_row(operator: Operator) -> bool:
    return isinstance(operator, Values) and operator.empty


def _of_unknown_state(construct: str, operator: Operator) -> Operator:
    words = operator.place.words if operator.place is not None else ()
    return Unsupported(construct, words, operator.inputs, place=operator.place, number=operator.number)
