"""MATCH_RECOGNIZE on Spark.

The rows of a partition become an array, in the order of Flink. A function of Python searches them and gives the numbers
of the rows that the measures look at; the measures are columns of Spark over these. So the rows of one partition are
held in the memory of one task: the columns that measures read in the JVM, those of conditions in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate.plan.expressions import Expr, Literal, Measure, Ordering, is_proctime
from keepstate.plan.operators import Match
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame, hint
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.matching.automaton import automaton
from keepstate_spark.lowering.matching.evaluation import Part
from keepstate_spark.lowering.matching.measures import ERROR, LAST, SENT, Measures, at_row
from keepstate_spark.lowering.matching.partitions import SearchPlan, matches_of, modules
from keepstate_spark.lowering.matching.pattern_conditions import PartBuilder
from keepstate_spark.lowering.matching.row_pattern import Variable, variables
from keepstate_spark.lowering.matching.searching import Skip
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, ColumnNames
from keepstate_spark.lowering.spark_columns import choice, failing, frame_column, function_call, large
from keepstate_spark.lowering.windows.open_windows import without_late
from keepstate_spark.lowering.windows.tied_rows import refusing_ties

_TIME = "time"


def match_frame(match: Match, lowering: Lowering, is_filled: Callable[[Expr], bool]) -> NamedFrame:
    """One row for each match: the keys of its partition, and its measures. ``is_filled`` tells the columns of the input
    that are NOT NULL.
    """
    pattern = variables(match)
    if match.subsets:
        raise NotLowerable("Flink takes no SUBSET.", match.places.subsets or match.place)
    if match.rows != "ONE ROW PER MATCH":
        raise NotLowerable("Flink matches with ONE ROW PER MATCH only.", match.places.rows or match.place)
    for below in match.input.walk():
        if isinstance(below, Match) and not set(below.partition) <= set(match.partition):
            raise NotLowerable(
                "Matches of equal time of several partitions have no order, so PARTITION BY needs all keys of the "
                "pattern below.",
                match.place,
            )
    time = _time(match)
    if time is None and not lowering.streams:
        raise NotLowerable(
            "Rows have no order by the clock of the job in batch mode.", match.places.order or match.place
        )
    frame = lowering.frame(match.input)
    if time is not None:
        value = lowering.scalars(frame).value(time)
        if value.type.root not in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            raise NotLowerable(
                "MATCH_RECOGNIZE is ordered by a time attribute first.", match.places.order or match.place
            )
        frame = without_late(frame, value, match, lowering, "MATCH_RECOGNIZE")
        frame = replace(frame, rows=frame.rows.where(value.column.isNotNull()))
        frame = refusing_ties(match, frame, match.partition, match.order, match.places.order or match.place, lowering)
    defined = [definition.variable for definition in match.define]
    measures = Measures(PartBuilder(lowering.scalars(frame), pattern, is_filled, defined), time, lowering)
    for measure in match.measures:
        measures.add(measure)
    plan = _plan(match, pattern, measures, is_batch=not lowering.streams)
    return _Matching(match, frame, measures, lowering).result(plan)


def _time(match: Match) -> Expr | None:
    """Return the time that rows are ordered by; ``None`` for the clock of the job, by which they come in order."""
    place = match.places.order or match.place
    first = match.order[0] if match.order else None
    if first is None or (isinstance(first, Ordering) and first.descending):
        raise NotLowerable("MATCH_RECOGNIZE is ordered by ascending time.", place)
    time = first.expr if isinstance(first, Ordering) else first
    if not is_proctime(time):
        return time
    if match.within is not None:
        raise NotLowerable(
            "WITHIN by the clock of the job, which files do not have, cannot be run.", match.places.within
        )
    return None


def _plan(match: Match, pattern: Sequence[Variable], measures: Measures, is_batch: bool) -> SearchPlan:
    numbers = measures.parts.numbers
    conditions: list[Part | None] = [None] * len(pattern)
    for definition in match.define:
        number = numbers[definition.variable]
        if number >= len(pattern):
            continue
        conditions[number] = measures.parts.condition(number, definition.condition)
    quantifiers = [(variable.low, variable.high, variable.greedy) for variable in pattern]
    skip = _skip(match, {name: number for name, number in numbers.items() if number < len(pattern)})
    return SearchPlan(automaton(quantifiers), tuple(conditions), _within(match), skip, measures.results(), is_batch)


def _within(match: Match) -> int:
    if match.within is None:
        return 0
    if isinstance(match.within, Literal) and match.within.type == "INTERVAL DAY":
        return int(Decimal(match.within.value))
    raise NotLowerable("WITHIN takes a constant length of time, without months.", match.places.within or match.place)


def _skip(match: Match, numbers: dict[str, int]) -> Skip:
    words = match.after.split()
    if match.after == "SKIP PAST LAST ROW":
        return Skip("PAST")
    if match.after == "SKIP TO NEXT ROW":
        return Skip("NEXT")
    if len(words) == 4 and words[:2] == ["SKIP", "TO"] and words[2] in ("FIRST", "LAST") and words[3] in numbers:
        return Skip(words[2], numbers[words[3]], " ".join(words[2:]))
    raise NotLowerable(f"AFTER MATCH {match.after} cannot be run.", match.places.after or match.place)


class _Matching:
    """The lowering of ``match`` over the rows of ``frame``; ``measures`` and its parts are complete."""

    def __init__(self, match: Match, frame: NamedFrame, measures: Measures, lowering: Lowering) -> None:
        self._match = match
        self._frame = frame
        self._measures = measures
        self._lowering = lowering
        self._rows = lowering.name("rows")
        self._keys: dict[Expr, str] = {key: lowering.name(hint(key)) for key in match.partition}
        self._sent = {lowering.name("sent"): column for column in measures.parts.columns}
        self._came = {lowering.name("arrival"): frame_column(name) for name in frame.arrival}

    def result(self, plan: SearchPlan) -> NamedFrame:
        """The matches that ``plan`` finds."""
        lowering, keys = self._lowering, list(map(frame_column, self._keys.values()))
        array = frame_column(self._rows)
        names = {expr: lowering.name(hint(expr)) for expr in self._measures.values(array, array)}
        arrival = tuple(map(lowering.name, ("time", *("arrival" for _ in self._came), "place")))

        def of_match(match: Column, place: Column) -> Column:
            values = self._measures.values(array, match)
            row = at_row(array, function_call("coalesce", match.getField(SENT), match.getField(LAST)))
            came = [*(row.getField(name) for name in (_TIME, *self._came)), place]
            fields = [values[expr].alias(name) for expr, name in names.items()]
            fields += [value.alias(name) for value, name in zip(came, arrival, strict=True)]
            error = match.getField(ERROR)
            return choice(error.isNull(), function_call("struct", *fields), failing(error))

        search = _search(plan, self._measures.result_type())
        matches = search(*(array.getField(name) for name in (_TIME, *self._sent)))
        item = lowering.name("match")
        rows = self._partitions().select(*keys, function_call("explode", fn.transform(matches, of_match)).alias(item))
        fields = (frame_column(item).getField(name).alias(name) for name in (*names.values(), *arrival))
        rows = rows.select(*keys, *fields)
        over = lowering.over(ColumnNames({**self._keys, **names}))
        measures = list(self._measures.exprs)
        measured: dict[Expr, str] = {measure: lowering.name(hint(measure)) for measure in measures}
        values = (self._value(over, measure).alias(measured[measure]) for measure in measures)
        rows = rows.select(*keys, *map(frame_column, arrival), *values)
        return NamedFrame(rows, ColumnNames({**self._keys, **measured}), arrival if self._came else ())

    def _value(self, over: ColumnBuilder, measure: Measure) -> Column:
        value = over.column(self._measures.exprs[measure])
        return time_columns.local(value, "UTC") if measure in self._measures.of_utc else value

    def _partitions(self) -> DataFrame:
        """The keys of each partition, with the array of its rows."""
        scalars, measures = self._lowering.scalars(self._frame), self._measures
        time = large(0) if measures.time is None else time_number(scalars.value(measures.time))
        fields = {_TIME: time, **self._came}
        fields |= {name: scalars.column(expr) for expr, name in measures.read.items()}
        fields |= self._sent
        keys = [scalars.column(key) for key in self._match.partition]
        struct = function_call("struct", *self._sorted(keys), *(value.alias(name) for name, value in fields.items()))
        key_columns = (key.alias(name) for key, name in zip(keys, self._keys.values(), strict=True))
        rows = self._frame.rows.select(*key_columns, struct.alias(self._rows))
        array = function_call("sort_array", function_call("collect_list", frame_column(self._rows)))
        return rows.groupBy(*map(frame_column, self._keys.values())).agg(array.alias(self._rows))

    def _sorted(self, keys: list[Column]) -> list[Column]:
        """Return the fields by which the structures of an array are sorted as the rows are."""
        order = self._lowering.order(self._frame, self._match.order)
        if any(key.descending or not key.nulls_first for key in order):
            # Structures compare in ascending order only.
            window = Window.partitionBy(*keys).orderBy(*(key.column for key in order))
            return [function_call("row_number").over(window).alias("place")]
        return [key.value.alias(f"key{number}") for number, key in enumerate(order)]


def _search(plan: SearchPlan, type_: spark.DataType) -> Callable[..., Column]:
    """Return the function of Spark that searches a partition."""
    for module in modules():
        # A worker elsewhere has no Keepstate.
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    search: Callable[..., Column] = fn.udf(matches_of(plan), spark.ArrayType(type_), useArrow=False)
    return search
