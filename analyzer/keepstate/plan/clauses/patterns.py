"""From MATCH_RECOGNIZE to its operator."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from keepstate.plan.clauses.row_patterns import canonical_pattern, variables_of
from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, Measure, PatternColumn, sort_key
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Definition, Match, MatchPlaces
from keepstate.plan.predicates import TRUE
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation, Scope, sealed
from keepstate.syntax import syntax_nodes
from keepstate.value_class import value_class

_ONE_ROW = "ONE ROW PER MATCH"
_NEXT_ROW = "SKIP TO NEXT ROW"
_NAVIGATION = frozenset({"FIRST", "LAST", "PREV", "NEXT"})


@value_class(frozen=True)
class PatternScope(Scope):
    """The names inside of MATCH_RECOGNIZE: columns of its input, perhaps of the rows of one variable only."""

    variables: frozenset[str] = frozenset()

    def resolve(self, parts: tuple[str, ...], place: Place) -> Expr:
        variable = parts[0] if len(parts) > 1 and parts[0] in self.variables else ""
        column = super().resolve(parts[1:] if variable else parts, place)
        return PatternColumn(variable, column, place=place, via=column.via)


def pattern_relation(node: syntax_nodes.RowPattern, relation: Relation, scalars: ScalarLowering) -> Relation:
    """The relation that ``node`` gives over the rows of ``relation``; ``scalars`` sees the names of these."""
    pattern = node.args["pattern"].name
    subsets = node.args.get("subsets") or ()
    defined = node.args.get("define") or ()
    variables = {item.alias for item in (*subsets, *defined)} | variables_of(pattern)
    inner = with_fields(
        scalars, scope=PatternScope(scalars.scope.relations, scalars.scope.parent, variables=frozenset(variables))
    )
    keys = node.args.get("partition_by") or ()
    partition = [scalars.lower(key) for key in keys]
    order = node.args.get("order")
    keys_of_order = scalars.orderings(order)
    measures = tuple(_measure(item, inner, keys_of_order) for item in node.args.get("measures") or ())
    definitions = (_definition(item, inner) for item in defined)
    within = node.args.get("within")
    rows = _words(node, "rows") or _ONE_ROW
    operator = Match(
        sealed(relation),
        tuple(sorted(dict.fromkeys(partition), key=sort_key)),
        keys_of_order,
        measures,
        rows,
        _after(node),
        canonical_pattern(pattern),
        scalars.lower(within) if within is not None else None,
        tuple(sorted(_subset(item) for item in subsets)),
        tuple(sorted((one for one in definitions if one.condition != TRUE), key=lambda one: one.variable)),
        tuple(column.expr for column in relation.fields),
        bool(relation.open_tables),
        _places(node, scalars),
        place=scalars.place(node),
    )
    fields = _fields(node, relation, partition, measures, everything=rows != _ONE_ROW)
    return Relation(operator, fields, depth=relation.depth)


def _fields(
    node: syntax_nodes.RowPattern,
    relation: Relation,
    partition: list[Expr],
    measures: tuple[Measure, ...],
    everything: bool,
) -> tuple[Field, ...]:
    """One row per match has the partition keys and the measures, all rows have the input's columns as well."""
    keys = node.args.get("partition_by") or ()
    key_fields = tuple(Field(key.name, expr, expr.place) for key, expr in zip(keys, partition, strict=True))
    passed = tuple(column for column in relation.fields if column.expr not in partition) if everything else ()
    items = node.args.get("measures") or ()
    measured = tuple(Field(item.alias, measure, measure.place) for item, measure in zip(items, measures, strict=True))
    return (*key_fields, *passed, *measured)


def _measure(item: exp.Expression, scalars: ScalarLowering, order: tuple[Expr, ...]) -> Measure:
    value = item.this
    if isinstance(value, syntax_nodes.FunctionClause) and value.name == "FINAL":
        # With one row per match, every measure is taken at the end of the match.
        value = value.expressions[0]
    place = scalars.place(item)
    lowered = _plain(scalars.lower(value))
    is_time = isinstance(lowered, Call) and lowered.name == "MATCH_ROWTIME"
    return Measure(lowered, alias=item.alias, time=order[0] if is_time and order else None, place=place)


def _definition(item: exp.Expression, scalars: ScalarLowering) -> Definition:
    variable = item.alias
    condition = _of_current_row(_plain(scalars.lower(item.this)), variable)
    return Definition(variable, condition, place=scalars.place(item))


def _plain(expr: Expr) -> Expr:
    """``LAST(A.x)`` and ``LAST(A.x, 0)`` are ``A.x``, which means the last row anyway; FIRST counts from 0 as well."""

    def step(node: Expr) -> Expr:
        if not isinstance(node, Call) or node.name not in ("FIRST", "LAST"):
            return node
        if len(node.args) == 2 and isinstance(node.args[1], Literal) and node.args[1].value == "0":
            node = with_fields(node, args=node.args[:1])
        if node.name == "LAST" and len(node.args) == 1 and isinstance(node.args[0], PatternColumn):
            return node.args[0]
        return node

    return expr.rewrite(step)


def _of_current_row(expr: Expr, variable: str) -> Expr:
    """In the condition of a variable, a column without one is that of the row in question, which would be its row."""
    if isinstance(expr, PatternColumn):
        return expr if expr.variable else with_fields(expr, variable=variable)
    if isinstance(expr, AggregateCall) or (isinstance(expr, Call) and expr.name in _NAVIGATION):
        return expr
    children = tuple(_of_current_row(child, variable) for child in expr.children())
    return expr.with_children(children) if children != expr.children() else expr


def _after(node: syntax_nodes.RowPattern) -> str:
    words = _words(node, "after").removeprefix("AFTER MATCH ")
    if not words:
        return _NEXT_ROW
    target = words.removeprefix("SKIP TO ")
    # SKIP TO a variable means its last row.
    return f"SKIP TO LAST {target}" if target != words and " " not in target else words


def _words(node: syntax_nodes.RowPattern, clause: str) -> str:
    option = node.args.get(clause)
    return option.name if option is not None else ""


def _subset(item: exp.Expression) -> str:
    members = sorted({member.name for member in item.this.expressions})
    return f"{item.alias} = ({', '.join(members)})"


def _places(node: syntax_nodes.RowPattern, scalars: ScalarLowering) -> MatchPlaces:
    def clause(name: str, keyword: str) -> Place | None:
        value = node.args.get(name)
        if not value:
            return None
        parts = value if isinstance(value, list) else [value]
        return scalars.from_keyword(keyword, parts[0], parts[-1])

    def alone(name: str) -> Place | None:
        value = node.args.get(name)
        return scalars.place(value) if value is not None else None

    return MatchPlaces(
        input=scalars.place(node.this),
        partition=clause("partition_by", "PARTITION"),
        order=alone("order"),
        measures=clause("measures", "MEASURES"),
        rows=alone("rows"),
        after=alone("after"),
        pattern=_through_parenthesis(clause("pattern", "PATTERN")),
        within=clause("within", "WITHIN"),
        subsets=clause("subsets", "SUBSET"),
        define=clause("define", "DEFINE"),
    )


def _through_parenthesis(place: Place | None) -> Place | None:
    """From PATTERN to the parenthesis behind it."""
    if place is None:
        return None
    closing = place.statement.text.find(")", place.span.end)
    return replace(place, span=replace(place.span, end=closing + 1))
