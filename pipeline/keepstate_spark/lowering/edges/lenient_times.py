"""Times in texts as Java's ``SimpleDateFormat`` reads them: by the beginning of a text, and numbers of any size.

A month 13 is the first one of the next year, and words behind the pattern do not count. ``java.sql.Timestamp`` reads a
whole text of one form, with hours, minutes and seconds of any size.
"""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import Column

from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.older_versions import try_cast
from keepstate_spark.lowering.spark_columns import (
    DATE,
    INT,
    STRING,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    text,
    whole,
)

_PART = re.compile(r"([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+")
_UNITS = {"M": "MONTH", "d": "DAY", "H": "HOUR", "m": "MINUTE", "s": "SECOND", "S": "MILLISECOND"}
_FROM_ONE = frozenset("Md")
_BLANKS = "[ \t]*"
"""In front of a number; others have to be as in the pattern."""
_FIXED = frozenset({"yyyy", "MM", "dd", "HH", "mm", "ss"})
"""Numbers of a fixed length in a pattern."""
_LONGEST = 6
"""Digits of a number that stays within the range of times."""
_SQL_DATE = "([0-9]{4})-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])"
_SQL_NUMBER = f"([+-]?[0-9]{{1,{_LONGEST}}})"
_SQL_TIME = f"^[\\x00- ]*{_SQL_DATE}(?: {_SQL_NUMBER}:{_SQL_NUMBER}:{_SQL_NUMBER}(?:[.]([0-9]{{1,9}}))?)?[\\x00- ]*$"


def sql_time(value: Column) -> Column:
    """Return the wall-clock time in a text as ``java.sql.Timestamp`` and ``java.sql.Date`` read it, in milliseconds, or
    NULL. A day that its month does not have is one of the next month, and the year 0 is the year 1.
    """
    year, month, day, hour, minute, second, fraction = (
        function_call("regexp_extract", value, text(_SQL_TIME), whole(at)) for at in range(1, 8)
    )
    first = function_call("concat", choice(year == text("0000"), text("0001"), year), text("-01-01"))
    milliseconds = function_call("rpad", function_call("substring", fraction, whole(1), whole(3)), whole(3), text("0"))
    counts = {
        "MONTH": month.cast(INT) - whole(1),
        "DAY": day.cast(INT) - whole(1),
        **{
            unit: function_call("coalesce", function_call("nullif", digits, text("")).cast(INT), whole(0))
            for unit, digits in (("HOUR", hour), ("MINUTE", minute), ("SECOND", second))
        },
        "MILLISECOND": milliseconds.cast(INT),
    }
    time = reduce(lambda so_far, unit: time_columns.shifted(so_far, unit, counts[unit]), counts, first.cast(WALL_CLOCK))
    return choice(function_call("rlike", value, text(_SQL_TIME)), time)


def day_within_month(value: Column, pattern: str) -> tuple[Column, ...]:
    """Return ``value`` with the last day of its month in place of a later one, NULL if the day is none of these: Java
    reads 2026-02-30 so. Nothing for a pattern in which year, month and day have no fixed places.
    """
    places: dict[str, int] = {}
    at = 1
    for match in _PART.finditer(pattern):
        if match[1] is not None and match[0] not in _FIXED:
            break
        if match[1] is not None:
            places[match[1]] = at
        at += len(match[0] if match[2] is None else match[2].replace("''", "'"))
    if not places.keys() >= set("yMd"):
        return ()
    year, month, day = (
        function_call("substring", value, whole(places[letter]), whole(digits))
        for letter, digits in (("y", 4), ("M", 2), ("d", 2))
    )
    first = try_cast(function_call("concat_ws", text("-"), year, month, text("01")), DATE)
    last = function_call("day", function_call("last_day", first))
    number = try_cast(day, INT)
    before = function_call("substring", value, whole(1), whole(places["d"] - 1))
    behind = function_call("substring", value, whole(places["d"] + 2))
    within = function_call("concat", before, last.cast(STRING), behind)
    return (choice((number > last) & (number <= whole(31)), within),)


def lenient_time(value: Column, pattern: str) -> Column | None:
    """Return the wall-clock time at the beginning of a text, NULL if there is none; ``None`` for a pattern with other
    parts than numbers apart from each other. A text with a sign, or with a year after 9999, ends the query.
    """
    letters, form = _form_of(pattern)
    if letters is None or form is None:
        return None
    exact = form.replace("#", f"{_BLANKS}([0-9]{{1,{_LONGEST}}})(?![0-9])")
    possible = form.replace("#", f"{_BLANKS}-?[0-9]+")
    groups = {letter: _whole_number(value, exact, at) for at, letter in enumerate(letters, 1)}
    year = groups.pop("y", whole(1970))
    start = function_call("concat", function_call("lpad", year.cast(STRING), whole(4), text("0")), text("-01-01"))
    time = reduce(
        lambda so_far, letter: time_columns.shifted(
            so_far, _UNITS[letter], groups[letter] - whole(1) if letter in _FROM_ONE else groups[letter]
        ),
        groups,
        start.cast(WALL_CLOCK),
    )
    words = text(f" is a time by '{pattern}' to Flink, and is not computed here.")
    is_known = function_call("rlike", value, text(exact)) & (year >= whole(1)) & (year <= whole(9999))
    other = choice(function_call("rlike", value, text(possible)), failing(value, words))
    return choice(is_known, time, other.cast(WALL_CLOCK))


def _whole_number(value: Column, form: str, at: int) -> Column:
    """The number in a group of a regular expression, NULL if the text does not match."""
    digits = function_call("regexp_extract", value, text(form), whole(at))
    return function_call("nullif", digits, text("")).cast(INT)


def _form_of(pattern: str) -> tuple[list[str] | None, str | None]:
    """The letters of a pattern and its regular expression with ``#`` for each number."""
    letters: list[str] = []
    form = "^"
    was_number = False
    for match in _PART.finditer(pattern):
        letter = match[1]
        if letter is None:
            words = match[2].replace("''", "'") if match[2] is not None else match[0]
            form += re.escape(words).replace("#", "[#]")
        elif was_number or letter in letters or not _is_number(letter, len(match[0])):
            return None, None
        else:
            letters.append(letter)
            form += "#"
        was_number = letter is not None
    return letters, form


def _is_number(letter: str, length: int) -> bool:
    # ``yy`` is a year of this century, and MMM a name.
    return (letter == "y" and length != 2) or (letter in _UNITS and (letter != "M" or length <= 2))
