"""Flink's aggregate functions as Spark SQL text, for groups and for OVER windows."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.common_types import APPROXIMATE, INTEGERS
from keepstate.plan.expressions import AggregateCall, Literal, Origin
from keepstate.plan.logical_types import BOOLEAN, LogicalType
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import Scalars, Text, known_type, spark_name
from keepstate_spark.lowering.spark_types import quoted, spark_type

_MOMENTS = {
    "STDDEV": "stddev_samp",
    "STDDEV_SAMP": "stddev_samp",
    "STDDEV_POP": "stddev_pop",
    "VARIANCE": "var_samp",
    "VAR_SAMP": "var_samp",
    "VAR_POP": "var_pop",
}
ORDERED = frozenset("FIRST_VALUE LAST_VALUE LISTAGG STRING_AGG ARRAY_AGG".split())
"""Those that go by the order in which rows come."""
_RANKS = {
    "ROW_NUMBER": "row_number()",
    "RANK": "rank()",
    "DENSE_RANK": "dense_rank()",
    "PERCENT_RANK": "percent_rank()",
    "CUME_DIST": "cume_dist()",
}


@dataclass(frozen=True)
class Aggregates:
    """Writes aggregates over the rows that ``scalars`` sees; ``arrival`` are the columns that order these as they came,
    ``over`` is the OVER clause with its space, empty for groups.
    """

    scalars: Scalars
    arrival: tuple[str, ...] = ()
    over: str = ""

    def text(self, call: AggregateCall) -> str:
        """Raises ``Refused`` for what Spark cannot be asked for."""
        if call.origin is not Origin.BUILT_IN:
            raise Refused(f"{call.function} is no aggregate function of Flink's own.", call.place)
        if call.function in _RANKS and self.over:
            type_ = known_type(call)
            return f"cast({_RANKS[call.function]}{self.over} as {spark_type(type_)})"
        args = [self.argument(call, index) for index in range(len(call.args))]
        function, _, modifier = call.function.partition(" ")
        if modifier and function not in ("LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"):
            raise Refused(f"{call.function} cannot be run.", call.place)
        match function:
            case "COUNT":
                return self._count(call, args)
            case "SUM" | "SUM0":
                total = self._sum(call, args[0], known_type(call))
                return f"coalesce({total}, 0)" if function == "SUM0" else total
            case "AVG":
                return self._average(call, args[0], known_type(call))
            case "MIN" | "MAX" if args[0].type.root not in ("ARRAY", "MAP", "ROW"):
                return f"{function.lower()}({args[0].sql}){self.over}"
            case "SINGLE_VALUE" if not self.over:
                return f"if(count(1) > 1, raise_error('more than one row'), max({args[0].sql}))"
            case "FIRST_VALUE" | "LAST_VALUE":
                return self._nth(call, args[0], first=function == "FIRST_VALUE")
            case "LAG" | "LEAD" if self.over:
                return self._neighbour(call, args, function.lower(), bool(modifier))
            case "NTILE" if self.over:
                return f"cast(ntile({args[0].sql}){self.over} as bigint)"
            case "LISTAGG" | "STRING_AGG" if not self.over:
                return self._listed(call, args)
            case "ARRAY_AGG" if not self.over and not call.distinct and not call.order:
                return f"transform({self._collected(call, args[0].sql, keep_nulls=True)}, item -> item.value)"
            case _ if function in _MOMENTS and args and args[0].type.root in APPROXIMATE:
                return f"cast({_MOMENTS[function]}({self._distinct(call)}{args[0].sql}){self.over} as double)"
            case _ if function in _MOMENTS and args and args[0].type.root in INTEGERS and not self.over:
                return self._whole_moment(call, args[0].sql, known_type(call))
        words = " over a window" if self.over else ""
        raise Refused(f"The aggregate {call.function}{words} cannot be run.", call.place)

    def argument(self, call: AggregateCall, index: int) -> Text:
        """An argument, NULL for rows that FILTER leaves out; separators and offsets are the same for all rows."""
        text = self.scalars.text(call.args[index])
        if call.filter is None or (index and isinstance(call.args[index], Literal)):
            return text
        return Text(f"if({self.scalars.sql(call.filter, BOOLEAN)}, {text.sql}, null)", text.type)

    def _distinct(self, call: AggregateCall) -> str:
        if call.distinct and self.over:
            raise Refused(f"{call.function} of DISTINCT values over a window cannot be run.", call.place)
        return "distinct " if call.distinct else ""

    def _count(self, call: AggregateCall, args: list[Text]) -> str:
        if not args or (len(args) == 1 and args[0].sql == "1"):
            one = f"if({self.scalars.sql(call.filter, BOOLEAN)}, 1, null)" if call.filter is not None else "1"
            return f"count({one}){self.over}"
        if call.distinct and self.over:
            if len(args) > 1:
                raise Refused("COUNT of several DISTINCT values over a window cannot be run.", call.place)
            return f"cast(size(collect_set({args[0].sql}){self.over}) as bigint)"
        return f"count({self._distinct(call)}{', '.join(arg.sql for arg in args)}){self.over}"

    def _sum(self, call: AggregateCall, value: Text, type_: LogicalType) -> str:
        wide = _wide(type_)
        return f"cast(sum({self._distinct(call)}cast({value.sql} as {wide})){self.over} as {spark_type(type_)})"

    def _average(self, call: AggregateCall, value: Text, type_: LogicalType) -> str:
        """The average in the type of the values: of whole numbers it is whole, too."""
        distinct = self._distinct(call)
        count = f"count({distinct}{value.sql}){self.over}"
        if type_.root in INTEGERS:
            return f"cast(sum({distinct}cast({value.sql} as bigint)){self.over} div {count} as {spark_type(type_)})"
        if type_.root == "DECIMAL":
            total = f"sum({distinct}cast({value.sql} as decimal(38,{value.type.scale or 0}))){self.over}"
            return f"cast({total} / cast({count} as decimal(20,0)) as {spark_type(type_)})"
        return f"cast(avg({distinct}cast({value.sql} as double)){self.over} as {spark_type(type_)})"

    def _whole_moment(self, call: AggregateCall, value: str, type_: LogicalType) -> str:
        """A variance or deviation of whole numbers, which Flink calculates with whole numbers."""
        name = spark_type(type_)
        distinct = self._distinct(call)
        squares = f"cast(sum({distinct}cast({value} as bigint) * {value}) as {name})"
        total = f"cast(sum({distinct}cast({value} as bigint)) as {name})"
        count = f"count({distinct}{value})"
        size = count if call.function.endswith("_POP") else f"nullif({count} - 1, 0)"
        variance = f"cast(({squares} - {total} * {total} div {count}) div {size} as {name})"
        return f"cast(power({variance}, 0.5D) as {name})" if call.function.startswith("STDDEV") else variance

    def _nth(self, call: AggregateCall, value: Text, first: bool) -> str:
        """The first or last value that is not NULL, in the order in which rows came."""
        if self.over:
            return f"{'first' if first else 'last'}_value({value.sql}, true){self.over}"
        order = self._order(call)
        return f"{'min' if first else 'max'}_by({value.sql}, if({value.sql} is null, null, {order}))"

    def _order(self, call: AggregateCall) -> str:
        if not self.arrival:
            raise Refused(
                f"{call.function} goes by the order in which rows come, which nothing tells of these rows.", call.place
            )
        return f"struct({', '.join(map(quoted, self.arrival))})"

    def _neighbour(self, call: AggregateCall, args: list[Text], function: str, ignore_nulls: bool) -> str:
        offset = call.args[1] if len(args) > 1 else Literal("1", "NUMBER")
        if not isinstance(offset, Literal):
            raise Refused(f"{call.function} needs a constant offset.", call.place)
        default = self.scalars.converted(args[2], args[0].type, call.args[2]) if len(args) > 2 else "null"
        nulls = " ignore nulls" if ignore_nulls else ""
        return f"{function}({args[0].sql}, {offset.value}, {default}){nulls}{self.over}"

    def _listed(self, call: AggregateCall, args: list[Text]) -> str:
        separator = call.args[1] if len(args) > 1 else Literal(",", "STRING")
        if not isinstance(separator, Literal) or call.order:
            raise Refused(f"{call.function} needs a constant separator and no order of its own.", call.place)
        if call.distinct:
            raise Refused(f"{call.function} of DISTINCT values cannot be run: nothing tells their order.", call.place)
        text = self.scalars.sql(separator)
        joined = f"array_join(transform({self._collected(call, args[0].sql)}, item -> item.value), {text})"
        return f"if(count({args[0].sql}) = 0, null, {joined})"

    def _collected(self, call: AggregateCall, value: str, keep_nulls: bool = False) -> str:
        """An array of structs with ``value`` in the order in which rows came."""
        item = f"struct({self._order(call)} as place, {value} as value)"
        condition = "true" if keep_nulls else f"{value} is not null"
        if keep_nulls and call.filter is not None:
            condition = self.scalars.sql(call.filter, BOOLEAN)
        return f"array_sort(collect_list(if({condition}, {item}, null)))"


def _wide(type_: LogicalType) -> str:
    """The Spark type to sum up in: the result wraps around, or is NULL, as Flink's does."""
    if type_.root in INTEGERS:
        return "bigint"
    return spark_name(type_, Literal("", "STRING")) if type_.root == "DECIMAL" else "double"
