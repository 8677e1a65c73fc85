"""Calls of constants, whose results the planner computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.predicates import FALSE, TRUE
from keepstate.plan.simplification.ranges import is_number
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType

_RANGE = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
"""Bits of whole numbers."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", re.ASCII)
_TIME_TEXT = re.compile(r"(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?)?", re.ASCII)
"""A text that is a timestamp, or the midnight of a date."""
_MOMENTS = {"DATE": (86_400_000, _DATE), "TIMESTAMP": (1_000, _TIMESTAMP)}
"""Literals of time: the unit by which they are moved, in milliseconds, and how they are written."""
_COMPARABLE = frozenset({"STRING", "BOOLEAN", "DATE", "NUMBER", "DOUBLE"})


def compared(name: str, operands: Sequence[Expr]) -> Expr | None:
    """The truth of a comparison of constants: ``1 = 2`` is FALSE. One with NULL stays, since the literal has no type.

    >>> print(compared("<", (Literal("1", "NUMBER"), Literal("2.0", "NUMBER"))))
    TRUE
    """
    first, second = operands
    if not isinstance(first, Literal) or not isinstance(second, Literal):
        return None
    if is_number(first) and is_number(second):
        values: tuple[object, ...] = (Decimal(first.value), Decimal(second.value))
    elif first.type == second.type and first.type in _COMPARABLE and (first.value + second.value).isascii():
        values = (first.value, second.value)
        if first.value != second.value and first.value.rstrip() == second.value.rstrip():
            # Of texts of two lengths one is padded first, or not: their trailing blanks may count.
            return None
    else:
        return None
    one, other = values
    if name in ("=", "<>"):
        return TRUE if (one == other) is (name == "=") else FALSE
    return TRUE if one < other or (name == "<=" and one == other) else FALSE  # type: ignore[operator]


def folded(call: Call) -> Literal | None:
    """The value of a deterministic function of constants: ``CHAR_LENGTH('abc')`` is 3 and ``7 / 2`` is 3.

    Only where the value as a literal has the type of the call: the plan of ``ABS(-6)`` has an INT 6, that of
    ``NULLIF(5, 6)`` a 5 cast to an INT that admits NULL.
    """
    compute = _FUNCTIONS.get(call.name)
    if compute is None or not all(isinstance(arg, Literal) for arg in call.args):
        return None
    result = compute([arg for arg in call.args if isinstance(arg, Literal)])
    return result if result is not None and type_of(result) == type_of(call) is not None else None


def cast(value: Expr, target: str) -> Literal | None:
    """A text that is cast to a whole number or a date: ``CAST('6' AS INT)`` is 6. The plan has the number."""
    if not isinstance(value, Literal) or value.type != "STRING" or not value.value.isascii():
        return None
    text = value.value
    if target in INTEGERS and text.removeprefix("-").isdigit():
        number = int(text)
        result = Literal(str(number), "NUMBER")
        # A literal has the type INT or BIGINT by its size: ``CAST('6' AS BIGINT)`` is no 6.
        return result if abs(number) < 2 ** _RANGE[target] and str(type_of(result)) == target else None
    return _date([value]) if target == "DATE" else None


def compared_constant(expr: Expr) -> Expr:
    """A constant as a comparison has it: ``TO_DATE('2020-01-01')`` is the date there; elsewhere its type admits NULL.

    >>> print(compared_constant(Call("TO_DATE", (Literal("2020-01-01", "STRING"),))))
    DATE '2020-01-01'
    """
    if not isinstance(expr, Call) or not all(isinstance(arg, Literal) for arg in expr.args):
        return expr
    args = [arg for arg in expr.args if isinstance(arg, Literal)]
    constant: Expr | None = None
    match expr.name:
        case "TO_DATE":
            constant = _date(args)
        case "CAST" | "TRY_CAST" if len(args) == 2:
            target = args[1].value
            constant = cast(args[0], target) or _cut(args[0], target) or _cast_time(args[0], target)
            constant = constant or _plain_decimal(args[0], target)
        case "TO_TIMESTAMP" if len(args) == 1:
            constant = _cast_time(args[0], "TIMESTAMP(3)")
        case "NULLIF":
            constant = _unless_equal(args)
        case "||":
            constant = _concatenated(args)
        case "TRIM" if len(args) == 1 and args[0].type == "STRING":
            constant = Literal(args[0].value.strip(" "), "STRING")
    return expr if constant is None else constant


