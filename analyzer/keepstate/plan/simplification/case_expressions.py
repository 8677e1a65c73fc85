"""CASE with constant conditions or equal values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.predicates import FALSE, TRUE, any_of, commutative, disjuncts, negated
from keepstate.plan.simplification.conversions import as_type
from keepstate.plan.simplification.nullability import NULL, never_null, nullable
from keepstate.plan.types.inference import type_of

Arms = list[tuple[Expr, Expr]]
"""Conditions and values; the condition of ELSE is TRUE."""


def simplified_case(call: Call) -> Expr | None:
    """CASE without arms that are never or always taken, neighbours of one value made one arm.

    >>> from keepstate.plan.expressions import Column, Literal
    >>> d = Column("t", "d", "INT")
    >>> print(simplified_case(Call("CASE", (TRUE, d, Literal("0", "NUMBER")))))
    d

    Its type stays: ``CASE WHEN TRUE THEN d ELSE b END`` is ``d`` cast to the type of both. IF stays as it is written:
    the planner takes no notice of it.
    """
    arms = _reachable_arms(_with_plain_nulls(call))
    if len(arms) == 1:
        return _alone(call, arms[0][1])
    truth = _as_truth(arms)
    if truth is not None:
        return truth
    case = replace(call, args=_operands(arms))
    return case if case.args != call.args and _same_type(case, call) else None


def arms_of(expr: Expr) -> Arms:
    """The conditions and values of a CASE, ELSE included, and those of NULLIF; none of anything else."""
    match expr:
        case Call(name="CASE"):
            return _arms(expr)
        case Call(name="NULLIF", args=(value, other)):
            equation = commutative("=", [value, other])
            return [(equation, NULL), (TRUE, value)]
    return []


def _arms(call: Call) -> Arms:
    return [*zip(call.args[:-1:2], call.args[1::2], strict=True), (TRUE, call.args[-1])]


def _operands(arms: Arms) -> tuple[Expr, ...]:
    return (*(part for arm in arms[:-1] for part in arm), arms[-1][1])


def _reachable_arms(arms: Arms) -> Arms:
    taken_arms: Arms = []
    for condition, value in arms:
        if condition in (FALSE, NULL):
            continue
        if taken_arms and taken_arms[-1][1] == value and not _goes_by_its_order(value):
            former = taken_arms[-1][0]
            parts = [*disjuncts(former), *disjuncts(condition)]
            taken_arms[-1] = (TRUE if TRUE in parts else any_of(parts), value)
        else:
            taken_arms.append((condition, value))
        if taken_arms[-1][0] == TRUE:
            break
    return taken_arms


def _goes_by_its_order(value: Expr) -> bool:
    """Return whether ``value`` adds or multiplies a FLOAT and a DOUBLE. Its type is that of the operand that is written
    first, which equal values do not tell.
    """
    mixed = {"FLOAT", "DOUBLE"}
    calls = (node for node in value.walk() if isinstance(node, Call) and node.name in ("+", "*"))
    return any({type_.root for arg in call.args if (type_ := type_of(arg)) is not None} == mixed for call in calls)


def _with_plain_nulls(call: Call) -> Arms:
    """The arms with NULL for one of a type that CASE has anyway: ``ELSE CAST(NULL AS INT)``."""
    arms = _arms(call)
    plain: Arms = [(condition, NULL if _is_typed_null(value) else value) for condition, value in arms]
    if plain == arms or all(value == NULL for _, value in plain):
        return arms
    without = replace(call, args=_operands(plain))
    return plain if _same_type(without, call) else arms


def _is_typed_null(value: Expr) -> bool:
    return isinstance(value, Call) and value.name == "CAST" and value.args[0] == NULL


def _same_type(one: Expr, other: Expr) -> bool:
    type_ = type_of(other)
    return type_ is not None and type_of(one) == type_


def _alone(call: Call, value: Expr) -> Expr | None:
    """The value of the only arm that is left, if it has the type of the whole, NULL or not NULL included."""
    if value == NULL:
        return None
    values: Sequence[Expr] = [each for _, each in _arms(call)]
    if all(each == value for each in values):
        return value
    other_values = [each for each in values if each != value]
    if nullable(value) is not True and not all(never_null(each) for each in other_values):
        return None
    return as_type(value, type_of(call))


def _as_truth(arms: Arms) -> Expr | None:
    """``CASE WHEN p THEN TRUE ELSE FALSE END`` is ``p IS TRUE``."""
    if len(arms) != 2 or {value for _, value in arms} != {TRUE, FALSE}:
        return None
    condition = arms[0][0]
    truth = condition if never_null(condition) else Call("IS", (condition, TRUE))
    return truth if arms[0][1] == TRUE else negated(truth)
