"""Casts, arrays, maps and rows."""

from __future__ import annotations

from functools import partial

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.references import ColumnOfRight
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.functions.signed_zeros import sign_column
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import (
    NULL_TYPE,
    ColumnBuilder,
    Rule,
    SparkValue,
    as_type,
    held_as,
    unknown_function,
    with_its_digits,
)
from keepstate_spark.lowering.spark_columns import (
    INT,
    choice,
    failing,
    function_call,
    let,
    nothing,
    text,
    true,
    unless_null,
    whole,
)


def _cast(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    value = scalars.value(call.args[0])
    if value.type == NULL_TYPE:
        return nothing(held_as(type_, call))
    result = cast(
        with_its_digits(value, type_, call.args[0]),
        value.type,
        type_,
        scalars.zone,
        call.name == "CAST",
        _is_of_json(scalars, call.args[0]),
    )
    if result is None:
        held_as(type_, call)
        raise NotLowerable(f"A cast from {value.type} to {type_} is not known.", call.place)
    return result


def _array(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    return function_call("array", *(scalars.column(arg, type_.elements[0]) for arg in call.args))


def _map(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    key_type, value_type = type_.elements
    keys = [scalars.column(arg, key_type) for arg in call.args[::2]]
    if key_type.root in APPROXIMATE:
        words = text("A key of a MAP is -0.0, which Spark takes for 0.0.")
        keys = [choice(sign_column(key), failing(words), key) for key in keys]
    pairs = zip(keys, (scalars.column(arg, value_type) for arg in call.args[1::2]), strict=True)
    return function_call("map", *(column for pair in pairs for column in pair))


def _map_of_text(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """STR_TO_MAP, whose separators are regular expressions. The last entries do not count if they are empty."""
    if len(call.args) not in (1, 3):
        raise unknown_function(call)
    value, *separators = (scalars.column(arg) for arg in call.args)
    between, behind_key = separators or (text(","), text("="))
    # Spark cuts at nothing by characters, and Java by UTF-16 units.
    entries = function_call("split", value, choice(between == "", text("(?:)"), between))

    def pair(entry: Column) -> Column:
        return let(
            function_call("split", entry, behind_key, whole(2)),
            lambda parts: function_call(
                "struct",
                function_call("get", parts, whole(0)).alias("key"),
                function_call("get", parts, whole(1)).alias("value"),
            ),
        )

    entry_map = function_call("map_from_entries", fn.transform(let(entries, _without_last_blanks), pair))
    words = text("STR_TO_MAP with nothing between key and value cuts texts in Flink as Spark does not.")
    return unless_null(behind_key, choice(behind_key == "", failing(words), entry_map))


def _without_last_blanks(parts: Column) -> Column:
    """The texts up to the last one that is not empty."""
    are_filled = fn.transform(function_call("reverse", parts), lambda part: part != "")
    blanks = function_call("array_position", are_filled, true()).cast(INT) - 1
    size = choice(blanks < 0, whole(0), function_call("size", parts) - blanks)
    return function_call("slice", parts, whole(1), size)


_IN_WRITTEN_ORDER = frozenset({"MAP", "MAP_FROM_ARRAYS"})
"""The functions whose entries keep the order in which they are written."""


def _is_of_json(scalars: ColumnBuilder, expr: Expr) -> bool:
    """Return whether the MAPs in ``expr`` come from JSON, with their entries in the order of Flink."""
    match expr:
        case ColumnOfRight():
            return _is_of_json(scalars, expr.column)
        case Call(name="." | "BRACKET"):
            return _is_of_json(scalars, expr.args[0])
    return isinstance(expr, TableColumn) and scalars.maps_in_order


def _of_entries(function: str, scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """The keys, the values or both of a MAP in Flink's order, which is known of entries in the text or in JSON, and of
    one.
    """
    if len(call.args) != 1:
        raise unknown_function(call)
    map_ = scalars.column(call.args[0])
    is_written = isinstance(call.args[0], Call) and call.args[0].name in _IN_WRITTEN_ORDER
    if is_written or _is_of_json(scalars, call.args[0]):
        return function_call(function, map_)
    words = text(f"{call.name} of several entries has the order of a hash in Flink, which Spark does not keep.")
    return choice(function_call("size", map_) > 1, failing(words), function_call(function, map_))


def _row(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    fields = zip(type_.names, call.args, strict=True)
    return function_call("named_struct", *(part for name, arg in fields for part in (text(name), scalars.column(arg))))


def _item(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    collection = scalars.value(call.args[0])
    index = scalars.column(call.args[1])
    entries = call.args[0]
    if collection.type.root == "MAP":
        value = function_call("try_element_at", collection.column, index)
        if isinstance(entries, Call) and entries.name == "MAP" and all(map(_is_constant, entries.args[1::2])):
            words = text("A key that a map of constants does not have has no value of Flink's.")
            return choice(value.isNull(), failing(words), value)
        return value
    item = choice(index < 1, nothing(), function_call("get", collection.column, index - 1))
    if isinstance(entries, Call) and entries.name == "ARRAY" and all(map(_is_constant, entries.args)):
        # Of elements that are NOT NULL Flink gives -1 or a blank there.
        words = text("An element behind the end of an array of constants is no value of Flink's.")
        return choice(index > len(entries.args), failing(words), item)
    return item


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type != "NULL"


def _nested(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    row, name = scalars.column(call.args[0]), call.args[1]
    assert isinstance(name, Literal)
    return row.getField(name.value.upper())


def _element(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    array = scalars.column(call.args[0])
    return choice(
        function_call("size", array) > 1,
        failing(text("ELEMENT of more than one element")),
        function_call("get", array, whole(0)),
    )


def _grouping_id(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    if call.name == "GROUPING" and len(call.args) == 1:
        raise NotLowerable("GROUPING of a column is known beside GROUPING SETS, CUBE or ROLLUP only.", call.place)
    result = whole(0)
    for arg in call.args:
        result = result * 2 + scalars.column(Call("GROUPING", (arg,), place=call.place))
    return as_type(result, type_)


def _sorted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """ARRAY_SORT by constants: ascending, and whether NULL comes first."""
    words = [arg.value.upper() if isinstance(arg, Literal) and arg.type == "BOOLEAN" else "" for arg in call.args[1:]]
    if not all(words):
        raise NotLowerable("ARRAY_SORT is known with constant TRUE and FALSE only.", call.place)
    ascending = words[:1] != ["FALSE"]
    nulls_first = words[1] == "TRUE" if len(words) > 1 else ascending
    array = scalars.column(call.args[0])
    if ascending == nulls_first:
        return function_call("sort_array", array, fn.lit(ascending))
    return fn.array_sort(array) if ascending else function_call("reverse", fn.array_sort(array))


RULES: dict[str, Rule] = {
    "ARRAY_SORT": _sorted,
    "CAST": _cast,
    "TRY_CAST": _cast,
    "ARRAY": _array,
    "MAP": _map,
    "STR_TO_MAP": _map_of_text,
    "MAP_KEYS": partial(_of_entries, "map_keys"),
    "MAP_VALUES": partial(_of_entries, "map_values"),
    "MAP_ENTRIES": partial(_of_entries, "map_entries"),
    "ROW": _row,
    "TUPLE": _row,
    "BRACKET": _item,
    ".": _nested,
    "ELEMENT": _element,
    "GROUPING": _grouping_id,
    "GROUPING_ID": _grouping_id,
    "GROUP_ID": _grouping_id,
}


_NULL_ROW = "A ROW of UNNEST WITH ORDINALITY is NULL: Flink stops there, unless a filter on its fields drops it first."


def elements_of(collection: SparkValue, with_places: bool) -> Column | None:
    """Return the array of the elements that UNNEST makes rows of; with ``with_places`` each of them is a ``value`` with
    its ``place``, from 1. ``None`` for a type that it cannot be run for: a MULTISET has no places that Spark knows.
    """
    column, root = collection.column, collection.type.root
    if root == "MAP":
        column = function_call("map_entries", column)
    elif root == "MULTISET" and not with_places:
        column = fn.flatten(fn.transform(fn.map_entries(column), _each_time))
    elif root != "ARRAY":
        return None
    if root != "MAP" and collection.type.elements[0].root == "ROW":
        if with_places:
            return fn.transform(column, _row_with_place)
        # Flink makes no row of a ROW that is NULL.
        column = fn.filter(column, Column.isNotNull)
    return fn.transform(column, _with_place) if with_places else column


def _each_time(entry: Column) -> Column:
    """An element of a MULTISET, once for each time it is there."""
    return fn.array_repeat(entry.getField("key"), entry.getField("value"))


def _row_with_place(element: Column, index: Column) -> Column:
    """A ROW with its place. Of one that is NULL Flink makes fewer columns than its planner says (seen with 2.3.0)."""
    return choice(element.isNotNull(), _with_place(element, index), failing(text(_NULL_ROW)))


def _with_place(element: Column, index: Column) -> Column:
    return function_call("struct", element.alias("value"), (index + 1).alias("place"))