def compared_times(first: Expr, second: Expr) -> tuple[Expr, Expr]:
    """The operands of a comparison, a text beside a date or a timestamp as the time that the planner casts it to.

    >>> from keepstate.plan.expressions import Column
    >>> day, time = Column("t", "d", "DATE"), Column("t", "ts", "TIMESTAMP(3)")
    >>> print(*compared_times(day, Literal("2020-01-31", "STRING")))
    d DATE '2020-01-31'
    >>> print(*compared_times(Literal("2020-01-31 10:00:00.50", "STRING"), time))
    TIMESTAMP '2020-01-31 10:00:00.5' ts
    """
    return _beside(first, second), _beside(second, first)


def _beside(side: Expr, other: Expr) -> Expr:
    if not isinstance(side, Literal) or side.type != "STRING":
        return side
    type_ = type_of(other)
    if type_ is None or type_.root not in ("DATE", "TIMESTAMP"):
        return side
    if type_.root == "DATE":
        return _date([side]) or side
    time = _cast_time(side, str(type_))
    # A fraction that is longer than those of the column makes both sides more precise.
    whole = _cast_time(side, "TIMESTAMP(9)")
    return side if time is None or time != whole else time


def _cast_time(value: Literal, target: str) -> Literal | None:
    """A text cast to a timestamp without a time zone, as the literal of the same time."""
    type_ = LogicalType.declared(target)
    match = _TIME_TEXT.fullmatch(value.value) if value.type == "STRING" else None
    if match is None or type_ is None or type_.root != "TIMESTAMP" or type_.precision is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{match[1]} {match[2] or '00:00:00'}")
    except ValueError:  # There is no such day.
        return None
    fraction = (match[3] or "")[: type_.precision].rstrip("0")
    return Literal(f"{moment}.{fraction}" if fraction else str(moment), "TIMESTAMP")


def _plain_decimal(value: Literal, target: str) -> Literal | None:
    """A number cast to a DECIMAL that has all of its digits: a comparison goes by its value."""
    type_ = LogicalType.declared(target)
    if value.type != "NUMBER" or not is_number(value) or type_ is None or type_.root != "DECIMAL":
        return None
    if not fits_decimal(value.value, type_, type_.scale or 0):
        return None
    if "." not in value.value:
        return value
    digits = value.value.rstrip("0").rstrip(".")
    return with_fields(value, value=digits, has_places="." not in digits)


def fits_decimal(number: str, type_: LogicalType, digits: int) -> bool:
    """Return whether a DECIMAL has the places of a number, of which ``digits`` may stand behind the point.

    >>> type_ = LogicalType("DECIMAL", precision=3, scale=1)
    >>> fits_decimal("-12.50", type_, 1), fits_decimal("123", type_, 1)
    (True, False)
    """
    whole, _, fraction = number.lstrip("-").partition(".")
    return len(whole.lstrip("0")) <= (type_.precision or 0) - (type_.scale or 0) and len(fraction.rstrip("0")) <= digits


def _cut(value: Literal, target: str) -> Literal | None:
    """A text cast to a text: cut where it is longer, but not padded."""
    type_ = LogicalType.declared(target)
    if value.type != "STRING" or not value.value.isascii() or type_ is None or type_.length is None:
        return None
    text = value.value[: type_.length]
    fits = type_.root == "VARCHAR" or (type_.root == "CHAR" and len(text) == type_.length)
    return Literal(text, "STRING") if fits and text else None


def _date(args: Sequence[Literal]) -> Literal | None:
    """The date of a text in the format of ISO, such as ``2020-01-31``."""
    if len(args) != 1 or args[0].type != "STRING" or not _DATE.fullmatch(args[0].value):
        return None
    try:
        return Literal(date.fromisoformat(args[0].value).isoformat(), "DATE")
    except ValueError:  # There is no such day.
        return None


def _sum(args: Sequence[Literal]) -> Literal | None:
    """A date or timestamp and a length of days, hours or less: ``DATE '2020-01-01' + INTERVAL '1' DAY``."""
    moments = [arg for arg in args if arg.type in _MOMENTS]
    lengths = [arg for arg in args if arg.type == "INTERVAL DAY"]
    return (
        _shifted_literal(moments[0], lengths[0].value) if len(moments) == len(lengths) == 1 and len(args) == 2 else None
    )


