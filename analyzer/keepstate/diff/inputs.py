"""Differences of what stands between a stateful operator and the next one below: filters, table functions, inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.sequences import compare
from keepstate.diff.windows import window_changes
from keepstate.plan.expressions import UNITED, Call, Column, Expr, holds_window_field
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    LookupJoin,
    Operator,
    TableSourceScan,
    Union,
    Values,
    Window,
    WindowTableFunction,
)
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place


@dataclass
class Stretch:
    """The stateless operators right below a stateful one, as far as its input rows depend on them.

    ``on_window`` are table functions called on rows that bear window fields, ``below_window`` all others.
    """

    conditions: list[Expr] = field(default_factory=list)
    on_window: list[Correlate] = field(default_factory=list)
    below_window: list[Correlate] = field(default_factory=list)
    looked_up: list[Expr] = field(default_factory=list)
    """What lookup joins ask for by their own condition. It is theirs alone: they keep no state (spec JL-01)."""
    windows: list[Window] = field(default_factory=list)
    constants: list[Values] = field(default_factory=list)
    """The rows that queries write down."""

    @property
    def has_window(self) -> bool:
        return bool(self.windows)

    @staticmethod
    def above(*inputs: Operator) -> Stretch:
        """The stateless operators on top of ``inputs``."""
        stretch = Stretch()
        for child in inputs:
            stretch._take(child)
        if not stretch.has_window:
            stretch.below_window += stretch.on_window
            stretch.on_window = []
        return stretch

    def _take(self, operator: Operator) -> None:
        if operator.stateful or isinstance(operator, TableSourceScan):
            return
        if isinstance(operator, Calc):
            self.conditions += operator.conditions
        elif isinstance(operator, Correlate):
            (self.below_window if self.has_window else self.on_window).append(operator)
        elif isinstance(operator, Values):
            self.constants += [operator] if operator.rows else []
        elif isinstance(operator, WindowTableFunction):
            self.windows.append(operator.window)
        elif isinstance(operator, LookupJoin):
            own = [condition for condition in operator.conditions if _is_within(condition, operator)]
            self.looked_up += own
            self.conditions += [condition for condition in operator.conditions if condition not in own]
            self._take(operator.left)
            return
        for child in operator.inputs:
            self._take(child)


def input_changes(
    baseline: Operator, current: Operator, query: QueryKind, locator: Locator, shown: Place | None
) -> Iterator[Change]:
    """How the way into a stateful operator differs; ``shown`` is the clause of the operator in the current text."""
    if isinstance(baseline, Join) and isinstance(current, Join):
        # What stands in front of one input of a join says nothing about the other.
        for was, now in zip(baseline.inputs, current.inputs, strict=True):
            yield from _way_in(Stretch.above(was), Stretch.above(now), baseline, query, locator, shown)
        return
    yield from _way_in(Stretch.above(*baseline.inputs), Stretch.above(*current.inputs), baseline, query, locator, shown)


def _way_in(
    ours: Stretch, theirs: Stretch, baseline: Operator, query: QueryKind, locator: Locator, shown: Place | None
) -> Iterator[Change]:
    windowed = query in (QueryKind.WINDOW_TVF,)
    yield from _filters(ours, theirs, query, locator, shown, windowed)
    yield from _table_functions(ours, theirs, query, shown)
    for was, now in zip(ours.constants, theirs.constants, strict=False):
        if was != now:
            yield Change(ChangeKind.CONSTANT_ROWS_CHANGED, QueryKind.JOB, now.place or shown, was.place)
    if not isinstance(baseline, Aggregate):
        # An aggregation speaks of its window itself.
        yield from _windows(ours, theirs, query, locator, shown)


def _filters(
    ours: Stretch, theirs: Stretch, query: QueryKind, locator: Locator, shown: Place | None, windowed: bool
) -> Iterator[Change]:
    was_on_window = [expr for expr in ours.conditions if holds_window_field(expr)] if windowed else []
    now_on_window = [expr for expr in theirs.conditions if holds_window_field(expr)] if windowed else []
    for condition in now_on_window:
        twin = next((other for other in was_on_window if other == condition), None)
        yield Change(
            ChangeKind.WINDOW_FIELD_FILTERED,
            query,
            condition.place,
            twin.place if twin is not None else None,
            presence=Presence.KEPT if twin is not None else Presence.ADDED,
            subject=_text(condition),
        )
    for condition in was_on_window:
        if condition not in now_on_window:
            yield Change(
                ChangeKind.WINDOW_FIELD_FILTERED,
                query,
                locator.remains(condition.place, shown),
                condition.place,
                removed=True,
                presence=Presence.REMOVED,
                subject=_text(condition),
            )
    # A condition that moved between WHERE and a lookup join's ON is the same one.
    was_filtered = [expr for expr in ours.conditions if expr not in was_on_window and expr not in theirs.looked_up]
    now_filtered = [expr for expr in theirs.conditions if expr not in now_on_window and expr not in ours.looked_up]
    before, after = _for_each_input(was_filtered), _for_each_input(now_filtered)
    diff = compare(before, after, (_same_columns, _any))
    # What is written above a union filters each of its inputs, whichever of them came or went.
    told_before = {expr.place for expr in (*(was for was, _ in diff.modified), *(c for c in before if c in after))}
    told_after = {expr.place for expr in (*(now for _, now in diff.modified), *(c for c in after if c in before))}
    for was, now in diff.modified:
        places = locator.modification(was, now, was.place, now.place)
        yield Change(
            ChangeKind.FILTER_CHANGED,
            query,
            places[1],
            places[0],
            subject="filter",
            baseline_text=_text(was),
            current_text=_text(now),
        )
    for condition in diff.added:
        if condition.place is not None and condition.place in told_after:
            continue
        yield Change(ChangeKind.FILTER_ADDED, query, condition.place, None, subject=f"filter {_text(condition)}")
    for condition in diff.removed:
        if condition.place is not None and condition.place in told_before:
            continue
        yield Change(
            ChangeKind.FILTER_REMOVED,
            query,
            left_of_condition(condition.place, locator, shown),
            condition.place,
            removed=True,
            subject=f"filter {_text(condition)}",
        )


def _for_each_input(conditions: list[Expr]) -> list[Expr]:
    """Conditions on columns of a union, one for each of its inputs: not all of them are taken down to these."""
    return list(dict.fromkeys(one for condition in conditions for one in _on_inputs(condition)))


def _on_inputs(condition: Expr) -> Iterator[Expr]:
    united = [node for node in condition.walk() if isinstance(node, Call) and node.name == UNITED]
    choices = [{arg.table: arg for arg in node.args if isinstance(arg, Column)} for node in united]
    tables = choices[0].keys() if choices else set()
    if not all(
        choice.keys() == tables and len(choice) == len(node.args) for choice, node in zip(choices, united, strict=True)
    ):
        tables = set()
    if not tables:
        yield condition
    for table in sorted(tables):
        chosen = {node: choice[table] for node, choice in zip(united, choices, strict=True)}
        yield reordered(condition.rewrite(lambda node, chosen=chosen: chosen.get(node, node)))  # type: ignore[misc]


def left_of_condition(place: Place | None, locator: Locator, shown: Place | None) -> Place | None:
    """Where a condition of the baseline has stood: what is left of it, unless that is some words that stand in another
    condition by now; then ``shown``, the clause of the operator that it belonged to.
    """
    remains = locator.remains(place, shown)
    if place is None or remains is None or shown is None:
        return remains
    was, now = place.words, remains.words
    return remains if now[:1] == was[:1] and 2 * len(now) > len(was) else shown


def _table_functions(ours: Stretch, theirs: Stretch, query: QueryKind, shown: Place | None) -> Iterator[Change]:
    on_window = query is QueryKind.WINDOW_TVF
    was = ours.on_window if on_window else []
    now = theirs.on_window if on_window else []
    before = dict(zip(_calls(was), was, strict=True))
    after = dict(zip(_calls(now), now, strict=True))
    for key, call in after.items():
        twin = before.get(key)
        yield Change(
            ChangeKind.TABLE_FUNCTION_ON_WINDOW,
            query,
            call.place,
            twin.place if twin is not None else None,
            presence=Presence.KEPT if twin is not None else Presence.ADDED,
            subject=str(call.function),
        )
    for key, call in before.items():
        if key not in after:
            yield Change(
                ChangeKind.TABLE_FUNCTION_ON_WINDOW,
                query,
                shown,
                call.place,
                removed=True,
                presence=Presence.REMOVED,
                subject=str(call.function),
            )
    rest_before = ours.below_window if on_window else [*ours.on_window, *ours.below_window]
    rest_after = theirs.below_window if on_window else [*theirs.on_window, *theirs.below_window]
    if _calls(rest_before) != _calls(rest_after):
        yield Change(
            ChangeKind.NOT_JUDGED,
            query,
            rest_after[0].place if rest_after else shown,
            rest_before[0].place if rest_before else None,
            removed=not rest_after,
            subject="table function in front of the state",
        )


def _calls(correlates: list[Correlate]) -> list[tuple[Expr, bool, tuple[Expr, ...]]]:
    return [(call.function, call.left, call.conditions) for call in correlates]


def branches(operator: Operator) -> tuple[Operator, ...]:
    """The inputs that a UNION ALL brings into one stateful operator; none where there is no union."""
    found: list[Operator] = []
    waiting = list(operator.inputs)
    while waiting:
        child = waiting.pop(0)
        if isinstance(child, Union) and not child.stateful:
            found += child.branches
        elif not child.stateful:
            waiting += child.inputs
    return tuple(found)


def _windows(
    ours: Stretch, theirs: Stretch, query: QueryKind, locator: Locator, shown: Place | None
) -> Iterator[Change]:
    for index in range(max(len(ours.windows), len(theirs.windows))):
        was = ours.windows[index] if index < len(ours.windows) else None
        now = theirs.windows[index] if index < len(theirs.windows) else None
        yield from window_changes(was, now, query, locator, shown, shown)


def _is_within(condition: Expr, join: LookupJoin) -> bool:
    """Whether a condition is written in the clause of a join."""
    return condition.place is None or (join.place is not None and join.place.contains(condition.place))


def _same_columns(baseline: Expr, current: Expr) -> bool:
    return _columns(baseline) == _columns(current) != set()


def _any(baseline: Expr, current: Expr) -> bool:
    return bool(_columns(baseline) & _columns(current))


def _columns(expr: Expr) -> set[Expr]:
    return {node for node in expr.walk() if isinstance(node, Column)}


def _text(expr: Expr) -> str:
    return " ".join(expr.place.text.split()) if expr.place is not None else str(expr)
