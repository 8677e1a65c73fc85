"""Lengths of time in words."""

from __future__ import annotations

from decimal import Decimal

_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1))
_MOST_DIGITS = 20


def duration_words(milliseconds: Decimal) -> str:
    """Return a length of time in words: ``90000`` is "90 seconds", ``86400000`` is "1 day".

    >>> duration_words(Decimal(90_000)), duration_words(Decimal(86_400_000))
    ('90 seconds', '1 day')
    """
    if milliseconds.adjusted() > _MOST_DIGITS:
        # No length of time that an engine keeps, and more than decimals divide.
        return f"{milliseconds:.2E} milliseconds"
    if milliseconds < 0:
        return f"minus {duration_words(-milliseconds)}"
    for unit, length in _UNITS:
        if milliseconds and milliseconds % length == 0:
            count = milliseconds // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{milliseconds} milliseconds" if milliseconds else "0 seconds"
