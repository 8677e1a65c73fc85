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


def length(written: AnyLength) -> Duration | Rows:
    """Return a length. Raises ``WindowError`` for a text that is none."""
    if isinstance(written, Rows):
        return written
    match = _ROWS.fullmatch(written) if isinstance(written, str) else None
    return Rows(int(match[1])) if match else Duration(milliseconds(written))


def positive(what: str, written: AnyLength) -> Duration | Rows:
    """Return a length greater than zero. ``what`` begins the sentence of the error."""
    read = length(written)
    if (read.count if isinstance(read, Rows) else read.milliseconds) <= 0:
        raise WindowError(f"{what} is {written}; it must be more than nothing.")
    return read


def time_only(what: str, written: AnyLength) -> int:
    """The milliseconds of a length that may not be a number of rows."""
    read = positive(what, written)
    if isinstance(read, Rows):
        raise WindowError(f"{what} is {written}, and rows do not measure it.", 'Write a time, like "10 minutes".')
    return read.milliseconds
