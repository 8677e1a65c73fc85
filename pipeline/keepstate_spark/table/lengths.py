"""Lengths of windows: a time or a number of rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from keepstate_spark.errors import WindowError
from keepstate_spark.windows import milliseconds

_ROWS = re.compile(r"\s*(\d+)\s*rows?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Rows:
    """A number of rows.

    >>> Tumble.over(Rows(3)) == Tumble.over("3 rows")
    True
    """

    count: int


@dataclass(frozen=True)
class Duration:
    """A time in milliseconds."""

    milliseconds: int


class Bound(Enum):
    """An end of a window that is no distance from its row. A range ends with all rows of the same time."""

    UNBOUNDED_ROWS = "unbounded rows"
    UNBOUNDED_RANGE = "unbounded range"
    CURRENT_ROW = "current row"
    CURRENT_RANGE = "current range"


UNBOUNDED_ROWS = Bound.UNBOUNDED_ROWS
UNBOUNDED_RANGE = Bound.UNBOUNDED_RANGE
CURRENT_ROW = Bound.CURRENT_ROW
CURRENT_RANGE = Bound.CURRENT_RANGE

AnyLength = str | int | timedelta | Rows
"""Accepted spellings of a length: "10 minutes", "3 rows", ``Rows(3)``, a ``timedelta``, or a number of milliseconds."""


def length(text: AnyLength) -> Duration | Rows:
    """Return a length. Raises ``WindowError`` for a text that is none."""
    if isinstance(text, Rows):
        return text
    match = _ROWS.fullmatch(text) if isinstance(text, str) else None
    return Rows(int(match[1])) if match else Duration(milliseconds(text))


def positive(subject: str, text: AnyLength) -> Duration | Rows:
    """Return a length greater than zero. ``subject`` begins the sentence of the error."""
    parsed = length(text)
    if (parsed.count if isinstance(parsed, Rows) else parsed.milliseconds) <= 0:
        raise WindowError(f"{subject} is {text}; it must be more than nothing.")
    return parsed


def time_only(subject: str, text: AnyLength) -> int:
    """The milliseconds of a length that may not be a number of rows."""
    parsed = positive(subject, text)
    if isinstance(parsed, Rows):
        raise WindowError(f"{subject} is {text}, and rows do not measure it.", 'Write a time, like "10 minutes".')
    return parsed.milliseconds
