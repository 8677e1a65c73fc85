"""Calls of functions: their number of arguments, the types of these, and the place of aggregates."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from keepstate.plan.scalars.lowering import WITH_UNIT
from keepstate.plan.types.aggregate_types import aggregate_type
from keepstate.plan.types.builtin_functions import AGGREGATES, LEGACY_PROPERTIES, LEGACY_WINDOWS, SYNONYMS
from keepstate.plan.types.common_types import common_type
from keepstate.plan.types.function_types import FIXED, RULES
from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax import syntax_nodes
from keepstate.syntax.keywords import RESERVED, TIME_UNITS
from keepstate.syntax.spans import keyword_span
from keepstate.text import Span
from keepstate.validation.functions.group_window_calls import GroupWindowCheck
from keepstate.validation.functions.json_calls import says_type
from keepstate.validation.functions.percentiles import check_fraction, elements_of
from keepstate.validation.values import families
from keepstate.validation.values.builtin_signatures import (
    GROUPINGS,
    SIGNATURES,
    SINCE_FLINK_2,
    counts_in_words,
    is_aggregate,
    is_built_in,
)
from keepstate.validation.values.intervals import (
    TIME_FRAMES,
)
from keepstate.validation.values.scopes import TimeRole, ValidationScope, refuse
from keepstate.validation.values.value import (
    CAST_NULL,
    PATTERN,
    UNKNOWN,
    ExpressionContext,
    ValueFacts,
    type_names,
)

_RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "CUME_DIST", "PERCENT_RANK", "NTILE"})
"""Functions that need OVER."""
_OF_TIMES = frozenset({"TIMESTAMPDIFF", "FLOOR", "CEIL", "CEILING", "JSON_VALUE", "JSON_QUERY", "JSON_EXISTS"})
"""Functions that take no bare NULL."""
_OF_ELEMENTS = {
    **dict.fromkeys(("ARRAY_CONTAINS", "ARRAY_APPEND", "ARRAY_POSITION", "ARRAY_REMOVE", "ARRAY_JOIN"), False),
    **dict.fromkeys(("ARRAY_UNION", "ARRAY_CONCAT", "ARRAY_EXCEPT", "MAP_UNION"), True),
}
"""Functions whose arguments fit the elements of the first one; true for those that take more collections."""
_NEVER_LARGEST = frozenset({families.BYTES, families.INTERVAL, families.VARIANT, "array", "map", "row", "multiset"})
"""Families of which Flink plans neither MIN nor MAX."""
_NEVER_DISTINCT = frozenset({"ROW", "MAP", "BINARY", "VARBINARY"})
"""Types whose values Flink does not tell apart."""
_NOT_OF_VARIANT = frozenset("ELEMENT GREATEST HASH_CODE IF IS_DIGIT LEAST SINGLE_VALUE TO_TIMESTAMP_LTZ".split())
"""Functions of any type but VARIANT."""
_WITH_ORDER = frozenset({"ARRAY_AGG", "JSON_ARRAYAGG"})
"""Aggregates that take an ORDER BY of their own."""
_OF_PATTERNS = frozenset("FIRST LAST PREV NEXT CLASSIFIER MATCH_NUMBER MATCH_ROWTIME MATCH_PROCTIME".split())


class CallCheck(GroupWindowCheck):
    """Calls with all that can stand behind them."""

    before_2 = False
    """True for open-source Flink 1.20, which has fewer functions."""

    # ---- calls

    def _over(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        if not place.windows:
            refuse(
                "over-misplaced",
                self.span(node),
                f"OVER does not stand in {place.clause}: filter one query further out.",
            )
        call = node.this
        if isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
            word = str(call.this.this).upper() if isinstance(call.this, exp.Anonymous) else ""
            if word in ("FIRST_VALUE", "LAST_VALUE"):
                refuse("over-function", self.span(call), f"{word} takes neither IGNORE NULLS nor RESPECT NULLS.")
            call = call.this
        inner = replace(place, windows=False, within=None)
        value = self.call(call, scope, inner, over=True) if isinstance(call, exp.Anonymous) else UNKNOWN
        if isinstance(call, exp.Filter):
            refuse("over-misplaced", self.span(node), "OVER stands behind the aggregate itself, and takes no FILTER.")
        if isinstance(call, exp.WithinGroup):
            value = self.value(call, scope, inner)
        name = str(call.this).upper() if isinstance(call, exp.Anonymous) else ""
        if name and is_built_in(name) and name not in AGGREGATES and name not in self.functions:
            refuse("over-misplaced", self.span(node), f"OVER stands behind an aggregate, and {name} is none.")
        if self.over is not None and (name in AGGREGATES or isinstance(call, exp.WithinGroup)):
            assert isinstance(node, exp.Window)
            self.over.check(node, name, scope, inner)
        return value

    def _filter(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        value = self.value(node.this, scope, place)
        call = node.this
        if isinstance(call, exp.Anonymous) and call.name.upper() == "ARRAY_AGG" and call.find(exp.Order) is not None:
            message = "Flink does not plan ARRAY_AGG with both ORDER BY and FILTER: filter below, or by CASE."
            self.later.refuse("aggregate-order", self.span(node), message)
        condition = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
        self.condition(condition, scope, replace(place, clause="FILTER", aggregates=False, windows=False))
        return value

    def _within_group(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        name = str(node.this.this).upper() if isinstance(node.this, exp.Anonymous) else ""
        if name == "JSON_ARRAYAGG":
            if any(isinstance(each, exp.Order) for each in node.this.expressions):
                refuse("aggregate-order", self.span(node), f"{name} takes one ORDER BY, or WITHIN GROUP.")
        elif name in AGGREGATES and name not in self.functions:
            refuse("aggregate-order", self.span(node), f"{name} takes no WITHIN GROUP.")
        value = self.value(node.this, scope, place)
        for item in node.expression.expressions:
            self.value(item.this, scope, replace(place, aggregates=False, windows=False))
        return value

    def _nulls(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return self.value(node.this, scope, place)

    def _call(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        return self.call(node, scope, place)

    def call(
        self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext, over: bool = False
    ) -> ValueFacts:
        """A call of a function by its name."""
        spelling = str(node.this)
        name = spelling.upper()
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
        if name in GROUPINGS and (place.within is not None or place.clause not in ("SELECT", "HAVING", "ORDER BY")):
            refuse("aggregate-misplaced", self.span(node), f"{name} stands in SELECT, HAVING or ORDER BY only.")
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
            if place.clause in (PATTERN, "DEFINE"):
                refuse("distinct", self.span(node), "An aggregate of a pattern takes no DISTINCT.")
            arguments = [*arguments[0].expressions, *arguments[1:]]
        self._check_unit(name, arguments)
        values = [self._argument(argument, name, scope, inner) for argument in arguments if _is_value(argument)]
        if not over and (name == "LEAD" or (name == "LAG" and not place.grouped)):
            refuse("over-missing", self.span(node), f"{name} needs OVER (...).")
        plain = [argument for argument in arguments if _is_value(argument)]
        for order in (argument for argument in arguments if isinstance(argument, exp.Order)):
            for item in order.expressions:
                self.value(item.this, scope, inner)
        if name in self.functions:
            self.names.function(keyword_span(node), name)
            self.doubt("function", node, f"What {spelling} takes and gives is not in the script.", "function")
            return UNKNOWN
        came_later = self.before_2 and name in SINCE_FLINK_2
        if came_later or not is_built_in(name):
            engine = "Flink 1" if came_later else "Flink"
            self.doubt(
                "unknown-function", node, f"{spelling} is no function of {engine}; a catalog may hold it.", "function"
            )
            return UNKNOWN
        self._check_call(node, name, plain, values)
        if name == "JSON_VALUE":
            self.check_defaults(node, scope, inner)
        if name == "PERCENTILE" and len(plain) > 1:
            parts = [self.value(each, scope, inner) for each in elements_of(plain[1])]
            check_fraction(self.span(plain[1]), plain[1], values[1], parts)
        if aggregate:
            self._check_rows_of_aggregate(node, name, values)
            return ValueFacts(aggregate_type(name, tuple(value.type for value in values)))
        returning = next((each for each in node.expressions if says_type(each)), None)
        if returning is not None:
            return ValueFacts(self.returned(name, returning, node))
        if name == "PROCTIME":
            return ValueFacts(FIXED[name], TimeRole.PROC)
        return ValueFacts(
            self._type_of_call(name, values), constant=name not in ("RAND", "UUID") and _all_constant(values)
        )

    def _check_rows_of_aggregate(self, node: exp.Expression, name: str, values: list[ValueFacts]) -> None:
        """Refuse an order that an aggregate does not take, and DISTINCT on values that Flink does not tell apart."""
        order = next((each for each in node.expressions if isinstance(each, exp.Order)), None)
        if order is not None and name not in _WITH_ORDER:
            refuse("aggregate-order", self.span(order), f"{name} takes no ORDER BY.")
        is_distinct = bool(node.expressions) and isinstance(node.expressions[0], exp.Distinct)
        type_ = values[0].type if values else None
        if is_distinct and type_ is not None and type_.root in _NEVER_DISTINCT and name not in ("MIN", "MAX"):
            self.later.refuse("distinct", self.span(node), f"{name} takes no DISTINCT values of type {type_}.")

    def _of_pattern(
        self, node: exp.Expression, name: str, scope: ValidationScope, place: ExpressionContext
    ) -> ValueFacts:
        star = next((argument for argument in node.expressions if isinstance(argument, exp.Star)), None)
        if star is not None:
            refuse("unknown-column", self.span(star), f"{name} takes a column, and no *.")
        values = [self.value(argument, scope, place) for argument in node.expressions]
        if name in ("PREV", "NEXT"):
            refuse("pattern", self.span(node), f"Flink does not look at neighbours in a pattern: there is no {name}.")
        if name in ("FIRST", "LAST"):
            return ValueFacts(values[0].type if values else None)
        return ValueFacts(
            None, {"MATCH_ROWTIME": TimeRole.ROW, "MATCH_PROCTIME": TimeRole.PROC}.get(name, TimeRole.NONE)
        )

    def _type_of_call(self, name: str, values: list[ValueFacts]) -> LogicalType | None:
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

    def _argument(
        self, node: exp.Expression, name: str, scope: ValidationScope, place: ExpressionContext
    ) -> ValueFacts:
        if isinstance(node, exp.JSONKeyValue):
            return self.json_pair(node, name, scope, place)
        if isinstance(node, syntax_nodes.NamedArgument):
            node = node.expression
        if isinstance(node, exp.Var) and place.clause:
            if is_built_in(name) and SYNONYMS.get(name, name) not in WITH_UNIT and node.name in TIME_UNITS:
                return self._word(node, scope, place)
            return UNKNOWN
        return self.value(node, scope, place)

    def _word(self, node: exp.Var, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        """The value of a word for a unit of time where the function takes none: it is the name of a column."""
        word = self.span(node).of(self.statement.text)
        if word.upper() in RESERVED:
            refuse("reserved-word", self.span(node), f"{word} is a reserved word: write `{word}` for the name.")
        column = exp.Column(this=exp.Identifier(this=word, quoted=False))
        for part in (column, column.this):
            part.meta.update(node.meta)
        return self.value(column, scope, place)

    def _check_call(
        self, node: exp.Expression, name: str, arguments: list[exp.Expression], values: list[ValueFacts]
    ) -> None:
        if any(isinstance(argument, syntax_nodes.NamedArgument) for argument in arguments):
            return
        span = self.span(node)
        if name == "COUNT":
            if any(value.null for value in values):
                refuse("bare-null", self.span(arguments[0]), CAST_NULL)
            if not arguments:
                refuse("argument-count", span, "COUNT takes * or one value.")
            if sum(value.nullable is True for value in values) > 1:
                self.later.refuse("argument-count", span, "On streams COUNT takes one value only.")
            return
        if name in ("TIMESTAMPDIFF", "TIMESTAMPADD") and len(values) == 3:
            self._check_moments(span, name, values)
        if name in ("ARRAY", "MAP") and not any(isinstance(each, exp.Star) for each in arguments):
            self._check_collection(span, name, values)
        if name in _OF_TIMES:
            for argument, value in zip(arguments, values, strict=True):
                self.refuse_null(argument, value)
        if name in ("MIN", "MAX") and values and families.family_of(values[0].type) in _NEVER_LARGEST:
            self.later.refuse("argument-type", span, f"{name} compares no {values[0].type}.")
        if name in _NOT_OF_VARIANT and any(families.family_of(value.type) == families.VARIANT for value in values):
            refuse("argument-type", span, f"{name} takes no VARIANT.")
        if name == "ROW" and any(value.null for value in values):
            at = next(number for number, value in enumerate(values) if value.null)
            refuse("bare-null", self.span(arguments[at]), CAST_NULL)
        if name in ("LAG", "LEAD"):
            self._check_offset(span, name, values)
        if name == "APPROX_COUNT_DISTINCT":
            self.later.refuse("over-function", span, f"{name} is not supported on streams.")
        if name == "CARDINALITY" and values and families.family_of(values[0].type) == "multiset":
            self.later.refuse("argument-type", span, f"{name} takes an array or a map, not {values[0].type}.")
        known = bool(values) and values[0].type is not None
        if name == "CURRENT_WATERMARK" and known and values[0].time in (TimeRole.NONE, TimeRole.PROC):
            self.later.refuse("argument-type", span, f"{name} takes a column with a watermark.")
        if name in _OF_ELEMENTS:
            self._check_elements(span, name, values)
        if name == "LISTAGG" and len(arguments) == 2 and not values[1].constant:
            self.later.refuse("argument-type", self.span(arguments[1]), "The separator of LISTAGG is a literal.")
        self.check_json(node, name, arguments, values)
        if name in ("FLOOR", "CEIL", "CEILING") and values:
            self._check_rounded(span, name, len(node.expressions), values[0])
        signatures = SIGNATURES.get(name)
        if signatures is None:
            return
        fitting = [signature for signature in signatures if signature.takes_count(len(arguments))]
        if self.before_2 and name == "TO_TIMESTAMP_LTZ" and len(arguments) != 2:
            refuse("argument-count", span, f"{name} of Flink 1 takes 2 arguments, not {len(arguments)}.")
        if not fitting:
            words = counts_in_words(signatures)
            plural = "argument" if words == "1" else "arguments"
            refuse("argument-count", span, f"{name} takes {words} {plural}, not {len(arguments)}.")
        if name in ("GREATEST", "LEAST") and any(value.null for value in values):
            self.later.refuse("bare-null", span, CAST_NULL)
        if name in ("GREATEST", "LEAST") and not all(families.has_order(value.type) for value in values):
            self.later.refuse("argument-type", span, f"{name} takes values with an order, and no arrays, maps or rows.")
        if name == "NULLIF" and values[0].null:
            refuse("mixed-types", span, "All values of NULLIF are NULL: cast one of them.")
        mixing = families.TypeMixPlace.BRANCHES if name == "IF" else families.TypeMixPlace.ARGUMENTS
        wrong: str | None = None
        for signature in fitting:
            wrong = None
            merged: list[ValueFacts] = []
            for index, value in enumerate(values):
                parameter = signature.parameter(index)
                if value.null and not parameter.takes_null:
                    refuse("bare-null", self.span(arguments[index]), CAST_NULL)
                if not parameter.takes(value.type):
                    wrong = f"{name} takes {parameter.words} in place {index + 1}, not {value.type}."
                    break
                if parameter.merged:
                    merged.append(value)
            if wrong is None and name == "NULLIF" and len(merged) == 2:
                self.check_time_text(merged[0], merged[1], node)
                if not families.can_be_compared(merged[0].type, merged[1].type, equality=True):
                    wrong = f"NULLIF compares {merged[0].type} with {merged[1].type}."
            elif wrong is None and merged and all(value.null for value in merged):
                refuse("bare-null", self.span(arguments[values.index(merged[0])]), CAST_NULL)
            elif wrong is None and not families.have_common_type([v.type for v in merged if not v.null], mixing):
                types = type_names([value.type for value in merged if not value.null])
                wrong = f"The values of {name} have no type in common: {types}."
            if wrong is None:
                return
        refuse("argument-type", span, wrong or "")

    def _check_offset(self, span: Span, name: str, values: list[ValueFacts]) -> None:
        """Refuse another offset of LAG than a whole number, and another type of its default than that of the value."""
        offset = values[1].type if len(values) > 1 else None
        if families.family_of(offset) not in (None, families.NUMBER):
            refuse("argument-type", span, f"{name} takes a number of rows in place 2, not {offset}.")
        if offset is not None and offset.root in ("BIGINT", "DECIMAL", "FLOAT", "DOUBLE"):
            self.later.refuse("argument-type", span, f"{name} takes INT in place 2, not {offset}.")
        own, other = (values[0].type, values[2].type) if len(values) > 2 else (None, None)
        if own is None or other is None or own.root == other.root:
            return
        if {families.family_of(own), families.family_of(other)} != {families.STRING}:
            message = f"The default of {name} is {other}, and its value {own}: cast the default."
            self.later.refuse("argument-type", span, message)

    def _check_elements(self, span: Span, name: str, values: list[ValueFacts]) -> None:
        """Refuse an element, or a collection, of another family than the elements of the first collection."""
        first = values[0].type if values else None
        if first is None or not first.elements:
            return
        if name == "ARRAY_JOIN":
            if families.family_of(first.elements[0]) not in (None, families.STRING):
                self.later.refuse("argument-type", span, f"{name} joins strings, and this is {first}.")
            return
        for value in values[1:]:
            elements = value.type.elements if value.type is not None and _OF_ELEMENTS[name] else (value.type,)
            pairs = zip(map(families.family_of, first.elements), map(families.family_of, elements), strict=False)
            if any(one is not None and other is not None and one != other for one, other in pairs):
                self.later.refuse("argument-type", span, f"{name} takes no {value.type} beside {first}.")

    def _check_collection(self, span: Span, name: str, values: list[ValueFacts]) -> None:
        """Refuse ``ARRAY[...]`` and ``MAP[...]`` of values without a common type."""
        if not values:
            refuse("argument-count", span, f"{name}[...] has at least one value.")
        if name == "MAP" and len(values) % 2:
            refuse("argument-count", span, "MAP[...] has a value for each key.")
        for part in [values] if name == "ARRAY" else [values[::2], values[1::2]]:
            types = [value.type for value in part if not value.null]
            if not types if name == "ARRAY" else 0 < len(types) < len(part) or (not types and part[0] is values[0]):
                refuse("mixed-types", span, f"The type of {name}[...] does not follow from NULL: cast it.")
            if not families.have_common_type(types):
                refuse("mixed-types", span, f"The values of {name}[...] have no type in common: {type_names(types)}.")

    def _check_moments(self, span: Span, name: str, values: list[ValueFacts]) -> None:
        """Refuse differences of what is no time, and sums of what is no number and no time."""
        times = (None, families.DATE, families.TIME, families.TIMESTAMP)
        moments = values[1:] if name == "TIMESTAMPDIFF" else values[2:]
        wrong = next((value for value in moments if families.family_of(value.type) not in times), None)
        if wrong is not None:
            refuse("argument-type", span, f"{name} takes dates and times, and this is {wrong.type}.")
        kinds = {families.family_of(value.type) for value in moments} - {None}
        types = [value.type for value in moments]
        zoned = {type_ is not None and type_.root == "TIMESTAMP_LTZ" for type_ in types}
        if name == "TIMESTAMPDIFF" and None not in types and len(zoned) > 1:
            words = " and ".join(map(str, types))
            self.later.refuse("argument-type", span, f"{name} takes both times with a time zone, or none: {words}.")
        if families.TIME in kinds and len(kinds) > 1:
            refuse("argument-type", span, f"{name} takes no TIME together with a date.")
        if name == "TIMESTAMPADD" and families.family_of(values[1].type) not in (None, families.NUMBER):
            refuse("argument-type", span, f"{name} adds a number, and this is {values[1].type}.")

    def _check_rounded(self, span: Span, name: str, count: int, value: ValueFacts) -> None:
        """Refuse FLOOR and CEIL of what is no number, or to a unit of what is no time."""
        family = families.family_of(value.type)
        times = (families.DATE, families.TIME, families.TIMESTAMP)
        if family not in (None, families.INTERVAL) and (
            family not in times if count > 1 else family != families.NUMBER
        ):
            subject = "a date or a time to a unit" if count > 1 else "a number"
            refuse("argument-type", span, f"{name} rounds {subject}, and this is {value.type}.")


def _is_value(node: exp.Expression) -> bool:
    return not isinstance(node, (syntax_nodes.FunctionClause, exp.Order))


def _all_constant(values: list[ValueFacts]) -> bool:
    return bool(values) and all(value.constant for value in values)
