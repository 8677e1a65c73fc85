"""From the syntax of scalar expressions to their canonical form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    FunctionOrigin,
    Literal,
    Opaque,
    Ordering,
    OverCall,
    RankNumber,
    WindowField,
    WindowPart,
)
from keepstate.plan.hashed_value import QuickCopy, with_fields
from keepstate.plan.names.full_names import called_name
from keepstate.plan.predicates import (
    FALSE,
    TRUE,
    against_truth,
    all_of,
    any_of,
    commutative,
    conjuncts,
    disjuncts,
    negated,
)
from keepstate.plan.provenance import Place, place_of
from keepstate.plan.references import TemplateValue, with_compared_constants, with_plain_constants
from keepstate.plan.scalars.casts import as_item, changes_nothing, type_literal, with_plain_numbers, without_coercions
from keepstate.plan.scalars.chains import flat, is_call
from keepstate.plan.scalars.constants import calculated, literal, text_literal
from keepstate.plan.scalars.equal_calls import (
    extracted,
    if_function,
    negative,
    null_if,
    plain_call,
    trimmed,
    with_plain_clauses,
)
from keepstate.plan.scalars.interval_lengths import interval_length, singular
from keepstate.plan.scalars.name_scope import Scope
from keepstate.plan.scalars.nesting import nesting_of
from keepstate.plan.scalars.over_windows import over_call
from keepstate.plan.scalars.window_operands import as_operand
from keepstate.plan.simplification.conditions import simplified_condition, simplified_filter
from keepstate.plan.simplification.identities import simplified_value
from keepstate.plan.simplification.nullability import never_null, nullable
from keepstate.plan.types.builtin_functions import (
    AGGREGATES,
    IGNORES_DISTINCT,
    LEGACY_PROPERTIES,
    LEGACY_WINDOWS,
    RANKING,
    SCALARS,
    SYNONYMS,
)
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import ParsedStatement

_MIRRORED: dict[type[exp.Expression], str] = {exp.GT: "<", exp.GTE: "<="}
_BINARY: dict[type[exp.Expression], str] = {
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Sub: "-",
    exp.Div: "/",
    exp.Mod: "%",
    exp.DPipe: "||",
    exp.Like: "LIKE",
}
_COMMUTATIVE: dict[type[exp.Expression], str] = {exp.Add: "+", exp.Mul: "*", exp.EQ: "=", exp.NEQ: "<>"}
WITH_UNIT = frozenset({"TIMESTAMPADD", "TIMESTAMPDIFF", "EXTRACT", "CEIL", "FLOOR"})
_ANY_ORDER = frozenset(_COMMUTATIVE.values())
_OPERATORS = {**_BINARY, **_COMMUTATIVE}


@dataclass
class ScalarLowering(QuickCopy):
    """Lowers the expressions of one query.

    ``group_keys`` is ``None`` outside of an aggregate query; in one it tells which columns may stand alone, and so
    which unknown calls must be aggregates. ``subquery`` lowers a nested query to an expression that stands for it.
    """

    statement: ParsedStatement
    scope: Scope
    catalog: Catalog
    subquery: Callable[[exp.Expression, Scope], Expr]
    group_keys: frozenset[Expr] | None = None
    window_depth: int = 0
    aggregation_depth: int = 0
    named_windows: dict[str, exp.Window] = field(default_factory=dict)
    aggregates: list[AggregateCall] = field(default_factory=list)
    """The aggregates of this query itself, in the order in which they were met."""
    over_calls: list[OverCall] = field(default_factory=list)
    """Its calls over OVER windows, likewise."""
    of_group: bool = False
    """Its aggregates are of rows that are surely there: those of a group."""
    simplifies: bool = True
    window_operand: bool = False
    """The expressions are operands or keys of an OVER window."""

    def lower(self, node: exp.Expression) -> Expr:
        """The canonical form of ``node``, with its place."""
        # Calls were simplified when they were made, but for IF, which the planner leaves alone.
        expr = self._lower(node) if is_call(node) else self._simplified(self._lower(node))
        expr = expr if expr.place is not None else with_fields(expr, place=self.place(node))
        # COALESCE(n, 0) may be n itself, an aggregate of a query below.
        if isinstance(expr, AggregateCall) and is_call(node) and expr.level == self.aggregation_depth:
            self.aggregates.append(expr)
        elif isinstance(expr, OverCall) and isinstance(node, exp.Window):
            self.over_calls.append(expr)
        return expr

    def operand(self, node: exp.Expression, lowered: Expr | None = None) -> Expr:
        """The canonical form of a key or an operand of a window, or of a key of ORDER BY."""
        expr = self.lower(node) if lowered is None else lowered
        if not self.window_operand:
            return expr
        return as_operand(node, expr, self.place(node), with_fields(self, aggregates=[], over_calls=[]).lower)

    def place(self, node: exp.Expression) -> Place:
        return place_of(self.statement, node)

    def conditions(self, node: exp.Expression) -> tuple[Expr, ...]:
        """The operands of a filter's AND; a filter that lets everything pass has none."""
        lowered = with_compared_constants(self.lower(node))
        return self._operands(with_fields(simplified_filter(lowered), place=lowered.place))

    def _operands(self, lowered: Expr) -> tuple[Expr, ...]:
        return tuple(part if part.place else with_fields(part, place=lowered.place) for part in conjuncts(lowered))

    def orderings(self, order: exp.Expression | None) -> tuple[Ordering, ...]:
        return tuple(map(self._ordering, order.expressions)) if order is not None else ()

    def _ordering(self, node: exp.Expression) -> Ordering:
        if not isinstance(node, exp.Ordered):
            return Ordering(self.lower(node), place=self.place(node))
        descending = bool(node.args.get("desc"))
        nulls_first = node.args.get("nulls_first")
        if nulls_first is None:
            nulls_first = not descending
        return Ordering(self.operand(node.this), descending, nulls_first, place=self.place(node))

    def _lower(self, node: exp.Expression) -> Expr:
        match node:
            case exp.Paren() | exp.Alias():
                return self.lower(node.this)
            case exp.Column():
                return self._column(node)
            case exp.Identifier():
                return self.scope.resolve((node.name,), self.place(node))
            case exp.Dot(expression=exp.Anonymous()):
                return self._call(node)
            case exp.Dot():
                return self._nested_field(node)
            case exp.Literal():
                return literal(node)
            case exp.UnicodeString() | exp.Introducer():
                return text_literal(node) or self._generic(node)
            case exp.Boolean():
                return TRUE if node.this else FALSE
            case exp.Null():
                return Literal("NULL", "NULL")
            case exp.Star():
                return Literal("*", "STAR")
            case syntax_nodes.TimeLiteral():
                return Literal(node.this.name, str(node.args["kind"]))
            case exp.Interval():
                return self._interval(node)
            case syntax_nodes.TimeDifference():
                units = " ".join(singular(word) for word in self.place(node.args["unit"]).words)
                return Call("DIFFERENCE", (self.lower(node.this), Literal(units, "NAME")))
            case exp.And():
                sides = [self.lower(side) for side in flat(node, exp.And)]
                return all_of([operand for side in sides for operand in self._operands(side)])
            case exp.Or():
                return any_of([part for side in flat(node, exp.Or) for part in disjuncts(self.lower(side))])
            case exp.Not():
                return negated(self.lower(node.this))
            case exp.Between():
                value = self.lower(node.this)
                low, high = self.lower(node.args["low"]), self.lower(node.args["high"])
                return self._between(value, low, high, symmetric=bool(node.args.get("symmetric")))
            case exp.In():
                return self._in(node)
            case exp.EQ(expression=exp.Any(this=exp.Select() | exp.SetOperation()) as query):
                return Call("IN", (self.lower(node.this), self.subquery(query, self.scope)))
            case exp.NEQ(expression=exp.All(this=exp.Select() | exp.SetOperation()) as query):
                return negated(Call("IN", (self.lower(node.this), self.subquery(query, self.scope))))
            case exp.Binary(expression=exp.Any(this=query) | exp.All(this=query)) if isinstance(query, exp.Query):
                quantified = Call(type(node.expression).__name__.upper(), (self.subquery(node, self.scope),))
                return self._compared(type(node), self.lower(node.this), quantified)
            case exp.Is():
                return Call("IS", (self.lower(node.this), self.lower(node.expression)))
            case exp.Neg():
                return negative(self.lower(node.this))
            case exp.Cast():
                return self._cast(node)
            case exp.Case():
                return self._case(node)
            case exp.Extract():
                return extracted(" ".join(self.place(node.this).words), self.lower(node.expression))
            case exp.Trim():
                parts = (node.this, node.args.get("expression"))
                return trimmed(node.args.get("position") or "BOTH", *(self.lower(part) for part in parts if part))
            case exp.Filter() | exp.WithinGroup():
                return self._decorated_call(node)
            case exp.Window():
                return self._over(node)
            case exp.Subquery() | exp.Select() | exp.SetOperation() | exp.Exists():
                return self.subquery(node, self.scope)
            case exp.Anonymous():
                return self._call(node)
            case exp.Placeholder():
                return TemplateValue(Literal(node.name, "NAME"))
        return self._operator(node)

    def _operator(self, node: exp.Expression) -> Expr:
        kind = type(node)
        if kind in _MIRRORED:
            return self._compared(kind, self.lower(node.this), self.lower(node.expression))
        if kind not in _OPERATORS:
            return self._generic(node)
        operands = [self.lower(node.this), self.lower(node.expression)]
        if (constant := calculated(kind, *operands)) is not None:
            return constant
        return self._operation(_OPERATORS[kind], operands)

    def _compared(self, kind: type[exp.Expression], left: Expr, right: Expr) -> Expr:
        if kind in _MIRRORED:
            return self._operation(_MIRRORED[kind], [right, left])
        return self._operation(_OPERATORS[kind], [left, right])

    def _generic(self, node: exp.Expression) -> Expr:
        """Any other syntax: its kind and its parts in order, so that equal syntax is equal."""
        args: list[Expr] = []
        for key, value in node.args.items():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, (exp.Identifier, exp.Var, exp.DataType)):
                    args.append(Literal(" ".join(self.place(part).words), "NAME"))
                elif isinstance(part, exp.Expression):
                    args.append(self.lower(part))
                elif part is not None and part is not False:
                    args.append(Literal(f"{key}={part}", "NAME"))
        name = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
        return Call(SYNONYMS.get(name, name), tuple(args))

    def _column(self, node: exp.Column) -> Expr:
        if isinstance(node.this, exp.Star):
            return Literal("*", "STAR")
        return self.scope.resolve(tuple(part.name for part in node.parts), self.place(node))

    def _nested_field(self, node: exp.Dot) -> Expr:
        names: list[str] = []
        current: exp.Expression = node
        while isinstance(current, exp.Dot) and isinstance(current.expression, exp.Identifier):
            names.insert(0, current.expression.name)
            current = current.this
        if isinstance(current, exp.Column) and not isinstance(current.this, exp.Star):
            return self.scope.resolve((*(part.name for part in current.parts), *names), self.place(node))
        if isinstance(current, exp.Identifier):
            return self.scope.resolve((current.name, *names), self.place(node))
        expr = self.lower(current) if not isinstance(current, exp.Dot) else self._generic(current)
        for name in names:
            expr = Call(".", (expr, Literal(name, "NAME")))
        return expr

    def _interval(self, node: exp.Interval) -> Expr:
        unit = node.args.get("unit")
        value, negative = node.this, False
        if isinstance(value, exp.Neg):
            value, negative = value.this, True
        if isinstance(value, exp.Literal) and unit is not None:
            start, end = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit, None)
            text = f"-{value.name}" if negative else value.name
            length = interval_length(text, start.name, end.name if end is not None else None)
            if length is not None:
                return Literal(*length)
        return Opaque("INTERVAL", self.place(node).words)

    def _in(self, node: exp.In) -> Expr:
        query = node.args.get("query")
        if query is not None:
            return Call("IN", (self.lower(node.this), self.subquery(node, self.scope)))
        value = self.lower(node.this)
        return any_of([self._operation("=", [value, as_item(self.lower(item))]) for item in node.expressions])

    def _between(self, value: Expr, low: Expr, high: Expr, symmetric: bool) -> Expr:
        ends = [(low, high), (high, low)] if symmetric else [(low, high)]
        sides = [
            all_of([self._operation("<=", [first, value]), self._operation("<=", [value, last])])
            for first, last in ends
        ]
        return sides[0] if len(sides) == 1 else any_of([self._simplified(side) for side in sides])

    def _cast(self, node: exp.Cast) -> Expr:
        target = type_literal(self.place(node.to).token_text)
        name = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        value = self.lower(node.this)
        keeps = changes_nothing(value, target) and not self._is_time_attribute(value)
        return value if keeps and (name == "CAST" or nullable(value)) else Call(name, (value, target))

    def _is_time_attribute(self, value: Expr) -> bool:
        """Return whether ``value`` has a watermark. Cast to its own type, it is a plain timestamp that orders no
        time.
        """
        table = self.catalog.tables.get(value.table) if isinstance(value, Column) else None
        return table is not None and isinstance(value, Column) and value.name in self.catalog.time_attributes_of(table)

    def _case(self, node: exp.Case) -> Expr:
        subject = self.lower(node.this) if node.this is not None else None
        args: list[Expr] = []
        for branch in node.args["ifs"]:
            condition = self.lower(branch.this)
            args.append(
                simplified_condition(condition) if subject is None else self._operation("=", [subject, condition])
            )
            args.append(self.lower(branch.args["true"]))
        default = node.args.get("default")
        args.append(self.lower(default) if default is not None else Literal("NULL", "NULL"))
        case = self._operation("CASE", args)
        return (null_if(case.args) if isinstance(case, Call) and case.name == "CASE" else None) or case

    def _call(self, node: exp.Expression) -> Expr:
        called = called_name(node)
        registered = self.catalog.function(called)
        name = registered.name if registered is not None else SYNONYMS.get(called, called)
        call = node.expression if isinstance(node, exp.Dot) else node
        arguments = list(call.expressions)
        distinct = False
        if arguments and isinstance(arguments[0], exp.Distinct):
            distinct = True
            arguments = [*arguments[0].expressions, *arguments[1:]]
        head, _, tail = name.rpartition("_")
        if head in LEGACY_WINDOWS and tail in LEGACY_PROPERTIES and self.group_keys is not None:
            time = self.lower(arguments[0]) if arguments else None
            return WindowField(WindowPart(LEGACY_PROPERTIES[tail]), self.window_depth, time=time)
        args = with_plain_clauses(name, tuple(self._argument(name, argument) for argument in arguments))
        if name in RANKING and not args:
            return RankNumber(name)
        known_scalar = name in SCALARS and registered is None
        if (name in AGGREGATES and registered is None) or distinct:
            return self._aggregate(call, name, args, distinct)
        if self.group_keys is not None and not known_scalar and any(map(self._ungrouped, args)):
            grouped = self._operation(name, args)
            return grouped if grouped in self.group_keys else self._aggregate(call, name, args, distinct)
        if name == "IF" and len(args) == 3:
            return if_function(with_plain_numbers("CASE", args))
        return self._operation(*(plain_call(name, args) if known_scalar else (name, args)))

    def _argument(self, function: str, node: exp.Expression) -> Expr:
        """An argument of a call; a word that names a unit of time is a column for all functions that take no unit."""
        if isinstance(node, exp.Var) and function not in WITH_UNIT:
            place = self.place(node)
            return self.scope.resolve((place.text,), place)
        return self.lower(node)

    def _aggregate(self, node: exp.Expression, name: str, args: tuple[Expr, ...], distinct: bool) -> AggregateCall:
        dropped: tuple[Place, ...] = ()
        args = args if self.group_keys is None else tuple(map(with_plain_constants, args))
        if name == "COUNT" and len(args) == 1 and not distinct and never_null(args[0]):
            # Where the argument is declared, which is why it does not count.
            dropped = args[0].via
            args = ()
        registered = self.catalog.function(name)
        if registered is not None:
            origin = FunctionOrigin.PYTHON if registered.language == "PYTHON" else FunctionOrigin.JVM
        else:
            origin = FunctionOrigin.BUILT_IN if name in AGGREGATES else FunctionOrigin.UNREGISTERED
        return AggregateCall(
            name,
            args,
            distinct and name not in IGNORES_DISTINCT,
            origin=origin,
            nesting=nesting_of(name, self.group_keys or ()),
            level=self.aggregation_depth,
            of_group=self.of_group and not self.window_operand,
            place=self.place(node),
            via=dropped,
        )

    def _ungrouped(self, expr: Expr) -> bool:
        if isinstance(expr, AggregateCall) or expr in (self.group_keys or ()):
            return False
        return isinstance(expr, Column) or any(self._ungrouped(child) for child in expr.children())

    def _decorated_call(self, node: exp.Expression) -> Expr:
        """A call with FILTER or WITHIN GROUP."""
        call = self.lower(node.this)
        if not isinstance(call, AggregateCall) and isinstance(call, Call):
            call = self._aggregate(node.this, call.name, call.args, False)
        if not isinstance(call, AggregateCall):
            return self._generic(node)
        if self.aggregates and self.aggregates[-1] == call:
            self.aggregates.pop()
        if isinstance(node, exp.Filter):
            condition = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
            call = with_fields(call, filter=simplified_condition(self.lower(condition)), place=self.place(node))
        else:
            call = with_fields(call, order=self.orderings(node.expression), place=self.place(node))
        self.aggregates.append(call)
        return call

    def _over(self, node: exp.Window) -> Expr:
        if not self.window_operand:
            return with_fields(self, window_operand=True)._over(node)
        function, suffix = node.this, ""
        if isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
            # RESPECT NULLS is what calls do anyway.
            function, suffix = function.this, " IGNORE NULLS" if isinstance(function, exp.IgnoreNulls) else ""
        # The aggregate belongs to the OVER window, not to a GROUP BY of this query; aggregates in its arguments do.
        count = len(self.aggregates)
        call = self.lower(function)
        if len(self.aggregates) > count and self.aggregates[-1] == call:
            self.aggregates.pop()
        if isinstance(call, Call):
            call = self._aggregate(function, call.name, call.args, False)
        if isinstance(call, AggregateCall) and suffix:
            call = with_fields(call, function=call.function + suffix)
        if isinstance(call, AggregateCall) and len(call.args) == len(function.expressions):
            call = with_fields(call, args=tuple(map(self.operand, function.expressions, call.args)))
        return over_call(node, call, self)

    def _operation(self, name: str, operands: Sequence[Expr]) -> Expr:
        """A call with its operands in canonical form and, where they may change places, in canonical order."""
        plain = without_coercions(name, with_plain_numbers(name, operands))
        if name in ("=", "<>") and (value := against_truth(name, plain)) is not None:
            return with_fields(value, place=None)
        return self._simplified(commutative(name, list(plain)) if name in _ANY_ORDER else Call(name, plain))

    def _simplified(self, expr: Expr) -> Expr:
        """``expr``, a call of simple operands, as far as the planner simplifies it."""
        return simplified_value(expr) if isinstance(expr, Call) and self.simplifies else expr

    def from_keyword(self, word: str, first: exp.Expression, last: exp.Expression) -> Place:
        """From the nearest ``word`` in front of ``first`` to the end of ``last``."""
        return self.place(first).through(self.place(last)).back_to(word)
