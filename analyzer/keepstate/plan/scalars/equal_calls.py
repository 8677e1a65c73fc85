"""Calls that Flink's parser and validator make of other syntax: one value, however it is written.

Seen in the plans of 1.20 and 2.3. COALESCE and IFNULL are functions of their own there, so they are not among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.scalars.interval_lengths import interval_length
from keepstate.plan.simplification.case_expressions import simplified_case
from keepstate.plan.types.common_types import DATETIMES
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.type_names import canonical_type

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
_ON_NOTHING = frozenset({"NULL ON EMPTY", "NULL ON ERROR"})
_DEFAULT_CLAUSES = {
    "JSON_VALUE": _ON_NOTHING,
    "JSON_QUERY": _ON_NOTHING | {"WITHOUT WRAPPER", "WITHOUT ARRAY WRAPPER"},
    "JSON_EXISTS": frozenset({"FALSE ON ERROR"}),
    "JSON_OBJECT": frozenset({"NULL ON NULL"}),
    "JSON_OBJECTAGG": frozenset({"NULL ON NULL"}),
    "JSON_ARRAY": frozenset({"ABSENT ON NULL"}),
    "JSON_ARRAYAGG": frozenset({"ABSENT ON NULL"}),
}
"""The clauses of JSON functions that say what holds without them."""
_RETURNING = "RETURNING"
_CLAUSES = {
    "WITH ARRAY WRAPPER": "WITH WRAPPER",
    "WITH UNCONDITIONAL WRAPPER": "WITH WRAPPER",
    "WITH UNCONDITIONAL ARRAY WRAPPER": "WITH WRAPPER",
    "WITH CONDITIONAL ARRAY WRAPPER": "WITH CONDITIONAL WRAPPER",
}
"""Other words of clauses, each with the plain ones."""
_PART = "this="
_SHIFTED_BY = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
"""Units of TIMESTAMPADD that make an interval; of a WEEK and a QUARTER the planner makes another product."""


def with_plain_clauses(name: str, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The arguments of a JSON function, its clauses in one spelling, without those that are the default.

    ``JSON_VALUE(doc, '$.a' RETURNING STRING NULL ON EMPTY)`` is ``JSON_VALUE(doc, '$.a')``.
    """
    defaults = _DEFAULT_CLAUSES.get(name)
    return args if defaults is None else tuple(_plain_clauses(args, defaults))


def _plain_clauses(args: Sequence[Expr], defaults: frozenset[str]) -> Iterator[Expr]:
    for arg in args:
        words, *values = arg.args if isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE" else (None,)
        if not isinstance(arg, Call) or not isinstance(words, Literal):
            yield arg
            continue
        text = words.value.removeprefix(_PART)
        if text == _RETURNING and isinstance(type_ := values[0], Literal):
            if (plain_type := canonical_type(type_.value)) != "STRING":
                yield with_fields(arg, args=(words, with_fields(type_, value=plain_type)))
        elif text not in defaults:
            yield with_fields(arg, args=(with_fields(words, value=_PART + _CLAUSES.get(text, text)), *values))


def plain_call(name: str, args: tuple[Expr, ...]) -> tuple[str, tuple[Expr, ...]]:
    """The name and the arguments of a built-in function in their plainest form: ``MOD(a, 3)`` is ``a % 3``."""
    match name, args:
        case "MOD", (_, _):
            return "%", args
        case "LOG", (_,):
            return "LN", args
        case (("ROUND" | "TRUNCATE"), (_, Literal(value="0", type="NUMBER"))):
            return name, args[:1]
        case "TIMESTAMPADD", (Call(name="VAR", args=(Literal(value=unit),)), Literal(type="NUMBER") as number, time):
            shifted = _shifted(unit.removeprefix(_PART), number, time)
            return ("+", (time, shifted)) if shifted is not None else (name, args)
    return name, args


def _shifted(unit: str, number: Literal, time: Expr) -> Literal | None:
    """The interval that TIMESTAMPADD adds to a timestamp; ``None`` for other times and units."""
    type_ = type_of(time)
    if unit not in _SHIFTED_BY or type_ is None or type_.root not in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return None
    length = interval_length(number.value, unit) if number.value.lstrip("-").isdigit() else None
    return Literal(*length) if length is not None else None


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
    if isinstance(value, Literal) and value.type in ("NUMBER", "INTERVAL DAY", "INTERVAL YEAR"):
        number = value.value
        return Literal(number[1:] if number.startswith("-") else f"-{number}", value.type)
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
