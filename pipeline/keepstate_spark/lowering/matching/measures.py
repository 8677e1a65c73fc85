"""Measures of a pattern: the rows and aggregates that a search has to give, and the columns over these."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import Column
from pyspark.sql import types as spark

from keepstate.plan.expressions import AggregateCall, Call, Expr, Measure, PatternColumn
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.frames import hint
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.matching.evaluation import Part, position, required
from keepstate_spark.lowering.matching.folding import TIMES
from keepstate_spark.lowering.matching.pattern_conditions import PartBuilder
from keepstate_spark.lowering.matching.row_navigation import Row, navigated, rewritten
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import held_as, known_type
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    INSTANT,
    INT,
    STRING,
    choice,
    failing,
    function_call,
    text,
    whole,
)

LAST, SENT, ERROR = "last", "sent", "error"
"""Fields of a match: its last row, the row at which it was sent out, and the error that ends the query instead."""
_ROWTIME = "MATCH_ROWTIME"
_LATER = (
    "MATCH_ROWTIME of a match that waited for an earlier one to run out of time is a watermark of the job, which is "
    "not computed here."
)


@dataclass
class Measures:
    """The measures of a pattern, ordered by ``time`` (``None``: by the clock of the job).

    ``exprs`` are the measures over the columns of ``values``; ``read`` are the columns of the input that they need,
    with the names in the array of rows.
    """

    parts: PartBuilder
    time: Expr | None
    lowering: Lowering
    exprs: dict[Measure, Expr] = field(default_factory=dict)
    of_utc: set[Measure] = field(default_factory=set)
    """Measures that are MATCH_ROWTIME() over instants: the wall clock of UTC, whatever the time zone of the job."""
    read: dict[Expr, str] = field(default_factory=dict)
    _rows: dict[Row, str] = field(default_factory=dict)
    _required: set[Row] = field(default_factory=set)
    _values: dict[PatternColumn, Row | None] = field(default_factory=dict)
    _aggregates: dict[AggregateCall, tuple[str, Part]] = field(default_factory=dict)

    def add(self, measure: Measure) -> None:
        """Raises ``NotLowerable`` for a measure that cannot be computed."""
        if self._is_of_utc(measure):
            self.of_utc.add(measure)
        value, rows = navigated(measure.value, self.parts.numbers)
        timed = partial(self._timed, is_whole=measure in self.of_utc)
        self.exprs[measure] = expr = rewritten(value, timed)
        pending = [expr]
        while pending:
            node = pending.pop()
            if isinstance(node, AggregateCall):
                self._aggregates[node] = self.lowering.name("aggregate"), self.parts.aggregate(node)
            elif isinstance(node, PatternColumn):
                self._need(node, rows.get(node.variable))
            else:
                pending += node.children()

    def _is_of_utc(self, measure: Measure) -> bool:
        value, type_ = measure.value, None if measure.time is None else type_of(measure.time)
        return value == Call(_ROWTIME) and type_ is not None and type_.root == "TIMESTAMP_LTZ"

    def _timed(self, node: Expr, is_whole: bool) -> Expr:
        """MATCH_ROWTIME as the time of a row. ``is_whole``: it is the whole measure."""
        if not (isinstance(node, Call) and node.name == _ROWTIME):
            return node
        if self.time is None:
            raise NotLowerable("MATCH_ROWTIME needs an order by event time.", node.place)
        if known_type(self.time).root == "TIMESTAMP_LTZ" and not node.args and not is_whole:
            raise NotLowerable("MATCH_ROWTIME() over TIMESTAMP_LTZ is a time without its zone in Flink.", node.place)
        return PatternColumn(_ROWTIME, self.time, place=node.place)

    def _need(self, column: PatternColumn, row: Row | None) -> None:
        self._values[column] = row
        if row is not None:
            self._rows.setdefault(row, self.lowering.name("row"))
            if self.parts.is_filled(column.column):
                self._required.add(row)
        if column.column not in self.read:
            if _has_map(known_type(column.column)):
                raise NotLowerable(f"{column} is a MAP, which no row of a pattern is sorted with.", column.place)
            self.read[column.column] = self.lowering.name(hint(column.column))

    def results(self) -> tuple[Part, ...]:
        """The parts that the search computes for each match."""
        rows = {row: position(row.variable, row.first, row.offset) for row in self._rows}
        rows |= {row: required(rows[row]) for row in self._required}
        return (*rows.values(), *(part for _, part in self._aggregates.values()))

    def result_type(self) -> spark.DataType:
        """The type of a match as the search gives it."""
        fields = [spark.StructField(name, INT) for name in self._rows.values()]
        for call, (name, _) in self._aggregates.items():
            type_ = known_type(call)
            spark_type = BIGINT if type_.root in TIMES else held_as(type_, call)
            fields.append(spark.StructField(name, spark_type))
        fields += [spark.StructField(LAST, INT), spark.StructField(SENT, INT), spark.StructField(ERROR, STRING)]
        return spark.StructType(fields)

    def values(self, rows: Column, match: Column) -> dict[Expr, Column]:
        """Return the columns of a match that ``match`` describes, by their expressions; ``rows`` is the array."""
        values: dict[Expr, Column] = {}
        for column, row in self._values.items():
            name = SENT if row is None else self._rows[row]
            value = at_row(rows, match.getField(name)).getField(self.read[column.column])
            if row is None:
                value = choice(match.getField(SENT).isNull(), failing(text(_LATER)), value)
            values[column] = value
        for call, (name, _) in self._aggregates.items():
            value, type_ = match.getField(name), known_type(call)
            values[call] = _received(value, type_, call) if type_.root in TIMES else value
        return values


def at_row(rows: Column, row: Column) -> Column:
    """The row of that number, NULL if there is none."""
    return function_call("element_at", rows, row + whole(1))


def _received(micros: Column, type_: LogicalType, call: Expr) -> Column:
    return function_call("timestamp_micros", micros).cast(INSTANT).cast(held_as(type_, call))


def _has_map(type_: LogicalType) -> bool:
    return type_.root in ("MAP", "MULTISET") or any(map(_has_map, type_.elements))
