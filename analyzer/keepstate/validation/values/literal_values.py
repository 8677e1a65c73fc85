"""Literals: strings, NULL, times and intervals."""

from __future__ import annotations

from itertools import pairwise

from sqlglot import exp

from keepstate.plan.expressions import Literal
from keepstate.plan.scalars.constants import literal
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import BOOLEAN, DAY_TIME, YEAR_MONTH, LogicalType
from keepstate.syntax.placeholders import is_filled_in
from keepstate.syntax.tokens import lex
from keepstate.text import Span
from keepstate.validation.constants.number_texts import is_out_of_range, shortened
from keepstate.validation.constants.time_texts import is_moment
from keepstate.validation.values import families
from keepstate.validation.values.column_names import ColumnCheck
from keepstate.validation.values.intervals import check_interval, has_too_many_digits
from keepstate.validation.values.scopes import ValidationScope, refuse
from keepstate.validation.values.value import WINDOW, ExpressionContext, ValueFacts

_HEXITS = frozenset("0123456789ABCDEFabcdef")
PLANNED = frozenset({"SELECT", "WHERE", "ON", "HAVING"})
"""Clauses whose intervals and casts Flink's planner looks at."""


class LiteralCheck(ColumnCheck):
    """Literals; operators are in ``OperatorCheck``."""

    def _literal(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        assert isinstance(node, exp.Literal)
        if node.is_string:
            self._text_literal(node)
        else:
            self._check_number(node, node.name, place)
        return self._constant(node)

    def _constant(self, node: exp.Literal) -> ValueFacts:
        expr = literal(node)
        return ValueFacts(type_of(expr), constant=True, expr=expr, nullable=False)

    def _check_number(self, node: exp.Expression, number: str, place: ExpressionContext) -> None:
        """Refuse a number that the literals of Flink do not hold. Nothing looks at those in FILTER."""
        if place.clause != "FILTER" and is_out_of_range(number):
            refuse(
                "number-range",
                self.span(node),
                f"{shortened(number)} is out of range: a cast of a string can be larger.",
            )

    def _text_literal(self, node: exp.Expression) -> None:
        """Refuse two literals next to each other on one line."""
        text = self.span(node).of(self.statement.text)
        if "' " not in text:
            return
        tokens = lex(text).tokens
        for first, second in pairwise(tokens[:-1]):
            if "\n" not in text[first.end : second.start]:
                at = self.span(node).start
                span = Span(at + second.start, at + second.end)
                refuse("string", span, "Two strings are one only if they stand on two lines: join them with ||.")

    def _bytes_literal(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        digits = node.name
        if not is_filled_in(digits) and (len(digits) % 2 or not _HEXITS.issuperset(digits)):
            refuse("binary-literal", self.span(node), "A binary literal has two digits, 0 to F, for each byte.")
        return ValueFacts(LogicalType("BINARY", length=len(digits) // 2), constant=True, nullable=False)

    def _null(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return ValueFacts(null=True, constant=True, expr=Literal("NULL", "NULL"))

    def _boolean(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return ValueFacts(BOOLEAN, constant=True, nullable=False)

    def _time_literal(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        kind = str(node.args["kind"])
        expr = Literal(node.this.name, kind)
        if not (is_filled_in(node.this.name) or is_moment(node.this.name, kind)):
            refuse("time-literal", self.span(node), f"'{node.this.name}' is no {kind}.")
        return ValueFacts(type_of(expr), constant=True, nullable=False)

    def _check_length(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> None:
        """Refuse a length of an interval, not in quotes, that is no whole number."""
        type_ = self.value(node, scope, place).type
        family = families.family_of(type_)
        if family not in (None, families.NUMBER):
            refuse("interval-value", self.span(node), f"The length of an interval is a number, not {type_}.")
        if type_ is not None and family is not None and type_.root in ("DECIMAL", "FLOAT", "DOUBLE"):
            self.later.refuse("interval-value", self.span(node), f"The length of an interval is whole, not {type_}.")

    def _interval(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        unit = node.args.get("unit")
        check_interval(node, self.span(unit) if place.clause == WINDOW and unit is not None else self.span(node))
        if place.clause in PLANNED and has_too_many_digits(node):
            self.later.refuse("interval-value", self.span(node), "The first field of an interval has 3 digits at most.")
        inner = node.this.this if isinstance(node.this, exp.Neg) else node.this
        if not (isinstance(inner, exp.Literal) and inner.is_string):
            self._check_length(node.this, scope, place)
        first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
        name = str(first.name if first is not None else "").upper().rstrip("S")
        if name in ("YEAR", "MONTH", "QUARTER"):
            return ValueFacts(YEAR_MONTH, constant=True, nullable=False)
        return ValueFacts(DAY_TIME, constant=True, nullable=False)
