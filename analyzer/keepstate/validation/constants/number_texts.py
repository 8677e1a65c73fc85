"""Texts of numbers, and the range of those that are literals of Flink."""

from __future__ import annotations

from math import isinf

_LONGS = range(-(2**63), 2**63)
_SHOWN = 40


def is_out_of_range(number: str) -> bool:
    """Return whether Flink has no literal of a number: its digits, with those behind the point, are more than a BIGINT
    holds, or it is larger than a DOUBLE.

    >>> [is_out_of_range(each) for each in ("9223372036854775807", "0.9223372036854775808", "1e308", "1e309")]
    [False, True, False, True]
    """
    try:
        value = float(number)
    except ValueError:
        return False
    return isinf(value) if "E" in number.upper() else int(number.replace(".", "")) not in _LONGS


def shortened(number: str) -> str:
    """The text of a number for a message.

    >>> shortened("1" * 50)
    '1111111111111111111111111111111111111111...'
    """
    return number if len(number) <= _SHOWN else f"{number[:_SHOWN]}..."
