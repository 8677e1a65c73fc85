"""Differences of joins: type, condition, time, interval (spec sections 10 WJ and 11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import as_written, query_text
from keepstate.diff.operators.inputs import left_of_condition
from keepstate.diff.sequences import SequenceDiff, compare, one_in_the_other, same_use
from keepstate.plan.duration_words import duration_words
from keepstate.plan.expressions import Call, Column, Expr
from keepstate.plan.metadata.join_sides import tables_of
from keepstate.plan.operators import (
    IntervalJoin,
    Join,
    LookupJoin,
    Operator,
    TableSourceScan,
    TemporalJoin,
    Values,
    WindowJoin,
)
from keepstate.plan.provenance import Place
from keepstate.plan.spelling import qualified

_WORDS: dict[type[Join], str] = {
    IntervalJoin: "interval join",
    WindowJoin: "window join",
    TemporalJoin: "temporal join",
    LookupJoin: "lookup join",
}


def join_kind(operator: Join) -> QueryKind:
    match operator:
        case LookupJoin():
            return QueryKind.LOOKUP_JOIN
        case TemporalJoin():
            return QueryKind.TEMPORAL_JOIN
        case IntervalJoin():
            return QueryKind.INTERVAL_JOIN
        case WindowJoin():
            return QueryKind.WINDOW_JOIN
    return QueryKind.REGULAR_JOIN


def other_time(baseline: TemporalJoin, current: TemporalJoin) -> Change:
    """Return the change between a temporal join and a lookup join, which reads at another time (spec JT-02)."""
    was, now = _words(baseline), _words(current)
    return Change(
        ChangeKind.JOIN_TIME_CHANGED,
        QueryKind.TEMPORAL_JOIN,
        current.as_of.place if current.as_of is not None else current.place,
        baseline.as_of.place if baseline.as_of is not None else baseline.place,
        subject=f"{baseline.as_of} -> {current.as_of} (now a {now})",
        baseline_text=was,
        current_text=now,
    )


@dataclass(frozen=True)
class JoinDiff:
    """Compares one join of the baseline with its counterpart."""

    baseline: Join
    current: Join
    locator: Locator

    def changes(self) -> Iterator[Change]:
        if self.takes_other_inputs:
            yield from self._inputs()
            return
        yield from self._kind()
        yield from self._conditions()
        yield from self._times()
        yield from self._interval()

    @cached_property
    def takes_other_inputs(self) -> bool:
        """Return whether the inputs swapped places, or another table replaced one of them: then nothing else is
        compared, but for the filters of ``same_inputs``.
        """
        return self._is_swapped or any(self._replaced_inputs)

    @property
    def same_inputs(self) -> tuple[Operator, Operator]:
        """Both joins with the inputs that they have in common, side by side, where ``takes_other_inputs``."""
        if self._is_swapped:
            return self.baseline.with_inputs(self.baseline.inputs[::-1]), self.current
        both = ((join, zip(join.inputs, self._replaced_inputs, strict=True)) for join in (self.baseline, self.current))
        was, now = (join.with_inputs(tuple(Values() if gone else one for one, gone in sides)) for join, sides in both)
        return was, now

    @cached_property
    def _is_swapped(self) -> bool:
        baseline_tables = (tables_of(self.baseline.left), tables_of(self.baseline.right))
        current_tables = (tables_of(self.current.left), tables_of(self.current.right))
        return baseline_tables[0] != baseline_tables[1] and baseline_tables == current_tables[::-1]

    @cached_property
    def _replaced_inputs(self) -> tuple[bool, bool]:
        """Return for the left and the right input whether it reads a table in place of another one. A join below is
        compared by itself.
        """
        pairs = ((self.baseline.left, self.current.left), (self.baseline.right, self.current.right))
        left, right = (_is_replaced(was, now) for was, now in pairs)
        return left, right

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        # A regular join has no interval and no window after which its results are whole again.
        query = QueryKind.REGULAR_JOIN if self._becomes_regular else join_kind(self.baseline)
        return Change(kind, query, current, baseline, **facts)  # type: ignore[arg-type]

    # The inputs

    def _inputs(self) -> Iterator[Change]:
        if self._is_swapped:
            yield self._change(
                ChangeKind.JOIN_INPUT_CHANGED,
                _inputs_place(self.current),
                _inputs_place(self.baseline),
                subject="left and right input swapped",
                advice="Put both inputs back into their order; that of the output columns is free.",
            )
            return
        sides = ((self.baseline.left, self.current.left), (self.baseline.right, self.current.right))
        for (was, now), is_replaced in zip(sides, self._replaced_inputs, strict=True):
            if is_replaced and not (_joins(was) and _joins(now)):
                yield self._change(
                    ChangeKind.JOIN_INPUT_CHANGED,
                    _source_place(now) or self.current.place,
                    _source_place(was) or self.baseline.place,
                    subject=f"input {_names(was)} -> {_names(now)}",
                    baseline_text=_names(was),
                    current_text=_names(now),
                    advice="Keep this query and run the new one as a second job beside it.",
                )

    # The type

    def _kind(self) -> Iterator[Change]:
        was, now = self.baseline, self.current
        if was.kind_in_plan == now.kind_in_plan:
            return
        kinds = (was.kind, now.kind)
        if was.kind == now.kind:
            if was.conditions != now.conditions:
                # The condition on the query's value decides, and is a change of its own.
                return
            kinds = (was.kind_in_plan, now.kind_in_plan)
        subject = f"{kinds[0]} join -> {kinds[1]} join"
        if _is_decided_above(now):
            subject += " (by WHERE)"
        facts = {"subject": subject, "baseline_text": kinds[0], "current_text": kinds[1]}
        if _is_decided_above(was) and not _is_decided_above(now):
            # A condition of WHERE went that had left nothing of the outer join.
            remains = left_of_condition(was.kind_place, self.locator, now.place)
            yield self._change(ChangeKind.JOIN_TYPE_CHANGED, remains, was.kind_place, removed=True, **facts)
        else:
            yield self._change(ChangeKind.JOIN_TYPE_CHANGED, now.kind_place, was.kind_place, **facts)

    @property
    def is_of_other_class(self) -> bool:
        return type(self.baseline) is not type(self.current)

    @property
    def _becomes_regular(self) -> bool:
        return self.is_of_other_class and join_kind(self.current) is QueryKind.REGULAR_JOIN

    def other_class(self) -> Change:
        """Return the change of a join's kind that no compared part explains."""
        was, now = _words(self.baseline), _words(self.current)
        return self._change(
            ChangeKind.JOIN_TYPE_CHANGED,
            _class_place(self.current),
            _class_place(self.baseline),
            removed=isinstance(self.baseline, TemporalJoin),
            subject=f"{was} -> {now}",
            baseline_text=was,
            current_text=now,
        )

    # The condition

    @cached_property
    def conditions(self) -> SequenceDiff[Expr]:
        """Operands of the condition. If the kinds of the two joins differ, the operands that determine the kind count
        as well.
        """
        both = (self.baseline, self.current)
        baseline_conditions, current_conditions = (
            _all_conditions(join) if self.is_of_other_class else join.conditions for join in both
        )
        return compare(
            baseline_conditions,
            current_conditions,
            (same_use, one_in_the_other, _same_columns, _a_column_in_common, _same_operator),
        )

    def _conditions(self) -> Iterator[Change]:
        diff = self.conditions
        for was, now in diff.modified:
            places = self.locator.modification(was, now, was.place, now.place)
            texts = as_written(was, now)
            yield self._condition_change(places[1], places[0], f"{texts[0]} -> {texts[1]}", *texts)
        for condition in diff.added:
            text = query_text([condition])
            yield self._condition_change(self.locator.addition(condition), None, f"{text} added", "", text)
        for condition in diff.removed:
            text = query_text([condition])
            remains = left_of_condition(condition.place, self.locator, self._condition_place)
            yield self._condition_change(remains, condition.place, f"{text} removed", text, "")

    def _condition_change(
        self, current: Place | None, baseline: Place | None, subject: str, was: str, now: str
    ) -> Change:
        if self._becomes_regular:
            subject += " (now regular)"
        return self._change(
            ChangeKind.JOIN_CONDITION_CHANGED,
            current,
            baseline,
            removed=not now,
            subject=subject,
            baseline_text=was,
            current_text=now,
        )

    @cached_property
    def _condition_place(self) -> Place | None:
        """Return the clause of the condition in the current text: in ON, or else in WHERE."""
        places = [condition.place for condition in _all_conditions(self.current) if condition.place is not None]
        own = self.current.place
        inside = [place for place in places if own is not None and own.contains(place)]
        ordered_places = sorted(inside or places, key=_start)
        return (
            ordered_places[0].through(ordered_places[-1])
            if ordered_places and ordered_places[0].statement is ordered_places[-1].statement
            else own
        )

    # Times

    @property
    def times(self) -> tuple[tuple[Expr, Expr], ...]:
        """The time attributes that the joins compare, of both versions."""
        return tuple(_compared_times(self.baseline, self.current))

    def _times(self) -> Iterator[Change]:
        for was, now in self.times:
            if was != now:
                places = self.locator.modification(was, now, was.place, now.place)
                yield self._change(
                    ChangeKind.JOIN_TIME_CHANGED,
                    places[1],
                    places[0],
                    subject=f"{was} -> {now}",
                    baseline_text=str(was),
                    current_text=str(now),
                )

    def _interval(self) -> Iterator[Change]:
        was, now = self.baseline, self.current
        if not isinstance(was, IntervalJoin) or not isinstance(now, IntervalJoin):
            return
        right_first = _names_right_first(now)
        for baseline_bound, current_bound in ((was.lower, now.lower), (was.upper, now.upper)):
            if baseline_bound != current_bound:
                yield self._change(
                    ChangeKind.JOIN_INTERVAL_CHANGED,
                    current_bound.place,
                    baseline_bound.place,
                    subject=f"{_bounds(was, right_first)} -> {_bounds(now, right_first)}",
                    baseline_text=_interval_words(was, right_first),
                    current_text=_interval_words(now, right_first),
                )


