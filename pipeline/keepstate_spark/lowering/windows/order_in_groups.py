"""The order in which a batch job of Flink gives rows to aggregates that go by their order, with one task.

Without DISTINCT it sorts all rows by the keys of the groups. With DISTINCT it first makes groups of the keys and the
distinct values: of each such set of columns, and of the keys alone if there are aggregates without DISTINCT as well.
Each row makes a row for each of these sets, the larger ones first. Those groups come out of a hash table in the order
of their first rows, and are sorted by the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key

from pyspark.sql import Column, Window

from keepstate.plan.expressions import AggregateCall, Expr, Literal
from keepstate.plan.operators import Aggregate, GroupWindowAggregate
from keepstate_spark.lowering.aggregate_columns import BY_ORDER
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.spark_columns import choice, frame_column, function_call, whole
from keepstate_spark.lowering.windows.sort_of_a_task import places_after_sort
from keepstate_spark.lowering.windows.tied_rows import (
    MOST_ROWS,
    is_in_order,
    is_of_any_length,
    is_of_fixed_length,
    placed,
    turn_of,
)

_Columns = frozenset[Expr]
"""Columns by whose values rows are one."""


def in_order_of_groups(operator: Aggregate, frame: NamedFrame, lowering: Lowering) -> NamedFrame | None:
    """Return the rows of ``operator`` with the order in which its aggregates take them as that of their ``arrival``;
    ``None`` if it is not known.
    """
    if operator.elements or isinstance(operator, GroupWindowAggregate):
        return None
    if not (lowering.refuses_ties and lowering.looks_first):
        return None
    distinct, plain = _divided(operator)
    sets = _sets(operator, distinct, bool(plain))
    by_order = {call for call in operator.aggregates if call.function in BY_ORDER}
    targets = {_set_of(call) if is_distinct(call) else _Columns() for call in by_order}
    if sets is None or len(targets) != 1 or any(call.filter is not None for call in distinct):
        return None
    columns = [*operator.keys, *_values(_Columns().union(*sets))]
    if not is_in_order(operator.input, frame, columns, lowering):
        return None
    (target,) = targets
    rows = _Rows(operator, frame, sets, lowering)
    if not distinct:
        return rows.sorted_by_keys(target, is_hashed=True)
    if target and all(map(is_of_fixed_length, plain)):
        return rows.sorted_by_keys(target, is_hashed=True)
    # Otherwise the groups with DISTINCT values are sorted, too.
    if not any(map(is_of_any_length, plain)) or len(_Columns().union(*map(_values, sets))) != 1:
        return None
    return rows.sorted_by_keys(target, is_hashed=False) if target else rows.sorted_by_sets()


def is_distinct(call: AggregateCall) -> bool:
    """Return whether DISTINCT changes the value of ``call``."""
    return call.distinct and call.function not in ("MIN", "MAX")


def _divided(operator: Aggregate) -> tuple[list[AggregateCall], list[AggregateCall]]:
    """The aggregates with DISTINCT, and those without. MIN and MAX need none: where all of them are of the one column
    with DISTINCT, they belong to the first ones.
    """
    distinct = [call for call in operator.aggregates if is_distinct(call)]
    plain = [call for call in operator.aggregates if not is_distinct(call)]
    if len({call.args for call in distinct}) == 1 and all(
        call.function in ("MIN", "MAX") and call.args == distinct[0].args and call.filter is None for call in plain
    ):
        return [*distinct, *plain], []
    return distinct, plain


def _set_of(call: AggregateCall) -> _Columns:
    return _Columns(call.args)


def _values(set_: _Columns) -> list[Expr]:
    """The columns of a set that are no constants."""
    return sorted((expr for expr in set_ if not isinstance(expr, Literal)), key=str)


def _sets(operator: Aggregate, distinct: Sequence[AggregateCall], has_plain: bool) -> list[_Columns] | None:
    """The sets of columns that groups are made of besides the keys, in their order; ``None`` if it is not known.

    A set comes in front of all that it holds, and otherwise that whose columns are read first.
    """
    sets = {_set_of(call) for call in distinct}
    if any(not set_.isdisjoint(operator.keys) for set_ in sets) or any(call.place is None for call in distinct):
        return None
    if has_plain:
        sets.add(_Columns())
    places = {
        expr: (call.place.span.start, number)
        for call in sorted(distinct, key=_start, reverse=True)
        if call.place is not None
        for number, expr in reversed(list(enumerate(call.args)))
    }

    def first(one: _Columns, other: _Columns) -> int:
        if one > other or other > one:
            return -1 if one > other else 1
        orders = [sorted(places[expr] for expr in set_) for set_ in (one, other)]
        return -1 if orders[0] < orders[1] else 1

    return sorted(sets, key=cmp_to_key(first))


def _start(call: AggregateCall) -> int:
    return call.place.span.start if call.place is not None else 0


@dataclass(frozen=True)
class _Rows:
    """The rows of ``frame``, each of which makes a row for each of ``sets``."""

    operator: Aggregate
    frame: NamedFrame
    sets: Sequence[_Columns]
    lowering: Lowering

    def sorted_by_keys(self, target: _Columns, is_hashed: bool) -> NamedFrame | None:
        """Return ``frame`` in the order in which the rows of the set ``target`` come, after all are sorted by the keys.
        Before they come out of a hash table, or are sorted by the columns of their sets.
        """
        lowering, sets = self.lowering, self.sets
        turn, rank, value = (lowering.name(each) for each in ("turn", "rank", "value"))
        scalars = lowering.scalars(self.frame)
        keys = [scalars.column(key) for key in self.operator.keys]
        columns = (turn_of(self.frame).alias(turn), self._rank().alias(rank), self._value_rank(is_hashed).alias(value))
        rows = self.frame.rows.select("*", *columns)
        firsts = [lowering.name("first") for _ in sets]
        has_groups = any(map(is_distinct, self.operator.aggregates))
        for name, set_ in zip(firsts, sets, strict=True):
            one = [*keys, *map(scalars.column, _values(set_))] if has_groups else [frame_column(turn)]
            rows = rows.withColumn(name, function_call("min", frame_column(turn)).over(Window.partitionBy(*one)))
        turns = rows.select(turn, rank, value, *firsts).orderBy(turn).limit(MOST_ROWS + 1).collect()
        entries = [(row, number) for row in turns for number in range(len(sets)) if row[3 + number] == row[0]]
        if len(entries) > MOST_ROWS:
            return None
        if not is_hashed:
            entries.sort(key=lambda each: self._in_sets(each[0][1], each[0][2], each[1]))
        places = places_after_sort([row[1] for row, _ in entries]) if keys else list(range(len(entries)))
        if places is None:
            return None
        of_turn = [0] * len(turns)
        for place, (row, number) in zip(places, entries, strict=True):
            if sets[number] == target:
                of_turn[row[0] - 1] = place
        first = firsts[sets.index(target)]
        rows = rows.drop(turn, rank, value, *(name for name in firsts if name != first))
        return placed(replace(self.frame, rows=rows), of_turn, first, lowering)

    def sorted_by_sets(self) -> NamedFrame | None:
        """Return ``frame`` in the order in which its rows are sorted for aggregates without DISTINCT: those of all sets
        by the keys, by the one column with DISTINCT, which the keys alone have not, and by the set.
        """
        turn, rank, value = (self.lowering.name(each) for each in ("turn", "rank", "value"))
        rows = self.frame.rows.select("*", turn_of(self.frame).alias(turn))
        columns = (turn, self._rank().alias(rank), self._value_rank(False).alias(value))
        turns = rows.select(*columns).orderBy(turn).limit(MOST_ROWS + 1).collect()
        count = len(self.sets)
        if count * len(turns) > MOST_ROWS:
            return None
        entries = [self._in_sets(row[1], row[2], number) for row in turns for number in range(count)]
        numbers = {each: number for number, each in enumerate(sorted(set(entries)))}
        places = places_after_sort([numbers[each] for each in entries])
        if places is None:
            return None
        return placed(replace(self.frame, rows=rows), places[count - 1 :: count], turn, self.lowering)

    def _in_sets(self, rank: int, value: int, number: int) -> tuple[int, int, bool, int]:
        """The place of a row of a set among all: a set without a column has a NULL there, also for a constant."""
        set_ = self.sets[number]
        return rank, value if _values(set_) else 0, len(set_) > len(_values(set_)), number

    def _rank(self) -> Column:
        """The number of the keys of each row, in their order."""
        scalars = self.lowering.scalars(self.frame)
        keys = [scalars.column(key).asc_nulls_first() for key in self.operator.keys]
        return function_call("dense_rank").over(Window.orderBy(*keys)) if keys else whole(1)

    def _value_rank(self, is_hashed: bool) -> Column:
        """The number of the one DISTINCT value of each row, 0 of NULL; 0 where a hash table asks for none."""
        values = _values(_Columns().union(*self.sets))
        if is_hashed or not values:
            return whole(0)
        value = self.lowering.scalars(self.frame).column(values[0])
        rank = function_call("dense_rank").over(Window.orderBy(value.asc_nulls_first()))
        return choice(value.isNull(), whole(0), rank)
