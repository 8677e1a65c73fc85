"""Types of expressions, checked on the way: names, functions, operands."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from keepstate.plan.aggregate_types import aggregate_type
from keepstate.plan.arithmetic_types import arithmetic_type
from keepstate.plan.common_types import common_type
from keepstate.plan.constants import literal
from keepstate.plan.expressions import Expr, Literal, Unresolved
from keepstate.plan.function_types import FIXED, RULES
from keepstate.plan.functions import AGGREGATES, LEGACY_PROPERTIES, LEGACY_WINDOWS, SCALARS, SYNONYMS
from keepstate.plan.inference import type_of
from keepstate.plan.logical_types import BIGINT, BOOLEAN, DAY_TIME, DOUBLE, YEAR_MONTH, LogicalType, timestamp
from keepstate.plan.types import canonical_type
from keepstate.syntax import nodes
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import lex
from keepstate.text import Span
from keepstate.validation import families
from keepstate.validation.intervals import TIME_FRAMES, check_interval, has_too_many_digits, is_months, milliseconds
from keepstate.validation.scopes import Later, Rows, Scope, Time, refuse
from keepstate.validation.signatures import SIGNATURES, counts_in_words
from keepstate.validation.types import check_type
from keepstate.validation.validity import Problem

_RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "CUME_DIST", "PERCENT_RANK", "NTILE"})
"""Functions that need OVER; LAG and LEAD may stand without it over a window table function."""
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_NILADIC = frozenset(
    "CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP CURRENT_ROW_TIMESTAMP NOW".split()
)


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of an expression's value."""

    type: LogicalType | None = None
    time: Time = Time.NONE
    null: bool = False
    """A bare NULL, which has no type."""
    constant: bool = False
    expr: Expr = field(default_factory=lambda: Unresolved(""))
    """A literal in canonical form, for functions whose type follows from one."""
    nullable: bool | None = None


UNKNOWN = Value()


PATTERN = "MATCH_RECOGNIZE"
WINDOW = "a window"
"""The clause of the arguments of a window table function."""


@dataclass
class Place:
    """Where an expression stands, as far as that decides what it may hold."""

    clause: str = "SELECT"
    aggregates: bool = True
    """Whether aggregates may stand here."""
    windows: bool = True
    """Whether OVER may stand here."""
    within: Span | None = None
    """The aggregate around it."""
    group_windows: frozenset[Hashable] = frozenset()
    """The group windows of its query, by what they mean."""


class OverCheck(Protocol):
    """What checks an OVER window."""

    def check(self, node: exp.Window, name: str, scope: Scope, place: Place) -> None: ...


