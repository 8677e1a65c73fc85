"""Functions that write JSON: JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_QUOTE and JSON_UNQUOTE."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.cast_columns import TEXT
from keepstate_spark.lowering.functions.json.json_values import as_big_decimal, json_of, read_json
from keepstate_spark.lowering.functions.utf16_units import DIGITS, is_wide, of_units, units
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.scalars import NULL_TYPE, ColumnBuilder, Rule
from keepstate_spark.lowering.spark_columns import (
    DOUBLE,
    INT,
    STRING,
    all_true,
    choice,
    failing,
    function_call,
    text,
    unless_null,
    whole,
)

_MAKERS = frozenset({"JSON_OBJECT", "JSON_ARRAY"})
"""Functions whose result another one takes as JSON, and not as a text."""
_CHOICES = frozenset({"CASE", "COALESCE", "IFNULL", "NULLIF", "GREATEST", "LEAST"})
_ESCAPED = r"[^\x00-\x7F]"


def quoted(value: Column) -> Column:
    """A text in the double quotes of JSON, with its escapes."""
    listed = function_call("to_json", function_call("array", value))
    return unless_null(value, function_call("substring", listed, whole(2), function_call("char_length", listed) - 2))


def value_json(value: Column, type_: LogicalType) -> Column | None:
    """The JSON of a value, NULL of NULL; ``None`` for a type that Flink cannot write, or whose names are not known."""
    root = type_.root
    if root in TEXT:
        return quoted(value)
    if root in INTEGERS or root in ("BOOLEAN", "DECIMAL"):
        return value.cast(STRING)
    if root in APPROXIMATE:
        number = value.cast(DOUBLE).cast(STRING)
        words = text("Neither NaN nor an infinite number is JSON.")
        return choice(
            function_call("rlike", number, text("[0-9]$")), as_big_decimal(number), unless_null(value, failing(words))
        )
    if root == "TIMESTAMP":
        return _moment(value, "")
    if root == "TIMESTAMP_LTZ":
        return _moment(time_columns.local(value, "UTC"), "Z")
    if root == "VARBINARY":
        return function_call("concat", text('"'), function_call("base64", value), text('"'))
    return _collected(value, type_)


def _of_row(value: Column, type_: LogicalType, member: Callable[[Column, int], Column]) -> Column:
    """The object of a ROW: its fields sorted by their names, which have the case in which they are written."""
    names = enumerate(type_.exact_names or type_.names)
    members = (
        function_call("concat", quoted(text(name)), text(":"), member(value.getField(type_.names[index]), index))
        for index, name in sorted(names, key=lambda pair: _as_in_java(pair[1]))
    )
    listed = function_call("concat_ws", text(","), *members)
    return unless_null(value, function_call("concat", text("{"), listed, text("}")))


def _collected(value: Column, type_: LogicalType) -> Column | None:
    elements = type_.elements
    samples = [value_json(fn.lit(None), element) for element in elements]
    if not samples or any(each is None for each in samples):
        return None

    def element(part: Column, index: int) -> Column:
        part_text = value_json(part, elements[index])
        assert part_text is not None
        return function_call("coalesce", part_text, text("null"))

    if type_.root == "ARRAY":
        parts = fn.transform(value, lambda part: element(part, 0))
        return function_call("concat", text("["), function_call("array_join", parts, text(",")), text("]"))
    if type_.root == "ROW":
        return _of_row(value, type_, element)
    if type_.root == "MAP" and elements[0].root in TEXT:
        entries = fn.array_sort(function_call("map_keys", value))
        members = fn.transform(
            entries,
            lambda key: function_call(
                "concat", quoted(key), text(":"), element(function_call("try_element_at", value, key), 1)
            ),
        )
        return function_call("concat", text("{"), function_call("array_join", members, text(",")), text("}"))
    return None


def _moment(wall_clock: Column, zone: str) -> Column:
    """A time as ISO 8601 writes it, with the digits behind the second that it needs."""
    digits = function_call("date_format", wall_clock, text("yyyy-MM-dd'T'HH:mm:ss.SSSSSS"))
    shortened = function_call("regexp_replace", digits, text(r"\.?0+$"), text(""))
    # Of a time without such digits only these six go.
    shortened = choice(
        function_call("endswith", digits, text(".000000")),
        function_call("substring", digits, whole(1), whole(19)),
        shortened,
    )
    return function_call("concat", text('"'), shortened, text(f'{zone}"'))


def member_json(scalars: ColumnBuilder, expr: Expr, function: str, place: Place | None) -> Column:
    """The JSON of an argument of ``function``: that of JSON_OBJECT and JSON_ARRAY is taken as it is."""
    if isinstance(expr, Call) and expr.name in _MAKERS:
        return scalars.column(expr)
    if isinstance(expr, Call) and expr.name == "JSON":
        return _read_again(scalars.column(expr.args[0]), expr)
    if isinstance(expr, Call) and expr.name in _CHOICES and any(_makes_json(arg) for arg in expr.args):
        raise NotLowerable(f"{function} of a choice among values of JSON cannot be run.", expr.place or place)
    value = scalars.value(expr)
    if value.type == NULL_TYPE:
        return value.column.cast(STRING)
    member = value_json(value.column, value.type)
    if member is None:
        raise NotLowerable(f"{function} of a {value.type} cannot be run.", expr.place or place)
    return member


def _read_again(value: Column, call: Call) -> Column:
    """JSON of a text: its value, as JSON_QUERY writes it. A blank text has none, and any other one stops the query."""
    json_text = function_call(
        "coalesce", json_of(read_json(value, call)), failing(value, text(" is no JSON. Flink stops here."))
    )
    has_value = function_call("rlike", value, text(r"[^ \t\n\r]"))
    return choice(has_value, json_text)


def _makes_json(expr: Expr) -> bool:
    return any(isinstance(node, Call) and node.name in _MAKERS for node in expr.walk())


def _clause_of(call: Call) -> str:
    return " ".join(str(arg) for arg in call.args if isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE")


def _object(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """JSON_OBJECT: the names are sorted, and of equal ones the last counts."""
    absent = "ABSENT ON NULL" in _clause_of(call)
    members: dict[str, Column] = {}
    for pair in call.args:
        if not (isinstance(pair, Call) and pair.name == "JSONKEYVALUE"):
            continue
        key = pair.args[0]
        if not (isinstance(key, Literal) and key.type == "STRING"):
            raise NotLowerable("JSON_OBJECT needs constant names.", call.place)
        member = member_json(scalars, pair.args[1], call.name, call.place)
        if absent and key.value in members:
            raise NotLowerable("JSON_OBJECT ABSENT ON NULL with a name that comes twice cannot be run.", call.place)
        member_text = member if absent else function_call("coalesce", member, text("null"))
        members[key.value] = function_call("concat", quoted(text(key.value)), text(":"), member_text)
    return _brackets("{", [members[name] for name in sorted(members, key=_as_in_java)], "}")


def _as_in_java(name: str) -> bytes:
    """The sort key of a name: Java compares units of UTF-16."""
    return name.encode("utf-16-be")


def _array(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    keeps_nulls = "NULL ON NULL" in _clause_of(call) and "ABSENT" not in _clause_of(call)
    args = [arg for arg in call.args if not (isinstance(arg, Call) and arg.name == "FUNCTIONCLAUSE")]
    members = [member_json(scalars, arg, call.name, call.place) for arg in args]
    return _brackets(
        "[", [function_call("coalesce", one, text("null")) for one in members] if keeps_nulls else members, "]"
    )


def _brackets(start: str, members: list[Column], end: str) -> Column:
    """The members between brackets, without those that are NULL."""
    if not members:
        return text(start + end)
    return function_call("concat", text(start), function_call("concat_ws", text(","), *members), text(end))


def _string(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value = scalars.value(call.args[0])
    json_text = value_json(value.column, value.type)
    if json_text is None:
        raise NotLowerable(f"JSON_STRING of a {value.type} cannot be run.", call.place)
    return json_text


def _quoted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """JSON_QUOTE: beyond ASCII all characters are escapes, and a slash is one as well."""
    value = scalars.column(call.args[0])
    for character, escape in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("/", "\\/"),
        ("\b", "\\b"),
        ("\f", "\\f"),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
    ):
        value = function_call("replace", value, text(character), text(escape))
    characters = function_call("regexp_extract_all", value, text("(?s)(.)"), whole(1))

    def escaped(character: Column) -> Column:
        own = units(character)
        high, low = (function_call("substring", own, whole(1 + at), whole(DIGITS)) for at in (0, DIGITS))
        number = (_of_digits(high) - 0xD800) * 0x400 + _of_digits(low) - 0xDC00 + 0x10000
        # Flink writes the number of the whole character, and its second half once more.
        escapes = choice(is_wide(character), _escape(function_call("hex", number), low), _escape(own))
        return choice(function_call("rlike", character, text(_ESCAPED)), escapes, character)

    inner = function_call("array_join", fn.transform(characters, escaped), text(""))
    return unless_null(value, function_call("concat", text('"'), inner, text('"')))


def _of_digits(digits: Column) -> Column:
    return function_call("conv", digits, whole(16), whole(10)).cast(INT)


def _escape(*codes: Column) -> Column:
    return function_call("lower", function_call("concat", *(part for code in codes for part in (text("\\u"), code))))


def _unquoted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """JSON_UNQUOTE: the content of a text in double quotes; anything else, and one with a wrong escape, stays."""
    value = scalars.column(call.args[0])
    shape = function_call("rlike", value, text(r'^(?s)"(?:[^\\\x00-\x1F]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$'))
    inner = function_call("substring", value, whole(2), function_call("char_length", value) - 2)
    pieces = function_call("regexp_extract_all", inner, text(r"(?s)((?:\\u[0-9a-fA-F]{4})+|\\.|[^\\]+)"), whole(1))

    def plain(piece: Column) -> Column:
        characters = of_units(function_call("replace", piece, text("\\u"), text("")))
        letter = function_call(
            "translate", function_call("substring", piece, whole(2)), text("bfnrt"), text("\b\f\n\r\t")
        )
        single = choice(function_call("startswith", piece, text("\\")), letter, piece)
        return choice(function_call("startswith", piece, text("\\u")), characters, single)

    content = function_call("array_join", fn.transform(pieces, plain), text(""))
    return choice(all_true(shape, function_call("char_length", value) > 1), content, value)


def json_object_of_groups(scalars: ColumnBuilder, call: AggregateCall) -> Column:
    """JSON_OBJECTAGG: the keys are sorted, and one that comes twice or is NULL stops the query."""
    pair = call.args[0]
    if not (isinstance(pair, Call) and len(pair.args) == 2):
        raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
    key, value = (scalars.value(arg) for arg in pair.args)
    if pair.args[0] == pair.args[1]:
        raise NotLowerable("JSON_OBJECTAGG of a key that is its value too is quoted twice by Flink.", call.place)
    if key.type.root not in TEXT:
        raise NotLowerable(f"JSON_OBJECTAGG with a key that is a {key.type} cannot be run.", call.place)
    member = member_json(scalars, pair.args[1], call.function, call.place)
    key_text = function_call(
        "coalesce", key.column, failing(text("The key of a JSON_OBJECTAGG is NULL. Flink stops here."))
    )
    member_text = function_call("coalesce", member, text("null"))
    entry = function_call("struct", key_text.alias("key"), member_text.alias("value"))
    absent = "ABSENT ON NULL" in " ".join(str(arg) for arg in call.args[1:])
    entries = fn.array_sort(function_call("collect_list", choice(value.column.isNotNull(), entry) if absent else entry))
    keys = fn.array_distinct(fn.transform(entries, lambda entry: entry.getField("key")))
    words = text("The same key comes twice in a JSON_OBJECTAGG. Flink stops here.")
    members = fn.transform(
        entries,
        lambda entry: function_call("concat", quoted(entry.getField("key")), text(":"), entry.getField("value")),
    )
    result = function_call("concat", text("{"), function_call("array_join", members, text(",")), text("}"))
    return choice(function_call("size", keys) < function_call("size", entries), failing(words), result)


RULES: dict[str, Rule] = {
    "JSON_OBJECT": _object,
    "JSON_ARRAY": _array,
    "JSON_STRING": _string,
    "JSON_QUOTE": _quoted,
    "JSON_UNQUOTE": _unquoted,
}
