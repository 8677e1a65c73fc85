"""Differences of aggregations: window, keys, aggregates, and their input paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names
from keepstate.diff.operators.aggregate_sets import AggregateSet, AggregateSetDiff
from keepstate.diff.operators.windows import window_changes
from keepstate.diff.sequences import at_same_index, compare, one_in_the_other, same_use
from keepstate.plan.expressions import (
    AggregateCall,
    Expr,
    computes_on_window_field,
    holds_window_field,
)
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, GroupAggregate, GroupWindowAggregate, Window, WindowKind, WindowSyntax
from keepstate.plan.provenance import Place
from keepstate.state.clauses import window_words


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
        before = frozenset(self.baseline.aggregates)
        kept_calls = tuple(str(call) for call in self.current.aggregates if call in before)
        window = window_of(self.baseline)
        about = window_words(window) if window is not None and self.query is not QueryKind.GROUP_AGGREGATE else ""
        for change in self._all():
            yield replace(change, kept_aggregates=kept_calls, window=about)

    def _all(self) -> Iterator[Change]:
        yield from self.features()
        yield from self._window()
        yield from self._grouping()
        yield from self._keys()
        yield from self._aggregates().changes()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    # The window and how it is grouped by

    def _window(self) -> Iterator[Change]:
        baseline_window, current_window = (
            _with_session_keys(self.baseline, self.current),
            _with_session_keys(self.current, self.baseline),
        )
        changes = list(
            window_changes(
                baseline_window, current_window, self.query, self.locator, self.baseline.place, self.current.place
            )
        )
        yield from changes
        mixed = (
            baseline_window is not None
            and current_window is not None
            and baseline_window.syntax is not current_window.syntax
        )
        groups, grouped = _groups_by_window(self.current), _groups_by_window(self.baseline)
        if groups is not grouped and not changes and not mixed:
            old_keys = [key for key in self.baseline.window_keys if key not in self.current.window_keys]
            new_keys = [key for key in self.current.window_keys if key not in self.baseline.window_keys]
            yield self._change(
                ChangeKind.WINDOW_GROUPING_CHANGED,
                self.current.keys_place if grouped else next((key.place for key in new_keys), self.current.keys_place),
                next((key.place for key in old_keys), self.baseline.keys_place) if grouped else None,
                removed=grouped,
                subject=f"{names(tuple(old_keys or new_keys))} {'left out of' if grouped else 'put into'} GROUP BY",
                baseline_text=f"GROUP BY {names(self.baseline.keys)}",
                current_text=f"GROUP BY {names(self.current.keys)}",
            )
        legacy = isinstance(self.baseline, GroupWindowAggregate) and isinstance(self.current, GroupWindowAggregate)
        if legacy and getattr(self.baseline, "fields", ()) != getattr(self.current, "fields", ()):
            yield self._change(
                ChangeKind.WINDOW_PROPERTIES_CHANGED, self.current.select_place, self.baseline.select_place
            )

    def _grouping(self) -> Iterator[Change]:
        baseline_grouping, current_grouping = self.baseline.grouping, self.current.grouping
        if baseline_grouping and not current_grouping:
            yield self._change(
                ChangeKind.GROUPING_SETS_REMOVED,
                self.current.keys_place,
                self.baseline.grouping_place,
                removed=True,
                subject=_text(self.baseline.grouping_place),
            )
        elif current_grouping and not baseline_grouping:
            yield self._change(
                ChangeKind.GROUPING_SETS_ADDED,
                self.current.grouping_place,
                None,
                subject=_text(self.current.grouping_place),
            )

    # Group keys

    @property
    def _key(self) -> str:
        """A key in the words of the clause that asks for the groups."""
        asked_by = self.current.asked_by
        return f"{asked_by} column" if asked_by and asked_by == self.baseline.asked_by else "group key"

    def _keys(self) -> Iterator[Change]:
        baseline_keys = _ordinary_keys(self.baseline, self.current)
        current_keys = _ordinary_keys(self.current, self.baseline)
        diff = compare(
            baseline_keys, current_keys, (same_use, at_same_index(baseline_keys, current_keys), one_in_the_other)
        )
        for was, now in diff.modified:
            places = self.locator.modification(was, now, was.place, now.place)
            yield self._change(
                ChangeKind.GROUP_KEY_CHANGED,
                places[1],
                places[0],
                subject=f"{self._key} {distinct_texts(was, now)[0]}",
                baseline_text=distinct_texts(was, now)[0],
                current_text=distinct_texts(was, now)[1],
            )
        for key in diff.added:
            yield self._change(ChangeKind.GROUP_KEY_ADDED, key.place, None, subject=f"{self._key} {key}")
        for key in diff.removed:
            place = self.current.keys_place or self.current.select_place
            yield self._change(
                ChangeKind.GROUP_KEY_REMOVED, place, key.place, removed=True, subject=f"{self._key} {key}"
            )
        if diff.reordered:
            yield self._change(
                ChangeKind.GROUP_KEYS_REORDERED,
                self.current.keys_place or self.current.select_place,
                self.baseline.keys_place or self.baseline.select_place,
                subject=f"{self._key}s",
                baseline_text=names(tuple(baseline_keys)),
                current_text=names(tuple(current_keys)),
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
        """Return whether window fields changed places among the keys; ``window_time`` may come and go (spec WTVF-07,
        09).
        """
        baseline_window, current_window = window_of(self.baseline), window_of(self.current)
        if baseline_window is None or current_window is None or baseline_window.syntax is not current_window.syntax:
            return False
        was = [key for key in self.baseline.keys if not computes_on_window_field(key)]
        now = [key for key in self.current.keys if not computes_on_window_field(key)]
        return was != now and _groups_by_window(self.baseline) is _groups_by_window(self.current)

    # Aggregates

    def _aggregates(self) -> AggregateSetDiff:
        return AggregateSetDiff(
            _aggregate_set(self.baseline, self.baseline_plan),
            _aggregate_set(self.current, self.current_plan),
            self.query,
            self.locator,
        )

    # What makes a verdict impossible by being there

    def features(self) -> Iterator[Change]:
        yield from self._aggregates().opaque_calls()
        yield from self._kept_grouping()
        if not self._windowed():
            return
        yield from self._aggregates().presence(
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

    def _kept_grouping(self) -> Iterator[Change]:
        """Grouping sets on both sides (spec section 17, step 4a); over group windows Flink plans none."""
        if not (self.baseline.grouping and self.current.grouping) or self.query is QueryKind.GROUP_WINDOW:
            return
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
        """Return whether at least one of the two aggregations reads rows of a window table-valued function."""
        windows = (window_of(self.baseline), window_of(self.current))
        return any(window is not None and window.syntax is WindowSyntax.TVF for window in windows)

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


def _with_session_keys(aggregate: Aggregate, other: Aggregate) -> Window | None:
    """The window of an aggregation; of a SESSION in GROUP BY that became a table-valued function, or was one, with the
    keys of its sessions. They are its group keys, and in the order of the other PARTITION BY where they are the same.
    """
    window, beside = window_of(aggregate), window_of(other)
    if window is None or beside is None or not window.kind is beside.kind is WindowKind.SESSION:
        return window
    if window.syntax is beside.syntax or window.syntax is WindowSyntax.TVF:
        return window
    keys = tuple(_ordinary_keys(aggregate, other))
    return replace(window, partition=beside.partition if set(keys) == set(beside.partition) else keys)


def _ordinary_keys(operator: Aggregate, beside: Aggregate) -> list[Expr]:
    """Keys that have nothing to do with the window of a window aggregation. To two others, the fields of a window are
    keys like others. Keys that compute on these fields have a rule of their own.
    """
    are_unbounded = isinstance(operator, GroupAggregate) and isinstance(beside, GroupAggregate)
    keys = operator.keys if are_unbounded else operator.plain_keys
    return [key for key in keys if not computes_on_window_field(key)]


def _computed_window_keys(operator: Aggregate) -> list[Expr]:
    return [key for key in operator.keys if computes_on_window_field(key)]


def _over_window_fields(operator: Aggregate) -> list[AggregateCall]:
    return [call for call in operator.aggregates if any(holds_window_field(child) for child in call.children())]


def _aggregate_set(operator: Aggregate, plan: Plan) -> AggregateSet:
    compared = tuple(call for call in operator.aggregates if not _sticky(call, operator))
    return AggregateSet(operator.aggregates, compared, operator.unread, operator.select_place, plan)


def _sticky(call: AggregateCall, operator: Aggregate) -> bool:
    window = window_of(operator)
    on_tvf = window is not None and window.syntax is WindowSyntax.TVF
    return call.opaque or (on_tvf and any(holds_window_field(child) for child in call.children()))


def _definition(expr: Expr) -> Place | None:
    """The select item that computes an expression, or the expression itself where it is used."""
    return expr.via[-1] if expr.via else expr.place


def _text(place: Place | None) -> str:
    return " ".join(place.text.split()) if place is not None else ""
