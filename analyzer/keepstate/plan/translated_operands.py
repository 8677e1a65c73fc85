"""The operands of aggregates as Flink first translates them, before it looks through views and computed columns.

Two aggregates of a query are one if their operands are the same expression over the columns that FROM gives
(``SqlToRelConverter.AggConverter`` looks an operand up among those that it has). A computed column and what it says, a
view's alias and the column behind it, a cast that changes nothing: these are two operands of one meaning, and nothing
makes one accumulator of them later. Measured on Flink 2.3 and 1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr
from keepstate.plan.inference import type_of
from keepstate.plan.provenance import Place
from keepstate.plan.scalars import ScalarLowering
from keepstate.plan.scope import Relation, Scope


def told_apart(
    calls: Iterable[AggregateCall], select: exp.Select, scalars: ScalarLowering
) -> Callable[[Expr], Expr] | None:
    """A step of a rewriting that gives the calls of ``select`` their translated operands; ``None`` where no two calls
    have an operand of one meaning that is written in two ways.
    """
    written = list(calls)
    if not _are_doubtful(written):
        return None
    nodes = {scalars.place(node): node for node in select.find_all(exp.Anonymous, exp.Filter, exp.WithinGroup)}
    lowering = _Translation(
        scalars.statement,
        _over_columns(scalars.scope),
        scalars.catalog,
        scalars.subquery,
        window_depth=scalars.window_depth,
        named_windows=scalars.named_windows,
    )
    operands = {
        call.place: tuple(repr(lowering.lower(node)) for node in _operands(nodes[call.place]))
        for call in written
        if call.place in nodes
    }

    def step(node: Expr) -> Expr:
        if isinstance(node, AggregateCall) and node.place in operands:
            return replace(node, operands=operands[node.place])
        return node

    return step


def _are_doubtful(calls: list[AggregateCall]) -> bool:
    """Whether calls with an operand of one meaning are written with other words behind their names."""
    known: dict[Expr, tuple[str, ...]] = {}
    for call in calls:
        words = _behind_name(call.place)
        if any(known.setdefault(operand, words) != words for operand in call.children()):
            return True
    return False


def _behind_name(place: Place | None) -> tuple[str, ...]:
    return place.words[1:] if place is not None else ()


def _operands(node: exp.Expression) -> Iterator[exp.Expression]:
    if isinstance(node, (exp.Filter, exp.WithinGroup)):
        yield from _operands(node.this)
        yield node.expression.this if isinstance(node.expression, exp.Where) else node.expression
        return
    for operand in node.expressions:
        yield from operand.expressions if isinstance(operand, exp.Distinct) else (operand,)


def _over_columns(scope: Scope) -> Scope:
    """The names in sight, each for itself and not for what it stands for."""

    def column(number: int, name: str, expr: Expr) -> Column:
        type_ = type_of(expr)
        return Column(f"FROM {number}", name, str(type_) if type_ is not None else None)

    relations: list[Relation] = []
    for number, relation in enumerate(scope.relations):
        fields = tuple(replace(each, expr=column(number, each.name, each.expr), item=None) for each in relation.fields)
        relations.append(replace(relation, fields=fields))
    return Scope(tuple(relations), scope.parent)


@dataclass
class _Translation(ScalarLowering):
    """Lowers expressions as they are translated: in canonical form but for what only a later step simplifies."""

    def _lower(self, node: exp.Expression) -> Expr:
        match node:
            case exp.Cast() | exp.Not() | exp.Sub():
                return self._generic(node)
            case exp.Add() | exp.Mul():
                operands = [self.lower(node.this), self.lower(node.expression)]
                types = {type_of(operand) for operand in operands}
                ordered = sorted(operands, key=repr) if len(types) == 1 else operands
                return Call(type(node).__name__, tuple(ordered))
            case exp.Anonymous() if node.name.upper() == "IF":
                return Call("IF", tuple(map(self.lower, node.expressions)))
        return super()._lower(node)
