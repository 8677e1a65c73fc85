"""Flink's aggregate functions as columns of Spark, for groups and for OVER windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, WindowSpec
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, DecimalType

from keepstate.plan.expressions import AggregateCall, Call, Expr, FunctionOrigin, Literal
from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, NUMERIC
from keepstate.plan.types.logical_types import BOOLEAN, LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.cast_columns import TEXT, narrowed
from keepstate_spark.lowering.deviations import MOMENTS, deviation, is_root, multiset, spread
from keepstate_spark.lowering.edges.extremes import (
    RowIntake,
    extreme,
    extreme_of_parts,
    extreme_parts,
    has_both_signs,
    is_exact,
    may_overflow,
    sum_in_order,
    sum_or_stop,
)
from keepstate_spark.lowering.edges.interpolation import percentile
from keepstate_spark.lowering.edges.not_a_number import has_nan, is_nan
from keepstate_spark.lowering.functions.json.json_writing import json_object_of_groups, member_json
from keepstate_spark.lowering.functions.signed_zeros import sign_column
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, SparkValue, as_type, held_as, known_type
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    DOUBLE,
    FLOAT,
    STRING,
    all_true,
    choice,
    failing,
    frame_column,
    function_call,
    nothing,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type

BY_ORDER = frozenset("FIRST_VALUE LAST_VALUE LISTAGG STRING_AGG ARRAY_AGG JSON_ARRAYAGG".split())
"""Functions whose value shows the order of rows."""
LISTS = frozenset({"LISTAGG", "STRING_AGG", "ARRAY_AGG"})
"""Functions whose value is a list of values."""
KEEPS_ORDER = LISTS | {"FIRST_VALUE", "LAST_VALUE"}
"""Functions of DISTINCT values whose value shows the order in which these came."""
ORDERED = BY_ORDER | frozenset(MOMENTS)
"""Functions whose result depends on the order of rows; of variances and deviations it is the last bit."""
_OF_ANY_ORDER = frozenset({"COLLECT", "SUM", "SUM0", "AVG", "PERCENTILE", *MOMENTS})
_ESTIMATED = NUMERIC | TEXT | frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
"""The types of which Flink and Spark make the same estimate (HyperLogLog++) of the same hashes (XXH64)."""
_ERROR = 0.01
"""The relative error that Flink asks for in an estimate."""
_NUMBERS = ("NUMBER", "DOUBLE")
_RANKS = {
    "ROW_NUMBER": "row_number",
    "RANK": "rank",
    "DENSE_RANK": "dense_rank",
    "PERCENT_RANK": "percent_rank",
    "CUME_DIST": "cume_dist",
}
_NEIGHBOURS = {"LAG": "lag", "LEAD": "lead"}


@dataclass(frozen=True)
class Aggregates:
    """Builds aggregates over the rows that ``scalars`` sees; ``arrival`` are the columns that order these as they came,
    ``over`` is the OVER window, ``None`` for groups.
    """

    scalars: ColumnBuilder
    arrival: tuple[str, ...] = ()
    over: WindowSpec | None = None
    times: tuple[Column, ...] | None = None
    """The columns that order rows of an OVER window in front of ``arrival``; ``None`` if no order is known."""
    beside_moments: bool = False
    """Flink divides sums of the type of the values for AVG in an aggregation that has a variance or deviation too."""
    never_null: Callable[[Expr], bool] = lambda _: False
    """Predicate for arguments that Flink derives as NOT NULL."""
    run: str | None = None
    """The column that orders DISTINCT values of OVER windows."""
    intake: RowIntake = RowIntake.IN_ORDER
    """The way in which Flink takes the rows."""
    so_far: WindowSpec | None = None
    """The frame of all rows up to the current one, of an OVER window that takes rows back."""
    by_rows: bool = False
    """The frame of such a window counts rows."""
    fills: bool = False
    """LAG and LEAD have what Flink gives out for a NULL in a column that is NOT NULL; otherwise they fail there."""

    def column(self, call: AggregateCall) -> Column:
        """Return the column of an aggregate. Raises ``NotLowerable`` for one that Spark cannot compute."""
        if call.origin is not FunctionOrigin.BUILT_IN:
            raise NotLowerable(f"{call.function} is no aggregate function of Flink's own.", call.place)
        if call.function in _RANKS and self.over is not None:
            return self._windowed(function_call(_RANKS[call.function])).cast(held_as(known_type(call), call))
        args = [self.argument(call, index) for index, arg in enumerate(call.args) if not _is_clause(arg)]
        function, _, modifier = call.function.partition(" ")
        if modifier and function in _NEIGHBOURS:
            raise NotLowerable(f"Flink takes no notice of {modifier} of {function}.", call.place)
        if modifier and function not in ("FIRST_VALUE", "LAST_VALUE"):
            raise NotLowerable(f"{call.function} cannot be run.", call.place)
        match function:
            case "COUNT":
                return self._count(call, args)
            case "SUM" | "SUM0":
                total = self._sum(call, args[0], known_type(call))
                return function_call("coalesce", total, whole(0)) if function == "SUM0" else total
            case "AVG":
                return self._average(call, args[0], known_type(call))
            case "APPROX_COUNT_DISTINCT" if self.over is None and args[0].type.root in _ESTIMATED:
                return fn.approx_count_distinct(_hashed(args[0]), _ERROR)
            case "MIN" | "MAX" if args[0].type.root not in ("ARRAY", "MAP", "ROW"):
                return self._extreme(call, function.lower(), args[0])
            case "SINGLE_VALUE" if self.over is None:
                more = function_call("count", whole(1)) > 1
                return choice(more, failing(text("more than one row")), function_call("max", args[0].column))
            case "FIRST_VALUE" | "LAST_VALUE":
                return self._nth(call, args[0], first=function == "FIRST_VALUE")
            case "LAG" | "LEAD" if self.over is not None:
                return self._neighbour(call, args, _NEIGHBOURS[function])
            case "NTILE" if self.over is not None:
                return self._windowed(function_call("ntile", args[0].column)).cast(BIGINT)
            case "LISTAGG" | "STRING_AGG" if self._lists(call):
                return self._listagg(call, args)
            case "ARRAY_AGG" if self._lists(call) and not _is_ordered(call):
                values = self._values(call, args[0].column, keep_nulls=True)
                return choice(function_call("size", values) > 0, values)
            case "COLLECT" if self.over is None or not call.distinct:
                return multiset(self._values(call, args[0].column))
            case "PERCENTILE":
                return self._percentile(call, args)
            case "JSON_ARRAYAGG" if self.over is None:
                return self._json_array(call)
            case "JSON_OBJECTAGG" if self.over is None:
                return json_object_of_groups(self.scalars, call)
            case _ if function in MOMENTS and self.over is None and args[0].type.root in NUMERIC:
                value = deviation(self._values(call, args[0].column.cast(DOUBLE)), function)
                return narrowed(value, known_type(call))
            case _ if function in MOMENTS and not call.distinct and args[0].type.root in (*INTEGERS, "DECIMAL"):
                return self._spread(call, args[0], known_type(call))
            case _ if function in MOMENTS and args[0].type.root in APPROXIMATE and not call.distinct:
                return self._windowed(function_call(MOMENTS[function], args[0].column)).cast(
                    held_as(known_type(call), call)
                )
        words = " over a window" if self.over is not None else ""
        raise NotLowerable(f"The aggregate {call.function}{words} cannot be run.", call.place)

    def argument(self, call: AggregateCall, index: int) -> SparkValue:
        """An argument, NULL for rows that FILTER leaves out; separators and offsets are the same for all rows."""
        value = self.scalars.value(call.args[index])
        if call.filter is None or (index and isinstance(call.args[index], Literal)):
            return value
        return SparkValue(choice(self.scalars.column(call.filter, BOOLEAN), value.column), value.type)

    def _windowed(self, aggregate: Column) -> Column:
        return aggregate if self.over is None else aggregate.over(self.over)

    def _aggregated(self, call: AggregateCall, function: str, value: Column) -> Column:
        """``sum`` or ``count`` of ``value``, of its distinct values if ``call`` is of these."""
        if not call.distinct:
            return self._windowed(function_call(function, value))
        if self.over is None:
            return fn.sum_distinct(value) if function == "sum" else fn.count_distinct(value)
        if known_type(call.args[0]).root in APPROXIMATE:
            # Their sum depends on the order in which they are added.
            raise NotLowerable(f"{call.function} of DISTINCT values over a window cannot be run.", call.place)
        values, type_ = self._windowed(function_call("collect_set", value)), _wide(known_type(call), call)
        total = fn.aggregate(values, whole(0).cast(type_), lambda total, each: (total + each).cast(type_))
        return choice(function_call("size", values) > 0, total)

    def _count(self, call: AggregateCall, args: list[SparkValue]) -> Column:
        if not args or (call.args == (_ONE,) and not call.distinct):
            one = choice(self.scalars.column(call.filter, BOOLEAN), whole(1)) if call.filter is not None else whole(1)
            return self._windowed(function_call("count", one))
        values = [arg.column for arg in args]
        if not call.distinct:
            return self._windowed(function_call("count", *values))
        zero_signs = [sign_column(arg.column) for arg in args if arg.type.root in APPROXIMATE]
        if self.over is None:
            return fn.count_distinct(*values, *zero_signs)
        if len(args) > 1:
            raise NotLowerable("COUNT of several DISTINCT values over a window cannot be run.", call.place)
        parts = (part.alias(f"c{index}") for index, part in enumerate((*values, *zero_signs)))
        value = choice(values[0].isNotNull(), function_call("struct", *parts)) if zero_signs else values[0]
        return function_call("size", self._windowed(function_call("collect_set", value))).cast(BIGINT)

    def _extreme(self, call: AggregateCall, function: str, value: SparkValue) -> Column:
        if not has_nan(value.type, call.args[0]) or (
            # The largest of values that only grow takes nothing back.
            self.intake is RowIntake.WITH_RETRACTION and not _is_extreme(call.args[0])
        ):
            return self._windowed(function_call(function, value.column))
        nan = text("NaN").cast(held_as(value.type, call))
        if self.over is not None:
            return extreme(function, value.column, nan, self._first_of_frame, self._windowed)
        if self.arrival and self.intake is RowIntake.IN_ORDER:
            order = choice(value.column.isNotNull(), self._order(call))
            return extreme(
                function, value.column, nan, lambda each: function_call("min_by", each, order), self._windowed
            )
        return extreme_of_parts(function, *extreme_parts(function, value.column), nan)

    def _first_of_frame(self, value: Column) -> Column:
        return self._windowed(function_call("first_value", value, true()))

    def _sum_of_decimals(self, call: AggregateCall, value: SparkValue, total: Column, begins_anew: bool) -> Column:
        """``total``, of long DECIMALs: NULL behind an overflow, up to the next value if it then ``begins_anew``."""
        if self.over is None and self.arrival and self.intake is RowIntake.IN_ORDER and is_exact(value.type):
            return sum_in_order(self._values(call, value.column), value.type, begins_anew)
        windowed = self._windowed if self.so_far is None else lambda each: each.over(self.so_far)
        size = windowed(function_call("sum", function_call("abs", value.column.cast(DOUBLE))))
        if not begins_anew:
            # Of values of one sign a sum that overflowed stays NULL, in whichever order they come.
            size = choice(has_both_signs(value.column, windowed), size, whole(0).cast(DOUBLE))
        return sum_or_stop(call.function, total, size, value.type)

    def _finite(self, call: AggregateCall, value: SparkValue, result: Column, so_far: WindowSpec) -> Column:
        """``result``, a sum or an average over a frame: NaN and infinity stay in it when Flink takes them back."""
        odd = choice(is_nan(value.column - value.column), whole(1))
        count = function_call("count", odd)
        stays = choice(
            self._windowed(function_call("count", value.column)) > 0, text("NaN").cast(held_as(value.type, call))
        )
        if not self.by_rows:
            stays = failing(
                text(f"{call.function} takes NaN or infinity out of a frame. Flink keeps it for some time.")
            )
        return choice(count.over(so_far) > self._windowed(count), stays, result)

    def _sum(self, call: AggregateCall, value: SparkValue, type_: LogicalType) -> Column:
        if type_.root == "FLOAT" and self.over is None:
            # Flink adds FLOAT to FLOAT, and so the order of rows counts.
            values = self._values(call, value.column)
            total = fn.aggregate(values, text("-0.0").cast(FLOAT), lambda total, each: total + each)
            return choice(function_call("size", values) > 0, total)
        total = as_type(self._aggregated(call, "sum", _widened(value, _wide(type_, call))), type_)
        if self.so_far is not None and value.type.root in APPROXIMATE:
            total = self._finite(call, value, total, self.so_far)
        if may_overflow(value.type):
            return self._sum_of_decimals(call, value, total, begins_anew=not self.beside_moments)
        if type_.root != "DOUBLE" or call.function != "SUM" or self.over is not None:
            return total
        # Spark begins with 0.0, and Flink with the first value.
        return choice(function_call("min", sign_column(value.column)), text("-0.0").cast(DOUBLE), total)

    def _average(self, call: AggregateCall, value: SparkValue, type_: LogicalType) -> Column:
        """The average in the type of the values: of whole numbers it is whole, too."""
        count = self._count(call, [value])
        if self.beside_moments and type_.root != "DECIMAL":
            total = self._sum(call, value, type_)
            return as_type(function_call("div", total, count) if type_.root in INTEGERS else total / count, type_)
        if type_.root in INTEGERS:
            total = self._aggregated(call, "sum", _widened(value, BIGINT))
            # Over windows the sum has the type of the values, and wraps around.
            total = as_type(total, type_) if self.over is not None else total
            return as_type(function_call("div", total, count), type_)
        if type_.root == "DECIMAL":
            total = self._aggregated(call, "sum", value.column.cast(DecimalType(38, value.type.scale or 0)))
            if may_overflow(value.type):
                total = self._sum_of_decimals(call, value, total, begins_anew=False)
            return as_type(total / count.cast(DecimalType(20, 0)), type_)
        number = _widened(value, DOUBLE)
        if self.so_far is not None:
            return as_type(self._finite(call, value, self._windowed(function_call("avg", number)), self.so_far), type_)
        if call.distinct:
            return as_type(self._aggregated(call, "sum", number) / count, type_)
        return as_type(self._windowed(function_call("avg", number)), type_)

    def _percentile(self, call: AggregateCall, args: list[SparkValue]) -> Column:
        """PERCENTILE; its numbers are DOUBLE."""
        share = call.args[1]
        shares = share.args if isinstance(share, Call) and share.name == "ARRAY" else (share,)
        if call.distinct or not all(isinstance(part, Literal) and part.type in _NUMBERS for part in shares):
            raise NotLowerable("PERCENTILE is known with constant percentages and without DISTINCT only.", call.place)
        if args[0].type.root not in NUMERIC:
            raise NotLowerable(f"PERCENTILE of a {args[0].type} cannot be run.", call.place)
        parts = [self.scalars.column(part).cast(DOUBLE) for part in shares]
        number = args[0].column.cast(DOUBLE)
        frequency = args[2].column.cast(BIGINT) if len(args) > 2 else None
        values = percentile(number, parts, frequency, lambda each: self._windowed(function_call("collect_list", each)))
        return values[0] if share is shares[0] else choice(values[0].isNotNull(), function_call("array", *values))

    def _json_array(self, call: AggregateCall) -> Column:
        member = member_json(self.scalars, call.args[0], call.function, call.place)
        if call.filter is not None:
            member = choice(self.scalars.column(call.filter, BOOLEAN), member)
        keeps_nulls = "NULL ON NULL" in " ".join(str(arg) for arg in call.args[1:])
        values = self._values(call, member, keeps_nulls)
        members = fn.transform(values, lambda each: function_call("coalesce", each, text("null")))
        return function_call("concat", text("["), function_call("array_join", members, text(",")), text("]"))

    def _nth(self, call: AggregateCall, value: SparkValue, first: bool) -> Column:
        """The first or last value that is not NULL, in the order in which rows came; of DISTINCT values each counts
        when it comes first.
        """
        if call.distinct:
            if not self._lists(call):
                raise NotLowerable(f"{call.function} of DISTINCT values cannot be run over this window.", call.place)
            values = self._values(call, value.column)
            place = whole(1 if first else -1)
            return choice(function_call("size", values) > 0, function_call("element_at", values, place))
        if self.over is not None:
            return self._windowed(function_call("first_value" if first else "last_value", value.column, true()))
        order = choice(value.column.isNull(), nothing(), self._order(call))
        return function_call("min_by" if first else "max_by", value.column, order)

    def _order(self, call: AggregateCall) -> Column:
        if not self.arrival:
            raise NotLowerable(
                f"{call.function} goes by the order in which rows come, which nothing tells of these rows.", call.place
            )
        return function_call("struct", *(self.times or ()), *map(frame_column, self.arrival))

    def _lists(self, call: AggregateCall) -> bool:
        """Return whether the values of ``call`` come in a known order: of groups, and of OVER windows over times."""
        return self.over is None or (self.times is not None and (not call.distinct or self.run is not None))

    def _spread(self, call: AggregateCall, value: SparkValue, type_: LogicalType) -> Column:
        """A variance or deviation over a window. Whole numbers stay whole in each step, and wrap around."""
        number = as_type(value.column, type_)
        total = self._sum(call, SparkValue(number, type_), type_)
        squares = self._sum(call, SparkValue(as_type(number * number, type_), type_), type_)
        count = self._windowed(function_call("count", number))
        if type_.root in ("TINYINT", "SMALLINT"):
            words = text(f"Flink divides by the number of rows as a {type_}, which is 0 here.")
            count = choice((count > 0) & (as_type(count, type_) == 0), failing(words), count)
        result = spread(squares, total, count, call.function, type_)
        return narrowed(result, type_) if is_root(call.function) else result

    def _neighbour(self, call: AggregateCall, args: list[SparkValue], function: str) -> Column:
        offset = call.args[1] if len(args) > 1 else _ONE
        if not (isinstance(offset, Literal) and offset.value.isdecimal()):
            raise NotLowerable(f"{call.function} needs a constant offset.", call.place)
        rows, value = whole(int(offset.value)), args[0].column
        if len(args) < 3:
            return self._windowed(function_call(function, value, rows, nothing()))
        default = self.scalars.converted(args[2], args[0].type, call.args[2])
        if self.never_null(call.args[0]) or not self.never_null(call.args[2]):
            return self._windowed(function_call(function, value, rows, default))
        row = self._windowed(function_call(function, function_call("struct", value.alias("value")), rows, nothing()))
        neighbour = row.getField("value")
        return choice(
            row.isNull(), default, choice(neighbour.isNull(), self._in_place_of_null(call, args[0]), neighbour)
        )

    def _in_place_of_null(self, call: AggregateCall, value: SparkValue) -> Column:
        if self.fills:
            return text(_FOR_NULL[value.type.root]).cast(held_as(value.type, call))
        return failing(
            text(
                f"{call.function} gives a NULL here. Because of its default Flink takes the column as NOT NULL, and "
                "makes another value of it or stops."
            )
        )

    def _listagg(self, call: AggregateCall, args: list[SparkValue]) -> Column:
        separator = call.args[1] if len(args) > 1 else Literal(",", "STRING")
        if not isinstance(separator, Literal) or _is_ordered(call):
            raise NotLowerable(f"{call.function} needs a constant separator and no order of its own.", call.place)
        if call.distinct and not self.arrival:
            raise NotLowerable(
                f"{call.function} of DISTINCT values cannot be run: nothing tells their order.", call.place
            )
        list_text = function_call("array_join", self._values(call, args[0].column), self.scalars.column(separator))
        count = self._windowed(function_call("count", args[0].column))
        return choice(count == 0, nothing(STRING), list_text)

    def _values(self, call: AggregateCall, value: Column, keep_nulls: bool = False) -> Column:
        """An array with ``value`` in the order in which rows came; of DISTINCT values the first of each counts."""
        condition = all_true() if keep_nulls else value.isNotNull()
        if keep_nulls and call.filter is not None:
            condition = self.scalars.column(call.filter, BOOLEAN)
        # Any order of rows that nothing orders is one in which Flink may see them.
        if self.run is not None:
            place = frame_column(self.run)
        else:
            place = self._order(call) if self.arrival or call.function not in _OF_ANY_ORDER else whole(0)
        item = function_call("struct", place.alias("place"), value.alias("value"))
        items = self._windowed(function_call("collect_list", choice(condition, item)))
        items = fn.array_sort(items) if self.arrival else items
        values = fn.transform(items, lambda item: item.getField("value"))
        return fn.array_distinct(values) if call.distinct else values


_ONE = Literal("1", "NUMBER")


_FOR_NULL = {
    **dict.fromkeys(INTEGERS, "-1"),
    **dict.fromkeys(APPROXIMATE, "-1"),
    **dict.fromkeys(TEXT, ""),
    "BOOLEAN": "false",
    "DATE": "1969-12-31",
}
"""Values that Flink gives out for NULL in a column that is NOT NULL, by types."""


def may_fill(call: AggregateCall) -> bool:
    """Return whether Flink gives something out for a NULL that ``call``, LAG or LEAD with a default, has."""
    return len(call.args) > 2 and known_type(call.args[0]).root in _FOR_NULL


def _hashed(value: SparkValue) -> Column:
    """Return the value that an estimate is made of: of times the milliseconds."""
    match value.type.root:
        case "TIMESTAMP":
            return time_columns.milliseconds(value.column)
        case "TIMESTAMP_LTZ":
            return function_call("unix_millis", value.column)
        case "TIME":
            return value.column.cast(BIGINT)
    return value.column


def _is_extreme(expr: Expr) -> bool:
    """Return whether an expression is made of a MIN or a MAX of a query below."""
    return any(isinstance(node, AggregateCall) and node.function in ("MIN", "MAX") for node in expr.walk())


def _is_clause(arg: Expr) -> bool:
    return isinstance(arg, Call) and arg.name in ("FUNCTIONCLAUSE", "ORDER", "JSONKEYVALUE")


def _is_ordered(call: AggregateCall) -> bool:
    return bool(call.order) or any(isinstance(arg, Call) and arg.name == "ORDER" for arg in call.args)


def _widened(value: SparkValue, type_: DataType) -> Column:
    """``value`` as ``type_``. Of a cast Spark makes a second column of a window, also where it changes nothing."""
    is_wide = type_ in (BIGINT, DOUBLE) and spark_type(value.type) == type_
    return value.column if is_wide else value.column.cast(type_)


def _wide(type_: LogicalType, call: AggregateCall) -> DataType:
    """The Spark type to sum up in: the result wraps around, or is NULL, as Flink's does."""
    if type_.root in INTEGERS:
        return BIGINT
    return held_as(type_, call) if type_.root == "DECIMAL" else DOUBLE
