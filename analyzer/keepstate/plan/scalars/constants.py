"""Constants: the literals of a statement, and their folding by the planner."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.types.arithmetic_types import arithmetic_type
from keepstate.plan.types.inference import type_of

_ARITHMETIC: dict[type[exp.Expression], Callable[[Decimal, Decimal], Decimal]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
}
_LARGEST_EXPONENT = 400
"""Beyond the numbers of every type."""
_UNICODE = frozenset({"_UTF8", "_UTF16"})


def literal(node: exp.Literal) -> Literal:
    """A constant with the digits that make its type: ``.5``, ``0.5`` and ``0.50`` are three types of one value.

    >>> literal(exp.Literal.number(".50")), literal(exp.Literal.number("1e3"))
    (Literal(value='.50', type='NUMBER'), Literal(value='1E+3', type='DOUBLE'))
    """
    if node.is_string:
        return Literal(node.name, "STRING")
    try:
        number = Decimal(node.name)
    except InvalidOperation:
        return Literal(node.name, "NUMBER")
    if "E" in node.name.upper():
        if abs(number.adjusted()) > _LARGEST_EXPONENT:
            # Out of range, and too large for a normal form.
            return Literal(node.name.upper(), "DOUBLE")
        return Literal(format(number.normalize(), "E"), "DOUBLE")
    digits = format(number, "f")
    return Literal(digits[1:] if node.name.startswith(".") else digits, "NUMBER")


def text_literal(node: exp.UnicodeString | exp.Introducer) -> Literal | None:
    r"""The text of ``U&'\\0071'`` or of ``_UTF16'q'``; ``None`` for what is not read here, other character sets say."""
    if isinstance(node, exp.Introducer):
        return literal(node.expression) if node.name.upper() in _UNICODE else None
    escape = node.args.get("escape")
    sign = re.escape(escape.name if isinstance(escape, exp.Expression) else "\\")
    point = re.compile(rf"{sign}(?:({sign})|\\+([0-9A-Fa-f]{{6}})|([0-9A-Fa-f]{{4}}))")
    return Literal(point.sub(lambda escape: escape[1] or chr(int(escape[2] or escape[3], 16)), node.name), "STRING")


def calculated(kind: type[exp.Expression], left: Expr, right: Expr) -> Literal | None:
    """The value of whole numbers and of lengths of time, which the planner calculates; ``None`` for all else."""
    compute = _ARITHMETIC.get(kind)
    if compute is None or not isinstance(left, Literal) or not isinstance(right, Literal):
        return None
    types = {left.type, right.type}
    if "NUMBER" in types and not all(_is_whole(side) for side in (left, right) if side.type == "NUMBER"):
        return None
    length = next((name for name in ("INTERVAL DAY", "INTERVAL YEAR") if name in types), None)
    if kind is exp.Mul:
        fits = types in ({"NUMBER"}, {length, "NUMBER"})
    else:
        fits = types in ({"NUMBER"}, {length})
    if not fits:
        return None
    result = Literal(format(compute(Decimal(left.value), Decimal(right.value)), "f"), length or "NUMBER")
    if length is None and type_of(result) != arithmetic_type("+", type_of(left), type_of(right)):
        # The planner calculates in the type of the operands: the result may not fit, or be smaller than its type.
        return None
    return result


def _is_whole(number: Literal) -> bool:
    return number.value.lstrip("-").isdigit()
