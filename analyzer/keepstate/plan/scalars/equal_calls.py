"""Calls that Flink's parser and validator make of other syntax: one value, however it is written.

Seen in the plans of 1.20 and 2.3. COALESCE and IFNULL are functions of their own there, so they are not among them.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.simplification.case_expressions import simplified_case
from keepstate.plan.types.common_types import DATETIMES
from keepstate.plan.types.inference import type_of

_PARTS = {
    "YEAR": "YEAR",
    "QUARTER": "QUARTER",
    "MONTH": "MONTH",
    "WEEK": "WEEK",
    "DOY": "DAYOFYEAR",
    "DAY": "DAYOFMONTH",
    "DOW": "DAYOFWEEK",
    "HOUR": "HOUR",
    "MINUTE": "MINUTE",
    "SECOND": "SECOND",
}
"""Units of EXTRACT that a function of one argument takes as well."""
EXTRACTING = frozenset(_PARTS.values())


def extracted(unit: str, time: Expr) -> Call:
    """``EXTRACT(HOUR FROM t)``, which is ``HOUR(t)``."""
    name = _PARTS.get(unit)
    return Call(name, (time,)) if name is not None else Call("EXTRACT", (Literal(unit, "NAME"), time))


def trimmed(side: str, text: Expr, characters: Expr | None = None) -> Call:
    """``TRIM`` with its words: without any it takes blanks off both ends."""
    args = [text]
    if characters is not None and not (isinstance(characters, Literal) and characters.value == " "):
        args.append(characters)
    if len(args) > 1 or side != "BOTH":
        args.append(Literal(f"position={side}", "NAME"))
    return Call("TRIM", tuple(args))


def negative(value: Expr) -> Expr:
    """``-value``; the negative of a negative is the value."""
    if isinstance(value, Call) and value.name == "NEGATE":
        return value.args[0]
    return Call("NEGATE", (value,))


def if_function(args: tuple[Expr, ...]) -> Expr:
    """``IF(p, a, b)`` as CASE, with the type of the first value. The planner leaves it as it is, unless all its
    operands are constant.
    """
    args = _with_time_of_first(args)
    case = Call("CASE", args, is_function=True)
    if all(isinstance(arg, Literal) for arg in args):
        return simplified_case(case) or case
    return null_if(args) or case


def _with_time_of_first(args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    condition, first, second = args
    one, other = type_of(first), type_of(second)
    if one is None or other is None or one == other or one.root not in DATETIMES or other.root not in DATETIMES:
        return args
    return condition, first, Call("CAST", (second, Literal(str(one), "TYPE")))


def null_if(branches: Sequence[Expr]) -> Call | None:
    """``NULLIF(a, b)`` for the operands of ``CASE WHEN a = b THEN NULL ELSE a END``; ``None`` for any other CASE."""
    if len(branches) != 3 or branches[1] != Literal("NULL", "NULL"):
        return None
    condition, _, value = branches
    if not isinstance(condition, Call) or condition.name != "=" or value not in condition.args:
        return None
    first, second = condition.args
    return Call("NULLIF", (value, second if first == value else first))
