"""The length of interval literals.

``INTERVAL '10' MINUTE``, ``INTERVAL '00:10' HOUR TO MINUTE`` and ``INTERVAL '600' SECOND(3)`` are one length. Day-time
intervals are milliseconds, year-month intervals are months, as in Flink.
"""

from __future__ import annotations

import re
from decimal import Decimal

_MILLISECONDS = {"WEEK": 604_800_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_DAY_TIME = ("DAY", "HOUR", "MINUTE", "SECOND")
_FIELD = re.compile(r"\d+(?:\.\d+)?")
_MOST_DIGITS = 20
"""Of a field: Flink takes ten."""


def interval_length(text: str, start: str, end: str | None = None) -> tuple[str, str] | None:
    """Return the value and type of an interval literal: ``("600000", "INTERVAL DAY")`` or ``("12", "INTERVAL YEAR")``.

    ``text`` is the text between the quotes, ``start`` and ``end`` are the unit names (plural or not). ``None`` if the
    text does not fit the units.

    >>> interval_length("1:30", "HOUR", "MINUTE"), interval_length("2", "YEARS")
    (('5400000', 'INTERVAL DAY'), ('24', 'INTERVAL YEAR'))
    >>> interval_length("soon", "DAY") is None
    True
    """
    first = singular(start)
    last = singular(end) if end else first
    body = text.strip()
    negative = body.startswith("-")
    values = [Decimal(value) for value in _FIELD.findall(body)]
    if not values:
        return None
    sign = -1 if negative else 1
    if first in _MONTHS:
        units = ["YEAR", "MONTH"] if last != first else [first]
        return _total(sign, values, units, _MONTHS, "INTERVAL YEAR")
    if first not in _MILLISECONDS or last not in _MILLISECONDS:
        return None
    if first == last:
        units = [first]
    elif first in _DAY_TIME and last in _DAY_TIME and _DAY_TIME.index(first) < _DAY_TIME.index(last):
        units = list(_DAY_TIME[_DAY_TIME.index(first) : _DAY_TIME.index(last) + 1])
    else:
        return None
    return _total(sign, values, units, _MILLISECONDS, "INTERVAL DAY")


def _total(
    sign: int, values: list[Decimal], units: list[str], lengths: dict[str, int], type_: str
) -> tuple[str, str] | None:
    if len(values) != len(units) or max(value.adjusted() for value in values) > _MOST_DIGITS:
        return None
    total = sign * sum((value * lengths[unit] for value, unit in zip(values, units, strict=True)), Decimal(0))
    return (format(total.normalize(), "f") if total else "0"), type_


def singular(unit: str) -> str:
    """The name of a unit of time as it stands in plans: ``DAY`` for ``days``.

    >>> singular("days"), singular("Hour")
    ('DAY', 'HOUR')
    """
    name = unit.strip().upper()
    return name[:-1] if name.endswith("S") and name[:-1] in {*_MILLISECONDS, *_MONTHS} else name
