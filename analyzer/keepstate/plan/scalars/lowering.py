"""From the syntax of scalar expressions to their canonical form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from keepstate.plan.catalog import Catalog, function_name
from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Ordering,
    Origin,
    OverCall,
    RankNumber,
    WindowField,
    WindowPart,
)
from keepstate.plan.predicates import (
    FALSE,
    TRUE,
    against_truth,
    all_of,
    any_of,
    commutative,
    conjuncts,
    filtering,
    negated,
)
from keepstate.plan.provenance import Place, place_of
from keepstate.plan.references import TemplateValue
from keepstate.plan.scalars.casts import changes_nothing, with_plain_numbers, without_coercions
from keepstate.plan.scalars.constants import calculated, literal
from keepstate.plan.scalars.equal_calls import extracted, negative, null_if, trimmed
from keepstate.plan.scalars.intervals import interval_length, singular
from keepstate.plan.scalars.over_windows import over_call
from keepstate.plan.scalars.scope import Scope
from keepstate.plan.types.builtin_functions import (
    AGGREGATES,
    IGNORES_DISTINCT,
    LEGACY_PROPERTIES,
    LEGACY_WINDOWS,
    RANKING,
    SCALARS,
    SYNONYMS,
)
from keepstate.plan.types.type_names import canonical_type
from keepstate.syntax import nodes
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
_WITH_UNIT = frozenset({"TIMESTAMPADD", "TIMESTAMPDIFF", "EXTRACT", "CEIL", "FLOOR"})
_ANY_ORDER = frozenset(_COMMUTATIVE.values())


@dataclass
class ScalarLowering:
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

    def lower(self, node: exp.Expression) -> Expr:
        """The canonical form of ``node``, with its place."""
        expr = self._lower(node)
        expr = expr if expr.place is not None else replace(expr, place=self.place(node))
        if isinstance(expr, AggregateCall) and isinstance(node, exp.Anonymous):
            self.aggregates.append(expr)
        elif isinstance(expr, OverCall) and isinstance(node, exp.Window):
            self.over_calls.append(expr)
        return expr

    def place(self, node: exp.Expression) -> Place:
        return place_of(self.statement, node)

    def conditions(self, node: exp.Expression) -> tuple[Expr, ...]:
        """The operands of a filter's AND; a filter that lets everything pass has none."""
        lowered = self.lower(node)
        return self._operands(replace(filtering(lowered), place=lowered.place))

    def _operands(self, lowered: Expr) -> tuple[Expr, ...]:
        return tuple(part if part.place else replace(part, place=lowered.place) for part in conjuncts(lowered))

    def orderings(self, order: exp.Expression | None) -> tuple[Ordering, ...]:
        if order is None:
            return ()
        return tuple(self._ordering(element) for element in order.expressions)

    def _ordering(self, node: exp.Expression) -> Ordering:
        if not isinstance(node, exp.Ordered):
            return Ordering(self.lower(node), place=self.place(node))
        descending = bool(node.args.get("desc"))
        nulls_first = node.args.get("nulls_first")
        if nulls_first is None:
            nulls_first = not descending
        return Ordering(self.lower(node.this), descending, nulls_first, place=self.place(node))

    def _lower(self, node: exp.Expression) -> Expr:
        match node:
            case exp.Paren() | exp.Alias():
                return self.lower(node.this)
            case exp.Column():
                return self._column(node)
            case exp.Identifier():
                return self.scope.resolve((node.name,), self.place(node))
            case exp.Dot():
                return self._nested_field(node)
            case exp.Literal():
                return literal(node)
            case exp.Boolean():
                return TRUE if node.this else FALSE
            case exp.Null():
                return Literal("NULL", "NULL")
            case exp.Star():
                return Literal("*", "STAR")
            case nodes.TimeLiteral():
                return Literal(node.this.name, str(node.args["kind"]))
            case exp.Interval():
                return self._interval(node)
            case nodes.Difference():
                units = " ".join(singular(word) for word in self.place(node.args["unit"]).words)
                return Call("DIFFERENCE", (self.lower(node.this), Literal(units, "NAME")))
            case exp.And():
                sides = [self.lower(side) for side in flat(node, exp.And)]
                return all_of([operand for side in sides for operand in self._operands(side)])
            case exp.Or():
                return self._any_of([self.lower(side) for side in flat(node, exp.Or)])
            case exp.Not():
                return negated(self.lower(node.this))
            case exp.Between():
                value = self.lower(node.this)
                low, high = self.lower(node.args["low"]), self.lower(node.args["high"])
                return all_of([_operation("<=", [low, value]), _operation("<=", [value, high])])
            case exp.In():
                return self._in(node)
            case exp.EQ(expression=exp.Any(this=exp.Select() | exp.SetOperation() as query)):
                return Call("IN", (self.lower(node.this), self.subquery(query, self.scope)))
            case exp.Is():
                return Call("IS", (self.lower(node.this), self.lower(node.expression)))
            case exp.Neg():
                return self._negative(node)
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
            return _operation(_MIRRORED[kind], [self.lower(node.expression), self.lower(node.this)])
        if kind not in _BINARY and kind not in _COMMUTATIVE:
            return self._generic(node)
        operands = [self.lower(node.this), self.lower(node.expression)]
        if (constant := calculated(kind, *operands)) is not None:
            return constant
        return _operation(_COMMUTATIVE[kind], operands) if kind in _COMMUTATIVE else _operation(_BINARY[kind], operands)

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

    def _any_of(self, operands: list[Expr]) -> Expr:
        flat: dict[Expr, None] = {}
        for operand in operands:
            parts = operand.args if isinstance(operand, Call) and operand.name == "OR" else (operand,)
            flat.update(dict.fromkeys(parts))
        return any_of(list(flat))

    def _in(self, node: exp.In) -> Expr:
        query = node.args.get("query")
        if query is not None:
            return Call("IN", (self.lower(node.this), self.subquery(query, self.scope)))
        value = self.lower(node.this)
        return any_of([_operation("=", [value, self.lower(item)]) for item in node.expressions])

    def _negative(self, node: exp.Neg) -> Expr:
        operand = self.lower(node.this)
        if isinstance(operand, Literal) and operand.type in ("NUMBER", "INTERVAL DAY", "INTERVAL YEAR"):
            value = operand.value
            return Literal(value[1:] if value.startswith("-") else f"-{value}", operand.type)
        return negative(operand)

    def _cast(self, node: exp.Cast) -> Expr:
        type_ = canonical_type(self.place(node.to).written)
        name = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        value = self.lower(node.this)
        if name == "CAST" and changes_nothing(value, type_) and not self._is_time_attribute(value):
            return value
        return Call(name, (value, Literal(type_, "TYPE")))

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
            args.append(filtering(condition) if subject is None else _operation("=", [subject, condition]))
            args.append(self.lower(branch.args["true"]))
        default = node.args.get("default")
        args.append(self.lower(default) if default is not None else Literal("NULL", "NULL"))
        return null_if(args) or _operation("CASE", args)

    def _call(self, node: exp.Expression) -> Expr:
        name = SYNONYMS.get(function_name(node), function_name(node))
        arguments = list(node.expressions)
        distinct = False
        if arguments and isinstance(arguments[0], exp.Distinct):
            distinct = True
            arguments = [*arguments[0].expressions, *arguments[1:]]
        head, _, tail = name.rpartition("_")
        if head in LEGACY_WINDOWS and tail in LEGACY_PROPERTIES and self.group_keys is not None:
            time = self.lower(arguments[0]) if arguments else None
            return WindowField(WindowPart(LEGACY_PROPERTIES[tail]), self.window_depth, time=time)
        args = tuple(self._argument(name, argument) for argument in arguments)
        if name in RANKING and not args:
            return RankNumber(name)
        registered = self.catalog.functions.get(name)
        known_scalar = name in SCALARS and registered is None
        if (name in AGGREGATES and registered is None) or distinct:
            return self._aggregate(node, name, args, distinct)
        if self.group_keys is not None and not known_scalar and self._holds_ungrouped(args):
            return self._aggregate(node, name, args, distinct)
        if name == "IF" and len(args) == 3:
            return null_if(args) or _operation("CASE", args)
        return _operation(name, args)

    def _argument(self, function: str, node: exp.Expression) -> Expr:
        """An argument of a call; a word that names a unit of time is a column for all functions that take no unit."""
        if isinstance(node, exp.Var) and function not in _WITH_UNIT:
            place = self.place(node)
            return self.scope.resolve((place.text,), place)
        return self.lower(node)

    def _aggregate(self, node: exp.Expression, name: str, args: tuple[Expr, ...], distinct: bool) -> AggregateCall:
        dropped: tuple[Place, ...] = ()
        if name == "COUNT" and len(args) == 1 and not distinct and _never_null(args[0]):
            # Where the argument is declared, which is why it does not count.
            dropped = args[0].via
            args = ()
        registered = self.catalog.functions.get(name)
        if registered is not None:
            origin = Origin.PYTHON if registered.language == "PYTHON" else Origin.JVM
        else:
            origin = Origin.BUILT_IN if name in AGGREGATES else Origin.UNREGISTERED
        return AggregateCall(
            name,
            args,
            distinct and name not in IGNORES_DISTINCT,
            origin=origin,
            level=self.aggregation_depth,
            place=self.place(node),
            via=dropped,
        )

    def _holds_ungrouped(self, args: tuple[Expr, ...]) -> bool:
        return any(self._ungrouped(arg) for arg in args)

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
            call = replace(call, filter=filtering(self.lower(condition)), place=self.place(node))
        else:
            call = replace(call, order=self.orderings(node.expression), place=self.place(node))
        self.aggregates.append(call)
        return call

    def _over(self, node: exp.Window) -> Expr:
        function, suffix = node.this, ""
        if isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
            # RESPECT NULLS is what calls do anyway.
            function, suffix = function.this, " IGNORE NULLS" if isinstance(function, exp.IgnoreNulls) else ""
        # The aggregate belongs to the OVER window, not to a GROUP BY of this query; aggregates in its arguments do.
        known = len(self.aggregates)
        call = self.lower(function)
        if len(self.aggregates) > known and self.aggregates[-1] == call:
            self.aggregates.pop()
        if isinstance(call, Call):
            call = self._aggregate(function, call.name, call.args, False)
        if isinstance(call, AggregateCall) and suffix:
            call = replace(call, function=call.function + suffix)
        return over_call(node, call, self)

    def from_keyword(self, word: str, first: exp.Expression, last: exp.Expression) -> Place:
        """From the nearest ``word`` in front of ``first`` to the end of ``last``."""
        whole = self.place(first).through(self.place(last))
        tokens = self.statement.tokens
        starts = [token.start for token in tokens if token.word == word and token.start < whole.span.start]
        return replace(whole, span=replace(whole.span, start=starts[-1])) if starts else whole


def _operation(name: str, operands: Sequence[Expr]) -> Expr:
    """A call with its operands in canonical form and, where they may change places, in canonical order."""
    plain = without_coercions(name, with_plain_numbers(name, operands))
    if name in ("=", "<>") and (value := against_truth(name, plain)) is not None:
        return replace(value, place=None)
    return commutative(name, list(plain)) if name in _ANY_ORDER else Call(name, plain)


def flat(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """The operands of a chain of one operator, without recursion, since generated chains are long."""
    operands: list[exp.Expression] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, kind):
            waiting += (current.expression, current.this)
        elif isinstance(current, exp.Paren) and isinstance(current.this, kind):
            waiting.append(current.this)
        else:
            operands.append(current)
    return operands


def _never_null(expr: Expr) -> bool:
    return (isinstance(expr, Literal) and expr.type != "NULL") or (isinstance(expr, Column) and expr.not_null)
