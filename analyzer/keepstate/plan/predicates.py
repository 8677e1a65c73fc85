"""Conditions in canonical form: operands in one order, NOT pushed into comparisons, IN and BETWEEN spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.plan.expressions import Call, Expr, Literal, sort_key

TRUE = Literal("TRUE", "BOOLEAN")
FALSE = Literal("FALSE", "BOOLEAN")
_QUANTIFIERS = {"ALL": "ANY", "ANY": "ALL"}
_NEGATED = {"=": "<>", "<>": "=", "<": "<=", "<=": "<"}


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The operands of a canonical AND; ``TRUE`` has none.

    >>> list(map(str, conjuncts(expr("id > 1 AND buyer = 'ann'"))))
    ['id > 1', "buyer = 'ann'"]
    >>> conjuncts(TRUE)
    ()
    """
    if condition == TRUE:
        return ()
    return condition.args if isinstance(condition, Call) and condition.name == "AND" else (condition,)


def disjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The operands of a canonical OR.

    >>> list(map(str, disjuncts(expr("id > 1 OR buyer = 'ann'"))))
    ['id > 1', "buyer = 'ann'"]
    """
    return condition.args if isinstance(condition, Call) and condition.name == "OR" else (condition,)


def negated(expr: Expr) -> Expr:
    """NOT of a canonical condition, pushed into comparisons (which keeps SQL's three-valued meaning).

    >>> str(negated(expr("id < 1"))), str(negated(Call("<", (expr("id"), Call("ALL", (expr("price"),))))))
    ('id >= 1', 'ANY(price) <= id')
    """
    if isinstance(expr, Literal) and expr.type in ("BOOLEAN", "NULL"):
        return {TRUE: FALSE, FALSE: TRUE}.get(expr, expr)
    if isinstance(expr, Call):
        if expr.name == "NOT":
            return expr.args[0]
        if expr.name in ("=", "<>"):
            return replace(expr, name=_NEGATED[expr.name], args=tuple(map(_other_quantifier, expr.args)), place=None)
        if expr.name in ("<", "<="):
            left, right = map(_other_quantifier, expr.args)
            return Call(_NEGATED[expr.name], (right, left))
        if expr.name == "OR":
            return all_of([part for arg in expr.args for part in conjuncts(negated(arg))])
        if expr.name == "AND":
            return any_of([part for arg in expr.args for part in disjuncts(negated(arg))])
    return Call("NOT", (expr,))


def _other_quantifier(operand: Expr) -> Expr:
    """An operand of a comparison that is negated: what does not hold for ALL rows of a query fails for ANY."""
    if isinstance(operand, Call) and operand.name in _QUANTIFIERS:
        return replace(operand, name=_QUANTIFIERS[operand.name])
    return operand


def against_truth(name: str, operands: Sequence[Expr]) -> Expr | None:
    """Return the meaning of ``b = TRUE`` or ``b <> FALSE``, and its negation for the other two; ``None`` for any other
    comparison.
    """
    for value, truth in (operands, reversed(operands)):
        if truth in (TRUE, FALSE):
            return value if (truth == TRUE) is (name == "=") else negated(value)
    return None


def all_of(operands: list[Expr]) -> Expr:
    """AND of the operands in canonical order, each once; ``TRUE`` without any.

    >>> str(all_of([expr("price > 1"), TRUE, expr("id > 1"), expr("price > 1")]))
    'id > 1 AND price > 1'
    >>> all_of([]) == TRUE
    True
    """
    unique = sorted(dict.fromkeys(operand for operand in operands if operand != TRUE), key=sort_key)
    if not unique:
        return TRUE
    return unique[0] if len(unique) == 1 else Call("AND", tuple(unique))


def any_of(operands: list[Expr]) -> Expr:
    """OR of the operands in canonical order; ``x IN (1, 2)`` is the same as ``x = 1 OR x = 2``.

    >>> any_of([expr("id = 2"), expr("id = 1")]) == expr("id IN (1, 2)")
    True
    """
    unique = sorted(dict.fromkeys(operands), key=sort_key)
    return unique[0] if len(unique) == 1 else Call("OR", tuple(unique))


_ANY_ORDER = frozenset({"=", "<>", "+", "*", "AND", "OR"})


def reordered(expr: Expr) -> Expr:
    """``expr``, some of whose parts were replaced, with its operands in canonical order again.

    >>> reordered(Call("+", (expr("price"), expr("id")))) == expr("price + id")
    True
    """

    def step(node: Expr) -> Expr:
        if not isinstance(node, Call) or node.name not in _ANY_ORDER:
            return node
        operands = tuple(sorted(node.args, key=sort_key))
        return node if operands == node.args else replace(node, args=operands)

    return expr.rewrite(step)


def commutative(name: str, operands: list[Expr]) -> Expr:
    return Call(name, tuple(sorted(operands, key=sort_key)))