@dataclass
class Expressions:
    """Checks the expressions of one statement."""

    statement: ParsedStatement
    functions: frozenset[str]
    """Functions that the script declares, in upper case."""
    query: Callable[[exp.Expression, Scope], Rows]
    unsure: list[Problem]
    later: Later = field(default_factory=Later)
    over: OverCheck | None = None
    """Checks the OVER windows of the query at hand."""
    meaning: Callable[[exp.Expression, Scope], Hashable] | None = None

    def span(self, node: exp.Expression) -> Span:
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
        """The value of ``node``.

        Raises:
            Refused: it is none.
        """
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node, scope, place)
        if isinstance(node, _COMPARISONS):
            return self._comparison(node, scope, place)
        if type(node) in _ARITHMETIC:
            return self._arithmetic(node, scope, place)
        for child in _children(node):
            self.value(child, scope, place)
        return UNKNOWN

    # ---- names

    def _column(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        if isinstance(node.this, exp.Star):
            return UNKNOWN
        parts = node.parts
        return self.named(tuple(part.name for part in parts), tuple(map(self.span, parts)), scope)

    def named(self, names: tuple[str, ...], spans: tuple[Span, ...], scope: Scope) -> Value:
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
            for child in _children(current):
                self.value(child, scope, place)
            return UNKNOWN
        value = self.value(current, scope, place)
        return self._fields(value.type, texts, (self.span(current), *spans))

    # ---- literals

    def _literal(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
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
        for first, second in zip(tokens, tokens[1:-1], strict=False):
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
        sign = _ARITHMETIC[type(node)]
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        if left.null or right.null:
            refuse("bare-null", self.span(node.this if left.null else node.expression), _CAST_NULL)
        type_ = arithmetic_type(sign, left.type, right.type)
        known = families.family_of(left.type) is not None and families.family_of(right.type) is not None
        one_known = families.family_of(left.type) in _NEVER_COUNTED or families.family_of(right.type) in _NEVER_COUNTED
        if type_ is None and (known or one_known):
            words = f"{left.type or 'a value'} {sign} {right.type or 'a value'}"
            refuse("operand-type", self.span(node), f"{words} is no calculation that Flink knows.")
        return Value(type_, constant=left.constant and right.constant)

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
        return Value(type_, constant=value.constant)

    def _case(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        subject = self.value(node.this, scope, place) if node.this is not None else None
        values: list[Value] = []
        for branch in node.args["ifs"]:
            if subject is None:
                self.condition(branch.this, scope, replace(place, clause="WHEN"))
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
                message = f"The values of {what} have no type in common: {_listed(types)}."
                if not constant:
                    self.later.refuse("mixed-types", self.span(node), message)
                return UNKNOWN
            refuse("mixed-types", self.span(node), f"The values of {what} have no type in common: {_listed(types)}.")
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

    # ---- calls

    def _over(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        if not place.windows:
            refuse(
                "over-misplaced",
                self.span(node),
                f"OVER does not stand in {place.clause}: filter one query further out.",
            )
        call = node.this
        if isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
            call = call.this
        inner = replace(place, windows=False, within=None)
        value = self.call(call, scope, inner, over=True) if isinstance(call, exp.Anonymous) else UNKNOWN
        if isinstance(call, (exp.Filter, exp.WithinGroup)):
            value = self.value(call, scope, inner)
        name = str(call.this).upper() if isinstance(call, exp.Anonymous) else ""
        if name and is_built_in(name) and name not in AGGREGATES and name not in self.functions:
            refuse("over-misplaced", self.span(node), f"OVER stands behind an aggregate, and {name} is none.")
        if self.over is not None and (name in AGGREGATES or isinstance(call, (exp.Filter, exp.WithinGroup))):
            self.over.check(node, name, scope, inner)
        return value

    def _filter(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = self.value(node.this, scope, place)
        condition = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
        self.condition(condition, scope, replace(place, clause="FILTER", aggregates=False, windows=False))
        return value

    def _within_group(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        value = self.value(node.this, scope, place)
        for item in node.expression.expressions:
            self.value(item.this, scope, replace(place, aggregates=False, windows=False))
        return value

    def _nulls(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return self.value(node.this, scope, place)

    def _call(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        return self.call(node, scope, place)

    def call(self, node: exp.Expression, scope: Scope, place: Place, over: bool = False) -> Value:
        """A call of a function by its name."""
        written = str(node.this)
        name = written.upper()
        head, _, tail = name.rpartition("_")
        if name in LEGACY_WINDOWS or (head in LEGACY_WINDOWS and tail in LEGACY_PROPERTIES):
            return self._group_window(node, name, scope, place)
        if place.clause in (PATTERN, "DEFINE") and name in _OF_PATTERNS:
            return self._of_pattern(node, name, scope, place)
        aggregate = is_aggregate(name, self.functions)
        if aggregate and not over:
            if place.within is not None:
                refuse("nested-aggregate", place.within, f"{name} stands in another aggregate: they do not nest.")
            if not place.aggregates:
                refuse(
                    "aggregate-misplaced", self.span(node), f"The aggregate {name} does not stand in {place.clause}."
                )
        if name in _RANKS and not over:
            refuse("over-missing", self.span(node), f"{name} needs OVER (...).")
        for argument in node.expressions:
            if isinstance(argument, exp.Star) and name != "COUNT":
                refuse("unknown-column", self.span(argument), f"Only COUNT takes *, and not {name}.")
        inner = place
        if aggregate and not over:
            inner = replace(place, within=self.span(node), windows=False)
        arguments = list(node.expressions)
        if arguments and isinstance(arguments[0], exp.Distinct):
            if is_built_in(name) and name not in self.functions and not aggregate:
                refuse("distinct", self.span(arguments[0]), f"{name} is no aggregate: it takes no DISTINCT.")
            arguments = [*arguments[0].expressions, *arguments[1:]]
        self._check_unit(name, arguments)
        values = [self._argument(argument, scope, inner) for argument in arguments if _is_value(argument)]
        plain = [argument for argument in arguments if _is_value(argument)]
        if name in self.functions:
            self.doubt("function", node, f"What {written} takes and gives is not in the script.", "function")
            return UNKNOWN
        if not is_built_in(name):
            self.doubt(
                "unknown-function", node, f"{written} is no function of Flink; a catalog may hold it.", "function"
            )
            return UNKNOWN
        self._check_call(node, name, plain, values)
        if aggregate:
            return Value(aggregate_type(name, tuple(value.type for value in values)))
        if name == "PROCTIME":
            return Value(FIXED[name], Time.PROC)
        return Value(self._type_of_call(name, values), constant=name not in ("RAND", "UUID") and _all_constant(values))

    def _of_pattern(self, node: exp.Expression, name: str, scope: Scope, place: Place) -> Value:
        values = [self.value(argument, scope, place) for argument in node.expressions]
        if name in ("PREV", "NEXT"):
            refuse("pattern", self.span(node), f"Flink does not look at neighbours in a pattern: there is no {name}.")
        if name in ("FIRST", "LAST"):
            return Value(values[0].type if values else None)
        return Value(None, {"MATCH_ROWTIME": Time.ROW, "MATCH_PROCTIME": Time.PROC}.get(name, Time.NONE))

    def _type_of_call(self, name: str, values: list[Value]) -> LogicalType | None:
        canonical = SYNONYMS.get(name, name)
        if canonical in FIXED:
            return FIXED[canonical]
        types = tuple(value.type for value in values)
        if canonical == "IF" and len(values) == 3:
            return common_type([value.type for value in values[1:] if not value.null] or [None])
        rule = RULES.get(canonical)
        return rule(tuple(value.expr for value in values), types) if rule is not None and values else None

    def _check_unit(self, name: str, arguments: list[exp.Expression]) -> None:
        """Refuse a unit of time that is none."""
        index = {"TIMESTAMPDIFF": 0, "TIMESTAMPADD": 0, "FLOOR": 1, "CEIL": 1, "CEILING": 1}.get(name)
        if index is None or len(arguments) <= index:
            return
        unit = arguments[index]
        if isinstance(unit, (exp.Var, exp.Column)):
            word = self.span(unit).of(self.statement.text)
            if word.upper() not in TIME_FRAMES:
                refuse("time-unit", self.span(unit), f"{word} is no unit of time here.")

    def _argument(self, node: exp.Expression, scope: Scope, place: Place) -> Value:
        if isinstance(node, nodes.NamedArgument):
            node = node.expression
        if isinstance(node, exp.Var) and place.clause:
            return UNKNOWN
        return self.value(node, scope, place)

    def _check_call(
        self, node: exp.Expression, name: str, arguments: list[exp.Expression], values: list[Value]
    ) -> None:
        if any(isinstance(argument, nodes.NamedArgument) for argument in arguments):
            return
        span = self.span(node)
        if name == "COUNT":
            if not arguments:
                refuse("argument-count", span, "COUNT takes * or one value.")
            if sum(value.nullable is True for value in values) > 1:
                self.later.refuse("argument-count", span, "On streams COUNT takes one value only.")
            return
        if name in ("TIMESTAMPDIFF", "TIMESTAMPADD") and len(values) == 3:
            self._check_moments(span, name, values)
        if name == "LISTAGG" and len(arguments) == 2 and not values[1].constant:
            self.later.refuse("argument-type", self.span(arguments[1]), "The separator of LISTAGG is a literal.")
        if name in _TO_JSON:
            for argument, value in zip(arguments, values, strict=True):
                if families.family_of(value.type) in (families.DATE, families.TIME):
                    message = f"{name} takes no {value.type}: cast it to STRING."
                    self.later.refuse("argument-type", self.span(argument), message)
        if name in ("FLOOR", "CEIL", "CEILING") and values:
            self._check_rounded(span, name, len(node.expressions), values[0])
        signatures = SIGNATURES.get(name)
        if signatures is None:
            return
        fitting = [signature for signature in signatures if signature.takes_count(len(arguments))]
        if not fitting:
            words = counts_in_words(signatures)
            plural = "argument" if words == "1" else "arguments"
            refuse("argument-count", span, f"{name} takes {words} {plural}, not {len(arguments)}.")
        for signature in fitting:
            wrong = None
            merged: list[Value] = []
            for index, value in enumerate(values):
                parameter = signature.parameter(index)
                if value.null and not parameter.takes_null:
                    refuse("bare-null", self.span(arguments[index]), _CAST_NULL)
                if not parameter.takes(value.type):
                    wrong = f"{name} takes {parameter.words} in place {index + 1}, not {value.type}."
                    break
                if parameter.merged:
                    merged.append(value)
            if wrong is None and name == "NULLIF" and len(merged) == 2:
                if not families.can_be_compared(merged[0].type, merged[1].type, equality=True):
                    wrong = f"NULLIF compares {merged[0].type} with {merged[1].type}."
            elif wrong is None and not families.have_common_type([v.type for v in merged if not v.null]):
                types = _listed([value.type for value in merged if not value.null])
                wrong = f"The values of {name} have no type in common: {types}."
            if wrong is None:
                return
        refuse("argument-type", span, wrong or "")

    def _check_moments(self, span: Span, name: str, values: list[Value]) -> None:
        """Refuse differences of what is no time, and sums of what is no number and no time."""
        times = (None, families.DATE, families.TIME, families.TIMESTAMP)
        moments = values[1:] if name == "TIMESTAMPDIFF" else values[2:]
        wrong = next((value for value in moments if families.family_of(value.type) not in times), None)
        if wrong is not None:
            refuse("argument-type", span, f"{name} takes dates and times, and this is {wrong.type}.")
        kinds = {families.family_of(value.type) for value in moments} - {None}
        if families.TIME in kinds and len(kinds) > 1:
            refuse("argument-type", span, f"{name} takes no TIME together with a date.")
        if name == "TIMESTAMPADD" and families.family_of(values[1].type) not in (None, families.NUMBER):
            refuse("argument-type", span, f"{name} adds a number, and this is {values[1].type}.")

    def _check_rounded(self, span: Span, name: str, count: int, value: Value) -> None:
        """Refuse FLOOR and CEIL of what is no number, or to a unit of what is no time."""
        family = families.family_of(value.type)
        times = (families.DATE, families.TIME, families.TIMESTAMP)
        if family not in (None, families.INTERVAL) and (family not in times if count > 1 else family != families.NUMBER):
            what = "a date or a time to a unit" if count > 1 else "a number"
            refuse("argument-type", span, f"{name} rounds {what}, and this is {value.type}.")

    def _group_window(self, node: exp.Expression, name: str, scope: Scope, place: Place) -> Value:
        if name in LEGACY_WINDOWS and place.clause != "GROUP BY":
            refuse("group-window", self.span(node), f"The group window {name} stands in GROUP BY only.")
        inner = replace(place, aggregates=False, windows=False)
        values = [self.value(argument, scope, inner) for argument in node.expressions]
        window = name.partition("_")[0]
        counts = {"HOP": (3, 4)}.get(window, (2, 3))
        if not counts[0] <= len(values) <= counts[1]:
            refuse("argument-count", self.span(node), f"{name} takes {counts[0]} arguments, not {len(values)}.")
        window_sizes(node, name, window, self)
        dated = (None, families.DATE, families.TIME, families.TIMESTAMP)
        fits = families.family_of(values[0].type) in dated
        lengths = (None, families.TIME, families.INTERVAL)
        if not fits or any(families.family_of(value.type) not in lengths for value in values[1:]):
            refuse("argument-type", self.span(node), f"{name} takes a time attribute and intervals.")
        if name in LEGACY_WINDOWS:
            time = node.expressions[0]
            if values[0].time is Time.NONE and values[0].type is not None:
                text = self.span(time).of(self.statement.text)
                self.later.refuse("window-time", self.span(time), f"{text} is no time attribute, which a window needs.")
        elif self.meaning is not None and place.clause != "GROUP BY":
            meant = ("call", window, tuple(self.meaning(argument, scope) for argument in node.expressions))
            if meant not in place.group_windows:
                message = f"{name} needs the same {window} with the same arguments in GROUP BY."
                refuse("group-window", self.span(node), message)
        if name.endswith("_PROCTIME"):
            return Value(None, Time.PROC)
        if name.endswith("_ROWTIME"):
            return Value(values[0].type, values[0].time)
        return Value(timestamp(3))


def window_sizes(node: exp.Expression, name: str, window: str, expressions: Expressions) -> None:
    """Note a group window whose lengths Flink does not plan."""
    if name not in LEGACY_WINDOWS:
        return
    lengths = node.expressions[1 : 3 if window == "HOP" else 2]
    if len(node.expressions) > len(lengths) + 1:
        at = expressions.span(node.expressions[-1])
        expressions.later.refuse("window-size", at, f"{window} takes no alignment.")
    for length in lengths:
        value = milliseconds(length)
        if is_months(length):
            message = f"{window} takes days, hours, minutes or seconds."
            expressions.later.refuse("window-size", expressions.span(length), message)
        elif value is not None and value <= 0:
            expressions.later.refuse("window-size", expressions.span(length), f"{window} has a size of more than nothing.")


_TO_JSON = frozenset({"JSON_STRING", "JSON_ARRAY", "JSON_ARRAYAGG"})
_PLANNED = frozenset({"SELECT", "WHERE", "ON", "HAVING"})
_OF_PATTERNS = frozenset("FIRST LAST PREV NEXT CLASSIFIER MATCH_NUMBER MATCH_ROWTIME MATCH_PROCTIME".split())
_NEVER_COUNTED = frozenset({families.STRING, families.BOOLEAN, families.BYTES, "array", "map", "row", "multiset"})
_CAST_NULL = "A bare NULL has no type here: cast it."


def is_built_in(name: str) -> bool:
    """Whether Flink has a function of this name in upper case."""
    return name in SIGNATURES or name in AGGREGATES or (name in SCALARS and name not in _OF_OTHER_ENGINES)


_OF_OTHER_ENGINES = frozenset(
    "LENGTH DATEDIFF NVL KEYVALUE DATE_ADD DATE_SUB TO_CHAR JSON IS_JSON SIMILAR SOURCE_WATERMARK GROUP_ID OBJECT_OF OBJECT_UPDATE".split()
)


def is_aggregate(name: str, functions: frozenset[str]) -> bool:
    return name in AGGREGATES and name not in functions


def _is_value(node: exp.Expression) -> bool:
    return not isinstance(node, (nodes.FunctionClause, exp.Order))


def _all_constant(values: list[Value]) -> bool:
    return bool(values) and all(value.constant for value in values)


def _listed(types: list[LogicalType | None]) -> str:
    return ", ".join(dict.fromkeys(str(type_) for type_ in types if type_ is not None))


def _children(node: exp.Expression) -> list[exp.Expression]:
    found: list[exp.Expression] = []
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expression) and not isinstance(part, (exp.Identifier, exp.Var, exp.DataType)):
                found.append(part)
    return found


def _numeric(self: Expressions, node: exp.Expression, scope: Scope, place: Place) -> Value:
    return Value(DOUBLE)


_HANDLERS: dict[type[exp.Expression], Callable[[Expressions, exp.Expression, Scope, Place], Value]] = {
    exp.Column: Expressions._column,
    exp.Dot: Expressions._dot,
    exp.Literal: Expressions._literal,
    exp.Null: Expressions._null,
    exp.Boolean: Expressions._boolean,
    nodes.TimeLiteral: Expressions._time_literal,
    exp.Interval: Expressions._interval,
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