def _words(join: Join) -> str:
    return _WORDS.get(type(join), "regular join")


def _all_conditions(join: Join) -> tuple[Expr, ...]:
    match join:
        case IntervalJoin():
            return (*join.conditions, *join.time_conditions)
        case WindowJoin():
            return (*join.conditions, *join.window_conditions)
    return join.conditions


def _compared_times(baseline: Join, current: Join) -> Iterator[tuple[Expr, Expr]]:
    if isinstance(baseline, IntervalJoin) and isinstance(current, IntervalJoin):
        yield baseline.left_time, current.left_time
        yield baseline.right_time, current.right_time
    elif isinstance(baseline, TemporalJoin) and isinstance(current, TemporalJoin):
        assert baseline.as_of is not None and current.as_of is not None
        yield baseline.as_of, current.as_of


def _names_right_first(join: IntervalJoin) -> bool:
    """True for ``right.ts BETWEEN left.ts AND ...``: messages then speak of the right time, as the query does."""
    left, right = join.left_time.place, join.right_time.place
    if left is None or right is None or left.statement is not right.statement:
        return False
    return _start(right) < _start(left)


def _interval_words(join: IntervalJoin, right_first: bool) -> str:
    """``orders.ts from shipments.ts - 4 hours to shipments.ts``, or the same of the right time."""
    left, right = qualified(join.left_time), qualified(join.right_time)
    lower, upper = _milliseconds(join, right_first)
    time, other = (right, left) if right_first else (left, right)
    return f"{time} from {_shifted(other, lower)} to {_shifted(other, upper)}"


