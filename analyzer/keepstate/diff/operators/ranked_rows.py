"""Differences of the rows that rankings store (spec DD-01 to DD-03, TN-02, TN-03, TN-07, WTN-06; readings C-22, C-24).

A ranking stores the columns of its input that are read, in their order. The clauses above and below add and remove
columns. A change of an aggregation below is reported at the aggregation, and the ranking reports its own consequence of
that change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import names, new_order
from keepstate.diff.operators.ranks import rank_kind
from keepstate.diff.sequences import compare, one_in_the_other, same_use
from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Unresolved, WindowField
from keepstate.plan.job import Plan
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    Operator,
    Rank,
    RankStrategy,
    WindowAggregate,
    WindowRank,
    expressions_of,
)
from keepstate.plan.provenance import Place
from keepstate.plan.spelling import exact
from keepstate.plan.types.inference import same_row_types, type_of

_AGGREGATIONS = (QueryKind.WINDOW_TVF, QueryKind.GROUP_WINDOW, QueryKind.GROUP_AGGREGATE)
_KEYS = (ChangeKind.GROUP_KEY_ADDED, ChangeKind.GROUP_KEY_REMOVED, ChangeKind.GROUP_KEY_CHANGED)
_ORDERS = (
    ChangeKind.AGGREGATES_REORDERED,
    ChangeKind.DISTINCT_AGGREGATES_REORDERED,
    ChangeKind.GROUP_KEYS_REORDERED,
    ChangeKind.WINDOW_KEYS_MOVED,
)
_SURVIVED = (
    ChangeKind.AGGREGATE_ADDED,
    ChangeKind.AGGREGATE_REMOVED,
    ChangeKind.AGGREGATE_CHANGED,
    ChangeKind.AGGREGATES_REORDERED,
    ChangeKind.WINDOW_KEYS_MOVED,
)
"""Changes that an aggregation may live through by itself: they cost a ranking something only if its rows change."""


@dataclass(frozen=True)
class RankedRowDiff:
    """Compares the stored rows of one ranking of the baseline with those of its counterpart."""

    baseline: Rank
    current: Rank
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator

    def changes(self, below: Iterable[Change]) -> Iterator[Change]:
        """Yield the changes of the stored rows. ``below`` are the changes of the operators that give the ranked
        rows.
        """
        is_open = self._may_deduplicate and type(self.baseline) is not type(self.current)
        if not self._store_rows or is_open:
            return
        below = tuple(below)
        for change in (*self._changes_below(below), *self._columns({change.kind for change in below})):
            yield self._named_by_deduplication(change) if self._may_deduplicate else change

    def differ(self) -> bool:
        """Return whether the stored rows differ at all."""
        both = {*self.baseline.row} & {*self.current.row}
        baseline_row, current_row = (
            [expr for expr in rank.row if expr in both or not self._is_there_anyway(expr)]
            for rank in (self.baseline, self.current)
        )
        return self._store_rows and baseline_row != current_row

    def upsert_key_change(self, change: Change) -> Change | None:
        """``change`` of a group key below as one of the upsert key, if the ranking finds its rows by these keys. It is
        shown at all of GROUP BY: the keys together are the upsert key (spec TN-03).
        """
        baseline_aggregation, current_aggregation = _aggregation_below(self.baseline), _aggregation_below(self.current)
        if (
            not self._moves_upsert_key
            or change.kind not in _KEYS
            or baseline_aggregation is None
            or current_aggregation is None
        ):
            return None
        return replace(
            change,
            kind=ChangeKind.UPSERT_KEY_CHANGED,
            query=self._query,
            current=current_aggregation.keys_place or change.current,
            baseline=change.baseline if change.removed else baseline_aggregation.keys_place or change.baseline,
        )

    @cached_property
    def _store_rows(self) -> bool:
        """Deduplication that keeps the first row by processing time stores none (spec DD-01)."""
        return not any(isinstance(rank, Deduplicate) and rank.keeps_keys_only for rank in (self.baseline, self.current))

    @property
    def _query(self) -> QueryKind:
        return rank_kind(self.baseline)

    @property
    def _by_type(self) -> bool:
        """Return whether only the types of the columns count (spec DD-03)."""
        return isinstance(self.baseline, Deduplicate) and isinstance(self.current, Deduplicate)

    @property
    def _moves_upsert_key(self) -> bool:
        return self.baseline.strategy is RankStrategy.UPDATE_FAST and {*self.baseline.upsert_key} != {
            *self.current.upsert_key
        }

    @property
    def _may_deduplicate(self) -> bool:
        """Return whether the script leaves the kind of ranking open."""
        return self.baseline.may_deduplicate or self.current.may_deduplicate

    def _named_by_deduplication(self, change: Change) -> Change:
        """``change`` of a ranking that may be a deduplication. Both lose their state if stored columns come or go; but
        the first row by processing time is not stored, and of others only the types of the columns count.
        """
        key = self.current.order[0]
        modified = change.baseline_text and change.current_text
        are_stored = key.descending or self._gives(key.expr)
        if change.query is not self._query or (are_stored and not modified):
            return change
        reason = f"the script does not declare whether {key.expr} is a time attribute"
        return replace(change, kind=ChangeKind.RANK_TIME_UNKNOWN, reason=reason)

    def _gives(self, key: Expr) -> bool:
        """Return whether both queries output their sort key as well: a selected sort key is data and no processing
        time.
        """
        outputs = (self.baseline_plan.output, self.current_plan.output)
        return all(any(key in expr.walk() for expr in output) for output in outputs)

    # What changes below do to the rows

    def _changes_below(self, below: Iterable[Change]) -> Iterator[Change]:
        same_types = same_row_types(self.baseline.row, self.current.row) if self._by_type else False
        for change in below:
            if change.query not in _AGGREGATIONS or (change.kind in _SURVIVED and not self.differ()):
                continue
            if self._query is QueryKind.WINDOW_TOP_N:
                yield from changes_at_window_top_n((change, *self._stored_aggregate(change)), self.baseline)
            elif change.kind in _SURVIVED and not same_types:
                yield self._of_aggregate(change, same_types)

    def _stored_aggregate(self, change: Change) -> Iterator[Change]:
        """An aggregate over a window field that came or went is a column of the stored rows as well."""
        kinds = {Presence.ADDED: ChangeKind.AGGREGATE_ADDED, Presence.REMOVED: ChangeKind.AGGREGATE_REMOVED}
        if change.kind is ChangeKind.WINDOW_FIELD_AGGREGATED and change.presence in kinds and self.differ():
            yield replace(change, kind=kinds[change.presence], presence=None)

    def _of_aggregate(self, change: Change, same_types: bool | None) -> Change:
        was, now = change.baseline_text, change.current_text
        columns = f"columns ({was}) -> ({now})" if change.kind in _ORDERS else f"column {became(was, now)}"
        return replace(
            change.under(self._query),
            kind=ChangeKind.RANK_INPUT_CHANGED if same_types is False else ChangeKind.RANK_INPUT_TYPE_UNKNOWN,
            subject=f"{columns} in the stored rows",
            reason=_reason((*self.baseline.row, *self.current.row)),
        )

    # Columns that come, go or change by themselves

    def _columns(self, below: set[ChangeKind]) -> Iterator[Change]:
        baseline_row = [expr for expr in self.baseline.row if not self._is_reported_elsewhere(expr)]
        current_row = [expr for expr in self.current.row if not self._is_reported_elsewhere(expr)]
        diff = compare(baseline_row, current_row, (self._same_output, self._same_use, one_in_the_other))
        rest = compare(diff.removed, diff.added, (self._took_its_place,))
        for was, now in diff.modified:
            yield from self._modified(was, now, self._kind_of(was, now))
        for was, now in rest.modified:
            yield from self._modified(was, now, ChangeKind.RANK_INPUT_CHANGED)
        for expr in rest.added:
            use = self._use(expr, self.current, self.current_plan, self.baseline_plan)
            yield self._row_change(ChangeKind.RANK_INPUT_CHANGED, self.locator.addition(use), None, "", str(expr))
        for expr in rest.removed:
            use = self._use(expr, self.baseline, self.baseline_plan, self.current_plan)
            yield self._removed(self.locator.removal(use), expr)
        if diff.reordered and not below.intersection(_ORDERS):
            yield self._change(
                ChangeKind.RANK_INPUT_CHANGED,
                self._reordering(diff.unchanged),
                self.baseline.select_place,
                subject=f"{new_order(self.baseline.row, self.current.row)} in the stored rows",
                baseline_text=names(self.baseline.row),
                current_text=names(self.current.row),
            )

    def _is_reported_elsewhere(self, expr: Expr) -> bool:
        """Return whether a column is reported elsewhere: as a key of the ranking or of an aggregation below, or as an
        aggregate that changed there.
        """
        if expr in self._changed_keys or self._is_there_anyway(expr):
            return True
        calls = {node for node in expr.walk() if isinstance(node, AggregateCall) and not node.over}
        return bool(calls) and not calls <= self._kept_aggregates

    @cached_property
    def _changed_keys(self) -> frozenset[Expr]:
        """Keys of the ranking on one side only, and all keys of an aggregation below where these differ."""
        keys = _keys_of(self.baseline) ^ _keys_of(self.current)
        baseline_aggregation, current_aggregation = (_aggregation_below(rank) for rank in (self.baseline, self.current))
        was, now = (below.keys if below is not None else () for below in (baseline_aggregation, current_aggregation))
        return keys if was == now else keys | {*was, *now}

    @cached_property
    def _kept_aggregates(self) -> frozenset[AggregateCall]:
        baseline_calls, current_calls = (
            {call for below in _aggregations_in(rank) for call in below.aggregates}
            for rank in (self.baseline, self.current)
        )
        return frozenset(baseline_calls & current_calls)

    def _is_there_anyway(self, expr: Expr) -> bool:
        """Return whether a column is always in the rows, read or not: so are the fields of a window (spec C-22)."""
        return isinstance(expr, WindowField) and self._has_every_window_field

    @cached_property
    def _has_every_window_field(self) -> bool:
        windowed = (
            isinstance(rank, WindowRank) or isinstance(_aggregation_below(rank), WindowAggregate)
            for rank in (self.baseline, self.current)
        )
        return all(windowed)

    def _kind_of(self, was: Expr, now: Expr) -> ChangeKind:
        if not self._by_type:
            return ChangeKind.RANK_INPUT_CHANGED
        same_type = same_row_types((was,), (now,))
        if same_type is None:
            return ChangeKind.RANK_INPUT_TYPE_UNKNOWN
        return ChangeKind.RANK_COLUMN_CHANGED if same_type else ChangeKind.RANK_INPUT_CHANGED

    def _modified(self, was: Expr, now: Expr, kind: ChangeKind) -> Iterator[Change]:
        before, after = self._uses(was, now)
        places = self.locator.modification(before, after, before.place, after.place)
        words = (str(was), str(now)) if str(was) != str(now) else (exact(was), exact(now))
        change = self._row_change(kind, places[1], places[0], *words)
        if kind is ChangeKind.RANK_INPUT_TYPE_UNKNOWN:
            change = replace(change, reason=_reason((was, now)))
        yield change

    def _removed(self, baseline_place: Place | None, expr: Expr) -> Change:
        clause = self.current_plan.output_place or self.current.select_place
        above = self.baseline_plan.output_place
        if baseline_place is not None and clause is not None and (above is None or not above.contains(baseline_place)):
            # It went further down than the outermost select list.
            rest = self.locator.stood_at(baseline_place, clause)
            clause = rest if rest.words[:1] and rest.words[0].isidentifier() else clause
        return self._row_change(ChangeKind.RANK_INPUT_CHANGED, clause, baseline_place, str(expr), "")

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self._query, current, baseline, **facts)  # type: ignore[arg-type]

    def _row_change(
        self, kind: ChangeKind, current: Place | None, baseline: Place | None, was: str, now: str
    ) -> Change:
        return self._change(
            kind,
            current,
            baseline,
            removed=not now,
            subject=f"column {became(was, now)} in the stored rows",
            baseline_text=was,
            current_text=now,
        )

    # Which clause makes a column part of the row

    def _same_use(self, was: Expr, now: Expr) -> bool:
        """Return whether the clauses that read the columns are written alike: then the definition of the column
        changed.
        """
        return same_use(*self._uses(was, now))

    def _uses(self, was: Expr, now: Expr) -> tuple[Expr, Expr]:
        before = self._use(was, self.baseline, self.baseline_plan, self.current_plan)
        return before, self._use(now, self.current, self.current_plan, self.baseline_plan)

    def _same_output(self, was: Expr, now: Expr) -> bool:
        """Return whether an output column of one name was ``was`` and is ``now``."""
        baseline_output = dict(zip(self.baseline_plan.names, self.baseline_plan.output, strict=True))
        pairs = zip(self.current_plan.names, self.current_plan.output, strict=True)
        return any(expr == now and baseline_output.get(name) == was for name, expr in pairs)

    def _took_its_place(self, was: Expr, now: Expr) -> bool:
        """Return whether an output column of another name stands in the position of the former one."""
        baseline_output, current_output = self.baseline_plan.output, self.current_plan.output
        return len(baseline_output) == len(current_output) and (was, now) in zip(
            baseline_output, current_output, strict=True
        )

    def _use(self, expr: Expr, rank: Rank, plan: Plan, other: Plan) -> Expr:
        """Return the expression that reads a column of the row above the ranking.

        That is an aggregate that the ``other`` plan lacks, or else the column itself where it is read; or the column of
        the ranking, if nothing above reads it.
        """
        above = [operator for operator in plan.operators if operator is not rank and rank in operator.walk()]
        reading = [*plan.output, *(node for operator in above for node in expressions_of(operator))]
        other_calls = {
            call for operator in other.operators if isinstance(operator, Aggregate) for call in operator.aggregates
        }
        nodes = [node for root in reading for node in root.walk()]
        new = (
            node
            for node in nodes
            if isinstance(node, AggregateCall) and node not in other_calls and expr in node.walk()
        )
        plain = (node for node in nodes if node == expr)
        return next(new, None) or next(plain, expr)

    def _reordering(self, columns: tuple[Expr, ...]) -> Place | None:
        """The clause that gave the columns another order: of a declaration, or of a query further down."""
        edited = (
            place for column in columns for place in column.via if self.locator.counterparts.edited_in_current(place)
        )
        return next(edited, self.current.select_place)


def changes_at_window_top_n(below: Iterable[Change], rank: Rank) -> Iterator[Change]:
    """The changes of an aggregation, as a Top-N over windows sees them: the rules of both hold (spec section 4)."""
    for change in below:
        if rank_kind(rank) is QueryKind.WINDOW_TOP_N and change.query in _AGGREGATIONS:
            yield change.under(QueryKind.WINDOW_TOP_N)


def _keys_of(rank: Rank) -> frozenset[Expr]:
    ends = (node for condition in rank.range.other for node in condition.children()) if rank.range is not None else ()
    return frozenset((*rank.partition, *(element.expr for element in rank.order), *ends))


def _aggregation_below(rank: Rank) -> Aggregate | None:
    """The aggregation whose results are ranked, filtered perhaps."""
    return next(_aggregations_in(rank), None)


def _aggregations_in(operator: Operator) -> Iterator[Aggregate]:
    """The aggregations whose results ``operator`` hands on: not those below them."""
    for child in operator.inputs:
        if isinstance(child, Aggregate):
            yield child
        else:
            yield from _aggregations_in(child)


def _reason(exprs: Iterable[Expr]) -> str:
    """Return the reason why the types of the columns cannot be compared."""
    nodes = [node for expr in exprs for node in expr.walk() if type_of(node) is None]
    for node in nodes:
        if isinstance(node, (Column, Unresolved)):
            return f"the script does not declare the type of {node}"
    function = next((node.name for node in nodes if isinstance(node, Call)), "a function")
    return f"the type that {function} gives is not known"
