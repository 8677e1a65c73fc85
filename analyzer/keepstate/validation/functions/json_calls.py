"""Calls of JSON functions: types of their arguments, of what they return, and of what becomes JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.types.builtin_functions import AGGREGATES, BY_CHANCE, BY_THE_CLOCK
from keepstate.plan.types.logical_types import LogicalType
from keepstate.plan.types.type_names import canonical_type
from keepstate.syntax import syntax_nodes
from keepstate.text import Span
from keepstate.validation.values import families
from keepstate.validation.values.operator_types import ARITHMETIC, OperatorCheck
from keepstate.validation.values.scopes import ValidationScope, refuse
from keepstate.validation.values.value import CAST_NULL, UNKNOWN, ExpressionContext, ValueFacts

_TO_JSON = frozenset({"JSON_STRING", "JSON_ARRAY", "JSON_ARRAYAGG", "JSON_OBJECT", "JSON_OBJECTAGG"})
"""Functions that write their values as JSON."""
_OF_PATHS = frozenset({"JSON_VALUE", "JSON_QUERY", "JSON_EXISTS"})
_RETURNED = frozenset({"INT", "DOUBLE", "BOOLEAN", "VARCHAR"})
"""Types that RETURNING of JSON_VALUE may name."""
_PRIMITIVES = frozenset({families.NUMBER, families.BOOLEAN, families.DATE, families.TIME, families.INTERVAL})
"""Families of which a constant is a primitive value of Java, which Flink does not read as JSON."""
_CONSTRUCTORS = frozenset({"ARRAY", "MAP", "ROW"})
_MOST_OPERANDS = 10
"""Operands of JSON_VALUE at most: the document, the path, two for RETURNING, and two or three for each behaviour."""


@dataclass
class JsonCallCheck(OperatorCheck):
    """JSON functions; other calls are in ``CallCheck``."""

    _raw_places: frozenset[Span] | None = None
    """The places of expressions at which JSON(...) may stand, once one has stood anywhere."""

    def check_json(
        self, node: exp.Expression, name: str, arguments: list[exp.Expression], values: list[ValueFacts]
    ) -> None:
        """Refuse arguments of a JSON function that Flink does not take."""
        if name in _TO_JSON:
            for argument, value in zip(arguments, values, strict=True):
                self._check_written(argument, name, value)
        elif name in _OF_PATHS and len(values) == 2:
            self._check_path(node, name, arguments, values)
        elif name == "JSON":
            self._check_raw(node)

    def _check_written(self, node: exp.Expression, name: str, value: ValueFacts) -> None:
        """Refuse a value that has no JSON."""
        if value.null and name != "JSON_STRING":
            self.later.refuse("bare-null", self.span(node), CAST_NULL)
        reason = _unwritten(value.type)
        if reason is not None:
            message = f"{name} takes no {value.type}{reason}: cast it to STRING."
            self.later.refuse("argument-type", self.span(node), message)

    def _check_path(
        self, node: exp.Expression, name: str, arguments: list[exp.Expression], values: list[ValueFacts]
    ) -> None:
        document, path = values
        span = self.span(node)
        if name != "JSON_QUERY" and families.family_of(path.type) not in (None, families.STRING):
            refuse("argument-type", span, f"The path of {name} is a string, not {path.type}.")
        if name == "JSON_EXISTS":
            if families.family_of(document.type) not in (None, families.STRING):
                message = f"JSON_EXISTS takes a string, and this is {document.type}."
                self.later.refuse("argument-type", span, message)
            of_columns = isinstance(arguments[1].unnest(), (exp.Column, exp.Cast, exp.DPipe))
            if of_columns and path.type is not None and path.type.root == "VARCHAR":
                message = "JSON_EXISTS takes its path as a literal, not as a STRING or VARCHAR."
                self.later.refuse("argument-type", self.span(arguments[1]), message)
        elif document.constant and _is_primitive(document.type):
            message = f"{name} takes no constant of type {document.type}."
            self.later.refuse("argument-type", self.span(arguments[0]), message)

    def _check_raw(self, node: exp.Expression) -> None:
        """Refuse JSON(...) where Flink does not put its text into other JSON."""
        if self._raw_places is None:
            self._raw_places = frozenset(map(self.span, self._places_of_raw()))
        if self.span(node) in self._raw_places:
            return
        message = "JSON(...) stands in JSON_ARRAY, or as a value of JSON_OBJECT."
        self.later.refuse("function-form", self.span(node), message)

    def _places_of_raw(self) -> Iterator[exp.Expression]:
        """The expressions of the statement that other JSON takes, or may take: columns of queries in it."""
        tree = self.statement.tree
        outermost = list(_queries_of(tree)) if tree is not None else []
        for node in tree.walk() if tree is not None else ():
            name = str(node.this).upper() if isinstance(node, exp.Anonymous) else ""
            if name == "JSON_ARRAY":
                yield from map(self._behind_casts, node.expressions)
            elif name == "JSON_OBJECT":
                pairs = (each for each in node.expressions if isinstance(each, exp.JSONKeyValue))
                yield from (self._behind_casts(pair.expression) for pair in pairs)
            elif isinstance(node, exp.Select) and not any(node is each for each in outermost):
                yield from (self._behind_casts(item.unalias()) for item in node.expressions)

    def _behind_casts(self, node: exp.Expression) -> exp.Expression:
        """An expression without parentheses, and without casts to STRING, which Flink drops."""
        while isinstance(node, exp.Paren) or (isinstance(node, exp.Cast) and self._is_string(node)):
            node = node.this
        return node

    def _is_string(self, node: exp.Expression) -> bool:
        return canonical_type(self.span(node.args["to"]).of(self.statement.text)).upper() in ("STRING", "VARCHAR")

    # ---- clauses

    def returned(self, name: str, clause: exp.Expression, call: exp.Expression) -> LogicalType | None:
        """The type that RETURNING names."""
        spelling = self.span(clause.expressions[0]).of(self.statement.text)
        type_ = LogicalType.declared(canonical_type(spelling))
        if type_ is None or name not in ("JSON_VALUE", "JSON_QUERY"):
            return type_
        span = self.span(clause)
        if name == "JSON_VALUE":
            if type_.root not in _RETURNED:
                self.later.refuse("argument-type", span, f"JSON_VALUE does not return {type_}.")
            return type_
        message = f"JSON_QUERY returns STRING or ARRAY<STRING>, not {type_}."
        if type_.root != "ARRAY":
            if type_.root != "VARCHAR":
                self.later.refuse("argument-type", span, message)
            return type_
        element = type_.elements[0] if type_.elements else None
        if element is not None and families.family_of(element) != families.STRING:
            refuse("argument-type", span, message)
        for each in call.expressions:
            if isinstance(each, syntax_nodes.FunctionClause) and str(each.this).startswith("EMPTY OBJECT"):
                refuse("argument-type", self.span(each), f"JSON_QUERY of {type_} gives no EMPTY OBJECT.")
        if element is not None and element.root == "CHAR":
            self.later.refuse("argument-type", span, message)
        return type_

    def check_defaults(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> None:
        """Refuse DEFAULT of JSON_VALUE with what is no constant, and more behaviours than it takes."""
        operands = 2
        for clause in node.expressions:
            if not isinstance(clause, syntax_nodes.FunctionClause):
                continue
            is_default = str(clause.this).startswith("DEFAULT")
            operands += 3 if is_default else 2
            if not is_default or not clause.expressions:
                continue
            default = clause.expressions[0]
            value = self.value(default, scope, place)
            self.refuse_null(default, value)
            if self._varies(default, scope, place):
                self.later.refuse("argument-type", self.span(default), "DEFAULT of JSON_VALUE is a constant.")
        if operands > _MOST_OPERANDS:
            refuse("argument-count", self.span(node), "JSON_VALUE takes one ON EMPTY and one ON ERROR.")

    def _varies(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> bool:
        """Return whether an expression surely is no constant of Flink's planner."""
        inner = node.unnest()
        if isinstance(inner, exp.Cast):
            return self._varies(inner.this, scope, place)
        if isinstance(inner, exp.Column):
            # The column of a subquery may be a constant, which is not NULL.
            return self.value(inner, scope, place).nullable is True
        if isinstance(inner, exp.DPipe) or type(inner) in ARITHMETIC:
            return any(self._varies(side, scope, place) for side in (inner.this, inner.expression))
        name = str(inner.this).upper() if isinstance(inner, exp.Anonymous) else ""
        return name in AGGREGATES or name in BY_CHANCE or name in BY_THE_CLOCK or name in _CONSTRUCTORS

    # ---- pairs

    def json_pair(
        self, node: exp.Expression, name: str, scope: ValidationScope, place: ExpressionContext
    ) -> ValueFacts:
        """The value of ``'key' VALUE value`` in JSON_OBJECT or JSON_OBJECTAGG."""
        key, value = self.value(node.this, scope, place), self.value(node.expression, scope, place)
        self.refuse_null(node.this, key)
        if families.family_of(key.type) not in (None, families.STRING):
            refuse("argument-type", self.span(node), f"The keys of {name} are strings, and this is {key.type}.")
        if name == "JSON_OBJECT" and key.nullable is True:
            refuse("argument-type", self.span(node.this), "A key of JSON_OBJECT may not be NULL: wrap it in COALESCE.")
        self._check_written(node.expression, name, value)
        return UNKNOWN

    def _format_json(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        self.value(node.this, scope, place)
        refuse("unknown-function", self.span(node), "Flink has no FORMAT JSON.")


def says_type(node: exp.Expression) -> bool:
    """Return whether ``node`` is RETURNING of a JSON function."""
    return isinstance(node, syntax_nodes.FunctionClause) and str(node.this) == "RETURNING" and bool(node.expressions)


def _is_primitive(type_: LogicalType | None) -> bool:
    return type_ is not None and type_.root != "DECIMAL" and families.family_of(type_) in _PRIMITIVES


def _unwritten(type_: LogicalType | None) -> str | None:
    """Why a value of this type has no JSON, in words behind the type; ``None`` if it has one."""
    family = families.family_of(type_)
    if type_ is None or family is None:
        return None
    if family in (families.DATE, families.TIME, families.INTERVAL):
        return ""
    elements = type_.elements
    if family in ("map", "multiset") and elements:
        if families.family_of(elements[0]) not in (None, families.STRING):
            return f" with keys of type {elements[0]}"
        elements = elements[1:]
    inner = next((each for each in elements if _unwritten(each) is not None), None)
    return f" with {inner} in it" if inner is not None else None


def _queries_of(tree: exp.Expression) -> Iterator[exp.Expression]:
    """The queries whose rows leave a statement; a view keeps them."""
    if isinstance(tree, exp.Insert):
        tree = tree.expression
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.SetOperation):
            waiting += (node.this, node.expression)
        elif isinstance(node, (exp.Paren, exp.Subquery)):
            waiting.append(node.this)
        elif node is not None:
            yield node