def _bounds(join: IntervalJoin, right_first: bool) -> str:
    """The bounds of the left time against the right one, or of the right one against the left, in words: ``-4 hours to
    0``.
    """
    lower, upper = _milliseconds(join, right_first)
    return f"{_signed(lower)} to {_signed(upper)}"


def _milliseconds(join: IntervalJoin, right_first: bool) -> tuple[Decimal, Decimal]:
    lower, upper = Decimal(join.lower.value), Decimal(join.upper.value)
    return (-upper, -lower) if right_first else (lower, upper)


def _signed(length: Decimal) -> str:
    return f"{'-' if length < 0 else '+'}{duration_words(abs(length))}" if length else "0"


def _shifted(time: str, length: Decimal) -> str:
    return f"{time} {'-' if length < 0 else '+'} {duration_words(abs(length))}" if length else time


def _is_decided_above(join: Join) -> bool:
    """Return whether WHERE decides the kind of the join."""
    return join.kind_place is not None and join.place is not None and not join.place.contains(join.kind_place)


def _class_place(join: Join) -> Place | None:
    return (join.as_of_place if isinstance(join, TemporalJoin) else None) or join.kind_place or join.place


def _is_replaced(was: Operator, now: Operator) -> bool:
    baseline_tables, current_tables = tables_of(was), tables_of(now)
    return bool(baseline_tables - current_tables) and bool(current_tables - baseline_tables)


def _joins(operator: Operator) -> bool:
    return any(isinstance(node, Join) for node in operator.walk())


def _names(operator: Operator) -> str:
    return ", ".join(sorted(tables_of(operator)))


def _source_place(operator: Operator) -> Place | None:
    return next((node.place for node in operator.walk() if isinstance(node, TableSourceScan)), None)


def _inputs_place(join: Join) -> Place | None:
    """From the table on the left to the one on the right, where both stand in the clause of this join."""
    left, right = _source_place(join.left), _source_place(join.right)
    if left is None or right is None or left.statement is not right.statement or _start(left) > _start(right):
        return join.kind_place or join.place
    return left.through(right)


def _start(place: Place) -> int:
    return place.span.start


def _columns(expr: Expr) -> set[Expr]:
    return {node for node in expr.walk() if isinstance(node, Column)}


def _same_columns(baseline: Expr, current: Expr) -> bool:
    return _columns(baseline) == _columns(current) != set()


def _same_operator(baseline: Expr, current: Expr) -> bool:
    """One equation went and another one came: it took its place."""
    return isinstance(baseline, Call) and isinstance(current, Call) and baseline.name == current.name


def _a_column_in_common(baseline: Expr, current: Expr) -> bool:
    return bool(_columns(baseline) & _columns(current))
