"""Differences of the rows that joins keep (spec JR-03, JI-04, JT-03, WJ-01).

A join stores the columns of each input that are read, in their order. A column added, removed, replaced or computed in
another way makes other rows: stored rows would be joined with their old values for as long as the join keeps them. A
change of an aggregation below is reported at the aggregation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace

from keepstate.diff.changes import Change, ChangeKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names
from keepstate.diff.operators.joins import JoinDiff, join_kind
from keepstate.diff.sequences import at_same_index, compare, one_in_the_other, same_use
from keepstate.plan.expressions import AggregateCall, Column, Expr
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Calc, Join, LookupJoin, Operator
from keepstate.plan.operators.traversal import expressions_in
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfRight

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
"""Fields of operators that hold the columns passing through, and so read nothing by themselves."""


@dataclass(frozen=True)
class JoinedRowDiff:
    """Compares the stored rows of one join with those of its counterpart."""

    joins: JoinDiff
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator
    come: frozenset[int] = frozenset()
    """Numbers of operators of the current version that the baseline lacks: the columns that they need are part of their
    own change.
    """
    _uses: dict[tuple[Expr, bool], Place | None] = field(default_factory=dict, compare=False, repr=False)
    """The uses that were looked up, of the current version or of the baseline: each column meets each other one."""
    _remaining: dict[Expr, Place | None] = field(default_factory=dict, compare=False, repr=False)

    def changes(self, below: Iterable[Change]) -> Iterator[Change]:
        """``below`` are the changes of the operators that the inputs come from."""
        was, now = self.joins.baseline, self.joins.current
        if self.joins.takes_other_inputs or self.joins.is_of_other_class:
            # Joins of another kind need other columns by themselves.
            return
        # An aggregate is a column of the stored row, so its change below is one of the join's input as well.
        if _aggregated(was) != _aggregated(now):
            yield from self._changes_below(below)
        yield from self._columns(was.left_row, now.left_row, was.left, now.left)
        yield from self._columns(was.right_row, now.right_row, was.right, now.right)

    @property
    def differ(self) -> bool:
        """Return whether the stored rows differ by more than the columns that added operators above read."""
        was, now = self.joins.baseline, self.joins.current
        rows = (self._read(was.left_row, now.left_row), self._read(was.right_row, now.right_row))
        return not self.joins.is_of_other_class and any(
            baseline_row
            != tuple(expr for expr in current_row if expr in baseline_row or not self._comes_with_its_reader(expr))
            for baseline_row, current_row in rows
        )

    def _changes_below(self, below: Iterable[Change]) -> Iterator[Change]:
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
        reported = _keys_reported_below(baseline, current) | self._reported_by_condition
        baseline_exprs = [expr for expr in was if not _is_aggregated(expr) and expr not in reported]
        current_exprs = [expr for expr in now if not _is_aggregated(expr) and expr not in reported]
        twins = (
            _same_column,
            same_use,
            one_in_the_other,
            self._is_read_instead,
            at_same_index(baseline_exprs, current_exprs),
        )
        diff = compare(baseline_exprs, current_exprs, twins)
        for old, new in diff.modified:
            places = self._modification(old, new)
            yield self._column(places[1], places[0], *distinct_texts(old, new))
        for expr in diff.added:
            if not self._comes_with_its_table(expr) and not self._comes_with_its_reader(expr):
                yield self._column(self._use(expr, self.joins.current, self.current_plan), None, "", str(expr))
        for expr in diff.removed:
            remains = self.current_plan.output_place or self.joins.current.place
            yield self._column(remains, self._use(expr, self.joins.baseline, self.baseline_plan), str(expr), "")
        # Where columns came or went, their changes say already that the row has another layout.
        if diff.reordered and not (diff.added or diff.removed):
            yield self._column(
                self._reordering(diff.unchanged),
                self.joins.baseline.place,
                f"({names(tuple(baseline_exprs))})",
                f"({names(tuple(current_exprs))})",
            )

    def _read(self, was: Row, now: Row) -> tuple[Row, Row]:
        """The columns that something reads. A ranking keeps all columns of the join below it from being dropped, but a
        column that no query reads does not count (SRC-01).
        """
        read_exprs = {*was} & _read_at_all(self.joins.baseline, self.baseline_plan)
        read_exprs |= {*now} & _read_at_all(self.joins.current, self.current_plan)
        return tuple(expr for expr in was if expr in read_exprs), tuple(expr for expr in now if expr in read_exprs)

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
    def _reported_by_condition(self) -> frozenset[Expr]:
        """Columns that only a changed condition or time of the join itself made part of the rows, or not."""
        diff = self.joins.conditions
        changed_exprs = [*diff.added, *diff.removed, *(side for pair in diff.modified for side in pair)]
        changed_exprs += [time for pair in self.joins.times if pair[0] != pair[1] for time in pair]
        inside = {node for condition in changed_exprs for node in condition.walk()}
        was, now = self.joins.baseline, self.joins.current
        rows = [{*join.left_row, *join.right_row} for join in (was, now)]
        return frozenset(inside & (rows[0] ^ rows[1]))

    def _comes_with_its_table(self, expr: Expr) -> bool:
        """Return whether a column belongs to a table that the baseline does not read: then the added join is the
        change.
        """
        tables = {node.table.split("#")[0] for node in expr.walk() if isinstance(node, Column)}
        return bool(tables) and not tables & set(self.baseline_plan.sources)

    def _comes_with_its_reader(self, expr: Expr) -> bool:
        """Return whether the nearest operator that reads a column was added above the join: then that operator is the
        change.
        """
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
        """Return whether the clause that reads ``now`` stands where the clause stood that read ``was``."""
        use_now = self._use(now, self.joins.current, self.current_plan)
        if use_now is None or not self.locator.counterparts.edited_in_current(use_now):
            return False
        if was not in self._remaining:
            use_was = self._use(was, self.joins.baseline, self.baseline_plan)
            remains = None if use_was is None else self.locator.counterparts.remains_of(use_was)
            self._remaining[was] = remains
        remains = self._remaining[was]
        return remains is not None and use_now.contains(remains)

    def _use(self, expr: Expr, join: Join, plan: Plan) -> Place | None:
        """The clause that reads a column above the join: one that was typed, if there is such a one."""
        key = expr, plan is self.current_plan
        if key not in self._uses:
            self._uses[key] = self._looked_up(expr, join, plan)
        return self._uses[key]

    def _looked_up(self, expr: Expr, join: Join, plan: Plan) -> Place | None:
        is_current = plan is self.current_plan
        edited = (
            self.locator.counterparts.edited_in_current if is_current else self.locator.counterparts.edited_in_baseline
        )
        uses = list(_uses(expr, join, plan))
        typed = [use for use in uses if use.place is not None and edited(use.place)]
        if typed:
            return typed[0].place
        for use in uses or [expr]:
            place = self.locator.addition(use) if is_current else self.locator.removal(use)
            if place is not None:
                return place
        return None

    def _reordering(self, columns: Row) -> Place | None:
        """The clause that gave the columns another order: of a declaration, or of a select list further down."""
        places = [place for column in columns for place in (column.place, *column.via) if place is not None]
        edited = self.locator.counterparts.edited_in_current
        return next((place for place in places if edited(place)), self.joins.current.place)


def _read_at_all(join: Join, plan: Plan) -> set[Expr]:
    """Return all expressions, subexpressions included, that a query, or a condition or time of the join, evaluates."""
    evaluated = (_evaluated(operator) for operator in (join, *_above(join, plan)))
    return set(plan.output).union(*evaluated, *map(_operands, plan.output))


@asked_once
def _evaluated(operator: Operator) -> frozenset[Expr]:
    """Return all expressions, subexpressions included, that an operator evaluates."""
    return frozenset(node for root in _parts(operator) for node in root.walk())


@asked_once
def _operands(expr: Expr) -> frozenset[Expr]:
    """Return the proper subexpressions of an expression. An expression among its own operands would keep itself
    alive.
    """
    return frozenset(node for child in expr.children() for node in child.walk())


def _uses(expr: Expr, join: Join, plan: Plan) -> Iterator[Expr]:
    """Yield the expressions that read a column above a join, those of the nearest operator first.

    Conditions, keys and aggregates are yielded as a whole; an output column is the column itself.
    """
    for _, root in _readers_above(expr, join, plan):
        yield root if root.place is not None else expr
    for root in plan.output:
        if root == expr or expr in _operands(root):
            yield from _readers(root, expr)


def _readers_above(expr: Expr, join: Join, plan: Plan) -> Iterator[tuple[Operator, Expr]]:
    """The operators above a join that read a column, the nearest one first, and by which expression."""
    for operator in _above(join, plan):
        # Most operators read nothing of it, which needs no look at each of their expressions.
        for root in _parts(operator) if expr in _evaluated(operator) else ():
            if expr in root.walk():
                yield operator, root


def _above(join: Join, plan: Plan) -> Iterator[Operator]:
    """The operators above a join, the nearest one first."""
    numbers = {join.number}
    # Inputs come behind the operators that read them, so backwards they come first.
    for operator in reversed(plan.operators):
        if any(child.number in numbers for child in operator.inputs):
            numbers.add(operator.number)
            yield operator


def _parts(operator: Operator) -> Iterator[Expr]:
    """The expressions that an operator evaluates."""
    for spec in fields(operator):
        if spec.compare and spec.name not in _STORED:
            yield from expressions_in(getattr(operator, spec.name))


def _readers(root: Expr, expr: Expr) -> Iterator[Expr]:
    """Yield the uses of a column in an output column. An aggregate over the column is the use, not its operands."""
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


def _keys_reported_below(baseline: Operator, current: Operator) -> frozenset[Expr]:
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
