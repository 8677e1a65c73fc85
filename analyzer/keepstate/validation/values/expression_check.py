"""Expressions of one statement: each node goes to what checks it."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.validation.values.calls import CallCheck
from keepstate.validation.values.column_names import parts_of
from keepstate.validation.values.operator_types import ARITHMETIC
from keepstate.validation.values.scopes import ValidationScope
from keepstate.validation.values.value import UNKNOWN, ExpressionContext, ValueFacts

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


class ExpressionCheck(CallCheck):
    """Checks the expressions of one statement."""

    def value(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
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


_HANDLERS: dict[
    type[exp.Expression], Callable[[ExpressionCheck, exp.Expression, ValidationScope, ExpressionContext], ValueFacts]
] = {
    exp.Column: ExpressionCheck._column,
    exp.Dot: ExpressionCheck._dot,
    exp.Literal: ExpressionCheck._literal,
    exp.HexString: ExpressionCheck._bytes_literal,
    exp.Null: ExpressionCheck._null,
    exp.Boolean: ExpressionCheck._boolean,
    syntax_nodes.TimeLiteral: ExpressionCheck._time_literal,
    exp.Interval: ExpressionCheck._interval,
    syntax_nodes.TimeDifference: ExpressionCheck._difference,
    exp.Placeholder: ExpressionCheck._hole,
    exp.And: ExpressionCheck._logic,
    exp.Or: ExpressionCheck._logic,
    exp.Not: ExpressionCheck._not,
    exp.Paren: ExpressionCheck._paren,
    exp.Tuple: ExpressionCheck._tuple,
    exp.Alias: ExpressionCheck._paren,
    exp.Neg: ExpressionCheck._negative,
    exp.DPipe: ExpressionCheck._text,
    exp.Like: ExpressionCheck._text,
    exp.SimilarTo: ExpressionCheck._text,
    exp.ILike: ExpressionCheck._missing_operator,
    exp.RegexpLike: ExpressionCheck._missing_operator,
    exp.NullSafeEQ: ExpressionCheck._distinct,
    exp.NullSafeNEQ: ExpressionCheck._distinct,
    exp.Between: ExpressionCheck._between,
    exp.In: ExpressionCheck._in,
    exp.Is: ExpressionCheck._is,
    exp.Cast: ExpressionCheck._cast,
    exp.TryCast: ExpressionCheck._cast,
    exp.Case: ExpressionCheck._case,
    exp.Extract: ExpressionCheck._extract,
    exp.Trim: ExpressionCheck._trim,
    exp.Bracket: ExpressionCheck._bracket,
    exp.Subquery: ExpressionCheck._subquery,
    exp.Select: ExpressionCheck._subquery,
    exp.Union: ExpressionCheck._subquery,
    exp.Exists: ExpressionCheck._exists,
    exp.Window: ExpressionCheck._over,
    exp.Filter: ExpressionCheck._filter,
    exp.WithinGroup: ExpressionCheck._within_group,
    exp.IgnoreNulls: ExpressionCheck._nulls,
    exp.RespectNulls: ExpressionCheck._nulls,
    exp.Anonymous: ExpressionCheck._call,
    exp.FormatJson: ExpressionCheck._format_json,
}
