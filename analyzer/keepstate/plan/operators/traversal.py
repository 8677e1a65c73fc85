"""Walking and rewriting the expressions of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

from keepstate.plan.expressions import Expr, sort_key
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import KEPT_SORTED, Operator
from keepstate.plan.operators.ranks import RankRange
from keepstate.plan.operators.windows import Window
from keepstate.plan.predicates import reordered


def expressions_of(operator: Operator) -> Iterator[Expr]:
    """The expressions that the operator itself holds (not those of its inputs).

    >>> list(map(str, expressions_of(root("SELECT buyer, SUM(price) FROM orders GROUP BY buyer"))))
    ['buyer', 'SUM(price)']
    """
    exprs: list[Expr] = []
    kind: Any = type(operator)
    for name in _distinguishing(kind):
        value = getattr(operator, name)
        if isinstance(value, Expr):
            exprs.append(value)
        elif isinstance(value, (tuple, Window, RankRange)):
            _gather(value, exprs)
    return iter(exprs)


def expressions_in(value: object) -> Iterator[Expr]:
    """The expressions in the value of a field, outermost ones only.

    >>> list(map(str, expressions_in((expr("id + 1"), ("a word", expr("price"))))))
    ['id + 1', 'price']
    """
    exprs: list[Expr] = []
    _gather(value, exprs)
    return iter(exprs)


@cache
def _distinguishing(kind: Any) -> tuple[str, ...]:
    """The fields that tell operators of a class apart. Others say where something is written, or what holds above."""
    return tuple(spec.name for spec in fields(kind) if spec.compare)


def _gather(value: object, into: list[Expr]) -> None:
    if isinstance(value, Expr):
        into.append(value)
    elif isinstance(value, tuple):
        for item in value:
            if isinstance(item, Expr):
                into.append(item)
            else:
                _gather(item, into)
    elif isinstance(value, (Window, RankRange)):
        for spec in fields(value):
            _gather(getattr(value, spec.name), into)


def rewritten(operator: Operator, step: Callable[[Expr], Expr]) -> Operator:
    """Apply ``step`` to every node of the expressions of the operator and all below it. Parts that are kept in the
    order of their text are sorted again.
    """
    below = operator.with_inputs(tuple(rewritten(child, step) for child in operator.inputs))
    changes: dict[str, Any] = {}
    for spec in fields(below):
        value = _rewritten(getattr(below, spec.name), step)
        changes[spec.name] = tuple(sorted(value, key=sort_key)) if spec.metadata == KEPT_SORTED else value
    return with_fields(below, **changes)


def mapped(operator: Operator, change: Callable[[Expr], Expr]) -> Operator:
    """The operator with ``change`` applied to each of its own expressions as a whole; its inputs stay as they are.

    ``change`` gives expressions in canonical form.
    """
    changes: dict[str, Any] = {}
    for spec in fields(operator):
        value = _mapped(getattr(operator, spec.name), change)
        changes[spec.name] = tuple(sorted(value, key=sort_key)) if spec.metadata == KEPT_SORTED else value
    return with_fields(operator, **changes)


def _mapped(value: Any, change: Callable[[Expr], Expr]) -> Any:
    if isinstance(value, Expr):
        return change(value)
    if isinstance(value, (Window, RankRange)):
        return replace(value, **{spec.name: _mapped(getattr(value, spec.name), change) for spec in fields(value)})
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    return value


def _rewritten(value: Any, step: Callable[[Expr], Expr]) -> Any:
    if isinstance(value, Expr):
        return reordered(value.rewrite(step))
    if isinstance(value, (Window, RankRange)):
        return replace(value, **{spec.name: _rewritten(getattr(value, spec.name), step) for spec in fields(value)})
    if isinstance(value, tuple):
        return tuple(_rewritten(item, step) for item in value)
    return value
