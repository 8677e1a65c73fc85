"""Expressions of one statement: each node goes to what checks it."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.syntax import nodes
from keepstate.validation.values.calls import Calls
from keepstate.validation.values.columns import parts_of
from keepstate.validation.values.operators import ARITHMETIC
from keepstate.validation.values.scopes import Scope
from keepstate.validation.values.value import UNKNOWN, Place, Value

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


class Expressions(Calls):
    """Checks the expressions of one statement."""

    def value(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        """The value of ``node``.

        Raises:
            Refused: it is none.
        """
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node, scope, place)
        if isinstance(node, _COMPARISONS):
            return self._comparison(node, scope, place)
        if type(node) in ARITHMETIC:
            return self._arithmetic(node, scope, place)
        for child in parts_of(node):
            self.value(child, scope, place)
        return UNKNOWN


_HANDLERS: dict[type[exp.Expression], Callable[[Expressions, exp.Expression, Scope, Place], Value]] = {
    exp.Column: Expressions._column,
    exp.Dot: Expressions._dot,
    exp.Literal: Expressions._literal,
    exp.Null: Expressions._null,
    exp.Boolean: Expressions._boolean,
    nodes.TimeLiteral: Expressions._time_literal,
    exp.Interval: Expressions._interval,
    nodes.TimeDifference: Expressions._difference,
    exp.Placeholder: Expressions._hole,
    exp.And: Expressions._logic,
    exp.Or: Expressions._logic,
    exp.Not: Expressions._not,
    exp.Paren: Expressions._paren,
    exp.Alias: Expressions._paren,
    exp.Neg: Expressions._negative,
    exp.DPipe: Expressions._text,
    exp.Like: Expressions._text,
    exp.ILike: Expressions._missing_operator,
    exp.RegexpLike: Expressions._missing_operator,
    exp.Between: Expressions._between,
    exp.In: Expressions._in,
    exp.Is: Expressions._is,
    exp.Cast: Expressions._cast,
    exp.TryCast: Expressions._cast,
    exp.Case: Expressions._case,
    exp.Extract: Expressions._extract,
    exp.Trim: Expressions._trim,
    exp.Bracket: Expressions._bracket,
    exp.Subquery: Expressions._subquery,
    exp.Select: Expressions._subquery,
    exp.Union: Expressions._subquery,
    exp.Exists: Expressions._exists,
    exp.Window: Expressions._over,
    exp.Filter: Expressions._filter,
    exp.WithinGroup: Expressions._within_group,
    exp.IgnoreNulls: Expressions._nulls,
    exp.RespectNulls: Expressions._nulls,
    exp.Anonymous: Expressions._call,
}
