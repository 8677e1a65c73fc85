"""Rows of equal sort keys in batch mode, where Flink sorts all rows of a task before it takes them one after another.
So it does by the keys of groups, for aggregates that go by the order of rows.

The sort of Flink keeps no order of such rows: which comes first depends on all rows of the task. Ties that no result
shows do no harm. Others of a small table come as one task of Flink sorts them, if the order of its rows is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from pyspark.sql import Column, Window, WindowSpec

from keepstate.plan.expressions import AggregateCall, Expr, WindowField
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    Join,
    LookupJoin,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    UnaryOperator,
    Union,
    Values,
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import APPROXIMATE, TEXT
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.errors import pointing
from keepstate_spark.lowering.frames import NamedFrame, SortKey, given_out
from keepstate_spark.lowering.functions.signed_zeros import has_number, sign_column
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import (
    INT,
    choice,
    failing,
    frame_column,
    function_call,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.windows.sort_of_a_task import places_after_sort

_TIES = "Several rows have equal sort keys. In batch mode Flink takes them in no certain order."
MOST_ROWS = 20_000
"""Rows that one task of Flink sorts in memory in any case, and whose sort is repeated here."""
_SORTED_ALIKE = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "CHAR", "VARCHAR", "STRING"}
    | {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"}
)
"""Types whose values Spark puts in the order of Flink."""
_FIXED_LENGTH = _SORTED_ALIKE.union(APPROXIMATE).difference(TEXT)
_OF_ANY_LENGTH = frozenset("LISTAGG STRING_AGG ARRAY_AGG JSON_ARRAYAGG FIRST_VALUE LAST_VALUE COLLECT".split())
_OF_FIXED_LENGTH = frozenset({"COUNT", "SUM", "SUM0", "AVG"})
Visibility = Callable[[Column, Column], Column]
"""The condition on the number of a row and that of the first of its equals: the order among these is seen."""


def is_hashed(operator: Aggregate) -> bool:
    """Return whether Flink's batch job aggregates in a hash table, which it does where all states have a fixed length.
    Its groups are in the order of their first rows then.
    """
    return _is_plain(operator) and all(map(is_of_fixed_length, operator.aggregates))


def is_sorted(operator: Aggregate) -> bool:
    """Return whether Flink's batch job sorts the rows of groups by their keys, and gives out the groups so."""
    lengths = [(is_of_fixed_length(call), is_of_any_length(call)) for call in operator.aggregates]
    return _is_plain(operator) and all(map(any, lengths)) and any(of_any for _, of_any in lengths)


def _is_plain(operator: Aggregate) -> bool:
    windowed = isinstance(operator, (GroupWindowAggregate, WindowAggregate))
    return bool(operator.keys) and not windowed and not operator.elements


def is_of_any_length(call: AggregateCall) -> bool:
    """Return whether the state of an aggregate has no fixed length, and DISTINCT takes no part in it."""
    if call.function in ("MIN", "MAX"):
        type_ = type_of(call.args[0])
        return type_ is not None and type_.root in TEXT
    return call.function in _OF_ANY_LENGTH and not call.distinct


def is_of_fixed_length(call: AggregateCall) -> bool:
    """Return whether the state of an aggregate has a fixed length, and DISTINCT takes no part in it."""
    if call.function in ("MIN", "MAX"):
        type_ = type_of(call.args[0])
        return type_ is not None and type_.root in _FIXED_LENGTH
    return call.function in _OF_FIXED_LENGTH and not call.distinct


def unchecked(column: Column) -> Column:
    """Return ``column``, which no tie ends."""
    return column


def always(number: Column, first: Column) -> Column:
    """Return a condition that holds for all ties."""
    return true()


def _is_seen(window: WindowSpec, matters: Visibility) -> Column:
    """Return whether a row has a former one of equal sort keys, and the order of both ``matters``."""
    # Both numbers are of the same pass.
    number, first = (function_call(name).over(window) for name in ("row_number", "rank"))
    return (number > first) & matters(number, first)


def _unordered(operator: Operator) -> str | None:
    """The first source of rows below ``operator`` that come in no certain order on streams, in words."""
    for below in operator.walk():
        if isinstance(below, Join) and not isinstance(below, LookupJoin):
            return "a join"
        if isinstance(below, Aggregate):
            return "groups"
        if isinstance(below, Union):
            return "a UNION ALL"
    return None


@dataclass(frozen=True)
class TieOrder:
    """The sort keys of a window whose rows are taken one after another, and ``checked``: it makes of a column over the
    window one that ends the query at a tie that is seen. ``frame`` has the columns of the keys.
    """

    frame: NamedFrame
    order: list[SortKey]
    checked: Callable[[Column], Column] = unchecked


