"""Names in expressions: columns, and fields of rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.subqueries.correlation import CorrelationCheck
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values import families
from keepstate.validation.values.name_receiver import SILENT, NameReceiver
from keepstate.validation.values.scopes import PlannerRefusals, RelationColumns, ValidationScope, has_field, refuse
from keepstate.validation.values.value import UNKNOWN, ExpressionContext, OverCheck, ValueFacts


@dataclass
class ColumnCheck:
    """Columns and fields, and what every check of an expression needs; operators and calls are built on it."""

    statement: ParsedStatement
    functions: frozenset[str]
    """Functions that the script declares, in upper case."""
    query: Callable[[exp.Expression, ValidationScope], RelationColumns]
    unsure: list[ValidityProblem]
    later: PlannerRefusals = field(default_factory=PlannerRefusals)
    over: OverCheck | None = None
    """Checks the OVER windows of the query at hand."""
    meaning: Callable[[exp.Expression, ValidationScope], Hashable] | None = None
    names: NameReceiver = SILENT
    correlations: CorrelationCheck = field(init=False)

    def __post_init__(self) -> None:
        self.correlations = CorrelationCheck(self.later)

    def span(self, node: exp.Expr) -> Span:
        """The place of ``node`` in the text of its statement."""
        return Span(*node.meta["span"])

    def doubt(self, rule: str, node: exp.Expression, message: str, depends: str) -> None:
        self.unsure.append(ValidityProblem(rule, self.span(node), message, depends=depends))

    def condition(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> None:
        """A condition, which is BOOLEAN."""
        value = self.value(node, scope, place)
        family = families.family_of(value.type)
        if family is not None and family != families.BOOLEAN:
            refuse("condition-type", self.span(node), f"{place.clause} needs a condition, and this is {value.type}.")

    def value(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        """The value of any expression; provided by ``ExpressionCheck``."""
        raise NotImplementedError

    def call(
        self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext, over: bool = False
    ) -> ValueFacts:
        """The value of a call; provided by ``CallCheck``."""
        raise NotImplementedError

    # ---- names

    def _column(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        if isinstance(node.this, exp.Star):
            return UNKNOWN
        assert isinstance(node, exp.Column)
        parts = node.parts
        return self.column_facts(tuple(part.name for part in parts), tuple(map(self.span, parts)), scope)

    def column_facts(self, names: tuple[str, ...], spans: tuple[Span, ...], scope: ValidationScope) -> ValueFacts:
        if len(names) == 1 and names[0].upper() == "PI":
            # The one function of Flink's own that may be called without parentheses, where no column is called so.
            return UNKNOWN
        resolution = scope.resolve(names, spans)
        if resolution is None:
            return UNKNOWN
        self.names.column(resolution, spans)
        self.correlations.refer(resolution, scope)
        column = resolution.column
        if not resolution.rest:
            return ValueFacts(column.type, column.time, nullable=column.nullable)
        return self._fields(column.type, resolution.rest, (spans[0], *spans)[-len(resolution.rest) - 1 :], exact=True)

    def _fields(
        self, type_: LogicalType | None, names: tuple[str, ...], spans: tuple[Span, ...], exact: bool = False
    ) -> ValueFacts:
        """The value of a field of a field; with ``exact`` names differ by case, as those behind a column do."""
        for name, span in zip(names, spans[1:], strict=True):
            if type_ is None:
                return UNKNOWN
            if type_.root != "ROW":
                if families.family_of(type_) is None:
                    return UNKNOWN
                refuse(
                    "unknown-field", spans[0].union(span), f"There is no field {name}: the value is {type_}, no ROW."
                )
            inner = type_.exactly(name) if exact else type_.field(name)
            if inner is None and not (type_.has_exactly(name) if exact else name.upper() in type_.names):
                if has_field(type_, name):
                    return UNKNOWN
                near = next((own for own in type_.exact_names if own.upper() == name.upper()), None)
                words = f", but {near}: names are case-sensitive" if near is not None else ""
                refuse("unknown-field", spans[0].union(span), f"The ROW has no field {name}{words}.")
            type_ = inner
        return ValueFacts(type_)

    def _dot(self, node: exp.Expression, scope: ValidationScope, place: ExpressionContext) -> ValueFacts:
        names: list[exp.Expression] = []
        current: exp.Expression = node
        while isinstance(current, exp.Dot) and isinstance(current.expression, exp.Identifier):
            names.insert(0, current.expression)
            current = current.this
        spans = tuple(self.span(name) for name in names)
        texts = tuple(name.name for name in names)
        if isinstance(current, exp.Column) and not isinstance(current.this, exp.Star):
            parts = current.parts
            return self.column_facts((*(part.name for part in parts), *texts), (*map(self.span, parts), *spans), scope)
        if isinstance(current, exp.Identifier):
            return self.column_facts((current.name, *texts), (self.span(current), *spans), scope)
        if isinstance(current, exp.Dot):
            for child in parts_of(current):
                # In front of a call stand its catalog and database, which are no columns.
                if child is current.expression or not _is_path(child):
                    self.value(child, scope, place)
            return UNKNOWN
        value = self.value(current, scope, place)
        return self._fields(value.type, texts, (self.span(current), *spans))


def parts_of(node: exp.Expression) -> list[exp.Expression]:
    """The expressions right inside of ``node``: no names, no units, no types."""
    parts: list[exp.Expression] = []
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expression) and not isinstance(part, (exp.Identifier, exp.Var, exp.DataType)):
                parts.append(part)
    return parts


def _is_path(node: exp.Expression) -> bool:
    """Return whether a node is a dotted name."""
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        node = node.this
    return isinstance(node, (exp.Identifier, exp.Column))
