"""Sums and products of FLOAT and DOUBLE, whose type in Flink is that of the operand that is written first.

A plan has the operands of a sum or product in one order, whatever the order of the text. The places of the operands
tell that.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.operators import Operator, rewritten
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.inference import type_of

_SIGNS = ("+", "*")


def in_written_order(root: Operator, output: tuple[Expr, ...]) -> tuple[Operator, tuple[Expr, ...]]:
    """A plan and its output, with both operands of such a sum or product in the type of the first one."""
    return rewritten(root, _of_first), tuple(expr.rewrite(_of_first) for expr in output)


def _of_first(node: Expr) -> Expr:
    if not (isinstance(node, Call) and node.name in _SIGNS and len(node.args) == 2 and node.place is not None):
        return node
    types = [type_of(arg) for arg in node.args]
    if {type_.root if type_ is not None else "" for type_ in types} != set(APPROXIMATE):
        return node
    starts = [_start(arg, node.place) for arg in node.args]
    if starts[0] is None or starts[1] is None or starts[0] == starts[1]:
        return node
    type_name = Literal(str(types[0 if starts[0] < starts[1] else 1]), "TYPE")
    return replace(node, args=tuple(Call("CAST", (arg, type_name), place=arg.place) for arg in node.args))


def _start(operand: Expr, whole: Place) -> int | None:
    """Return where an operand is written in the text of its call; ``None`` for one that is written elsewhere."""
    places = (place for place in (operand.place, *operand.via) if place is not None)
    return next((place.span.start for place in places if whole.contains(place) and place != whole), None)