@dataclass(frozen=True)
class SortedRows:
    """The rows of ``frame`` that ``operator`` sorts by ``keys`` and ``order``. ``columns`` are the keys as columns."""

    operator: Operator
    frame: NamedFrame
    keys: Sequence[Expr]
    columns: list[Column]
    order: list[SortKey]
    place: Place | None

    def in_order(self, lowering: Lowering, matters: Visibility = always) -> TieOrder:
        """Return the order of the rows. Tables that are small are read for ties that are seen. Raises ``NotLowerable``
        for one whose order is not known.
        """
        keys = [key for key in self.order if key.of not in self.frame.arrival]
        if lowering.streams and keys and not self.frame.arrival:
            return self._without_ties(keys, lowering, matters)
        if not lowering.refuses_ties or not keys:
            return TieOrder(self.frame, list(self.order))
        window = Window.partitionBy(*self.columns).orderBy(*(key.column for key in keys))
        is_seen = _is_seen(window, matters)
        if not lowering.looks_first:
            words = text(f"{_TIES} {pointing(self.place)}")
            return TieOrder(self.frame, keys, lambda column: choice(is_seen, failing(words), column))
        name = lowering.name("tied")
        tied = self.frame.rows.select((is_seen & self._differ(lowering, window)).alias(name))
        if tied.where(frame_column(name)).isEmpty():
            return TieOrder(self.frame, keys)
        return self._as_a_task_sorts(keys, lowering)

    def _without_ties(self, keys: list[SortKey], lowering: Lowering, matters: Visibility) -> TieOrder:
        """Return the order of rows behind a join, a union or groups on streams, none of which are tied: nothing orders
        the rows of several inputs, nor groups. Small tables are read for ties, and large ones end the query at one.
        """
        source = _unordered(self.operator)
        if source is None or not lowering.ends_at_ties:
            return TieOrder(self.frame, keys)
        window = Window.partitionBy(*self.columns).orderBy(*(key.column for key in keys))
        name = lowering.name("tied")
        sentence = f"Rows of {source} have equal sort keys, and come in no certain order."
        if not lowering.looks_first:
            is_seen, words = _is_seen(window, matters), text(f"{sentence} {pointing(self.place)}")
            return TieOrder(self.frame, keys, lambda column: choice(is_seen, failing(words), column))
        is_tied = _is_seen(window, matters) & self._differ(lowering, window)
        if not self.frame.rows.select(is_tied.alias(name)).where(frame_column(name)).isEmpty():
            raise NotLowerable(sentence, self.place)
        return TieOrder(self.frame, keys)

    def _differ(self, lowering: Lowering, window: WindowSpec) -> Column:
        """The condition that not all rows of equal sort keys are equal in the columns that anything reads."""
        operator = self.operator
        if not isinstance(operator, (Rank, OverAggregate)) or not operator.row:
            return true()
        exprs = (*operator.row, *(operator.aggregates if isinstance(operator, OverAggregate) else ()))
        columns = {node for expr in exprs for node in expr.walk() if self.frame.names.find(node) is not None}
        peers = window.rangeBetween(Window.currentRow, Window.currentRow)
        differences = []
        for column in sorted(columns, key=str):
            value = lowering.scalars(self.frame).value(column)
            # Of LAG with a default the one that the result has: the other one ends the query at a NULL.
            if (result_name := self.frame.names.find(given_out(column))) is not None:
                value = SparkValue(frame_column(result_name), value.type)
            if not _has_order(value.type):
                return true()
            values = [value.column, *([sign_column(value.column)] if value.type.root in APPROXIMATE else [])]
            for each in values:
                one = function_call("struct", each)
                least, most = (function_call(function, one).over(peers) for function in ("min", "max"))
                differences.append(least != most)
        return reduce(or_, differences, ~true())

    def _as_a_task_sorts(self, keys: list[SortKey], lowering: Lowering) -> TieOrder:
        """Return the order in which one task of Flink sorts the rows of one file. A pattern sorts them again."""
        operator, first_keys = self.operator, self._keys_in_order()
        if first_keys is None or lowering.sorts_again or not isinstance(operator, (Rank, OverAggregate)):
            raise NotLowerable(_TIES, self.place)
        exprs = [*self.keys, *(key.of for key in keys if isinstance(key.of, Expr))]
        columns = [*(column.asc_nulls_first() for column in first_keys), *(key.column for key in keys)]
        frame = _as_a_task_sorts(operator.input, self.frame, exprs, columns, lowering)
        if frame is None:
            raise NotLowerable(_TIES, self.place)
        (place,) = frame.arrival
        frame = replace(frame, arrival=self.frame.arrival)
        return TieOrder(frame, [*keys, SortKey(place, frame_column(place), False, True)])

    def _keys_in_order(self) -> list[Column] | None:
        """The keys in the order of the columns that reach the operator, by which Flink sorts; ``None`` if unknown. All
        columns of a table reach a ranking. Of other windows the planner reads some columns, in an order of its own.
        """
        if len(self.keys) < 2:
            return self.columns
        scan = _scan_of_one_query(self.operator) if isinstance(self.operator, Rank) else None
        if scan is None:
            return None
        turns = {column: index for index, column in enumerate(scan.columns)}
        if any(key not in turns and not isinstance(key, WindowField) for key in self.keys):
            return None
        # Flink puts the columns of a window behind those of the table. Both ends of a window mean one place.
        columns = zip(self.keys, self.columns, strict=True)
        return [column for _, column in sorted(columns, key=lambda pair: turns.get(pair[0], len(turns)))]


