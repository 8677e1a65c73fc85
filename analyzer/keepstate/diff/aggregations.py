"""Differences of aggregations: window, keys, aggregates, and what stands in front of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.sequences import SequenceDiff, compare
from keepstate.diff.windows import window_changes
from keepstate.diff.words import names, window_words
from keepstate.plan.expressions import (
    AggregateCall,
    Expr,
    computes_on_window_field,
    holds_window_field,
)
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, GroupAggregate, GroupWindowAggregate, Window, WindowSyntax
from keepstate.plan.provenance import Place


def query_kind(operator: Aggregate) -> QueryKind:
    window = window_of(operator)
    if isinstance(operator, GroupAggregate) or window is None:
        return QueryKind.GROUP_AGGREGATE
    return QueryKind.GROUP_WINDOW if isinstance(operator, GroupWindowAggregate) else QueryKind.WINDOW_TVF


def window_of(operator: Aggregate) -> Window | None:
    """The window that the aggregation's input has, whether it groups by it or not."""
    return getattr(operator, "window", None)


@dataclass(frozen=True)
class AggregationDiff:
    """Compares one aggregation of the baseline with its counterpart."""

    baseline: Aggregate
    current: Aggregate
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator

    @property
    def query(self) -> QueryKind:
        """The rules that apply: a change between the two window syntaxes is a matter of the table-valued function."""
        kinds = {query_kind(self.baseline), query_kind(self.current)}
        if QueryKind.WINDOW_TVF in kinds:
            return QueryKind.WINDOW_TVF
        return QueryKind.GROUP_WINDOW if QueryKind.GROUP_WINDOW in kinds else QueryKind.GROUP_AGGREGATE

    def changes(self) -> Iterator[Change]:
        kept = tuple(str(call) for call in self.current.aggregates if call in self.baseline.aggregates)
        window = window_of(self.baseline)
        about = window_words(window) if window is not None and self.query is not QueryKind.GROUP_AGGREGATE else ""
        for change in self._all():
            yield replace(change, kept=kept, window=about)

    def _all(self) -> Iterator[Change]:
        yield from self.features()
        yield from self._window()
        yield from self._grouping()
        yield from self._keys()
        yield from self._aggregates()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    # The window and how it is grouped by

    def _window(self) -> Iterator[Change]:
        ours, theirs = window_of(self.baseline), window_of(self.current)
        found = list(window_changes(ours, theirs, self.query, self.locator, self.baseline.place, self.current.place))
        yield from found
        mixed = ours is not None and theirs is not None and ours.syntax is not theirs.syntax
        groups, grouped = _groups_by_window(self.current), _groups_by_window(self.baseline)
        if groups is not grouped and not found and not mixed:
            gone = [key for key in self.baseline.window_keys if key not in self.current.window_keys]
            come = [key for key in self.current.window_keys if key not in self.baseline.window_keys]
            yield self._change(
                ChangeKind.WINDOW_GROUPING_CHANGED,
                self.current.keys_place if grouped else next((key.place for key in come), self.current.keys_place),
                next((key.place for key in gone), self.baseline.keys_place) if grouped else None,
                removed=grouped,
                subject=names(tuple(gone if grouped else come)),
                baseline_text=f"GROUP BY {names(self.baseline.keys)}",
                current_text=f"GROUP BY {names(self.current.keys)}",
            )
        legacy = isinstance(self.baseline, GroupWindowAggregate) and isinstance(self.current, GroupWindowAggregate)
        if legacy and getattr(self.baseline, "fields", ()) != getattr(self.current, "fields", ()):
            yield self._change(
                ChangeKind.WINDOW_PROPERTIES_CHANGED, self.current.select_place, self.baseline.select_place
            )

    def _grouping(self) -> Iterator[Change]:
        ours, theirs = self.baseline.grouping, self.current.grouping
        if ours and not theirs:
            yield self._change(
                ChangeKind.GROUPING_SETS_REMOVED,
                self.current.keys_place,
                self.baseline.grouping_place,
                removed=True,
                subject=_text(self.baseline.grouping_place),
            )
        elif theirs and not ours:
            yield self._change(
                ChangeKind.GROUPING_SETS_ADDED,
                self.current.grouping_place,
                None,
                subject=_text(self.current.grouping_place),
            )

    # Group keys

    def _keys(self) -> Iterator[Change]:
        ours, theirs = _ordinary_keys(self.baseline), _ordinary_keys(self.current)
        diff = compare(ours, theirs, (_same_use, _at_same_index(ours, theirs), _one_in_the_other))
        for was, now in diff.modified:
            places = self.locator.modification(was, now, was.place, now.place)
            yield self._change(
                ChangeKind.GROUP_KEY_CHANGED,
                places[1],
                places[0],
                subject=f"group key {was}",
                baseline_text=str(was),
                current_text=str(now),
            )
        for key in diff.added:
            yield self._change(ChangeKind.GROUP_KEY_ADDED, key.place, None, subject=f"group key {key}")
        for key in diff.removed:
            place = self.current.keys_place or self.current.select_place
            yield self._change(ChangeKind.GROUP_KEY_REMOVED, place, key.place, removed=True, subject=f"group key {key}")
        if diff.reordered:
            yield self._change(
                ChangeKind.GROUP_KEYS_REORDERED,
                self.current.keys_place or self.current.select_place,
                self.baseline.keys_place or self.baseline.select_place,
                subject="group keys",
                baseline_text=names(tuple(ours)),
                current_text=names(tuple(theirs)),
            )
        elif not (diff.added or diff.removed or diff.modified) and self._window_keys_moved():
            yield self._change(
                ChangeKind.WINDOW_KEYS_MOVED,
                self.current.keys_place,
                self.baseline.keys_place,
                subject="window fields in GROUP BY",
                baseline_text=names(self.baseline.keys),
                current_text=names(self.current.keys),
            )

    def _window_keys_moved(self) -> bool:
        """Whether window fields changed places among the keys; ``window_time`` may come and go (spec WTVF-07, 09)."""
        ours, theirs = window_of(self.baseline), window_of(self.current)
        if ours is None or theirs is None or ours.syntax is not theirs.syntax:
            return False
        was = [key for key in self.baseline.keys if not computes_on_window_field(key)]
        now = [key for key in self.current.keys if not computes_on_window_field(key)]
        return was != now and _groups_by_window(self.baseline) is _groups_by_window(self.current)

    # Aggregates

    def _aggregates(self) -> Iterator[Change]:
        ours = [call for call in self.baseline.aggregates if not _sticky(call, self.baseline)]
        theirs = [call for call in self.current.aggregates if not _sticky(call, self.current)]
        survivors = set(self.baseline.aggregates) & set(self.current.aggregates)
        plain = compare(
            [call for call in ours if not call.distinct],
            [call for call in theirs if not call.distinct],
            _AGGREGATE_TWINS,
        )
        distinct = compare(
            [call for call in ours if call.distinct], [call for call in theirs if call.distinct], _AGGREGATE_TWINS
        )
        plain, distinct = _across_distinct(plain, distinct)
        yield from self._distinct_aggregates(distinct)
        yield from self._plain_aggregates(plain if survivors else _by_position(plain), bool(survivors))
        # The planner's accumulator follows this order; a ranking above it stores its row in it.
        reordered = _kept_order(self.baseline, survivors) != _kept_order(self.current, survivors)
        if reordered and not distinct.reordered:
            yield self._change(
                ChangeKind.AGGREGATES_REORDERED,
                self.current.select_place,
                self.baseline.select_place,
                subject="aggregates",
                baseline_text=names(self.baseline.aggregates),
                current_text=names(self.current.aggregates),
            )

    def _plain_aggregates(self, diff: SequenceDiff[AggregateCall], survives: bool) -> Iterator[Change]:
        added_kind, changed_kind, removed_kind = (
            ChangeKind.AGGREGATE_ADDED,
            ChangeKind.AGGREGATE_CHANGED,
            ChangeKind.AGGREGATE_REMOVED,
        )
        if not survives:
            if not self.baseline.aggregates:
                added_kind = ChangeKind.FIRST_AGGREGATE_ADDED
            elif not self.current.aggregates:
                removed_kind = ChangeKind.ALL_AGGREGATES_REMOVED
            else:
                added_kind = changed_kind = ChangeKind.ALL_AGGREGATES_REPLACED
                only = len(self.current.aggregates) == 1 and diff.modified
                if only and diff.modified[0][0].function == diff.modified[0][1].function:
                    changed_kind = ChangeKind.ONLY_AGGREGATE_CHANGED
        for was, now in diff.modified:
            yield self._modified_aggregate(changed_kind, was, now)
        for call in diff.added:
            yield self._added_aggregate(added_kind, call)
        # Where nothing survives, an aggregate that went without a successor is no news of its own.
        for call in diff.removed if survives or not (diff.added or diff.modified) else ():
            yield self._removed_aggregate(removed_kind, call)

    def _distinct_aggregates(self, diff: SequenceDiff[AggregateCall]) -> Iterator[Change]:
        for was, now in diff.modified:
            yield self._modified_aggregate(ChangeKind.DISTINCT_AGGREGATE_CHANGED, was, now)
        for call in diff.added:
            yield self._added_aggregate(ChangeKind.DISTINCT_AGGREGATE_ADDED, call)
        for call in diff.removed:
            yield self._removed_aggregate(ChangeKind.DISTINCT_AGGREGATE_REMOVED, call)
        if diff.reordered:
            first, last = diff.kept[0], diff.kept[-1]
            yield self._change(
                ChangeKind.DISTINCT_AGGREGATES_REORDERED,
                _through(first.item or first.place, last.item or last.place),
                self.baseline.select_place,
                subject="distinct aggregates",
                baseline_text=names(tuple(call for call in self.baseline.aggregates if call in set(diff.kept))),
                current_text=names(diff.kept),
            )

    def _modified_aggregate(self, kind: ChangeKind, was: AggregateCall, now: AggregateCall) -> Change:
        baseline, current = self.locator.modification(was, now, was.place, now.place)
        if now in self.baseline.unread or was in self.current.unread:
            # Both calls stand where they stood: it is the query around them that reads another one.
            baseline = _use_of(was, self.baseline_plan) or baseline
            current = _use_of(now, self.current_plan) or current
        return self._change(
            kind,
            current,
            baseline,
            subject=str(now),
            baseline_text=str(was),
            current_text=str(now),
        )

    def _added_aggregate(self, kind: ChangeKind, call: AggregateCall) -> Change:
        place = call.place
        if call in self.baseline.unread:
            # The call stood there before; it is the query around it that begins to read it.
            place = _use_of(call, self.current_plan) or place
        return self._change(kind, place, None, subject=str(call), current_text=str(call))

    def _removed_aggregate(self, kind: ChangeKind, call: AggregateCall) -> Change:
        remains = self.locator.remains(self.baseline.select_place, self.current.select_place)
        remains = self.current.select_place or remains
        place = call.place
        if call in self.current.unread:
            place = _use_of(call, self.baseline_plan) or place
            remains = self.current_plan.output_place or remains
        return self._change(kind, remains, place, removed=True, subject=str(call), baseline_text=str(call))

    # What makes a verdict impossible by being there

    def features(self) -> Iterator[Change]:
        ours = [call for call in self.baseline.aggregates if call.opaque]
        theirs = [call for call in self.current.aggregates if call.opaque]
        yield from self._presence(ChangeKind.PYTHON_AGGREGATE, ours, theirs)
        if not self._windowed():
            return
        yield from self._presence(
            ChangeKind.WINDOW_FIELD_AGGREGATED, _over_window_fields(self.baseline), _over_window_fields(self.current)
        )
        computed, computes = _computed_window_keys(self.baseline), _computed_window_keys(self.current)
        if computed and computes:
            yield self._computation(ChangeKind.WINDOW_FIELD_COMPUTATION_PRESENT, computed[0], computes[0])
        elif computed or computes:
            yield self._computation(
                ChangeKind.WINDOW_FIELD_COMPUTATION_CHANGED,
                computed[0] if computed else None,
                computes[0] if computes else None,
            )
        if self.baseline.grouping and self.current.grouping:
            yield self._change(
                ChangeKind.GROUPING_SETS_PRESENT,
                self.current.grouping_place,
                self.baseline.grouping_place,
                presence=Presence.KEPT,
                subject=_text(self.current.grouping_place),
                baseline_text=_text(self.baseline.grouping_place),
                current_text=_text(self.current.grouping_place),
            )

    def _windowed(self) -> bool:
        """Whether one of the two works on rows of a window table-valued function."""
        windows = (window_of(self.baseline), window_of(self.current))
        return any(window is not None and window.syntax is WindowSyntax.TVF for window in windows)

    def _presence(
        self, kind: ChangeKind, baseline: list[AggregateCall], current: list[AggregateCall]
    ) -> Iterator[Change]:
        for call in current:
            kept = call in baseline
            was = next((other.place for other in baseline if other == call), None)
            presence = Presence.KEPT if kept else Presence.ADDED
            yield self._change(kind, call.place, was, presence=presence, subject=str(call))
        for call in baseline:
            if call not in current:
                yield self._change(
                    kind,
                    self.current.select_place,
                    call.place,
                    removed=True,
                    presence=Presence.REMOVED,
                    subject=str(call),
                )

    def _computation(self, kind: ChangeKind, baseline: Expr | None, current: Expr | None) -> Change:
        was = _definition(baseline) if baseline is not None else None
        now = _definition(current) if current is not None else None
        if baseline is not None and current is not None:
            presence = Presence.KEPT
        else:
            presence = Presence.ADDED if baseline is None else Presence.REMOVED
        if now is None:
            now = self.locator.remains(was, self.current.keys_place)
        elif was is None:
            was = self.locator.counterparts.to_baseline(now)
        text = next(str(expr) for expr in (current, baseline) if expr is not None)
        return self._change(kind, now, was, removed=current is None and now is None, presence=presence, subject=text)


