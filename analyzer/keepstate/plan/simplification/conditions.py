"""Conditions of which only counts whether they are true: filters, ON, FILTER and the conditions of CASE.

There NULL is as good as FALSE, which allows more than ``values``. All laws were seen in plans of Flink 2.3; those that
take a factor out of OR hold for filters and ON only: the planner leaves them alone in CASE and FILTER.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from keepstate.plan.expressions import Call, Column, Expr, Literal
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.predicates import FALSE, TRUE, all_of, any_of, commutative, conjuncts, disjuncts, negated
from keepstate.plan.provenance import Place
from keepstate.plan.simplification.case_expressions import arms_of
from keepstate.plan.simplification.determinism import is_deterministic
from keepstate.plan.simplification.identities import is_any_text, simplified_value, tested_case
from keepstate.plan.simplification.nullability import (
    NULL,
    is_not_null,
    is_null,
    is_null_constant,
    never_null,
    nullable,
    rejects_null,
    tested_not_null,
)
from keepstate.plan.simplification.operand_facts import OperandFacts, facts_against, facts_of, is_fact, simplify_under
from keepstate.plan.simplification.ranges import REFERENCES, WHOLE, Ranges, in_place, merged, ranges_of
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import BOOLEAN

_MOST_ARMS = 8
"""Arms of a CASE that is written as AND and OR; the planner does it as well for few arms."""
_MOST_NESTING = 16
"""Conditions inside of conditions, in which each level is simplified by what the levels around it say: work that grows
with the cube of the levels. A condition that is nested deeper is compared as it is written.
"""
_CONDITIONS = frozenset({"AND", "OR", "NOT", "CASE"})


@asked_once
def simplified_filter(condition: Expr) -> Expr:
    """The condition of a filter or of ON.

    >>> a, c = Column("t", "a", "INT"), Column("t", "c", "STRING")
    >>> p, q = Call("<", (Literal("3", "NUMBER"), a)), Call("=", (Literal("x", "STRING"), c))
    >>> print(simplified_filter(Call("OR", (p, Call("AND", (p, q))))))
    a > 3
    """
    return condition if _nesting(condition) > _MOST_NESTING else _simplified(condition, factors=True)


@asked_once
def simplified_condition(condition: Expr) -> Expr:
    """The condition of FILTER or of an arm of CASE."""
    return condition if _nesting(condition) > _MOST_NESTING else _simplified(condition, factors=False)


@asked_once
def _nesting(condition: Expr) -> int:
    """Return the number of conditions around one another."""
    deepest = max(map(_nesting, condition.children()), default=0)
    return deepest + (isinstance(condition, Call) and condition.name in _CONDITIONS)


def _simplified(condition: Expr, factors: bool) -> Expr:
    reduction = _reduced(condition, factors)
    return condition if reduction == condition else _placed(reduction, condition.place)


def _placed(expr: Expr, place: Place | None) -> Expr:
    """``expr`` with the place of what it was made of, for the operands that have none."""
    if place is None:
        return expr
    if isinstance(expr, Call) and expr.name == "AND":
        expr = replace(expr, args=tuple(_placed(part, place) for part in expr.args))
    return expr if expr.place is not None else replace(expr, place=place)


def _reduced(condition: Expr, factors: bool) -> Expr:
    match condition:
        case Literal():
            return FALSE if condition == NULL else condition
        case Call(name="CAST" | "NOT", args=(operand, *_)) if is_null_constant(operand) or is_null_constant(condition):
            return FALSE
        case Call(name="AND", args=operands):
            return _all([_simplified(operand, factors) for operand in operands], factors)
        case Call(name="OR", args=operands):
            return _any([_simplified(operand, False) for operand in operands], factors)
        case Call(name="IS", args=(operand, truth)) if truth in (TRUE, FALSE):
            return _simplified(operand if truth == TRUE else _negated(operand), factors)
        case Call(name="NOT", args=(Call() as inner,)):
            if is_any_text(inner):
                return FALSE
            reduction = tested_case(inner, False) if _is_test_for_null(inner) else None
            return condition if reduction is None else _simplified(reduction, factors)
        case Call(name="CASE"):
            reduction = _without_case(condition)
            return condition if reduction is None else _simplified(reduction, factors)
        case Call(name="LIKE", args=(operand, _)) if is_any_text(condition):
            return _not_null(operand)
        case Call(name="IS"):
            reduction = tested_case(condition, True)
            return condition if reduction is None else _simplified(reduction, factors)
        case Call(name="=" | "<>" | "<" | "<=" | "LIKE", args=(first, second)):
            if any(map(is_null_constant, condition.args)):
                return FALSE
            if condition.name != "LIKE" and first == second and is_deterministic(first):
                return _not_null(first) if condition.name in ("=", "<=") else FALSE
            reduction = _compared_case(condition)
            return condition if reduction is None else _simplified(reduction, factors)
    return condition


def _negated(condition: Expr) -> Expr:
    negation = negated(condition)
    return simplified_value(negation) if isinstance(negation, Call) else negation


def _not_null(operand: Expr) -> Expr:
    test = simplified_value(is_not_null(operand))
    return test if test != is_not_null(operand) else (TRUE if never_null(operand) else test)


def _all(parts: Sequence[Expr], factors: bool) -> Expr:
    """AND: complements and empty ranges are FALSE, and a test for NULL is gone that another operand implies."""
    operands = list(dict.fromkeys(part for each in parts for part in conjuncts(each)))
    operands = _beside_facts(operands, facts_of(operands), together=True, factors=factors)
    if FALSE in operands:
        return FALSE
    not_null = frozenset(operand for each in operands if (operand := tested_not_null(each)) is not None)
    if not_null:
        operands = [_not_false(each, not_null) for each in operands]
    present = set(operands)
    if len(operands) > 1 and any(negated(each) in present for each in operands):
        return FALSE
    conditions: list[Expr] = []
    for ranges, members in merged(operands, together=True):
        if not isinstance(ranges, Ranges):
            conditions.append(ranges)
        elif not ranges.sets:
            return FALSE
        elif ranges.sets == WHOLE:
            conditions.append(_not_null(ranges.operand))
        else:
            conditions += in_place(ranges.condition(), members, together=True)
    conditions = [each for each in conditions if each != TRUE]
    tested = {operand for each in conditions if (operand := tested_not_null(each)) is not None}
    # A test for NULL implies nothing of other operands: leaving the tests out keeps many of them affordable.
    comparisons = [each for each in conditions if tested_not_null(each) is None and not _is_test_for_null(each)]
    if any(_is_null_of(each, tested, comparisons) for each in conditions):
        return FALSE
    kept_parts = [each for each in conditions if not _is_implied(each, comparisons)]
    return all_of(kept_parts)


def _beside_facts(operands: list[Expr], facts: OperandFacts, together: bool, factors: bool) -> list[Expr]:
    """The operands of AND, or those of OR, of which those that are no facts are simplified by them."""
    if not facts or all(map(is_fact, operands)):
        return operands
    parts_of = conjuncts if together else disjuncts
    parts: list[Expr] = []
    for operand in operands:
        reduced_operand = operand if is_fact(operand) else simplify_under(operand, facts, simplified_value)
        parts += parts_of(reduced_operand if reduced_operand == operand else _simplified(reduced_operand, factors))
    return list(dict.fromkeys(parts))


def _not_false(condition: Expr, not_null: frozenset[Expr]) -> Expr:
    """``p IS NOT FALSE`` is ``p`` where its columns have values."""
    match condition:
        case Call(name="NOT", args=(Call(name="IS", args=(operand, truth)),)) if truth in (TRUE, FALSE):
            if never_null(operand, not_null):
                return operand if truth == FALSE else negated(operand)
    return condition


def _is_test_for_null(condition: Expr) -> bool:
    return isinstance(condition, Call) and condition.name == "IS" and condition.args[1] == NULL


def _is_null_of(condition: Expr, tested: Set[Expr], others: Sequence[Expr]) -> bool:
    """Return whether ``condition`` tests for a NULL that ``tested`` excludes, or that one of ``others`` rejects."""
    if not isinstance(condition, Call) or not _is_test_for_null(condition):
        return False
    operand = condition.args[0]
    return operand in tested or any(_rejects(other, operand) for other in others)


def _is_implied(condition: Expr, others: Sequence[Expr]) -> bool:
    operand = tested_not_null(condition)
    return operand is not None and any(_rejects(other, operand) for other in others)


def _rejects(condition: Expr, operand: Expr) -> bool:
    ranges = ranges_of(condition)
    return ranges.operand == operand if ranges is not None else rejects_null(condition, operand)


def _any(parts: Sequence[Expr], factors: bool) -> Expr:
    """OR: factors of all operands are taken out, and ranges of one column are united."""
    operands = list(dict.fromkeys(part for each in parts for part in disjuncts(each) if part != FALSE))
    operands = _beside_facts(operands, facts_against(operands), together=False, factors=False)
    operands = [each for each in operands if each != FALSE]
    if TRUE in operands:
        return TRUE
    if not operands:
        return FALSE
    if (whole := _null_safe(operands)) is not None:
        return whole
    if factors and len(operands) > 1:
        parts_of_others = [frozenset(conjuncts(each)) for each in operands[1:]]
        common = [
            part for part in conjuncts(operands[0]) if all(part in other_parts for other_parts in parts_of_others)
        ]
        if common:
            rests = [[part for part in conjuncts(each) if part not in common] for each in operands]
            if not all(rests):
                return all_of(common)
            return _all([*common, _any([all_of(rest) for rest in rests], factors=False)], factors)
    conditions: list[Expr] = []
    for ranges, members in merged(operands, together=False):
        if not isinstance(ranges, Ranges):
            conditions.append(ranges)
        elif ranges.sets and ranges.sets != WHOLE:
            conditions += in_place(ranges.condition(), members, together=False)
        elif ranges.sets and len(members) == len(operands):
            # Beside other operands the planner leaves the ranges alone.
            conditions.append(_not_null(ranges.operand))
        elif ranges.sets:
            conditions += members
    return _united(conditions)


def _null_safe(operands: Sequence[Expr]) -> Expr | None:
    """``a = b OR a IS NULL AND b IS NULL`` as the IS NOT DISTINCT FROM that the planner makes of it, which may be a key
    of a join (``RelOptUtil.collapseExpandedIsNotDistinctFromExpr``).
    """
    if len(operands) != 2:
        return None
    for equation, both_null in (operands, reversed(operands)):
        is_equation = isinstance(equation, Call) and equation.name == "="
        if is_equation and {*conjuncts(both_null)} == {*map(is_null, equation.children())}:
            return Call("NULLSAFEEQ", equation.children())
    return None


def _united(operands: list[Expr]) -> Expr:
    """OR of conditions on columns: with ``g`` and ``NOT g`` a test for NULL, which ranges of its column are part of."""
    denied = {each.args[0] for each in operands if isinstance(each, Call) and each.name == "NOT"}
    for operand in operands:
        if operand not in denied:
            continue
        if isinstance(operand, Column) and len(operands) == 2:
            return _not_null(operand)
        if isinstance(operand, Call) and operand.name == "IS":
            return TRUE
    tested = {tested for each in operands if (tested := tested_not_null(each)) is not None}
    kept_parts = [each for each in operands if (ranges := ranges_of(each)) is None or ranges.operand not in tested]
    if TRUE in kept_parts:
        return TRUE
    return any_of(kept_parts) if kept_parts else FALSE


def _compared_case(comparison: Call) -> Expr | None:
    """A comparison with a CASE as a CASE of comparisons (``pushPredicateIntoCase``); ``None`` for any other.

    ``CASE WHEN p THEN 'x' ELSE 'y' END = 'x'`` is ``p``. The planner leaves an equation alone that has other columns at
    its other side: it may become the key of a join.
    """
    for number, case in enumerate(comparison.args):
        arms = arms_of(case)
        other = comparison.args[1 - number]
        if not arms or arms_of(other):
            continue
        columns = (_columns(case), _columns(other))
        if comparison.name == "=" and all(columns) and columns[0].isdisjoint(columns[1]):
            return None
        args: list[Expr] = []
        for condition, value in arms:
            operands = [value, other] if number == 0 else [other, value]
            is_symmetric = comparison.name in ("=", "<>")
            pair = commutative(comparison.name, operands) if is_symmetric else Call(comparison.name, tuple(operands))
            assert isinstance(pair, Call)
            args += (condition, NULL if is_null_constant(value) else simplified_value(pair))
        return _without_case(Call("CASE", (*args[:-2], args[-1])))
    return None


def _columns(expr: Expr) -> set[Expr]:
    return {node for node in expr.walk() if isinstance(node, REFERENCES)}


def _without_case(case: Call) -> Expr | None:
    """A CASE of conditions as AND and OR of its arms: ``CASE WHEN p THEN q ELSE FALSE END`` is ``p AND q``."""
    arms = arms_of(case)
    if len(arms) > _MOST_ARMS or not all(type_of(value) == BOOLEAN or value == NULL for _, value in arms):
        return None
    if not all(is_deterministic(part) for part in case.args):
        return None
    all_arms: list[Expr] = []
    before: list[Expr] = []
    for condition, value in arms:
        if value not in (FALSE, NULL):
            all_arms.append(all_of([part for each in (*before, condition, value) for part in conjuncts(each)]))
        before.append(_not_true(condition))
    return any_of(all_arms) if all_arms else FALSE


def _not_true(condition: Expr) -> Expr:
    if nullable(condition) is False:
        return negated(condition)
    return Call("NOT", (Call("IS", (condition, TRUE)),))