def refusing_ties(
    operator: Operator, frame: NamedFrame, keys: Sequence[Expr], order: Sequence[Expr], place: Place | None,
    lowering: Lowering,
) -> NamedFrame:  # fmt: skip
    """``frame``, whose rows end the query where several have equal ``keys`` and ``order``."""
    if not lowering.refuses_ties:
        return frame
    scalars = lowering.scalars(frame)
    sorted_by = [*lowering.sign_order(frame, keys), *lowering.order(frame, order)]
    ties = SortedRows(operator, frame, keys, [scalars.column(key) for key in keys], sorted_by, place).in_order(lowering)
    if ties.checked is unchecked:
        return frame
    name = lowering.name("single")
    rows = frame.rows.select("*", ties.checked(true()).alias(name))
    return replace(frame, rows=rows.where(frame_column(name)).drop(name))


def shown_by_a_rank(rank: Rank, lowering: Lowering) -> Visibility:
    """Return which ties a ranking shows: those that lie across an end of its range, and all if its number is read."""
    range_ = rank.range
    if range_ is None or range_.end is None or range_.other:
        return always
    start, end = whole(range_.start), whole(range_.end)
    if rank.rank_number in lowering.read_numbers:
        return lambda number, first: first <= end
    return lambda number, first: (number == end + whole(1)) | ((number >= start) & (first < start))


def _has_order(type_: LogicalType) -> bool:
    """Return whether Spark compares all values of a type, down to the sign of zero."""
    if not type_.elements:
        return True
    return type_.root != "MAP" and not has_number(type_) and all(map(_has_order, type_.elements))


def _scan_of_one_query(rank: Rank) -> TableSourceScan | None:
    """Return the scan below a ranking that reads it without a query or a view in between; otherwise ``None``."""
    scan, place = rank.input, rank.select_place
    while isinstance(scan, UnaryOperator):
        scan = scan.input
    if place is None or not isinstance(scan, TableSourceScan) or scan.place is None:
        return None
    if scan.place.statement is not place.statement or scan.place.span.start < place.span.end:
        return None
    return None if "SELECT" in place.through(scan.place).words[len(place.words) :] else scan


def _as_a_task_sorts(
    operator: Operator, frame: NamedFrame, exprs: Sequence[Expr], columns: Sequence[Column], lowering: Lowering
) -> NamedFrame | None:
    """Return ``frame``, the rows of ``operator``, with the order in which one task of Flink sorts them by ``columns``:
    it is that of their ``arrival``. ``None`` if it is not known. ``exprs`` are the sort keys.
    """
    if not is_in_order(operator, frame, exprs, lowering):
        return None
    turn, rank = lowering.name("turn"), lowering.name("rank")
    rows = frame.rows.select("*", turn_of(frame).alias(turn))
    ranked = rows.select(turn, function_call("dense_rank").over(Window.orderBy(*columns)).alias(rank))
    ranks = ranked.orderBy(turn).limit(MOST_ROWS + 1).collect()
    places = places_after_sort([row[1] for row in ranks]) if len(ranks) <= MOST_ROWS else None
    return None if places is None else placed(replace(frame, rows=rows), places, turn, lowering)


def is_in_order(operator: Operator, frame: NamedFrame, sorted_by: Sequence[Expr], lowering: Lowering) -> bool:
    """Return whether the rows of ``operator`` reach a sort in a known order, and Spark sorts ``sorted_by`` alike."""
    source = _source_in_order(operator)
    if source is None or len(frame.arrival) != 1:
        return False
    if isinstance(source, TableSourceScan) and len(frame.rows.inputFiles()) != 1:
        return False
    scalars = lowering.scalars(frame)
    return all(scalars.value(each).type.root in _SORTED_ALIKE for each in sorted_by)


def turn_of(frame: NamedFrame) -> Column:
    """Return the number of each row, from 1, in the order in which they came."""
    return function_call("row_number").over(Window.orderBy(frame_column(frame.arrival[0])))


def placed(frame: NamedFrame, places: Sequence[int], turn: str, lowering: Lowering) -> NamedFrame:
    """Return ``frame`` with ``places`` as its order of arrival: a row has the one at the number, from 1, in its column
    ``turn``, which is dropped.
    """
    place = lowering.name("place")
    numbers = function_call("split", text(",".join(map(str, places))), text(","))
    at = function_call("element_at", numbers, frame_column(turn)).cast(INT)
    return replace(frame, rows=frame.rows.select("*", at.alias(place)).drop(turn), arrival=(place,))


def _source_in_order(below: Operator) -> TableSourceScan | Values | None:
    """Return the table or the VALUES whose rows an operator gives in their order, each of them once; else ``None``.

    The groups of a hash table come in the order of their first rows, and others in that of their keys.
    """
    while isinstance(below, (Calc, WindowTableFunction, Aggregate)):
        if isinstance(below, WindowTableFunction) and below.window.kind is not WindowKind.TUMBLE:
            return None
        if isinstance(below, Aggregate) and not (is_hashed(below) or is_sorted(below)):
            return None
        below = below.input
    return below if isinstance(below, (TableSourceScan, Values)) else None
