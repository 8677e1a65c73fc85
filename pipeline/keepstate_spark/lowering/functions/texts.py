"""Functions of texts."""

from __future__ import annotations

import re
from functools import partial

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType

from keepstate.plan.expressions import Call, Literal
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.cast_columns import TEXT
from keepstate_spark.lowering.functions.utf16_units import WIDE, by_units, units
from keepstate_spark.lowering.plain_functions import replacement, split
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import (
    ColumnBuilder,
    Rule,
    unknown_function,
)
from keepstate_spark.lowering.spark_columns import (
    INT,
    STRING,
    choice,
    failing,
    function_call,
    nothing,
    text,
    unless_null,
    whole,
)


def _trimmed(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """TRIM, whose words and characters lowering keeps as arguments of their own."""
    side, values = "BOTH", []
    for arg in call.args:
        if isinstance(arg, Literal) and arg.type == "NAME":
            side = arg.value.rpartition("=")[2].upper()
        else:
            values.append(scalars.column(arg))
    characters = text(" ") if len(values) == 1 else values[1]
    return function_call({"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "trim"), characters, values[0])


def _capitalised(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """Lower INITCAP. Flink knows the letters and digits of ASCII only: any other character ends a word and stays."""
    value = scalars.column(call.args[0])
    words = function_call("regexp_extract_all", value, text("([A-Za-z0-9]+|[^A-Za-z0-9]+)"), whole(1))

    def capitalised(word: Column) -> Column:
        first, rest = function_call("left", word, whole(1)), function_call("substring", word, whole(2))
        capitalized = function_call("concat", function_call("upper", first), function_call("lower", rest))
        return choice(function_call("rlike", word, text("^[A-Za-z0-9]")), capitalized, word)

    return function_call("array_join", fn.transform(words, capitalised), text(""))


def _first_byte(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """ASCII: the first byte of a text in UTF-8, with its sign, and 0 of none."""
    hexadecimal = function_call("substring", function_call("hex", scalars.column(call.args[0])), whole(1), whole(2))
    byte = function_call("conv", hexadecimal, whole(16), whole(10)).cast(INT)
    return choice(hexadecimal == "", whole(0), choice(byte > 127, byte - 256, byte))


def _replaced(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value, searched, substitute = (scalars.column(arg) for arg in call.args)
    replaced = function_call("replace", value, searched, substitute)
    if isinstance(call.args[1], Literal) and call.args[1].value:
        return replaced
    # Around every character there is a place where nothing can be found.
    return choice(searched == "", function_call("regexp_replace", value, text(""), replacement(substitute)), replaced)


def _overlaid(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value, substitute, start, *length = (scalars.column(arg) for arg in call.args)

    def overlaid(size: Column, value: Column, substitute: Column) -> Column:
        result = function_call("overlay", value, substitute, (start - 1) * size + 1, *(each * size for each in length))
        # Nothing follows if nothing is replaced.
        shortened = function_call("concat", function_call("left", value, (start - 1) * size), substitute)
        result = choice(length[0] <= 0 if length else substitute == "", shortened, result)
        outside = (start < 1) | (start > function_call("div", function_call("char_length", value), size))
        return choice(outside, value, result)

    return by_units(overlaid, value, substitute)


def _padded(function: str, scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """LPAD and RPAD. With nothing to fill up with Flink has no value, also where nothing is missing."""
    value, length, padding = (scalars.column(arg) for arg in call.args)

    def padded(size: Column, value: Column, padding: Column) -> Column:
        full = length * size
        never = (padding == "") | (length < 0)
        return choice(never, nothing(), function_call(function, value, full, padding))

    return by_units(padded, value, padding)


def _split(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """SPLIT: of an empty text there is no part; nothing separates all characters, and halves of some."""
    value, separator = (scalars.column(arg) for arg in call.args)
    none = unless_null(separator, function_call("array").cast(ArrayType(STRING)))
    halves = function_call("regexp_replace", value, text(WIDE), text("??"))
    characters = function_call("regexp_extract_all", halves, text("(?s)(.)"), whole(1))
    return choice(value == "", none, choice(separator == "", characters, split(value, separator)))


def _hashed(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """HASH_CODE: that of Java, of a text without its sign."""
    value = scalars.value(call.args[0])
    column = value.column
    match value.type.root:
        case "CHAR" | "VARCHAR":
            own_units = function_call("regexp_extract_all", units(column), text("(.{4})"), whole(1))

            def added(total: Column, unit: Column) -> Column:
                return total * 31 + function_call("conv", unit, whole(16), whole(10)).cast(INT)

            return function_call("abs", unless_null(column, fn.aggregate(own_units, whole(0), added)))
        case "TINYINT" | "SMALLINT" | "INT":
            return column.cast(INT)
        case "BIGINT":
            return column.bitwiseXOR(function_call("shiftrightunsigned", column, whole(32))).cast(INT)
        case "BOOLEAN":
            return choice(column, whole(1231), unless_null(column, whole(1237)))
    raise NotLowerable(f"HASH_CODE of a {value.type} cannot be run.", call.place)


def similar(scalars: ColumnBuilder, call: Call, _: LogicalType, escape: str = "") -> Column:
    """SIMILAR TO a constant pattern: a regular expression, but for % and _ and its classes."""
    value, pattern = call.args
    if not (isinstance(pattern, Literal) and pattern.type == "STRING"):
        raise NotLowerable("SIMILAR TO needs a constant pattern.", call.place)
    parts = []
    for part in re.findall(rf"{re.escape(escape)}.|{_CLASS}|." if escape else rf"{_CLASS}|.", pattern.value, re.DOTALL):
        java = _java_of(part, escape)
        if java is None:
            raise NotLowerable(f"What {part} means in a pattern of SIMILAR TO is not known here.", call.place)
        parts.append(java)
    return function_call("rlike", scalars.column(value), text(rf"^(?:{''.join(parts)})\z"))


def _java_of(part: str, escape: str) -> str | None:
    """The part of a pattern of SIMILAR TO in Java's regular expressions; ``None`` if it is not known."""
    if escape and part.startswith(escape):
        return re.escape(part[1:]) if part[1:] and part[1:] in _SPECIAL + escape else None
    class_name = re.fullmatch(r"\[\[:(\w+):\]\]", part)
    if class_name is not None:
        return (
            _NAMED_CLASSES.get(class_name[1].upper())
            if class_name[1] in (class_name[1].upper(), class_name[1].lower())
            else None
        )
    if len(part) > 1:
        return part if re.fullmatch(_PLAIN_CLASS, part) else None
    return {"_": ".", "%": "(?s:.*)", "\\": None, "$": None, "^": None, "[": None, "]": None}.get(part, part)


_CLASS = r"\[\[:\w+:\]\]|\[[^\[\]]*\]"
_PLAIN_CLASS = r"\[\^?[^\[\]^&:%_\\]+\]"
_SPECIAL = "_%|*+?{}()[]"
_NAMED_CLASSES = {
    "ALPHA": r"\p{Alpha}",
    "UPPER": r"\p{Upper}",
    "LOWER": r"\p{Lower}",
    "DIGIT": r"\d",
    "ALNUM": r"\p{Alnum}",
    "SPACE": "[ ]",
    "WHITESPACE": r"\s",
}


def _part(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """SPLIT_INDEX, counted from zero; the separator may be the number of a character."""
    if len(call.args) != 3:
        raise unknown_function(call)
    value, separator, index = (scalars.value(arg) for arg in call.args)
    if separator.type.root in INTEGERS:
        number = separator.column
        by = choice((number > 0) & (number < 256), function_call("chr", number))
    else:
        by = separator.column
    # Nothing separates at white space.
    parts = choice(by == "", function_call("split", value.column, text(r"\s")), split(value.column, by))
    part = function_call("get", parts, index.column)
    return choice((value.column == "") | (index.column < 0), nothing(), part)


def _elt(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """ELT: the argument of a number, counted from one; the number is an INT."""
    number = scalars.value(call.args[0])
    if number.type.root not in ("INT", "NULL"):
        raise NotLowerable(f"ELT by a {number.type} fails in Flink, which needs an INT.", call.place)
    values = function_call("array", *(scalars.column(arg, type_) for arg in call.args[1:]))
    return choice(number.column >= 1, function_call("get", values, number.column - 1))


def _instr(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """INSTR: the place of a part from a place on, or from one counted from the end back to the beginning."""
    value, part, *more = (scalars.column(arg) for arg in call.args)
    if not more:
        return function_call("instr", value, part)
    nth = call.args[3].value if len(call.args) > 3 and isinstance(call.args[3], Literal) else "1"
    if len(call.args) > 3 and not (isinstance(call.args[3], Literal) and nth.isdecimal() and 0 < int(nth) <= _MOST):
        raise NotLowerable(f"INSTR needs a constant occurrence from 1 to {_MOST}.", call.place)
    start = more[0]
    length, size = function_call("char_length", value), function_call("char_length", part)
    forward = function_call("locate", part, value, start)
    reverse = function_call("reverse", part), function_call("reverse", value)
    back = function_call("locate", *reverse, function_call("greatest", 1 - start - size, whole(1)))
    for _again in range(int(nth) - 1):
        forward = choice(forward > 0, function_call("locate", part, value, forward + 1), whole(0))
        back = choice(back > 0, function_call("locate", *reverse, back + 1), whole(0))
    backward = choice((back > 0) & (-start <= length), length - back - size + 2, whole(0))
    position = choice(start > 0, forward, choice(start < 0, backward, whole(0)))
    are_known = value.isNotNull() & part.isNotNull() & start.isNotNull()
    return choice(are_known, choice(part == "", whole(1), position))


_MOST = 20
"""Each occurrence is a call within the former one."""
_PRINTED = frozenset(INTEGERS) | TEXT | frozenset({"BOOLEAN", "FLOAT", "DOUBLE"})


def _printed(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """PRINTF with a constant format. Flink gives NULL where the format does not fit; Spark stops there."""
    form, *args = call.args
    if not (isinstance(form, Literal) and form.type == "STRING"):
        raise NotLowerable("PRINTF needs a constant format.", call.place)
    values = [scalars.value(arg) for arg in args]
    if not all(value.type.root in _PRINTED for value in values):
        raise NotLowerable("PRINTF is known of whole and floating numbers, texts and BOOLEAN only.", call.place)
    if "%n" in form.value or re.search(r"%[^a-zA-Z%]*[tThH]", form.value):
        raise NotLowerable("PRINTF with %n, %t or %h cannot be run.", call.place)
    return function_call("format_string", text(form.value), *(value.column for value in values))


def _from_base64(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """FROM_BASE64, which stops at a text that is none, as the decoder of Java does."""
    value = scalars.column(call.args[0])
    decoded = function_call("unbase64", value).cast(STRING)
    words = text("A text is no Base64, and so Flink stops.")
    return choice(function_call("rlike", value, text(_BASE64)), decoded, unless_null(value, failing(words)))


_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?\z"


def _unhexed(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """UNHEX. Of an odd number of digits Flink checks the first one, and makes a byte of zeros of it."""
    if len(call.args) != 1:
        raise unknown_function(call)
    digits = scalars.column(call.args[0])
    value = function_call("unhex", digits)
    without_first = function_call(
        "unhex", function_call("concat", text("00"), function_call("substring", digits, whole(2)))
    )
    is_odd = function_call("char_length", digits) % 2 == 1
    return choice(is_odd & value.isNotNull(), without_first, value)


def _bytes(_: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    """A constant of bytes, ``X'0A'``."""
    (digits,) = call.args
    assert isinstance(digits, Literal) and type_.root == "BINARY"
    return function_call("unhex", text(digits.value.rpartition("=")[2]))


RULES: dict[str, Rule] = {
    "FROM_BASE64": _from_base64,
    "HEXSTRING": _bytes,
    "UNHEX": _unhexed,
    "LPAD": partial(_padded, "lpad"),
    "RPAD": partial(_padded, "rpad"),
    "SPLIT": _split,
    "INSTR": _instr,
    "PRINTF": _printed,
    "SPLIT_INDEX": _part,
    "HASH_CODE": _hashed,
    "SIMILARTO": similar,
    "TRIM": _trimmed,
    "ASCII": _first_byte,
    "ELT": _elt,
    "INITCAP": _capitalised,
    "REPLACE": _replaced,
    "OVERLAY": _overlaid,
}