def _groups_by_window(operator: Aggregate) -> bool:
    return window_of(operator) is not None and not isinstance(operator, GroupAggregate)


def _ordinary_keys(operator: Aggregate) -> list[Expr]:
    """Keys that have nothing to do with the window; those that compute on its fields have a rule of their own."""
    return [key for key in operator.plain_keys if not computes_on_window_field(key)]


def _computed_window_keys(operator: Aggregate) -> list[Expr]:
    return [key for key in operator.keys if computes_on_window_field(key)]


def _over_window_fields(operator: Aggregate) -> list[AggregateCall]:
    return [call for call in operator.aggregates if any(holds_window_field(child) for child in call.children())]


def _sticky(call: AggregateCall, operator: Aggregate) -> bool:
    window = window_of(operator)
    on_tvf = window is not None and window.syntax is WindowSyntax.TVF
    return call.opaque or (on_tvf and any(holds_window_field(child) for child in call.children()))


def _definition(expr: Expr) -> Place | None:
    """The select item that computes an expression, or the expression itself where it is used."""
    return expr.via[-1] if expr.via else expr.place


def _use_of(call: AggregateCall, plan: Plan) -> Place | None:
    """Where the outermost query reads a column that an aggregate below gives."""
    return next((node.place for expr in plan.output for node in expr.walk() if node == call), None)


