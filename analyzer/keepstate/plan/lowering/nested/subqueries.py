"""Queries inside of expressions: each becomes a join of the query around it.

IN and EXISTS, and their negations, are semi and anti joins where they stand alone among the operands of WHERE; both
mean the same to the planner. The comparisons of a correlated query with the query around it are the join's condition.
Any other query in an expression becomes a join that gives its value.

The planner aggregates some of them first, and stores the results: a query with one value that may have several rows, a
quantified comparison, an EXISTS that does not depend on the query around it, and IN and EXISTS inside of an OR. These
aggregations are not modelled (``_hidden_aggregation``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from sqlglot import exp

from keepstate.plan.expressions import AggregateCall, Call, Expr, is_spelled_out, sort_key
from keepstate.plan.growth import bounded_together
from keepstate.plan.hashed_value import asked_once, with_fields
from keepstate.plan.lowering.joins import joined_by_windows
from keepstate.plan.metadata.join_sides import InputMarker
from keepstate.plan.operators import AggregatedSubquery, Join, Operator, is_one_row
from keepstate.plan.predicates import any_of, commutative, reordered
from keepstate.plan.provenance import Place
from keepstate.plan.references import CorrelatedColumn, SubqueryValue
from keepstate.plan.scalars.name_scope import Relation, Source, sealed
from keepstate.plan.simplification.nullability import is_null, never_null


class SubqueryRole(Enum):
    """The question that an expression puts to a query in it."""

    EXISTS = "EXISTS"
    IN = "IN"
    QUANTIFIED = "ANY or ALL"
    VALUE = "a query for one value"

    @staticmethod
    def of(node: exp.Expression) -> SubqueryRole:
        """The role of the query that ``node`` is or holds."""
        match node:
            case exp.Exists():
                return SubqueryRole.EXISTS
            case exp.In():
                return SubqueryRole.IN
            case exp.Any() | exp.All() | exp.Binary():
                return SubqueryRole.QUANTIFIED
        return SubqueryRole.VALUE


def subquery_of(node: exp.Expression) -> exp.Expression:
    """The query that an expression asks."""
    if isinstance(node, exp.In):
        return subquery_of(node.args["query"])
    if isinstance(node, exp.Binary):
        return subquery_of(node.expression)
    return node.this if isinstance(node, (exp.Exists, exp.Any, exp.All, exp.Subquery)) else node


def comparison_of(node: exp.Expression) -> tuple[str, ...]:
    """The kinds of a quantified comparison and of its quantifier; none for any other node."""
    if isinstance(node, exp.Binary) and isinstance(node.expression, (exp.Any, exp.All)):
        return type(node).__name__, type(node.expression).__name__
    return ()


@dataclass(frozen=True)
class Subquery:
    """A query inside of an expression; ``number`` counts those of one query."""

    number: int
    relation: Relation
    role: SubqueryRole
    place: Place
    comparison: tuple[str, ...] = ()
    """The kinds of the comparison and its quantifier: the smallest value decides for one, the largest for another."""

    @cached_property
    def question(self) -> tuple[object, ...]:
        """Return what the query asks, wherever it stands."""
        exprs = tuple(column.expr for column in self.relation.fields)
        return self.relation.input, exprs, self.relation.filters, self.role, self.comparison

    @property
    def exists(self) -> bool:
        return self.role is SubqueryRole.EXISTS

    @cached_property
    def value(self) -> Expr:
        """Return the expression that replaces the subquery."""
        row = () if self.exists else tuple(_as_column(column.expr) for column in self.relation.fields)
        return SubqueryValue(self.number, row, place=self.place)


def _as_column(expr: Expr) -> Expr:
    """A computed item of a query as the column that the query gives, be it named or not: it is computed below what
    reads the query.
    """
    return with_fields(expr, via=(expr.place,)) if is_spelled_out(expr) and expr.place is not None else expr


def last_number(operator: Operator) -> int:
    """The highest number of a query whose answers the rows of ``operator`` have; 0 if there is none."""
    queries = (each.subquery for each in operator.walk() if isinstance(each, Join))
    return max((query.number for query in queries if isinstance(query, SubqueryValue)), default=0)


def holding(conditions: Iterable[Expr], subqueries: Sequence[Subquery]) -> tuple[Expr, ...]:
    """The conditions that hold one of the queries."""
    values = {query.value for query in subqueries}
    return tuple(condition for condition in conditions if not values.isdisjoint(_values_in(condition)))


def asked_in(exprs: Iterable[Expr], subqueries: Sequence[Subquery]) -> list[Subquery]:
    """The queries that stand in ``exprs``."""
    if not subqueries:
        # Nearly always, and expressions may be large.
        return []
    values = frozenset[Expr]().union(*map(_values_in, exprs))
    return [query for query in subqueries if query.value in values]


def repeated_in_groups(
    subqueries: Sequence[Subquery], keys: Collection[Expr], calls: Sequence[Expr]
) -> Callable[[Expr], Expr] | None:
    """Return the step by which queries in aggregates and in expressions that are group keys become the first equal one;
    ``None`` if each of them is asked once.
    """
    firsts: dict[Expr, Expr] = {}
    questions: dict[tuple[object, ...], Subquery] = {}
    in_groups = {query.number for query in asked_in((*keys, *calls), subqueries)}
    for query in subqueries:
        first = questions.setdefault(query.question, query)
        if first is not query and not in_groups.isdisjoint({first.number, query.number}):
            firsts[query.value] = first.value
    if not firsts:
        return None

    def first_of(node: Expr) -> Expr:
        return firsts.get(node, node)

    def step(node: Expr) -> Expr:
        if _values_in(node).isdisjoint(firsts):
            return node
        rewritten = node.rewrite(first_of)
        return with_fields(rewritten, place=node.place) if _is_of_groups(rewritten, keys) else node

    return step


def _is_of_groups(expr: Expr, keys: Collection[Expr]) -> bool:
    return isinstance(expr, AggregateCall) or expr in keys


def joined_with(source: Source, subquery: Subquery, conditions: Iterable[Expr], is_of_groups: bool = False) -> Source:
    """``source`` joined with a query that one of ``conditions`` holds, or none of them. Its rows may be groups
    (``is_of_groups``): the planner makes no semi or anti join of HAVING with a correlated query.

    Raises:
        GrowsTooLarge: they are too large together.
    """
    bounded_together((source.input, subquery.relation.input))
    holder = next((condition for condition in conditions if _holds(condition, subquery)), None)
    # Conditions on the query around it become those of the join (``SubQueryDecorrelator``).
    outer = tuple(condition for condition in subquery.relation.filters if _is_correlated(condition))
    own = tuple(condition for condition in subquery.relation.filters if condition not in outer)
    relation = with_fields(subquery.relation, filters=own)
    left, right = sealed(source), sealed(relation)
    marker = InputMarker.between(left, right)
    columns = tuple(dict.fromkeys(_columns(relation)))
    column_set = frozenset(columns)
    outer_conditions = [
        with_fields(reordered(marker.rewritten(expr, column_set, _of_outer)), place=expr.place) for expr in outer
    ]
    row = tuple(marker.marked(_as_column(column.expr)) for column in relation.fields)
    kind, compared = _answer(holder) if is_of_groups and outer else _meaning(holder, subquery, row)
    # AND has no order of its own: two spellings of one condition are one plan.
    ordered = tuple(sorted(dict.fromkeys((*outer_conditions, *compared)), key=sort_key))
    if _hidden_aggregation(kind, subquery, is_correlated=bool(outer)):
        right = AggregatedSubquery(subquery.role.value, subquery.comparison, (right,), place=subquery.place)
    place = holder.place if holder is not None else subquery.place
    operator = Join(
        left,
        right,
        kind,
        ordered,
        # What reads the query's value is computed above the join.
        left_fields=tuple(column for column in source.row if not _holds(column, subquery)),
        right_fields=tuple(marker.marked(column) for column in columns),
        mark=marker.mark,
        kind_place=place,
        subquery=subquery.value,
        place=place,
    )
    return joined_by_windows(with_fields(source, input=operator, filters=(), filtered_row=()), relation)


def _hidden_aggregation(kind: str, subquery: Subquery, is_correlated: bool) -> bool:
    """Return whether the planner aggregates the rows of ``subquery`` before it joins them (plans of 1.20 and 2.3)."""
    match subquery.role:
        case SubqueryRole.EXISTS:
            return kind == "scalar" or not is_correlated
        case SubqueryRole.IN | SubqueryRole.QUANTIFIED:
            return kind == "scalar"
    return not is_one_row(subquery.relation.input)


def _meaning(holder: Expr | None, subquery: Subquery, row: tuple[Expr, ...]) -> tuple[str, tuple[Expr, ...]]:
    """Return the kind of join that a condition requires, and the operands that it compares."""
    negated = isinstance(holder, Call) and holder.name == "NOT"
    inner = holder.args[0] if isinstance(holder, Call) and negated else holder
    if inner == subquery.value and subquery.exists:
        return ("anti" if negated else "semi"), ()
    if isinstance(inner, Call) and inner.name == "IN" and inner.args[1] == subquery.value:
        value = inner.args[0]
        is_row = isinstance(value, Call) and value.name in ("TUPLE", "ROW")
        values = value.children() if is_row else (value,)
        if len(values) == len(row):
            pairs = [
                with_fields(commutative("=", [value, column]), place=value.place if is_row else inner.place)
                for value, column in zip(values, row, strict=True)
            ]
            return ("anti", tuple(map(_or_null, pairs))) if negated else ("semi", tuple(pairs))
    return _answer(holder)


def _answer(holder: Expr | None) -> tuple[str, tuple[Expr, ...]]:
    """The kind of a join that gives an answer to each row, and the condition that reads it."""
    return "scalar", (holder,) if holder is not None else ()


def _or_null(pair: Expr) -> Expr:
    """NOT IN finds nothing as soon as one of the two is NULL. Of values that are never NULL it is an equation alone."""
    nulls = [is_null(operand) for operand in pair.children() if not never_null(operand)]
    return with_fields(any_of([pair, *nulls]), place=pair.place)


def _columns(relation: Relation) -> Iterable[Expr]:
    """Return the columns of a relation's query, and those that its conditions may name."""
    for layer in (relation, *relation.beneath):
        yield from (column.expr for column in layer.fields)


def _holds(condition: Expr, subquery: Subquery) -> bool:
    return subquery.value in _values_in(condition)


@asked_once
def _values_in(condition: Expr) -> frozenset[Expr]:
    """The values of queries in a condition: each query asks each condition for them."""
    return frozenset(node for node in condition.walk() if isinstance(node, SubqueryValue))


def _is_correlated(condition: Expr) -> bool:
    return any(isinstance(node, CorrelatedColumn) for node in condition.walk())


def _of_outer(node: Expr) -> Expr | None:
    if isinstance(node, CorrelatedColumn):
        return with_fields(node.column, place=node.place, via=node.via)
    return None
