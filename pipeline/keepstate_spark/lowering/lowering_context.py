"""Context in which operators are lowered, beside their inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import Column as SparkColumn

from keepstate.plan.expressions import Expr, Ordering, is_proctime
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate.plan.provenance import Place
from keepstate_spark.lowering.edges.mixed_bounds import refuse_mixed_bounds
from keepstate_spark.lowering.edges.not_a_number import sortable
from keepstate_spark.lowering.frames import NamedFrame, SortKey, hint
from keepstate_spark.lowering.functions.java_math import values_of_java
from keepstate_spark.lowering.functions.map_keys import as_key, has_map
from keepstate_spark.lowering.functions.registry import RULES
from keepstate_spark.lowering.functions.signed_zeros import any_minus, as_member, inner_minus, members, signs, zeros
from keepstate_spark.lowering.lateness import Lateness
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, ColumnNames
from keepstate_spark.lowering.spark_columns import DOUBLE, choice, failing, frame_column, text, true

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Scan = Callable[[TableSourceScan, "Lowering"], NamedFrame]


@dataclass(frozen=True)
class AggregationSettings:
    """Settings of a job that change the order in which its aggregations take rows, or when they get watermarks."""

    two_phases: bool = True
    """Flink aggregates in two phases where it can."""
    in_batches: bool = False
    """Groups take rows in mini-batches."""
    splits_distinct: bool = False
    """Aggregations with DISTINCT values are split by these."""
    between_marks: int = 0
    """The milliseconds of a mini-batch of watermarks: of each stretch of that length only the first one is sent."""

    def refuse_clock(self, words: str, place: Place | None) -> None:
        """Refuse what goes by watermarks, in ``words``, where Flink may send the clock of the job for them."""
        if self.in_batches:
            raise NotLowerable(
                f"In mini-batches (table.exec.mini-batch.enabled) {words} goes by the clock of the job.", place
            )


ONE_BY_ONE = AggregationSettings()
"""The settings of a job that sets none."""


@dataclass(frozen=True)
class Lowering:
    """Context of an operator's lowering: the session time zone, the tables, and unused names."""

    session: SparkSession
    zone: str
    scan: Scan
    of: Callable[[Operator, Lowering], NamedFrame]
    """Lowers an operator."""
    is_time: Callable[[Expr], bool]
    """Predicate for expressions that are time attributes."""
    streams: bool
    """Flink runs the query in streaming mode."""
    ordered: bool = True
    """The order of rows counts somewhere. Recording the order has a cost for every row."""
    lateness: Lateness | None = None
    """Treatment of late rows; ``None`` if no row is late."""
    numbers_all: bool = False
    """Rankings number their rows and leave none out."""
    ends_at_ties: bool = False
    """Rows of equal sort keys end a query in batch mode, where these have no order."""
    looks_first: bool = False
    """Tables are read before the query runs, for values at which it would end: they are small."""
    sorts_again: bool = False
    """Several operators of the query sort rows in batch mode."""
    read_numbers: frozenset[Expr] = frozenset()
    """Numbers of rankings that the query reads beyond their ranges."""
    maps_in_order: bool = False
    """The entries of MAPs in columns of tables have the order of Flink."""
    read_columns: frozenset[Expr] = frozenset()
    """Columns of tables that the query reads."""
    updating: frozenset[str] = frozenset()
    """Tables whose rows change or are taken back."""
    filtered_sources: frozenset[str] = frozenset()
    """Tables whose source takes filters of Flink."""
    first_rows: Mapping[Place, Expr | None] = field(default_factory=dict)
    """The ORDER BY of rankings that give each row that was the first one for a time, each with the value by which their
    rows come; ``None`` for rows that come as they stand in the files.
    """
    sends_changes: bool = False
    """The operator takes the changes of its table one by one."""
    sends_versions: bool = False
    """The operator takes each version of a row of its table, with the deletions among them."""
    orders_changes: bool = False
    """The order in which groups change counts, for the operator right behind them."""
    aggregation: AggregationSettings = ONE_BY_ONE
    watermark_interval: int | None = None
    """The milliseconds between two watermarks of a query with CURRENT_WATERMARK; ``None`` for all other queries."""
    calls_java: bool = False
    """Spark may call functions of Java."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def frame(self, operator: Operator) -> NamedFrame:
        return self.of(operator, self)

    def scalars(self, frame: NamedFrame) -> ColumnBuilder:
        return self.over(frame.names)

    def over(self, names: ColumnNames) -> ColumnBuilder:
        """Return the builder of expressions over columns of these names."""
        return ColumnBuilder(names, self.zone, RULES, self.maps_in_order)

    def exact_scalars(self, frame: NamedFrame) -> ColumnBuilder:
        """The same for a projection or a filter of ``frame``, where functions of Java may stand."""
        return replace(self.scalars(frame), calls_java=self.calls_java)

    def name(self, hint: str) -> str:
        """A column name that no other column has."""
        words = re.sub(r"[^0-9a-z]+", "_", hint.lower()).strip("_")[:24]
        return f"{words if words[:1].isalpha() else f'c{words}'}_{next(self._numbers)}"

    def keys(self, frame: NamedFrame, exprs: Iterable[Expr]) -> list[SparkColumn]:
        """The columns of ``exprs`` for parting rows by them."""
        scalars = self.scalars(frame)
        return [as_key(scalars.value(expr), expr.place, self.streams) for expr in exprs]

    def with_columns(self, frame: NamedFrame, exprs: Iterable[Expr]) -> NamedFrame:
        """``frame`` with a column for each of ``exprs`` that it has none for."""
        scalars = self.exact_scalars(frame)
        missing = {expr: self.name(hint(expr)) for expr in exprs if frame.names.find(expr) is None}
        if not missing:
            return frame
        new_columns = (scalars.column(expr).alias(name) for expr, name in missing.items())
        return frame.holding(frame.rows.select("*", *new_columns), missing)

    def with_java(self, frame: NamedFrame, exprs: Iterable[Expr]) -> NamedFrame:
        """``frame`` with a column for each value in ``exprs`` that needs a function of Java."""
        return self.with_columns(frame, values_of_java(exprs)) if self.calls_java else frame

    def filtered(self, frame: NamedFrame, conditions: Sequence[Expr]) -> NamedFrame:
        """The rows of ``frame`` for which all of ``conditions`` are true."""
        if not conditions:
            return frame
        refuse_mixed_bounds(conditions, self.zone)
        in_sets = members(conditions, "AND")
        decided = (as_member(each) if each in in_sets else each for each in conditions)
        rows = frame.rows.where(self.exact_scalars(frame).condition(*decided))
        return replace(frame, rows=self.with_zeros(rows, frame.names, conditions))

    def with_zeros(self, rows: DataFrame, names: ColumnNames, conditions: Sequence[Expr]) -> DataFrame:
        """``rows`` with ``0.0`` in the columns that ``conditions``, all of them true, make equal to zero."""
        zero = text("0.0").cast(DOUBLE)
        columns = dict.fromkeys(names.find(column) for condition in conditions for column in zeros(condition))
        for name in filter(None, columns):
            rows = rows.withColumn(name, frame_column(name) + zero.cast(rows.schema[name].dataType))
        return rows

    @property
    def refuses_ties(self) -> bool:
        """Return whether rows of equal sort keys end the query."""
        return self.ends_at_ties and not self.streams

    def without_minus(
        self, frame: NamedFrame, values: Iterable[Expr], words: str, place: Place | None, inner: bool = True
    ) -> NamedFrame:
        """``frame``, in which none of ``values`` has ``-0.0`` inside; if not ``inner``, none is one either. To Spark it
        is ``0.0`` there. Small tables are read for such rows first, and large ones stop the query there.
        """
        scalars, of_value = self.scalars(frame), inner_minus if inner else any_minus
        typed = map(scalars.value, dict.fromkeys(values))
        minus = [part for value in typed if (part := of_value(value.column, value.type)) is not None]
        if not minus:
            return frame
        has_minus = reduce(or_, minus)
        sentence = (
            f"A value of {words} is -0.0 or has one inside. To Flink it differs from 0.0, and to Spark it does not."
        )
        if self.looks_first and not frame.rows.where(has_minus).isEmpty():
            raise NotLowerable(sentence, place)
        return replace(frame, rows=frame.rows.where(choice(has_minus, failing(text(sentence)), true())))

    def sign_order(self, frame: NamedFrame, keys: Iterable[Expr], descending: bool = False) -> list[SortKey]:
        """Sort keys for the signs of zeros among ``keys``: the sort of a batch job has ``-0.0`` in front of ``0.0``."""
        if self.streams:
            return []
        scalars = self.scalars(frame)
        return [SortKey(sign, scalars.column(sign), not descending, True) for sign in signs(keys).values()]

    def order(
        self, frame: NamedFrame, order: Iterable[Expr], arrival: bool = True, last: bool = False, signed: bool = True,
        sorts_all: bool = False,
    ) -> list[SortKey]:  # fmt: skip
        """Sort keys; ``arrival`` brings rows that compare alike in the order in which they came, or with ``last`` in
        the opposite one. By processing time rows come in the order in which they came. ``signed`` tells ``-0.0`` from
        ``0.0`` where a batch job sorts. With ``sorts_all`` it sorts all rows by this order alone: by its first key as
        bytes, in which NaN is the largest. In all other sorts NaN ends the query.
        """
        scalars = self.scalars(frame)
        keys: list[SortKey] = []
        for element in order:
            key = element if isinstance(element, Ordering) else Ordering(element)
            if is_proctime(key.expr):
                if not self.streams:
                    raise NotLowerable("In batch mode rows of one processing time have no order.", key.expr.place)
                if not frame.arrival:
                    raise NotLowerable("By the clock of the job, rows of several inputs have no order.", key.expr.place)
                keys += [SortKey(name, frame_column(name), key.descending, True) for name in frame.arrival]
            else:
                value = scalars.value(key.expr)
                if has_map(value.type):
                    raise NotLowerable("Flink has no order of a MAP.", key.expr.place)
                by_bytes = sorts_all and not self.streams and not keys
                column = value.column if by_bytes else sortable(value.column, value.type)
                keys.append(SortKey(key.expr, column, key.descending, key.nulls_first))
                keys += self.sign_order(frame, [key.expr], key.descending) if arrival and signed else []
        if arrival:
            keys += [SortKey(name, frame_column(name), last, True) for name in frame.arrival]
        return list(dict.fromkeys(keys))
