"""Names, literals and operators: their types, checked on the way."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from sqlglot import exp

from keepstate.plan.expressions import Literal, Unresolved
from keepstate.plan.scalars.constants import literal
from keepstate.plan.types.arithmetic_types import arithmetic_type
from keepstate.plan.types.common_types import common_type
from keepstate.plan.types.function_types import RULES
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import BIGINT, BOOLEAN, DAY_TIME, YEAR_MONTH, LogicalType
from keepstate.plan.types.type_names import canonical_type
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import lex
from keepstate.text import Span
from keepstate.validation.validity import Problem
from keepstate.validation.values import families
from keepstate.validation.values.intervals import (
    TIME_FRAMES,
    check_interval,
    has_too_many_digits,
)
from keepstate.validation.values.scopes import Later, Rows, Scope, Time, refuse
from keepstate.validation.values.value import CAST_NULL, UNKNOWN, WINDOW, OverCheck, Place, Value, listed
from keepstate.validation.values.written_types import check_type

ARITHMETIC: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_PLANNED = frozenset({"SELECT", "WHERE", "ON", "HAVING"})
"""Clauses whose intervals Flink's planner looks at."""


@dataclass
class Operators:
    """Names, literals and operators; calls are in ``Calls``, and ``Expressions`` chooses."""

    statement: ParsedStatement
    functions: frozenset[str]
    """Functions that the script declares, in upper case."""
    query: Callable[[exp.Expression, Scope], Rows]
    unsure: list[Problem]
    later: Later = field(default_factory=Later)
    over: OverCheck | None = None
    """Checks the OVER windows of the query at hand."""
    meaning: Callable[[exp.Expression, Scope], Hashable] | None = None

    def span(self, node: exp.Expr) -> Span:
        """The place of ``node`` in the text of its statement."""
        return Span(*node.meta["span"])

    def doubt(self, rule: str, node: exp.Expression, message: str, depends: str) -> None:
        self.unsure.append(Problem(rule, self.span(node), message, depends=depends))

    def condition(self, node: exp.Expression, scope: Scope, place: Place) -> None:
        """A condition, which is BOOLEAN."""
        value = self.value(node, scope, place)
        family = families.family_of(value.type)
        if family is not None and family != families.BOOLEAN:
            refuse("condition-type", self.span(node), f"{place.clause} needs a condition, and this is {value.type}.")

    def value(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        """The value of any expression; provided by ``Expressions``."""
        raise NotImplementedError

    def call(self, node: exp.Expression, scope: Scope, place: Place, over: bool = False) -> Value:
        """The value of a call; provided by ``Calls``."""
        raise NotImplementedError

    # ---- names

    def _column(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        if isinstance(node.this, exp.Star):
            return UNKNOWN
        assert isinstance(node, exp.Column)
        parts = node.parts
        return self.named(tuple(part.name for part in parts), tuple(map(self.span, parts)), scope)

    def named(self, names: tuple[str, ...], spans: tuple[Span, ...], scope: Scope) -> Value:
        if len(names) == 1 and names[0].upper() == "PI":
            # The one function of Flink's own that may be called without parentheses, where no column is called so.
            return UNKNOWN
        found = scope.resolve(names, spans)
        if found is None:
            return UNKNOWN
        column = found.column
        if not found.rest:
            return Value(column.type, column.time, nullable=column.nullable)
        return self._fields(column.type, found.rest, (spans[0], *spans)[-len(found.rest) - 1 :])

    def _fields(self, type_: LogicalType | None, names: tuple[str, ...], spans: tuple[Span, ...]) -> Value:
        for name, span in zip(names, spans[1:], strict=True):
            if type_ is None:
                return UNKNOWN
            if type_.root != "ROW":
                if families.family_of(type_) is None:
                    return UNKNOWN
                refuse(
                    "unknown-field", spans[0].union(span), f"There is no field {name}: the value is {type_}, no ROW."
                )
            inner = type_.field(name)
            if inner is None and name.upper() not in type_.names:
                refuse("unknown-field", spans[0].union(span), f"The ROW has no field {name}.")
            type_ = inner
        return Value(type_)

    def _dot(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        names: list[exp.Expression] = []
        current: exp.Expression = node
        while isinstance(current, exp.Dot) and isinstance(current.expression, exp.Identifier):
            names.insert(0, current.expression)
            current = current.this
        spans = tuple(self.span(name) for name in names)
        texts = tuple(name.name for name in names)
        if isinstance(current, exp.Column) and not isinstance(current.this, exp.Star):
            parts = current.parts
            return self.named((*(part.name for part in parts), *texts), (*map(self.span, parts), *spans), scope)
        if isinstance(current, exp.Identifier):
            return self.named((current.name, *texts), (self.span(current), *spans), scope)
        if isinstance(current, exp.Dot):
            for child in parts_of(current):
                self.value(child, scope, place)
            return UNKNOWN
        value = self.value(current, scope, place)
        return self._fields(value.type, texts, (self.span(current), *spans))

    # ---- literals

    def _literal(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        assert isinstance(node, exp.Literal)
        if node.is_string:
            self._text_literal(node)
        expr = literal(node)
        return Value(type_of(expr), constant=True, expr=expr, nullable=False)

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

    def _null(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return Value(null=True, constant=True, expr=Literal("NULL", "NULL"))

    def _boolean(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return Value(BOOLEAN, constant=True, nullable=False)

    def _time_literal(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        kind = str(node.args["kind"])
        expr = Literal(node.this.name, kind)
        return Value(type_of(expr), constant=True, nullable=False)

    def _interval(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        unit = node.args.get("unit")
        check_interval(node, self.span(unit) if place.clause == WINDOW and unit is not None else self.span(node))
        if place.clause in _PLANNED and has_too_many_digits(node):
            self.later.refuse("interval-value", self.span(node), "The first field of an interval has 3 digits at most.")
        if not isinstance(node.this, (exp.Literal, exp.Neg)):
            self.value(node.this, scope, place)
        first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
        name = str(first.name if first is not None else "").upper().rstrip("S")
        if name in ("YEAR", "MONTH", "QUARTER"):
            return Value(YEAR_MONTH, constant=True, nullable=False)
        return Value(DAY_TIME, constant=True, nullable=False)

    def _difference(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        """``(a - b) DAY``: an interval, of times that have no difference otherwise."""
        inner = node.this.unnest()
        for side in (inner.this, inner.expression):
            self.value(side, scope, place)
        return UNKNOWN

    def _hole(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return UNKNOWN

    # ---- operators

    def _logic(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        word = "AND" if isinstance(node, exp.And) else "OR"
        sides: list[exp.Expression] = []
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if type(current) is type(node):
                waiting += (current.expression, current.this)
            else:
                sides.append(current)
        for side in sides:
            self._boolean_operand(side, scope, place, word, node)
        return Value(BOOLEAN)

    def _boolean_operand(
        self, side: exp.Expression, scope: Scope, place: Place, word: str, node: exp.Expression
    ) -> None:
        value = self.value(side, scope, place)
        family = families.family_of(value.type)
        if family is not None and family != families.BOOLEAN:
            refuse("operand-type", self.span(node), f"{word} takes conditions, and one side is {value.type}.")

    def _not(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        self._boolean_operand(node.this, scope, place, "NOT", node)
        return Value(BOOLEAN)

    def _paren(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return self.value(node.this, scope, place)

    def _comparison(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        if isinstance(node.expression, (exp.Any, exp.All)):
            left = self.value(node.this, scope, place)
            self._in_query(node, left, node.expression.this, scope)
            return Value(BOOLEAN)
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        equality = isinstance(node, (exp.EQ, exp.NEQ))
        joining = place.clause == "ON" and equality and not left.constant and not right.constant
        if families.can_be_compared(left.type, right.type, equality, joining):
            return Value(BOOLEAN)
        if families.STRING in (families.family_of(left.type), families.family_of(right.type)) and equality:
            message = f"{left.type} and {right.type} cannot be compared: cast one of them."
            self.later.refuse("operand-type", self.span(node), message)
        else:
            refuse(
                "operand-type", self.span(node), f"{left.type} and {right.type} cannot be compared: cast one of them."
            )
        return Value(BOOLEAN)

    def _arithmetic(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        sign = ARITHMETIC[type(node)]
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        if left.null or right.null:
            refuse("bare-null", self.span(node.this if left.null else node.expression), CAST_NULL)
        if not families.can_be_calculated(sign, left.type, right.type):
            words = f"{left.type or 'a value'} {sign} {right.type or 'a value'}"
            refuse("operand-type", self.span(node), f"{words} is no calculation that Flink knows.")
        return Value(arithmetic_type(sign, left.type, right.type), constant=left.constant and right.constant)

    def _negative(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = self.value(node.this, scope, place)
        if families.family_of(value.type) not in (None, families.NUMBER, families.INTERVAL):
            refuse("operand-type", self.span(node), f"There is no negative of {value.type}.")
        return replace(value, time=Time.NONE, expr=Unresolved(""))

    def _text(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        word = "||" if isinstance(node, exp.DPipe) else "LIKE"
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        for side in (left, right):
            if families.family_of(side.type) not in (None, families.STRING, families.BYTES):
                refuse("operand-type", self.span(node), f"{word} takes strings, and one side is {side.type}.")
        if word == "LIKE":
            return Value(BOOLEAN)
        return Value(RULES["||"]((left.expr, right.expr), (left.type, right.type)))

    def _missing_operator(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        word = "ILIKE" if isinstance(node, exp.ILike) else "RLIKE"
        for side in (node.this, node.expression):
            self.value(side, scope, place)
        refuse("unknown-function", self.span(node), f"Flink has no {word}.")

    def _between(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        values = [self.value(node.args[key], scope, place) for key in ("this", "low", "high")]
        for bound in values[1:]:
            if not families.can_be_compared(values[0].type, bound.type, equality=False):
                types = f"{values[0].type} and {bound.type}"
                refuse("operand-type", self.span(node), f"{types} cannot be compared: cast one of them.")
        return Value(BOOLEAN)

    def _in(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        left = self.value(node.this, scope, place)
        query = node.args.get("query")
        if query is not None:
            self._in_query(node, left, query, scope)
            return Value(BOOLEAN)
        for item in node.expressions:
            value = self.value(item, scope, place)
            if not families.can_be_compared(left.type, value.type, equality=False):
                refuse("operand-type", self.span(node), f"{left.type} cannot be IN a list with {value.type}.")
        return Value(BOOLEAN)

    def _in_query(self, node: exp.Expression, left: Value, query: exp.Expression, scope: Scope) -> None:
        rows = self.query(query, scope)
        if not rows.complete or isinstance(node.this, exp.Tuple):
            return
        if len(rows.columns) != 1:
            refuse(
                "subquery-columns", self.span(node), f"The query gives {len(rows.columns)} columns, and IN takes one."
            )
        if not families.can_be_compared(left.type, rows.columns[0].type, equality=True, joining=True):
            types = f"{left.type} and {rows.columns[0].type}"
            refuse("operand-type", self.span(node), f"{types} cannot be compared: cast one of them.")

    def _is(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = self.value(node.this, scope, place)
        target = node.expression
        if isinstance(target, exp.Boolean) and families.family_of(value.type) not in (None, families.BOOLEAN):
            refuse("operand-type", self.span(node), f"IS TRUE asks a condition, and this is {value.type}.")
        if isinstance(target, exp.Var):
            refuse("unknown-function", self.span(node), f"Flink does not plan IS {target.name}.")
        return Value(BOOLEAN)

    def _cast(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = self.value(node.this, scope, place)
        written = self.span(node.args["to"]).of(self.statement.text)
        check_type(node.args["to"], self.span)
        type_ = LogicalType.declared(canonical_type(written))
        if not families.can_be_cast(value.type, type_):
            refuse("cast", self.span(node), f"{value.type} cannot be cast to {type_}.")
        if families.is_refused_by_planner(value.type, type_) and place.clause in _PLANNED:
            self.later.refuse("cast", self.span(node), f"{value.type} cannot be cast to {type_}.")
        return Value(type_, constant=value.constant)

    def _case(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        subject = self.value(node.this, scope, place) if node.this is not None else None
        values: list[Value] = []
        for branch in node.args["ifs"]:
            if subject is None:
                value = self.value(branch.this, scope, place)
                if families.family_of(value.type) not in (None, families.BOOLEAN):
                    refuse("condition-type", self.span(node), f"WHEN needs a condition, and this is {value.type}.")
            else:
                other = self.value(branch.this, scope, place)
                if not families.can_be_compared(subject.type, other.type, equality=True):
                    types = f"{subject.type} and {other.type}"
                    refuse("operand-type", self.span(node), f"{types} cannot be compared: cast one of them.")
            values.append(self.value(branch.args["true"], scope, place))
        default = node.args.get("default")
        values.append(self.value(default, scope, place) if default is not None else Value(null=True))
        constant = any(isinstance(branch.this, (exp.Boolean, exp.Literal)) for branch in node.args["ifs"])
        return self.merged(values, node, "CASE", constant)

    def merged(self, values: list[Value], node: exp.Expression, what: str, constant: bool = False) -> Value:
        """The value of which ``values`` are the branches; a ``constant`` condition may leave one of them."""
        types = [value.type for value in values if not value.null]
        if not types:
            refuse("mixed-types", self.span(node), f"All values of {what} are NULL: cast one of them.")
        if not families.have_common_type(types):
            if families.may_be_folded(types):
                message = f"The values of {what} have no type in common: {listed(types)}."
                if not constant:
                    self.later.refuse("mixed-types", self.span(node), message)
                return UNKNOWN
            refuse("mixed-types", self.span(node), f"The values of {what} have no type in common: {listed(types)}.")
        return Value(common_type(types))

    def _extract(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        word = self.span(node.this).of(self.statement.text)
        if word.upper() not in TIME_FRAMES:
            refuse("time-unit", self.span(node.this), f"{word} is no unit of time here.")
        value = self.value(node.expression, scope, place)
        if families.family_of(value.type) not in (
            None,
            families.DATE,
            families.TIME,
            families.TIMESTAMP,
            families.INTERVAL,
        ):
            refuse("argument-type", self.span(node), f"EXTRACT takes a date or a time, and this is {value.type}.")
        return Value(BIGINT)

    def _trim(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = UNKNOWN
        for part in (node.args.get("expression"), node.this):
            if part is not None:
                value = self.value(part, scope, place)
                if families.family_of(value.type) not in (None, families.STRING):
                    refuse("argument-type", self.span(node), f"TRIM takes strings, and this is {value.type}.")
        return Value(RULES["TRIM"]((value.expr,), (value.type,)))

    def _bracket(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        whole = self.value(node.this, scope, place)
        index = self.value(node.expressions[0], scope, place)
        family, key = families.family_of(whole.type), families.family_of(index.type)
        if family is not None and family not in ("array", "map", "row"):
            refuse("argument-type", self.span(node), f"Only ARRAY and MAP have elements, and this is {whole.type}.")
        if family == "array" and key not in (None, families.NUMBER):
            refuse("argument-type", self.span(node), f"The index of an ARRAY is a number, not {index.type}.")
        if family == "map" and whole.type is not None:
            wanted = families.family_of(whole.type.elements[0])
            if key is not None and wanted is not None and key != wanted:
                refuse("argument-type", self.span(node), f"The keys of the MAP are {whole.type.elements[0]}.")
        if family == "array" and isinstance(index.expr, Literal) and index.expr.value in ("0",):
            self.later.refuse("array-index", self.span(node), "The first element of an ARRAY has the number 1.")
        if whole.type is None or family == "row":
            return UNKNOWN
        return Value(whole.type.elements[-1])

    def _subquery(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        rows = self.query(node, scope)
        if not rows.complete:
            return UNKNOWN
        if len(rows.columns) != 1:
            refuse(
                "subquery-columns",
                self.span(node),
                f"A query used as a value gives one column, not {len(rows.columns)}.",
            )
        return Value(rows.columns[0].type)

    def _exists(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        self.query(node.this, scope)
        return Value(BOOLEAN)


def parts_of(node: exp.Expression) -> list[exp.Expression]:
    """The expressions right inside of ``node``: no names, no units, no types."""
    found: list[exp.Expression] = []
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expression) and not isinstance(part, (exp.Identifier, exp.Var, exp.DataType)):
                found.append(part)
    return found
