"""Texts as UTF-16 units, which functions of Java count and cut apart: a character beyond U+FFFF has two.

Units are four hexadecimal digits each. Half a character is ``?`` in Flink.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from keepstate_spark.lowering.spark_columns import choice, function_call, text, whole

DIGITS = 4
"""Hexadecimal digits of a unit."""
_HALF = r"\G((?:(?!D[89A-F]).{4}|D[89AB]..D[C-F]..)*+)D[89A-F].."
WIDE = r"[\x{10000}-\x{10FFFF}]"
"""A pattern of the characters with two units."""


def is_wide(value: Column) -> Column:
    """The column that is true for texts with a character of two units."""
    return function_call("rlike", value, text(WIDE))


def units(value: Column) -> Column:
    """The units of a text."""
    return function_call("hex", function_call("encode", value, text("UTF-16BE")))


def of_units(value: Column) -> Column:
    """The text that ``value`` has the units of."""
    # Nothing is given back, so that no half of a whole character matches.
    whole_units = function_call("regexp_replace", function_call("upper", value), text(_HALF), text("$1003F"))
    return function_call("decode", function_call("unhex", whole_units), text("UTF-16BE"))


def by_units(function: Callable[..., Column], *texts: Column) -> Column:
    """``function`` of texts, or of their units where one is wide. Its first argument is the number of characters that
    stand for one: 1 of texts, and ``DIGITS`` of units.
    """
    any_wide = is_wide(texts[0])
    for other in texts[1:]:
        any_wide = any_wide | is_wide(other)
    return choice(any_wide, of_units(function(whole(DIGITS), *map(units, texts))), function(whole(1), *texts))