def _difference(args: Sequence[Literal]) -> Literal | None:
    """A date or timestamp less such a length."""
    if len(args) != 2 or args[0].type not in _MOMENTS or args[1].type != "INTERVAL DAY":
        return None
    return _shifted_literal(args[0], str(-Decimal(args[1].value)))


def _shifted_literal(moment: Literal, milliseconds: str) -> Literal | None:
    """``moment`` moved; whole days move a date, and whole seconds a timestamp that has whole ones."""
    unit, shape = _MOMENTS[moment.type]
    number = Decimal(milliseconds) / unit
    if number != number.to_integral_value() or not shape.fullmatch(moment.value):
        return None
    try:
        new_moment = datetime.fromisoformat(moment.value) + timedelta(milliseconds=int(number) * unit)
    except (ValueError, OverflowError):  # There is no such day, or none of four digits.
        return None
    return Literal(str(new_moment if moment.type == "TIMESTAMP" else new_moment.date()), moment.type)


def _whole(args: Sequence[Literal]) -> list[int] | None:
    if not all(arg.type == "NUMBER" and arg.value.removeprefix("-").isdigit() for arg in args):
        return None
    return [int(arg.value) for arg in args]


def _absolute(args: Sequence[Literal]) -> Literal | None:
    return Literal(args[0].value.removeprefix("-"), "NUMBER") if len(args) == 1 and args[0].type == "NUMBER" else None


def _divided(args: Sequence[Literal]) -> Literal | None:
    """Whole numbers, rounded towards zero as in Java."""
    numbers = _whole(args)
    if numbers is None or len(numbers) != 2 or numbers[1] == 0:
        return None
    quotient = abs(numbers[0]) // abs(numbers[1])
    return Literal(str(quotient if (numbers[0] < 0) is (numbers[1] < 0) else -quotient), "NUMBER")


def _remainder(args: Sequence[Literal]) -> Literal | None:
    """Whole numbers: the remainder has the sign of the dividend, as in Java."""
    numbers = _whole(args)
    if numbers is None or len(numbers) != 2 or numbers[1] == 0:
        return None
    rest = abs(numbers[0]) % abs(numbers[1])
    return Literal(str(-rest if numbers[0] < 0 else rest), "NUMBER")


def _of_text(function: Callable[[str], str], type_: str = "STRING") -> Callable[[Sequence[Literal]], Literal | None]:
    def compute(args: Sequence[Literal]) -> Literal | None:
        if len(args) != 1 or args[0].type != "STRING" or not args[0].value.isascii():
            return None
        return Literal(function(args[0].value), type_)

    return compute


def _concatenated(args: Sequence[Literal]) -> Literal | None:
    if not all(arg.type == "STRING" for arg in args):
        return None
    return Literal("".join(arg.value for arg in args), "STRING")


def _position(args: Sequence[Literal]) -> Literal | None:
    if len(args) != 2 or not all(arg.type == "STRING" and arg.value.isascii() for arg in args):
        return None
    return Literal(str(args[1].value.find(args[0].value) + 1), "NUMBER")


def _first_value(args: Sequence[Literal]) -> Literal | None:
    return next((arg for arg in args if arg.type != "NULL"), None)


def _unless_equal(args: Sequence[Literal]) -> Literal | None:
    """NULLIF of two constants that differ."""
    return args[0] if len(args) == 2 and compared("=", args) == FALSE else None


def _of_numbers(choose: Callable[[Sequence[int]], int]) -> Callable[[Sequence[Literal]], Literal | None]:
    def compute(args: Sequence[Literal]) -> Literal | None:
        numbers = _whole(args)
        return Literal(str(choose(numbers)), "NUMBER") if numbers else None

    return compute


_FUNCTIONS: dict[str, Callable[[Sequence[Literal]], Literal | None]] = {
    "ABS": _absolute,
    "+": _sum,
    "-": _difference,
    "/": _divided,
    "%": _remainder,
    "GREATEST": _of_numbers(max),
    "LEAST": _of_numbers(min),
    "POSITION": _position,
    "COALESCE": _first_value,
    "IFNULL": _first_value,
    "CHAR_LENGTH": _of_text(lambda text: str(len(text)), "NUMBER"),
    "UPPER": _of_text(str.upper),
    "LOWER": _of_text(str.lower),
    "||": _concatenated,
}
