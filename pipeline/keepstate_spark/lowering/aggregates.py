"""Flink's aggregate functions as columns of Spark, for groups and for OVER windows."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, WindowSpec
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, DecimalType

from keepstate.plan.expressions import AggregateCall, Literal, Origin
from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS
from keepstate.plan.types.logical_types import BOOLEAN, LogicalType
from keepstate_spark.lowering.columns import (
    BIGINT,
    DOUBLE,
    STRING,
    all_true,
    called,
    choice,
    failing,
    held,
    nothing,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import Scalars, Value, as_type, held_as, known_type

_MOMENTS = {
    "STDDEV": "stddev_samp",
    "STDDEV_SAMP": "stddev_samp",
    "STDDEV_POP": "stddev_pop",
    "VARIANCE": "var_samp",
    "VAR_SAMP": "var_samp",
    "VAR_POP": "var_pop",
}
ORDERED = frozenset("FIRST_VALUE LAST_VALUE LISTAGG STRING_AGG ARRAY_AGG".split())
"""Functions whose result depends on the order of rows."""
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

    scalars: Scalars
    arrival: tuple[str, ...] = ()
    over: WindowSpec | None = None

    def column(self, call: AggregateCall) -> Column:
        """Return the column of an aggregate. Raises ``Refused`` for one that Spark cannot compute."""
        if call.origin is not Origin.BUILT_IN:
            raise Refused(f"{call.function} is no aggregate function of Flink's own.", call.place)
        if call.function in _RANKS and self.over is not None:
            return self._windowed(called(_RANKS[call.function])).cast(held_as(known_type(call), call))
        args = [self.argument(call, index) for index in range(len(call.args))]
        function, _, modifier = call.function.partition(" ")
        if modifier and function in _NEIGHBOURS:
            raise Refused(f"Flink takes no notice of {modifier} of {function}.", call.place)
        if modifier and function not in ("FIRST_VALUE", "LAST_VALUE"):
            raise Refused(f"{call.function} cannot be run.", call.place)
        match function:
            case "COUNT":
                return self._count(call, args)
            case "SUM" | "SUM0":
                total = self._sum(call, args[0], known_type(call))
                return called("coalesce", total, whole(0)) if function == "SUM0" else total
            case "AVG":
                return self._average(call, args[0], known_type(call))
            case "MIN" | "MAX" if args[0].type.root not in ("ARRAY", "MAP", "ROW"):
                return self._windowed(called(function.lower(), args[0].column))
            case "SINGLE_VALUE" if self.over is None:
                more = called("count", whole(1)) > 1
                return choice(more, failing(text("more than one row")), called("max", args[0].column))
            case "FIRST_VALUE" | "LAST_VALUE":
                return self._nth(call, args[0], first=function == "FIRST_VALUE")
            case "LAG" | "LEAD" if self.over is not None:
                return self._neighbour(call, args, _NEIGHBOURS[function])
            case "NTILE" if self.over is not None:
                return self._windowed(called("ntile", args[0].column)).cast(BIGINT)
            case "LISTAGG" | "STRING_AGG" if self.over is None:
                return self._listed(call, args)
            case "ARRAY_AGG" if self.over is None and not call.distinct and not call.order:
                return _values(self._collected(call, args[0].column, keep_nulls=True))
            case _ if function in _MOMENTS and args and args[0].type.root in APPROXIMATE:
                return self._moment(call, args[0].column, _MOMENTS[function])
            case _ if function in _MOMENTS and args and args[0].type.root in INTEGERS and self.over is None:
                return self._whole_moment(call, args[0].column, known_type(call))
        words = " over a window" if self.over is not None else ""
        raise Refused(f"The aggregate {call.function}{words} cannot be run.", call.place)

    def argument(self, call: AggregateCall, index: int) -> Value:
        """An argument, NULL for rows that FILTER leaves out; separators and offsets are the same for all rows."""
        value = self.scalars.value(call.args[index])
        if call.filter is None or (index and isinstance(call.args[index], Literal)):
            return value
        return Value(choice(self.scalars.column(call.filter, BOOLEAN), value.column), value.type)

    def _windowed(self, aggregate: Column) -> Column:
        return aggregate if self.over is None else aggregate.over(self.over)

    def _aggregated(self, call: AggregateCall, function: str, value: Column) -> Column:
        """``sum`` or ``count`` of ``value``, of its distinct values if ``call`` is of these."""
        if not call.distinct:
            return self._windowed(called(function, value))
        if self.over is not None:
            raise Refused(f"{call.function} of DISTINCT values over a window cannot be run.", call.place)
        return fn.sum_distinct(value) if function == "sum" else fn.count_distinct(value)

    def _count(self, call: AggregateCall, args: list[Value]) -> Column:
        if not args or call.args == (_ONE,):
            one = choice(self.scalars.column(call.filter, BOOLEAN), whole(1)) if call.filter is not None else whole(1)
            return self._windowed(called("count", one))
        values = [arg.column for arg in args]
        if not call.distinct:
            return self._windowed(called("count", *values))
        if self.over is None:
            return fn.count_distinct(*values)
        if len(args) > 1:
            raise Refused("COUNT of several DISTINCT values over a window cannot be run.", call.place)
        return called("size", self._windowed(called("collect_set", values[0]))).cast(BIGINT)

    def _sum(self, call: AggregateCall, value: Value, type_: LogicalType) -> Column:
        return as_type(self._aggregated(call, "sum", value.column.cast(_wide(type_, call))), type_)

    def _average(self, call: AggregateCall, value: Value, type_: LogicalType) -> Column:
        """The average in the type of the values: of whole numbers it is whole, too."""
        count = self._aggregated(call, "count", value.column)
        if type_.root in INTEGERS:
            return as_type(called("div", self._aggregated(call, "sum", value.column.cast(BIGINT)), count), type_)
        if type_.root == "DECIMAL":
            total = self._aggregated(call, "sum", value.column.cast(DecimalType(38, value.type.scale or 0)))
            return as_type(total / count.cast(DecimalType(20, 0)), type_)
        number = value.column.cast(DOUBLE)
        if call.distinct:
            return as_type(self._aggregated(call, "sum", number) / count, type_)
        return as_type(self._windowed(called("avg", number)), type_)

    def _moment(self, call: AggregateCall, value: Column, function: str) -> Column:
        """A variance or deviation of FLOAT or DOUBLE."""
        if not call.distinct:
            return self._windowed(called(function, value)).cast(DOUBLE)
        # By the sums of which Flink calculates it, for Spark gives no other aggregate of distinct values.
        number = value.cast(DOUBLE)
        total, count = self._aggregated(call, "sum", number), self._aggregated(call, "count", number)
        size = count if call.function.endswith("_POP") else called("nullif", count - 1, whole(0))
        variance = (self._aggregated(call, "sum", number * number) - total * total / count) / size
        return called("sqrt", variance) if call.function.startswith("STDDEV") else variance

    def _whole_moment(self, call: AggregateCall, value: Column, type_: LogicalType) -> Column:
        """A variance or deviation of whole numbers, which Flink calculates with whole numbers."""
        wide = value.cast(BIGINT)
        squares = as_type(self._aggregated(call, "sum", wide * value), type_)
        total = as_type(self._aggregated(call, "sum", wide), type_)
        count = self._aggregated(call, "count", value)
        size = count if call.function.endswith("_POP") else called("nullif", count - 1, whole(0))
        deviations = squares - called("div", total * total, count)
        variance = as_type(called("div", deviations, size), type_)
        if call.function.startswith("STDDEV"):
            return as_type(called("power", variance, fn.lit(0.5)), type_)
        return variance

    def _nth(self, call: AggregateCall, value: Value, first: bool) -> Column:
        """The first or last value that is not NULL, in the order in which rows came."""
        if self.over is not None:
            return self._windowed(called("first_value" if first else "last_value", value.column, true()))
        order = choice(value.column.isNull(), nothing(), self._order(call))
        return called("min_by" if first else "max_by", value.column, order)

    def _order(self, call: AggregateCall) -> Column:
        if not self.arrival:
            raise Refused(
                f"{call.function} goes by the order in which rows come, which nothing tells of these rows.", call.place
            )
        return called("struct", *map(held, self.arrival))

    def _neighbour(self, call: AggregateCall, args: list[Value], function: str) -> Column:
        offset = call.args[1] if len(args) > 1 else _ONE
        if not (isinstance(offset, Literal) and offset.value.isdecimal()):
            raise Refused(f"{call.function} needs a constant offset.", call.place)
        default = self.scalars.converted(args[2], args[0].type, call.args[2]) if len(args) > 2 else nothing()
        return self._windowed(called(function, args[0].column, whole(int(offset.value)), default))

    def _listed(self, call: AggregateCall, args: list[Value]) -> Column:
        separator = call.args[1] if len(args) > 1 else Literal(",", "STRING")
        if not isinstance(separator, Literal) or call.order:
            raise Refused(f"{call.function} needs a constant separator and no order of its own.", call.place)
        if call.distinct:
            raise Refused(f"{call.function} of DISTINCT values cannot be run: nothing tells their order.", call.place)
        listed = _values(self._collected(call, args[0].column))
        joined = called("array_join", listed, self.scalars.column(separator))
        return choice(called("count", args[0].column) == 0, nothing(STRING), joined)

    def _collected(self, call: AggregateCall, value: Column, keep_nulls: bool = False) -> Column:
        """An array of structs with ``value`` in the order in which rows came."""
        item = called("struct", self._order(call).alias("place"), value.alias("value"))
        condition = all_true() if keep_nulls else value.isNotNull()
        if keep_nulls and call.filter is not None:
            condition = self.scalars.column(call.filter, BOOLEAN)
        return fn.array_sort(called("collect_list", choice(condition, item)))


_ONE = Literal("1", "NUMBER")


def _values(items: Column) -> Column:
    return fn.transform(items, lambda item: item.getField("value"))


def _wide(type_: LogicalType, call: AggregateCall) -> DataType:
    """The Spark type to sum up in: the result wraps around, or is NULL, as Flink's does."""
    if type_.root in INTEGERS:
        return BIGINT
    return held_as(type_, call) if type_.root == "DECIMAL" else DOUBLE
