"""Differences of the rows that joins keep (spec JR-03, JI-04, JT-03, WJ-01).

A join keeps the columns of either input that are read, in their order. Another column, one more or less, or one that is
computed differently makes other rows: the stored ones would go on being joined with what they held, for as long as the
join keeps them. What an aggregation below gives is told where it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

from keepstate.diff.changes import Change, ChangeKind
from keepstate.diff.edits import Locator
from keepstate.diff.operators.joins import JoinDiff, join_kind
from keepstate.diff.sequences import at_same_index, compare, one_in_the_other, same_use
from keepstate.diff.words import became, names
from keepstate.plan.expressions import AggregateCall, Column, Expr
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Calc, Join, LookupJoin, Operator
from keepstate.plan.operators.traversal import expressions_in
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfRight
from keepstate.plan.values import asked_once

Row = tuple[Expr, ...]

_ALTERS_COLUMNS = frozenset(
    {
        ChangeKind.AGGREGATE_ADDED,
        ChangeKind.AGGREGATE_REMOVED,
        ChangeKind.AGGREGATE_CHANGED,
        ChangeKind.AGGREGATES_REORDERED,
        ChangeKind.FIRST_AGGREGATE_ADDED,
        ChangeKind.ALL_AGGREGATES_REMOVED,
        ChangeKind.ALL_AGGREGATES_REPLACED,
        ChangeKind.ONLY_AGGREGATE_CHANGED,
        ChangeKind.DISTINCT_AGGREGATE_ADDED,
        ChangeKind.DISTINCT_AGGREGATE_REMOVED,
        ChangeKind.DISTINCT_AGGREGATE_CHANGED,
        ChangeKind.DISTINCT_AGGREGATES_REORDERED,
    }
)
"""Changes of an operator below that make columns of its rows others."""
_STORED = frozenset({"row", "left_row", "right_row"})
"""Fields of operators that hold what passes through them, and so read nothing by themselves."""


@dataclass(frozen=True)
class JoinedRowDiff:
    """Compares the stored rows of one join with those of its counterpart."""

    joins: JoinDiff
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator
    come: frozenset[int] = frozenset()
    """Operators of the current version, by identity, that the baseline has not: they tell what they need."""

    def changes(self, below: Iterable[Change]) -> Iterator[Change]:
        """``below`` are the changes of the operators that the inputs come from."""
        was, now = self.joins.baseline, self.joins.current
        if self.joins.takes_other_inputs or self.joins.is_of_other_class:
            # Joins of another kind need other columns by themselves.
            return
        if _aggregated(was) != _aggregated(now):
            yield from self._told_below(below)
        yield from self._columns(was.left_row, now.left_row, was.left, now.left)
        yield from self._columns(was.right_row, now.right_row, was.right, now.right)

    @property
    def differ(self) -> bool:
        """Whether the rows differ by more than what added operators above need of them."""
        was, now = self.joins.baseline, self.joins.current
        rows = (self._read(was.left_row, now.left_row), self._read(was.right_row, now.right_row))
        return not self.joins.is_of_other_class and any(
            ours != tuple(expr for expr in theirs if expr in ours or not self._comes_with_its_reader(expr))
            for ours, theirs in rows
        )

    def _told_below(self, below: Iterable[Change]) -> Iterator[Change]:
        for change in below:
            if change.kind in _ALTERS_COLUMNS:
                text = became(change.baseline_text, change.current_text) or change.subject
                yield replace(
                    change,
                    kind=ChangeKind.JOIN_INPUT_CHANGED,
                    query=join_kind(self.joins.baseline),
                    subject=f"column {text}",
                )

    def _columns(self, was: Row, now: Row, baseline: Operator, current: Operator) -> Iterator[Change]:
        was, now = self._read(was, now)
        told = _keys_told_below(baseline, current) | self._told_by_condition
        ours = [expr for expr in was if not _is_aggregated(expr) and expr not in told]
        theirs = [expr for expr in now if not _is_aggregated(expr) and expr not in told]
        twins = (_same_column, same_use, one_in_the_other, self._is_read_instead, at_same_index(ours, theirs))
        diff = compare(ours, theirs, twins)
        for old, new in diff.modified:
            places = self._modification(old, new)
            yield self._column(places[1], places[0], str(old), str(new))
        for expr in diff.added:
            if not self._comes_with_its_table(expr) and not self._comes_with_its_reader(expr):
                yield self._column(self._use(expr, self.joins.current, self.current_plan), None, "", str(expr))
        for expr in diff.removed:
            remains = self.current_plan.output_place or self.joins.current.place
            yield self._column(remains, self._use(expr, self.joins.baseline, self.baseline_plan), str(expr), "")
        if diff.reordered and not (diff.added or diff.removed):
            yield self._column(
                self._moved(diff.kept),
                self.joins.baseline.place,
                f"({names(tuple(ours))})",
                f"({names(tuple(theirs))})",
            )

    def _read(self, was: Row, now: Row) -> tuple[Row, Row]:
        """The columns that something reads. A ranking keeps all columns of the join below it from being dropped, but a
        column that no query reads does not count (SRC-01).
        """
        read = {*was} & _read_at_all(self.joins.baseline, self.baseline_plan)
        read |= {*now} & _read_at_all(self.joins.current, self.current_plan)
        return tuple(expr for expr in was if expr in read), tuple(expr for expr in now if expr in read)

    def _column(self, current: Place | None, baseline: Place | None, was: str, now: str) -> Change:
        return Change(
            ChangeKind.JOIN_INPUT_CHANGED,
            join_kind(self.joins.baseline),
            current,
            baseline,
            removed=not now,
            subject=f"column {became(was, now)}",
            baseline_text=was,
            current_text=now,
        )

    @property
    def _told_by_condition(self) -> frozenset[Expr]:
        """Columns that only a changed condition or time of the join itself made part of the rows, or not."""
        diff = self.joins.conditions
        changed = [*diff.added, *diff.removed, *(side for pair in diff.modified for side in pair)]
        changed += [time for pair in self.joins.times if pair[0] != pair[1] for time in pair]
        inside = {node for condition in changed for node in condition.walk()}
        was, now = self.joins.baseline, self.joins.current
        rows = [{*join.left_row, *join.right_row} for join in (was, now)]
        return frozenset(inside & (rows[0] ^ rows[1]))

    def _comes_with_its_table(self, expr: Expr) -> bool:
        """Whether a column is of a table that the baseline does not read: then an added join tells of it."""
        tables = {node.table.split("#")[0] for node in expr.walk() if isinstance(node, Column)}
        return bool(tables) and not tables & set(self.baseline_plan.sources)

    def _comes_with_its_reader(self, expr: Expr) -> bool:
        """Whether the nearest operator that reads a column was added above the join: that is the change then."""
        readers = (operator for operator, _ in _readers_above(expr, self.joins.current, self.current_plan))
        nearest = next(readers, None)
        return nearest is not None and nearest.number in self.come

    def _modification(self, was: Expr, now: Expr) -> tuple[Place | None, Place | None]:
        use_was = self._use(was, self.joins.baseline, self.baseline_plan)
        use_now = self._use(now, self.joins.current, self.current_plan)
        places = self.locator.modification(was, now, was.place, now.place)
        if use_now is not None and self.locator.counterparts.edited_in_current(use_now):
            return use_was, use_now
        return places

    def _is_read_instead(self, was: Expr, now: Expr) -> bool:
        """Whether the clause that reads ``now`` stands where the one stood that read ``was``."""
        use_was = self._use(was, self.joins.baseline, self.baseline_plan)
        use_now = self._use(now, self.joins.current, self.current_plan)
        if use_was is None or use_now is None or not self.locator.counterparts.edited_in_current(use_now):
            return False
        remains = self.locator.counterparts.remains_of(use_was)
        return remains is not None and use_now.contains(remains)

    def _use(self, expr: Expr, join: Join, plan: Plan) -> Place | None:
        """The clause that reads a column above the join: one that was typed, if there is such a one."""
        is_current = plan is self.current_plan
        edited = (
            self.locator.counterparts.edited_in_current if is_current else self.locator.counterparts.edited_in_baseline
        )
        uses = list(_uses(expr, join, plan))
        typed = [use for use in uses if use.place is not None and edited(use.place)]
        if typed:
            return typed[0].place
        for use in uses or [expr]:
            shown = self.locator.addition(use) if is_current else self.locator.removal(use)
            if shown is not None:
                return shown
        return None

    def _moved(self, columns: Row) -> Place | None:
        """The clause that gave the columns another order: of a declaration, or of a select list further down."""
        places = [place for column in columns for place in (column.place, *column.via) if place is not None]
        edited = self.locator.counterparts.edited_in_current
        return next((place for place in places if edited(place)), self.joins.current.place)


def _read_at_all(join: Join, plan: Plan) -> set[Expr]:
    """What a query, or a condition or time of the join itself, reads, and all that stands in it."""
    evaluated = (_evaluated(operator) for operator in (join, *_above(join, plan)))
    return set(plan.output).union(*evaluated, *map(_operands, plan.output))


@asked_once
def _evaluated(operator: Operator) -> frozenset[Expr]:
    """All that stands in the expressions that an operator evaluates."""
    return frozenset(node for root in _parts(operator) for node in root.walk())


@asked_once
def _operands(expr: Expr) -> frozenset[Expr]:
    """All that stands in an expression but itself, which would hold itself for ever."""
    return frozenset(node for child in expr.children() for node in child.walk())


def _uses(expr: Expr, join: Join, plan: Plan) -> Iterator[Expr]:
    """What reads a column above a join, the nearest operator first: conditions, keys and aggregates as a whole, output
    columns by the column itself.
    """
    for _, root in _readers_above(expr, join, plan):
        yield root if root.place is not None else expr
    for root in plan.output:
        yield from _readers(root, expr)


def _readers_above(expr: Expr, join: Join, plan: Plan) -> Iterator[tuple[Operator, Expr]]:
    """The operators above a join that read a column, the nearest one first, and by which expression."""
    for operator in _above(join, plan):
        for root in _parts(operator):
            if expr in root.walk():
                yield operator, root


def _above(join: Join, plan: Plan) -> Iterator[Operator]:
    """The operators above a join, the nearest one first."""
    there = {join.number}
    # Inputs come behind the operators that read them, so backwards they come first.
    for operator in reversed(plan.operators):
        if any(child.number in there for child in operator.inputs):
            there.add(operator.number)
            yield operator


def _parts(operator: Operator) -> Iterator[Expr]:
    """The expressions that an operator evaluates."""
    for spec in fields(operator):
        if spec.compare and spec.name not in _STORED:
            yield from expressions_in(getattr(operator, spec.name))


def _readers(root: Expr, expr: Expr) -> Iterator[Expr]:
    """The uses of a column in an output column; an aggregate over it is the use, not what stands in it."""
    if root == expr or (isinstance(root, AggregateCall) and expr in root.walk()):
        yield root
        return
    for child in root.children():
        yield from _readers(child, expr)


def _aggregated(join: Join) -> Row:
    return tuple(expr for expr in (*join.left_row, *join.right_row) if _is_aggregated(expr))


def _is_aggregated(expr: Expr) -> bool:
    if isinstance(expr, ColumnOfRight):
        expr = expr.column
    return isinstance(expr, AggregateCall)


def _keys_told_below(baseline: Operator, current: Operator) -> frozenset[Expr]:
    """Group keys of an aggregation right below, where they came, went or changed."""
    keys = [_keys(operator) for operator in (baseline, current)]
    return frozenset({*keys[0], *keys[1]}) if keys[0] != keys[1] else frozenset()


def _keys(operator: Operator) -> Row:
    while isinstance(operator, (Calc, LookupJoin)):
        operator = operator.inputs[0]
    return operator.keys if isinstance(operator, Aggregate) else ()


def _same_column(baseline: Expr, current: Expr) -> bool:
    """A column of a table under another type."""
    is_plain = isinstance(baseline, Column) and isinstance(current, Column)
    return is_plain and (baseline.table, baseline.name) == (current.table, current.name)  # type: ignore[attr-defined]
