"""Comparisons, conditions and choices."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import partial, reduce

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import BooleanType

from keepstate.plan.expressions import Call, Literal
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.references import SubqueryValue
from keepstate.plan.types.common_types import APPROXIMATE, NUMERIC, as_decimal
from keepstate.plan.types.logical_types import BOOLEAN, LONGEST, LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.cast_columns import TEXT, cast
from keepstate_spark.lowering.edges.mixed_bounds import refuse_mixed_bounds
from keepstate_spark.lowering.edges.not_a_number import COMPARED, compared, has_nan
from keepstate_spark.lowering.functions import time_functions
from keepstate_spark.lowering.functions.json.json_texts import is_json
from keepstate_spark.lowering.functions.map_keys import has_map
from keepstate_spark.lowering.functions.signed_zeros import as_member, has_sign, members, sign_column
from keepstate_spark.lowering.functions.texts import similar
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.scalars import (
    NULL_TYPE,
    ColumnBuilder,
    Rule,
    SparkValue,
    held_as,
    known_type,
)
from keepstate_spark.lowering.spark_columns import DOUBLE, all_true, choice, failing, function_call, nothing, text, true
from keepstate_spark.lowering.spark_types import spark_type

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_BYTES = frozenset({"BINARY", "VARBINARY"})
_MOST_DIGITS = 38
"""The digits of the longest DECIMAL of both."""
_NOTHING = "\x01"
"""The escape character of a LIKE without one: nothing has it."""
_LINE_BREAK = r"[\n\r\u0085\u2028\u2029]"


_EQUATIONS = ("=", "<>", "<=>")
_QUANTIFIERS = ("ANY", "ALL")


def _compared(sign: str, scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    query = next((arg for arg in call.args if isinstance(arg, Call) and arg.name in _QUANTIFIERS), None)
    if query is not None:
        return _quantified(sign, scalars, call, query)
    if _is_truth_beside_text(scalars, call):
        return _truth_beside_text(sign, scalars, call)
    # Whether they are distinct is decided between DOUBLEs.
    left, right = _comparable(scalars, call, equation=sign in ("=", "<>"))
    types = [scalars.value(arg).type for arg in call.args]
    # Flink's planner takes a value for equal to itself, also NaN.
    if all(type_.root in APPROXIMATE for type_ in types) and call.args[0] == call.args[1]:
        return COMPARED[sign](left, right)
    if sign not in _EQUATIONS and any(map(has_map, types)):
        if call.args[0] != call.args[1]:
            raise NotLowerable("Flink has no order of a MAP.", call.place)
        return choice(left.isNotNull(), true() if sign == "<=" else ~true())
    nan = (has_nan(types[0], call.args[0]), has_nan(types[1], call.args[1]))
    if sign not in _EQUATIONS or any(nan):
        return compared(sign, left, right, nan, is_written=isinstance(call.args[0], Literal))
    roots = {type_.root for type_ in types}
    if roots == {"MAP"}:
        return _equation_of(sign, left, right, _equal_maps(left, right))
    # Flink compares an array that the query makes element by element, and other ones by their bytes.
    if roots == {"ARRAY"} and any(isinstance(arg, Call) for arg in call.args):
        has_hole = fn.exists(left, lambda element: element.isNull())
        return _equation_of(sign, left, right, (left == right) & ~has_hole)
    return COMPARED[sign](left, right)


def _is_truth_beside_text(scalars: ColumnBuilder, call: Call) -> bool:
    """Return whether a comparison is one of a BOOLEAN with a text."""
    roots = [scalars.value(arg).type.root for arg in call.args]
    return "BOOLEAN" in roots and any(root in TEXT for root in roots)


def _truth_beside_text(sign: str, scalars: ColumnBuilder, call: Call) -> Column:
    """A comparison of a BOOLEAN with a text. Flink's code asks whether the two objects are equal, which they never are.
    It casts a text in IN.
    """
    one, other = (scalars.value(arg) for arg in call.args)
    # Without a place it may belong to an IN.
    words = call.place.words if call.place is not None else ("IN",)
    if sign != "<=>" and ("IN" in words or sign not in _EQUATIONS):
        raise NotLowerable(
            f"A {one.type} beside a {other.type} is compared as a text in some places of Flink. CAST one of them.",
            call.place,
        )
    if sign == "<=>":
        return one.column.isNull() & other.column.isNull()
    are_values = one.column.isNotNull() & other.column.isNotNull()
    return choice(are_values, ~true() if sign == "=" else true(), nothing(BooleanType()))


def _equal_maps(left: Column, right: Column) -> Column:
    """Return whether maps have the same keys, with the same values. No NULL is the same as another one."""
    entries = function_call("map_entries", left)

    def is_in_right(entry: Column) -> Column:
        value = function_call("try_element_at", right, entry.getField("key"))
        return function_call("coalesce", value == entry.getField("value"), fn.lit(False))

    return (fn.size(left) == fn.size(right)) & fn.forall(entries, is_in_right)


def _equation_of(sign: str, left: Column, right: Column, equal: Column) -> Column:
    """The answer of ``sign``, if ``equal`` is that of ``=`` for two values that are not NULL."""
    both = left.isNotNull() & right.isNotNull()
    if sign == "<=>":
        return choice(both, equal, left.isNull() & right.isNull())
    return choice(both, equal if sign == "=" else ~equal, nothing(BooleanType()))


def _quantified(sign: str, scalars: ColumnBuilder, call: Call, query: Call) -> Column:
    """A comparison with ANY or ALL rows of a query, whose answer is an array of rows."""
    rows = query.args[0]
    if not (isinstance(rows, SubqueryValue) and len(rows.row) == 1):
        raise NotLowerable(f"{query.name} takes a query with one column here.", query.place or call.place)
    others = [None if arg is query else scalars.value(arg) for arg in call.args]

    def of_row(row: Column) -> Column:
        value = SparkValue(row.getField("c0"), known_type(rows.row[0]))
        one, other = (value if each is None else each for each in others)
        columns = _as_comparable(one, other, scalars.zone, call, sign in _EQUATIONS)
        return compared(sign, *columns, (has_nan(one.type), has_nan(other.type)))

    return _over_rows(scalars.answer(rows), of_row, all_rows=query.name == "ALL")


def _over_rows(rows: Column, of: Callable[[Column], Column], all_rows: bool = False) -> Column:
    """Return whether ``of`` is true for one of ``rows``, or for all of them: three-valued. NULL stands for none."""
    return choice(rows.isNull(), fn.lit(all_rows), fn.forall(rows, of) if all_rows else fn.exists(rows, of))


def _in(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """IN of a query, whose answer is an array of rows."""
    value, query = call.args
    values = value.args if isinstance(value, Call) and value.name in ("TUPLE", "ROW") else (value,)
    if not isinstance(query, SubqueryValue) or len(values) != len(query.row):
        raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
    own = [scalars.value(each) for each in values]

    def equal(row: Column) -> Column:
        columns = (SparkValue(row.getField(f"c{index}"), known_type(each)) for index, each in enumerate(query.row))
        pairs = zip(own, columns, strict=True)
        columns_of_both = (_as_comparable(*pair, scalars.zone, call, equation=True) for pair in pairs)
        equal = all_true(*(one == other for one, other in columns_of_both))
        # Keys are compared by their bytes.
        minus = (
            (
                sign_column(value.column) if has_nan(value.type) else ~true(),
                row.getField(f"s{index}") if has_sign(each) else ~true(),
            )
            for index, (value, each) in enumerate(zip(own, query.row, strict=True))
            if has_nan(value.type) or has_sign(each)
        )
        return all_true(equal, *(one == other for one, other in minus))

    return _over_rows(scalars.answer(query), equal)


def equal_keys(scalars: ColumnBuilder, equation: Call) -> Column:
    """The column of an equation that a join takes as keys of its rows: NaN is the same key as NaN, unlike elsewhere."""
    left, right = _comparable(scalars, equation, equation=True)
    return left == right


def _comparable(scalars: ColumnBuilder, call: Call, equation: bool) -> tuple[Column, Column]:
    """Both operands as values that Spark compares as Flink does."""
    one, other = (scalars.value(arg) for arg in call.args)
    return _as_comparable(one, other, scalars.zone, call, equation)


def _as_comparable(one: SparkValue, other: SparkValue, zone: str, call: Call, equation: bool) -> tuple[Column, Column]:
    """Two values of a comparison as Spark compares them as Flink does."""
    if NULL_TYPE in (one.type, other.type) or one.type == other.type:
        return one.column, other.column
    roots = {one.type.root, other.type.root}
    if roots == {"FLOAT", "DOUBLE"} and equation:
        raise NotLowerable(
            "Flink compares a FLOAT with a DOUBLE as whichever is written first, which is not known here. CAST one of "
            "them.",
            call.place,
        )
    if roots == {"ROW"}:
        return _comparable_rows(one, other, zone, call, equation)
    if roots <= NUMERIC or roots <= TEXT or roots <= _BYTES or len(roots) == 1:
        return one.column, other.column
    if roots <= {"TIMESTAMP", "TIMESTAMP_LTZ"}:
        return _moments(one, other, zone, call)
    for word, value in ((one, other), (other, one)):
        if word.type.root in TEXT and (value.type.root in _DATETIMES or (value.type.root in NUMERIC and not equation)):
            converted = cast(word.column, word.type, value.type, zone)
            assert converted is not None
            return (converted, other.column) if word is one else (one.column, converted)
    raise NotLowerable(f"Flink does not compare {one.type} with {other.type}.", call.place)


def _moments(one: SparkValue, other: SparkValue, zone: str, call: Call) -> tuple[Column, Column]:
    """A TIMESTAMP and a TIMESTAMP_LTZ, which differ in the hours that the clock leaves out or shows twice: instants for
    ``=``, ``<>`` and a constant, which Flink casts, and else both on the wall clock.
    """
    by_instant = call.name in ("=", "<>") or any(map(is_constant, call.args))
    columns = [
        time_columns.instant(value.column, zone)
        if by_instant and value.type.root == "TIMESTAMP"
        else time_columns.local(value.column, zone)
        if not by_instant and value.type.root == "TIMESTAMP_LTZ"
        else value.column
        for value in (one, other)
    ]
    return columns[0], columns[1]


def _comparable_rows(
    one: SparkValue, other: SparkValue, zone: str, call: Call, equation: bool
) -> tuple[Column, Column]:
    """Two ROWs of several types in a common one: Spark compares no structs whose numbers have several types."""
    common = _type_of_both(one.type, other.type)
    if common is None or not equation:
        raise NotLowerable(f"A {one.type} cannot be compared with a {other.type} here.", call.place)
    left, right = (cast(value.column, value.type, common, zone, strict=False) for value in (one, other))
    assert left is not None and right is not None
    return left, right


def _type_of_both(one: LogicalType, other: LogicalType) -> LogicalType | None:
    """The type that holds all values of two types as they are; ``None`` if none is known."""
    roots = {one.root, other.root}
    if one == other:
        return one
    for short, long in (("CHAR", "VARCHAR"), ("BINARY", "VARBINARY")):
        if roots <= {short, long}:
            return LogicalType(long, length=LONGEST)
    if len(roots) == 1 and one.elements and len(one.elements) == len(other.elements):
        elements = [_type_of_both(*pair) for pair in zip(one.elements, other.elements, strict=True)]
        fitting = tuple(element for element in elements if element is not None)
        names = tuple(f"F{index}" for index in range(len(one.names)))
        return LogicalType(one.root, elements=fitting, names=names) if len(fitting) == len(elements) else None
    if len(roots) == 1 and one.scale is None and one.precision is not None and other.precision is not None:
        return one if one.precision >= other.precision else other
    first, second = as_decimal(one), as_decimal(other)
    if first is None or second is None:
        return None
    scale = max(first.scale or 0, second.scale or 0)
    digits = max((each.precision or 0) - (each.scale or 0) for each in (first, second)) + scale
    return LogicalType("DECIMAL", precision=digits, scale=scale) if digits <= _MOST_DIGITS else None


def _combination(of: Callable[[Column, Column], Column], scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    refuse_mixed_bounds(call.args, scalars.zone)
    in_sets = members(call.args, call.name)
    args = (as_member(arg) if arg in in_sets else arg for arg in call.args)
    return reduce(of, (scalars.column(arg, BOOLEAN) for arg in args))


def _not(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    return ~scalars.column(call.args[0], BOOLEAN)


def _is(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    value, operand = call.args
    if isinstance(operand, Call) and operand.name == "JSON":
        return is_json(scalars, call, type_)
    word = operand.value.upper() if isinstance(operand, Literal) and operand.type in ("NULL", "BOOLEAN") else ""
    match word:
        case "NULL" | "UNKNOWN":
            return scalars.column(value).isNull()
        case "TRUE" | "FALSE":
            return scalars.column(value).eqNullSafe(fn.lit(word == "TRUE"))
    raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)


def _unlike(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    return ~_compared("<=>", scalars, call, type_)


def _like(scalars: ColumnBuilder, call: Call, _: LogicalType, escape: str = _NOTHING) -> Column:
    """LIKE. An underscore stands for no line break in Flink, and for any character in Spark."""
    value, pattern = (scalars.column(arg) for arg in call.args)
    plain = function_call("like", value, pattern, text(escape))
    constant = call.args[1]
    if isinstance(constant, Literal):
        java = _pattern_of_java(str(constant.value), escape)
        return plain if "_" not in str(constant.value) or java is None else function_call("rlike", value, text(java))
    if escape == _NOTHING:
        quoted = function_call("regexp_replace", pattern, text(r"[\\^$.|?*+()\[\]{}]"), text(r"\\$0"))
        any_text = function_call("replace", quoted, text("%"), text("(?s:.*)"))
        java_column = function_call("replace", any_text, text("_"), text("."))
        return function_call("rlike", value, function_call("concat", text("^(?:"), java_column, text(r")\z")))
    is_doubtful = function_call("rlike", value, text(_LINE_BREAK)) & function_call("contains", pattern, text("_"))
    return choice(
        is_doubtful, failing(text("LIKE meets a line break, and an escape in a pattern that is no constant.")), plain
    )


def _pattern_of_java(pattern: str, escape: str) -> str | None:
    """The regular expression of a pattern of LIKE; ``None``: Flink refuses its escapes."""
    parts: list[str] = []
    signs = iter(pattern)
    for sign in signs:
        if sign == escape:
            sign = next(signs, "")
            if sign not in ("_", "%", escape) or not sign:
                return None
            parts.append(re.escape(sign))
        else:
            parts.append({"_": ".", "%": "(?s:.*)"}.get(sign) or re.escape(sign))
    return f"^(?:{''.join(parts)})\\z"


def _escaped(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    inner, escape = call.args
    if isinstance(inner, Call) and inner.name == "SIMILARTO" and isinstance(escape, Literal) and len(escape.value) == 1:
        return similar(scalars, inner, type_, escape.value)
    if not (
        isinstance(inner, Call) and inner.name == "LIKE" and isinstance(escape, Literal) and len(escape.value) == 1
    ):
        raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
    return _like(scalars, inner, type_, escape.value)


def _case(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    default = scalars.column(call.args[-1], type_)
    branches = list(zip(call.args[:-1:2], call.args[1::2], strict=True))
    if not branches:
        return default
    first, *rest = ((scalars.column(when, BOOLEAN), scalars.column(then, type_)) for when, then in branches)
    case = fn.when(*first)
    for when, then in rest:
        case = case.when(when, then)
    return case.otherwise(default)


def _first_known(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    return function_call("coalesce", *(scalars.column(arg, type_) for arg in call.args))


def _null_if(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    one, other = (scalars.value(arg) for arg in call.args)
    if _is_truth_beside_text(scalars, call):
        return one.column
    if {one.type.root, other.type.root} == {"FLOAT", "DOUBLE"}:
        other = SparkValue(scalars.converted(other, one.type, call.args[1]), one.type)
    left, right = _as_comparable(one, other, scalars.zone, call, equation=True)
    nan = (has_nan(one.type), has_nan(other.type) and call.args[0] != call.args[1])
    return choice(compared("=", left, right, nan), nothing(spark_type(type_)), scalars.column(call.args[0]))


def _extreme(function: str, scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    if len({scalars.value(arg).type.root for arg in call.args} & {"TIMESTAMP", "TIMESTAMP_LTZ"}) > 1:
        raise NotLowerable(
            f"{call.name} of a TIMESTAMP and a TIMESTAMP_LTZ is a time in Flink that nobody meant.", call.place
        )
    values, earlier, stops = [], list[Column](), list[Column]()
    for value, arg in ((scalars.value(arg), arg) for arg in call.args):
        if value.type.root in _NOT_COMPARED:
            raise NotLowerable(f"Flink has no {call.name} of a {value.type}.", arg.place or call.place)
        if value.type.root == "DECIMAL" and not _is_same_decimal(value.type, type_):
            # Flink reads the NULL that it casts, unless an argument in front was NULL.
            stops.append(reduce(operator.and_, earlier, value.column.isNull()))
        earlier.append(value.column.isNotNull())
        # No cast is made of a constant FLOAT beside a DOUBLE.
        widened = (value.type.root, type_.root) == ("FLOAT", "DOUBLE")
        values.append(value.column.cast(DOUBLE) if widened else scalars.converted(value, type_, arg))
    missing = reduce(operator.or_, (value.isNull() for value in values))
    extreme = function_call(function, *values) if len(values) > 1 else values[0]
    if type_.root in APPROXIMATE:
        # To Flink -0.0 is less than 0.0 here.
        minus = [sign_column(value) for value in values]
        no_plus = (~((value == 0) & ~each) for value, each in zip(values, minus, strict=True))
        is_minus = reduce(operator.or_, minus) if function == "least" else reduce(operator.and_, no_plus)
        least, zero = (text(digits).cast(DOUBLE).cast(held_as(type_, call)) for digits in ("-0.0", "0.0"))
        extreme = choice(extreme == 0, choice(is_minus, least, extreme + zero), extreme)
    result = choice(missing, nothing(), extreme)
    if not stops:
        return result
    words = text(f"An argument of {call.name} is a DECIMAL of another type than the result, and NULL. Flink stops.")
    return choice(reduce(operator.or_, stops), failing(words), result)


_NOT_COMPARED = frozenset("ARRAY MAP MULTISET ROW BINARY VARBINARY".split())
"""Types of which Flink compares no two values in GREATEST and LEAST."""


def _is_same_decimal(one: LogicalType, other: LogicalType) -> bool:
    return (one.root, one.precision, one.scale) == (other.root, other.precision, other.scale)


def _overlapping(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """OVERLAPS of two spans: from one time to another, in any order, or for a length of time."""
    ends = []
    for pair in call.args:
        if not (isinstance(pair, Call) and len(pair.args) == 2):
            raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
        first, second = (scalars.value(arg) for arg in pair.args)
        end = second.column
        if second.type.root.startswith("INTERVAL"):
            end = time_functions.shifted("+", scalars, call, (first, second), first.type)
        elif first.type.root != second.type.root:
            raise NotLowerable("OVERLAPS of times of several types cannot be run.", call.place)
        forward = first.column <= end
        ends.append((choice(forward, first.column, end), choice(forward, end, first.column), first.type.root))
    (start, end, root), (other_start, other_end, other_root) = ends
    if root != other_root:
        raise NotLowerable("OVERLAPS of times of several types cannot be run.", call.place)
    return (end >= other_start) & (other_end >= start)


RULES: dict[str, Rule] = {
    "<>": partial(_compared, "<>"),
    "NULLSAFEEQ": partial(_compared, "<=>"),
    "NULLSAFENEQ": _unlike,
    "IN": _in,
    "AND": partial(_combination, operator.and_),
    "OR": partial(_combination, operator.or_),
    "NOT": _not,
    "IS": _is,
    "LIKE": _like,
    "ESCAPE": _escaped,
    "CASE": _case,
    "COALESCE": _first_known,
    "IFNULL": _first_known,
    "COMPUTED": _first_known,
    "NULLIF": _null_if,
    "OVERLAPS": _overlapping,
    "GREATEST": partial(_extreme, "greatest"),
    "LEAST": partial(_extreme, "least"),
    **{sign: partial(_compared, sign) for sign in ("=", "<", "<=")},
}