def _kept_order(operator: Aggregate, survivors: set[AggregateCall]) -> tuple[AggregateCall, ...]:
    return tuple(call for call in operator.aggregates if call in survivors)


def _same_alias(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.alias is not None and baseline.alias == current.alias


def _same_use(baseline: Expr, current: Expr) -> bool:
    return _text(baseline.place) != "" and _text(baseline.place) == _text(current.place)


def _same_function(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.function == current.function


_AGGREGATE_TWINS = (_same_alias, _same_use, _same_function)


def _across_distinct(
    plain: SequenceDiff[AggregateCall], distinct: SequenceDiff[AggregateCall]
) -> tuple[SequenceDiff[AggregateCall], SequenceDiff[AggregateCall]]:
    """DISTINCT put into a call or taken out of it is one change, of a distinct aggregate."""
    plain_added, plain_removed = list(plain.added), list(plain.removed)
    distinct_added, distinct_removed = list(distinct.added), list(distinct.removed)
    modified = list(distinct.modified)
    for gone, come in ((plain_removed, distinct_added), (distinct_removed, plain_added)):
        for now in list(come):
            was = next((call for call in gone if _same_alias(call, now) or _same_but_distinct(call, now)), None)
            if was is not None:
                modified.append((was, now))
                gone.remove(was)
                come.remove(now)
    return (
        replace(plain, added=tuple(plain_added), removed=tuple(plain_removed)),
        replace(distinct, added=tuple(distinct_added), removed=tuple(distinct_removed), modified=tuple(modified)),
    )


def _same_but_distinct(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.function == current.function and baseline.args == current.args


def _by_position(diff: SequenceDiff[AggregateCall]) -> SequenceDiff[AggregateCall]:
    """Pair what is left in order: where every aggregate was replaced, each new one took some former one's place."""
    count = min(len(diff.added), len(diff.removed))
    pairs = tuple(zip(diff.removed[:count], diff.added[:count], strict=True))
    return replace(diff, added=diff.added[count:], removed=diff.removed[count:], modified=(*diff.modified, *pairs))


def _at_same_index(baseline: list[Expr], current: list[Expr]) -> Callable[[Expr, Expr], bool]:
    """Keys at one index of lists of one length replace each other."""

    def twin(was: Expr, now: Expr) -> bool:
        return len(baseline) == len(current) and baseline.index(was) == current.index(now)

    return twin


def _one_in_the_other(baseline: Expr, current: Expr) -> bool:
    return any(node == baseline for node in current.walk()) or any(node == current for node in baseline.walk())


def _through(first: Place | None, last: Place | None) -> Place | None:
    return first.through(last) if first is not None and last is not None else first


def _text(place: Place | None) -> str:
    return " ".join(place.text.split()) if place is not None else ""
