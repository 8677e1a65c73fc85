"""The operands of aggregates as Flink first translates them, before it looks through views and computed columns.

Two aggregates of a query are one if their operands are the same expression over the columns of FROM
(``SqlToRelConverter.AggConverter`` compares an operand with its former ones). A computed column and its definition, a
view's alias and the column behind it, a cast without effect: each of these pairs are two operands of one meaning, and
no later rule makes one accumulator of them. Measured on Flink 2.3 and 1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Literal
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.casts import type_literal
from keepstate.plan.scalars.chains import flat
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Relation, Scope
from keepstate.plan.types.builtin_functions import SYNONYMS
from keepstate.plan.types.inference import type_of


def distinct_operands(
    calls: Iterable[AggregateCall], select: exp.Select, scalars: ScalarLowering
) -> Callable[[Expr], Expr] | None:
    """A step of a rewriting that gives the calls of ``select`` their translated operands; ``None`` where no two calls
    have an operand of one meaning that is written in two ways.
    """
    call_list = list(calls)
    if not _are_doubtful(call_list):
        return None
    nodes = {scalars.place(node): node for node in select.find_all(exp.Anonymous, exp.Filter, exp.WithinGroup)}
    lowering = _Translation(
        scalars.statement,
        _over_columns(scalars.scope),
        scalars.catalog,
        scalars.subquery,
        simplifies=False,
        window_depth=scalars.window_depth,
        named_windows=scalars.named_windows,
    )
    operands = {
        call.place: tuple(repr(lowering.lower(node)) for node in _operands(nodes[call.place]))
        for call in call_list
        if call.place in nodes
    }

    def step(node: Expr) -> Expr:
        if isinstance(node, AggregateCall) and node.place in operands:
            return with_fields(node, operands=operands[node.place])
        return node

    return step


def _are_doubtful(calls: list[AggregateCall]) -> bool:
    """Return whether calls with an operand of one meaning are written with different words behind their names."""
    spellings: dict[Expr, tuple[str, ...]] = {}
    for call in calls:
        words = _behind_name(call.place)
        if any(spellings.setdefault(operand, words) != words for operand in call.children()):
            return True
    return False


def _behind_name(place: Place | None) -> tuple[str, ...]:
    return place.words[1:] if place is not None else ()


def _operands(node: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(node, (exp.Filter, exp.WithinGroup)):
        yield from _operands(node.this)
        yield _without_is_true(node.expression.this) if isinstance(node.expression, exp.Where) else node.expression
        return
    for operand in node.expressions:
        yield from operand.expressions if isinstance(operand, exp.Distinct) else (operand,)


def _without_is_true(condition: exp.Expression) -> exp.Expression:
    """The condition of a FILTER, to which the translation adds IS TRUE where it is missing."""
    if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Boolean) and condition.expression.this:
        stripped: exp.Expression = condition.this
        return stripped
    return condition


def _over_columns(scope: Scope) -> Scope:
    """Return the scope in which each name stands for itself and not for its definition."""

    def column(number: int, name: str, expr: Expr) -> Column:
        type_ = type_of(expr)
        return Column(f"FROM {number}", name, str(type_) if type_ is not None else None)

    relations: list[Relation] = []
    for number, relation in enumerate(scope.relations):
        fields = tuple(
            with_fields(each, expr=column(number, each.name, each.expr), item=None) for each in relation.fields
        )
        relations.append(with_fields(relation, fields=fields))
    return Scope(tuple(relations), scope.parent)


_MIRRORED: dict[type[exp.Expression], str] = {exp.GT: "<", exp.GTE: "<="}
_COMPARED: dict[type[exp.Expression], str] = {exp.LT: "<", exp.LTE: "<="}
_EITHER_WAY: dict[type[exp.Expression], str] = {exp.EQ: "=", exp.NEQ: "<>"}
"""Calcite reads a comparison from either side (``RexNormalize``)."""
_OF_ITS_OWN = frozenset({"SUBSTR"})
"""A function with a second name, which the planner takes for another one."""
_LOGICAL: dict[type[exp.Expression], str] = {exp.And: "AND", exp.Or: "OR"}


@dataclass
class _Translation(ScalarLowering):
    """Lowers expressions as they are translated: as they are written, but for what the parser and the translation make
    one (``BETWEEN`` and two comparisons, ``%`` and ``MOD``, a ``CASE`` with a subject and one without), and for sides
    that may change places.
    """

    def _lower(self, node: exp.Expression) -> Expr:
        kind = type(node)
        if kind in _MIRRORED:
            return Call(_MIRRORED[kind], (self.lower(node.expression), self.lower(node.this)))
        if kind in _COMPARED:
            return Call(_COMPARED[kind], (self.lower(node.this), self.lower(node.expression)))
        if kind in _EITHER_WAY:
            return self._of_any_order(_EITHER_WAY[kind], [self.lower(node.this), self.lower(node.expression)])
        if kind in _LOGICAL:
            return self._of_any_order(_LOGICAL[kind], [self.lower(operand) for operand in flat(node, kind)])
        match node:
            case exp.Add() | exp.Mul():
                operands = [self.lower(node.this), self.lower(node.expression)]
                types = {type_of(operand) for operand in operands}
                ordered = sorted(operands, key=repr) if len(types) == 1 else operands
                return Call(kind.__name__, tuple(ordered))
            case exp.Mod():
                return Call("MOD", (self.lower(node.this), self.lower(node.expression)))
            case exp.Sub():
                return self._generic(node)
            case exp.Not(this=exp.Is()) if self.place(node).words[:1] != ("NOT",):
                # IS NOT is one operator, which the syntax takes for two.
                return Call("IS NOT", (self.lower(node.this),))
            case exp.Not():
                return Call("NOT", (self.lower(node.this),))
            case exp.Between():
                value = self.lower(node.this)
                low, high = self.lower(node.args["low"]), self.lower(node.args["high"])
                return self._of_any_order("AND", [Call("<=", (low, value)), Call("<=", (value, high))])
            case exp.In() if node.args.get("query") is None:
                value, items = self.lower(node.this), [self.lower(item) for item in node.expressions]
                equations = [self._of_any_order("=", [value, item]) for item in items]
                if len(items) == 1:
                    return equations[0]
                # Texts are cast to one type first.
                is_whole = str(type_of(value)).startswith("INT")
                return self._of_any_order("OR", equations) if is_whole else self._of_any_order("IN", [value, *items])
            case exp.Cast():
                return self._written_cast(node)
            case exp.Case():
                return self._written_case(node)
            case exp.Anonymous():
                called = super()._lower(node)
                return self._written_call(node) if isinstance(called, Call) else called
        return super()._lower(node)

    def _of_any_order(self, name: str, operands: list[Expr]) -> Expr:
        return Call(name, tuple(sorted(operands, key=repr)))

    def _written_call(self, node: exp.Anonymous) -> Expr:
        name, operands = node.name.upper(), [self.lower(operand) for operand in node.expressions]
        if name == "NULLIF" and len(operands) == 2:
            return Call("CASE", (self._of_any_order("=", operands), Literal("NULL", "NULL"), operands[0]))
        return Call(name if name in _OF_ITS_OWN else SYNONYMS.get(name, name), tuple(operands))

    def _written_cast(self, node: exp.Cast) -> Expr:
        """A cast of a text literal to a text is gone at once."""
        target = type_literal(self.place(node.to).token_text)
        value = self.lower(node.this)
        if isinstance(value, Literal) and value.type == "STRING" and target.value == "STRING":
            return value
        return Call(type(node).__name__, (value, target))

    def _written_case(self, node: exp.Case) -> Expr:
        """Lower a CASE. A missing ELSE is a NULL of any type."""
        subject = self.lower(node.this) if node.this is not None else None
        parts: list[Expr] = []
        for branch in node.args["ifs"]:
            condition = self.lower(branch.this)
            parts.append(condition if subject is None else self._of_any_order("=", [subject, condition]))
            parts.append(self.lower(branch.args["true"]))
        default = node.args.get("default")
        otherwise = default.this if isinstance(default, exp.Cast) else default
        if default is not None and not isinstance(otherwise, exp.Null):
            parts.append(self.lower(default))
        return Call("CASE", tuple(parts))
