"""Times in texts as Java's ``SimpleDateFormat`` reads them: by the beginning of a text, and numbers of any size.

A month 13 is the first one of the next year, and words behind the pattern do not count.
"""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import Column

from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.spark_columns import INT, STRING, WALL_CLOCK, choice, failing, function_call, text, whole

_PART = re.compile(r"([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+")
_UNITS = {"M": "MONTH", "d": "DAY", "H": "HOUR", "m": "MINUTE", "s": "SECOND", "S": "MILLISECOND"}
_FROM_ONE = frozenset("Md")
_BLANKS = "[ \t]*"
"""In front of a number; others have to be as in the pattern."""
_LONGEST = 6
"""Digits of a number that stays within the range of times."""


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
