"""Lengths of time as people write them, in Flink's milliseconds."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

from keepstate_spark.errors import WindowError

_MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "ms": 1_000,
    "second": 1_000_000,
    "s": 1_000_000,
    "minute": 60_000_000,
    "min": 60_000_000,
    "hour": 3_600_000_000,
    "h": 3_600_000_000,
    "day": 86_400_000_000,
    "d": 86_400_000_000,
    "week": 604_800_000_000,
}
LONGEST = 100_000 * 365 * 86_400_000
"""Milliseconds: Spark counts the microseconds of an interval in 64 bits."""
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)


def milliseconds(length: str | int | timedelta) -> int:
    """The milliseconds of "10 minutes", "1 hour 30 minutes", "-6 min", of a ``timedelta``, or of a number of them.

    A sign counts for the whole. Raises ``WindowError`` for what is no such length: months and years have no fixed one,
    and Flink's windows know nothing finer than a millisecond.

    >>> milliseconds("1 hour 30 minutes"), milliseconds("-6 min")
    (5400000, -360000)
    """
    if isinstance(length, bool) or not isinstance(length, (str, int, timedelta)):
        raise WindowError(f"{length!r} is no length of time.", 'Write it like "10 minutes".')
    if isinstance(length, int):
        check_size(length)
        return length
    if isinstance(length, timedelta):
        micros: int | Fraction = length // timedelta(microseconds=1)
    else:
        micros = _parsed(length)
    millis, rest = divmod(micros, 1000)
    if rest:
        raise WindowError(f"Windows are counted in milliseconds, as in Flink: {length} is no whole number of them.")
    check_size(int(millis))
    return int(millis)


def check_size(length: int) -> None:
    """Raise ``WindowError`` for a number of milliseconds that is longer than Spark counts."""
    if abs(length) > LONGEST:
        raise WindowError(f"A length of {length} ms is longer than 100,000 years.", "Choose a shorter one.")


def _parsed(text: str) -> Fraction:
    body = text.strip()
    sign = -1 if body.startswith("-") else 1
    body = body[1:] if body[:1] in ("+", "-") else body
    total, place = Fraction(0), 0
    while place < len(body):
        match = _PART.match(body, place)
        unit = match[2].lower() if match else ""
        micros = _MICROSECONDS.get(unit) or _MICROSECONDS.get(unit.removesuffix("s"))
        if match is None or micros is None:
            raise WindowError(
                f'"{text}" is no length of time.',
                'Write it like "10 minutes"; units are milliseconds, seconds, minutes, hours, days and weeks.',
            )
        total += Fraction(match[1]) * micros
        place = match.end()
    if place == 0:
        raise WindowError("An empty text is no length of time.", 'Write it like "10 minutes".')
    return sign * total
