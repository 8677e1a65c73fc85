"""Intervals and units of time as they are written: values that fit their units, and lengths."""

from __future__ import annotations

import re
from decimal import Decimal

from sqlglot import exp

from keepstate.plan.scalars.interval_lengths import interval_length, singular
from keepstate.syntax.placeholders import is_filled_in
from keepstate.text import Span
from keepstate.validation.values.scopes import refuse

TIME_FRAMES = frozenset(
    """NANOSECOND MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR DECADE CENTURY MILLENNIUM EPOCH
    DOW DOY ISODOW ISOYEAR FRAC_SECOND SQL_TSI_SECOND SQL_TSI_MINUTE SQL_TSI_HOUR SQL_TSI_DAY SQL_TSI_WEEK SQL_TSI_MONTH
    SQL_TSI_QUARTER SQL_TSI_YEAR SQL_TSI_FRAC_SECOND SQL_TSI_MICROSECOND""".split()
)
"""Units that EXTRACT, FLOOR, TIMESTAMPADD and TIMESTAMPDIFF take."""

_DIGITS = 2
"""Digits that the first field of an interval has unless its unit says more."""
_MOST_DIGITS = 3
"""Digits that Flink's planner takes at most."""
_SPACE = r"\s*[+-]?\s*"
_FRACTION = r"(?:\.\d{1,6})?"
_WHOLE = re.compile(_SPACE + r"(\d+)\s*\Z")
_SECONDS = re.compile(_SPACE + r"(\d+)" + _FRACTION + r"\s*\Z")
_FIELDS = {"DAY": r"\d+", "HOUR": r"(?:[01]?\d|2[0-3])", "MINUTE": r"[0-5]?\d", "SECOND": r"[0-5]?\d" + _FRACTION}
_BETWEEN = {"DAY": " ", "HOUR": ":", "MINUTE": ":"}


def check_interval(node: exp.Expression, at: Span) -> None:
    """Refuse at ``at`` an interval whose value does not fit its unit.

    Raises:
        Refused: it does not fit.
    """
    unit, value = node.args.get("unit"), node.this
    precision = _precision(node)
    if isinstance(value, exp.Neg):
        value = value.this
    if unit is None or not isinstance(value, exp.Literal) or not value.is_string or is_filled_in(value.name):
        return
    first, last = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit, None)
    start, end = singular(first.name), singular(last.name) if last is not None else None
    pattern = _pattern(start, end)
    if pattern is None:
        return
    match = pattern.match(value.name)
    words = f"{start} TO {end}" if end else start
    if match is None:
        refuse("interval-value", at, f"'{value.name}' is no value of INTERVAL {words}.")
    if len(match[1].lstrip("0")) > precision:
        message = f"'{value.name}' has more than {precision} digits: write {start}(3), or take a larger unit."
        refuse("interval-value", at, message)


def has_too_many_digits(node: exp.Expression) -> bool:
    """Return whether the unit asks for more digits than Flink's planner takes in an expression."""
    unit = node.args.get("unit")
    first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
    months = first is not None and singular(first.name) in ("YEAR", "QUARTER", "MONTH")
    return not months and _precision(node) > _MOST_DIGITS


def milliseconds(node: exp.Expression | None) -> Decimal | None:
    """The length of a day-time interval that is written as a constant; ``None`` for any other expression."""
    length = _length(node)
    return Decimal(length[0]) if length is not None and length[1] == "INTERVAL DAY" else None


def is_months(node: exp.Expression | None) -> bool:
    """Return whether ``node`` is an interval of months or years, which no window takes."""
    length = _length(node)
    return length is not None and length[1] == "INTERVAL YEAR"


def _length(node: exp.Expression | None) -> tuple[str, str] | None:
    if not isinstance(node, exp.Interval) or node.args.get("unit") is None:
        return None
    value, unit = node.this, node.args["unit"]
    sign = ""
    if isinstance(value, exp.Neg):
        value, sign = value.this, "-"
    if not isinstance(value, exp.Literal):
        return None
    first, last = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit, None)
    return interval_length(sign + value.name, first.name, last.name if last is not None else None)


def _precision(node: exp.Expression) -> int:
    unit = node.args.get("unit")
    precision = node.args.get("precision") or (
        unit.args.get("precision") if isinstance(unit, exp.IntervalSpan) else None
    )
    return int(precision[0].name) if precision else _DIGITS


def _pattern(start: str, end: str | None) -> re.Pattern[str] | None:
    if end is None:
        return _SECONDS if start == "SECOND" else _WHOLE
    if (start, end) == ("YEAR", "MONTH"):
        return re.compile(_SPACE + r"(\d+)-(?:0?\d|1[01])\s*\Z")
    units = list(_FIELDS)
    if start not in units or end not in units or units.index(start) >= units.index(end):
        return None
    text = r"(\d+)"
    for before, unit in zip(
        units[units.index(start) :], units[units.index(start) + 1 : units.index(end) + 1], strict=False
    ):
        text += _BETWEEN[before] + _FIELDS[unit]
    return re.compile(_SPACE + text + r"\s*\Z")
