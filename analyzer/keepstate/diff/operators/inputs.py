"""Differences of the path between a stateful operator and the next one below: filters, table functions, inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts
from keepstate.diff.operators.unions import counterpart_of, matched_inputs
from keepstate.diff.operators.windows import window_changes
from keepstate.diff.sequences import compare, same_use
from keepstate.plan.expressions import Call, Column, Expr, holds_window_field
from keepstate.plan.lowering.set_operations import given_by, substituted
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    LookupJoin,
    Operator,
    TableSourceScan,
    Union,
    Values,
    Window,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place


@dataclass
class InputPath:
    """The stateless operators right below a stateful one, as far as its input rows depend on them.

    ``calls_on_window`` are table functions called on rows that bear window fields, ``calls_below_window`` all others,
    and ``calls_further_below`` those in front of further operators with state.
    """

    conditions: list[Expr] = field(default_factory=list)
    calls_on_window: list[Correlate] = field(default_factory=list)
    calls_below_window: list[Correlate] = field(default_factory=list)
    calls_further_below: list[Correlate] = field(default_factory=list)
    looked_up: list[Expr] = field(default_factory=list)
    """Conditions of lookup joins on the looked-up table. They concern no other operator: a lookup join keeps no state
    (spec JL-01).
    """
    windows: list[Window] = field(default_factory=list)
    constants: list[Values] = field(default_factory=list)
    """The rows that queries write down."""

    @property
    def has_window(self) -> bool:
        return bool(self.windows)

    @property
    def blocking_windows(self) -> list[Correlate]:
        """Table functions that make the state of a window aggregation undecidable: all between the two, and those of
        users anywhere below.
        """
        below = (call for call in (*self.calls_below_window, *self.calls_further_below) if _is_of_user(call))
        return [*self.calls_on_window, *below]

    def copy(self) -> InputPath:
        return InputPath(**{spec.name: list(getattr(self, spec.name)) for spec in fields(self)})

    def within(self, union: Union, position: int) -> InputPath:
        """A copy to go on with below one input of a union, over the columns of that input."""
        substitution = given_by(union, union.rows[position]) or {}

        def expression(expr: Expr) -> Expr:
            return substituted(expr, substitution)

        below = self.copy()
        below.conditions = list(map(expression, self.conditions))
        below.looked_up = list(map(expression, self.looked_up))
        below.calls_on_window = [replace(call, function=expression(call.function)) for call in self.calls_on_window]
        below.calls_below_window = [
            replace(call, function=expression(call.function)) for call in self.calls_below_window
        ]
        return below

    def take(self, operator: Operator) -> Operator | None:
        """Collect the stateless operators from ``operator`` down; the union at their end, or ``None``."""
        while not (operator.stateful or isinstance(operator, (TableSourceScan, Union))):
            if isinstance(operator, Calc):
                self.conditions += operator.conditions
            elif isinstance(operator, Correlate):
                (self.calls_below_window if self.has_window else self.calls_on_window).append(operator)
            elif isinstance(operator, Values):
                self.constants += [operator] if operator.rows else []
            elif isinstance(operator, WindowTableFunction):
                self.windows.append(operator.window)
            elif isinstance(operator, LookupJoin):
                own = [condition for condition in operator.conditions if _is_within(condition, operator)]
                self.looked_up += own
                self.conditions += [condition for condition in operator.conditions if condition not in own]
            if not operator.inputs:
                return None
            # What a lookup join asks for is no input.
            operator = operator.inputs[0]
        if isinstance(operator, Union) and not operator.stateful:
            return operator
        self.calls_further_below += (node for node in operator.walk() if isinstance(node, Correlate))
        return None

    def ended(self) -> InputPath:
        """The path when all of it is collected: without a window, nothing is called on window fields."""
        if not self.has_window:
            self.calls_below_window, self.calls_on_window = [*self.calls_on_window, *self.calls_below_window], []
        return self


def input_paths(baseline: Operator, current: Operator) -> Iterator[tuple[InputPath, InputPath]]:
    """The stateless operators below two versions of an operator, input by input and branch by branch of their unions.

    A filter belongs to the rows of its branch: the same filters at other branches let other rows through. Branches that
    one version only has are no way in of both.
    """
    for was, now in zip(baseline.inputs, current.inputs, strict=True):
        yield from _paths(was, now, _into(baseline), _into(current))


def _into(operator: Operator) -> InputPath:
    """Return the beginning of a path into ``operator``: the filters that the operator applies in front of its state."""
    return InputPath(conditions=list(operator.filters_of_sets) if isinstance(operator, Aggregate) else [])


def _paths(
    baseline: Operator, current: Operator, baseline_path: InputPath, current_path: InputPath
) -> Iterator[tuple[InputPath, InputPath]]:
    # Where one version only has a union, the other one is collected again, beside the branch that corresponds to it.
    before, after = baseline_path.copy(), current_path.copy()
    was, now = baseline_path.take(baseline), current_path.take(current)
    if isinstance(was, Union) and isinstance(now, Union):
        for one, other in matched_inputs(was, now):
            yield from _paths(
                was.branches[one], now.branches[other], baseline_path.within(was, one), current_path.within(now, other)
            )
    elif isinstance(was, Union):
        position = counterpart_of(was, current)
        if position is not None:
            yield from _paths(was.branches[position], current, baseline_path.within(was, position), after)
    elif isinstance(now, Union):
        position = counterpart_of(now, baseline)
        if position is not None:
            yield from _paths(baseline, now.branches[position], before, current_path.within(now, position))
    else:
        yield baseline_path.ended(), current_path.ended()


def _functions_of_unpaired_branches(baseline: Operator, current: Operator) -> Iterator[tuple[InputPath, InputPath]]:
    """The table functions in branches of unions that one version only has: they leave a window open from there too."""
    for was, now in zip(baseline.inputs, current.inputs, strict=True):
        baseline_path, current_path = InputPath(), InputPath()
        unions = baseline_path.take(was), current_path.take(now)
        if not (isinstance(unions[0], Union) and isinstance(unions[1], Union)):
            continue
        pairs = matched_inputs(unions[0], unions[1])
        for side, (union, above) in enumerate(zip(unions, (baseline_path, current_path), strict=True)):
            assert isinstance(union, Union)
            for position in set(range(len(union.branches))) - {pair[side] for pair in pairs}:
                path = above.within(union, position)
                path.take(union.branches[position])
                functions = InputPath(calls_on_window=path.ended().blocking_windows)
                yield (functions, InputPath()) if side == 0 else (InputPath(), functions)


@dataclass(frozen=True)
class _FarFilters:
    """The filters below other operators with state, where only one version has these: a join that comes or goes behind
    a WHERE changes no filter.
    """

    of_baseline: frozenset[Expr]
    of_current: frozenset[Expr]

    @staticmethod
    def of(baseline: Operator, current: Operator) -> _FarFilters:
        was, now = (sum(each.stateful for each in side.walk()) for side in (baseline, current))
        return _FarFilters(
            _conditions_below(baseline) if was > now else frozenset(),
            _conditions_below(current) if now > was else frozenset(),
        )


def _conditions_below(operator: Operator) -> frozenset[Expr]:
    calcs = (each for each in operator.walk() if isinstance(each, Calc))
    return frozenset(condition for calc in calcs for condition in calc.conditions)


def input_changes(
    baseline: Operator, current: Operator, query: QueryKind, locator: Locator, clause: Place | None
) -> Iterator[Change]:
    """Yield the differences between the input paths of a stateful operator.

    ``clause`` is the clause of the operator in the current text. A condition above a union filters each branch of the
    union, and is one change.
    """
    all_changes: list[Change] = []
    far = _FarFilters.of(baseline, current)
    for baseline_path, current_path in input_paths(baseline, current):
        changes = _input_path(baseline_path, current_path, baseline, query, locator, clause, far)
        all_changes += (change for change in changes if change not in all_changes)
    if query is QueryKind.WINDOW_TVF:
        for baseline_path, current_path in _functions_of_unpaired_branches(baseline, current):
            all_changes += (
                change
                for change in _table_functions(baseline_path, current_path, query, clause)
                if change not in all_changes
            )
    yield from all_changes


def _input_path(
    baseline_path: InputPath,
    current_path: InputPath,
    baseline: Operator,
    query: QueryKind,
    locator: Locator,
    clause: Place | None,
    far: _FarFilters,
) -> Iterator[Change]:
    windowed = query in (QueryKind.WINDOW_TVF,)
    yield from _filters(baseline_path, current_path, query, locator, clause, windowed, far)
    yield from _table_functions(baseline_path, current_path, query, clause)
    for was, now in zip(baseline_path.constants, current_path.constants, strict=False):
        if was != now:
            yield Change(ChangeKind.CONSTANT_ROWS_CHANGED, QueryKind.JOB, now.place or clause, was.place)
    if not isinstance(baseline, Aggregate):
        # An aggregation speaks of its window itself.
        yield from _windows(baseline_path, current_path, query, locator, clause)


def _filters(
    baseline_path: InputPath,
    current_path: InputPath,
    query: QueryKind,
    locator: Locator,
    clause: Place | None,
    windowed: bool,
    far: _FarFilters,
) -> Iterator[Change]:
    was_on_window = [expr for expr in baseline_path.conditions if holds_window_field(expr)] if windowed else []
    now_on_window = [expr for expr in current_path.conditions if holds_window_field(expr)] if windowed else []
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
                locator.remains(condition.place, clause),
                condition.place,
                removed=True,
                presence=Presence.REMOVED,
                subject=_text(condition),
            )
    # A condition that moved between WHERE and a lookup join's ON is the same one.
    was_filtered = [
        expr for expr in baseline_path.conditions if expr not in was_on_window and expr not in current_path.looked_up
    ]
    now_filtered = [
        expr for expr in current_path.conditions if expr not in now_on_window and expr not in baseline_path.looked_up
    ]
    # One text with another meaning is surely one filter; then filters on the same columns, then on a common one.
    diff = compare(was_filtered, now_filtered, (same_use, _same_columns, _any))
    for was, now in diff.modified:
        places = locator.modification(was, now, was.place, now.place)
        # Where the condition is written alike, what it reads is computed differently below.
        texts = (_text(was), _text(now)) if _text(was) != _text(now) else distinct_texts(was, now)
        yield Change(
            ChangeKind.FILTER_CHANGED,
            query,
            places[1],
            places[0],
            subject="filter",
            baseline_text=texts[0],
            current_text=texts[1],
        )
    for condition in (each for each in diff.added if each not in far.of_baseline):
        yield Change(ChangeKind.FILTER_ADDED, query, condition.place, None, subject=f"filter {_text(condition)}")
    for condition in (each for each in diff.removed if each not in far.of_current):
        yield Change(
            ChangeKind.FILTER_REMOVED,
            query,
            left_of_condition(condition.place, locator, clause),
            condition.place,
            removed=True,
            subject=f"filter {_text(condition)}",
        )


def left_of_condition(place: Place | None, locator: Locator, clause: Place | None) -> Place | None:
    """Return where a condition of the baseline stood in the current text.

    That is what remains of the condition, unless only a few of its words remain, in another condition; then ``clause``,
    the clause of the operator that the condition belonged to.
    """
    remains = locator.remains(place, clause)
    if place is None or remains is None or clause is None:
        return remains
    was, now = place.words, remains.words
    return remains if now[:1] == was[:1] and 2 * len(now) > len(was) else locator.belonged_to(place, clause)


def _table_functions(
    baseline_path: InputPath, current_path: InputPath, query: QueryKind, clause: Place | None
) -> Iterator[Change]:
    on_window = query is QueryKind.WINDOW_TVF
    was = baseline_path.blocking_windows if on_window else []
    now = current_path.blocking_windows if on_window else []
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
                clause,
                call.place,
                removed=True,
                presence=Presence.REMOVED,
                subject=str(call.function),
            )
    rest_before = [
        call for call in (*baseline_path.calls_on_window, *baseline_path.calls_below_window) if call not in was
    ]
    rest_after = [call for call in (*current_path.calls_on_window, *current_path.calls_below_window) if call not in now]
    if _calls(rest_before) != _calls(rest_after):
        yield Change(
            ChangeKind.CHANGE_NOT_JUDGED,
            query,
            rest_after[0].place if rest_after else clause,
            rest_before[0].place if rest_before else None,
            removed=not rest_after,
            subject="table function in front of the state",
        )


def _is_of_user(call: Correlate) -> bool:
    return not (isinstance(call.function, Call) and call.function.name.startswith("UNNEST"))


def _calls(correlates: list[Correlate]) -> list[tuple[Expr, bool, tuple[Expr, ...]]]:
    return [(call.function, call.left, call.conditions) for call in correlates]


def _windows(
    baseline_path: InputPath, current_path: InputPath, query: QueryKind, locator: Locator, clause: Place | None
) -> Iterator[Change]:
    for index in range(max(len(baseline_path.windows), len(current_path.windows))):
        was = baseline_path.windows[index] if index < len(baseline_path.windows) else None
        now = current_path.windows[index] if index < len(current_path.windows) else None
        yield from window_changes(was, now, query, locator, clause, clause)


def _is_within(condition: Expr, join: LookupJoin) -> bool:
    """Return whether a condition is written in the clause of a join."""
    return condition.place is None or (join.place is not None and join.place.contains(condition.place))


def _same_columns(baseline: Expr, current: Expr) -> bool:
    return _columns(baseline) == _columns(current) != set()


def _any(baseline: Expr, current: Expr) -> bool:
    return bool(_columns(baseline) & _columns(current))


def _columns(expr: Expr) -> set[Expr]:
    return {node for node in expr.walk() if isinstance(node, Column)}


def _text(expr: Expr) -> str:
    return " ".join(expr.place.text.split()) if expr.place is not None else str(expr)
