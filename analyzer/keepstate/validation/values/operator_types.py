"""Operators: their types, checked on the way."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from keepstate.plan.expressions import Literal, Unresolved
from keepstate.plan.types.arithmetic_types import arithmetic_type
from keepstate.plan.types.common_types import common_type
from keepstate.plan.types.function_types import RULES
from keepstate.plan.types.logical_types import BIGINT, BOOLEAN, LogicalType
from keepstate.plan.types.type_names import canonical_type
from keepstate.text import Span
from keepstate.validation.constants.divisions import is_divided_by_zero
from keepstate.validation.constants.text_conditions import unplanned_pair
from keepstate.validation.constants.time_texts import is_readable
from keepstate.validation.values import families
from keepstate.validation.values.intervals import (
    TIME_FRAMES,
)
from keepstate.validation.values.literal_values import PLANNED, LiteralCheck
from keepstate.validation.values.scopes import TimeRole, ValidationScope, refuse
from keepstate.validation.values.value import (
    CAST_NULL,
    NULL_TEST,
    UNKNOWN,
    ExpressionContext,
    ValueFacts,
    type_names,
)
from keepstate.validation.values.written_types import check_type

ARITHMETIC: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_BEFORE_GROUPS = frozenset({"WHERE", "ON"})
_EQUATED = frozenset({"array", "map", families.ROW, families.VARIANT})
"""Families whose values IN compares, though none is larger than another."""
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT"})
_TEXT_OPERATORS: dict[type[exp.Expression], str] = {exp.DPipe: "||", exp.SimilarTo: "SIMILAR TO"}


class OperatorCheck(LiteralCheck):
    """Operators; literals are in ``LiteralCheck``, calls in ``CallCheck``, and ``ExpressionCheck`` chooses."""

    def _difference(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        """``(a - b) DAY``: an interval, of times that have no difference otherwise."""
        inner = node.this.unnest()
        for side in (inner.this, inner.expression):
            self.value(side, scope, place)
        return UNKNOWN

    def _hole(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return UNKNOWN

    # ---- operators

    def _logic(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
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
        self._check_times(sides, word, scope, place)
        return ValueFacts(BOOLEAN)

    def _check_times(
        self, sides: list[exp.Expression], word: str, scope: ValidationScope, place: ExpressionContext
    ) -> None:
        """Refuse two tests of one time by strings that Flink does not plan together."""
        meaning = self.meaning
        if meaning is None:
            return
        pair = unplanned_pair(sides, word == "OR", lambda node: meaning(node, scope))
        if pair is None:
            return
        tested, later = pair
        type_ = self.value(tested, scope, place).type
        if families.family_of(type_) in families.DATED:
            assert type_ is not None
            literal = type_.root.removesuffix("_LTZ")
            message = (
                f"Flink does not plan this beside the other test of the same {type_.root}: "
                f"write {literal} '...' instead of a string."
            )
            self.later.refuse("time-text", self.span(later), message)

    def _boolean_operand(
        self, side: exp.Expression, scope: ValidationScope, place: ExpressionContext, word: str, node: exp.Expression
    ) -> None:
        value = self.value(side, scope, place)
        self.refuse_null(side, value)
        family = families.family_of(value.type)
        if family is not None and family != families.BOOLEAN:
            refuse("operand-type", self.span(node), f"{word} takes conditions, and one side is {value.type}.")

    def refuse_null(self, node: exp.Expression, value: ValueFacts) -> None:
        """Refuse a bare NULL where a type follows from the value."""
        if value.null:
            refuse("bare-null", self.span(node.unnest()), CAST_NULL)

    def _not(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        self._boolean_operand(node.this, scope, place, "NOT", node)
        return ValueFacts(BOOLEAN)

    def _paren(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return self.value(node.this, scope, place)

    def _tuple(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        """``(a, b)``: a ROW without the word."""
        values = [self.value(each, scope, place) for each in node.expressions]
        for each, value in zip(node.expressions, values, strict=True):
            self.refuse_null(each, value)
        return ValueFacts(RULES["ROW"]((), tuple(value.type for value in values)))

    def _comparison(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        if isinstance(node.expression, (exp.Any, exp.All)):
            left = self.value(node.this, scope, place)
            self._in_query(node, left, node.expression.this, scope)
            return ValueFacts(BOOLEAN)
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        equality = isinstance(node, (exp.EQ, exp.NEQ))
        joining = place.clause == "ON" and equality and not left.constant and not right.constant
        if not equality and node.this == node.expression:
            # The planner computes it.
            return ValueFacts(BOOLEAN)
        if families.can_be_compared(left.type, right.type, equality, joining):
            if equality:
                self.check_time_text(left, right, node)
            elif not families.has_order(left.type) or not families.has_order(right.type):
                self._refuse_order(node, left.type)
            return ValueFacts(BOOLEAN)
        if families.STRING in (families.family_of(left.type), families.family_of(right.type)) and equality:
            message = f"{left.type} and {right.type} cannot be compared: cast one of them."
            self.later.refuse("operand-type", self.span(node), message)
        else:
            refuse(
                "operand-type", self.span(node), f"{left.type} and {right.type} cannot be compared: cast one of them."
            )
        return ValueFacts(BOOLEAN)

    def _distinct(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        """``IS [NOT] DISTINCT FROM``."""
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        self.check_time_text(left, right, node)
        return ValueFacts(BOOLEAN)

    def check_time_text(self, left: ValueFacts, right: ValueFacts, node: exp.Expression) -> None:
        """Refuse a time that is compared with a string which Flink cannot read as one: it reads literals first."""
        for one, other in ((left, right), (right, left)):
            if families.family_of(one.type) in families.DATED and isinstance(other.expr, Literal):
                assert one.type is not None
                if families.family_of(other.type) == families.STRING and not is_readable(other.expr.value, one.type):
                    message = f"Flink reads '{other.expr.value}' as {one.type.root} here, and it is none."
                    self.later.refuse("time-text", self.span(node), message)

    def _arithmetic(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        sign = ARITHMETIC[type(node)]
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        self.refuse_null(node.this, left)
        self.refuse_null(node.expression, right)
        if not families.can_be_calculated(sign, left.type, right.type):
            words = f"{left.type or 'a value'} {sign} {right.type or 'a value'}"
            refuse("operand-type", self.span(node), f"{words} is no calculation that Flink knows.")
        tree = self.statement.tree
        is_constant = sign == "/" and left.constant and right.constant
        if is_constant and tree is not None and is_divided_by_zero(node, tree):
            self.later.refuse("division-by-zero", self.span(node), "Flink computes this division, which is by zero.")
        nullable = True if True in (left.nullable, right.nullable) else None
        type_ = arithmetic_type(sign, left.type, right.type)
        return ValueFacts(type_, constant=left.constant and right.constant, nullable=nullable)

    def _negative(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        number = node.this.unnest()
        if isinstance(number, exp.Literal) and not number.is_string:
            # The parser makes one literal of the sign and the number.
            self._check_number(node, f"-{number.name}", place)
            return replace(self._constant(number), expr=Unresolved(""))
        value = self.value(node.this, scope, place)
        if families.family_of(value.type) not in (None, families.NUMBER, families.INTERVAL):
            refuse("operand-type", self.span(node), f"There is no negative of {value.type}.")
        return replace(value, time=TimeRole.NONE, expr=Unresolved(""))

    def _text(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        word = _TEXT_OPERATORS.get(type(node), "LIKE")
        left, right = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        if word == "||":
            self.refuse_null(node.this, left)
            self.refuse_null(node.expression, right)
        if left.null or right.null:
            refuse("operand-type", self.span(node), f"{word} takes strings, and a bare NULL is none: cast it.")
        for side in (left, right):
            if families.family_of(side.type) not in (None, families.STRING):
                refuse("operand-type", self.span(node), f"{word} takes strings, and one side is {side.type}.")
        if word != "||":
            return ValueFacts(BOOLEAN)
        nullable = True if True in (left.nullable, right.nullable) else None
        return ValueFacts(RULES["||"]((left.expr, right.expr), (left.type, right.type)), nullable=nullable)

    def _missing_operator(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        word = "ILIKE" if isinstance(node, exp.ILike) else "RLIKE"
        for side in (node.this, node.expression):
            self.value(side, scope, place)
        refuse("unknown-function", self.span(node), f"Flink has no {word}.")

    def _between(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        values = [self.value(node.args[key], scope, place) for key in ("this", "low", "high")]
        for bound in values[1:]:
            if not families.can_be_compared(values[0].type, bound.type, equality=False):
                types = f"{values[0].type} and {bound.type}"
                refuse("operand-type", self.span(node), f"{types} cannot be compared: cast one of them.")
        is_computed = all(node.this == node.args[key] for key in ("low", "high"))
        if not families.has_order(values[0].type) and not is_computed:
            self._refuse_order(node, values[0].type)
        return ValueFacts(BOOLEAN)

    def _refuse_order(self, node: exp.Expression, type_: LogicalType | None) -> None:
        self.later.refuse(
            "operand-type", self.span(node), f"{type_} has no order: it can be compared by = and <> only."
        )

    def _in(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        left = self.value(node.this, scope, place)
        query = node.args.get("query")
        if query is not None:
            self._in_query(node, left, query, scope)
            return ValueFacts(BOOLEAN)
        values = [self.value(item, scope, place) for item in node.expressions]
        types = [value.type for value in values if not value.null]
        if not families.have_common_type(types, families.TypeMixPlace.COMPARED):
            refuse("mixed-types", self._list_of(node), f"The values of IN have no type in common: {type_names(types)}.")
        for type_ in types:
            own, other = families.family_of(left.type), families.family_of(type_)
            if (own, other) == (families.STRING, families.ROW) or (own == other and own in _EQUATED):
                continue
            if not families.can_be_compared(left.type, type_, equality=False):
                refuse("operand-type", self.span(node), f"{left.type} cannot be IN a list with {type_}.")
        return ValueFacts(BOOLEAN)

    def _list_of(self, node: exp.Expression) -> Span:
        """The list of IN in its parentheses."""
        first, whole = self.span(node.expressions[0]), self.span(node)
        start = self.statement.text.rindex("(", whole.start, first.start + 1)
        return Span(start, whole.end)

    def _in_query(self, node: exp.Expression, left: ValueFacts, query: exp.Expression, scope: ValidationScope) -> None:
        rows = self.query(query, scope)
        if not rows.complete:
            return
        if isinstance(node.this, exp.Tuple):
            if len(node.this.expressions) != len(rows.columns):
                words = f"{len(node.this.expressions)} values and the query {len(rows.columns)} columns"
                refuse("subquery-columns", self.span(node), f"The left side of IN has {words}.")
            elements = left.type.elements if left.type is not None else ()
            for own, column in zip(elements, rows.columns, strict=False):
                self._check_sides(own, column.type, node)
            if sum(column.nullable is True for column in rows.columns) > 1:
                self.correlations.with_nulls.add(self.span(node))
            return
        if len(rows.columns) != 1:
            refuse(
                "subquery-columns", self.span(node), f"The query gives {len(rows.columns)} columns, and IN takes one."
            )
        self._check_sides(left.type, rows.columns[0].type, node)

    def _check_sides(self, own: LogicalType | None, other: LogicalType | None, node: exp.Expression) -> None:
        """Refuse IN of a value and a column of a query that Flink cannot join by."""
        if not families.can_be_compared(own, other, equality=True, joining=True):
            refuse("operand-type", self.span(node), f"{own} and {other} cannot be compared: cast one of them.")

    def _is(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        target = node.expression
        if isinstance(target, exp.Null) and place.clause in _BEFORE_GROUPS:
            # The ends of a window are never NULL, so the planner drops the question.
            place = replace(place, clause=NULL_TEST)
        value = self.value(node.this, scope, place)
        if not isinstance(target, exp.Null):
            self.refuse_null(node.this, value)
        if isinstance(target, exp.Boolean) and families.family_of(value.type) not in (None, families.BOOLEAN):
            refuse("operand-type", self.span(node), f"IS TRUE asks a condition, and this is {value.type}.")
        if isinstance(target, exp.Var):
            refuse("unknown-function", self.span(node), f"Flink does not plan IS {target.name}.")
        if isinstance(target, exp.JSON) and families.family_of(value.type) not in (None, families.STRING):
            refuse("operand-type", self.span(node), f"IS JSON asks a string, and this is {value.type}.")
        return ValueFacts(BOOLEAN)

    def _cast(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        value = self.value(node.this, scope, place)
        spelling = self.span(node.args["to"]).of(self.statement.text)
        check_type(node.args["to"], self.span)
        type_ = LogicalType.as_written(spelling) or LogicalType.declared(canonical_type(spelling))
        if families.family_of(value.type) == families.STRING and families.family_of(type_) == families.INTERVAL:
            self.later.refuse("cast", self.span(node), f"{value.type} cannot be cast to {type_}.")
        if not families.can_be_cast(value.type, type_):
            refuse("cast", self.span(node), f"{value.type} cannot be cast to {type_}.")
        if families.is_refused_by_planner(value.type, type_) and place.clause in PLANNED:
            self.later.refuse("cast", self.span(node), f"{value.type} cannot be cast to {type_}.")
        nullable = True if value.null or isinstance(node, exp.TryCast) else value.nullable
        return ValueFacts(type_, constant=value.constant, nullable=nullable)

    def _case(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        subject = self.value(node.this, scope, place) if node.this is not None else None
        values: list[ValueFacts] = []
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
                self.check_time_text(subject, other, branch)
            values.append(self.value(branch.args["true"], scope, place))
        default = node.args.get("default")
        values.append(self.value(default, scope, place) if default is not None else ValueFacts(null=True))
        constant = any(isinstance(branch.this, (exp.Boolean, exp.Literal)) for branch in node.args["ifs"])
        return self.merged(values, node, "CASE", constant)

    def merged(
        self, values: list[ValueFacts], node: exp.Expression, subject: str, constant: bool = False
    ) -> ValueFacts:
        """The value of which ``values`` are the branches; a ``constant`` condition may leave one of them."""
        types = [value.type for value in values if not value.null]
        if not types:
            refuse("mixed-types", self.span(node), f"All values of {subject} are NULL: cast one of them.")
        if not families.have_common_type(types):
            if families.may_be_folded(types):
                message = f"The values of {subject} have no type in common: {type_names(types)}."
                if not constant:
                    self.later.refuse("mixed-types", self.span(node), message)
                return UNKNOWN
            refuse(
                "mixed-types", self.span(node), f"The values of {subject} have no type in common: {type_names(types)}."
            )
        return ValueFacts(common_type(types))

    def _extract(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        word = self.span(node.this).of(self.statement.text)
        if word.upper() not in TIME_FRAMES:
            refuse("time-unit", self.span(node.this), f"{word} is no unit of time here.")
        value = self.value(node.expression, scope, place)
        self.refuse_null(node.expression, value)
        if families.family_of(value.type) not in (
            None,
            families.DATE,
            families.TIME,
            families.TIMESTAMP,
            families.INTERVAL,
        ):
            refuse("argument-type", self.span(node), f"EXTRACT takes a date or a time, and this is {value.type}.")
        return ValueFacts(BIGINT)

    def _trim(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        value = UNKNOWN
        for part in (node.args.get("expression"), node.this):
            if part is not None:
                value = self.value(part, scope, place)
                if families.family_of(value.type) not in (None, families.STRING):
                    refuse("argument-type", self.span(node), f"TRIM takes strings, and this is {value.type}.")
        return ValueFacts(RULES["TRIM"]((value.expr,), (value.type,)))

    def _bracket(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        whole = self.value(node.this, scope, place)
        index = self.value(node.expressions[0], scope, place)
        self.refuse_null(node.expressions[0], index)
        family, key = families.family_of(whole.type), families.family_of(index.type)
        if family == families.VARIANT:
            self._check_variant_index(node, index, key)
            # An element of a VARIANT is one again.
            return ValueFacts(whole.type)
        if family is not None and family not in ("array", "map", "row"):
            refuse("argument-type", self.span(node), f"Only ARRAY and MAP have elements, and this is {whole.type}.")
        root = index.type.root if index.type is not None else "INT"
        if family == "array" and (key not in (None, families.NUMBER) or root in ("FLOAT", "DOUBLE", "DECIMAL")):
            refuse("argument-type", self.span(node), f"The index of an ARRAY is a number, not {index.type}.")
        if family == "map" and whole.type is not None:
            key_family = families.family_of(whole.type.elements[0])
            if key is not None and key_family is not None and key != key_family:
                refuse("argument-type", self.span(node), f"The keys of the MAP are {whole.type.elements[0]}.")
        if family == "array" and root in ("TINYINT", "SMALLINT", "BIGINT"):
            self.later.refuse("argument-type", self.span(node), f"The index of an ARRAY is INT, not {index.type}.")
        number = node.expressions[0].unnest()
        is_negative = isinstance(number, exp.Neg) and isinstance(number.this, exp.Literal)
        if family == "array" and (is_negative or (isinstance(index.expr, Literal) and index.expr.value == "0")):
            self.later.refuse("array-index", self.span(node), "The first element of an ARRAY has the number 1.")
        if family == families.ROW and whole.type is not None and isinstance(index.expr, Literal):
            self._check_field(node, whole.type, index.expr)
        if whole.type is None or family == families.ROW or not whole.type.elements:
            return UNKNOWN
        return ValueFacts(whole.type.elements[-1])

    def _check_variant_index(self, node: exp.Expression, index: ValueFacts, family: str | None) -> None:
        """Refuse an element of a VARIANT by what is neither a literal string nor a whole number."""
        type_ = index.type
        if family not in (None, families.STRING) and type_ is not None and type_.root not in _WHOLE:
            refuse("argument-type", self.span(node), f"The index of a VARIANT is a string or a number, not {type_}.")
        if family == families.STRING and isinstance(node.expressions[0].unnest(), exp.Column):
            message = "The key of a VARIANT is a literal string: Flink plans no column there."
            self.later.refuse("argument-type", self.span(node), message)

    def _check_field(self, node: exp.Expression, row: LogicalType, index: Literal) -> None:
        """Refuse an element of a ROW that it does not have."""
        number = index.value.isdecimal() and not node.expressions[0].unnest().is_string
        if (int(index.value) not in range(1, len(row.elements) + 1)) if number else not row.has_exactly(index.value):
            refuse("unknown-field", self.span(node), f"The ROW has no field {index.value}.")

    def _subquery(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        rows = self.query(node, scope)
        if isinstance(node, exp.Subquery):
            # One of ANY and ALL stands without parentheses of its own.
            self.correlations.check_single(is_lateral=False)
        if not rows.complete:
            return UNKNOWN
        if len(rows.columns) != 1:
            refuse(
                "subquery-columns",
                self.span(node),
                f"A query used as a value gives one column, not {len(rows.columns)}.",
            )
        time = rows.columns[0].time
        return ValueFacts(rows.columns[0].type, TimeRole.NONE if time.is_plain else TimeRole.PAST_ROW)

    def _exists(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        self.query(node.this, scope)
        return ValueFacts(BOOLEAN)
