"""Functions of regular expressions, of addresses and of texts that may be numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.functions.required_values import made_null
from keepstate_spark.lowering.functions.utf16_units import DIGITS, is_wide, units
from keepstate_spark.lowering.plain_functions import plain_function
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, Rule, unknown_function
from keepstate_spark.lowering.spark_columns import (
    DATE,
    INT,
    STRING,
    choice,
    failing,
    function_call,
    nothing,
    text,
    true,
    unless_null,
    whole,
)

_TOKEN = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[[^\]]*\]|[^\]\\])*\]|\(\?<[A-Za-z]|\(\?|[()|]", re.DOTALL)
_MAY_MISS = re.compile(r"[?*]|\{0*[,}]|\{0,")
_DECIMAL = (
    r"^(?:[+-]?[\p{Nd}&&[\x{0}-\x{FFFF}]]+|[\x00-\x20]*[+-]?(?:NaN|Infinity|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?)[\x00-\x20]*)$"
)
"""The texts that ``Double.parseDouble`` of Java reads, or ``Integer.parseInt``."""
_URL = (
    r"(?s)^[\x00-\x20]*(?i:url:)?(?i:(https?|ftp|file|mailto|jar)):"
    r"(?://((?:([^/?#@]*)@)?(\[[^\]/?#]*\]|[^/?#:@]*)(?::(?:-1|[0-9]*))?)(?=[/?#\x00-\x20]|$)|(?!//))"
    r"([^?#]*?)(\?([^#]*?))?(?:#(.*?))?[\x00-\x20]*$"
)
"""An address as ``java.net.URL`` reads it: protocol, authority, user, host, path, query with its sign, query, and the
part behind ``#``.
"""


class _Group(NamedTuple):
    body: str
    may_miss: bool
    """True if the pattern may be found without this group taking part."""


@dataclass
class _Open:
    """A parenthesis that is not closed yet; ``number`` is 0 if it captures nothing."""

    number: int
    start: int
    is_loose: bool = False
    """True of a parenthesis with alternatives, or one that must not match."""
    inner: list[int] = field(default_factory=list)


def _groups(pattern: str) -> list[_Group]:
    """The capturing groups of a regular expression of Java, by their numbers from 1."""
    groups: dict[int, _Group] = {}
    opened = [_Open(0, 0)]
    count = 0
    for match in _TOKEN.finditer(pattern):
        mark, behind = match[0], match.end()
        if mark.startswith("("):
            captures = mark != "(?"
            count += captures
            negative = pattern[behind : behind + 2].lstrip("<").startswith("!")
            opened.append(_Open(count if captures else 0, match.start(), not captures and negative))
        elif mark == "|":
            opened[-1].is_loose = True
        elif mark == ")" and len(opened) > 1:
            closed = opened.pop()
            own = [closed.number] if closed.number else []
            groups.update((number, _Group(pattern[closed.start + 1 : match.start()], False)) for number in own)
            if _MAY_MISS.match(pattern, behind):
                _miss(groups, own + closed.inner)
            elif closed.is_loose:
                _miss(groups, closed.inner)
            opened[-1].inner += own + closed.inner
    if opened[0].is_loose:
        _miss(groups, list(groups))
    return [groups[number] for number in sorted(groups)]


def _miss(groups: dict[int, _Group], numbers: list[int]) -> None:
    for number in numbers:
        groups[number] = groups[number]._replace(may_miss=True)


def _matches_nothing(body: str) -> bool:
    """Return whether a group may take part and be empty; of a body that Python does not read that is not excluded."""
    try:
        return re.fullmatch(re.sub(r"^\?<\w+>", "", body), "") is not None
    except re.error:
        return True


def _of_group(pattern: Expr, group: Expr) -> Callable[[Column], Column] | None:
    """Return the function from a group as Spark gives it, empty if it took no part, to the group as in Flink; ``None``
    if the pattern has no such group.
    """
    number = int(group.value) if isinstance(group, Literal) and group.value.lstrip("-").isdecimal() else None
    if number == 0:
        return lambda part: part
    words = text("REGEXP_EXTRACT gives an empty text for a group that took no part, which is NULL in Flink.")

    def known(part: Column) -> Column:
        return choice(part == "", failing(words), part)

    if number is None or not isinstance(pattern, Literal):
        return known
    groups = _groups(pattern.value)
    if not 0 < number <= len(groups):
        return None
    own_group = groups[number - 1]
    if not own_group.may_miss:
        return lambda part: part
    return known if _matches_nothing(own_group.body) else lambda part: function_call("nullif", part, text(""))


def _is_pattern(pattern: Column) -> Column:
    """The column that is true if ``pattern`` is a regular expression of Java, and false of another text and of NULL.

    Spark stops at another text, but not within ``try_add`` of a date, which is NULL there. Of a constant the optimizer
    computes this first, and then leaves out the call that depends on it.
    """
    days = function_call("rlike", text(""), pattern).cast(INT)
    return fn.try_add(text("1970-01-01").cast(DATE), days).isNotNull()


_ZEROTH, _FIRST = Literal("0", "NUMBER"), Literal("1", "NUMBER")


def _extracted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """REGEXP_EXTRACT, and REGEXP_SUBSTR of all that is found: NULL where the pattern is not found or is none, or the
    group took no part.
    """
    group = call.args[2] if len(call.args) > 2 else _ZEROTH
    value, pattern = (scalars.column(arg) for arg in call.args[:2])
    as_in_flink = _of_group(call.args[1], group)
    if as_in_flink is None:
        return nothing(STRING)
    part = function_call("regexp_extract", value, pattern, scalars.column(group))
    return choice(_is_pattern(pattern), choice(function_call("rlike", value, pattern), as_in_flink(part)))


def _all_extracted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    group = call.args[2] if len(call.args) > 2 else _FIRST
    if not all(isinstance(arg, Literal) for arg in (call.args[1], group)):
        raise NotLowerable("REGEXP_EXTRACT_ALL needs a constant pattern and a constant group.", call.place)
    as_in_flink = _of_group(call.args[1], group)
    if as_in_flink is None:
        return nothing(ArrayType(STRING))
    value, pattern = (scalars.column(arg) for arg in call.args[:2])
    parts = function_call("regexp_extract_all", value, pattern, scalars.column(group))
    return choice(_is_pattern(pattern), fn.transform(parts, as_in_flink))


def _is_found(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """REGEXP: an empty pattern is found in no text, and so is a text that is no pattern."""
    if len(call.args) != 2:
        raise unknown_function(call)
    value, pattern = map(scalars.column, call.args)
    is_found = choice((pattern != "") & _is_pattern(pattern), function_call("rlike", value, pattern), ~true())
    return unless_null(value, unless_null(pattern, is_found))


def _of_pattern(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """REGEXP_COUNT and REGEXP_REPLACE, which are NULL of a text that is no pattern."""
    function = plain_function(call.name, len(call.args))
    if function is None:
        raise unknown_function(call)
    args = [scalars.column(arg) for arg in call.args]
    none = made_null(call) if call.name == "REGEXP_REPLACE" else nothing()
    return choice(_is_pattern(args[1]), function(*args), none)


_PARTS = {"PROTOCOL": 1, "AUTHORITY": 2, "USERINFO": 3, "HOST": 4, "PATH": 5, "QUERY": 7, "REF": 8}
_OPTIONAL = {
    "AUTHORITY": r"^[^/?#]*//",
    "USERINFO": r"^[^/?#]*//[^/?#]*@",
    "QUERY": r"^[^?#]*\?",
    "REF": "#",
}
"""The parts that an address may not have, and a pattern of those that have them."""


def _url_part(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """PARSE_URL of a constant part. An address that is none, and a part that it does not have, is NULL."""
    part = call.args[1]
    if not (isinstance(part, Literal) and part.type == "STRING"):
        raise NotLowerable("PARSE_URL needs a constant part.", call.place)
    url = scalars.column(call.args[0])
    with_key = len(call.args) > 2
    if part.value not in (*_PARTS, "FILE") or (with_key and part.value != "QUERY"):
        return nothing(STRING)

    def of(number: int) -> Column:
        return function_call("regexp_extract", url, text(_URL), whole(number))

    if part.value == "FILE":
        part_column = function_call("concat", of(5), of(6))
    elif part.value == "PROTOCOL":
        part_column = function_call("lower", of(1))
    else:
        part_column = of(_PARTS[part.value])
    if part.value in _OPTIONAL:
        part_column = choice(function_call("rlike", url, text(_OPTIONAL[part.value])), part_column)
    part_column = choice(function_call("rlike", url, text(_URL)), part_column)
    if not with_key:
        return part_column
    key = function_call("concat", text("(?:&|^)\\Q"), scalars.column(call.args[2]), text("\\E=([^&]*)"))
    return choice(function_call("rlike", part_column, key), function_call("regexp_extract", part_column, key, whole(1)))


def _is_decimal(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    if len(call.args) != 1:
        raise unknown_function(call)
    as_text = scalars.value(call.args[0]).column.cast(STRING)
    return function_call("coalesce", function_call("rlike", as_text, text(_DECIMAL)), ~true())


def _place(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """The place of the first match, in UTF-16 units. Spark 3.5 counts these, and later versions characters."""
    if len(call.args) != 2:
        raise unknown_function(call)
    value, pattern = map(scalars.column, call.args)
    place = function_call("regexp_instr", value, pattern)
    before = function_call("left", value, place - 1)
    in_units = function_call("div", function_call("char_length", units(before)), whole(DIGITS)).cast(INT) + 1
    # The Spark that computes tells which of both it counts, since the client may have another version.
    is_in_units = function_call("regexp_instr", text("\U0001f600x"), text("x")) == 3
    return choice(_is_pattern(pattern), choice((place > 0) & is_wide(value) & ~is_in_units, in_units, place))


RULES: dict[str, Rule] = {
    "REGEXP": _is_found,
    "REGEXP_INSTR": _place,
    "REGEXP_SUBSTR": _extracted,
    "REGEXP_COUNT": _of_pattern,
    "REGEXP_REPLACE": _of_pattern,
    "REGEXP_EXTRACT": _extracted,
    "REGEXP_EXTRACT_ALL": _all_extracted,
    "PARSE_URL": _url_part,
    "IS_DECIMAL": _is_decimal,
}
