"""Conclusions on an operand from the other operands of its AND or OR (``RexSimplify.simplifyUsingPredicates``).

An operand of AND is only looked at where the others are true, and one of OR where they are not. The planner takes
notice of comparisons with constants and of tests for NULL: ``h > 3 AND (h > 2 OR p)`` is ``h > 3``. Of a column that
may be NULL a test is left: ``a > 3 AND (a > 2 OR p)`` is ``a > 3 AND (a IS NOT NULL OR p)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.predicates import FALSE, TRUE, against_truth, all_of, any_of, conjuncts, disjuncts, negated
from keepstate.plan.simplification.determinism import is_deterministic
from keepstate.plan.simplification.nullability import NULL, is_not_null, never_null, tested_not_null
from keepstate.plan.simplification.ranges import (
    COMPARISONS,
    REFERENCES,
    WHOLE,
    Ranges,
    Sets,
    compared_with_constant,
    intersection,
)

Simplify = Callable[[Call], Expr]

_MOST_COMPARISONS = 3
"""Comparisons of one operand: what follows from more of them depends on their order, which is not kept here."""
_CONNECTIVES = frozenset({"AND", "OR", "NOT", "IS", "=", "<>"})


@dataclass(frozen=True)
class OperandFacts:
    """Ranges of operands, each with all comparisons, and the tests for NULL that are true."""

    ranges: dict[Expr, list[Ranges]]
    tests: frozenset[Expr]

    def __bool__(self) -> bool:
        return bool(self.ranges or self.tests)


def is_fact(condition: Expr) -> bool:
    """Return whether a condition compares with a constant, or tests a column for NULL."""
    return _is_test(condition) or _comparison(condition) is not None


def facts_of(conditions: Iterable[Expr]) -> OperandFacts:
    """The facts among ``conditions``, which are true.

    >>> from keepstate.plan.expressions import Column, Literal
    >>> h = Column("t", "h", "INT", not_null=True)
    >>> bool(facts_of([Call("<", (Literal("3", "NUMBER"), h))])), bool(facts_of([h]))
    (True, False)
    """
    ranges: dict[Expr, list[Ranges]] = {}
    tests: list[Expr] = []
    for condition in conditions:
        if _is_test(condition):
            tests.append(condition)
        elif (comparison := _comparison(condition)) is not None:
            ranges.setdefault(comparison.operand, []).append(comparison)
    return OperandFacts(
        {operand: each for operand, each in ranges.items() if len(each) <= _MOST_COMPARISONS}, frozenset(tests)
    )


def facts_against(conditions: Iterable[Expr]) -> OperandFacts:
    """The facts of an OR, whose ``conditions`` are not true: NULL is not true either, and nothing follows from it."""
    return facts_of(negated(each) for each in conditions if _is_test(each) or _is_sure(each))


def simplify_under(condition: Expr, facts: OperandFacts, simplify: Simplify) -> Expr:
    """``condition`` where ``facts`` are true.

    A test is known by the same test only: ``a IS NOT NULL AND (a IS NULL OR p)`` stays.
    """
    if not isinstance(condition, Call) or _is_test(condition):
        return TRUE if condition in facts.tests else condition
    if condition.name in COMPARISONS and (comparison := _comparison(condition)) is not None:
        return _limited(condition, comparison, facts, simplify)
    if condition.name not in _CONNECTIVES:
        return condition
    operands = [simplify_under(each, facts, simplify) for each in condition.args]
    if tuple(operands) == condition.args:
        return condition
    return _rebuilt(condition.name, operands, simplify)


def _rebuilt(name: str, operands: Sequence[Expr], simplify: Simplify) -> Expr:
    match name:
        case "AND":
            condition = FALSE if FALSE in operands else all_of([part for each in operands for part in conjuncts(each)])
        case "OR":
            parts = [part for each in operands for part in disjuncts(each) if part != FALSE]
            condition = TRUE if TRUE in parts else (any_of(parts) if parts else FALSE)
        case "NOT":
            condition = negated(operands[0])
        case _:
            truth = against_truth(name, operands) if name in ("=", "<>") else None
            condition = Call(name, tuple(operands)) if truth is None else truth
    return simplify(condition) if isinstance(condition, Call) else condition


def _limited(condition: Call, ranges: Ranges, facts: OperandFacts, simplify: Simplify) -> Expr:
    """A comparison of an operand of which other comparisons are true; as it is where their order would matter."""
    fact_ranges = facts.ranges.get(ranges.operand, [])
    residues = {_residue(ranges.sets, order) for order in permutations([each.sets for each in fact_ranges])}
    if len(residues) != 1 or (sets := residues.pop()) == ranges.sets:
        return condition
    if not sets:
        return FALSE
    if sets != WHOLE:
        literals = {value: literal for each in (ranges, *fact_ranges) for value, literal in each.literals.items()}
        point = Ranges(ranges.operand, sets, literals).condition()
        return point if isinstance(point, Call) and point.name == "=" else condition
    if never_null(ranges.operand):
        return TRUE
    tests = conjuncts(simplify(is_not_null(ranges.operand)))
    return all_of([test for test in tests if test not in facts.tests])


def _residue(sets: Sets, fact_sets: Sequence[Sets]) -> Sets:
    """The part of ``sets`` that is left to be tested, by facts in their order."""
    for each in fact_sets:
        if not sets:
            break
        both = intersection(sets, each)
        sets = WHOLE if both == each else both
    return sets


def _is_test(condition: Expr) -> bool:
    tested = tested_not_null(condition)
    if tested is None and isinstance(condition, Call) and condition.name == "IS" and condition.args[1] == NULL:
        tested = condition.args[0]
    return isinstance(tested, REFERENCES)


def _is_sure(condition: Expr) -> bool:
    comparison = _comparison(condition)
    return comparison is not None and never_null(comparison.operand)


def _comparison(condition: Expr) -> Ranges | None:
    if not isinstance(condition, Call) or condition.name not in COMPARISONS:
        return None
    ranges = compared_with_constant(condition)
    if ranges is None or not (isinstance(ranges.operand, REFERENCES) or is_deterministic(ranges.operand)):
        return None
    return ranges
