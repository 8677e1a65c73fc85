"""Conditions that are never true for a row whose columns of one input are all NULL.

Such a condition in WHERE turns an outer join into an inner one. The rules are those that the plans of Flink 1.20 and
2.3 show: operators and casts pass NULL on; functions (UPPER, ABS, ``||``) count as if they might not. Several
comparisons of one operand with constants, of which the planner makes a search, are not examined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.predicates import TRUE
from keepstate.plan.scalars.equal_calls import EXTRACTING
from keepstate.plan.simplification.nullability import NULL, STRICT

_COMPARISONS = frozenset({"=", "<>", "<", "<="})
_PASSES_NULL_ON = (
    STRICT
    | frozenset({"EXTRACT", "TRIM", "FLOOR", "CEIL"})
    | frozenset({"TIMESTAMPADD", "TIMESTAMPDIFF", ".", "BRACKET"})
    | EXTRACTING
)

IsNull = Callable[[Expr], bool]
"""Predicate for columns of the input whose columns are all NULL."""


def rejecting(conditions: Sequence[Expr], is_null: IsNull) -> Expr | None:
    """The first of ``conditions``, which hold together, that rejects rows of NULLs."""
    searched = _searched(conditions, together=True)
    for condition in conditions:
        if _operand(condition) not in searched and _is_never_true(condition, is_null):
            return condition
    return None


def _is_never_true(condition: Expr, is_null: IsNull) -> bool:
    if isinstance(condition, Call):
        match condition.name:
            case "AND":
                # One operand that is never true is enough; of OR all have to be.
                return rejecting(condition.args, is_null) is not None
            case "OR":
                searched = _searched(condition.args, together=False)
                return not searched and all(_is_never_true(operand, is_null) for operand in condition.args)
            case "NOT":
                return _is_never_false(condition.args[0], is_null)
            case "IS" if condition.args[1] == TRUE:
                return _is_never_true(condition.args[0], is_null)
    return is_surely_null(condition, is_null)


def _is_never_false(condition: Expr, is_null: IsNull) -> bool:
    if isinstance(condition, Call) and condition.name == "IS":
        return condition.args[1] == NULL and is_surely_null(condition.args[0], is_null)
    return is_surely_null(condition, is_null)


def is_surely_null(expr: Expr, is_null: IsNull) -> bool:
    """Return whether ``expr`` is NULL wherever the expressions of ``is_null`` are."""
    if is_null(expr):
        return True
    if not isinstance(expr, Call):
        return False
    if expr.name == "NOT":
        return is_surely_null(expr.args[0], is_null)
    return expr.name in _PASSES_NULL_ON and any(is_surely_null(operand, is_null) for operand in expr.args)


def _searched(conditions: Iterable[Expr], together: bool) -> set[Expr]:
    """Return the operands that several conditions compare with constants, unless one comparison implies all of them.

    ``together``: the conditions are joined by AND, else by OR.
    """
    by_operand: dict[Expr, set[str]] = {}
    counts: dict[Expr, int] = {}
    for condition in conditions:
        operand = _operand(condition)
        if operand is not None:
            by_operand.setdefault(operand, set()).add(_direction(condition))
            counts[operand] = counts.get(operand, 0) + 1
    return {
        operand
        for operand, directions in by_operand.items()
        if counts[operand] > 1 and not _is_one(directions, together)
    }


def _is_one(directions: set[str], together: bool) -> bool:
    # An equation decides for all comparisons of its operand, and of bounds in one direction the tightest one does.
    if together and "=" in directions:
        return True
    return len(directions) == 1 and directions <= {"from", "to"}


def _operand(condition: Expr) -> Expr | None:
    """Return the operand that a condition compares with a constant."""
    if not isinstance(condition, Call) or condition.name not in _COMPARISONS:
        return None
    first, second = condition.args
    if isinstance(second, Literal) and not isinstance(first, Literal):
        return first
    return second if isinstance(first, Literal) and not isinstance(second, Literal) else None


def _direction(condition: Expr) -> str:
    assert isinstance(condition, Call)
    if condition.name in ("=", "<>"):
        return condition.name
    return "from" if isinstance(condition.args[0], Literal) else "to"
